/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --check and --stats, where a signal ends the process: which actions are the emulator's, what
 * the program sees of them, and the one report. The report is on a pipe.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/ending.h"
#include "preload/signals.h"
#include "child.h"
#include "running.h"

/* signal(7): their default is to end the process. */
static const int fatal[] = { SIGHUP,	SIGINT,	 SIGQUIT,   SIGILL,  SIGABRT, SIGFPE,  SIGUSR1,
			     SIGUSR2,	SIGPIPE, SIGALRM,   SIGTERM, SIGXCPU, SIGXFSZ, SIGPROF,
			     SIGVTALRM, SIGIO,	 SIGSTKFLT, SIGPWR,  SIGSYS };
static int report[2];

static void handle(int sig)
{
	dprintf(report[1], "handled %d;", sig);
}

#define BY(slot, sig) "dvkit-emu: [" #slot "] check: 0 findings, ended by signal " #sig "\n"
static struct boot functions[2];

static void begin(void)
{
	cr_assert_eq(pipe2(report, O_CLOEXEC), 0);
	for (unsigned int i = 0; i < 2; i++) {
		functions[i].function = i;
		functions[i].hca.slot = 3 + i;
		functions[i].log_fd = report[1];
		functions[i].options.check = true;
		running[i] = &functions[i];
	}
	for (size_t i = 0; i < ARRAY_SIZE(fatal); i++)
		signal(fatal[i], SIG_DFL);
	signal(SIGTRAP, SIG_DFL);
}

TestSuite(ending, .init = begin);

static void expect_report(const char *want)
{
	char got[200] = "";

	close(report[1]);
	cr_assert_geq(read(report[0], got, sizeof(got) - 1), 0);
	cr_expect_str_eq(got, want);
}

static struct sigaction kernels(int sig)
{
	struct sigaction a = { 0 };

	cr_assert_eq(sigaction(sig, NULL, &a), 0);
	return a;
}

Test(ending, has_default_actions_only)
{
	signal(SIGHUP, SIG_IGN);
	signal(SIGUSR1, handle);
	cr_expect_not(ending_has(SIGTERM));
	cr_expect_not(ending_has_thread());
	signals_start();
	cr_assert(signals_start_traps());
	ending_start(&functions[0]);
	cr_expect(ending_has_thread());
	for (size_t i = 0; i < ARRAY_SIZE(fatal); i++) {
		struct sigaction a = kernels(fatal[i]);

		cr_expect(ending_has(fatal[i]), "%d", fatal[i]);
		if (fatal[i] == SIGHUP)
			cr_expect_eq(a.sa_handler, SIG_IGN);
		else if (fatal[i] == SIGUSR1)
			cr_expect_eq(a.sa_handler, handle);
		else
			cr_expect(a.sa_handler != SIG_DFL && a.sa_handler != SIG_IGN &&
					  a.sa_flags & SA_ONSTACK && sigismember(&a.sa_mask, 1),
				  "%d", fatal[i]);
	}
	cr_expect(signals_are_ours(SIGTRAP), "it is kept elsewhere");
	/* A stack that overflows is reported from another; a finding needs space. */
	cr_expect_eq(kernels(SIGSEGV).sa_flags & (SA_ONSTACK | SA_NODEFER),
		     SA_ONSTACK | SA_NODEFER);
	cr_expect_eq(kernels(SIGTRAP).sa_flags & (SA_ONSTACK | SA_NODEFER), SA_NODEFER);
	cr_expect_not(ending_has(SIGCHLD));
	cr_expect_not(ending_has(SIGSEGV));
	ending_stop();
	cr_expect_not(ending_has(SIGTERM));
	cr_expect_not(ending_has_thread());
}

/* The program's own action, with its flags, and "default" again. */
Test(ending, action_is_the_programs)
{
	struct sigaction mine = { .sa_handler = handle, .sa_flags = SA_RESETHAND }, old,
			 dfl = { .sa_handler = SIG_DFL, .sa_flags = SA_NODEFER };
	sigset_t now;

	sigaction(SIGALRM, &dfl, NULL);
	ending_start(&functions[0]);
	cr_expect_eq(ending_action(SIGALRM, NULL, &old), 0);
	cr_expect_eq(old.sa_flags & SA_NODEFER, SA_NODEFER, "as it was");
	cr_expect_eq(ending_action(SIGTERM, NULL, &old), 0);
	cr_expect_eq(old.sa_handler, SIG_DFL);
	cr_expect_eq(ending_action(SIGTERM, &mine, NULL), 0);
	cr_expect_eq(kernels(SIGTERM).sa_handler, handle);
	cr_expect_eq(ending_action(SIGTERM, &dfl, &old), 0);
	cr_expect_eq(old.sa_handler, handle);
	cr_expect_eq(old.sa_flags & (SA_NODEFER | (int)SA_RESETHAND), (int)SA_RESETHAND);
	cr_expect_neq(kernels(SIGTERM).sa_handler, SIG_DFL);
	cr_expect_eq(ending_action(SIGTERM, NULL, &old), 0);
	cr_expect_eq(old.sa_handler, SIG_DFL);
	cr_expect_eq(old.sa_flags & SA_NODEFER, SA_NODEFER);
	cr_expect_eq(ending_action(SIGHUP, NULL, &old), 0);
	cr_expect_eq(old.sa_flags & SA_NODEFER, 0, "of another signal");
	cr_expect_eq(ending_action(9999, &mine, &old), -1);
	sigprocmask(SIG_BLOCK, NULL, &now);
	cr_expect_not(sigismember(&now, SIGTERM), "signals are blocked");
}

static void ends(void)
{
	ending_start(&functions[0]);
	ending_start(&functions[1]); /* has the same thread */
	raise(SIGTERM);
}

Test(ending, is_reported_and_happens)
{
	int status = child(ends);

	cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM, "%x", status);
	expect_report(BY(3, 15) BY(4, 15));
}

static void reports_twice(void)
{
	functions[0].options.check = false;
	ending_start(&functions[0]);
	errno = EINTR; /* of an earlier call, and no reason to wait again */
	ending_report(SIGSEGV);
	ending_report(SIGBUS);
}

Test(ending, is_reported_once_and_of_functions_that_want_it)
{
	cr_expect_eq(child(reports_twice), 0);
	expect_report(BY(4, 11));
}

/* proc(5): the signals that thread @tid has blocked, once it sleeps. */
static uint64_t blocked(const char *tid)
{
	char path[300], line[200], state = 0;
	uint64_t mask = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%s/status", tid);
	while (state != 'S' && (f = fopen(path, "r"))) {
		while (fgets(line, sizeof(line), f)) {
			sscanf(line, "State: %c", &state);
			sscanf(line, "SigBlk: %" SCNx64, &mask);
		}
		fclose(f);
	}
	return mask;
}

static void threads_block(void)
{
	unsigned int others = 0;
	struct dirent *e;
	DIR *all;

	ending_start(&functions[0]);
	all = opendir("/proc/self/task");
	while ((e = readdir(all))) {
		if (*e->d_name == '.')
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(fatal); i++)
			if (atoi(e->d_name) != getpid() &&
			    !(blocked(e->d_name) >> (fatal[i] - 1) & 1))
				_exit(fatal[i]);
		others += atoi(e->d_name) != getpid();
	}
	closedir(all);
	_exit(others == 1 ? 0 : 255);
}

Test(ending, thread_takes_no_signals)
{
	cr_expect_eq(child(threads_block), 0);
}

static void reports_what_is_in_use(void)
{
	ending_start(&functions[0]);
	hca_lock(&functions[0].hca);
	ending_report(SIGTERM);
}

Test(ending, does_not_wait_for_ever)
{
	cr_expect_eq(child(reports_what_is_in_use), 0);
	expect_report("dvkit-emu: check: no summary: the device was in use\n");
}

/* A child of a process with the thread has none; nor has one that has stopped. */
static void reports_in_a_child(void)
{
	ending_start(&functions[0]);
	if (!fork()) {
		ending_report(SIGTERM);
		_exit(ending_has_thread());
	}
	wait(NULL);
	ending_stop();
	ending_report(SIGTERM);
}

Test(ending, is_not_that_of_another_process)
{
	cr_expect_eq(child(reports_in_a_child), 0);
	expect_report("");
}
