/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers that one seed decides (SplitMix64). */
#ifndef TEST_ORACLE_WQE_RANDOM_H
#define TEST_ORACLE_WQE_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct random {
	uint64_t state;
};

static inline uint64_t random_64(struct random *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static inline uint32_t random_32(struct random *r)
{
	return (uint32_t)(random_64(r) >> 32);
}

/* 0 … n - 1. */
static inline uint32_t random_below(struct random *r, uint32_t n)
{
	return (uint32_t)(((random_64(r) >> 32) * n) >> 32);
}

/* True once in @n times. */
static inline bool random_once_in(struct random *r, uint32_t n)
{
	return !random_below(r, n);
}

#endif
