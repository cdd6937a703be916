/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The environment as it was at the start of the program.
 *
 *	LD_PRELOAD	has this library
 *	SYSFS_PATH	the tree
 *	DVKIT_EMU	the options
 *	DVKIT_EMU_FRAMES  of the user, for tests: wire_send_frames()
 *
 * The tree has an empty file for each name that was spoken of, so that a script which starts a
 * program a thousand times gets one line.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options/options.h"
#include "preload/boot.h"
#include "preload/environment.h"

#define LIBRARY	 "libdvkit-emu.so"
#define LAUNCHER "dvkit-emu"

static char tree[PATH_MAX], options[8192], frames[2];

static void copy(char *to, size_t size, const char *name)
{
	const char *value = getenv(name);

	if (value && !*to)
		snprintf(to, size, "%s", value);
}

/* Some constructors of the program run earlier. */
__attribute__((constructor)) static void start(void)
{
	copy(tree, sizeof(tree), "SYSFS_PATH");
	copy(options, sizeof(options), OPTIONS_ENV);
	copy(frames, sizeof(frames), "DVKIT_EMU_FRAMES");
}

const char *environment_tree(void)
{
	if (!*tree)
		start();
	return *tree ? tree : NULL;
}

const char *environment_options(void)
{
	if (!*options)
		start();
	return *options ? options : NULL;
}

bool environment_frames(void)
{
	if (!*options)
		start();
	return *frames;
}

/* The value of @name; empty: it has none. */
static const char *value_in(char *const envp[], const char *name)
{
	size_t len = strlen(name);

	for (; envp && *envp; envp++)
		if (!strncmp(*envp, name, len) && (*envp)[len] == '=')
			return *envp + len + 1;
	return "";
}

static bool sees(char *const envp[])
{
	return strstr(value_in(envp, "LD_PRELOAD"), LIBRARY) && *value_in(envp, "SYSFS_PATH") &&
	       *value_in(envp, OPTIONS_ENV);
}

static bool is_said(const char *base)
{
	char path[PATH_MAX + NAME_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/without.%.200s", tree, base);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno == EEXIST;
	close(fd);
	return false;
}

void environment_check(const char *name, char *const envp[])
{
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
	int saved = errno;

	if (!environment_tree() || sees(envp) || !strcmp(base, LAUNCHER))
		return;
	if (!is_said(base))
		boot_complain(
			"%s will not see the adapter: its environment lacks %s in LD_PRELOAD, or SYSFS_PATH or "
			"DVKIT_EMU: keep them, or start it as dvkit-emu -- %s",
			name, LIBRARY, base);
	errno = saved;
}

void environment_check_tree(const char *path)
{
	static atomic_bool said;
	size_t len = strlen(tree);
	int saved = errno;

	if (!len || strncmp(path, tree, len) || (path[len] && path[len] != '/') ||
	    !access(tree, F_OK) || atomic_exchange(&said, true)) {
		errno = saved;
		return;
	}
	boot_complain(
		"there is no adapter: its files, %s, cannot be reached: %s: they were removed, or are not in this "
		"root (chroot) or mount namespace: open the device before, or mount them there",
		tree, strerror(errno));
	errno = saved;
}
