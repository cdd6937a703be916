/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chance: a splitmix generator (Steele, Lea, Flood: "Fast splittable pseudorandom number
 * generators", 2014), and what is made of it. The same seed gives the same cases on every
 * machine.
 */
#include <string.h>

#include "chance.h"

static uint64_t state;

void chance_seed(uint64_t seed)
{
	state = seed;
}

uint64_t chance(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

uint32_t below(uint32_t n)
{
	return (chance() >> 32) * n >> 32;
}

bool one_in(uint32_t n)
{
	return !below(n);
}

uint64_t odd_number(void)
{
	switch (below(6)) {
	case 0:
		return below(17);
	case 1:
		return (1ull << below(64)) - below(2);
	case 2:
		return (1ull << below(32)) + below(3) - 1;
	case 3:
		return -(uint64_t)below(17);
	case 4:
		return chance() >> below(64);
	default:
		return (uint64_t)below(65) * 4096;
	}
}

void chance_bytes(void *p, size_t len)
{
	uint8_t *at = p;

	for (; len; at++, len--)
		*at = chance();
}

void spoil(void *p, size_t len)
{
	uint8_t *bytes = p;
	uint64_t v = odd_number();
	size_t at, n = 1u << below(4);

	if (!len)
		return;
	at = below(len);
	switch (below(3)) {
	case 0:
		bytes[at] ^= 1u << below(8);
		break;
	case 1:
		bytes[at] = chance();
		break;
	default:
		at -= at % n;
		memcpy(bytes + at, &v, n < len - at ? n : len - at);
	}
}
