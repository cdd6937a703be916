/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * item.def and action.def as tables; the names of their rows; bits of images.
 */
#include <string.h>

#include "table.h"

const char *const flow_items[FLOW_ITEMS] = {
#define FLOW_ITEM(ITEM, word) [FLOW_ITEM_##ITEM] = word,
#define FLOW_FIELD(ITEM, FIELD, word, bit, bits, kind, ones, place, cap)
#define FLOW_ALIAS(ITEM, FIELD, word, bit, bits, kind, place, cap)
#include <flow/item.def>
};

enum { MASK_ZERO, MASK_ONES };

const struct field_row flow_fields[FLOW_FIELDS] = {
#define FLOW_ITEM(ITEM, word)
#define FLOW_FIELD(ITEM, FIELD, word, bit, bits, kind, ones, place, cap)       \
	[FLOW_##ITEM##_##FIELD] = { FLOW_ITEM_##ITEM, word,	   bit,	 bits, \
				    KIND_##kind,      MASK_##ones, false },
#define FLOW_ALIAS(ITEM, FIELD, word, bit, bits, kind, place, cap) \
	[FLOW_##ITEM##_##                                          \
		FIELD] = { FLOW_ITEM_##ITEM, word, bit, bits, KIND_##kind, MASK_ZERO, true },
#include <flow/item.def>
};

const char *const flow_actions[FLOW_ACTIONS] = {
#define FLOW_ACTION(ACTION, word) [FLOW_ACTION_##ACTION] = word,
#define FLOW_ARG(ACTION, ARG, word, kind, bits, list)
#define FLOW_WORD(LIST, NAME, word, value)
#include <flow/action.def>
};

/* app/test-pmd/cmdline_flow.c, next_item[] and next_action[]; pf and vf were items until DPDK
 * 22.07. */
const char *const flow_items_of_dpdk[] = {
	"aggr_affinity",
	"ah",
	"any",
	"arp_eth_ipv4",
	"compare",
	"conntrack",
	"e_tag",
	"ecpri",
	"flex",
	"fuzzy",
	"geneve-opt",
	"gre_option",
	"gtp_psc",
	"gtpc",
	"gtpu",
	"higig2",
	"icmp6_echo_reply",
	"icmp6_echo_request",
	"icmp6_nd_na",
	"icmp6_nd_ns",
	"icmp6_nd_opt",
	"icmp6_nd_opt_sla_eth",
	"icmp6_nd_opt_tla_eth",
	"integrity",
	"invert",
	"ipv6_ext",
	"ipv6_routing_ext",
	"l2tpv2",
	"l2tpv3oip",
	"meter",
	"nsh",
	"pf",
	"pfcp",
	"port_id",
	"port_representor",
	"ppp",
	"pppoe_proto_id",
	"pppoed",
	"pppoes",
	"ptype",
	"quota",
	"random",
	"raw",
	"tx_queue",
	"vf",
	NULL,
};

const char *const flow_actions_of_dpdk[] = {
	"age",
	"age_update",
	"color",
	"conntrack",
	"conntrack_update",
	"indirect",
	"indirect_list",
	"ipv6_ext_push",
	"ipv6_ext_remove",
	"jump_to_table_index",
	"l2_decap",
	"l2_encap",
	"mac_swap",
	"meter_mark",
	"meter_mark_conf",
	"mplsogre_decap",
	"mplsogre_encap",
	"mplsoudp_decap",
	"mplsoudp_encap",
	"nat64",
	"of_dec_nw_ttl",
	"of_pop_mpls",
	"of_push_mpls",
	"pf",
	"port_id",
	"port_representor",
	"quota_create",
	"quota_update",
	"send_to_kernel",
	"shared_indirect",
	"skip_cman",
	"vf",
	NULL,
};

const struct arg_row flow_args[FLOW_ARGS] = {
#define FLOW_ACTION(ACTION, word)
#define FLOW_ARG(ACTION, ARG, word, kind, bits, list) \
	[FLOW_ARG_##ACTION##_##                       \
		ARG] = { FLOW_ACTION_##ACTION, word, KIND_##kind, bits, LIST_##list },
#define FLOW_WORD(LIST, NAME, word, value)
#include <flow/action.def>
};

const struct word_row flow_words[] = {
#define FLOW_ACTION(ACTION, word)
#define FLOW_ARG(ACTION, ARG, word, kind, bits, list)
#define FLOW_WORD(LIST, NAME, word, value) { LIST_##LIST, word, value },
#include <flow/action.def>
};
const size_t flow_words_n = ARRAY_SIZE(flow_words);

unsigned int flow_first_field(enum dv_flow_item_type type)
{
	unsigned int f = 0;

	while (f < FLOW_FIELDS && flow_fields[f].item != type)
		f++;
	return f;
}

unsigned int flow_first_arg(enum dv_flow_action_type type)
{
	unsigned int a = 0;

	while (a < FLOW_ARGS && flow_args[a].action != type)
		a++;
	return a;
}

bool flow_kind_is_bytes(enum flow_kind kind)
{
	return kind >= KIND_MAC && kind <= KIND_BYTES;
}

unsigned int flow_arg_byte(unsigned int arg)
{
	unsigned int byte = 0;

	for (unsigned int a = flow_first_arg(flow_args[arg].action); a < arg; a++)
		if (flow_kind_is_bytes(flow_args[a].kind))
			byte += flow_args[a].bits / 8;
	return byte;
}

const char *dv_flow_item_name(enum dv_flow_item_type type)
{
	return (unsigned int)type < FLOW_ITEMS ? flow_items[type] : NULL;
}

const char *dv_flow_field_name(enum dv_flow_field field)
{
	return (unsigned int)field < FLOW_FIELDS ? flow_fields[field].word : NULL;
}

const char *dv_flow_action_name(enum dv_flow_action_type type)
{
	return (unsigned int)type < FLOW_ACTIONS ? flow_actions[type] : NULL;
}

const char *dv_flow_arg_name(enum dv_flow_arg arg)
{
	return (unsigned int)arg < FLOW_ARGS ? flow_args[arg].word : NULL;
}

bool flow_bit(const uint8_t *image, unsigned int bit)
{
	return image[bit / 8] >> (7 - bit % 8) & 1;
}

static void set_bit(uint8_t *image, unsigned int bit, bool v)
{
	uint8_t one = (uint8_t)(0x80 >> bit % 8);

	image[bit / 8] = v ? image[bit / 8] | one : image[bit / 8] & (uint8_t)~one;
}

void flow_copy_bits(uint8_t *to, unsigned int to_bit, const uint8_t *from,
		    unsigned int from_bit, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		set_bit(to, to_bit + i, flow_bit(from, from_bit + i));
}

/* The bits of byte @i that are among the @n from @bit on, at least one. */
static uint8_t part(unsigned int i, unsigned int bit, unsigned int n)
{
	unsigned int last = bit + n - 1, all = 0xff;

	if (i == bit / 8)
		all >>= bit % 8;
	if (i == last / 8)
		all &= 0xffu << (7 - last % 8);
	return (uint8_t)all;
}

void flow_fill_bits(uint8_t *image, unsigned int bit, unsigned int n, bool v)
{
	for (unsigned int i = bit / 8; n && i <= (bit + n - 1) / 8; i++) {
		uint8_t bits = part(i, bit, n);

		image[i] = v ? image[i] | bits : image[i] & (uint8_t)~bits;
	}
}

bool flow_any_bit(const uint8_t *image, unsigned int bit, unsigned int n)
{
	for (unsigned int i = bit / 8; n && i <= (bit + n - 1) / 8; i++)
		if (image[i] & part(i, bit, n))
			return true;
	return false;
}

bool flow_all_bits(const uint8_t *image, unsigned int bit, unsigned int n)
{
	for (unsigned int i = bit / 8; n && i <= (bit + n - 1) / 8; i++)
		if (~image[i] & part(i, bit, n))
			return false;
	return true;
}

/* Bytes are right-aligned: the first bits of a field that is not a whole number of bytes are
 * 0. */
void dv_flow_field_load(const uint8_t *image, enum dv_flow_field field, uint8_t *value)
{
	const struct field_row *row = &flow_fields[field];
	unsigned int bytes = (row->bits + 7) / 8;

	memset(value, 0, bytes);
	flow_copy_bits(value, bytes * 8 - row->bits, image, row->bit, row->bits);
}

void dv_flow_field_store(uint8_t *image, enum dv_flow_field field, const uint8_t *value)
{
	const struct field_row *row = &flow_fields[field];

	flow_copy_bits(image, row->bit, value, (row->bits + 7) / 8 * 8 - row->bits, row->bits);
}

uint64_t dv_flow_field_get(const uint8_t *image, enum dv_flow_field field)
{
	const struct field_row *row = &flow_fields[field];
	uint64_t v = 0;

	for (unsigned int i = 0; i < row->bits; i++)
		v = v << 1 | flow_bit(image, row->bit + i);
	return v;
}

void dv_flow_field_set(uint8_t *image, enum dv_flow_field field, uint64_t v)
{
	const struct field_row *row = &flow_fields[field];

	for (unsigned int i = 0; i < row->bits; i++, v >>= 1)
		set_bit(image, row->bit + row->bits - 1 - i, v & 1);
}

void dv_flow_item_mask(const struct dv_flow_item *item, uint8_t mask[FLOW_ITEM_BYTES])
{
	memset(mask, 0, FLOW_ITEM_BYTES);
	if (item->has_mask) {
		memcpy(mask, item->mask, FLOW_ITEM_BYTES);
		return;
	}
	if (!item->has_spec)
		return;
	for_each_field(f, item->type) if (flow_fields[f].ones)
		flow_fill_bits(mask, flow_fields[f].bit, flow_fields[f].bits, true);
}

uint64_t dv_flow_action_arg(const struct dv_flow_action *action, enum dv_flow_arg arg)
{
	unsigned int i = arg - flow_first_arg(action->type);

	return i < FLOW_MAX_ARGS ? action->arg[i] : 0;
}

bool dv_flow_action_has(const struct dv_flow_action *action, enum dv_flow_arg arg)
{
	unsigned int i = arg - flow_first_arg(action->type);

	return i < FLOW_MAX_ARGS && action->given >> i & 1;
}
