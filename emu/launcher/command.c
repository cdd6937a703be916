/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Running the command.
 *
 *	kill dvkit-emu  ->  the same signal for the command
 *	Ctrl-C          ->  the terminal signals both; not passed on twice
 *	command ends    ->  its status is ours
 *
 * The launcher takes its signals from sigwaitinfo(), one at a time, and installs no handler:
 * ignored signals (nohup) stay ignored, in the command too.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launcher/command.h"

static const int passed_on[] = { SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
				 SIGUSR1, SIGUSR2, SIGALRM, SIGCONT };

/* A file of that name the way execvp() looks for it; -1: none. */
static int open_command(const char *name)
{
	const char *dir = getenv("PATH"), *end;
	char path[PATH_MAX];
	int fd;

	if (strchr(name, '/'))
		return open(name, O_RDONLY | O_CLOEXEC);
	for (dir = dir ? dir : "/bin:/usr/bin"; *dir; dir = *end ? end + 1 : end) {
		end = strchrnul(dir, ':');
		snprintf(path, sizeof(path), "%.*s%s%s", (int)(end - dir), dir,
			 end > dir ? "/" : "", name);
		if (access(path, X_OK))
			continue;
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			return fd;
	}
	return -1;
}

/* An executable without an interpreter segment is never seen by the dynamic linker. */
static bool is_static(int fd)
{
	Elf64_Ehdr head;
	Elf64_Phdr seg;

	if (pread(fd, &head, sizeof(head), 0) != sizeof(head) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_ident[EI_CLASS] != ELFCLASS64)
		return false;
	for (int i = 0; i < head.e_phnum; i++) {
		if (pread(fd, &seg, sizeof(seg), head.e_phoff + i * sizeof(seg)) != sizeof(seg))
			return false;
		if (seg.p_type == PT_INTERP)
			return false;
	}
	return true;
}

const char *command_obstacle(const char *name)
{
	const char *why = NULL;
	struct stat st;
	int fd = open_command(name);

	if (fd < 0)
		return NULL;
	if (is_static(fd))
		why = "it is statically linked";
	else if (!fstat(fd, &st) && ((st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
				     (st.st_mode & S_ISGID && st.st_gid != getegid())))
		why = "it is set-user-ID or set-group-ID"; /* ld.so(8): secure execution */
	close(fd);
	return why;
}

static void become(char *const argv[])
{
	execvp(argv[0], argv);
	fprintf(stderr, "dvkit-emu: %s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? COMMAND_NOT_FOUND : COMMAND_NOT_EXECUTABLE);
}

/* True: the child has ended, its status in *status. A stopped child is only noted. */
static bool reap(pid_t child, int *status)
{
	int how;

	if (waitpid(child, &how, WNOHANG) != child)
		return false;
	*status = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
	return true;
}

int command_run(char *const argv[], bool check)
{
	sigset_t mine, saved;
	siginfo_t info;
	pid_t child;
	int status = COMMAND_FAILED;

	signal(SIGCHLD, SIG_DFL); /* an inherited "ignore" would hide the exit status */
	sigemptyset(&mine);
	sigaddset(&mine, SIGCHLD);
	for (size_t i = 0; i < sizeof(passed_on) / sizeof(passed_on[0]); i++)
		sigaddset(&mine, passed_on[i]);
	sigprocmask(SIG_BLOCK, &mine, &saved);
	child = fork();
	if (!child) {
		sigprocmask(SIG_SETMASK, &saved, NULL);
		become(argv);
	}
	if (child < 0) {
		perror("dvkit-emu: fork");
		return COMMAND_FAILED;
	}
	while (!reap(child, &status)) {
		int sig = sigwaitinfo(&mine, &info);

		if (sig > 0 && sig != SIGCHLD && info.si_code != SI_KERNEL)
			kill(child, sig);
	}
	if (check && status == 128 + SIGKILL)
		fprintf(stderr, "dvkit-emu: check: no summary: the command was killed\n");
	return status;
}
