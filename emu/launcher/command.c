/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Running the command, below two processes: one ends with it, the other after all that it
 * started.
 *
 *	dvkit-emu  ->  supervisor: tree, interfaces  ->  command  ->  what it starts
 *
 *	kill dvkit-emu  ->  the same signal for the supervisor, which sends it to the command
 *	Ctrl-C          ->  the terminal signals all; not passed on twice
 *	command ends    ->  its status is that of dvkit-emu
 *	daemons left    ->  the supervisor, which adopts them (PR_SET_CHILD_SUBREAPER), ends after the last one
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
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/core.h"
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
	for (dir = dir ? dir : "/bin:/usr/bin"; dir; dir = *end ? end + 1 : NULL) {
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

static int status_of(int how)
{
	return WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
}

/* True: the child has ended, its status in *status. Others were adopted; a stopped child is
 * only noted. */
static bool reap(pid_t child, int *status)
{
	bool ended = false;
	pid_t pid;
	int how;

	while ((pid = waitpid(-1, &how, WNOHANG)) > 0) {
		if (pid != child)
			continue;
		*status = status_of(how);
		ended = true;
	}
	return ended;
}

/* Signals are for sigwaitinfo() from the first call on; in the command they are as they
 * were. */
static const sigset_t *block_signals(sigset_t *mine)
{
	static sigset_t before;
	static bool blocked;

	sigemptyset(mine);
	sigaddset(mine, SIGCHLD);
	for (size_t i = 0; i < ARRAY_SIZE(passed_on); i++)
		sigaddset(mine, passed_on[i]);
	if (!blocked) {
		signal(SIGCHLD, SIG_DFL); /* an inherited "ignore" would hide the exit status */
		sigprocmask(SIG_BLOCK, mine, &before);
		blocked = true;
	}
	return &before;
}

/* Reads the exit status of the command, as the supervisor sends it; false: it sent none. */
static bool said(int from, int *status)
{
	return from >= 0 && read(from, status, sizeof(*status)) == sizeof(*status);
}

/* Until the child has ended, or the supervisor said the status; signals are passed on. */
static int wait_for(pid_t child, const sigset_t *mine, int from)
{
	int status = COMMAND_FAILED;
	siginfo_t info;

	while (!said(from, &status) && !reap(child, &status)) {
		int sig = sigwaitinfo(mine, &info);

		if (sig > 0 && sig != SIGCHLD && info.si_code != SI_KERNEL)
			kill(child, sig);
	}
	return status;
}

int command_run(char *const argv[], bool check)
{
	sigset_t mine;
	const sigset_t *before = block_signals(&mine);
	pid_t child = fork();
	int status;

	if (!child) {
		sigprocmask(SIG_SETMASK, before, NULL);
		become(argv);
	}
	if (child < 0) {
		perror("dvkit-emu: fork");
		return COMMAND_FAILED;
	}
	status = wait_for(child, &mine, -1);
	if (check && status == 128 + SIGKILL)
		fprintf(stderr, "dvkit-emu: check: no summary: the command was killed\n");
	return status;
}

static pid_t launcher;
static int to_launcher = -1;

int command_keep(int (*work)(void *), void *arg)
{
	sigset_t mine;
	int ends[2];
	pid_t supervisor;

	block_signals(&mine);
	launcher = getpid();
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) || (supervisor = fork()) < 0) {
		perror("dvkit-emu: supervisor");
		return COMMAND_FAILED;
	}
	if (!supervisor) {
		close(ends[0]);
		to_launcher = ends[1];
		prctl(PR_SET_CHILD_SUBREAPER, 1);
		exit(work(arg));
	}
	close(ends[1]);
	return wait_for(supervisor, &mine, ends[0]);
}

/* No one is to wait for a stream, or a file system, that only the supervisor has still. */
static void detach(void)
{
	int null = open("/dev/null", O_RDWR);

	for (int fd = 0; null >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	if (chdir("/"))
		return; /* then that one is in use */
}

void command_wait_for_daemons(int status)
{
	pid_t pid;

	do
		pid = waitpid(-1, NULL, WNOHANG);
	while (pid > 0);
	if (pid || to_launcher < 0)
		return; /* there are none */
	detach();
	if (write(to_launcher, &status, sizeof(status)) == sizeof(status) &&
	    getppid() == launcher)
		kill(launcher, SIGCHLD);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
}
