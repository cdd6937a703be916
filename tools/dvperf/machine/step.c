/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stepping parent. The two processes share a page for the counts.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "step.h"

enum {
	MARK = 2, /* instructions of the second mark before its breakpoint */
	VDSO_BYTES = 0x2000,
};

bool step_off;
bool step_possible;
static struct step_count *shared;
static uint64_t last; /* the address of the instruction before */

struct step_count step_count(void)
{
	return (struct step_count){ shared->instructions - MARK, shared->calls,
				    shared->repeats };
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

/* INT3 of a mark. */
static bool is_mark(uint64_t code)
{
	return (code & 0xff) == 0xcc;
}

/* Instructions of this walk: those of a loop are read from the child once. */
#define KNOWN 4096
static struct {
	uint64_t at; /* 0: none */
	bool call, mark;
} known[KNOWN];

/* The place in known[] of the instruction at @at; -1: it cannot be read. */
static int look_at(pid_t pid, uint64_t at)
{
	int i = (int)((at ^ at >> 12) % KNOWN);
	uint64_t code;

	if (known[i].at == at)
		return i;
	errno = 0;
	code = (uint64_t)ptrace(PTRACE_PEEKTEXT, pid, at, NULL);
	if (errno)
		return -1;
	known[i].at = at;
	known[i].call = is_call(code);
	known[i].mark = is_mark(code);
	return i;
}

/* One instruction, unless it is the mark or the child stops for another reason than the step:
 * false. */
static bool step(pid_t pid, int *status)
{
	uint64_t at;
	bool mark;
	int i;

	errno = 0;
	at = (uint64_t)ptrace(PTRACE_PEEKUSER, pid, offsetof(struct user, regs.rip), NULL);
	i = errno ? -1 : look_at(pid, at);
	if (i < 0)
		return false;
	mark = known[i].mark;
	shared->repeats += at == last;
	last = at;
	shared->calls += known[i].call;
	if (ptrace(PTRACE_SINGLESTEP, pid, NULL, 0) || waitpid(pid, status, 0) != pid)
		return false;
	return !mark && WIFSTOPPED(*status) && WSTOPSIG(*status) == SIGTRAP;
}

/* The child has it at the same place. */
static bool in_vdso(uint64_t at)
{
	return at - getauxval(AT_SYSINFO_EHDR) < VDSO_BYTES;
}

static void walk(pid_t pid, int *status)
{
	memset(known, 0, sizeof(known));
	*shared = (struct step_count){ 0 };
	last = 0;
	while (step(pid, status))
		shared->instructions += !in_vdso(last);
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
