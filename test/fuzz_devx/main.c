/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvkit-emu -- fuzz_devx [--seed N] [--count N] [--rounds]
 *
 * Firmware commands without end, through libmlx5. They come in rounds of ROUND commands: round i
 * has seed N + i, which says everything about it; what is found is told with the seed of its
 * round:
 *
 *	dvkit-emu -- fuzz_devx --seed 4711 --count 1000		that round again, alone
 *
 * After each round all contexts are closed, and the firmware has to have as many objects as
 * before: half of the rounds destroy what they made, the others leave it to the kernel. The
 * count is of commands; umems, UARs and events come on top. A device without dvkit-emu is left
 * alone: what a fuzzer does to a real one, nobody has asked for.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <time.h>
#include <unistd.h>

#include "control.h"
#include "fuzz_devx.h"

#define ROUND	 1000
#define TOO_LONG 60 /* seconds for one round */
#define LEAST	 30 /* opcodes that have to be learned */
#define PROGRESS 100000

static uint64_t round_seed;

static void tell_seed(void)
{
	char line[96];
	int n = snprintf(line, sizeof(line),
			 "see it again: fuzz_devx --seed %" PRIu64 " --count %d\n", round_seed,
			 ROUND);

	if (write(STDERR_FILENO, line, (size_t)n) < 0)
		_exit(1);
}

void fuzz_fail(const char *fmt, ...)
{
	va_list args;

	fputs("fuzz_devx: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	tell_seed();
	_exit(1);
}

static void on_signal(int sig)
{
	static const char text[] = "fuzz_devx: this round hangs or died\n";

	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(1);
	tell_seed();
	signal(sig, SIG_DFL);
	raise(sig);
}

struct options {
	uint64_t seed, count;
	bool rounds;
};

/* The adapter's objects; nobody of ours is left when they are as @before. */
static void check_objects(const char *before, uint32_t n)
{
	char after[256];

	FUZZ_CHECK(dvkit_emu_objects(after, sizeof(after)) == n,
		   "objects before any context was open: %s; after the last close: %s", before,
		   after);
}

static void run_round(struct user *users, struct box *b)
{
	uint64_t end = tally.commands + ROUND;
	bool destroy = one_in(2);

	for (int i = 0; i < CONTEXTS; i++)
		user_open(&users[i]);
	while (tally.commands < end) {
		struct user *u = &users[below(CONTEXTS)];

		if (one_in(6))
			call_other(u);
		else
			call_command(u, b);
	}
	for (int i = 0; i < CONTEXTS; i++)
		user_close(&users[i], destroy);
	learn_forget();
}

static bool parse(struct options *o, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;

		if (!strcmp(argv[i], "--rounds"))
			o->rounds = true;
		else if (value && !strcmp(argv[i], "--seed"))
			o->seed = strtoull(value, NULL, 0), i++;
		else if (value && !strcmp(argv[i], "--count"))
			o->count = strtoull(value, NULL, 0), i++;
		else
			return false;
	}
	return true;
}

/* Starts over with fixed addresses; where that is not allowed, goes on with what there is. */
static void fix_addresses(char **argv)
{
	int now = personality(0xffffffff);

	if (now < 0 || now & ADDR_NO_RANDOMIZE ||
	    personality((unsigned int)now | ADDR_NO_RANDOMIZE) < 0)
		return;
	execv("/proc/self/exe", argv);
}

static long seconds_since(const struct timespec *begin)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (long)(now.tv_sec - begin->tv_sec);
}

static void run(const struct options *o, const struct timespec *begin)
{
	static struct user users[CONTEXTS];
	static struct box box;
	char before[256];
	uint32_t n = dvkit_emu_objects(before, sizeof(before));

	for (uint64_t i = 0; i * ROUND < o->count; i++) {
		round_seed = o->seed + i;
		chance_seed(round_seed);
		if (o->rounds)
			printf("%" PRIu64 "\n", round_seed);
		alarm(TOO_LONG);
		run_round(users, &box);
		alarm(0);
		check_objects(before, n);
		if ((i + 1) * ROUND % PROGRESS == 0)
			printf("%" PRIu64 " of %" PRIu64 " commands, %ld s\n", (i + 1) * ROUND,
			       o->count, seconds_since(begin));
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	struct options o = { .seed = (uint64_t)time(NULL) * 1000, .count = 50000 };
	struct timespec begin;

	if (!parse(&o, argc, argv)) {
		fputs("usage: fuzz_devx [--seed N] [--count N] [--rounds]\n", stderr);
		return 2;
	}
	if (!dvkit_emu_present()) {
		fputs("fuzz_devx: only under dvkit-emu\n", stderr);
		return 2;
	}
	fix_addresses(argv);
	signal(SIGSEGV, on_signal);
	signal(SIGBUS, on_signal);
	signal(SIGABRT, on_signal);
	signal(SIGALRM, on_signal);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	printf("seed %" PRIu64 ", %" PRIu64 " commands\n", o.seed, o.count);
	fflush(stdout);
	chance_seed(0);
	learn();
	FUZZ_CHECK(learned_opcodes() >= LEAST, "only %u opcodes were learned",
		   learned_opcodes());
	printf("%u opcodes learned\n", learned_opcodes());
	run(&o, &begin);
	printf("%" PRIu64 " commands in %ld s (%" PRIu64 " executed, %" PRIu64
	       " refused by firmware, %" PRIu64 " by the kernel; %" PRIu64
	       " objects made): nothing found\n",
	       tally.commands, seconds_since(&begin), tally.done, tally.firmware, tally.kernel,
	       tally.objects);
	return 0;
}
