/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flow_headers(): set_*, inc_*, dec_* and modify_field are entries of a modify header list;
 * VLAN tags and tunnels are actions of the flow table entry.
 */
#include <errno.h>
#include <string.h>

#include <prm/prm.h>

#include "headers.h"

/* Actions that set or add to a field: of IPv4 or UDP, and of IPv6 or TCP. */
static const struct {
	enum dv_flow_action_type action;
	bool add, minus;
	uint8_t field, other;
} changes[] = {
#define FIELD(name) FLOW_MODIFY_FIELD_##name
#define SET(ACTION, F, O)                                              \
	{                                                              \
		FLOW_ACTION_##ACTION, false, false, FIELD(F), FIELD(O) \
	}
#define ADD(ACTION, MINUS, F, O)                                      \
	{                                                             \
		FLOW_ACTION_##ACTION, true, MINUS, FIELD(F), FIELD(O) \
	}
	SET(SET_MAC_SRC, MAC_SRC, MAC_SRC),
	SET(SET_MAC_DST, MAC_DST, MAC_DST),
	SET(SET_IPV4_SRC, IPV4_SRC, IPV4_SRC),
	SET(SET_IPV4_DST, IPV4_DST, IPV4_DST),
	SET(SET_IPV6_SRC, IPV6_SRC, IPV6_SRC),
	SET(SET_IPV6_DST, IPV6_DST, IPV6_DST),
	SET(SET_TP_SRC, UDP_PORT_SRC, TCP_PORT_SRC),
	SET(SET_TP_DST, UDP_PORT_DST, TCP_PORT_DST),
	SET(SET_TTL, IPV4_TTL, IPV6_HOPLIMIT),
	ADD(DEC_TTL, true, IPV4_TTL, IPV6_HOPLIMIT),
	SET(SET_IPV4_DSCP, IPV4_DSCP, IPV4_DSCP),
	SET(SET_IPV6_DSCP, IPV6_DSCP, IPV6_DSCP),
	ADD(INC_TCP_SEQ, false, TCP_SEQ_NUM, TCP_SEQ_NUM),
	ADD(DEC_TCP_SEQ, true, TCP_SEQ_NUM, TCP_SEQ_NUM),
	ADD(INC_TCP_ACK, false, TCP_ACK_NUM, TCP_ACK_NUM),
	ADD(DEC_TCP_ACK, true, TCP_ACK_NUM, TCP_ACK_NUM),
};

static bool has_item(const struct dv_flow_rule *rule, enum dv_flow_item_type type)
{
	for (unsigned int i = 0; i < rule->items && i < FLOW_MAX_ITEMS; i++)
		if (rule->item[i].type == type)
			return true;
	return false;
}

/* Ports and TTL are fields of a protocol: the pattern says of which. */
static int choose_field(const struct dv_flow_rule *rule, size_t row, uint32_t *field,
			struct dv_flow_error *error)
{
	bool l4 = changes[row].field == FIELD(UDP_PORT_SRC) ||
		  changes[row].field == FIELD(UDP_PORT_DST);
	bool first = has_item(rule, l4 ? FLOW_ITEM_UDP : FLOW_ITEM_IPV4);
	bool other = has_item(rule, l4 ? FLOW_ITEM_TCP : FLOW_ITEM_IPV6);

	*field = first ? changes[row].field : changes[row].other;
	if (changes[row].field != changes[row].other && first == other)
		return flow_refuse(error, EINVAL, "%s: the pattern has %s",
				   flow_actions[changes[row].action],
				   l4 ? "either udp or tcp" : "either ipv4 or ipv6");
	return 0;
}

static void put_value(uint8_t value[16], uint64_t v)
{
	for (unsigned int i = 0; i < 8; i++)
		value[15 - i] = (uint8_t)(v >> 8 * i);
}

static int change(const struct dv_flow_rule *rule, struct headers *h,
		  const struct dv_flow_action *a, size_t row, struct dv_flow_error *error)
{
	struct modify_bits to = { 0 };
	uint8_t value[16] = { 0 };
	int err = choose_field(rule, row, &to.field, error);

	if (err)
		return err;
	if (changes[row].add) {
		uint32_t v = a->type == FLOW_ACTION_DEC_TTL ? 1 : (uint32_t)a->arg[0];

		return modify_add(&h->modify, to, changes[row].minus ? -v : v, error);
	}
	if (a->bytes_len && a->bytes_len <= sizeof(value))
		memcpy(value + sizeof(value) - a->bytes_len, a->bytes, a->bytes_len);
	else
		put_value(value, a->arg[0]);
	return modify_set(&h->modify, to, modify_width(to.field), value, 0, error);
}

/* A register under a mask of consecutive bits; no mask: all of it. */
static int set_register(struct headers *h, const struct dv_flow_action *a,
			struct modify_bits to, uint64_t data, const uint64_t *mask,
			struct dv_flow_error *error)
{
	unsigned int width = mask ? (unsigned int)__builtin_popcountll(*mask) : 32;
	uint8_t value[16] = { 0 };

	to.offset = mask && *mask ? (unsigned int)__builtin_ctzll(*mask) : 0;
	if (!width || (mask && *mask >> to.offset != (1ull << width) - 1))
		return flow_refuse(error, EOPNOTSUPP, "%s mask: consecutive bits",
				   flow_actions[a->type]);
	put_value(value, data);
	return modify_set(&h->modify, to, width, value, to.offset, error);
}

static const uint64_t *mask_arg(const struct dv_flow_action *a, enum dv_flow_arg mask)
{
	return dv_flow_action_has(a, mask) ? &a->arg[mask - flow_first_arg(a->type)] : NULL;
}

static int set_tag(struct headers *h, const struct dv_flow_action *a,
		   struct dv_flow_error *error)
{
	struct modify_bits to = { FIELD(TAG),
				  (uint32_t)dv_flow_action_arg(a, FLOW_ARG_SET_TAG_INDEX), 0 };

	return set_register(h, a, to, dv_flow_action_arg(a, FLOW_ARG_SET_TAG_DATA),
			    mask_arg(a, FLOW_ARG_SET_TAG_MASK), error);
}

static int set_meta(struct headers *h, const struct dv_flow_action *a,
		    struct dv_flow_error *error)
{
	return set_register(h, a, (struct modify_bits){ .field = FIELD(META) },
			    dv_flow_action_arg(a, FLOW_ARG_SET_META_DATA),
			    mask_arg(a, FLOW_ARG_SET_META_MASK), error);
}

static int set_vid(struct headers *h, uint64_t vid, struct dv_flow_error *error)
{
	uint8_t value[16] = { 0 };

	put_value(value, vid);
	return modify_set(&h->modify, (struct modify_bits){ .field = FIELD(VLAN_ID) }, 12,
			  value, 0, error);
}

/* Sets the vid of the tag that was pushed before; else that of the packet's first tag. */
static int vlan(struct headers *h, const struct dv_flow_action *a, struct dv_flow_error *error)
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
			return set_vid(h, a->arg[0], error);
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

/* testpmd's indexes are of headers that other commands set. */
static int check_index(const struct dv_flow_action *a, enum dv_flow_arg index,
		       struct dv_flow_error *error)
{
	return dv_flow_action_has(a, index)
		       ? flow_refuse(error, EOPNOTSUPP, "%s index: give the header as data",
				     flow_actions[a->type])
		       : 0;
}

static int decap(struct headers *h, const struct dv_flow_action *a, struct dv_flow_error *error)
{
	h->decap = true;
	return a->type == FLOW_ACTION_RAW_DECAP
		       ? check_index(a, FLOW_ARG_RAW_DECAP_INDEX, error)
		       : 0;
}

static int encap(struct headers *h, const struct dv_flow_action *a, struct dv_flow_error *error)
{
	int err = 0;

	if (h->encap_len)
		return flow_refuse(error, EINVAL, "%s: a rule adds one header",
				   flow_actions[a->type]);
	if (a->type != FLOW_ACTION_RAW_ENCAP)
		return tunnel_header(a, h->encap, &h->encap_len, error);
	err = check_index(a, FLOW_ARG_RAW_ENCAP_INDEX, error);
	if (err)
		return err;
	if (!a->bytes_len || a->bytes_len > sizeof(h->encap))
		return flow_refuse(error, EINVAL, "raw_encap: the header, given as data");
	memcpy(h->encap, a->bytes, a->bytes_len);
	h->encap_len = a->bytes_len;
	return 0;
}

/* A layer 2 tunnel is removed or added; both together exchange a header, of layer 3 and of
 * layer 2. */
static void choose_reformat(struct headers *h)
{
	enum { L2_AND_IPV4 = 34 };

	h->reformat = !h->decap			   ? PRM_REFORMAT_L2_TO_L2_TUNNEL
		      : h->encap_len < L2_AND_IPV4 ? PRM_REFORMAT_L3_TUNNEL_TO_L2
						   : PRM_REFORMAT_L2_TO_L3_TUNNEL;
	h->decap = false;
}

static int add(const struct dv_flow_rule *rule, struct headers *h,
	       const struct dv_flow_action *a, struct dv_flow_error *error)
{
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++)
		if (changes[i].action == a->type)
			return change(rule, h, a, i, error);
	switch (a->type) {
	case FLOW_ACTION_SET_TAG:
		return set_tag(h, a, error);
	case FLOW_ACTION_SET_META:
		return set_meta(h, a, error);
	case FLOW_ACTION_MODIFY_FIELD:
		return modify_field(&h->modify, a, error);
	case FLOW_ACTION_OF_POP_VLAN:
	case FLOW_ACTION_OF_PUSH_VLAN:
	case FLOW_ACTION_OF_SET_VLAN_VID:
	case FLOW_ACTION_OF_SET_VLAN_PCP:
		return vlan(h, a, error);
	case FLOW_ACTION_RAW_ENCAP:
	case FLOW_ACTION_VXLAN_ENCAP:
	case FLOW_ACTION_NVGRE_ENCAP:
		return encap(h, a, error);
	default:
		return decap(h, a, error);
	}
}

/* Their rows in action.def are one after another. */
bool flow_is_of_headers(enum dv_flow_action_type type)
{
	return type >= FLOW_ACTION_RAW_ENCAP && type <= FLOW_ACTION_MODIFY_FIELD;
}

bool flow_changes_headers(const struct dv_flow_rule *rule)
{
	for (unsigned int i = 0; i < rule->actions && i < FLOW_MAX_ACTIONS; i++)
		if (flow_is_of_headers(rule->action[i].type))
			return true;
	return false;
}

int flow_headers(const struct dv_flow_rule *rule, struct headers *h,
		 struct dv_flow_error *error)
{
	int err = 0;

	memset(h, 0, sizeof(*h));
	h->modify.ingress = rule->ingress;
	for (unsigned int i = 0; !err && i < rule->actions && i < FLOW_MAX_ACTIONS; i++)
		if (flow_is_of_headers(rule->action[i].type))
			err = add(rule, h, &rule->action[i], error);
	if (!err && h->encap_len)
		choose_reformat(h);
	return err;
}
