/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs that are a part of dvperf, as those of git are: in ../libexec/dvkit seen from the
 * folder of dvperf, in the build as where it is installed.
 */
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base.h"

/* Owned by the caller; NULL: it is not installed. */
static char *path_of(const char *name)
{
	char self[PATH_MAX], *path;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0)
		base_fail("/proc/self/exe: %m");
	self[n] = 0;
	*strrchr(self, '/') = 0;
	if (asprintf(&path, "%s/" DVPERF_HELPERS "/%s", self, name) < 0)
		base_fail("%m");
	if (!access(path, X_OK))
		return path;
	free(path);
	return NULL;
}

void helper_exec(const char *name, char **argv)
{
	char *path = path_of(name);

	if (!path)
		return;
	fflush(stdout);
	execv(path, argv);
	if (errno == ENOENT) /* of a script it is the interpreter */
		base_refuse(
			"%s needs /usr/bin/python3: apt-get install python3-matplotlib python3-scipy",
			name);
	base_refuse("%s: %m", path);
}

int helper_run(const char *name, char **argv, int in)
{
	posix_spawn_file_actions_t files;
	char *path = path_of(name);
	int status = 0, failed;
	pid_t pid;

	if (!path)
		return -1;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
	failed = posix_spawn(&pid, path, &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	free(path);
	if (failed)
		return -1;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : DVPERF_FAILED;
}
