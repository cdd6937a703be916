/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hooks that look at paths without opening them. The tree holds an empty file for the
 * device node, so these need nothing but the other name.
 */
#include <limits.h>
#include <stdlib.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "preload/path.h"
#include "preload/real.h"

char *__realpath_chk(const char *path, char *out, size_t size);
ssize_t __readlink_chk(const char *path, char *out, size_t len, size_t size);

HOOK int access(const char *path, int mode)
{
	char buf[PATH_BUF];

	return REAL(access)(path_map(path, buf), mode);
}

HOOK int euidaccess(const char *path, int mode)
{
	char buf[PATH_BUF];

	return REAL(euidaccess)(path_map(path, buf), mode);
}

HOOK int eaccess(const char *path, int mode)
{
	char buf[PATH_BUF];

	return REAL(eaccess)(path_map(path, buf), mode);
}

HOOK int faccessat(int dir, const char *path, int mode, int flags)
{
	char buf[PATH_BUF];

	return REAL(faccessat)(dir, path_map(path, buf), mode, flags);
}

HOOK ssize_t readlink(const char *path, char *out, size_t len)
{
	char buf[PATH_BUF];

	return REAL(readlink)(path_map(path, buf), out, len);
}

HOOK ssize_t __readlink_chk(const char *path, char *out, size_t len, size_t size)
{
	char buf[PATH_BUF];

	return REAL(__readlink_chk)(path_map(path, buf), out, len, size);
}

HOOK ssize_t readlinkat(int dir, const char *path, char *out, size_t len)
{
	char buf[PATH_BUF];

	return REAL(readlinkat)(dir, path_map(path, buf), out, len);
}

HOOK char *realpath(const char *path, char *out)
{
	char buf[PATH_BUF];

	return REAL(realpath)(path_map(path, buf), out);
}

HOOK char *__realpath_chk(const char *path, char *out, size_t size)
{
	char buf[PATH_BUF];

	return REAL(__realpath_chk)(path_map(path, buf), out, size);
}

HOOK int chdir(const char *path)
{
	char buf[PATH_BUF];

	return REAL(chdir)(path_map(path, buf));
}

/* `ls -l` asks for access control lists and complains when the file is not there. */

HOOK ssize_t getxattr(const char *path, const char *name, void *value, size_t size)
{
	char buf[PATH_BUF];

	return REAL(getxattr)(path_map(path, buf), name, value, size);
}

HOOK ssize_t lgetxattr(const char *path, const char *name, void *value, size_t size)
{
	char buf[PATH_BUF];

	return REAL(lgetxattr)(path_map(path, buf), name, value, size);
}
