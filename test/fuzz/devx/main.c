/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvkit-emu -- fuzz_devx [--seed N] [--count N] [--rounds]
 *
 * Firmware commands without end, through libmlx5. They come in rounds of ROUND commands: round
 * i has seed N + i, which says everything about it; what is found is reported with the seed of
 * its round:
 *
 *	dvkit-emu -- fuzz_devx --seed 4711 --count 1000		that round again, alone
 *
 * After each round all contexts are closed, and the firmware has to have as many objects as
 * before: half of the rounds destroy what they made, the others leave it to the kernel. The
 * count is of commands; umems, UARs and events come on top. A device without dvkit-emu is left
 * alone: do not run a fuzzer on a real one.
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include <dvkit/emu.h>

#include "fuzz_devx.h"

#define ROUND	 1000
#define LEAST	 30 /* opcodes that have to be learned */
#define PROGRESS 100000

/* The adapter's objects; none of the fuzzer's is left when they are as @before. */
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

static long seconds_since(const struct timespec *begin)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (long)(now.tv_sec - begin->tv_sec);
}

static void run(const struct round_options *o, const struct timespec *begin)
{
	static struct user users[CONTEXTS];
	static struct box box;
	char before[256];
	uint32_t n = dvkit_emu_objects(before, sizeof(before));

	for (uint64_t i = 0; i * ROUND < o->count; i++) {
		round_begin(o->seed + i);
		run_round(users, &box);
		round_end();
		check_objects(before, n);
		if ((i + 1) * ROUND % PROGRESS == 0)
			printf("%" PRIu64 " of %" PRIu64 " commands, %ld s\n", (i + 1) * ROUND,
			       o->count, seconds_since(begin));
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	struct round_options o = round_options(argc, argv, 50000, false);
	struct timespec begin;

	if (!dvkit_emu_present()) {
		fputs("fuzz_devx: only under dvkit-emu\n", stderr);
		return 2;
	}
	round_fix_addresses(argv);
	round_setup("fuzz_devx", ROUND);
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
