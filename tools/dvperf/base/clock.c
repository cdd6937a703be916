/* SPDX-License-Identifier: BSD-2-Clause */
/* The rates of the two clocks, and the median. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"

enum {
	RATE_NS = 50000000, /* how long the rate is measured, once */
	CHAIN = 20000,
	TRIES = 5,
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

double clock_rate(void)
{
	static double rate;
	double begin, end;
	uint64_t ticks;

	if (rate > 0)
		return rate;
	begin = now();
	ticks = clock_ticks();
	do
		end = now();
	while (end - begin < RATE_NS / 1e9);
	rate = (double)(clock_ticks() - ticks) / (end - begin);
	return rate;
}

/* Ten multiplications, each waiting for the one before: 3 cycles each on every x86-64 core
 * since Nehalem and on Zen (Intel's and AMD's optimization manuals), 3 on the Arm Neoverse
 * cores. */
static uint64_t chain(uint64_t x)
{
	for (int i = 0; i < CHAIN / 10; i++) {
#if defined(__x86_64__)
		__asm__ volatile(
			"imul %0, %0; imul %0, %0; imul %0, %0; imul %0, %0; imul %0, %0;"
			"imul %0, %0; imul %0, %0; imul %0, %0; imul %0, %0; imul %0, %0"
			: "+r"(x));
#else
		__asm__ volatile(
			"mul %0, %0, %0; mul %0, %0, %0; mul %0, %0, %0; mul %0, %0, %0;"
			"mul %0, %0, %0; mul %0, %0, %0; mul %0, %0, %0; mul %0, %0, %0;"
			"mul %0, %0, %0; mul %0, %0, %0"
			: "+r"(x));
#endif
	}
	return x;
}

double clock_core_ratio(void)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t begin = clock_ticks(), took;

		chain((uint64_t)i | 1);
		took = clock_ticks() - begin;
		best = took < best ? took : best;
	}
	return 3.0 * CHAIN / (double)best;
}

bool clock_is_invariant(void)
{
#if defined(__x86_64__)
	char line[8192];
	bool found = false;
	FILE *f = fopen("/proc/cpuinfo", "re");

	while (f && !found && fgets(line, sizeof(line), f))
		found = !strncmp(line, "flags", 5) && strstr(line, " constant_tsc");
	if (f)
		fclose(f);
	return found;
#else
	return true;
#endif
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double median(double *values, unsigned int n)
{
	if (!n)
		return NAN;
	qsort(values, n, sizeof(*values), compare);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}
