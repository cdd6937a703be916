/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hooks that open things by path.
 *
 *	open("/dev/infiniband/uverbsN") -> boot -> uverbs_open -> a descriptor of the BAR
 *	open("/dev/infiniband/rdma_cm") -> boot -> ucma_open   -> a descriptor of its events
 *	open("/dev/fwctl/fwctlN")       -> boot -> fwctl_open  -> a descriptor of the empty file
 *	open("/sys/class/infiniband/…") -> the same name below $SYSFS_PATH
 *	open("…/hw_counters/…")         -> what the adapter counted until now (hw_counter.h)
 *	anything else                   -> libc, unchanged
 *
 * The descriptor of uverbsN is a duplicate of the sparse file that is the device's BAR, so
 * the application's mmap() of a doorbell page needs no hook (with --check: hook_map.c).
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fwctl/fwctl.h"
#include "preload/boot.h"
#include "preload/files.h"
#include "preload/hw_counter.h"
#include "preload/path.h"
#include "preload/real.h"

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);

static int open_cm(struct boot *b, int flags)
{
	int fd, err;
	struct ucma_file *c = ucma_open(b->ucma, flags & O_CLOEXEC, &fd);

	if (!c)
		return -1;
	err = files_add_cm(fd, c);
	if (!err && flags & O_NONBLOCK)
		fcntl(fd, F_SETFL, O_NONBLOCK);
	if (!err)
		return fd;
	close(fd);
	ucma_release(c);
	errno = err;
	return -1;
}

static int open_uverbs(struct boot *b, int flags)
{
	struct uverbs_file *u;
	int fd, err;

	u = uverbs_open(b->uverbs);
	if (!u)
		return -1;
	fd = fcntl(b->hca.bar_fd, flags & O_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 0);
	err = fd < 0 ? errno : files_add(fd, u, b->function);
	if (!err)
		return fd;
	close(fd);
	uverbs_release(u);
	errno = err;
	return -1;
}

static int open_fwctl(struct boot *b, const char *path, int flags)
{
	char buf[PATH_BUF];
	struct fwctl_file *w = fwctl_open(&b->hca);
	int fd, err;

	if (!w)
		return -1;
	flags &= O_CLOEXEC | O_NONBLOCK;
	fd = REAL(openat)(AT_FDCWD, path_map(path, buf), O_RDONLY | flags);
	err = fd < 0 ? errno : files_add_fwctl(fd, w, b->function);
	if (!err)
		return fd;
	close(fd);
	fwctl_release(w);
	errno = err;
	return -1;
}

/* The function of the device; the first one, if the device belongs to no function. */
static unsigned int function_of(const char *path)
{
	int verbs = path_function(path), fwctl = path_fwctl(path);

	return verbs >= 0 ? (unsigned int)verbs : fwctl >= 0 ? (unsigned int)fwctl : BOOT_CM;
}

static int open_on(struct boot *b, const char *path, int flags)
{
	if (path_is_cm(path))
		return open_cm(b, flags);
	return path_fwctl(path) >= 0 ? open_fwctl(b, path, flags) : open_uverbs(b, flags);
}

static int open_node(const char *path, int flags)
{
	struct boot *b;
	int fd;

	if (flags & O_DIRECTORY) {
		errno = ENOTDIR;
		return -1;
	}
	pthread_testcancel();
	core_enter();
	b = boot_device(function_of(path));
	fd = b ? open_on(b, path, flags) : -1;
	core_leave();
	return fd;
}

/* All variants of open end here: on 64-bit machines O_LARGEFILE makes no difference. */
static int open_at(int dir, const char *path, int flags, mode_t mode)
{
	char buf[PATH_BUF];
	int fd;

	if (path_is_node(path))
		return open_node(path, flags);
	fd = hw_counter_open(path, flags);
	return fd >= 0 ? fd : REAL(openat)(dir, path_map(path, buf), flags, mode);
}

#define MODE_ARGUMENT(flags, mode)                                         \
	do {                                                               \
		va_list args_;                                             \
		if ((flags)&O_CREAT || ((flags)&O_TMPFILE) == O_TMPFILE) { \
			va_start(args_, flags);                            \
			(mode) = va_arg(args_, mode_t);                    \
			va_end(args_);                                     \
		}                                                          \
	} while (0)

HOOK int open(const char *path, int flags, ...)
{
	mode_t mode = 0;

	MODE_ARGUMENT(flags, mode);
	return open_at(AT_FDCWD, path, flags, mode);
}

HOOK int open64(const char *path, int flags, ...)
{
	mode_t mode = 0;

	MODE_ARGUMENT(flags, mode);
	return open_at(AT_FDCWD, path, flags, mode);
}

HOOK int openat(int dir, const char *path, int flags, ...)
{
	mode_t mode = 0;

	MODE_ARGUMENT(flags, mode);
	return open_at(dir, path, flags, mode);
}

HOOK int openat64(int dir, const char *path, int flags, ...)
{
	mode_t mode = 0;

	MODE_ARGUMENT(flags, mode);
	return open_at(dir, path, flags, mode);
}

/* The fortified forms: no mode, and a program that should have given one is ended by libc. */

HOOK int __open_2(const char *path, int flags)
{
	char buf[PATH_BUF];

	return path_is_node(path) ? open_node(path, flags)
				  : REAL(__open_2)(path_map(path, buf), flags);
}

HOOK int __open64_2(const char *path, int flags)
{
	char buf[PATH_BUF];

	return path_is_node(path) ? open_node(path, flags)
				  : REAL(__open64_2)(path_map(path, buf), flags);
}

HOOK int __openat_2(int dir, const char *path, int flags)
{
	char buf[PATH_BUF];

	return path_is_node(path) ? open_node(path, flags)
				  : REAL(__openat_2)(dir, path_map(path, buf), flags);
}

HOOK int __openat64_2(int dir, const char *path, int flags)
{
	char buf[PATH_BUF];

	return path_is_node(path) ? open_node(path, flags)
				  : REAL(__openat64_2)(dir, path_map(path, buf), flags);
}

/* A stream on a device makes no sense: its operations are ioctl, or write of whole requests. */
static bool stream_refused(const char *path)
{
	if (!path_is_node(path))
		return false;
	errno = ENXIO;
	return true;
}

/* NULL: it is not a stream of a counter. */
static FILE *open_counter(const char *path, const char *mode)
{
	int fd = *mode == 'r' && !strchr(mode, '+')
			 ? hw_counter_open(path, strchr(mode, 'e') ? O_CLOEXEC : 0)
			 : -1;
	FILE *stream = fd < 0 ? NULL : REAL(fdopen)(fd, mode);

	if (fd >= 0 && !stream)
		close(fd);
	return stream;
}

static FILE *open_stream(const char *path, const char *mode)
{
	char buf[PATH_BUF];
	FILE *counter;

	if (stream_refused(path))
		return NULL;
	counter = open_counter(path, mode);
	return counter ? counter : REAL(fopen)(path_map(path, buf), mode);
}

HOOK FILE *fopen(const char *path, const char *mode)
{
	return open_stream(path, mode);
}

HOOK FILE *fopen64(const char *path, const char *mode)
{
	return open_stream(path, mode);
}

HOOK DIR *opendir(const char *path)
{
	char buf[PATH_BUF];

	return REAL(opendir)(path_map(path, buf));
}

HOOK int scandir(const char *path, struct dirent ***list, int (*want)(const struct dirent *),
		 int (*cmp)(const struct dirent **, const struct dirent **))
{
	char buf[PATH_BUF];

	return REAL(scandir)(path_map(path, buf), list, want, cmp);
}

HOOK int scandir64(const char *path, struct dirent64 ***list,
		   int (*want)(const struct dirent64 *),
		   int (*cmp)(const struct dirent64 **, const struct dirent64 **))
{
	char buf[PATH_BUF];

	return REAL(scandir64)(path_map(path, buf), list, want, cmp);
}
