/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's flow tables: priorities of namespaces, made when a rule needs them (mlx5_core,
 * fs_core.c).
 *
 *	NIC_RX  bypass 0 … bypass 32 -> the netdev's -> leftovers	first existing one: the root
 *	NIC_TX  bypass 0 … bypass 32					each misses to the next one
 *	RDMA_RX, RDMA_TX, SNIFFER_RX, SNIFFER_TX
 *
 *	table: |group of 9362|group of 9362|… 6 of them |groups of 1|	a mask each, in order of appearance
 *	entry: value, actions, destinations of all rules that have this match
 *
 *	flow_table.c   tables, their chain and root
 *	flow_entry.c   groups, entries, rules
 *
 * A table exists while it has rules. A rule owns a reference to an entry. Rules with an equal
 * match share one entry: their destinations are appended, and each of them is counted.
 * Everything becomes firmware commands of the driver, uid 0. There are no rules of a netdev
 * here; its table is empty where a rule leads there.
 */
#ifndef EMU_UVERBS_FLOW_CORE_H
#define EMU_UVERBS_FLOW_CORE_H

#include "uverbs/driver.h"

#define UVERBS_MATCH_SIZE PRM_SZ(fte_match_param)

enum uverbs_flow_ns {
	UVERBS_FLOW_BYPASS,
	UVERBS_FLOW_KERNEL, /* the netdev's: empty */
	UVERBS_FLOW_LEFTOVERS,
	UVERBS_FLOW_EGRESS,
	UVERBS_FLOW_SNIFFER_RX,
	UVERBS_FLOW_SNIFFER_TX,
	UVERBS_FLOW_RDMA_RX,
	UVERBS_FLOW_RDMA_TX,
	UVERBS_FLOW_NAMESPACES,
};

#define UVERBS_FLOW_PRIOS      33 /* of bypass and egress: 16 regular, 16 don't-trap, multicast */
#define UVERBS_FLOW_MCAST_PRIO 32

/* The match of a rule: a value within a mask. */
struct uverbs_match {
	uint8_t criteria; /* PRM_MATCH_*: parts of the mask */
	uint8_t mask[UVERBS_MATCH_SIZE], value[UVERBS_MATCH_SIZE];
};

#define UVERBS_DEST_COUNTER 0x100 /* beside PRM_DEST_TYPE_* */
#define UVERBS_DEST_NEXT    0x101 /* the table that is next in the chain */
#define UVERBS_DEST_MISS    0x102 /* the first table of the next namespace */

struct uverbs_flow_dest {
	uint16_t type;
	uint32_t id;
};

#define UVERBS_DESTS_MAX 4 /* of a rule */

/* The actions of a rule. */
struct uverbs_flow_act {
	uint16_t action; /* PRM_FLOW_CONTEXT_ACTION_* */
	bool has_tag;
	uint32_t tag;
	uint32_t modify_id, reformat_id;
	struct uverbs_flow_dest dest[UVERBS_DESTS_MAX];
	uint32_t dests;
};

struct uverbs_flow_rule;
struct uverbs_flow_core;

/* A member of flow_table_prop_layout of the tables of @ns; 0 where the adapter has none of
 * them. */
#define UVERBS_FT(u, ns, f) \
	((uint32_t)PRM_GET(flow_table_prop_layout, uverbs_flow_caps(u, ns), f))
#define UVERBS_NIC_FT(u, f) PRM_GET(flow_table_nic_cap, (u)->caps[PRM_CAP_FLOW_TABLE], f)
const uint8_t *uverbs_flow_caps(const struct uverbs *u, enum uverbs_flow_ns ns);

/* Is there such a namespace on this adapter? */
bool uverbs_flow_has(const struct uverbs *u, enum uverbs_flow_ns ns);

/* Which parts of a mask are not zero: PRM_MATCH_*. */
uint8_t uverbs_match_criteria(const uint8_t mask[UVERBS_MATCH_SIZE]);

/* Adds a rule at the end of @prio of @ns. -EINVAL: a value outside of its mask, an action that
 * counts and does nothing else; -EEXIST: there is that match and it does something else;
 * -ENOSPC: the table is full; what firmware says. */
int uverbs_flow_add(struct uverbs *u, enum uverbs_flow_ns ns, uint8_t prio,
		    const struct uverbs_match *m, const struct uverbs_flow_act *act,
		    struct uverbs_flow_rule **rule);
void uverbs_flow_remove(struct uverbs *u, struct uverbs_flow_rule *rule);

/* ---- tables ---- */

struct uverbs_flow_group;

struct uverbs_flow_table {
	enum uverbs_flow_ns ns;
	uint8_t prio;
	uint32_t id, size;	    /* size: indexes */
	uint32_t users;		    /* entries' rules, anchors */
	uint32_t group_size, large; /* of the first groups, how many of these there are */
	struct core_list groups;    /* uverbs_flow_group.on_table, by first index */
	uint32_t leading;	    /* rules that lead to the next table */
};

/* The table of @prio, created if missing; to be given back. */
int uverbs_flow_table_get(struct uverbs *u, enum uverbs_flow_ns ns, uint8_t prio,
			  struct uverbs_flow_table **t);
void uverbs_flow_table_put(struct uverbs *u, struct uverbs_flow_table *t);
/* PRM_FT_TYPE_* of the tables of @ns. */
uint8_t uverbs_flow_type(enum uverbs_flow_ns ns);
/* NULL: it does not exist. */
struct uverbs_flow_table *uverbs_flow_table_at(const struct uverbs *u, enum uverbs_flow_ns ns,
					       uint8_t prio);
/* The next table after @t; NULL: none. */
struct uverbs_flow_table *uverbs_flow_table_next(const struct uverbs *u,
						 const struct uverbs_flow_table *t);
/* The next table after @t is another one: entries that lead there are changed. */
void uverbs_flow_next_changed(struct uverbs *u, struct uverbs_flow_table *t);

/* Ends the tables of steering anchors, which stay when the last of these goes. */
void uverbs_anchors_end(struct uverbs *u);
/* Frees what the tables leave; all rules were removed. */
void uverbs_flow_end(struct uverbs *u);

#endif
