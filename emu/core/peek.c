/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies from and to application memory that may be unmapped.
 *
 * The kernel copies: process_vm_readv/writev on the own process fails with EFAULT where memcpy
 * would end with SIGSEGV. That is the emulator's copy_from_user, without a signal handler. The
 * process is named by the thread that runs: a main thread that has left by pthread_exit(3) has
 * no memory any more, nor have its files in /proc.
 *
 * A sandbox may refuse these two (seccomp in containers, without CAP_SYS_PTRACE). Then a copy
 * is made through a pipe, whose read() and write() also fail with EFAULT, a page at a time.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "core/core.h"

typedef ssize_t vm_copy(pid_t, const struct iovec *, unsigned long, const struct iovec *,
			unsigned long, unsigned long);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int in = -1, out = -1; /* of the pipe, lock held */
static pid_t owner;	      /* the process whose pipe it is */

/* After fork: another thread of the parent may have been copying, and the pipe is the
 * parent's. */
static void forked(void)
{
	pthread_mutex_init(&lock, NULL);
}

static void watch_fork(void)
{
	pthread_atfork(NULL, NULL, forked);
}

static bool pipe_ready(void)
{
	int end[2];

	if (owner == getpid() && out >= 0)
		return true;
	if (pipe2(end, O_CLOEXEC))
		return false;
	out = core_own(end[0]);
	in = core_own(end[1]);
	owner = getpid();
	return true;
}

/* The rest of an incomplete copy must not be read by the next one. */
static void pipe_drop(void)
{
	core_own_close(in);
	core_own_close(out);
	in = out = -1;
}

/* One of @from and @to is the application's. Writes of at most PIPE_BUF bytes are atomic. */
static bool through_pipe(void *to, const void *from, size_t len)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	bool done = true;

	pthread_once(&once, watch_fork);
	core_lock(&lock);
	while (len && done) {
		ssize_t n = len < PIPE_BUF ? (ssize_t)len : PIPE_BUF;

		done = pipe_ready() && core_syscall(SYS_write, in, from, n) == n &&
		       core_syscall(SYS_read, out, to, n) == n;
		from = (const char *)from + n;
		to = (char *)to + n;
		len -= (size_t)n;
	}
	if (!done)
		pipe_drop();
	core_unlock(&lock);
	return done;
}

static bool is_refused(void)
{
	return errno == EPERM || errno == EACCES || errno == ENOSYS;
}

static bool copy(vm_copy *fn, void *here, uint64_t va, size_t len)
{
	/* One call moves at most 2 GiB - 4 KiB (MAX_RW_COUNT). */
	const size_t most = 1u << 30;

	while (len) {
		struct iovec local = { here, len < most ? len : most };
		struct iovec remote = { (void *)(uintptr_t)va, local.iov_len };
		ssize_t n = fn(gettid(), &local, 1, &remote, 1, 0);

		if (n < 0 && is_refused())
			return fn == process_vm_readv
				       ? through_pipe(here, remote.iov_base, len)
				       : through_pipe(remote.iov_base, here, len);
		if (n <= 0)
			return false;
		here = (char *)here + n;
		va += (size_t)n;
		len -= (size_t)n;
	}
	return true;
}

bool core_peek(void *dst, uint64_t va, size_t len)
{
	return copy(process_vm_readv, dst, va, len);
}

bool core_poke(uint64_t va, const void *src, size_t len)
{
	return copy(process_vm_writev, (void *)(uintptr_t)src, va, len);
}

/* All @len bytes to @out or from @in, regardless of the protection of the mapping (proc(5),
 * mem). */
static bool force(uint64_t va, size_t len, void *out, const void *in)
{
	long fd = core_syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/mem",
			       O_RDWR | O_CLOEXEC),
	     n = -1;

	if (fd < 0)
		return false;
	n = out ? core_syscall(SYS_pread64, fd, out, len, va)
		: core_syscall(SYS_pwrite64, fd, in, len, va);
	core_syscall(SYS_close, fd);
	return n == (long)len;
}

bool core_bus_read(void *dst, uint64_t bus, size_t len)
{
	while (len) {
		uint64_t run, va = core_bus_at(bus, len, &run);

		if (!va || !(core_peek(dst, va, run) ||
			     (core_bus_is_forced(bus) && force(va, run, dst, NULL))))
			return false;
		dst = (char *)dst + run;
		bus += run;
		len -= run;
	}
	return true;
}

bool core_bus_write(uint64_t bus, const void *src, size_t len)
{
	while (len) {
		uint64_t run, va = core_bus_at(bus, len, &run);

		if (!va || !(core_poke(va, src, run) ||
			     (core_bus_is_forced(bus) && force(va, run, NULL, src))))
			return false;
		src = (const char *)src + run;
		bus += run;
		len -= run;
	}
	return true;
}

uint64_t core_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t core_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}
