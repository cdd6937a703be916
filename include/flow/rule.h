/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A flow rule as data: which packets, and what is done with them. Plain memory without
 * pointers: it can be copied, compared and kept. Nothing of a back end is in it; text.h reads
 * and writes it as text.
 *
 *	ingress group 1 pattern eth / ipv4 dst is 10.0.0.1 / udp / end actions count / queue index 3 / end
 *	'--attributes-'         '-----------item[0…2]------------'         '------action[0…1]----------'
 *
 * An item is a header as it is sent: spec, last and mask are images of it, and the fields are
 * bits of them, most significant first (item.def). A packet matches if spec and packet agree in
 * all bits of the mask. Absent parts have a meaning:
 *
 *	no spec		any packet that has the header
 *	no mask		the default mask of the item (dv_flow_item_mask())
 *	no last		a value; else a range from spec to last
 *
 * Parts that are absent are zeroes, too, so that equal rules are equal bytes.
 */
#ifndef FLOW_RULE_H
#define FLOW_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum {
	FLOW_MAX_ITEMS = 32,
	FLOW_MAX_ACTIONS = 16,
	FLOW_MAX_ARGS = 12,
	FLOW_MAX_QUEUES = 128,
	FLOW_MAX_BYTES = 128, /* of a header, a key */
	FLOW_ITEM_BYTES = 44, /* of the longest header, IPv6, with what is added to it */
};

/* FLOW_ITEM_ETH, FLOW_ITEM_VLAN … */
enum dv_flow_item_type {
#define FLOW_ITEM(ITEM, word) FLOW_ITEM_##ITEM,
#define FLOW_FIELD(ITEM, FIELD, word, bit, bits, kind, ones, place, cap)
#define FLOW_ALIAS(ITEM, FIELD, word, bit, bits, kind, place, cap)
#include <flow/item.def>
	FLOW_ITEMS
};

/* FLOW_ETH_DST, FLOW_IPV4_SRC … */
enum dv_flow_field {
#define FLOW_ITEM(ITEM, word)
#define FLOW_FIELD(ITEM, FIELD, word, bit, bits, kind, ones, place, cap) FLOW_##ITEM##_##FIELD,
#define FLOW_ALIAS(ITEM, FIELD, word, bit, bits, kind, place, cap)	 FLOW_##ITEM##_##FIELD,
#include <flow/item.def>
	FLOW_FIELDS
};

/* FLOW_ACTION_QUEUE, FLOW_ACTION_DROP … */
enum dv_flow_action_type {
#define FLOW_ACTION(ACTION, word) FLOW_ACTION_##ACTION,
#define FLOW_ARG(ACTION, ARG, word, kind, bits, list)
#define FLOW_WORD(LIST, NAME, word, value)
#include <flow/action.def>
	FLOW_ACTIONS
};

/* FLOW_ARG_QUEUE_INDEX, FLOW_ARG_MARK_ID … */
enum dv_flow_arg {
#define FLOW_ACTION(ACTION, word)
#define FLOW_ARG(ACTION, ARG, word, kind, bits, list) FLOW_ARG_##ACTION##_##ARG,
#define FLOW_WORD(LIST, NAME, word, value)
#include <flow/action.def>
	FLOW_ARGS
};

/* The values of arguments that are words: FLOW_RSS_TYPE_IPV4_UDP … */
enum dv_flow_word {
#define FLOW_ACTION(ACTION, word)
#define FLOW_ARG(ACTION, ARG, word, kind, bits, list)
#define FLOW_WORD(LIST, NAME, word, value) FLOW_##LIST##_##NAME = value,
#include <flow/action.def>
};

struct dv_flow_item {
	enum dv_flow_item_type type;
	bool has_spec, has_last, has_mask;
	uint8_t spec[FLOW_ITEM_BYTES], last[FLOW_ITEM_BYTES], mask[FLOW_ITEM_BYTES];
};

struct dv_flow_action {
	enum dv_flow_action_type type;
	uint32_t given;		     /* bit i: arg[i] was given */
	uint64_t arg[FLOW_MAX_ARGS]; /* numbers and words, in the order of action.def */
	uint16_t bytes_len, queues;  /* of the two below */
	/* Addresses in the order of action.def, or a header, a key: as they are sent. IP has 16
	 * bytes, an IPv4 address as ::ffff:a.b.c.d. */
	uint8_t bytes[FLOW_MAX_BYTES];
	uint16_t queue[FLOW_MAX_QUEUES];
};

struct dv_flow_rule {
	bool ingress, egress, transfer;
	uint32_t group, priority;
	unsigned int items, actions;
	struct dv_flow_item item[FLOW_MAX_ITEMS];
	struct dv_flow_action action[FLOW_MAX_ACTIONS];
};

/* The words of a rule: "eth", "dst", "queue", "index". NULL: no such number. */
const char *dv_flow_item_name(enum dv_flow_item_type type);
const char *dv_flow_field_name(enum dv_flow_field field);
const char *dv_flow_action_name(enum dv_flow_action_type type);
const char *dv_flow_arg_name(enum dv_flow_arg arg);

/* A field of at most 64 bits in an image: of @item->spec, say. Bits of @v that do not fit are
 * dropped. */
uint64_t dv_flow_field_get(const uint8_t *image, enum dv_flow_field field);
void dv_flow_field_set(uint8_t *image, enum dv_flow_field field, uint64_t v);
/* The same of any width: (bits + 7) / 8 bytes, as they are sent. */
void dv_flow_field_load(const uint8_t *image, enum dv_flow_field field, uint8_t *value);
void dv_flow_field_store(uint8_t *image, enum dv_flow_field field, const uint8_t *value);

/* The mask that counts: that of the item, its default mask, or zeroes if there is no spec. */
void dv_flow_item_mask(const struct dv_flow_item *item, uint8_t mask[FLOW_ITEM_BYTES]);

/* An argument that is a number or a word; 0 if it was not given. */
uint64_t dv_flow_action_arg(const struct dv_flow_action *action, enum dv_flow_arg arg);
bool dv_flow_action_has(const struct dv_flow_action *action, enum dv_flow_arg arg);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
