/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Specifications of ibv_create_flow(): a header each with values and a mask, or an action.
 *
 *	|type, size, 0|value: (size - 8) / 2|mask: as much|
 *
 * ib_uverbs looks at sizes and handles (uverbs_cmd.c, kern_spec_to_ib_spec), of all of them;
 * mlx5_ib then makes a fte_match_param of them (fs.c, parse_flow_attr, is_valid_attr).
 */
#include <endian.h>
#include <netinet/in.h>

#include <infiniband/verbs.h>

#include "uverbs/flow.h"

#define HEAD   8
#define FILTER 40 /* the largest: IPv6 */
#define PAIR   16 /* bytes of an action with one number */

#define ETHERTYPE_IPV4	  0x0800
#define ETHERTYPE_IPV6	  0x86dd
#define ETHERTYPE_MPLS	  0x8847
#define ETHERTYPE_MPLS_MC 0x8848

struct spec {
	uint32_t type; /* without INNER */
	bool inner;
	uint16_t size;
	uint32_t number; /* of an action: tag, handle */
	uint8_t value[FILTER], mask[FILTER];
};

/* The bytes of a filter that ib_core knows, and the first ones that mlx5_ib can match. */
static const struct kind {
	uint32_t type;
	uint8_t known, from, to;
} kinds[] = {
	{ IBV_FLOW_SPEC_ETH, 16, 0, 16 },	 { IBV_FLOW_SPEC_IPV4, 12, 0, 10 },
	{ IBV_FLOW_SPEC_IPV6, 40, 0, 38 },	 { IBV_FLOW_SPEC_ESP, 8, 0, 4 },
	{ IBV_FLOW_SPEC_TCP, 4, 0, 4 },		 { IBV_FLOW_SPEC_UDP, 4, 0, 4 },
	{ IBV_FLOW_SPEC_VXLAN_TUNNEL, 4, 0, 4 }, { IBV_FLOW_SPEC_GRE, 8, 2, 8 },
	{ IBV_FLOW_SPEC_MPLS, 4, 0, 4 },
};

static const struct kind *kind_of(uint32_t type)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].type == type)
			return &kinds[i];
	return NULL;
}

static uint16_t get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static uint32_t get32(const uint8_t *p)
{
	return (uint32_t)get16(p) << 16 | get16(p + 2);
}

/* ---- ib_uverbs ---- */

static int read_filter(const uint8_t *at, struct spec *s)
{
	const struct kind *k = kind_of(s->type);
	size_t half = (s->size - HEAD) / 2, n;

	if (s->inner && s->type == IBV_FLOW_SPEC_VXLAN_TUNNEL)
		return -EINVAL;
	if (half % 4 || !k || !half)
		return -EINVAL;
	for (size_t i = k->known; i < half; i++)
		if (at[HEAD + half + i])
			return -EINVAL;
	n = half < k->known ? half : k->known;
	memset(s->value, 0, sizeof(s->value));
	memset(s->mask, 0, sizeof(s->mask));
	memcpy(s->value, at + HEAD, n);
	memcpy(s->mask, at + HEAD + half, n);
	if (s->type == IBV_FLOW_SPEC_IPV6 && (get32(s->value + 32) | get32(s->mask + 32)) >> 20)
		return -EINVAL;
	if (s->type == IBV_FLOW_SPEC_VXLAN_TUNNEL && (get32(s->value) | get32(s->mask)) >> 24)
		return -EINVAL;
	return 0;
}

static int read_action(const uint8_t *at, struct spec *s)
{
	switch (s->type | (s->inner ? IBV_FLOW_SPEC_INNER : 0)) {
	case IBV_FLOW_SPEC_ACTION_DROP:
		return s->size == HEAD ? 0 : -EINVAL;
	case IBV_FLOW_SPEC_ACTION_HANDLE:
		if (s->size != PAIR)
			return -EOPNOTSUPP;
		break;
	case IBV_FLOW_SPEC_ACTION_TAG:
	case IBV_FLOW_SPEC_ACTION_COUNT:
		if (s->size != PAIR)
			return -EINVAL;
		break;
	default:
		return -EINVAL;
	}
	memcpy(&s->number, at + HEAD, sizeof(s->number));
	return 0;
}

/* The specification at @at, of which @left bytes are there. */
static int read_spec(const uint8_t *at, size_t left, struct spec *s)
{
	uint16_t reserved;
	uint32_t type;

	if (left < HEAD)
		return -EINVAL;
	memcpy(&type, at, sizeof(type));
	memcpy(&s->size, at + 4, sizeof(s->size));
	memcpy(&reserved, at + 6, sizeof(reserved));
	s->type = type & ~(uint32_t)IBV_FLOW_SPEC_INNER;
	s->inner = type & IBV_FLOW_SPEC_INNER;
	if (s->size > left || s->size < HEAD || reserved)
		return -EINVAL;
	return type >= IBV_FLOW_SPEC_ACTION_TAG ? read_action(at, s) : read_filter(at, s);
}

static int take_handle(struct uverbs_file *f, const struct spec *s,
		       struct uverbs_flow_specs *all)
{
	struct uverbs_object *o;

	if (s->type == IBV_FLOW_SPEC_ACTION_COUNT) {
		if (uverbs_object_get(f, s->number, UVERBS_COUNTERS, &o))
			return -EINVAL;
		/* mlx5_ib, fs.c, parse_flow_attr: one of them is enough. */
		if (all->counters)
			return -EINVAL;
		all->counters = core_container(o, struct uverbs_counters, obj);
	}
	if (s->type == IBV_FLOW_SPEC_ACTION_HANDLE) {
		if (uverbs_object_get(f, s->number, UVERBS_FLOW_ACTION, &o))
			return -EINVAL;
		all->action[all->actions++] = core_container(o, struct uverbs_flow_action, obj);
	}
	return 0;
}

/* mlx5_ib, fs.c, flow_is_multicast_only: the first one decides. */
static bool is_multicast(const struct spec *s)
{
	if (s->inner)
		return false;
	if (s->type == IBV_FLOW_SPEC_IPV4)
		return IN_MULTICAST(get32(s->value + 4));
	return s->type == IBV_FLOW_SPEC_ETH && s->value[0] & s->mask[0] & 1;
}

int uverbs_flow_specs_check(struct uverbs_file *f, const uint8_t *bytes, size_t len, uint32_t n,
			    struct uverbs_flow_specs *all)
{
	size_t at = 0;
	struct spec s;
	int ret;

	for (uint32_t i = 0; i < n; i++) {
		ret = read_spec(bytes + at, len - at, &s);
		if (!ret)
			ret = take_handle(f, &s, all);
		if (ret)
			return ret;
		if (!i)
			all->multicast = is_multicast(&s);
		at += s.size;
	}
	return at == len ? 0 : -EINVAL;
}

/* ---- mlx5_ib ---- */

#define L24(f, c, v)                                 \
	(PRM_SET(fte_match_set_lyr_2_4, mask, f, c), \
	 PRM_SET(fte_match_set_lyr_2_4, value, f, v))

/* fs.c, set_proto: two headers that say different things of the protocol. */
static int set_proto(uint8_t *mask, uint8_t *value, uint8_t m, uint8_t v)
{
	uint8_t was = PRM_GET(fte_match_set_lyr_2_4, mask, ip_protocol);

	if (!m)
		return 0;
	if (was)
		return was == m && PRM_GET(fte_match_set_lyr_2_4, value, ip_protocol) == v
			       ? 0
			       : -EINVAL;
	L24(ip_protocol, m, v);
	return 0;
}

static void set_eth(uint8_t *mask, uint8_t *value, const struct spec *s)
{
	uint16_t vlan = get16(s->mask + 14), v = get16(s->value + 14);

	memcpy(PRM_ADDR(fte_match_set_lyr_2_4, mask, dmac_47_16), s->mask, 6);
	memcpy(PRM_ADDR(fte_match_set_lyr_2_4, value, dmac_47_16), s->value, 6);
	memcpy(PRM_ADDR(fte_match_set_lyr_2_4, mask, smac_47_16), s->mask + 6, 6);
	memcpy(PRM_ADDR(fte_match_set_lyr_2_4, value, smac_47_16), s->value + 6, 6);
	L24(ethertype, get16(s->mask + 12), get16(s->value + 12));
	if (!vlan)
		return;
	L24(cvlan_tag, 1, 1);
	L24(first_vid, vlan & 0xfff, v & 0xfff);
	L24(first_cfi, vlan >> 12 & 1, v >> 12 & 1);
	L24(first_prio, vlan >> 13, v >> 13);
}

static void set_version(const struct uverbs *u, uint8_t *mask, uint8_t *value,
			const struct spec *s, uint8_t version, uint16_t ethertype)
{
	const uint8_t *fields =
		PRM_ADDR(flow_table_prop_layout, uverbs_flow_caps(u, UVERBS_FLOW_BYPASS),
			 ft_field_support);

	if (s->inner ? PRM_GET(flow_table_fields_supported, fields, inner_ip_version)
		     : PRM_GET(flow_table_fields_supported, fields, outer_ip_version))
		L24(ip_version, 0xf, version);
	else
		L24(ethertype, 0xffff, ethertype);
}

static void set_tos(uint8_t *mask, uint8_t *value, uint8_t m, uint8_t v)
{
	L24(ip_ecn, m & 3, v & 3);
	L24(ip_dscp, m >> 2, v >> 2);
}

static int set_ipv4(const struct uverbs *u, uint8_t *mask, uint8_t *value, const struct spec *s)
{
	const size_t last = PRM_SZ(ipv4_layout) - 4;

	set_version(u, mask, value, s, 4, ETHERTYPE_IPV4);
	memcpy(PRM_ADDR(fte_match_set_lyr_2_4, mask, src_ipv4_src_ipv6) + last, s->mask, 4);
	memcpy(PRM_ADDR(fte_match_set_lyr_2_4, value, src_ipv4_src_ipv6) + last, s->value, 4);
	memcpy(PRM_ADDR(fte_match_set_lyr_2_4, mask, dst_ipv4_dst_ipv6) + last, s->mask + 4, 4);
	memcpy(PRM_ADDR(fte_match_set_lyr_2_4, value, dst_ipv4_dst_ipv6) + last, s->value + 4,
	       4);
	set_tos(mask, value, s->mask[9], s->value[9]);
	return set_proto(mask, value, s->mask[8], s->value[8]);
}

static int set_ipv6(const struct uverbs *u, struct uverbs_match *all, uint8_t *mask,
		    uint8_t *value, const struct spec *s)
{
	uint8_t *mm = PRM_ADDR(fte_match_param, all->mask, misc_parameters);
	uint8_t *mv = PRM_ADDR(fte_match_param, all->value, misc_parameters);
	uint32_t m = get32(s->mask + 32), v = get32(s->value + 32);

	set_version(u, mask, value, s, 6, ETHERTYPE_IPV6);
	memcpy(PRM_ADDR(fte_match_set_lyr_2_4, mask, src_ipv4_src_ipv6), s->mask, 16);
	memcpy(PRM_ADDR(fte_match_set_lyr_2_4, value, src_ipv4_src_ipv6), s->value, 16);
	memcpy(PRM_ADDR(fte_match_set_lyr_2_4, mask, dst_ipv4_dst_ipv6), s->mask + 16, 16);
	memcpy(PRM_ADDR(fte_match_set_lyr_2_4, value, dst_ipv4_dst_ipv6), s->value + 16, 16);
	set_tos(mask, value, s->mask[37], s->value[37]);
	if (s->inner) {
		PRM_SET(fte_match_set_misc, mm, inner_ipv6_flow_label, m);
		PRM_SET(fte_match_set_misc, mv, inner_ipv6_flow_label, v);
	} else {
		PRM_SET(fte_match_set_misc, mm, outer_ipv6_flow_label, m);
		PRM_SET(fte_match_set_misc, mv, outer_ipv6_flow_label, v);
	}
	return set_proto(mask, value, s->mask[36], s->value[36]);
}

/* Destination port first, as verbs have it. */
static int set_ports(uint8_t *mask, uint8_t *value, const struct spec *s)
{
	bool tcp = s->type == IBV_FLOW_SPEC_TCP;
	int ret = set_proto(mask, value, 0xff, tcp ? IPPROTO_TCP : IPPROTO_UDP);

	if (ret)
		return ret;
	if (tcp) {
		L24(tcp_dport, get16(s->mask), get16(s->value));
		L24(tcp_sport, get16(s->mask + 2), get16(s->value + 2));
	} else {
		L24(udp_dport, get16(s->mask), get16(s->value));
		L24(udp_sport, get16(s->mask + 2), get16(s->value + 2));
	}
	return 0;
}

static int set_gre(struct uverbs_match *all, uint8_t *mask, uint8_t *value,
		   const struct spec *s)
{
	uint8_t *mm = PRM_ADDR(fte_match_param, all->mask, misc_parameters);
	uint8_t *mv = PRM_ADDR(fte_match_param, all->value, misc_parameters);

	PRM_SET(fte_match_set_misc, mm, gre_protocol, get16(s->mask + 2));
	PRM_SET(fte_match_set_misc, mv, gre_protocol, get16(s->value + 2));
	memcpy(PRM_ADDR(fte_match_set_misc, mm, gre_key), s->mask + 4, 4);
	memcpy(PRM_ADDR(fte_match_set_misc, mv, gre_key), s->value + 4, 4);
	return set_proto(mask, value, 0xff, IPPROTO_GRE);
}

static void set_vxlan(struct uverbs_match *all, const struct spec *s)
{
	uint8_t *mm = PRM_ADDR(fte_match_param, all->mask, misc_parameters);
	uint8_t *mv = PRM_ADDR(fte_match_param, all->value, misc_parameters);

	PRM_SET(fte_match_set_misc, mm, vxlan_vni, get32(s->mask));
	PRM_SET(fte_match_set_misc, mv, vxlan_vni, get32(s->value));
}

#define MPLS(field)                                                            \
	do {                                                                   \
		have = PRM_GET(flow_table_fields_supported, fields, field);    \
		memcpy(PRM_ADDR(fte_match_set_misc2, mm, field), s->mask, 4);  \
		memcpy(PRM_ADDR(fte_match_set_misc2, mv, field), s->value, 4); \
	} while (0)

/* fs.c, check_mpls_supp_fields: label, experimental bits, bottom of stack, time to live have a
 * bit each, the label the lowest. */
static int set_mpls(const struct uverbs *u, struct uverbs_match *all, const struct spec *s,
		    uint32_t before)
{
	const uint8_t *fields =
		PRM_ADDR(flow_table_prop_layout, uverbs_flow_caps(u, UVERBS_FLOW_BYPASS),
			 ft_field_support);
	uint8_t *mm = PRM_ADDR(fte_match_param, all->mask, misc_parameters_2);
	uint8_t *mv = PRM_ADDR(fte_match_param, all->value, misc_parameters_2);
	uint32_t label = get32(s->mask), wanted, have;

	wanted = (label >> 12 ? 1 : 0) | (label & 0xe00 ? 2 : 0) | (label & 0x100 ? 4 : 0) |
		 (label & 0xff ? 8 : 0);
	if (before == IBV_FLOW_SPEC_UDP)
		MPLS(outer_first_mpls_over_udp);
	else if (before == IBV_FLOW_SPEC_GRE)
		MPLS(outer_first_mpls_over_gre);
	else if (s->inner)
		MPLS(inner_first_mpls);
	else
		MPLS(outer_first_mpls);
	return wanted & ~have ? -EOPNOTSUPP : 0;
}

/* A mask beyond the bytes that can be matched (FIELDS_NOT_SUPPORTED). */
static bool supported(const struct spec *s)
{
	const struct kind *k = kind_of(s->type);

	for (size_t i = 0; i < k->known; i++)
		if (s->mask[i] && (i < k->from || i >= k->to))
			return false;
	return true;
}

static int set_header(const struct uverbs *u, struct uverbs_match *all, const struct spec *s,
		      uint32_t before)
{
	uint8_t *mask = s->inner ? PRM_ADDR(fte_match_param, all->mask, inner_headers)
				 : PRM_ADDR(fte_match_param, all->mask, outer_headers);
	uint8_t *value = s->inner ? PRM_ADDR(fte_match_param, all->value, inner_headers)
				  : PRM_ADDR(fte_match_param, all->value, outer_headers);

	if (!supported(s))
		return -EOPNOTSUPP;
	switch (s->type) {
	case IBV_FLOW_SPEC_ESP: /* mlx5_ib cannot */
		return -EOPNOTSUPP;
	case IBV_FLOW_SPEC_ETH:
		set_eth(mask, value, s);
		return 0;
	case IBV_FLOW_SPEC_IPV4:
		return set_ipv4(u, mask, value, s);
	case IBV_FLOW_SPEC_IPV6:
		return set_ipv6(u, all, mask, value, s);
	case IBV_FLOW_SPEC_TCP:
	case IBV_FLOW_SPEC_UDP:
		return set_ports(mask, value, s);
	case IBV_FLOW_SPEC_GRE:
		return set_gre(all, mask, value, s);
	case IBV_FLOW_SPEC_MPLS:
		return set_mpls(u, all, s, before);
	default:
		set_vxlan(all, s);
		return 0;
	}
}

/* fs.c, is_valid_ethertype: what Ethernet's header says, and the header that follows. */
struct types {
	bool eth, ipv4, ipv6;
	uint16_t mask, type;
};

static void note_types(struct types t[2], const struct spec *s)
{
	struct types *at = &t[s->inner];

	if (s->type == IBV_FLOW_SPEC_ETH && get16(s->mask + 12)) {
		at->eth = true;
		at->mask = get16(s->mask + 12);
		at->type = at->mask & get16(s->value + 12);
	}
	at->ipv4 |= s->type == IBV_FLOW_SPEC_IPV4;
	at->ipv6 |= s->type == IBV_FLOW_SPEC_IPV6;
}

static bool types_ok(const struct types *t)
{
	if (!t->eth || (!t->ipv4 && !t->ipv6) || t->mask != 0xffff)
		return true;
	return t->type == ETHERTYPE_MPLS || t->type == ETHERTYPE_MPLS_MC ||
	       (t->type == ETHERTYPE_IPV4 && t->ipv4) || (t->type == ETHERTYPE_IPV6 && t->ipv6);
}

static int check_types(const uint8_t *bytes, uint32_t n)
{
	struct types t[2] = { 0 };
	struct spec s;

	for (uint32_t i = 0; i < n; i++, bytes += s.size) {
		read_spec(bytes, UINT16_MAX, &s);
		if (s.type < IBV_FLOW_SPEC_ACTION_TAG)
			note_types(t, &s);
	}
	return types_ok(&t[0]) && types_ok(&t[1]) ? 0 : -EINVAL;
}

static int set_action(const struct spec *s, struct uverbs_flow_specs *all, uint32_t *next)
{
	switch (s->type) {
	case IBV_FLOW_SPEC_ACTION_TAG:
		if (s->number > UVERBS_FLOW_TAG_MAX)
			return -EINVAL;
		all->act.has_tag = true;
		all->act.tag = s->number;
		return 0;
	case IBV_FLOW_SPEC_ACTION_DROP:
		all->act.action |= PRM_FLOW_CONTEXT_ACTION_DROP;
		return 0;
	case IBV_FLOW_SPEC_ACTION_COUNT:
		all->act.action |= PRM_FLOW_CONTEXT_ACTION_COUNT;
		return 0;
	default:
		return uverbs_flow_action_apply(all->action[(*next)++], &all->act);
	}
}

int uverbs_flow_specs_parse(const struct uverbs *u, const uint8_t *bytes, uint32_t n,
			    struct uverbs_flow_specs *all)
{
	uint32_t before = 0, next = 0;
	int ret = check_types(bytes, n);
	struct spec s;

	for (uint32_t i = 0; i < n && !ret; i++, bytes += s.size) {
		read_spec(bytes, UINT16_MAX, &s);
		if (s.type >= IBV_FLOW_SPEC_ACTION_TAG)
			ret = set_action(&s, all, &next);
		else
			ret = set_header(u, &all->match, &s, before);
		before = s.type;
	}
	return ret;
}
