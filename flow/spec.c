/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dv_flow_attr_build(): an item is a spec, except that a VLAN tag is in the Ethernet spec
 * before it and a GRE key in that of GRE. The table says where in the filter of a spec the
 * fields are.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include <flow/match.h>
#include <flow/spec.h>

#include "headers.h"
#include "plan.h"

struct spec_row {
	enum dv_flow_item_type item;
	uint32_t type;
	uint16_t size, val,
		half; /* of the spec; where its filter starts; bytes of the filter */
};

#define SPEC(ITEM, TYPE, s)                                                \
	{                                                                  \
		FLOW_ITEM_##ITEM, IBV_FLOW_SPEC_##TYPE, sizeof(struct s),  \
			offsetof(struct s, val),                           \
			offsetof(struct s, mask) - offsetof(struct s, val) \
	}

static const struct spec_row specs[] = {
	SPEC(ETH, ETH, ibv_flow_spec_eth),
	SPEC(IPV4, IPV4_EXT, ibv_flow_spec_ipv4_ext),
	SPEC(IPV6, IPV6, ibv_flow_spec_ipv6),
	SPEC(TCP, TCP, ibv_flow_spec_tcp_udp),
	SPEC(UDP, UDP, ibv_flow_spec_tcp_udp),
	SPEC(ESP, ESP, ibv_flow_spec_esp),
	SPEC(VXLAN, VXLAN_TUNNEL, ibv_flow_spec_tunnel),
	SPEC(GRE, GRE, ibv_flow_spec_gre),
	SPEC(MPLS, MPLS, ibv_flow_spec_mpls),
};

/* First bit of each field in its filter. Those that are not here are not matched. */
static const struct {
	enum dv_flow_field field;
	uint16_t bit;
} places[] = {
	{ FLOW_ETH_DST, 8 * offsetof(struct ibv_flow_eth_filter, dst_mac) },
	{ FLOW_ETH_SRC, 8 * offsetof(struct ibv_flow_eth_filter, src_mac) },
	{ FLOW_ETH_TYPE, 8 * offsetof(struct ibv_flow_eth_filter, ether_type) },
	{ FLOW_VLAN_TCI, 8 * offsetof(struct ibv_flow_eth_filter, vlan_tag) },
	{ FLOW_VLAN_INNER_TYPE, 8 * offsetof(struct ibv_flow_eth_filter, ether_type) },
	{ FLOW_IPV4_SRC, 8 * offsetof(struct ibv_flow_ipv4_ext_filter, src_ip) },
	{ FLOW_IPV4_DST, 8 * offsetof(struct ibv_flow_ipv4_ext_filter, dst_ip) },
	{ FLOW_IPV4_PROTO, 8 * offsetof(struct ibv_flow_ipv4_ext_filter, proto) },
	{ FLOW_IPV4_TOS, 8 * offsetof(struct ibv_flow_ipv4_ext_filter, tos) },
	{ FLOW_IPV6_SRC, 8 * offsetof(struct ibv_flow_ipv6_filter, src_ip) },
	{ FLOW_IPV6_DST, 8 * offsetof(struct ibv_flow_ipv6_filter, dst_ip) },
	{ FLOW_IPV6_FLOW, 8 * offsetof(struct ibv_flow_ipv6_filter, flow_label) + 12 },
	{ FLOW_IPV6_PROTO, 8 * offsetof(struct ibv_flow_ipv6_filter, next_hdr) },
	{ FLOW_IPV6_TC, 8 * offsetof(struct ibv_flow_ipv6_filter, traffic_class) },
	{ FLOW_TCP_SRC, 8 * offsetof(struct ibv_flow_tcp_udp_filter, src_port) },
	{ FLOW_TCP_DST, 8 * offsetof(struct ibv_flow_tcp_udp_filter, dst_port) },
	{ FLOW_UDP_SRC, 8 * offsetof(struct ibv_flow_tcp_udp_filter, src_port) },
	{ FLOW_UDP_DST, 8 * offsetof(struct ibv_flow_tcp_udp_filter, dst_port) },
	{ FLOW_ESP_SPI, 8 * offsetof(struct ibv_flow_esp_filter, spi) },
	{ FLOW_VXLAN_VNI, 8 * offsetof(struct ibv_flow_tunnel_filter, tunnel_id) + 8 },
	{ FLOW_GRE_PROTOCOL, 8 * offsetof(struct ibv_flow_gre_filter, protocol) },
	{ FLOW_GRE_KEY_VALUE, 8 * offsetof(struct ibv_flow_gre_filter, key) },
	{ FLOW_MPLS_LABEL, 8 * offsetof(struct ibv_flow_mpls_filter, label) },
	{ FLOW_MPLS_TC, 8 * offsetof(struct ibv_flow_mpls_filter, label) + 20 },
	{ FLOW_MPLS_S, 8 * offsetof(struct ibv_flow_mpls_filter, label) + 23 },
	{ FLOW_MPLS_TTL, 8 * offsetof(struct ibv_flow_mpls_filter, label) + 24 },
};

struct out {
	struct dv_flow_attr *attr;
	struct dv_flow_error *error;
	size_t len;		       /* of the specs */
	uint8_t *val, *mask;	       /* of the latest spec */
	enum dv_flow_item_type latest; /* its item; VOID: no spec yet */
	uint8_t *udp_val, *udp_mask;   /* of the latest UDP spec */
	uint32_t inner;		       /* IBV_FLOW_SPEC_INNER after a tunnel */
};

static uint8_t *append(struct out *o, uint32_t type, uint16_t size)
{
	uint8_t *spec = o->attr->specs + o->len;

	if (o->len + size > sizeof(o->attr->specs))
		return NULL;
	memcpy(spec, &type, sizeof(type));
	memcpy(spec + offsetof(struct ibv_flow_spec_eth, size), &size, sizeof(size));
	o->len += size;
	o->attr->attr.num_of_specs++;
	return spec;
}

static int add_spec(struct out *o, const struct dv_flow_item *item)
{
	const struct spec_row *row = specs;
	uint8_t *spec;

	while (row < specs + ARRAY_SIZE(specs) && row->item != item->type)
		row++;
	if (row == specs + ARRAY_SIZE(specs))
		return flow_refuse(o->error, EOPNOTSUPP,
				   "%s: ibv_create_flow has no spec for it",
				   flow_items[item->type]);
	spec = append(o, row->type | o->inner, row->size);
	if (!spec)
		return flow_refuse(o->error, EOPNOTSUPP, "%s: too many items",
				   flow_items[item->type]);
	o->val = spec + row->val;
	o->mask = o->val + row->half;
	if (item->type == FLOW_ITEM_UDP) {
		o->udp_val = o->val;
		o->udp_mask = o->mask;
	}
	return 0;
}

/* Fields into the latest spec; every bit of the mask has a place there. */
static int fill(struct out *o, const struct dv_flow_item *item)
{
	uint8_t mask[FLOW_ITEM_BYTES], rest[FLOW_ITEM_BYTES];

	dv_flow_item_mask(item, mask);
	memcpy(rest, mask, sizeof(rest));
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		const struct field_row *row = &flow_fields[places[i].field];

		for (unsigned int b = 0; row->item == item->type && b < row->bits; b++) {
			if (!flow_bit(mask, row->bit + b))
				continue;
			flow_fill_bits(o->mask, places[i].bit + b, 1, true);
			flow_copy_bits(o->val, places[i].bit + b, item->spec, row->bit + b, 1);
			flow_fill_bits(rest, row->bit + b, 1, false);
		}
	}
	for_each_field(f, item->type) if (
		flow_any_bit(
			rest, flow_fields[f].bit,
			flow_fields[f]
				.bits)) return flow_refuse(o->error, EOPNOTSUPP,
							   "%s %s: ibv_create_flow does not match it",
							   flow_items[item->type],
							   flow_fields[f].word);
	return 0;
}

/* Its tag is in the Ethernet spec, which has one, and no bit of it means that any packet
 * matches. */
static int vlan(struct out *o, const struct dv_flow_item *item)
{
	const struct field_row *tci = &flow_fields[FLOW_VLAN_TCI];
	uint8_t mask[FLOW_ITEM_BYTES];
	int err = 0;

	dv_flow_item_mask(item, mask);
	if (!flow_any_bit(mask, tci->bit, tci->bits))
		return flow_refuse(o->error, EOPNOTSUPP,
				   "vlan: ibv_create_flow matches a tag only by a field of it");
	if (o->latest == FLOW_ITEM_VLAN ||
	    (o->latest == FLOW_ITEM_ETH &&
	     flow_any_bit(o->mask, 8 * offsetof(struct ibv_flow_eth_filter, ether_type), 16)))
		return flow_refuse(o->error, EOPNOTSUPP,
				   "vlan: ibv_create_flow matches one tag, of type 0x8100");
	if (o->latest != FLOW_ITEM_ETH)
		err = add_spec(o, &(struct dv_flow_item){ .type = FLOW_ITEM_ETH });
	return err ? err : fill(o, item);
}

/* The port that leads to @port's header, unless the rule has another one. */
static void udp_port(struct out *o, uint16_t port)
{
	static const uint8_t ones[2] = { 0xff, 0xff };
	const uint8_t be[2] = { (uint8_t)(port >> 8), (uint8_t)port };
	unsigned int at = 8 * offsetof(struct ibv_flow_tcp_udp_filter, dst_port);

	if (!o->udp_val || flow_any_bit(o->udp_mask, at, 16))
		return;
	flow_copy_bits(o->udp_val, at, be, 0, 16);
	flow_copy_bits(o->udp_mask, at, ones, 0, 16);
}

static int add_item(struct out *o, const struct dv_flow_item *item)
{
	int err;

	if (item->type == FLOW_ITEM_VOID)
		return 0;
	if (item->type == FLOW_ITEM_VLAN)
		err = vlan(o, item);
	else if (item->type == FLOW_ITEM_GRE_KEY)
		err = fill(o, item);
	else
		err = add_spec(o, item) ?: fill(o, item);
	if (err)
		return err;
	if (item->type == FLOW_ITEM_VXLAN)
		udp_port(o, PORT_VXLAN);
	if (item->type == FLOW_ITEM_MPLS && o->latest == FLOW_ITEM_UDP)
		udp_port(o, PORT_MPLS);
	if (item->type == FLOW_ITEM_VXLAN || item->type == FLOW_ITEM_GRE ||
	    (item->type == FLOW_ITEM_MPLS &&
	     (o->latest == FLOW_ITEM_UDP || o->latest == FLOW_ITEM_GRE)))
		o->inner = IBV_FLOW_SPEC_INNER;
	o->latest = item->type;
	return 0;
}

static int add_actions(struct out *o, const struct plan *plan, struct ibv_counters *counters)
{
	struct ibv_flow_spec_action_tag tag = { .tag_id = plan->tag };
	struct ibv_flow_spec_counter_action count = { .counters = counters };
	uint8_t *spec;

	if (plan->has_tag) {
		spec = append(o, IBV_FLOW_SPEC_ACTION_TAG, sizeof(tag));
		if (!spec)
			return ENOSPC;
		memcpy(spec + offsetof(struct ibv_flow_spec_action_tag, tag_id), &tag.tag_id,
		       4);
	}
	if (flow_plan_is(plan, DEST_DROP) &&
	    !append(o, IBV_FLOW_SPEC_ACTION_DROP, sizeof(struct ibv_flow_spec_action_drop)))
		return ENOSPC;
	if (!counters)
		return 0;
	spec = append(o, IBV_FLOW_SPEC_ACTION_COUNT, sizeof(count));
	if (!spec)
		return ENOSPC;
	memcpy(spec + offsetof(struct ibv_flow_spec_counter_action, counters), &count.counters,
	       sizeof(count.counters));
	return 0;
}

int flow_spec_check_dest(enum plan_dest dest, struct dv_flow_error *error)
{
	switch (dest) {
	case DEST_DROP:
	case DEST_QUEUE:
	case DEST_RSS:
	case DEST_QP:
		return 0;
	default:
		return flow_refuse(error, EOPNOTSUPP,
				   "the destination of ibv_create_flow is a QP, or drop");
	}
}

/* Refuses what specs cannot express. */
static int check(const struct dv_flow_rule *rule, const struct plan *plan,
		 struct dv_flow_error *error)
{
	if (rule->group)
		return flow_refuse(error, EOPNOTSUPP,
				   "group: ibv_create_flow has group 0 only");
	if (flow_changes_headers(rule))
		return flow_refuse(error, EOPNOTSUPP, "ibv_create_flow changes no headers");
	if (rule->transfer)
		return flow_refuse(error, EOPNOTSUPP, "transfer: ibv_create_flow has none");
	if (rule->priority > UINT16_MAX)
		return flow_refuse(error, EINVAL, "priority: ibv_create_flow has 16 bits");
	if (plan->meter ||
	    (plan->sample && dv_flow_action_arg(plan->sample, FLOW_ARG_SAMPLE_RATIO) > 1))
		return flow_refuse(error, EOPNOTSUPP,
				   "meter, sample: ibv_create_flow has neither");
	for (unsigned int i = 0; i < plan->dests; i++) {
		int err = flow_spec_check_dest(plan->to[i].dest, error);

		if (err)
			return err;
	}
	return 0;
}

int dv_flow_attr_build(struct dv_flow_attr *attr, const struct dv_flow_rule *rule,
		       struct ibv_counters *counters, struct dv_flow_error *error)
{
	struct out o = { .attr = attr, .error = error };
	struct dv_flow_match match;
	struct plan plan;
	int err = flow_plan(rule, &plan, error);

	memset(attr, 0, sizeof(*attr));
	if (!err)
		err = check(rule, &plan, error);
	if (!err) /* the order of the items */
		err = dv_flow_match_build(&match, rule, error);
	for (unsigned int i = 0; !err && i < rule->items && i < FLOW_MAX_ITEMS; i++) {
		err = add_item(&o, &rule->item[i]);
		if (err && error)
			error->item = i + 1;
	}
	if (err)
		return err;
	if (add_actions(&o, &plan, plan.count ? counters : NULL))
		return flow_refuse(error, EOPNOTSUPP, "too many items and actions");
	attr->attr.type = IBV_FLOW_ATTR_NORMAL;
	attr->attr.size = (uint16_t)(sizeof(attr->attr) + o.len);
	attr->attr.priority = (uint16_t)rule->priority;
	attr->attr.port = 1;
	attr->attr.flags = rule->egress ? IBV_FLOW_ATTR_FLAGS_EGRESS : 0;
	return 0;
}
