/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hooks on descriptors: ioctl goes to the driver; close and dup keep the table of open files
 * right. A descriptor that is not the device's costs one look at that table, without a lock and
 * without a system call. Sockets of RDMA netlink have their own table.
 *
 * Not hooked, because the kernel does the right thing: mmap (the descriptor is the BAR) and
 * poll (event descriptors are pipes and sockets). read and write are in hook_io.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "fwctl/fwctl.h"
#include "preload/files.h"
#include "preload/netlink.h"
#include "preload/real.h"
#include "uverbs/uverbs.h"

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC 4
#endif
#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE 2
#endif

static int device_ioctl(const struct device_file *f, unsigned long request, unsigned long arg)
{
	struct uverbs_file *u = files_uverbs(f);
	struct fwctl_file *w = files_fwctl(f);

	if (files_is_cm(f))
		return -ENOTTY;
	if (w)
		return fwctl_ioctl(w, request, arg);
	return u ? uverbs_ioctl(u, request, arg) : -EIO;
}

HOOK int ioctl(int fd, unsigned long request, ...)
{
	struct device_file *f;
	unsigned long arg;
	va_list args;
	int ret = -EBADF; /* closed by another thread, just now */

	va_start(args, request);
	arg = va_arg(args, unsigned long);
	va_end(args);
	if (!files_has(fd))
		return REAL(ioctl)(fd, request, arg);
	core_enter();
	f = files_get(fd);
	if (f)
		ret = device_ioctl(f, request, arg);
	files_put(f);
	core_leave();
	if (ret >= 0)
		return ret;
	errno = -ret;
	return -1;
}

/* The adapter's own descriptors are not the program's. */
static int bad_number(void)
{
	errno = EBADF;
	return -1;
}

/* The last close of a file destroys what is left in it, after the number is free again. */
static int close_one(int fd)
{
	struct device_file *f;
	int ret;

	if (core_own_has(fd))
		return bad_number();
	netlink_closed(fd);
	if (!files_has(fd))
		return REAL(close)(fd);
	pthread_testcancel();
	core_enter();
	f = files_take(fd);
	ret = REAL(close)(fd);
	files_put(f);
	core_leave();
	return ret;
}

HOOK int close(int fd)
{
	return close_one(fd);
}

/* In pieces, around the adapter's. */
static int close_others(unsigned int first, unsigned int last, int flags)
{
	int own = core_own_next(first > INT_MAX ? INT_MAX : (int)first), ret = 0;

	for (; !ret && own >= 0 && (unsigned int)own <= last; own = core_own_next(own + 1)) {
		if ((unsigned int)own > first)
			ret = REAL(close_range)(first, own - 1, flags);
		first = own + 1;
	}
	return ret || first > last ? ret : REAL(close_range)(first, last, flags);
}

static int close_numbers(unsigned int first, unsigned int last, int flags)
{
	int ret;

	if (first > last || flags & ~(CLOSE_RANGE_UNSHARE | CLOSE_RANGE_CLOEXEC)) {
		errno = EINVAL; /* before anything is closed */
		return -1;
	}
	core_enter();
	if (!(flags & CLOSE_RANGE_CLOEXEC)) {
		files_drop(first, last);
		netlink_closed_range(first, last);
	}
	ret = close_others(first, last, flags);
	core_leave();
	return ret;
}

HOOK int close_range(unsigned int first, unsigned int last, int flags)
{
	return close_numbers(first, last, flags);
}

/* A kernel without close_range (before 5.9): libc reads /proc there, this looks at each
 * number. */
HOOK void closefrom(int first)
{
	long limit = sysconf(_SC_OPEN_MAX);

	first = first < 0 ? 0 : first;
	if (close_numbers(first, ~0u, 0))
		for (int fd = first; fd < limit; fd++)
			close_one(fd);
}

static bool has(int fd)
{
	return files_has(fd) || netlink_has(fd);
}

/* @to was made a duplicate of @fd, unless the system call failed. Entered. */
static int duplicated(int fd, int to)
{
	if (to >= 0) {
		files_dup(fd, to);
		netlink_duplicated(fd, to);
	}
	core_leave();
	return to;
}

HOOK int dup(int fd)
{
	if (!has(fd))
		return REAL(dup)(fd);
	core_enter();
	return duplicated(fd, REAL(dup)(fd));
}

HOOK int dup2(int fd, int to)
{
	if (core_own_has(to))
		return bad_number();
	if (!has(fd) && !has(to))
		return REAL(dup2)(fd, to);
	core_enter();
	return duplicated(fd, REAL(dup2)(fd, to));
}

HOOK int dup3(int fd, int to, int flags)
{
	if (core_own_has(to))
		return bad_number();
	if (!has(fd) && !has(to))
		return REAL(dup3)(fd, to, flags);
	core_enter();
	return duplicated(fd, REAL(dup3)(fd, to, flags));
}

static int control(int fd, int cmd, unsigned long arg)
{
	if ((cmd != F_DUPFD && cmd != F_DUPFD_CLOEXEC) || !has(fd))
		return REAL(fcntl)(fd, cmd, arg);
	core_enter();
	return duplicated(fd, REAL(fcntl)(fd, cmd, arg));
}

HOOK int fcntl(int fd, int cmd, ...)
{
	unsigned long arg;
	va_list args;

	va_start(args, cmd);
	arg = va_arg(args, unsigned long);
	va_end(args);
	return control(fd, cmd, arg);
}

HOOK int fcntl64(int fd, int cmd, ...)
{
	unsigned long arg;
	va_list args;

	va_start(args, cmd);
	arg = va_arg(args, unsigned long);
	va_end(args);
	return control(fd, cmd, arg);
}
