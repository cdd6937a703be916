/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The actions of a rule, checked and in the device's terms; the same for all back ends.
 */
#ifndef FLOW_PLAN_H
#define FLOW_PLAN_H

#include "error.h"
#include "table.h"

enum plan_dest {
	DEST_NONE,
	DEST_DROP,
	DEST_DEFAULT_MISS,
	DEST_QUEUE,
	DEST_RSS,
	DEST_QP,
	DEST_TIR,
	DEST_TABLE, /* of the program */
	DEST_GROUP,
	DEST_VPORT,
};

struct plan {
	enum plan_dest dest;
	uint32_t number; /* of the destination */
	bool count;
	bool has_tag;
	uint32_t tag; /* 24 bits */
	const struct flow_action *rss;
};

/* EINVAL: actions that exclude each other; EOPNOTSUPP: one that no back end has. */
int flow_plan(const struct flow_rule *rule, struct plan *plan, struct flow_error *error);

#endif
