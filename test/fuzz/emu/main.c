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
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

#define ROUND 500

/* A function of the sanitizers' runtime, if it is there. */
__attribute__((visibility("default"))) const char *__ubsan_default_options(void);

const char *__ubsan_default_options(void)
{
	return "halt_on_error=1:abort_on_error=1:print_stacktrace=1";
}

static unsigned int descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int n = 0;

	FUZZ_CHECK(dir, "/proc is not there");
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

struct fuzz_options {
	uint64_t seed, count;
	const char *only;
	bool rounds;
};

static const struct kind {
	const char *name;
	void (*run)(unsigned int cases);
} kinds[] = { { "calls", fuzz_calls }, { "boxes", fuzz_boxes }, { "traffic", fuzz_traffic } };

static void run_round(uint64_t seed, const struct fuzz_options *o)
{
	const struct kind *k;
	unsigned int fds;

	round_begin(seed);
	k = &PICK(kinds);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (o->only && !strcmp(o->only, kinds[i].name))
			k = &kinds[i];
	if (o->rounds)
		printf("%" PRIu64 " %s\n", seed, k->name);
	fflush(stdout);
	arena_reset(k->run == fuzz_boxes);
	fds = descriptors();
	k->run(ROUND);
	round_end();
	FUZZ_CHECK(descriptors() == fds, "%u descriptors before the round, %u after it", fds,
		   descriptors());
}

static bool parse(struct fuzz_options *o, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;

		if (!strcmp(argv[i], "--rounds"))
			o->rounds = true;
		else if (value && !strcmp(argv[i], "--seed"))
			o->seed = strtoull(value, NULL, 0), i++;
		else if (value && !strcmp(argv[i], "--count"))
			o->count = strtoull(value, NULL, 0), i++;
		else if (value && !strcmp(argv[i], "--only"))
			o->only = value, i++;
		else
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	struct fuzz_options o = { .seed = (uint64_t)time(NULL) * 1000, .count = 100000 };
	struct timespec begin, end;

	if (!parse(&o, argc, argv)) {
		fputs("usage: test_fuzz [--seed N] [--count N] [--only calls|boxes|traffic] "
		      "[--rounds]\n",
		      stderr);
		return 2;
	}
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
