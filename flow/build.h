/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A match under construction. match.c copies fields that have a place in item.def; match_item.c
 * adds what the items themselves mean.
 */
#ifndef FLOW_BUILD_H
#define FLOW_BUILD_H

#include <flow/match.h>

#include "error.h"
#include "table.h"

/* Bits of fte_match_param. */
#define PLACE(f) ((uint16_t)PRM_OFF(fte_match_param, f))
#define OUTER(f) PLACE(outer_headers.f)
#define INNER(f) PLACE(inner_headers.f)
/* Bits of flow_match.needs. */
#define NEED(f)		 ((uint16_t)PRM_OFF(flow_table_fields_supported, f))
#define NEED_2(f)	 ((uint16_t)(128 + PRM_OFF(flow_table_fields_supported_2, f)))
#define LAYERED(b, f)	 ((b)->inner ? INNER(f) : OUTER(f))
#define NEED_LAYER(b, f) ((b)->inner ? NEED(inner_##f) : NEED(outer_##f))

enum { NOWHERE = 0xffff };

struct build {
	struct dv_flow_match *match;
	const struct dv_flow_rule *rule;
	struct dv_flow_error *error;
	bool inner;		  /* after a tunnel */
	unsigned int level;	  /* of the latest item in this packet; 0: the beginning */
	unsigned int vlans;	  /* in this packet */
	enum dv_flow_field leads; /* the type or protocol that the header before says follows */
	uint64_t leads_to, leads_mask; /* no mask: any */
	enum dv_flow_item_type before; /* the item before; VOID: the beginning */
	bool conflict;		       /* a bit of the match has two values */
	const struct dv_flow_item *item;
	uint8_t spec[FLOW_ITEM_BYTES],
		mask[FLOW_ITEM_BYTES]; /* of the item; spec within mask */
};

void build_need(struct build *b, uint16_t need);
/* Bits of the item to a place of the match; b->conflict if another item has another value
 * there. */
void build_copy(struct build *b, unsigned int from, uint16_t place, unsigned int bits);
/* A constant under a mask of all ones. EINVAL: the rule has another value there. */
int build_set(struct build *b, uint16_t place, unsigned int bits, uint64_t v);
bool build_has(const struct build *b, uint16_t place, unsigned int bits);
/* The value there, at most 64 bits. */
uint64_t build_value(const struct build *b, uint16_t place, unsigned int bits);

/* Whether the item may follow those before it. */
int build_order(struct build *b);
/* Whether the header before says that another one follows: EINVAL. */
int build_leads(struct build *b);
/* Adds the meaning of the item besides its fields with a place. */
int build_item(struct build *b);
/* Whether the items that follow are those of the inner packet. */
bool build_is_tunnel(const struct build *b);
/* Whether it is one at all, not what the device knows besides. */
bool build_is_header(enum dv_flow_item_type type);
/* Whether its fields are of the outer packet's tunnel, not of a packet. */
bool build_is_header_of_tunnel(enum dv_flow_item_type type);

#endif
