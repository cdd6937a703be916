/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changes of fields as STEs have them: a field is some bits of a word of the device, which has
 * 64 bits in format 0, 32 in format 1.
 *
 *	word, shift, length -> field of the PRM, offset -> the same change of a modify header context
 */
#include <netinet/in.h>

#include "steer/ste.h"

#define ID(name) PRM_ACTION_IN_FIELD_##name

/* A place can be one of two fields, of which a packet has one: that of its IP version, or of
 * its transport. */
enum by { ONE, BY_IP, BY_L4 };

struct place {
	uint8_t word, low, bits;
	uint8_t by;		  /* enum by */
	uint16_t field, or_other; /* or_other: of IPv6; of UDP */
};

static const struct place format_0[] = {
	{ 0x00, 16, 32, ONE, ID(OUT_DMAC_47_16), 0 },
	{ 0x00, 0, 16, ONE, ID(OUT_DMAC_15_0), 0 },
	{ 0x01, 16, 32, ONE, ID(OUT_SMAC_47_16), 0 },
	{ 0x01, 0, 16, ONE, ID(OUT_SMAC_15_0), 0 },
	{ 0x02, 32, 16, ONE, ID(OUT_ETHERTYPE), 0 },
	{ 0x02, 0, 12, ONE, ID(OUT_FIRST_VID), 0 },
	{ 0x03, 0, 32, BY_IP, ID(OUT_SIPV4), ID(OUT_DIPV6_95_64) },
	{ 0x03, 32, 32, BY_IP, ID(OUT_DIPV4), ID(OUT_DIPV6_127_96) },
	{ 0x04, 0, 6, ONE, ID(OUT_IP_DSCP), 0 },
	{ 0x04, 8, 8, BY_IP, ID(OUT_IP_TTL), ID(OUT_IPV6_HOPLIMIT) },
	{ 0x05, 32, 32, ONE, ID(OUT_DIPV6_63_32), 0 },
	{ 0x05, 0, 32, ONE, ID(OUT_DIPV6_31_0), 0 },
	{ 0x06, 32, 32, ONE, ID(OUT_SIPV6_127_96), 0 },
	{ 0x06, 0, 32, ONE, ID(OUT_SIPV6_95_64), 0 },
	{ 0x07, 32, 32, ONE, ID(OUT_SIPV6_63_32), 0 },
	{ 0x07, 0, 32, ONE, ID(OUT_SIPV6_31_0), 0 },
	{ 0x08, 0, 16, BY_L4, ID(OUT_TCP_SPORT), ID(OUT_UDP_SPORT) },
	{ 0x08, 16, 16, BY_L4, ID(OUT_TCP_DPORT), ID(OUT_UDP_DPORT) },
	{ 0x08, 48, 9, ONE, ID(OUT_TCP_FLAGS), 0 },
	{ 0x09, 32, 32, ONE, ID(OUT_TCP_SEQ_NUM), 0 },
	{ 0x09, 0, 32, ONE, ID(OUT_TCP_ACK_NUM), 0 },
	{ 0x0c, 32, 32, ONE, ID(METADATA_REG_C_0), 0 },
	{ 0x0c, 0, 32, ONE, ID(METADATA_REG_C_1), 0 },
	{ 0x0d, 32, 32, ONE, ID(METADATA_REG_C_2), 0 },
	{ 0x0d, 0, 32, ONE, ID(METADATA_REG_C_3), 0 },
	{ 0x0e, 32, 32, ONE, ID(METADATA_REG_C_4), 0 },
	{ 0x0e, 0, 32, ONE, ID(METADATA_REG_C_5), 0 },
	{ 0x16, 0, 32, ONE, ID(METADATA_REG_A), 0 },
	{ 0x16, 32, 32, ONE, ID(METADATA_REG_B), 0 },
};

/* Formats 2 and 3 have the registers four words higher: below. */
static const struct place format_1[] = {
	{ 0x00, 0, 32, ONE, ID(OUT_DMAC_47_16), 0 },
	{ 0x01, 16, 16, ONE, ID(OUT_DMAC_15_0), 0 },
	{ 0x01, 0, 16, ONE, ID(OUT_ETHERTYPE), 0 },
	{ 0x02, 0, 12, ONE, ID(OUT_FIRST_VID), 0 },
	{ 0x08, 0, 32, ONE, ID(OUT_SMAC_47_16), 0 },
	{ 0x09, 16, 16, ONE, ID(OUT_SMAC_15_0), 0 },
	{ 0x0e, 18, 6, ONE, ID(OUT_IP_DSCP), 0 },
	{ 0x0e, 8, 8, BY_IP, ID(OUT_IP_TTL), ID(OUT_IPV6_HOPLIMIT) },
	{ 0x18, 16, 16, BY_L4, ID(OUT_TCP_SPORT), ID(OUT_UDP_SPORT) },
	{ 0x18, 0, 16, BY_L4, ID(OUT_TCP_DPORT), ID(OUT_UDP_DPORT) },
	{ 0x19, 16, 9, ONE, ID(OUT_TCP_FLAGS), 0 },
	{ 0x40, 0, 32, ONE, ID(OUT_SIPV4), 0 },
	{ 0x41, 0, 32, ONE, ID(OUT_DIPV4), 0 },
	{ 0x44, 0, 32, ONE, ID(OUT_DIPV6_127_96), 0 },
	{ 0x45, 0, 32, ONE, ID(OUT_DIPV6_95_64), 0 },
	{ 0x46, 0, 32, ONE, ID(OUT_DIPV6_63_32), 0 },
	{ 0x47, 0, 32, ONE, ID(OUT_DIPV6_31_0), 0 },
	{ 0x4c, 0, 32, ONE, ID(OUT_SIPV6_127_96), 0 },
	{ 0x4d, 0, 32, ONE, ID(OUT_SIPV6_95_64), 0 },
	{ 0x4e, 0, 32, ONE, ID(OUT_SIPV6_63_32), 0 },
	{ 0x4f, 0, 32, ONE, ID(OUT_SIPV6_31_0), 0 },
	{ 0x5e, 0, 32, ONE, ID(OUT_TCP_SEQ_NUM), 0 },
	{ 0x5f, 0, 32, ONE, ID(OUT_TCP_ACK_NUM), 0 },
	{ 0x7b, 0, 32, ONE, ID(METADATA_REG_B), 0 },
	{ 0x7c, 0, 32, ONE, ID(METADATA_REG_A), 0 },
	{ 0x8c, 0, 32, ONE, ID(METADATA_REG_C_4), 0 },
	{ 0x8d, 0, 32, ONE, ID(METADATA_REG_C_5), 0 },
	{ 0x8e, 0, 32, ONE, ID(METADATA_REG_C_2), 0 },
	{ 0x8f, 0, 32, ONE, ID(METADATA_REG_C_3), 0 },
	{ 0x90, 0, 32, ONE, ID(METADATA_REG_C_0), 0 },
	{ 0x91, 0, 32, ONE, ID(METADATA_REG_C_1), 0 },
};

#define REGISTERS    0x8c /* the first of them in format 1 */
#define SHIFT_FROM_1 0x20 /* format 1: a shift of 0 is written as this */

enum { COPY = 1, SET, ADD }; /* of format 0; 5, 6, 7 in format 1 */

static bool is_in(const struct place *p, const struct ste_bits *b)
{
	return p->word == b->word && b->shift >= p->low &&
	       b->shift + b->length <= p->low + p->bits;
}

static uint16_t field_of(const struct place *p, const struct steer_work *work)
{
	const struct steer_layer *l = &work->h.outer;

	switch (p->by) {
	case BY_IP:
		return l->version == 6 ? p->or_other : p->field;
	case BY_L4:
		return l->protocol == IPPROTO_UDP ? p->or_other : p->field;
	default:
		return p->field;
	}
}

/* The field of the PRM, and which of its bits is the first. */
static bool find(uint8_t format, struct ste_bits b, const struct steer_work *work,
		 uint16_t *field, uint8_t *offset)
{
	const struct place *all = format ? format_1 : format_0;
	size_t n = format ? ARRAY_SIZE(format_1) : ARRAY_SIZE(format_0);

	if (format >= 2 && b.word >= REGISTERS)
		b.word = b.word < REGISTERS + 4 ? 0xff : b.word - 4;
	for (size_t i = 0; i < n; i++) {
		if (!is_in(&all[i], &b))
			continue;
		*field = field_of(&all[i], work);
		*offset = b.shift - all[i].low;
		return true;
	}
	return false;
}

bool ste_place(uint8_t format, uint16_t field, uint8_t offset, struct ste_bits *to)
{
	for (size_t i = 0; format && i < ARRAY_SIZE(format_1); i++) {
		const struct place *p = &format_1[i];
		uint8_t later = format >= 2 && p->word >= REGISTERS ? 4 : 0;

		if ((p->field != field && (p->by == ONE || p->or_other != field)) ||
		    offset + to->length > p->bits)
			continue;
		to->length = to->length ? to->length : p->bits;
		to->word = p->word + later;
		to->shift = p->low + offset + SHIFT_FROM_1;
		return true;
	}
	return false;
}

static uint8_t shift(uint8_t format, uint32_t v)
{
	return format ? v - SHIFT_FROM_1 : v;
}

/* The same for the source of a copy and for its destination. */
static bool copy(uint8_t format, struct steer_work *work, const uint8_t *a, uint16_t field,
		 uint8_t offset, uint8_t length)
{
	struct ste_bits from = { .word = ste_bits(a, 1, 23, 16),
				 .shift = shift(format, ste_bits(a, 1, 13, 8)),
				 .length = length };
	uint8_t change[1][HCA_HEADER_ACTION_SIZE] = { 0 };
	uint16_t src;
	uint8_t src_offset;

	if (!find(format, from, work, &src, &src_offset))
		return false;
	PRM_SET(copy_action_in, change[0], action_type, PRM_ACTION_COPY);
	PRM_SET(copy_action_in, change[0], src_field, src);
	PRM_SET(copy_action_in, change[0], src_offset, src_offset);
	PRM_SET(copy_action_in, change[0], length, length & 31);
	PRM_SET(copy_action_in, change[0], dst_field, field);
	PRM_SET(copy_action_in, change[0], dst_offset, offset);
	steer_modify(work, change, 1);
	return true;
}

bool ste_change(uint8_t format, struct steer_work *work, const uint8_t *a)
{
	uint8_t opcode = format ? a[0] - 4 : a[0];
	struct ste_bits to = { .word = ste_bits(a, 0, 23, 16),
			       .shift = shift(format, ste_bits(a, 0, 13, 8)),
			       .length = ste_bits(a, 0, format || opcode == COPY ? 5 : 4, 0) };
	uint8_t change[1][HCA_HEADER_ACTION_SIZE] = { 0 };
	uint8_t offset;
	uint16_t field;

	if (!to.length)
		to.length = 32;
	if (opcode < COPY || opcode > ADD || !find(format, to, work, &field, &offset))
		return false;
	if (opcode == COPY)
		return copy(format, work, a, field, offset, to.length);
	PRM_SET(set_action_in, change[0], field, field);
	PRM_SET(set_action_in, change[0], data, core_be32(a + 4));
	PRM_SET(set_action_in, change[0], action_type,
		opcode == SET ? PRM_ACTION_SET : PRM_ACTION_ADD);
	if (opcode == SET) {
		PRM_SET(set_action_in, change[0], offset, offset);
		PRM_SET(set_action_in, change[0], length, to.length & 31);
	}
	steer_modify(work, change, 1);
	return true;
}
