/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Building the command's environment.
 *
 * A program built with gcc's AddressSanitizer insists on libasan being first in the link
 * order and exits otherwise; interposing before it is harmless, so the check is turned off.
 * When this project itself is built with it, libasan has to go first into every program.
 */
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "launcher/env.h"
#include "launcher/sysfs.h"

#define LIBRARY "libdvkit-emu.so"

/* From the folder of dvkit-emu: where the build has it, where it is installed
 * (cmake/install.cmake). */
static const char *const places[] = {
	"../lib/" LIBRARY,
	INSTALLED_LIBRARY_DIR "/" LIBRARY,
};

char *env_find_library(void)
{
	char self[PATH_MAX], path[PATH_MAX + 64];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash, *found;

	if (n <= 0) {
		perror("dvkit-emu: /proc/self/exe");
		return NULL;
	}
	self[n] = 0;
	slash = strrchr(self, '/');
	slash[1] = 0;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		snprintf(path, sizeof(path), "%s%s", self, places[i]);
		if (access(path, R_OK))
			continue;
		found = realpath(path, NULL);
		if (found && strpbrk(found, " :")) {
			fprintf(stderr,
				"dvkit-emu: LD_PRELOAD cannot hold '%s': it has a blank or a "
				"colon\n",
				found);
			free(found);
			return NULL;
		}
		return found;
	}
	fprintf(stderr, "dvkit-emu: there is no %s" INSTALLED_LIBRARY_DIR "/" LIBRARY "\n",
		self);
	return NULL;
}

static int find_asan(struct dl_phdr_info *info, size_t size, void *name)
{
	(void)size;
	if (!strstr(info->dlpi_name, "libasan.so"))
		return 0;
	*(const char **)name = info->dlpi_name;
	return 1;
}

/* Puts @first before what is in the variable already. */
static int extend(const char *name, const char *first)
{
	const char *old = getenv(name);
	char *text;
	int err = 0;

	if (!old || !*old)
		return setenv(name, first, 1) ? errno : 0;
	if (asprintf(&text, "%s:%s", first, old) < 0)
		return ENOMEM;
	if (setenv(name, text, 1))
		err = errno;
	free(text);
	return err;
}

static int set_preload(const char *library)
{
	const char *old = getenv("LD_PRELOAD"), *asan = NULL;
	int err = 0;

	/* a launcher below a launcher: once is enough */
	if (!old || !strstr(old, library))
		err = extend("LD_PRELOAD", library);
	dl_iterate_phdr(find_asan, &asan);
	if (!err && asan)
		err = extend("LD_PRELOAD", asan);
	if (!err)
		err = extend("ASAN_OPTIONS",
			     asan ? "detect_leaks=0" : "verify_asan_link_order=0");
	return err;
}

int env_set(const struct options *o, const char *library, const char *tree)
{
	char text[8192];

	if (!options_format(o, text, sizeof(text)))
		return ENAMETOOLONG;
	if (setenv(OPTIONS_ENV, text, 1) || setenv("SYSFS_PATH", tree, 1))
		return errno;
	/* DPDK's: where it looks for PCI functions. */
	snprintf(text, sizeof(text), "%s/" SYSFS_DPDK, tree);
	if (setenv("SYSFS_PCI_DEVICES", text, 1))
		return errno;
	return set_preload(library);
}
