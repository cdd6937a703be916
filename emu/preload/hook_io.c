/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hooks on reading and writing.
 *
 * Both devices are streams (kernel, uverbs_main.c, ucma.c: stream_open), without a position and
 * without a read: what is left is write, of whole requests, on uverbs0 the commands of the time
 * before ioctl.
 *
 * Event descriptors of DevX refuse a buffer that is too short for the next record. All others,
 * and poll on all of them, are left to the kernel.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload/files.h"
#include "preload/netlink.h"
#include "preload/real.h"
#include "ucma/ucma.h"
#include "uverbs/uverbs.h"

ssize_t __read_chk(int fd, void *buf, size_t count, size_t size);

static int fail(int err)
{
	errno = err;
	return -1;
}

static ssize_t read_bytes(int fd, void *buf, size_t count)
{
	int ret = files_has(fd) ? -EINVAL : uverbs_read_check(fd, count);

	netlink_deliver(fd);
	return ret ? fail(-ret) : REAL(read)(fd, buf, count);
}

HOOK ssize_t read(int fd, void *buf, size_t count)
{
	return read_bytes(fd, buf, count);
}

HOOK ssize_t __read_chk(int fd, void *buf, size_t count, size_t size)
{
	return count > size ? REAL(__read_chk)(fd, buf, count, size)
			    : read_bytes(fd, buf, count);
}

HOOK ssize_t readv(int fd, const struct iovec *part, int n)
{
	return files_has(fd) ? fail(EINVAL) : REAL(readv)(fd, part, n);
}

static ssize_t device_write(const struct device_file *f, int fd, uint64_t buf, size_t len,
			    uint32_t *seen)
{
	struct ucma_file *c = files_ucma(f);

	if (c)
		return ucma_write(c, fd, buf, len, seen);
	if (files_is_fwctl(f))
		return -EINVAL;
	if (files_is_cm(f) || !files_uverbs(f))
		return -EIO;
	return uverbs_write(files_uverbs(f), buf, len);
}

/* @which: NULL, or the file that the write waits on. When that was closed and is kept no more,
 * the wait goes on as that in the kernel does, with nothing that could end it but a signal. */
static ssize_t attempt(int fd, const void *buf, size_t len, const struct device_file **which,
		       uint32_t *seen)
{
	struct device_file *f;
	ssize_t ret = *which ? -ERESTART : -EBADF;

	core_enter();
	*seen = ucma_events_seen();
	f = *which ? files_kept(fd, *which) : files_get(fd);
	if (f)
		ret = device_write(f, *which ? -1 : fd, (uintptr_t)buf, len, seen);
	if (!*which)
		*which = f;
	if (ret == -ERESTART)
		files_keep(f);
	else
		files_put(f);
	core_leave();
	return ret;
}

/* While it waits for an event it has not entered: handlers run. */
static ssize_t wait_for_event(uint32_t seen)
{
	int ret;

	pthread_cleanup_push(files_unkeep, NULL);
	ret = ucma_wait_event(seen);
	pthread_cleanup_pop(ret);
	return ret ? ret : -ERESTART;
}

static ssize_t write_request(int fd, const void *buf, size_t count)
{
	const struct device_file *which = NULL;
	uint32_t seen;
	ssize_t ret;

	pthread_testcancel();
	do {
		ret = attempt(fd, buf, count, &which, &seen);
		if (ret == -ERESTART)
			ret = wait_for_event(seen);
	} while (ret == -ERESTART);
	return ret < 0 ? fail((int)-ret) : ret;
}

HOOK ssize_t write(int fd, const void *buf, size_t count)
{
	if (netlink_has(fd))
		return netlink_send_bytes(fd, buf, count, NULL, 0);
	return files_has(fd) ? write_request(fd, buf, count) : REAL(write)(fd, buf, count);
}

/* kernel, read_write.c: without write_iter each part is a separate write, up to a short one. */
HOOK ssize_t writev(int fd, const struct iovec *part, int n)
{
	ssize_t sum = 0;

	if (!files_has(fd))
		return REAL(writev)(fd, part, n);
	for (int i = 0; i < n; i++) {
		ssize_t ret = write_request(fd, part[i].iov_base, part[i].iov_len);

		if (ret < 0)
			return sum ? sum : ret;
		sum += ret;
	}
	return sum;
}

/* ---- no position, no length ---- */

HOOK ssize_t pread(int fd, void *buf, size_t count, off_t at)
{
	return files_has(fd) ? fail(ESPIPE) : REAL(pread)(fd, buf, count, at);
}

HOOK ssize_t pread64(int fd, void *buf, size_t count, off64_t at)
{
	return files_has(fd) ? fail(ESPIPE) : REAL(pread64)(fd, buf, count, at);
}

HOOK ssize_t pwrite(int fd, const void *buf, size_t count, off_t at)
{
	return files_has(fd) ? fail(ESPIPE) : REAL(pwrite)(fd, buf, count, at);
}

HOOK ssize_t pwrite64(int fd, const void *buf, size_t count, off64_t at)
{
	return files_has(fd) ? fail(ESPIPE) : REAL(pwrite64)(fd, buf, count, at);
}

HOOK off_t lseek(int fd, off_t at, int whence)
{
	return files_has(fd) ? fail(ESPIPE) : REAL(lseek)(fd, at, whence);
}

HOOK off64_t lseek64(int fd, off64_t at, int whence)
{
	return files_has(fd) ? fail(ESPIPE) : REAL(lseek64)(fd, at, whence);
}

/* kernel, open.c: of regular files only */

HOOK int ftruncate(int fd, off_t len)
{
	return files_has(fd) ? fail(EINVAL) : REAL(ftruncate)(fd, len);
}

HOOK int ftruncate64(int fd, off64_t len)
{
	return files_has(fd) ? fail(EINVAL) : REAL(ftruncate64)(fd, len);
}

HOOK int fallocate(int fd, int mode, off_t at, off_t len)
{
	return files_has(fd) ? fail(ENODEV) : REAL(fallocate)(fd, mode, at, len);
}

HOOK int fallocate64(int fd, int mode, off64_t at, off64_t len)
{
	return files_has(fd) ? fail(ENODEV) : REAL(fallocate64)(fd, mode, at, len);
}
