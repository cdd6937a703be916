/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stepping parent. The two processes share a page for the counts.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "step.h"

enum {
	MARK = 2, /* instructions of the second mark before its breakpoint */
};

bool step_off;
bool step_possible;
static struct step_count *shared;

struct step_count step_count(void)
{
	return (struct step_count){ shared->instructions - MARK, shared->calls };
}

#if defined(__x86_64__)
/* Intel SDM, volume 2: CALL is E8 (near, relative) or FF /2 (near, indirect), either perhaps
 * after a REX prefix. */
static bool is_call(uint64_t code)
{
	if ((code & 0xf0) == 0x40)
		code >>= 8;
	return (code & 0xff) == 0xe8 || ((code & 0xff) == 0xff && (code >> 8 & 0x38) == 0x10);
}

/* A breakpoint reports SI_KERNEL, a single step TRAP_TRACE. */
static bool at_mark(pid_t pid)
{
	siginfo_t info;

	return !ptrace(PTRACE_GETSIGINFO, pid, NULL, &info) && info.si_code == SI_KERNEL;
}

/* One instruction; false: the child stopped for another reason than the step. */
static bool step(pid_t pid, int *status)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &regs))
		return false;
	errno = 0;
	shared->calls += is_call((uint64_t)ptrace(PTRACE_PEEKTEXT, pid, regs.rip, NULL));
	if (errno || ptrace(PTRACE_SINGLESTEP, pid, NULL, 0) || waitpid(pid, status, 0) != pid)
		return false;
	return WIFSTOPPED(*status) && WSTOPSIG(*status) == SIGTRAP;
}

static void walk(pid_t pid, int *status)
{
	*shared = (struct step_count){ 0 };
	while (step(pid, status) && !at_mark(pid))
		shared->instructions++;
}

static int follow(pid_t pid)
{
	int status, sig = 0;

	if (waitpid(pid, &status, 0) != pid)
		return 1;
	while (!ptrace(PTRACE_CONT, pid, NULL, sig) && waitpid(pid, &status, 0) == pid &&
	       WIFSTOPPED(status)) {
		sig = WSTOPSIG(status);
		if (sig != SIGTRAP)
			continue;
		walk(pid, &status);
		sig = WIFSTOPPED(status) && WSTOPSIG(status) != SIGTRAP ? WSTOPSIG(status) : 0;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

#else
static int follow(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
#endif

/* In the child: asks to be walked, if that is possible. */
static void be_walked(void)
{
#if defined(__x86_64__)
	step_possible = !ptrace(PTRACE_TRACEME, 0, NULL, NULL);
#endif
	step_off = !step_possible;
	if (step_possible)
		raise(SIGSTOP);
}

int step_run(int (*child)(void))
{
	pid_t pid;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED)
		return 1;
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return 1;
	if (pid) {
		signal(SIGINT, SIG_IGN);
		return follow(pid);
	}
	be_walked();
	exit(child());
}
