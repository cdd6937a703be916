/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the tests that were linked to it, each in its own process: what one leaves in memory, or
 * its crash, is nothing to the next. The last line is Criterion's, for total.awk. Exit status 0
 * only if something ran and all of it passed.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <criterion/criterion.h>

enum {
	TIMEOUT = 300, /* seconds; an emulated CPU is slow */
};

static struct plain_test *first, **end = &first;
static bool failed; /* the test of this process */

void plain_add(struct plain_test *t)
{
	*end = t;
	end = &t->next;
}

void plain_check(bool fatal, bool holds, const char *file, int line, const char *what,
		 const char *message, ...)
{
	va_list args;

	if (holds)
		return;
	va_start(args, message);
	printf("%s:%d: %s:", file, line, what);
	vprintf(message, args);
	putchar('\n');
	va_end(args);
	failed = true;
	if (fatal)
		exit(1);
}

static const struct plain_test *suite_of(const struct plain_test *test)
{
	const struct plain_test *t;

	for (t = first; t; t = t->next)
		if (!t->run && !strcmp(t->suite, test->suite))
			return t;
	return test;
}

static void run(const struct plain_test *t)
{
	const struct plain_test *suite = suite_of(t);
	unsigned int timeout = (unsigned int)t->options.timeout;

	alarm(timeout ? timeout : TIMEOUT);
	if (suite != t && suite->options.init)
		suite->options.init();
	if (t->options.init)
		t->options.init();
	t->run();
	if (t->options.fini)
		t->options.fini();
	if (suite != t && suite->options.fini)
		suite->options.fini();
	exit(failed);
}

static bool passes(const struct plain_test *t)
{
	int status = 0;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (!child)
		run(t);
	if (child < 0 || waitpid(child, &status, 0) != child)
		return false;
	if (WIFSIGNALED(status))
		printf("%s::%s: signal %d\n", t->suite, t->name, WTERMSIG(status));
	else if (status)
		printf("%s::%s failed\n", t->suite, t->name);
	return !status;
}

int main(void)
{
	unsigned int tested = 0, passing = 0;
	const struct plain_test *t;

	for (t = first; t; t = t->next) {
		if (!t->run)
			continue;
		tested++;
		passing += passes(t);
	}
	printf("Synthesis: Tested: %u | Passing: %u | Failing: %u\n", tested, passing,
	       tested - passing);
	return passing != tested || !tested;
}
