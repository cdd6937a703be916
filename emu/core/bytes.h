/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers in big-endian byte order, at any alignment; part of core.h. */
#ifndef EMU_CORE_BYTES_H
#define EMU_CORE_BYTES_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t core_be16(const void *from)
{
	uint16_t v;

	memcpy(&v, from, sizeof(v));
	return be16toh(v);
}

static inline uint32_t core_be32(const void *from)
{
	uint32_t v;

	memcpy(&v, from, sizeof(v));
	return be32toh(v);
}

static inline uint64_t core_be64(const void *from)
{
	uint64_t v;

	memcpy(&v, from, sizeof(v));
	return be64toh(v);
}

static inline void core_put_be16(void *to, uint16_t v)
{
	uint8_t *p = to;

	p[0] = v >> 8;
	p[1] = v;
}

static inline void core_put_be32(void *to, uint32_t v)
{
	v = htobe32(v);
	memcpy(to, &v, sizeof(v));
}

static inline void core_put_be64(void *to, uint64_t v)
{
	v = htobe64(v);
	memcpy(to, &v, sizeof(v));
}

/* Bits [@high:@low] of the big-endian dword at @byte. */
static inline uint32_t core_bits(const uint8_t *from, unsigned int byte, unsigned int high,
				 unsigned int low)
{
	uint32_t dword;

	memcpy(&dword, from + byte, sizeof(dword));
	return be32toh(dword) << (31 - high) >> (31 - high + low);
}

/* Stores the low bits of @value there; the other bits of the dword stay. */
static inline void core_set_bits(uint8_t *to, unsigned int byte, unsigned int high,
				 unsigned int low, uint32_t value)
{
	uint32_t dword, mask = ~0u >> (31 - high + low) << low;

	memcpy(&dword, to + byte, sizeof(dword));
	dword = htobe32((be32toh(dword) & ~mask) | (value << low & mask));
	memcpy(to + byte, &dword, sizeof(dword));
}

#endif
