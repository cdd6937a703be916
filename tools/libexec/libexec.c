/* SPDX-License-Identifier: BSD-2-Clause */
/* Subcommands that are separate programs or scripts. */
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libexec.h"

static char reason[3 * PATH_MAX];

/* Returns 0, or -1 and writes the reason. */
static int find(const char *name, char *path, size_t size)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0) {
		snprintf(reason, sizeof(reason), "/proc/self/exe: %s", strerror(errno));
		return -1;
	}
	self[n] = '\0';
	setenv("DVKIT_PROGRAM", self, 1);
	snprintf(path, size, "%.*s/%s/%s", (int)(strrchr(self, '/') - self), self,
		 LIBEXEC_FOLDER, name);
	if (!access(path, X_OK))
		return 0;
	snprintf(reason, sizeof(reason),
		 "%s is not installed (%s); it is a part of dvkit-tools",
		 strrchr(path, '/') + 1, path);
	return -1;
}

const char *libexec_exec(const char *name, char **argv)
{
	char path[2 * PATH_MAX];

	if (find(name, path, sizeof(path)))
		return reason;
	fflush(stdout);
	execv(path, argv);
	/* ENOENT: the interpreter in the first line of a script. */
	if (errno == ENOENT)
		snprintf(reason, sizeof(reason), "this subcommand is a script: it needs %s",
			 "/usr/bin/python3");
	else
		snprintf(reason, sizeof(reason), "%s: %s", path, strerror(errno));
	return reason;
}

int libexec_run(const char *name, char **argv, int in)
{
	posix_spawn_file_actions_t files;
	char path[2 * PATH_MAX];
	int status = 0, failed;
	pid_t pid;

	if (find(name, path, sizeof(path)))
		return -1;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
	failed = posix_spawn(&pid, path, &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	if (failed)
		return -1;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
