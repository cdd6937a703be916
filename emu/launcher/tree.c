/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Small files, links and the directories above them, relative to one root descriptor.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/core.h"
#include "launcher/tree.h"

/* @path with the number of the function for each #. */
static const char *named(const struct tree *t, const char *path, char buf[PATH_MAX])
{
	size_t i;

	for (i = 0; path[i] && i < PATH_MAX - 1; i++)
		buf[i] = path[i] == '#' ? (char)('0' + t->function) : path[i];
	buf[i] = 0;
	return buf;
}

static void parents(struct tree *t, const char *path)
{
	char dir[PATH_MAX];

	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path), path);
		if (mkdirat(t->root, dir, 0755) && errno != EEXIST)
			t->err = errno;
	}
}

void tree_bytes(struct tree *t, const char *name, const void *data, size_t len)
{
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
	char buf[PATH_MAX];
	const char *path = named(t, name, buf);
	int fd = openat(t->root, path, flags, 0644);

	if (fd < 0 && errno == ENOENT) {
		parents(t, path);
		fd = openat(t->root, path, flags, 0644);
	}
	if (fd < 0) {
		t->err = errno;
		return;
	}
	errno = ENOSPC;
	if (write(fd, data, len) != (ssize_t)len)
		t->err = errno;
	close(fd);
}

void tree_file(struct tree *t, const char *path, const char *fmt, ...)
{
	char text[1024];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (len < 0 || len >= (int)sizeof(text))
		t->err = EOVERFLOW;
	else
		tree_bytes(t, path, text, len);
}

void tree_link(struct tree *t, const char *name, const char *target)
{
	char path[PATH_MAX], to[PATH_MAX];

	named(t, name, path);
	named(t, target, to);
	if (!symlinkat(to, t->root, path))
		return;
	parents(t, path);
	if (symlinkat(to, t->root, path))
		t->err = errno;
}

bool tree_same(struct tree *t, const char *name, const char *as)
{
	char path[PATH_MAX], of[PATH_MAX];

	named(t, name, path);
	named(t, as, of);
	return !linkat(t->root, of, t->root, path, 0);
}

/* By the instruction, since the launcher may itself run on an adapter. */
void tree_others(struct tree *t, const char *name, const char *of)
{
	int fd =
		(int)core_syscall(SYS_openat, AT_FDCWD, of, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *all = fd < 0 ? NULL : fdopendir(fd);
	char path[PATH_MAX], target[PATH_MAX];
	struct dirent *e;

	if (fd >= 0 && !all)
		close(fd);
	while (all && (e = readdir(all))) {
		if (*e->d_name == '.')
			continue;
		snprintf(target, sizeof(target), "%s/%s/infiniband", of, e->d_name);
		if (!core_syscall(SYS_faccessat, AT_FDCWD, target, F_OK))
			continue;
		snprintf(path, sizeof(path), "%s/%s", name, e->d_name);
		snprintf(target, sizeof(target), "%s/%s", of, e->d_name);
		if (symlinkat(target, t->root, path) && errno != EEXIST)
			t->err = errno;
	}
	if (all)
		closedir(all);
}

static void empty(int dir, dev_t on);

/* Entry @e of @dir, with what is below it. */
static void remove_entry(int dir, const struct dirent *e, dev_t on)
{
	if (e->d_type != DT_DIR && !unlinkat(dir, e->d_name, 0))
		return;
	empty(openat(dir, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), on);
	unlinkat(dir, e->d_name, AT_REMOVEDIR);
}

/* Takes the descriptor. @on: the file system. */
static void empty(int dir, dev_t on)
{
	DIR *all = fdopendir(dir);
	struct dirent *e;
	struct stat st;
	bool same;

	if (!all) {
		close(dir);
		return;
	}
	same = !fstat(dir, &st) && st.st_dev == on;
	while (same && (e = readdir(all)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			remove_entry(dir, e, on);
	closedir(all);
}

void tree_remove(const char *path)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (dir < 0)
		return;
	if (fstat(dir, &st))
		close(dir);
	else
		empty(dir, st.st_dev);
	rmdir(path);
}
