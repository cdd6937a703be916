/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_fuzz [--seed N] [--count N] [--only calls|boxes|traffic] [--rounds]
 *
 * Cases come in rounds of ROUND: round i has seed N + i, which says everything about it.
 * Findings are reported with the seed of their round:
 *
 *	test_fuzz --seed 4711 --count 500		that round again, alone
 *
 * Leaks are LeakSanitizer's to find when the program ends, and memory errors are the others':
 * built without them this finds only what it checks itself. Addresses are not randomised, so
 * that a seed means the same pointers again.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "fuzz.h"
#include "lib/descriptors.h"

#define ROUND 500

static const struct kind {
	const char *name;
	void (*run)(unsigned int cases);
} kinds[] = { { "calls", fuzz_calls }, { "boxes", fuzz_boxes }, { "traffic", fuzz_traffic } };

static void run_round(uint64_t seed, const struct round_options *o)
{
	const struct kind *k;
	int fds;

	round_begin(seed);
	k = &PICK(kinds);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (o->only && !strcmp(o->only, kinds[i].name))
			k = &kinds[i];
	arena_reset(k->run == fuzz_boxes);
	fds = open_descriptors();
	k->run(ROUND);
	round_end();
	FUZZ_CHECK(open_descriptors() == fds, "%d descriptors before the round, %d after it",
		   fds, open_descriptors());
}

int main(int argc, char **argv)
{
	struct round_options o = round_options(argc, argv, 100000, true);
	struct timespec begin, end;

	round_fix_addresses(argv);
	round_setup("test_fuzz", ROUND);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	printf("seed %" PRIu64 ", %" PRIu64 " cases\n", o.seed, o.count);
	arena_map();
	chance_seed(0);
	boxes_learn();
	for (uint64_t at = 0; at < o.count; at += ROUND)
		run_round(o.seed + at / ROUND, &o);
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("%" PRIu64 " cases in %ld s: nothing found\n", o.count,
	       (long)(end.tv_sec - begin.tv_sec));
	return 0;
}
