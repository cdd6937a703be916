/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages and the end of the program, ^C, medians, clocks. */
#include <criterion/criterion.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "unit/dvperf/said.h"

static void fail(const void *of)
{
	base_fail("%s %d", (const char *)of, 7);
}

static void refuse(const void *of)
{
	base_refuse("%s", (const char *)of);
}

static void call_fails(const void *of)
{
	errno = EACCES;
	base_ok_or_fail(*(const int *)of, "call(a, b)");
	printf("no failure");
}

static void nothing_is_made(const void *of)
{
	errno = ENOMEM;
	printf("%s", (const char *)base_made_or_fail((void *)(uintptr_t)of, "make(1)"));
}

static void first(int status, const char *text)
{
	fprintf(stderr, "first %d %s\n", status, text);
}

static void second(int status, const char *text)
{
	fprintf(stderr, "second %d %s\n", status, text);
}

static void fail_after_reports(const void *of)
{
	base_before_end(first);
	base_before_end(second);
	fail(of);
}

Test(base, ends_with_one_line)
{
	static const int rcs[] = { 0, ENOENT, -1 };

	said_only(1, "dvperf: a 7\n", fail, "a");
	said_only(2, "dvperf: b\n", refuse, "b");
	said_only(2, "dvperf: \\x1b[2J\n", refuse, "\33[2J");
	said_only(1, "dvperf: call: No such file or directory\n", call_fails, &rcs[1]);
	said_only(1, "dvperf: call: Permission denied\n", call_fails, &rcs[2]);
	cr_expect_str_eq(said_by(call_fails, &rcs[0]).out, "no failure");
	said_only(1, "dvperf: make: Cannot allocate memory\n", nothing_is_made, NULL);
	cr_expect_str_eq(said_by(nothing_is_made, "it").out, "it");
	cr_expect_str_eq(said_by(fail_after_reports, "c").err,
			 "dvperf: c 7\nsecond 1 c 7\nfirst 1 c 7\n");
}

static void note_and_progress(const void *of)
{
	(void)of;
	base_progress("bw", 0.5, 3); /* there is no terminal */
	base_note("n %d", 1);
	base_progress_end();
}

Test(base, notes)
{
	cr_expect_str_eq(said_by(note_and_progress, NULL).err, "dvperf: n 1\n");
}

/* mpirun sends several at once: they are one key. */
Test(base, interrupts_are_noted)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGUSR1 };

	base_catch_interrupts();
	cr_expect_eq(base_interrupted, 0);
	for (int i = 0; i < 3; i++) {
		base_interrupted = 0;
		raise(signals[i]);
		cr_expect_eq(base_interrupted, i == 0, "noted once");
	}
}

/* Half a second later it is another key, but for what mpirun passes on: the program ends. */
Test(base, second_interrupt_ends)
{
	static const int signals[] = { SIGINT, SIGTERM };

	for (int i = 0; i < 2; i++) {
		pid_t pid = fork();
		int status;

		if (!pid) {
			base_catch_interrupts();
			raise(SIGTERM);
			usleep(510000);
			raise(SIGUSR1);
			if (base_interrupted)
				raise(signals[i]);
			_exit(0);
		}
		cr_assert_eq(waitpid(pid, &status, 0), pid);
		cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == signals[i], "%d: %#x", i,
			  status);
	}
}

/* On a terminal: one line, which the next message takes the place of. */
Test(base, progress_is_in_one_line, .timeout = 60)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), was = dup(2), slave;
	char got[200] = "";

	cr_assert_eq(grantpt(master) | unlockpt(master), 0);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	cr_assert_geq(slave, 0);
	dup2(slave, 2);
	base_progress("bw", 0.5, 3);
	base_note("n");
	base_note("m");
	dup2(was, 2);
	for (size_t n = 0; !strstr(got, "m\r\n"); n = strlen(got))
		cr_assert_gt(read(master, got + n, sizeof(got) - 1 - n), 0);
	cr_expect_str_eq(got, "\r\33[Kbw:  50 %, 3 s to go\r\33[Kdvperf: n\r\ndvperf: m\r\n");
	close(slave);
	close(master);
	close(was);
}

Test(base, medians)
{
	cr_expect(isnan(median(NULL, 0)));
	cr_expect_eq(median((double[]){ 5 }, 1), 5);
	cr_expect_eq(median((double[]){ 9, 1 }, 2), 5);
	cr_expect_eq(median((double[]){ 9, 1, 2 }, 3), 2);
	cr_expect_eq(median((double[]){ 9, 1, 2, 4 }, 4), 3);
}

Test(base, clocks)
{
	char line[8192];
	bool invariant = false;
	FILE *f = fopen("/proc/cpuinfo", "r");

	while (fgets(line, sizeof(line), f))
		invariant |= !strncmp(line, "flags", 5) && strstr(line, " constant_tsc");
	fclose(f);
#if defined(__x86_64__)
	cr_expect_eq(clock_is_invariant(), invariant);
#endif
	/* of any machine, however long it did nothing for this test */
	cr_expect(clock_rate() > 1e6 && clock_rate() < 1e13);
	cr_expect_eq(clock_rate(), clock_rate());
	cr_expect(clock_core_ratio() > 1e-5 && clock_core_ratio() < 1000);
}
