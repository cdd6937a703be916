/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flow tables: where a packet goes and what is done with it.
 *
 *	table  level 3, 2^log_size entries
 *	  group  entries 0 … 15    mask: dmac             entries are tried by index, the lowest
 *	    entry 0   value 02:…:01   -> TIR              first; the mask is the group's, the
 *	    entry 1   value 02:…:02   -> table, level 4   value the entry's
 *	  group  entries 16 … 16   mask: none
 *	    entry 16                  -> drop
 *	  no entry matches: miss_action
 *
 * An entry forwards to tables of a higher level only. Masks and values are fte_match_param of
 * 512 bytes (prm/match.def): flow/match.h writes them, or PRM_SET(fte_match_param, mask, …).
 *
 * No command makes a table of a program a root (the kernel accepts no SET_FLOW_TABLE_ROOT): a
 * rule of mlx5dv_create_flow() with the table's handle as DEST_DEVX leads to it.
 */
#ifndef DEVX_FLOW_H
#define DEVX_FLOW_H

#include <stdbool.h>

#include <devx/devx.h>
#include <prm/value.h>
#include <prm/prm.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define DEVX_FLOW_MATCH_BYTES 512

struct devx_flow_table_attr {
	uint8_t type;	      /* PRM_FT_TYPE_* */
	uint8_t level;	      /* below the capability max_ft_level */
	uint8_t log_size;     /* at most log_max_ft_size */
	bool reformat_en;     /* entries may add tunnels, or remove those of layer 3 */
	bool decap_en;	      /* entries may remove tunnels of layer 2 */
	uint8_t miss_action;  /* PRM_FLOW_TABLE_MISS_ACTION_*; 0: the default of the type */
	uint32_t miss_table;  /* with FWD */
	uint64_t reserved[2]; /* 0 */
};

int devx_flow_table_create(struct devx_obj *table, struct ibv_context *ctx,
			   const struct devx_flow_table_attr *attr);
/* PRM_GET(flow_table_context, context, …) reads it. @type: as at creation. */
int devx_flow_table_query(struct devx_obj *table, uint8_t type,
			  uint8_t context[PRM_SZ(flow_table_context)]);
/* Packets that no entry matches. */
int devx_flow_table_miss(struct devx_obj *table, uint8_t type, uint8_t miss_action,
			 uint32_t miss_table);
int devx_flow_table_destroy(struct devx_obj *table);

struct devx_flow_group_attr {
	uint8_t table_type;
	uint32_t table_id;
	uint32_t first, last; /* entries; the ranges of a table do not overlap */
	uint8_t criteria;     /* PRM_MATCH_*: the blocks of the mask that are not zero */
	const uint8_t
		*mask; /* DEVX_FLOW_MATCH_BYTES; NULL: all zero, which matches every packet */
	uint64_t reserved[2]; /* 0 */
};

/* EINVAL: last is below first. */
int devx_flow_group_create(struct devx_obj *group, struct ibv_context *ctx,
			   const struct devx_flow_group_attr *attr);
int devx_flow_group_destroy(struct devx_obj *group);

/* PRM_DEST_TYPE_*, and the number: of a TIR, a table, a vport. */
struct devx_flow_dest {
	uint8_t type;
	uint32_t id;
};

struct devx_vlan {
	uint16_t ethertype;
	uint8_t prio;
	uint8_t cfi;
	uint16_t vid;
};

struct devx_flow_entry_attr {
	uint8_t table_type;
	uint32_t table_id, group_id;
	uint32_t index; /* in the range of the group */
	bool ignore_flow_level;
	const uint8_t *value; /* DEVX_FLOW_MATCH_BYTES; NULL: all zero */

	uint16_t action;	     /* PRM_FLOW_CONTEXT_ACTION_*, a sum */
	uint32_t flow_tag;	     /* 24 bits, to the CQE; 0: none */
	uint32_t modify_header_id;   /* with MOD_HDR */
	uint32_t packet_reformat_id; /* with PACKET_REFORMAT */
	struct devx_vlan push[2];    /* with VLAN_PUSH, VLAN_PUSH_2 */

	const struct devx_flow_dest *dest; /* with FWD_DEST */
	size_t n_dest;
	const uint32_t *counter; /* with COUNT: numbers of flow counters */
	size_t n_counter;
	uint64_t reserved[2]; /* 0 */
};

/* EINVAL: more than DEVX_FLOW_LIST destinations and counters; the flow tag has more than 24
 * bits. */
#define DEVX_FLOW_LIST 64
int devx_flow_entry_create(struct devx_obj *entry, struct ibv_context *ctx,
			   const struct devx_flow_entry_attr *attr);
/* Replaces action, flow tag, destinations and counters. Table, group, index and value are as at
 * creation. Capability flow_modify_en. */
int devx_flow_entry_modify(struct devx_obj *entry, const struct devx_flow_entry_attr *attr);
int devx_flow_entry_destroy(struct devx_obj *entry);

/* A list of changes to headers, 8 bytes each: set_action_in, add_action_in, copy_action_in
 * (prm/flow.def). For entries of tables of that type. EINVAL: no action, or more than 255. */
int devx_modify_header_create(struct devx_obj *list, struct ibv_context *ctx,
			      uint8_t table_type, const void *actions, size_t n);
int devx_modify_header_destroy(struct devx_obj *list);

/* A header that entries put before a packet, or the layer 2 header after L3_TUNNEL_TO_L2.
 * @type: PRM_REFORMAT_*. EINVAL: longer than 1023 bytes. */
int devx_packet_reformat_create(struct devx_obj *reformat, struct ibv_context *ctx,
				uint8_t type, const void *header, size_t len);
int devx_packet_reformat_destroy(struct devx_obj *reformat);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
