/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rounds of a fuzzer: each has a seed that says everything about it, and what is found is
 * reported with the seed of its round.
 *
 *	PROGRAM --seed 4711 --count 500		that round again, alone
 */
#ifndef TEST_FUZZ_ROUND_H
#define TEST_FUZZ_ROUND_H

#include <stdbool.h>
#include <stdint.h>

struct round_options {
	uint64_t seed, count; /* of the first round; cases */
	const char *only;     /* kind of case; NULL: all */
};

/* --seed (default: the time), --count (default: @count), --rounds (round_begin() prints the
 * seed) and, with @kinds, --only KIND. Any other argument: the usage, and exit status 2. */
struct round_options round_options(int argc, char **argv, uint64_t count, bool kinds);

/* Once, before the rounds: who is running, and how many cases a round has. A signal that ends
 * the program prints the seed first. */
void round_setup(const char *program, unsigned int cases);
/* The round with @seed begins: chance_seed(), and an alarm for rounds that hang. */
void round_begin(uint64_t seed);
void round_end(void);

void round_tell_seed(void);
/* Starts the program over with fixed addresses, so that a seed means the same pointers again;
 * where that is not allowed, goes on with what there is. */
void round_fix_addresses(char **argv);

/* Something was found: says what and in which round, and ends the program. */
void fuzz_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
#define FUZZ_CHECK(condition, ...)              \
	do {                                    \
		if (!(condition))               \
			fuzz_fail(__VA_ARGS__); \
	} while (0)

#endif
