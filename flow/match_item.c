/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Meanings of items besides their fields: the order of headers, the protocol that leads to a
 * header, VLAN tags, fragments, MPLS labels, registers.
 */
#include <errno.h>

#include "build.h"

enum level { ANYWHERE, L2 = 2, L3, L4, TUNNEL };

/* How a header is recognised. */
enum {
	PROTO_ICMP = 1,
	PROTO_TCP = 6,
	PROTO_UDP = 17,
	PROTO_GRE = 47,
	PROTO_ESP = 50,
	PROTO_ICMP6 = 58,
	PROTO_SCTP = 132,
	PROTO_HOP_BY_HOP = 0,
	PROTO_ROUTING = 43,
	PROTO_FRAGMENT = 44,
	PROTO_AH = 51,
	PROTO_OPTIONS = 60,
	TYPE_IPV4 = 0x0800,
	TYPE_IPV6 = 0x86dd,
	TYPE_MPLS = 0x8847,
	TYPE_MPLS_MULTICAST = 0x8848,
	TYPE_TEB = 0x6558, /* an Ethernet frame in GRE */
	GTP_G_PDU = 255,   /* a packet of the user */
	TPID_C = 0x8100,
	TPID_S = 0x88a8,
};

static const struct {
	enum level level;
	uint8_t protocol; /* of IP; 0: another header leads to it */
	uint16_t port;	  /* of UDP */
	bool tunnel;
} about[FLOW_ITEMS] = {
	[FLOW_ITEM_ETH] = { L2, 0, 0, false },
	[FLOW_ITEM_VLAN] = { L2, 0, 0, false },
	[FLOW_ITEM_IPV4] = { L3, 0, 0, false },
	[FLOW_ITEM_IPV6] = { L3, 0, 0, false },
	[FLOW_ITEM_IPV6_FRAG_EXT] = { L3, 0, 0, false },
	[FLOW_ITEM_ICMP] = { L4, PROTO_ICMP, 0, false },
	[FLOW_ITEM_ICMP6] = { L4, PROTO_ICMP6, 0, false },
	[FLOW_ITEM_UDP] = { L4, PROTO_UDP, 0, false },
	[FLOW_ITEM_TCP] = { L4, PROTO_TCP, 0, false },
	[FLOW_ITEM_SCTP] = { L4, PROTO_SCTP, 0, false },
	[FLOW_ITEM_ESP] = { L4, PROTO_ESP, 0, false },
	[FLOW_ITEM_GRE] = { L4, PROTO_GRE, 0, true },
	[FLOW_ITEM_NVGRE] = { L4, PROTO_GRE, 0, true },
	[FLOW_ITEM_GRE_KEY] = { TUNNEL, 0, 0, true },
	[FLOW_ITEM_VXLAN] = { TUNNEL, 0, PORT_VXLAN, true },
	[FLOW_ITEM_VXLAN_GPE] = { TUNNEL, 0, PORT_VXLAN_GPE, true },
	[FLOW_ITEM_GENEVE] = { TUNNEL, 0, PORT_GENEVE, true },
	[FLOW_ITEM_GTP] = { TUNNEL, 0, PORT_GTP, true },
	[FLOW_ITEM_IB_BTH] = { TUNNEL, 0, PORT_ROCE, false },
	[FLOW_ITEM_MPLS] = { ANYWHERE, 0, 0, false },
};

/* The values of a type or protocol that lead to a header. One that has none here is refused
 * after a value. Frames of Ethernet in a tunnel need no eth item. */
#define ETHERTYPE(FIELD)                                          \
	{ FLOW_##FIELD, FLOW_ITEM_IPV4, TYPE_IPV4 },              \
		{ FLOW_##FIELD, FLOW_ITEM_IPV6, TYPE_IPV6 },      \
		{ FLOW_##FIELD, FLOW_ITEM_MPLS, TYPE_MPLS },      \
	{                                                         \
		FLOW_##FIELD, FLOW_ITEM_MPLS, TYPE_MPLS_MULTICAST \
	}
#define TAG(FIELD)                                   \
	{ FLOW_##FIELD, FLOW_ITEM_VLAN, TPID_C },    \
	{                                            \
		FLOW_##FIELD, FLOW_ITEM_VLAN, TPID_S \
	}
#define FRAME(FIELD, value)                                                              \
	{ FLOW_##FIELD, FLOW_ITEM_ETH, value }, { FLOW_##FIELD, FLOW_ITEM_VLAN, value }, \
		{ FLOW_##FIELD, FLOW_ITEM_IPV4, value },                                 \
	{                                                                                \
		FLOW_##FIELD, FLOW_ITEM_IPV6, value                                      \
	}

static const struct {
	enum dv_flow_field field;
	enum dv_flow_item_type next;
	uint16_t value;
} leads[] = {
	ETHERTYPE(ETH_TYPE),
	TAG(ETH_TYPE),
	ETHERTYPE(VLAN_INNER_TYPE),
	TAG(VLAN_INNER_TYPE),
	ETHERTYPE(GRE_PROTOCOL),
	FRAME(GRE_PROTOCOL, TYPE_TEB),
	ETHERTYPE(GENEVE_PROTOCOL),
	FRAME(GENEVE_PROTOCOL, TYPE_TEB),
	{ FLOW_VXLAN_GPE_PROTOCOL, FLOW_ITEM_IPV4, 1 },
	{ FLOW_VXLAN_GPE_PROTOCOL, FLOW_ITEM_IPV6, 2 },
	FRAME(VXLAN_GPE_PROTOCOL, 3),
	{ FLOW_VXLAN_GPE_PROTOCOL, FLOW_ITEM_MPLS, 5 },
	{ FLOW_GTP_MSG_TYPE, FLOW_ITEM_IPV4, GTP_G_PDU },
	{ FLOW_GTP_MSG_TYPE, FLOW_ITEM_IPV6, GTP_G_PDU },
};

/* Records the field by which the item names the next header, if it has one. */
static void lead(struct build *b)
{
	if (!build_is_header(b->item->type) || b->item->type == FLOW_ITEM_GRE_KEY)
		return;
	b->leads_mask = 0;
	for (size_t i = 0; i < ARRAY_SIZE(leads); i++) {
		if (flow_fields[leads[i].field].item != b->item->type)
			continue;
		b->leads = leads[i].field;
		b->leads_to = dv_flow_field_get(b->spec, leads[i].field);
		b->leads_mask = dv_flow_field_get(b->mask, leads[i].field);
	}
}

int build_leads(struct build *b)
{
	const struct field_row *row = &flow_fields[b->leads];
	enum dv_flow_item_type type = b->item->type;

	if (!b->leads_mask || !build_is_header(type) || type == FLOW_ITEM_GRE_KEY)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(leads); i++)
		if (leads[i].field == b->leads && leads[i].next == type &&
		    (leads[i].value & b->leads_mask) == b->leads_to)
			return 0;
	return flow_refuse(b->error, EINVAL, "%s: %s %s leads to another header: 0x%llx",
			   flow_items[type], flow_items[row->item], row->word,
			   (unsigned long long)b->leads_to);
}

bool build_is_header_of_tunnel(enum dv_flow_item_type type)
{
	return about[type].tunnel || about[type].level == ANYWHERE || type == FLOW_ITEM_IB_BTH;
}

bool build_is_header(enum dv_flow_item_type type)
{
	return about[type].level != ANYWHERE || type == FLOW_ITEM_MPLS;
}

bool build_is_tunnel(const struct build *b)
{
	return about[b->item->type].tunnel ||
	       (b->item->type == FLOW_ITEM_MPLS &&
		(b->before == FLOW_ITEM_UDP || b->before == FLOW_ITEM_GRE));
}

static int wrong_place(const struct build *b, const char *why)
{
	return flow_refuse(b->error, EINVAL, "%s: %s", flow_items[b->item->type], why);
}

/* Two headers of one level: only a tag after a tag, a fragment header after IPv6, ESP in
 * UDP. */
static bool may_repeat(const struct build *b)
{
	switch (b->item->type) {
	case FLOW_ITEM_VLAN:
		return b->before == FLOW_ITEM_ETH || b->before == FLOW_ITEM_VLAN;
	case FLOW_ITEM_IPV6_FRAG_EXT:
		return b->before == FLOW_ITEM_IPV6;
	case FLOW_ITEM_ESP:
		return b->before == FLOW_ITEM_UDP;
	default:
		return false;
	}
}

static int order_of_tunnel(struct build *b)
{
	enum dv_flow_item_type type = b->item->type;

	if (type == FLOW_ITEM_GRE_KEY)
		return b->before == FLOW_ITEM_GRE ? 0 : wrong_place(b, "it follows gre");
	if (b->inner)
		return wrong_place(b, "the device matches no tunnel in a tunnel");
	if (about[type].port && b->before != FLOW_ITEM_UDP)
		return wrong_place(b, "it follows udp");
	return 0;
}

int build_order(struct build *b)
{
	enum dv_flow_item_type type = b->item->type;
	enum level level = about[type].level;

	if (about[type].tunnel || type == FLOW_ITEM_IB_BTH) {
		int err = order_of_tunnel(b);

		if (err || type == FLOW_ITEM_GRE_KEY)
			return err;
	}
	if (level == ANYWHERE)
		return 0;
	if (type == FLOW_ITEM_IPV6_FRAG_EXT && b->before != FLOW_ITEM_IPV6)
		return wrong_place(b, "it follows ipv6");
	if (level == L4 && b->level < L3)
		return wrong_place(b, "it follows ipv4 or ipv6");
	if (type == FLOW_ITEM_ICMP && build_value(b, LAYERED(b, ip_version), 4) != 4)
		return wrong_place(b, "it follows ipv4");
	if (type == FLOW_ITEM_ICMP6 && build_value(b, LAYERED(b, ip_version), 4) != 6)
		return wrong_place(b, "it follows ipv6");
	if (level == L2 && b->before == FLOW_ITEM_GTP)
		return wrong_place(b, "not after gtp");
	if (level < b->level || (level == b->level && !may_repeat(b)))
		return wrong_place(b, "not after the item before it");
	b->level = level;
	return 0;
}

/* Whether the field is compared with exactly this value. */
static bool is_exactly(const struct build *b, enum dv_flow_field field, uint64_t v)
{
	const struct field_row *row = &flow_fields[field];

	return flow_all_bits(b->mask, row->bit, row->bits) &&
	       dv_flow_field_get(b->spec, field) == v;
}

static void ethertype(struct build *b, enum dv_flow_field field)
{
	const struct field_row *row = &flow_fields[field];

	build_copy(b, row->bit, LAYERED(b, ethertype), row->bits);
}

/* The first tag: 0x8100, 0x88a8, or absent. */
static int first_tag(struct build *b, bool c, bool s)
{
	int err = s ? 0 : build_set(b, LAYERED(b, cvlan_tag), 1, c);

	if (s)
		build_need(b, NEED_LAYER(b, first_svlan));
	return err || c ? err : build_set(b, LAYERED(b, svlan_tag), 1, s);
}

static int eth(struct build *b)
{
	unsigned int has_vlan = flow_fields[FLOW_ETH_HAS_VLAN].bit;
	bool c = is_exactly(b, FLOW_ETH_TYPE, TPID_C), s = is_exactly(b, FLOW_ETH_TYPE, TPID_S);

	if (c || s) {
		if (flow_bit(b->mask, has_vlan) && !flow_bit(b->spec, has_vlan))
			return flow_refuse(b->error, EINVAL,
					   "eth: a tag by type, none by has_vlan");
		return first_tag(b, c, s);
	}
	ethertype(b, FLOW_ETH_TYPE);
	return flow_bit(b->mask, has_vlan) ? first_tag(b, flow_bit(b->spec, has_vlan), false)
					   : 0;
}

/* The second tag: @svlan: with 0x88a8. */
static int second_tag(struct build *b, bool svlan, bool present)
{
	uint16_t c = b->inner ? PLACE(misc_parameters.inner_second_cvlan_tag)
			      : PLACE(misc_parameters.outer_second_cvlan_tag);
	uint16_t s = b->inner ? PLACE(misc_parameters.inner_second_svlan_tag)
			      : PLACE(misc_parameters.outer_second_svlan_tag);

	if (svlan)
		build_need(b, NEED_LAYER(b, second_svlan));
	return build_set(b, svlan ? s : c, 1, present);
}

static int no_second_tag(struct build *b)
{
	int err = second_tag(b, false, false);

	return err ? err : second_tag(b, true, false);
}

static int first_vlan(struct build *b)
{
	build_copy(b, 0, LAYERED(b, first_prio), 16);
	/* The type before it may have said 0x88a8. */
	return first_tag(b, !build_has(b, LAYERED(b, svlan_tag), 1),
			 build_has(b, LAYERED(b, svlan_tag), 1));
}

static int second_vlan(struct build *b)
{
	uint16_t s = b->inner ? PLACE(misc_parameters.inner_second_svlan_tag)
			      : PLACE(misc_parameters.outer_second_svlan_tag);
	const uint16_t needs[] = { NEED_LAYER(b, second_prio), NEED_LAYER(b, second_cfi),
				   NEED_LAYER(b, second_vid) };
	const enum dv_flow_field fields[] = { FLOW_VLAN_PCP, FLOW_VLAN_DEI, FLOW_VLAN_VID };

	build_copy(b, 0,
		   b->inner ? PLACE(misc_parameters.inner_second_prio)
			    : PLACE(misc_parameters.outer_second_prio),
		   16);
	for (unsigned int i = 0; i < ARRAY_SIZE(fields); i++)
		if (flow_any_bit(b->mask, flow_fields[fields[i]].bit,
				 flow_fields[fields[i]].bits))
			build_need(b, needs[i]);
	return build_value(b, s, 1) ? 0 : second_tag(b, false, true);
}

static int vlan(struct build *b)
{
	const struct field_row *more = &flow_fields[FLOW_VLAN_HAS_MORE_VLAN];
	bool tag_follows = is_exactly(b, FLOW_VLAN_INNER_TYPE, TPID_C) ||
			   is_exactly(b, FLOW_VLAN_INNER_TYPE, TPID_S);
	int err;

	if (b->vlans >= 2 || (b->vlans && (tag_follows || flow_bit(b->mask, more->bit))))
		return flow_refuse(b->error, EOPNOTSUPP, "vlan: the device matches two tags");
	if (build_has(b, LAYERED(b, ethertype), 16))
		return wrong_place(b, "the type before it is that of no VLAN tag");
	err = b->vlans++ ? second_vlan(b) : first_vlan(b);
	if (err)
		return err;
	if (tag_follows && flow_bit(b->mask, more->bit) && !flow_bit(b->spec, more->bit))
		return flow_refuse(b->error, EINVAL,
				   "vlan: a tag by inner_type, none by has_more_vlan");
	if (tag_follows)
		return second_tag(b, is_exactly(b, FLOW_VLAN_INNER_TYPE, TPID_S), true);
	ethertype(b, FLOW_VLAN_INNER_TYPE);
	if (!flow_bit(b->mask, more->bit))
		return 0;
	return flow_bit(b->spec, more->bit) ? second_tag(b, false, true) : no_second_tag(b);
}

static int ip(struct build *b, uint64_t version)
{
	build_need(b, NEED_LAYER(b, ip_version));
	return build_set(b, LAYERED(b, ip_version), 4, version);
}

/* ip_protocol is the one after all extension headers, of which DPDK has these
 * (mlx5_flow_validate_item_ipv6). */
static int ipv6(struct build *b)
{
	static const uint8_t extensions[] = { PROTO_HOP_BY_HOP, PROTO_ROUTING, PROTO_FRAGMENT,
					      PROTO_AH, PROTO_OPTIONS };

	for (size_t i = 0; i < ARRAY_SIZE(extensions); i++)
		if (is_exactly(b, FLOW_IPV6_PROTO, extensions[i]))
			return flow_refuse(
				b->error, EINVAL,
				"ipv6 proto: the device matches the one after all extension headers, not %u",
				extensions[i]);
	return ip(b, 6);
}

/* The device knows whether a packet is a fragment, not its offset: 0 under the mask of offset
 * and "more fragments" is not a fragment, 1 … 0x3fff is one. */
static int ipv4(struct build *b)
{
	const struct field_row *row = &flow_fields[FLOW_IPV4_FRAGMENT_OFFSET];
	uint64_t mask = dv_flow_field_get(b->mask, FLOW_IPV4_FRAGMENT_OFFSET);
	uint64_t spec = dv_flow_field_get(b->spec, FLOW_IPV4_FRAGMENT_OFFSET);
	uint64_t last = dv_flow_field_get(b->item->last, FLOW_IPV4_FRAGMENT_OFFSET);
	bool frag = spec == 1 && last == 0x3fff;
	int err = ip(b, 4);

	if (err || !flow_any_bit(b->mask, row->bit, row->bits))
		return err;
	if (mask != 0x3fff || (!frag && (spec || last)))
		return flow_refuse(
			b->error, EOPNOTSUPP,
			"ipv4 fragment_offset: the device matches spec 0 mask 0x3fff, "
			"and spec 1 last 0x3fff mask 0x3fff");
	return build_set(b, LAYERED(b, frag), 1, frag);
}

static int protocol(struct build *b)
{
	uint8_t number = about[b->item->type].protocol;

	if (!number || (b->item->type == FLOW_ITEM_ESP && b->before == FLOW_ITEM_UDP))
		return 0;
	build_need(b, NEED_LAYER(b, ip_protocol));
	return build_set(b, LAYERED(b, ip_protocol), 8, number);
}

/* The device parses VXLAN at ports that the kernel adds, too (ADD_VXLAN_UDP_DPORT): one that
 * the udp item gives counts. */
static int udp_port(struct build *b, uint16_t port)
{
	bool more = port == PORT_VXLAN || port == PORT_VXLAN_GPE;

	if (!port || (more && build_has(b, OUTER(udp_dport), 16)))
		return 0;
	build_need(b, NEED(outer_udp_dport));
	return build_set(b, OUTER(udp_dport), 16, port);
}

static int icmp(struct build *b)
{
	const struct field_row *row = &flow_fields[FLOW_ICMP_IDENT];

	if (b->inner && flow_any_bit(b->mask, row->bit, 32))
		return flow_refuse(b->error, EOPNOTSUPP,
				   "icmp: the device does not match it in an inner packet");
	build_copy(b, row->bit, PLACE(misc_parameters_3.icmp_header_data), 32);
	return 0;
}

static int tcp(struct build *b)
{
	/* The place has nine bits, the first of them is NS. */
	build_copy(b, flow_fields[FLOW_TCP_FLAGS].bit, (uint16_t)(LAYERED(b, tcp_flags) + 1),
		   8);
	return 0;
}

static int gre_key(struct build *b)
{
	return build_set(b, PLACE(misc_parameters.gre_k_present), 1, 1);
}

static int nvgre(struct build *b)
{
	int err = build_set(b, PLACE(misc_parameters.gre_protocol), 16, TYPE_TEB);

	build_need(b, NEED(outer_gre_protocol));
	return err ? err : gre_key(b);
}

/* Label, class, bottom of stack and TTL are one word, with a capability for each. */
static int mpls(struct build *b)
{
	const bool udp = b->before == FLOW_ITEM_UDP, gre = b->before == FLOW_ITEM_GRE;
	uint16_t place = udp	    ? PLACE(misc_parameters_2.outer_first_mpls_over_udp)
			 : gre	    ? PLACE(misc_parameters_2.outer_first_mpls_over_gre)
			 : b->inner ? PLACE(misc_parameters_2.inner_first_mpls)
				    : PLACE(misc_parameters_2.outer_first_mpls);
	uint16_t need = udp	   ? NEED(outer_first_mpls_over_udp)
			: gre	   ? NEED(outer_first_mpls_over_gre)
			: b->inner ? NEED(inner_first_mpls)
				   : NEED(outer_first_mpls);

	if (b->level > L2 && !udp && !gre)
		return wrong_place(b, "it follows eth, udp or gre");
	build_copy(b, 0, place, 32);
	for (uint16_t i = 0; i < 4; i++) {
		const struct field_row *row = &flow_fields[FLOW_MPLS_LABEL + i];

		if (flow_any_bit(b->mask, row->bit, row->bits))
			build_need(b, need + i);
	}
	return udp_port(b, udp ? PORT_MPLS : 0);
}

static int meta(struct build *b)
{
	return b->rule->egress || b->rule->transfer
		       ? 0
		       : flow_refuse(b->error, EOPNOTSUPP,
				     "meta: register A is that of packets that are sent");
}

/* reg_c_7 is the first of the block, reg_c_0 the last; so are their capabilities. */
static int tag(struct build *b)
{
	uint64_t index = dv_flow_field_get(b->spec, FLOW_TAG_INDEX);

	if (!is_exactly(b, FLOW_TAG_INDEX, index) || index > 7)
		return flow_refuse(b->error, EOPNOTSUPP,
				   "tag index: the registers are 0 to 7, and one is meant");
	build_copy(b, 0, (uint16_t)(PLACE(misc_parameters_2.metadata_reg_c_0) - 32 * index),
		   32);
	build_need(b, (uint16_t)(NEED(metadata_reg_c_0) - index));
	return 0;
}

static int special(struct build *b)
{
	switch (b->item->type) {
	case FLOW_ITEM_ETH:
		return eth(b);
	case FLOW_ITEM_VLAN:
		return vlan(b);
	case FLOW_ITEM_IPV4:
		return ipv4(b);
	case FLOW_ITEM_IPV6:
		return ipv6(b);
	case FLOW_ITEM_IPV6_FRAG_EXT:
		build_need(b, NEED_LAYER(b, frag));
		return build_set(b, LAYERED(b, frag), 1, 1);
	case FLOW_ITEM_ICMP:
		return icmp(b);
	case FLOW_ITEM_TCP:
		return tcp(b);
	case FLOW_ITEM_GRE_KEY:
		return gre_key(b);
	case FLOW_ITEM_NVGRE:
		return nvgre(b);
	case FLOW_ITEM_MPLS:
		return mpls(b);
	case FLOW_ITEM_META:
		return meta(b);
	case FLOW_ITEM_TAG:
		return tag(b);
	case FLOW_ITEM_MARK:
		return flow_refuse(b->error, EOPNOTSUPP,
				   "mark: the flow tag is of the CQE, and not matched");
	default:
		return 0;
	}
}

/* A fragment has only a protocol after IP, no header. */
static int fragment(const struct build *b)
{
	enum level level = about[b->item->type].level;
	bool fields = flow_any_bit(b->mask, 0, 8 * FLOW_ITEM_BYTES);

	if (!build_is_header(b->item->type) ||
	    !(b->inner ? build_value(b, OUTER(frag), 1) || build_value(b, INNER(frag), 1)
		       : build_value(b, OUTER(frag), 1)))
		return 0;
	if (level == TUNNEL || (level == L4 && fields) ||
	    (b->inner && build_value(b, OUTER(frag), 1)))
		return wrong_place(b, "a fragment has no headers after that of IP");
	return 0;
}

int build_item(struct build *b)
{
	int err = special(b);

	lead(b);
	if (!err)
		err = fragment(b);
	if (!err)
		err = protocol(b);
	return err ? err : udp_port(b, about[b->item->type].port);
}
