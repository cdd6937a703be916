/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists the contents of a port: its rules as text, the flow tables that its back end made for
 * them, and which entry of which table a rule is.
 *
 *	dv_flow_dump()	flow create 0 ingress pattern eth / end actions drop / end
 *	dv_flow_tables()	table 0x12, NIC_RX, group 1, level 33, 1048576 entries, 2 rules
 *	dv_flow_place_of()	entry 64 of it, in group 0x7
 *
 * "devx" has tables with these numbers, "dr" tables without: mlx5dv_dump_dr_domain() shows what
 * is in them. Rules of "verbs" and "kernel" are in tables of the kernel, of which a program
 * learns nothing.
 */
#ifndef FLOW_LIST_H
#define FLOW_LIST_H

#include <stdio.h>

#include <flow/flow.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct dv_flow_table {
	uint8_t type;	    /* PRM_FT_TYPE_* */
	uint32_t group;	    /* of the rules in it */
	uint32_t level;	    /* "dr": that of mlx5dv_dr, which is the group */
	uint32_t id;	    /* "devx": table_id; "dr": 0 */
	uint32_t size;	    /* entries at most; 0: the back end sets no limit */
	unsigned int rules; /* in it */
	unsigned int jumps; /* rules that lead to it */
};

/* Writes up to @n tables to @table; how many there are. A table exists as long as a rule is in
 * it or jumps to it. */
unsigned int dv_flow_tables(const struct dv_flow_port *port, struct dv_flow_table *table,
			    unsigned int n);

struct dv_flow_place {
	uint8_t type;	   /* PRM_FT_TYPE_* of the rule's attributes */
	bool known;	   /* the members below: of "devx" only */
	uint32_t table_id; /* struct dv_flow_table.id */
	uint32_t group_id; /* of the flow group, not the rule's group */
	uint32_t index;	   /* of the entry in the table */
};

void dv_flow_place_of(struct dv_flow_place *place, const struct dv_flow *flow);

/* A line per rule, in the order of creation: "flow create 0 " and dv_flow_print().
 * dv_flow_parse() reads it again, testpmd's "load" and "dvfw run" such a file. EIO: writing
 * failed; ENOMEM. */
int dv_flow_dump(struct dv_flow_port *port, FILE *f);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
