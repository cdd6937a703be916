/* SPDX-License-Identifier: BSD-2-Clause */
/* Time that goes on, also while the date is set. */
#ifndef TEST_LIB_CLOCK_H
#define TEST_LIB_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static inline double now_s(void)
{
	return (double)now_ns() / 1e9;
}

#endif
