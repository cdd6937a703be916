/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Look-up of the hooked functions. Not here: any hook.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "core/core.h"
#include "preload/real.h"

/* Before it ran there is one thread and no handler of the program, and sanitizers may not be
 * ready for calls that they intercept: core_enter() makes some. */
static bool started;

__attribute__((constructor)) static void start(void)
{
	started = true;
}

uintptr_t real_find(const char *name)
{
	int saved = errno;
	uintptr_t at;

	bool enter = started;

	if (enter)
		core_enter(); /* dlsym locks */
	at = (uintptr_t)dlsym(RTLD_NEXT, name);
	if (enter)
		core_leave();
	if (!at) {
		/* no stdio: this may be the first call of the process */
		struct iovec line[] = {
			{ "dvkit-emu: libc has no ", 23 },
			{ (char *)name, strlen(name) },
			{ "\n", 1 },
		};

		if (writev(2, line, 3) >= 0)
			abort();
		abort();
	}
	errno = saved;
	return at;
}
