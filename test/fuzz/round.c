/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <time.h>
#include <unistd.h>

#include "chance.h"
#include "round.h"

#define TOO_LONG 60 /* seconds for one round */

/* A function of the sanitizers' runtime, if it is there. */
__attribute__((visibility("default"))) const char *__ubsan_default_options(void);

const char *__ubsan_default_options(void)
{
	return "halt_on_error=1:abort_on_error=1:print_stacktrace=1";
}

static const char *program;
static unsigned int cases;
static uint64_t round_seed;
static bool reported, print_seeds;

static void usage(bool kinds)
{
	fprintf(stderr, "usage: %s [--seed N] [--count N]%s [--rounds]\n",
		program_invocation_short_name, kinds ? " [--only KIND]" : "");
	exit(2);
}

struct round_options round_options(int argc, char **argv, uint64_t count, bool kinds)
{
	struct round_options o = { .seed = (uint64_t)time(NULL) * 1000, .count = count };

	for (int i = 1; i < argc; i++) {
		const char *name = argv[i], *value;

		if (!strcmp(name, "--rounds")) {
			print_seeds = true;
			continue;
		}
		value = i + 1 < argc ? argv[++i] : NULL;
		if (value && !strcmp(name, "--seed"))
			o.seed = strtoull(value, NULL, 0);
		else if (value && !strcmp(name, "--count"))
			o.count = strtoull(value, NULL, 0);
		else if (value && kinds && !strcmp(name, "--only"))
			o.only = value;
		else
			usage(kinds);
	}
	return o;
}

static void say(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(1);
}

void round_tell_seed(void)
{
	char line[128];

	if (reported)
		return;
	snprintf(line, sizeof(line), "see it again: %s --seed %" PRIu64 " --count %u\n",
		 program, round_seed, cases);
	say(line);
	reported = true;
}

void fuzz_fail(const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", program);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	round_tell_seed();
	_exit(1);
}

static void on_signal(int sig)
{
	say(program);
	say(": this round hangs or died\n");
	round_tell_seed();
	signal(sig, SIG_DFL);
	raise(sig);
}

/* Functions of the sanitizers' runtimes, if they are there: they handle the memory errors. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

void round_setup(const char *name, unsigned int n)
{
	program = name;
	cases = n;
	if (__sanitizer_set_death_callback) {
		__sanitizer_set_death_callback(round_tell_seed);
	} else {
		signal(SIGSEGV, on_signal);
		signal(SIGBUS, on_signal);
	}
	signal(SIGABRT, on_signal);
	signal(SIGALRM, on_signal);
}

void round_begin(uint64_t seed)
{
	round_seed = seed;
	if (print_seeds)
		printf("%" PRIu64 "\n", seed);
	fflush(stdout);
	chance_seed(seed);
	alarm(TOO_LONG);
}

void round_end(void)
{
	alarm(0);
}

void round_fix_addresses(char **argv)
{
	int now = personality(0xffffffff);

	if (now < 0 || now & ADDR_NO_RANDOMIZE ||
	    personality((unsigned int)now | ADDR_NO_RANDOMIZE) < 0)
		return;
	execv("/proc/self/exe", argv);
}
