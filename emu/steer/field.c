/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Modify header actions: fields of the outermost headers and registers are set, added to,
 * copied.
 *
 *	set  field[offset + length - 1 : offset] = data
 *	add  field += data
 *	copy dst[dst_offset …] = src[src_offset …], length bits
 *
 * Offsets count from the least significant bit of a field; length 0 is 32 (Linux, mlx5_ifc.h).
 * The checksums of IPv4, TCP and UDP headers change with what they cover (RFC 1624); one that
 * was wrong stays wrong.
 */
#include <netinet/in.h>
#include <string.h>

#include "prm/prm.h"
#include "steer/work.h"

#define ID(name) PRM_ACTION_IN_FIELD_##name

enum header { L2, TYPE, TAG, IP, IPV4, IPV6, AT_TCP, AT_UDP };

/* Where a field is in the packet: bits from the start of a header. */
static const struct place {
	uint8_t field, header;
	uint16_t bit;
} places[] = {
	{ ID(OUT_SMAC_47_16), L2, 48 },	     { ID(OUT_SMAC_15_0), L2, 80 },
	{ ID(OUT_DMAC_47_16), L2, 0 },	     { ID(OUT_DMAC_15_0), L2, 32 },
	{ ID(OUT_ETHERTYPE), TYPE, 0 },	     { ID(OUT_FIRST_VID), TAG, 20 },
	{ ID(OUT_IP_DSCP), IP, 0 },	     { ID(OUT_IP_TTL), IPV4, 64 },
	{ ID(OUT_SIPV4), IPV4, 96 },	     { ID(OUT_DIPV4), IPV4, 128 },
	{ ID(OUT_IPV6_HOPLIMIT), IPV6, 56 }, { ID(OUT_SIPV6_127_96), IPV6, 64 },
	{ ID(OUT_SIPV6_95_64), IPV6, 96 },   { ID(OUT_SIPV6_63_32), IPV6, 128 },
	{ ID(OUT_SIPV6_31_0), IPV6, 160 },   { ID(OUT_DIPV6_127_96), IPV6, 192 },
	{ ID(OUT_DIPV6_95_64), IPV6, 224 },  { ID(OUT_DIPV6_63_32), IPV6, 256 },
	{ ID(OUT_DIPV6_31_0), IPV6, 288 },   { ID(OUT_TCP_SPORT), AT_TCP, 0 },
	{ ID(OUT_TCP_DPORT), AT_TCP, 16 },   { ID(OUT_TCP_SEQ_NUM), AT_TCP, 32 },
	{ ID(OUT_TCP_ACK_NUM), AT_TCP, 64 }, { ID(OUT_TCP_FLAGS), AT_TCP, 103 },
	{ ID(OUT_UDP_SPORT), AT_UDP, 0 },    { ID(OUT_UDP_DPORT), AT_UDP, 16 },
};

static uint32_t *reg_of(struct steer_meta *m, uint32_t field)
{
	if (field == ID(METADATA_REG_A))
		return &m->reg_a;
	if (field == ID(METADATA_REG_B))
		return &m->reg_b;
	if (field >= ID(METADATA_REG_C_0) && field <= ID(METADATA_REG_C_7))
		return &m->reg_c[field - ID(METADATA_REG_C_0)];
	return NULL;
}

/* The first bit of @at in the packet; false: the packet lacks its header. */
static bool find(const struct steer_work *w, const struct place *at, size_t *bit)
{
	const struct steer_layer *l = &w->h.outer;
	size_t header = 0;
	bool there = true;

	*bit = at->bit;
	switch (at->header) {
	case L2:
		break;
	case TYPE:
		header = 12 + 4 * l->vlans;
		break;
	case TAG:
		there = l->vlans;
		header = l->vlan[0];
		break;
	case IP: /* the class: 8 bits from the start in IPv4, 4 in IPv6 */
		there = l->version;
		header = l->l3;
		*bit += l->version == 4 ? 8 : 4;
		break;
	case IPV4:
	case IPV6:
		there = l->version == (at->header == IPV4 ? 4 : 6);
		header = l->l3;
		break;
	default:
		there = l->l4 &&
			l->protocol == (at->header == AT_TCP ? IPPROTO_TCP : IPPROTO_UDP);
		header = l->l4;
		break;
	}
	*bit += header * 8;
	return there;
}

/* assumed(fields_that_a_packet_lacks): an action on a field whose header is not there changes
 * nothing; copied from such a field is 0. */
static bool bit_of(const struct steer_work *w, uint32_t field, size_t *bit)
{
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (places[i].field == field)
			return find(w, &places[i], bit);
	return false;
}

static uint32_t get(struct steer_work *w, uint32_t field)
{
	const uint32_t *reg = reg_of(&w->p.meta, field);
	size_t bit;

	if (reg)
		return *reg;
	return bit_of(w, field, &bit) ? prm_load(w->own, bit, hca_header_field_bits(field)) : 0;
}

static void set(struct steer_work *w, uint32_t field, uint32_t v)
{
	uint32_t *reg = reg_of(&w->p.meta, field);
	size_t bit;

	if (reg)
		*reg = v;
	else if (bit_of(w, field, &bit))
		prm_store(w->own, bit, hca_header_field_bits(field), v);
}

/* The bits of @length from @offset on. */
static uint32_t mask_of(uint32_t offset, uint32_t length)
{
	return (uint32_t)(((1ull << (length ? length : 32)) - 1) << offset);
}

static void put(struct steer_work *w, uint32_t field, uint32_t offset, uint32_t length,
		uint32_t v)
{
	uint32_t mask = mask_of(offset, length);

	set(w, field, (get(w, field) & ~mask) | (v << offset & mask));
}

static void act(struct steer_work *w, const uint8_t *a)
{
	uint32_t field = PRM_GET(set_action_in, a, field), v;

	switch (PRM_GET(set_action_in, a, action_type)) {
	case PRM_ACTION_SET:
		put(w, field, PRM_GET(set_action_in, a, offset),
		    PRM_GET(set_action_in, a, length), PRM_GET(set_action_in, a, data));
		break;
	case PRM_ACTION_ADD:
		set(w, field, get(w, field) + PRM_GET(add_action_in, a, data));
		break;
	default:
		v = get(w, field) >> PRM_GET(copy_action_in, a, src_offset);
		put(w, PRM_GET(copy_action_in, a, dst_field),
		    PRM_GET(copy_action_in, a, dst_offset), PRM_GET(copy_action_in, a, length),
		    v);
		break;
	}
}

/* ---- checksums ---- */

static uint64_t sum(const uint8_t *p, size_t len)
{
	uint64_t s = 0;

	for (size_t i = 0; i + 1 < len; i += 2)
		s += core_be16(p + i);
	return s;
}

/* Sums of the fields in the checksums of IPv4 and of layer 4, without payload and checksum. */
struct sums {
	uint64_t ip, l4;
};

static size_t check_at(const struct steer_layer *l)
{
	return l->protocol == IPPROTO_TCP ? 16 : 6;
}

static struct sums sums_of(const struct steer_work *w)
{
	const struct steer_layer *l = &w->h.outer;
	const uint8_t *ip = w->own + l->l3, *l4 = w->own + l->l4;
	struct sums s = { 0 };

	if (l->version == 4)
		s.ip = sum(ip, 10) + sum(ip + 12, 8);
	s.l4 = l->version == 4 ? sum(ip + 12, 8) : l->version ? sum(ip + 8, 32) : 0;
	if (l->l4 && l->protocol == IPPROTO_TCP)
		s.l4 += sum(l4, 16);
	else if (l->l4 && l->protocol == IPPROTO_UDP)
		s.l4 += sum(l4, 6);
	return s;
}

/* RFC 1624, equation 3: the checksum at @p when what it covers changed its sum. */
static uint16_t corrected(const uint8_t *p, uint64_t was, uint64_t is)
{
	uint64_t s = (uint16_t)~core_be16(p);

	while (was >> 16)
		was = (was & 0xffff) + (was >> 16);
	s += (uint16_t)~was + is;
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	return ~s;
}

static void correct_l4(struct steer_work *w, uint64_t was, uint64_t is)
{
	const struct steer_layer *l = &w->h.outer;
	uint8_t *at = w->own + l->l4 + check_at(l);
	uint16_t v;

	if (!l->l4 || (l->protocol != IPPROTO_TCP && l->protocol != IPPROTO_UDP) || was == is)
		return;
	if (l->protocol == IPPROTO_UDP && !core_be16(at)) /* it has none: RFC 768 */
		return;
	v = corrected(at, was, is);
	core_put_be16(at, v || l->protocol == IPPROTO_TCP ? v : 0xffff);
}

void steer_modify(struct steer_work *w, const uint8_t (*actions)[HCA_HEADER_ACTION_SIZE],
		  uint32_t n)
{
	const struct steer_layer *l = &w->h.outer;
	struct sums was = sums_of(w), is;

	for (uint32_t i = 0; i < n; i++)
		act(w, actions[i]);
	is = sums_of(w);
	if (l->version == 4 && was.ip != is.ip)
		core_put_be16(w->own + l->l3 + 10,
			      corrected(w->own + l->l3 + 10, was.ip, is.ip));
	correct_l4(w, was.l4, is.l4);
}
