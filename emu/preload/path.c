/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Redirection of paths. Called from every path hook, so the answer "not ours" comes after a
 * few compared bytes, without allocation and without touching errno.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "options/options.h"
#include "core/core.h"
#include "preload/environment.h"
#include "preload/path.h"

/* Where @path goes on after @prefix, a run of slashes counting as one; NULL: it does not
 * start that way. */
static const char *after(const char *path, const char *prefix)
{
	for (; *prefix; prefix++, path++) {
		if (*path != *prefix)
			return NULL;
		while (*path == '/' && path[1] == '/')
			path++;
	}
	return path;
}

/* Those whose last name ends where @path goes on: it is returned, and *dir is the name in the
 * tree. */
static const char *whole_names(const char *path, const char **dir)
{
	static const char *const names[][2] = {
		{ "/dev/infiniband", "dev/infiniband" },
		{ "/sys/class/misc/rdma_cm", "class/misc/rdma_cm" },
		{ "/sys/bus/pci", "bus/pci" },
		{ "/dev/fwctl", "dev/fwctl" },
		{ "/sys/class/fwctl", "class/fwctl" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *rest = after(path, names[i][0]);

		*dir = names[i][1];
		if (rest && (!*rest || *rest == '/'))
			return rest;
	}
	return NULL;
}

const char *path_map(const char *path, char buf[PATH_BUF])
{
	const char *rest, *dir = "class/infiniband", *root;
	int n;

	if (!path || *path != '/')
		return path;
	rest = after(path, "/sys/class/infiniband");
	if (!rest) {
		rest = whole_names(path, &dir);
		if (!rest) {
			environment_check_tree(path);
			return path;
		}
	}
	root = environment_tree();
	if (!root)
		return path;
	n = snprintf(buf, PATH_BUF, "%s/%s%s", root, dir, rest);
	if (n >= PATH_BUF)
		return path;
	environment_check_tree(buf);
	return buf;
}

static bool is(const char *path, const char *node)
{
	const char *rest;

	if (!path || *path != '/')
		return false;
	rest = after(path, node);
	return rest && !*rest;
}

bool path_is_cm(const char *path)
{
	return is(path, OPTIONS_CM);
}

/* Without a hook on the way, and without errno. */
static bool is_in_tree(const char *path)
{
	char buf[PATH_BUF];
	int saved = errno;
	bool there = !core_syscall(SYS_faccessat, AT_FDCWD, path_map(path, buf), F_OK);

	errno = saved;
	return there;
}

/* The number after @prefix. */
static int number(const char *path, const char *prefix)
{
	const char *rest = path && *path == '/' ? after(path, prefix) : NULL;

	if (!rest || *rest < '0' || *rest >= '0' + OPTIONS_FUNCTIONS || rest[1])
		return -1;
	/* The first one always exists. */
	return *rest == '0' || is_in_tree(path) ? *rest - '0' : -1;
}

int path_function(const char *path)
{
	return number(path, OPTIONS_UVERBS);
}

int path_fwctl(const char *path)
{
	return number(path, OPTIONS_FWCTL);
}

bool path_is_node(const char *path)
{
	return path_function(path) >= 0 || path_is_cm(path) || path_fwctl(path) >= 0;
}
