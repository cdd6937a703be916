/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The directory of the fabrics of a user, which only that user can enter.
 *
 *	root		/run/dvkit-emu: only root can make a name in /run; if it is read-only, as others
 *	others		/tmp/dvkit-emu-UID; if another user made that: /tmp/dvkit-emu-UID.XXXXXX
 *
 * It does not depend on the environment, which may differ between processes of one fabric. Any
 * user can take a known name in /tmp, but not a random one: a process whose directory is taken
 * looks for a directory with a random suffix that belongs to its user, and creates one if it
 * finds none. Two processes that do so at the same moment may each create one, and then do not
 * find each other.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/core.h"
#include "wire/fabric_dir.h"

/* Is @path a directory of the effective user that no other user can enter? */
static bool is_own(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       !(st.st_mode & 077);
}

/* 0; EEXIST: it exists and does not belong to the user; or why it could not be created. */
static int make(const char *path)
{
	int err = mkdir(path, 0700) ? errno : 0;

	if (is_own(path))
		return 0;
	return err ? err : EEXIST;
}

/* Are other users unable to rename or remove the user's files in @path? */
static bool keeps_names(const char *path)
{
	struct stat st;

	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return false;
	return (!st.st_uid || st.st_uid == geteuid()) &&
	       (st.st_mode & S_ISVTX || !(st.st_mode & 022));
}

static bool is_roots_alone(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !st.st_uid && !(st.st_mode & 022);
}

/* The first in order of names of those directories in @parent that begin with @prefix, and are
 * the user's; false: no such directory. */
static bool find_own(const char *parent, const char *prefix, char *path, size_t size)
{
	char one[FABRIC_DIR_BYTES];
	struct core_dir dir;
	const char *name;

	*path = 0;
	core_dir_open(&dir, parent);
	while ((name = core_dir_next(&dir))) {
		if (strncmp(name, prefix, strlen(prefix)) ||
		    (size_t)snprintf(one, sizeof(one), "%s/%s", parent, name) >= sizeof(one) ||
		    (*path && strcmp(one, path) >= 0) || !is_own(one))
			continue;
		snprintf(path, size, "%s", one);
	}
	core_dir_close(&dir);
	return *path;
}

static bool find_or_make(const char *parent, const char *prefix, char *path, size_t size)
{
	char made[FABRIC_DIR_BYTES];

	if (find_own(parent, prefix, path, size))
		return true;
	if ((size_t)snprintf(made, sizeof(made), "%s/%sXXXXXX", parent, prefix) >=
		    sizeof(made) ||
	    !core_dir_make(made))
		return false;
	if (!find_own(parent, prefix, path, size))
		return false;
	if (strcmp(path, made))
		rmdir(made);
	return true;
}

int fabric_dir_in(const char *parent, char *path, size_t size)
{
	char prefix[32];
	int n;

	if (!keeps_names(parent))
		return EACCES;
	n = snprintf(path, size, "%s/dvkit-emu-%u", parent, (unsigned int)geteuid());
	if (n < 0 || (size_t)n >= size)
		return ENAMETOOLONG;
	n = make(path);
	if (n != EEXIST)
		return n;
	snprintf(prefix, sizeof(prefix), "dvkit-emu-%u.", (unsigned int)geteuid());
	return find_or_make(parent, prefix, path, size) ? 0 : EACCES;
}

int fabric_dir(char *path, size_t size)
{
	if (!geteuid() && is_roots_alone("/run")) {
		snprintf(path, size, "/run/dvkit-emu");
		if (!make(path) && !access(path, W_OK))
			return 0;
	}
	return fabric_dir_in("/tmp", path, size);
}
