/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two clocks. The time stamp counter counts at one rate whatever the core does: it is for time.
 * The core's own cycles come and go with turbo; they are found from a chain of multiplications,
 * whose latency in cycles is known, run next to what is measured.
 */
#ifndef DVPERF_CLOCK_H
#define DVPERF_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t clock_ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	uint64_t ticks;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#endif
}

/* Ticks per second, measured once against CLOCK_MONOTONIC. */
double clock_rate(void);

/* Core cycles per tick, now. */
double clock_core_ratio(void);

/* The counter is there and does not change its rate. */
bool clock_is_invariant(void);

/* The middle one of @n values, which are sorted for it. */
double median(double *values, unsigned int n);

#endif
