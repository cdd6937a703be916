/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hooks on descriptors: ioctl goes to the driver, write to rdma_cm; close and dup keep the table
 * of open files right; socket refuses RDMA netlink.
 *
 * Not hooked, because the kernel does the right thing: mmap (the descriptor is the BAR) and poll
 * (event descriptors are pipes and sockets). read is in hook_read.c.
 */
#undef _FORTIFY_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "preload/files.h"
#include "preload/real.h"
#include "ucma/ucma.h"
#include "uverbs/uverbs.h"

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC 4
#endif

HOOK int ioctl(int fd, unsigned long request, ...)
{
	struct device_file *f;
	struct uverbs_file *u;
	unsigned long arg;
	va_list args;
	int ret;

	va_start(args, request);
	arg = va_arg(args, unsigned long);
	va_end(args);
	f = files_get(fd);
	if (!f)
		return REAL(ioctl)(fd, request, arg);
	u = files_uverbs(f);
	ret = files_has_cm(fd) ? -ENOTTY : u ? uverbs_ioctl(u, request, arg) : -EIO;
	files_put(f);
	if (ret >= 0)
		return ret;
	errno = -ret;
	return -1;
}

HOOK ssize_t write(int fd, const void *buf, size_t count)
{
	struct device_file *f = files_has(fd) && files_has_cm(fd) ? files_get(fd) : NULL;
	struct ucma_file *c;
	ssize_t ret;

	if (!f)
		return REAL(write)(fd, buf, count);
	c = files_ucma(f);
	ret = c ? ucma_write(c, fd, (uintptr_t)buf, count) : -EIO;
	files_put(f);
	if (ret >= 0)
		return ret;
	errno = -ret;
	return -1;
}

/* The last close of a file destroys what is left in it, after the number is free again. */
HOOK int close(int fd)
{
	struct device_file *f = files_take(fd);
	int ret = REAL(close)(fd);

	files_put(f);
	return ret;
}

HOOK int close_range(unsigned int first, unsigned int last, int flags)
{
	if (!(flags & CLOSE_RANGE_CLOEXEC))
		files_drop(first, last);
	return REAL(close_range)(first, last, flags);
}

HOOK void closefrom(int first)
{
	files_drop(first < 0 ? 0 : first, ~0u);
	REAL(closefrom)(first);
}

HOOK int dup(int fd)
{
	int ret = REAL(dup)(fd);

	if (ret >= 0)
		files_dup(fd, ret);
	return ret;
}

HOOK int dup2(int fd, int to)
{
	int ret = REAL(dup2)(fd, to);

	if (ret >= 0)
		files_dup(fd, ret);
	return ret;
}

HOOK int dup3(int fd, int to, int flags)
{
	int ret = REAL(dup3)(fd, to, flags);

	if (ret >= 0)
		files_dup(fd, ret);
	return ret;
}

static int control(int fd, int cmd, unsigned long arg)
{
	int ret = REAL(fcntl)(fd, cmd, arg);

	if (ret >= 0 && (cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC))
		files_dup(fd, ret);
	return ret;
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

/* Where ib_core is loaded, a netlink answer "no devices" would end the search: libibverbs
 * looks into sysfs only when the socket fails (rdma-core, libibverbs/init.c). */
HOOK int socket(int domain, int type, int protocol)
{
	if (domain == AF_NETLINK && protocol == NETLINK_RDMA) {
		errno = EPROTONOSUPPORT;
		return -1;
	}
	return REAL(socket)(domain, type, protocol);
}
