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

enum { PLAN_DESTS = 8 };

struct plan_to {
	enum plan_dest dest;
	uint32_t number;
};

struct plan {
	struct plan_to to[PLAN_DESTS]; /* several: each gets the packet */
	unsigned int dests;
	bool count;
	bool has_tag;
	uint32_t tag; /* 24 bits */
	const struct dv_flow_action *rss, *meter, *sample;
};

/* EINVAL: actions that exclude each other; EOPNOTSUPP: one that no back end has. */
int flow_plan(const struct dv_flow_rule *rule, struct plan *plan, struct dv_flow_error *error);
/* DEST_NONE: not a destination. */
enum plan_dest flow_plan_dest(enum dv_flow_action_type type);
/* One destination more. EINVAL: one that is alone, or is there already. */
int flow_plan_add(struct plan *plan, const struct dv_flow_action *a,
		  struct dv_flow_error *error);
/* Whether it is the only destination of the rule. DEST_NONE: it has no destination. */
bool flow_plan_is(const struct plan *plan, enum plan_dest dest);
/* EOPNOTSUPP: a rule of ibv_create_flow() does not lead there. */
int flow_spec_check_dest(enum plan_dest dest, struct dv_flow_error *error);

#endif
