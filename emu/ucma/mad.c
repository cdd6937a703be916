/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fields of MADs. A field of up to 64 bits is in up to 8 bytes; one that begins or ends in the
 * middle of a byte is short.
 */
#include <string.h>

#include "ucma/mad.h"

#define BASE_VERSION  1
#define CLASS_CM      0x07
#define CLASS_VERSION 2
#define METHOD_SEND   0x03

struct span {
	uint32_t byte, bytes, shift;
	uint64_t mask;
};

static struct span span_of(enum mad_field field)
{
	uint32_t skip = field >> 8 & 0xff, bits = field & 0xff;
	struct span s = { .byte = field >> 16, .bytes = (skip + bits + 7) / 8 };

	s.shift = s.bytes * 8 - skip - bits;
	s.mask = bits == 64 ? UINT64_MAX : (1ull << bits) - 1;
	return s;
}

uint64_t mad_get(const uint8_t *mad, enum mad_field field)
{
	struct span s = span_of(field);
	uint64_t v = 0;

	for (uint32_t i = 0; i < s.bytes; i++)
		v = v << 8 | mad[s.byte + i];
	return v >> s.shift & s.mask;
}

void mad_set(uint8_t *mad, enum mad_field field, uint64_t value)
{
	struct span s = span_of(field);
	uint64_t keep = ~(s.mask << s.shift);

	value = (value & s.mask) << s.shift;
	for (uint32_t i = s.bytes; i-- > 0; value >>= 8, keep >>= 8)
		mad[s.byte + i] = (mad[s.byte + i] & keep) | (value & 0xff);
}

void mad_new(uint8_t mad[MAD_BYTES], enum cm_attribute attribute, uint64_t tid)
{
	memset(mad, 0, MAD_BYTES);
	mad_set(mad, MAD_BASE_VERSION, BASE_VERSION);
	mad_set(mad, MAD_MGMT_CLASS, CLASS_CM);
	mad_set(mad, MAD_CLASS_VERSION, CLASS_VERSION);
	mad_set(mad, MAD_METHOD, METHOD_SEND);
	mad_set(mad, MAD_TID, tid);
	mad_set(mad, MAD_ATTR_ID, attribute);
}

bool mad_is_cm(const uint8_t *mad)
{
	return mad_get(mad, MAD_BASE_VERSION) == BASE_VERSION &&
	       mad_get(mad, MAD_MGMT_CLASS) == CLASS_CM &&
	       mad_get(mad, MAD_CLASS_VERSION) == CLASS_VERSION &&
	       mad_get(mad, MAD_METHOD) == METHOD_SEND;
}
