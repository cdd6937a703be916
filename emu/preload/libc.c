/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of libc.def. Those with parameters that differ from libc's are variadic
 * there. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "core/core.h"

#define CALL(name, ...) core_syscall(SYS_##name, ##__VA_ARGS__)

#define KERNEL_SIGSET 8		      /* bytes */
#define ALL_BUT_LIBCS (~(3ull << 31)) /* signals 32 and 33: nptl(7) */

static char *copy_of(const char *text)
{
	size_t len = strlen(text) + 1;
	char *copy = core_memory_get(len);

	return copy ? memcpy(copy, text, len) : NULL;
}

/* The kernel writes what is left of the time. */
static int poll_until(struct pollfd *fds, nfds_t n, const struct timespec *most,
		      const sigset_t *mask)
{
	struct timespec left = most ? *most : (struct timespec){ 0 };

	return (int)CALL(ppoll, fds, n, most ? &left : NULL, mask, KERNEL_SIGSET);
}

static int poll_for(struct pollfd *fds, nfds_t n, int ms)
{
	struct timespec most = { ms / 1000, ms % 1000 * 1000000 };

	return poll_until(fds, n, ms < 0 ? NULL : &most, NULL);
}

/* libc's own, which reads the clock without a system call (vdso(7)); a program may have another
 * one. */
static int (*libc_clock)(clockid_t, struct timespec *);

__attribute__((constructor)) static void find_clock(void)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);

	if (libc)
		libc_clock =
			(int (*)(clockid_t, struct timespec *))dlsym(libc, "clock_gettime");
}

static int read_clock(clockid_t clock, struct timespec *now)
{
	return libc_clock ? libc_clock(clock, now) : (int)CALL(clock_gettime, clock, now);
}

/* libc's sets have more bits than the kernel's. */
static void to_set(sigset_t *set, uint64_t mask)
{
	sigemptyset(set);
	memcpy(set, &mask, sizeof(mask));
}

static int set_mask(int how, const sigset_t *set, sigset_t *old)
{
	uint64_t mask = 0, was = 0;
	int saved = errno;

	if (set)
		memcpy(&mask, set, sizeof(mask));
	if (how != SIG_UNBLOCK)
		mask &= ALL_BUT_LIBCS;
	CALL(rt_sigprocmask, how, set ? &mask : NULL, &was, KERNEL_SIGSET);
	if (old)
		to_set(old, was);
	errno = saved;
	return 0; /* all arguments are right */
}

static int pending(sigset_t *set)
{
	uint64_t mask = 0;
	long ret = CALL(rt_sigpending, &mask, KERNEL_SIGSET);

	to_set(set, mask);
	return (int)ret;
}

static int send_here(int sig)
{
	long pid = CALL(getpid), tid = CALL(gettid);

	return (int)CALL(tgkill, pid, tid, sig);
}

#define LIBC(type, name, parameters, value) \
	type __wrap_##name parameters;      \
	type __wrap_##name parameters       \
	{                                   \
		return (type)(value);       \
	}
#include "preload/libc.def"
