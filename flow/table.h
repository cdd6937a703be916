/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of item.def and action.def as tables, and bits of images. The fields of an item, and
 * the arguments of an action, are consecutive.
 */
#ifndef FLOW_TABLE_H
#define FLOW_TABLE_H

#include <flow/rule.h>

#include "prm/array.h"

enum flow_kind {
	KIND_NUMBER,
	KIND_HEX,
	KIND_MAC,
	KIND_IPV4,
	KIND_IPV6,
	KIND_IP,
	KIND_BYTES,
	KIND_WORD,
	KIND_WORDS,
	KIND_NUMBERS,
};

enum flow_list {
	LIST_NONE,
	LIST_RSS_FUNC,
	LIST_RSS_TYPE,
	LIST_IP_VERSION,
	LIST_MODIFY_OP,
	LIST_MODIFY_FIELD,
};

/* UDP ports that lead to a header. */
enum flow_udp_port {
	PORT_GTP = 2152,
	PORT_VXLAN = 4789,
	PORT_VXLAN_GPE = 4790,
	PORT_ROCE = 4791,
	PORT_GENEVE = 6081,
	PORT_MPLS = 6635,
};

struct field_row {
	enum dv_flow_item_type item;
	const char *word;
	uint16_t bit, bits;
	enum flow_kind kind;
	bool ones;  /* the default mask */
	bool alias; /* printed as another field */
};

struct arg_row {
	enum dv_flow_action_type action;
	const char *word;
	enum flow_kind kind;
	uint16_t bits;
	enum flow_list list;
};

struct word_row {
	enum flow_list list;
	const char *word;
	uint64_t value;
};

extern const char *const flow_items[FLOW_ITEMS];
extern const char *const flow_actions[FLOW_ACTIONS];
/* Words of DPDK's testpmd that are not rows here, NULL at the end. */
extern const char *const flow_items_of_dpdk[];
extern const char *const flow_actions_of_dpdk[];
extern const struct field_row flow_fields[FLOW_FIELDS];
extern const struct arg_row flow_args[FLOW_ARGS];
extern const struct word_row flow_words[];
extern const size_t flow_words_n;

/* The first of the consecutive rows; a row of another item or action ends them. */
unsigned int flow_first_field(enum dv_flow_item_type type);
unsigned int flow_first_arg(enum dv_flow_action_type type);
#define for_each_field(f, type)                       \
	for (unsigned int f = flow_first_field(type); \
	     f < FLOW_FIELDS && flow_fields[f].item == (type); f++)
#define for_each_arg(a, type)                       \
	for (unsigned int a = flow_first_arg(type); \
	     a < FLOW_ARGS && flow_args[a].action == (type); a++)

/* Whether a value is bytes: an address, or BYTES. */
bool flow_kind_is_bytes(enum flow_kind kind);
/* The first byte in flow_action.bytes of an argument that is bytes. */
unsigned int flow_arg_byte(unsigned int arg);

/* Bit 0 is the most significant of byte 0. */
bool flow_bit(const uint8_t *image, unsigned int bit);
void flow_copy_bits(uint8_t *to, unsigned int to_bit, const uint8_t *from,
		    unsigned int from_bit, unsigned int n);
void flow_fill_bits(uint8_t *image, unsigned int bit, unsigned int n, bool v);
bool flow_any_bit(const uint8_t *image, unsigned int bit, unsigned int n);
bool flow_all_bits(const uint8_t *image, unsigned int bit, unsigned int n);

#endif
