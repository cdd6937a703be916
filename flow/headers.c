/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flow_headers(): set_*, inc_*, dec_* are entries of a modify header list; VLAN tags and tunnels are actions of
 * the flow table entry. modify_field is not translated.
 */
#include <errno.h>
#include <string.h>

#include <prm/prm.h>

#include "headers.h"

#define FIELD(name) PRM_ACTION_IN_FIELD_##name

/* Where a value of bytes goes: from its byte on, in pieces of at most 32 bits. */
static const struct {
	enum flow_action_type action;
	uint16_t field;
	uint8_t byte, bits;
} pieces[] = {
	{ FLOW_ACTION_SET_MAC_SRC, FIELD(OUT_SMAC_47_16), 0, 32 },
	{ FLOW_ACTION_SET_MAC_SRC, FIELD(OUT_SMAC_15_0), 4, 16 },
	{ FLOW_ACTION_SET_MAC_DST, FIELD(OUT_DMAC_47_16), 0, 32 },
	{ FLOW_ACTION_SET_MAC_DST, FIELD(OUT_DMAC_15_0), 4, 16 },
	{ FLOW_ACTION_SET_IPV4_SRC, FIELD(OUT_SIPV4), 0, 32 },
	{ FLOW_ACTION_SET_IPV4_DST, FIELD(OUT_DIPV4), 0, 32 },
	{ FLOW_ACTION_SET_IPV6_SRC, FIELD(OUT_SIPV6_127_96), 0, 32 },
	{ FLOW_ACTION_SET_IPV6_SRC, FIELD(OUT_SIPV6_95_64), 4, 32 },
	{ FLOW_ACTION_SET_IPV6_SRC, FIELD(OUT_SIPV6_63_32), 8, 32 },
	{ FLOW_ACTION_SET_IPV6_SRC, FIELD(OUT_SIPV6_31_0), 12, 32 },
	{ FLOW_ACTION_SET_IPV6_DST, FIELD(OUT_DIPV6_127_96), 0, 32 },
	{ FLOW_ACTION_SET_IPV6_DST, FIELD(OUT_DIPV6_95_64), 4, 32 },
	{ FLOW_ACTION_SET_IPV6_DST, FIELD(OUT_DIPV6_63_32), 8, 32 },
	{ FLOW_ACTION_SET_IPV6_DST, FIELD(OUT_DIPV6_31_0), 12, 32 },
};

/* Numbers: the field for IPv4 or UDP, and that for IPv6 or TCP. */
static const struct {
	enum flow_action_type action;
	uint8_t type; /* PRM_ACTION_SET, ADD */
	uint8_t bits;
	bool minus;
	uint16_t field, other; /* other: of ipv6, of tcp */
} numbers[] = {
	{ FLOW_ACTION_SET_TP_SRC, PRM_ACTION_SET, 16, 0, FIELD(OUT_UDP_SPORT),
	  FIELD(OUT_TCP_SPORT) },
	{ FLOW_ACTION_SET_TP_DST, PRM_ACTION_SET, 16, 0, FIELD(OUT_UDP_DPORT),
	  FIELD(OUT_TCP_DPORT) },
	{ FLOW_ACTION_SET_TTL, PRM_ACTION_SET, 8, 0, FIELD(OUT_IP_TTL),
	  FIELD(OUT_IPV6_HOPLIMIT) },
	{ FLOW_ACTION_DEC_TTL, PRM_ACTION_ADD, 8, 1, FIELD(OUT_IP_TTL),
	  FIELD(OUT_IPV6_HOPLIMIT) },
	{ FLOW_ACTION_SET_IPV4_DSCP, PRM_ACTION_SET, 6, 0, FIELD(OUT_IP_DSCP),
	  FIELD(OUT_IP_DSCP) },
	{ FLOW_ACTION_SET_IPV6_DSCP, PRM_ACTION_SET, 6, 0, FIELD(OUT_IP_DSCP),
	  FIELD(OUT_IP_DSCP) },
	{ FLOW_ACTION_INC_TCP_SEQ, PRM_ACTION_ADD, 32, 0, FIELD(OUT_TCP_SEQ_NUM),
	  FIELD(OUT_TCP_SEQ_NUM) },
	{ FLOW_ACTION_DEC_TCP_SEQ, PRM_ACTION_ADD, 32, 1, FIELD(OUT_TCP_SEQ_NUM),
	  FIELD(OUT_TCP_SEQ_NUM) },
	{ FLOW_ACTION_INC_TCP_ACK, PRM_ACTION_ADD, 32, 0, FIELD(OUT_TCP_ACK_NUM),
	  FIELD(OUT_TCP_ACK_NUM) },
	{ FLOW_ACTION_DEC_TCP_ACK, PRM_ACTION_ADD, 32, 1, FIELD(OUT_TCP_ACK_NUM),
	  FIELD(OUT_TCP_ACK_NUM) },
};

static int change(struct headers *h, uint8_t type, uint16_t field, unsigned int bits,
		  uint32_t data, struct flow_error *error)
{
	uint8_t *a = h->change[h->changes];

	if (h->changes == HEADERS_CHANGES)
		return flow_refuse(error, EINVAL, "too many changes of headers");
	h->changes++;
	PRM_SET(set_action_in, a, action_type, type);
	PRM_SET(set_action_in, a, field, field);
	PRM_SET(set_action_in, a, data, data);
	if (type == PRM_ACTION_SET) /* 0 is 32 bits; add_action_in has no length */
		PRM_SET(set_action_in, a, length, bits % 32);
	return 0;
}

static bool has_item(const struct flow_rule *rule, enum flow_item_type type)
{
	for (unsigned int i = 0; i < rule->items && i < FLOW_MAX_ITEMS; i++)
		if (rule->item[i].type == type)
			return true;
	return false;
}

static int set_bytes(struct headers *h, const struct flow_action *a, struct flow_error *error)
{
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(pieces); i++) {
		uint32_t data = 0;

		if (pieces[i].action != a->type)
			continue;
		for (unsigned int b = 0; b < pieces[i].bits / 8u; b++)
			data = data << 8 | a->bytes[pieces[i].byte + b];
		err = change(h, PRM_ACTION_SET, pieces[i].field, pieces[i].bits, data, error);
	}
	return err;
}

/* Ports and TTL are fields of a protocol: the pattern says of which. */
static int set_number(const struct flow_rule *rule, struct headers *h,
		      const struct flow_action *a, size_t row, struct flow_error *error)
{
	bool l4 = a->type == FLOW_ACTION_SET_TP_SRC || a->type == FLOW_ACTION_SET_TP_DST;
	bool first = has_item(rule, l4 ? FLOW_ITEM_UDP : FLOW_ITEM_IPV4);
	bool other = has_item(rule, l4 ? FLOW_ITEM_TCP : FLOW_ITEM_IPV6);
	uint32_t v = a->type == FLOW_ACTION_DEC_TTL ? 1 : (uint32_t)a->arg[0];

	if (numbers[row].minus)
		v = -v & (numbers[row].bits == 32 ? ~0u : (1u << numbers[row].bits) - 1);
	if (numbers[row].field != numbers[row].other && first == other)
		return flow_refuse(error, EINVAL, "%s: the pattern has %s",
				   flow_actions[a->type],
				   l4 ? "either udp or tcp" : "either ipv4 or ipv6");
	return change(h, numbers[row].type, first ? numbers[row].field : numbers[row].other,
		      numbers[row].bits, v, error);
}

static int set_tag(struct headers *h, const struct flow_action *a, struct flow_error *error)
{
	uint64_t index = flow_action_arg(a, FLOW_ARG_SET_TAG_INDEX);

	if (index > 7 || (flow_action_has(a, FLOW_ARG_SET_TAG_MASK) &&
			  flow_action_arg(a, FLOW_ARG_SET_TAG_MASK) != UINT32_MAX))
		return flow_refuse(error, EOPNOTSUPP, "set_tag: a whole register, 0 to 7");
	return change(h, PRM_ACTION_SET, (uint16_t)(FIELD(METADATA_REG_C_0) + index), 32,
		      (uint32_t)flow_action_arg(a, FLOW_ARG_SET_TAG_DATA), error);
}

static int set_meta(const struct flow_rule *rule, struct headers *h,
		    const struct flow_action *a, struct flow_error *error)
{
	if (flow_action_has(a, FLOW_ARG_SET_META_MASK) &&
	    flow_action_arg(a, FLOW_ARG_SET_META_MASK) != UINT32_MAX)
		return flow_refuse(error, EOPNOTSUPP, "set_meta: the whole register");
	return change(h, PRM_ACTION_SET,
		      rule->ingress ? FIELD(METADATA_REG_B) : FIELD(METADATA_REG_A), 32,
		      (uint32_t)flow_action_arg(a, FLOW_ARG_SET_META_DATA), error);
}

/* Of the tag that was pushed before; else the vid of the packet's first tag. */
static int vlan(struct headers *h, const struct flow_action *a, struct flow_error *error)
{
	struct devx_vlan *push = h->pushes ? &h->push[h->pushes - 1] : NULL;

	switch (a->type) {
	case FLOW_ACTION_OF_POP_VLAN:
		return ++h->pops > 2
			       ? flow_refuse(error, EOPNOTSUPP, "of_pop_vlan: two tags at most")
			       : 0;
	case FLOW_ACTION_OF_PUSH_VLAN:
		if (h->pushes == 2)
			return flow_refuse(error, EOPNOTSUPP, "of_push_vlan: two tags at most");
		h->push[h->pushes++].ethertype = (uint16_t)a->arg[0];
		return 0;
	case FLOW_ACTION_OF_SET_VLAN_VID:
		if (!push)
			return change(h, PRM_ACTION_SET, FIELD(OUT_FIRST_VID), 12,
				      (uint32_t)a->arg[0], error);
		push->vid = (uint16_t)a->arg[0];
		return 0;
	default:
		if (!push)
			return flow_refuse(error, EOPNOTSUPP,
					   "of_set_vlan_pcp: of a tag that is pushed only");
		push->prio = (uint8_t)a->arg[0];
		return 0;
	}
}

static int tunnel(struct headers *h, const struct flow_action *a, struct flow_error *error)
{
	if (flow_action_has(a, a->type == FLOW_ACTION_RAW_ENCAP ? FLOW_ARG_RAW_ENCAP_INDEX
								: FLOW_ARG_RAW_DECAP_INDEX) &&
	    (a->type == FLOW_ACTION_RAW_ENCAP || a->type == FLOW_ACTION_RAW_DECAP))
		return flow_refuse(error, EOPNOTSUPP, "%s index: give the header as data",
				   flow_actions[a->type]);
	if (a->type != FLOW_ACTION_RAW_ENCAP) {
		h->decap = true;
		return 0;
	}
	if (h->encap || !a->bytes_len)
		return flow_refuse(error, EINVAL, "raw_encap: one header, given as data");
	h->encap = a;
	return 0;
}

/* A layer 2 tunnel is removed or added; both together exchange a header, of layer 3 and of layer 2. */
static void choose_reformat(struct headers *h)
{
	enum { L2_AND_IPV4 = 34 };

	h->reformat = !h->decap				  ? PRM_REFORMAT_L2_TO_L2_TUNNEL
		      : h->encap->bytes_len < L2_AND_IPV4 ? PRM_REFORMAT_L3_TUNNEL_TO_L2
							  : PRM_REFORMAT_L2_TO_L3_TUNNEL;
	h->decap = false;
}

static int add(const struct flow_rule *rule, struct headers *h, const struct flow_action *a,
	       struct flow_error *error)
{
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (numbers[i].action == a->type)
			return set_number(rule, h, a, i, error);
	switch (a->type) {
	case FLOW_ACTION_SET_TAG:
		return set_tag(h, a, error);
	case FLOW_ACTION_SET_META:
		return set_meta(rule, h, a, error);
	case FLOW_ACTION_OF_POP_VLAN:
	case FLOW_ACTION_OF_PUSH_VLAN:
	case FLOW_ACTION_OF_SET_VLAN_VID:
	case FLOW_ACTION_OF_SET_VLAN_PCP:
		return vlan(h, a, error);
	case FLOW_ACTION_RAW_ENCAP:
	case FLOW_ACTION_RAW_DECAP:
	case FLOW_ACTION_VXLAN_DECAP:
	case FLOW_ACTION_NVGRE_DECAP:
		return tunnel(h, a, error);
	default:
		return set_bytes(h, a, error);
	}
}

bool flow_is_of_headers(enum flow_action_type type)
{
	return type >= FLOW_ACTION_RAW_ENCAP && type <= FLOW_ACTION_SET_META;
}

bool flow_changes_headers(const struct flow_rule *rule)
{
	for (unsigned int i = 0; i < rule->actions && i < FLOW_MAX_ACTIONS; i++)
		if (flow_is_of_headers(rule->action[i].type))
			return true;
	return false;
}

int flow_headers(const struct flow_rule *rule, struct headers *h, struct flow_error *error)
{
	int err = 0;

	memset(h, 0, sizeof(*h));
	for (unsigned int i = 0; !err && i < rule->actions && i < FLOW_MAX_ACTIONS; i++)
		if (flow_is_of_headers(rule->action[i].type))
			err = add(rule, h, &rule->action[i], error);
	if (!err && h->encap)
		choose_reformat(h);
	return err;
}
