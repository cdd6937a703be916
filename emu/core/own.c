/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The emulator's own descriptors. An adapter has none in the process; so these have high
 * numbers, and calls by which a program closes descriptors that it did not open do not affect
 * them.
 *
 *	0 1 2 … the program's … | 1024, or half of the limit | … the adapter's …
 *
 * The bits are read without a lock. A number is only set free after its close.
 */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/core.h"

#define NUMBERS	  65536
#define PER_WORD  64
#define STANDARD  3    /* after the standard streams */
#define PROGRAM_S 1024 /* FD_SETSIZE: select() cannot be used for higher numbers */

static _Atomic uint64_t own[NUMBERS / PER_WORD];
static atomic_int highest = -1;

static bool in_table(int fd)
{
	return fd >= 0 && fd < NUMBERS;
}

static int lowest(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= 2 * PROGRAM_S)
		return PROGRAM_S;
	return (int)limit.rlim_cur / 2;
}

static void mark(int fd)
{
	int top = atomic_load(&highest);

	if (!in_table(fd))
		return;
	atomic_fetch_or(&own[fd / PER_WORD], 1ull << fd % PER_WORD);
	while (fd > top && !atomic_compare_exchange_weak(&highest, &top, fd))
		;
}

static void unmark(int fd)
{
	if (in_table(fd))
		atomic_fetch_and(&own[fd / PER_WORD], ~(1ull << fd % PER_WORD));
}

int core_own(int fd)
{
	int moved;

	if (fd < 0)
		return fd;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, lowest());
	if (moved < 0 && fd < STANDARD)
		moved = fcntl(fd, F_DUPFD_CLOEXEC, STANDARD);
	mark(moved < 0 ? fd : moved);
	if (moved < 0)
		return fd;
	core_syscall(SYS_close, fd);
	return moved;
}

/* Not close(): that is preload's hook, which hides this descriptor, and a cancellation
 * point. */
void core_own_close(int fd)
{
	if (fd < 0)
		return;
	core_syscall(SYS_close, fd);
	unmark(fd);
}

bool core_own_has(int fd)
{
	return in_table(fd) &&
	       atomic_load_explicit(&own[fd / PER_WORD], memory_order_relaxed) >>
			       fd % PER_WORD &
		       1;
}

int core_own_next(int from)
{
	int top = atomic_load(&highest);

	for (int fd = from < 0 ? 0 : from; fd <= top; fd++) {
		if (!atomic_load_explicit(&own[fd / PER_WORD], memory_order_relaxed))
			fd |= PER_WORD - 1;
		else if (core_own_has(fd))
			return fd;
	}
	return -1;
}

void core_own_forked(void)
{
	for (int fd = -1; (fd = core_own_next(fd + 1)) >= 0;)
		core_own_close(fd);
}
