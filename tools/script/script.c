/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Subcommands that are scripts: found from the path of the program, so that the tree may be
 * moved.
 *
 *	…/bin/dvfw	…/libexec/dvkit/explain/dvfw-explain	installed, and in a build
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "script.h"

void script_run(const char *program, const char *name, char **argv)
{
	char self[PATH_MAX], path[2 * PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *end;

	if (n < 0) {
		fprintf(stderr, "%s: /proc/self/exe: %s\n", program, strerror(errno));
		return;
	}
	self[n] = '\0';
	end = strrchr(self, '/');
	snprintf(path, sizeof(path), "%.*s/%s/%s", (int)(end - self), self, SCRIPT_FOLDER,
		 name);
	setenv("DVKIT_PROGRAM", self, 1);
	fflush(stdout);
	execv(path, argv);
	/* The kernel says so of the interpreter in the script's first line, too. */
	if (errno == ENOENT && !access(path, F_OK))
		fprintf(stderr, "%s: this subcommand is a script: it needs /usr/bin/python3\n",
			program);
	else
		fprintf(stderr, "%s: %s: %s\n", program, path, strerror(errno));
}
