/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hooks of the stat family. A device node, by path or by descriptor, shows itself as the
 * character device that it emulates, uverbs0 as 231:192: libibverbs compares that with the
 * node's "dev" file and waits five seconds when they differ (rdma-core, util/open_cdev.c).
 *
 * struct stat and struct stat64 are the same on 64-bit machines. The __xstat names are what
 * programs built before glibc 2.33 call.
 */
#include <assert.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "options/options.h"
#include "preload/files.h"
#include "preload/path.h"
#include "preload/real.h"

static_assert(sizeof(struct stat) == sizeof(struct stat64), "a 64-bit machine");

int __xstat(int ver, const char *path, struct stat *st);
int __xstat64(int ver, const char *path, struct stat64 *st);
int __lxstat(int ver, const char *path, struct stat *st);
int __lxstat64(int ver, const char *path, struct stat64 *st);
int __fxstat(int ver, int fd, struct stat *st);
int __fxstat64(int ver, int fd, struct stat64 *st);
int __fxstatat(int ver, int dir, const char *path, struct stat *st, int flags);
int __fxstatat64(int ver, int dir, const char *path, struct stat64 *st, int flags);

static bool is_node(int dir, const char *path, int flags)
{
	if (flags & AT_EMPTY_PATH && (!path || !*path))
		return files_has(dir);
	return path_is_node(path);
}

/* The number of the device that is_node(). */
static dev_t number(int dir, const char *path, int flags)
{
	bool by_fd = flags & AT_EMPTY_PATH && (!path || !*path);

	if (by_fd ? files_has_cm(dir) : path_is_cm(path))
		return makedev(OPTIONS_CM_MAJOR, OPTIONS_CM_MINOR);
	if (by_fd ? files_has_fwctl(dir) : path_fwctl(path) >= 0)
		return makedev(OPTIONS_FWCTL_MAJOR,
			       by_fd ? files_function(dir) : (unsigned int)path_fwctl(path));
	return makedev(OPTIONS_UVERBS_MAJOR,
		       OPTIONS_UVERBS_MINOR + (by_fd ? files_function(dir)
						     : (unsigned int)path_function(path)));
}

static int stat_at(int dir, const char *path, struct stat *st, int flags)
{
	char buf[PATH_BUF];
	bool node = is_node(dir, path, flags);
	int ret = REAL(fstatat)(dir, path_map(path, buf), st, flags);

	if (!ret && node) {
		st->st_mode = S_IFCHR | 0666;
		st->st_rdev = number(dir, path, flags);
		st->st_size = 0;
		st->st_blocks = 0;
	}
	return ret;
}

static int stat_fd(int fd, struct stat *st)
{
	return files_has(fd) ? stat_at(fd, "", st, AT_EMPTY_PATH) : REAL(fstat)(fd, st);
}

HOOK int stat(const char *path, struct stat *st)
{
	return stat_at(AT_FDCWD, path, st, 0);
}

HOOK int stat64(const char *path, struct stat64 *st)
{
	return stat_at(AT_FDCWD, path, (struct stat *)st, 0);
}

HOOK int lstat(const char *path, struct stat *st)
{
	return stat_at(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

HOOK int lstat64(const char *path, struct stat64 *st)
{
	return stat_at(AT_FDCWD, path, (struct stat *)st, AT_SYMLINK_NOFOLLOW);
}

HOOK int fstat(int fd, struct stat *st)
{
	return stat_fd(fd, st);
}

HOOK int fstat64(int fd, struct stat64 *st)
{
	return stat_fd(fd, (struct stat *)st);
}

HOOK int fstatat(int dir, const char *path, struct stat *st, int flags)
{
	return stat_at(dir, path, st, flags);
}

HOOK int fstatat64(int dir, const char *path, struct stat64 *st, int flags)
{
	return stat_at(dir, path, (struct stat *)st, flags);
}

HOOK int __xstat(int ver, const char *path, struct stat *st)
{
	(void)ver;
	return stat_at(AT_FDCWD, path, st, 0);
}

HOOK int __xstat64(int ver, const char *path, struct stat64 *st)
{
	(void)ver;
	return stat_at(AT_FDCWD, path, (struct stat *)st, 0);
}

HOOK int __lxstat(int ver, const char *path, struct stat *st)
{
	(void)ver;
	return stat_at(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

HOOK int __lxstat64(int ver, const char *path, struct stat64 *st)
{
	(void)ver;
	return stat_at(AT_FDCWD, path, (struct stat *)st, AT_SYMLINK_NOFOLLOW);
}

HOOK int __fxstat(int ver, int fd, struct stat *st)
{
	(void)ver;
	return stat_fd(fd, st);
}

HOOK int __fxstat64(int ver, int fd, struct stat64 *st)
{
	(void)ver;
	return stat_fd(fd, (struct stat *)st);
}

HOOK int __fxstatat(int ver, int dir, const char *path, struct stat *st, int flags)
{
	(void)ver;
	return stat_at(dir, path, st, flags);
}

HOOK int __fxstatat64(int ver, int dir, const char *path, struct stat64 *st, int flags)
{
	(void)ver;
	return stat_at(dir, path, (struct stat *)st, flags);
}

HOOK int statx(int dir, const char *path, int flags, unsigned int mask, struct statx *stx)
{
	char buf[PATH_BUF];
	bool node = is_node(dir, path, flags);
	int ret = REAL(statx)(dir, path_map(path, buf), flags, mask, stx);

	if (!ret && node) {
		dev_t rdev = number(dir, path, flags);

		stx->stx_mode = S_IFCHR | 0666;
		stx->stx_rdev_major = major(rdev);
		stx->stx_rdev_minor = minor(rdev);
		stx->stx_size = 0;
		stx->stx_blocks = 0;
	}
	return ret;
}
