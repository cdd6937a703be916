/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flow steering: tables of rules that say where a packet goes.
 *
 *	root of a type -> table -> group (a mask, a range of indexes) -> entry (a value, actions)
 *	                  miss -> table                                   destinations: TIR, table, vport
 *
 * Among the entries of a table that match a packet, the one with the lowest index is used. The
 * ranges of a table's groups are disjoint and its groups sorted by them, so that the first
 * group with a match has it; inside a group, entries are found by a hash of the masked packet.
 * So a lookup costs as much as the table has groups, not entries.
 *
 * A match is a fte_match_param of the PRM: dwords in network order. An entry keeps only the
 * dwords of its value in which the mask of its group has bits.
 */
#ifndef EMU_HCA_FLOW_H
#define EMU_HCA_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "hca/kind.h"

struct hca;
struct hca_tir;
struct hca_flow_counter;
struct hca_modify_header;
struct hca_packet_reformat;
struct hca_rtc;

#define HCA_MATCH_SIZE	    0x200 /* bytes of a fte_match_param */
#define HCA_MATCH_DWORDS    (HCA_MATCH_SIZE / 4)
#define HCA_FLOW_TABLE_SIZE 0x28 /* bytes of a flow_table_context */
#define HCA_FLOW_TYPES	    9	 /* table types with a root: PRM_FT_TYPE_* up to RDMA_TX */

struct hca_flow_table {
	HCA_OBJECT(table_id);
	uint8_t type; /* PRM_FT_TYPE_* */
	uint8_t level;
	bool reformat, decap;	     /* its entries may add or remove headers */
	struct hca_flow_table *miss; /* of miss action FWD; else NULL */
	bool sw_owner;		     /* no groups: its entries are in ICM, from icm_root on */
	uint64_t icm_root;
	bool rtc_valid;		       /* no groups: its entries are those of an RTC */
	struct hca_rtc *rtc;	       /* NULL: none yet, which is a miss */
	uint32_t size;		       /* indexes */
	struct hca_flow_group **group; /* sorted by their first index; owned */
	uint32_t groups, capacity;
	uint8_t ctx[HCA_FLOW_TABLE_SIZE];
};

struct hca_flow_group {
	HCA_OBJECT(group_id);
	struct hca_flow_table *table;
	uint32_t first, last; /* indexes */
	uint8_t criteria;     /* PRM_MATCH_*: parts of the mask */
	uint8_t mask[HCA_MATCH_SIZE];
	uint8_t dwords;			     /* in which the mask has bits */
	uint8_t dword[HCA_MATCH_DWORDS];     /* their places */
	struct hca_fte **by_key, **by_index; /* chains; owned, as are the entries */
	uint32_t chains, entries;	     /* chains: of each, a power of two */
};

struct hca_flow_dest {
	uint8_t type; /* PRM_DEST_TYPE_* */
	union {
		struct hca_object *object; /* NULL: a vport, or the wire */
		struct hca_tir *tir;
		struct hca_flow_table *table;
	};
	uint16_t vport;
};

struct hca_flow_count {
	struct hca_flow_counter *bulk;
	uint32_t id; /* one of its numbers */
};

/* The actions of an entry. */
struct hca_fte_do {
	uint16_t action; /* PRM_FLOW_CONTEXT_ACTION_* */
	uint8_t source;	 /* flow_context.flow_source */
	bool any_level;	 /* a table of any level may be a destination */
	uint32_t tag;
	uint32_t push_vlan[2]; /* tag protocol and tag control information */
	struct hca_modify_header *modify;
	struct hca_packet_reformat *reformat;
	struct hca_flow_dest *dest; /* owned, as is count */
	struct hca_flow_count *count;
	uint32_t dests, counts;
};

struct hca_fte {
	struct hca_flow_group *group;
	uint32_t index, hash;
	struct hca_fte *next_by_key, *next_by_index;
	struct hca_fte_do act;
	uint32_t key[]; /* group->dwords of the value, as they are in memory */
};

/* Header bytes to insert, or how many to remove. */
struct hca_packet_reformat {
	HCA_OBJECT(id);
	uint8_t type; /* PRM_REFORMAT_* */
	uint8_t param_0, param_1;
	uint16_t size;
	uint8_t *data; /* owned; NULL: none */
};

/* ---- groups ---- */

/* Does a group of @t have an index of first … last? */
bool hca_flow_overlaps(const struct hca_flow_table *t, uint32_t first, uint32_t last);
/* Puts @g, whose table, range and mask are set, into its table. False: no memory. */
bool hca_flow_group_join(struct hca_flow_group *g);
/* The group of @t with @index; NULL: none. */
struct hca_flow_group *hca_flow_group_at(const struct hca_flow_table *t, uint32_t index);

/* ---- entries ---- */

/* An entry of @g at the free index @index for @value, a fte_match_param within the mask. It
 * takes over what @act owns, and refers to what it names. NULL: no memory. */
struct hca_fte *hca_fte_new(struct hca_flow_group *g, uint32_t index, const uint8_t *value,
			    const struct hca_fte_do *act);
/* From now on @e does @act. */
void hca_fte_change(struct hca_fte *e, const struct hca_fte_do *act);
/* Ends the entry and its references. */
void hca_fte_delete(struct hca_fte *e);
/* NULL: there is none. */
struct hca_fte *hca_fte_find(const struct hca_flow_table *t, uint32_t index);
/* The value it was made with, a fte_match_param. */
void hca_fte_value(const struct hca_fte *e, uint8_t *value);
/* The entry of lowest index that matches @packet, a fte_match_param, from @source:
 * flow_context.flow_source, 1 the wire, 2 a vport. NULL: none. */
struct hca_fte *hca_fte_match(const struct hca_flow_table *t, const uint8_t *packet,
			      uint8_t source);
/* Frees what @act owns. */
void hca_fte_do_free(struct hca_fte_do *act);

/* ---- modify header contexts ---- */

/* Bits of PRM_ACTION_IN_FIELD_* @field; 0: none that can be changed. */
uint8_t hca_header_field_bits(uint32_t field);

/* ---- hooks of the kinds ---- */

void hca_flow_table_fini(struct hca *hca, void *obj);
void hca_flow_group_fini(struct hca *hca, void *obj);
void hca_packet_reformat_fini(struct hca *hca, void *obj);

#endif
