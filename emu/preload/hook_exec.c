/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hooks that start a program: environment_check() looks at what it gets. They run in children
 * of vfork(2) and of fork(2), in which no lock may be taken: so libc's functions are looked up
 * at the start.
 */
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "preload/environment.h"
#include "preload/real.h"

extern char **environ;

#define STARTED(name)                                              \
	static __typeof__(&name) real_##name;                      \
	__attribute__((constructor)) static void find_##name(void) \
	{                                                          \
		real_##name = REAL(name);                          \
	}                                                          \
	static __typeof__(&name) libcs_##name(void)                \
	{                                                          \
		return real_##name ? real_##name : REAL(name);     \
	}

STARTED(execve)
STARTED(execv)
STARTED(execvp)
STARTED(execvpe)
STARTED(fexecve)
STARTED(posix_spawn)
STARTED(posix_spawnp)
STARTED(system)
STARTED(popen)

HOOK int execve(const char *path, char *const argv[], char *const envp[])
{
	environment_check(path, envp);
	return libcs_execve()(path, argv, envp);
}

HOOK int execv(const char *path, char *const argv[])
{
	environment_check(path, environ);
	return libcs_execv()(path, argv);
}

HOOK int execvp(const char *file, char *const argv[])
{
	environment_check(file, environ);
	return libcs_execvp()(file, argv);
}

HOOK int execvpe(const char *file, char *const argv[], char *const envp[])
{
	environment_check(file, envp);
	return libcs_execvpe()(file, argv, envp);
}

HOOK int fexecve(int fd, char *const argv[], char *const envp[])
{
	environment_check(argv[0] ? argv[0] : "", envp);
	return libcs_fexecve()(fd, argv, envp);
}

static size_t count(va_list args)
{
	size_t n = 1;

	while (va_arg(args, char *))
		n++;
	return n;
}

/* Array argv of the arguments from @first to NULL; @args then is at what follows it. */
#define GATHER(first, args)                 \
	va_start(args, first);              \
	size_t n_ = count(args);            \
	char *argv[n_ + 1];                 \
	va_end(args);                       \
	va_start(args, first);              \
	argv[0] = (char *)(first);          \
	for (size_t i_ = 1; i_ <= n_; i_++) \
	argv[i_] = va_arg(args, char *)

HOOK int execl(const char *path, const char *arg, ...)
{
	va_list args;

	GATHER(arg, args);
	va_end(args);
	return execv(path, argv);
}

HOOK int execlp(const char *file, const char *arg, ...)
{
	va_list args;

	GATHER(arg, args);
	va_end(args);
	return execvp(file, argv);
}

HOOK int execle(const char *path, const char *arg, ...)
{
	va_list args;
	char **envp;

	GATHER(arg, args);
	envp = va_arg(args, char **);
	va_end(args);
	return execve(path, argv, envp);
}

HOOK int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		     const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	environment_check(path, envp);
	return libcs_posix_spawn()(pid, path, actions, attr, argv, envp);
}

HOOK int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
		      const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	environment_check(file, envp);
	return libcs_posix_spawnp()(pid, file, actions, attr, argv, envp);
}

HOOK int system(const char *command)
{
	environment_check("sh", environ);
	return libcs_system()(command);
}

HOOK FILE *popen(const char *command, const char *mode)
{
	environment_check("sh", environ);
	return libcs_popen()(command, mode);
}
