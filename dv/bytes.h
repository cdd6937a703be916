/* SPDX-License-Identifier: BSD-2-Clause */
/* Big-endian numbers in bytes of any alignment, for code that reads what other code built. */
#ifndef DV_BYTES_H
#define DV_BYTES_H

#include <stddef.h>
#include <stdint.h>

static inline uint16_t be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t be32(const uint8_t *p)
{
	return (uint32_t)be16(p) << 16 | be16(p + 2);
}

static inline uint64_t be64(const uint8_t *p)
{
	return (uint64_t)be32(p) << 32 | be32(p + 4);
}

#endif
