/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Modify header actions. One of them changes bits of one field of the device, which has at most
 * 32: what is wider, or crosses the end of one, is several actions.
 */
#include <errno.h>
#include <string.h>

#include <prm/prm.h>

#include "modify.h"

enum { PARTS = 4 };

/* A field as fields of the device, the most significant first. For registers, that of index
 * 0. */
static const struct field {
	uint16_t part[PARTS];
	uint8_t parts;
	uint8_t bits; /* of the last part; the others have 32 */
} fields[] = {
#define ID(name) PRM_ACTION_IN_FIELD_##name
	[FLOW_MODIFY_FIELD_MAC_DST] = { { ID(OUT_DMAC_47_16), ID(OUT_DMAC_15_0) }, 2, 16 },
	[FLOW_MODIFY_FIELD_MAC_SRC] = { { ID(OUT_SMAC_47_16), ID(OUT_SMAC_15_0) }, 2, 16 },
	[FLOW_MODIFY_FIELD_VLAN_ID] = { { ID(OUT_FIRST_VID) }, 1, 12 },
	[FLOW_MODIFY_FIELD_MAC_TYPE] = { { ID(OUT_ETHERTYPE) }, 1, 16 },
	[FLOW_MODIFY_FIELD_IPV4_DSCP] = { { ID(OUT_IP_DSCP) }, 1, 6 },
	[FLOW_MODIFY_FIELD_IPV4_TTL] = { { ID(OUT_IP_TTL) }, 1, 8 },
	[FLOW_MODIFY_FIELD_IPV4_SRC] = { { ID(OUT_SIPV4) }, 1, 32 },
	[FLOW_MODIFY_FIELD_IPV4_DST] = { { ID(OUT_DIPV4) }, 1, 32 },
	[FLOW_MODIFY_FIELD_IPV6_DSCP] = { { ID(OUT_IP_DSCP) }, 1, 6 },
	[FLOW_MODIFY_FIELD_IPV6_HOPLIMIT] = { { ID(OUT_IPV6_HOPLIMIT) }, 1, 8 },
	[FLOW_MODIFY_FIELD_IPV6_SRC] = { { ID(OUT_SIPV6_127_96), ID(OUT_SIPV6_95_64),
					   ID(OUT_SIPV6_63_32), ID(OUT_SIPV6_31_0) },
					 4,
					 32 },
	[FLOW_MODIFY_FIELD_IPV6_DST] = { { ID(OUT_DIPV6_127_96), ID(OUT_DIPV6_95_64),
					   ID(OUT_DIPV6_63_32), ID(OUT_DIPV6_31_0) },
					 4,
					 32 },
	[FLOW_MODIFY_FIELD_TCP_PORT_SRC] = { { ID(OUT_TCP_SPORT) }, 1, 16 },
	[FLOW_MODIFY_FIELD_TCP_PORT_DST] = { { ID(OUT_TCP_DPORT) }, 1, 16 },
	[FLOW_MODIFY_FIELD_TCP_SEQ_NUM] = { { ID(OUT_TCP_SEQ_NUM) }, 1, 32 },
	[FLOW_MODIFY_FIELD_TCP_ACK_NUM] = { { ID(OUT_TCP_ACK_NUM) }, 1, 32 },
	[FLOW_MODIFY_FIELD_TCP_FLAGS] = { { ID(OUT_TCP_FLAGS) }, 1, 9 },
	[FLOW_MODIFY_FIELD_UDP_PORT_SRC] = { { ID(OUT_UDP_SPORT) }, 1, 16 },
	[FLOW_MODIFY_FIELD_UDP_PORT_DST] = { { ID(OUT_UDP_DPORT) }, 1, 16 },
	[FLOW_MODIFY_FIELD_TAG] = { { ID(METADATA_REG_C_0) }, 1, 32 },
	[FLOW_MODIFY_FIELD_META] = { { ID(METADATA_REG_A) }, 1, 32 },
};

unsigned int modify_width(uint32_t field)
{
	if (field >= ARRAY_SIZE(fields) || !fields[field].parts)
		return 0;
	return (fields[field].parts - 1) * 32u + fields[field].bits;
}

/* The bits of one field of the device that begin at bit @offset of a field. */
struct part {
	uint16_t id;
	unsigned int offset, left; /* in that field: the first bit, the bits from it on */
};

static struct part part_of(const struct modify_list *l, struct modify_bits b)
{
	const struct field *f = &fields[b.field];
	struct part p = { f->part[f->parts - 1], b.offset, f->bits };

	for (unsigned int i = f->parts - 1; p.offset >= p.left; i--) {
		p.offset -= p.left;
		p.left = 32;
		p.id = f->part[i - 1];
	}
	p.left -= p.offset;
	if (b.field == FLOW_MODIFY_FIELD_TAG)
		p.id = (uint16_t)(p.id + b.index);
	if (b.field == FLOW_MODIFY_FIELD_META && l->ingress)
		p.id = ID(METADATA_REG_B);
	return p;
}

static int check(struct modify_bits b, unsigned int width, struct dv_flow_error *error)
{
	unsigned int bits = modify_width(b.field);

	if (!bits)
		return flow_refuse(error, EOPNOTSUPP,
				   "modify_field: the device has no such field");
	if (b.field == FLOW_MODIFY_FIELD_TAG && b.index > 7)
		return flow_refuse(error, EINVAL, "tag index: the registers are 0 to 7");
	if (!width || width > bits || b.offset > bits - width)
		return flow_refuse(error, EINVAL, "modify_field: the field has %u bits", bits);
	return 0;
}

static uint8_t *next(struct modify_list *l, struct dv_flow_error *error)
{
	if (l->n == MODIFY_MAX)
		flow_refuse(error, EINVAL, "too many changes of headers");
	return l->n == MODIFY_MAX ? NULL : l->action[l->n++];
}

/* @n bits of a number of 128 bits, from bit @from on. */
static uint32_t bits_of(const uint8_t value[16], unsigned int from, unsigned int n)
{
	uint32_t v = 0;

	for (unsigned int i = n; i--;)
		v = v << 1 | (from + i < 128 && flow_bit(value, 127 - (from + i)));
	return v;
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

int modify_set(struct modify_list *l, struct modify_bits to, unsigned int width,
	       const uint8_t value[16], unsigned int from, struct dv_flow_error *error)
{
	int err = check(to, width, error);

	if (err)
		return err;
	while (width) {
		struct part p = part_of(l, to);
		unsigned int n = least(width, p.left);
		uint8_t *a = next(l, error);

		if (!a)
			return EINVAL;
		PRM_SET(set_action_in, a, action_type, PRM_ACTION_SET);
		PRM_SET(set_action_in, a, field, p.id);
		PRM_SET(set_action_in, a, offset, p.offset);
		PRM_SET(set_action_in, a, length, n % 32); /* 0 is 32 */
		PRM_SET(set_action_in, a, data, bits_of(value, from, n));
		to.offset += n;
		from += n;
		width -= n;
	}
	return 0;
}

int modify_copy(struct modify_list *l, struct modify_bits to, struct modify_bits from,
		unsigned int width, struct dv_flow_error *error)
{
	int err = check(to, width, error);

	if (!err)
		err = check(from, width, error);
	if (err)
		return err;
	while (width) {
		struct part p = part_of(l, to), q = part_of(l, from);
		unsigned int n = least(width, least(p.left, q.left));
		uint8_t *a = next(l, error);

		if (!a)
			return EINVAL;
		PRM_SET(copy_action_in, a, action_type, PRM_ACTION_COPY);
		PRM_SET(copy_action_in, a, src_field, q.id);
		PRM_SET(copy_action_in, a, src_offset, q.offset);
		PRM_SET(copy_action_in, a, length, n % 32);
		PRM_SET(copy_action_in, a, dst_field, p.id);
		PRM_SET(copy_action_in, a, dst_offset, p.offset);
		to.offset += n;
		from.offset += n;
		width -= n;
	}
	return 0;
}

/* add_action_in has neither offset nor length. */
int modify_add(struct modify_list *l, struct modify_bits to, uint32_t value,
	       struct dv_flow_error *error)
{
	unsigned int bits = modify_width(to.field);
	int err = check(to, bits, error);
	uint8_t *a;

	if (err)
		return err;
	if (bits > 32)
		return flow_refuse(
			error, EOPNOTSUPP,
			"modify_field: the device adds to fields of at most 32 bits");
	a = next(l, error);
	if (!a)
		return EINVAL;
	PRM_SET(add_action_in, a, action_type, PRM_ACTION_ADD);
	PRM_SET(add_action_in, a, field, part_of(l, to).id);
	PRM_SET(add_action_in, a, data, bits < 32 ? value & ((1u << bits) - 1) : value);
	return 0;
}

/* ---- modify_field ---- */

static struct modify_bits bits_arg(const struct dv_flow_action *a, enum dv_flow_arg type,
				   enum dv_flow_arg index, enum dv_flow_arg offset)
{
	return (struct modify_bits){ (uint32_t)dv_flow_action_arg(a, type),
				     (uint32_t)dv_flow_action_arg(a, index),
				     (unsigned int)dv_flow_action_arg(a, offset) };
}

static int add_value(struct modify_list *l, const struct dv_flow_action *a,
		     struct modify_bits to, unsigned int width, const uint8_t value[16],
		     struct dv_flow_error *error)
{
	unsigned int from =
		(unsigned int)dv_flow_action_arg(a, FLOW_ARG_MODIFY_FIELD_SRC_OFFSET);
	uint32_t v = bits_of(value, from, least(width, 32));

	if (to.offset || width != modify_width(to.field))
		return flow_refuse(error, EOPNOTSUPP,
				   "modify_field: the device adds to a whole field");
	return modify_add(
		l, to,
		dv_flow_action_arg(a, FLOW_ARG_MODIFY_FIELD_OP) == FLOW_MODIFY_OP_SUB ? -v : v,
		error);
}

int modify_field(struct modify_list *l, const struct dv_flow_action *a,
		 struct dv_flow_error *error)
{
	struct modify_bits to =
		bits_arg(a, FLOW_ARG_MODIFY_FIELD_DST_TYPE, FLOW_ARG_MODIFY_FIELD_DST_TAG_INDEX,
			 FLOW_ARG_MODIFY_FIELD_DST_OFFSET);
	struct modify_bits from =
		bits_arg(a, FLOW_ARG_MODIFY_FIELD_SRC_TYPE, FLOW_ARG_MODIFY_FIELD_SRC_TAG_INDEX,
			 FLOW_ARG_MODIFY_FIELD_SRC_OFFSET);
	unsigned int width = (unsigned int)dv_flow_action_arg(a, FLOW_ARG_MODIFY_FIELD_WIDTH);
	bool set = dv_flow_action_arg(a, FLOW_ARG_MODIFY_FIELD_OP) == FLOW_MODIFY_OP_SET;
	uint8_t value[16] = { 0 };

	if (from.field == FLOW_MODIFY_FIELD_VALUE) {
		if (!a->bytes_len || a->bytes_len > sizeof(value))
			return flow_refuse(error, EINVAL,
					   "modify_field: src_value has 1 to 16 bytes");
		memcpy(value + sizeof(value) - a->bytes_len, a->bytes, a->bytes_len);
		return set ? modify_set(l, to, width, value, from.offset, error)
			   : add_value(l, a, to, width, value, error);
	}
	if (!set)
		return flow_refuse(error, EOPNOTSUPP,
				   "modify_field: the device adds a value, not a field");
	return modify_copy(l, to, from, width, error);
}
