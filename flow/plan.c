/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flow_plan(): where packets go, and what is done with them on the way.
 */
#include <errno.h>
#include <string.h>

#include "headers.h"
#include "plan.h"

/* DPDK's mlx5 driver keeps 0 for packets without a mark, and the highest tag for "flag"
 * (mlx5_prm.h, mlx5_flow_mark_set). */
enum { TAG_MAX = 0xffffff, TAG_FLAG = TAG_MAX };

static const struct {
	enum dv_flow_action_type action;
	enum plan_dest dest;
} dests[] = {
	{ FLOW_ACTION_DROP, DEST_DROP },
	{ FLOW_ACTION_DEFAULT_MISS, DEST_DEFAULT_MISS },
	{ FLOW_ACTION_QUEUE, DEST_QUEUE },
	{ FLOW_ACTION_RSS, DEST_RSS },
	{ FLOW_ACTION_QP, DEST_QP },
	{ FLOW_ACTION_TIR, DEST_TIR },
	{ FLOW_ACTION_DEVX_TABLE, DEST_TABLE },
	{ FLOW_ACTION_JUMP, DEST_GROUP },
	{ FLOW_ACTION_VPORT, DEST_VPORT },
	{ FLOW_ACTION_REPRESENTED_PORT, DEST_VPORT },
};

enum plan_dest flow_plan_dest(enum dv_flow_action_type type)
{
	for (size_t i = 0; i < ARRAY_SIZE(dests); i++)
		if (dests[i].action == type)
			return dests[i].dest;
	return DEST_NONE;
}

static bool is_alone(enum plan_dest dest)
{
	return dest == DEST_DROP || dest == DEST_DEFAULT_MISS;
}

bool flow_plan_is(const struct plan *plan, enum plan_dest dest)
{
	return plan->dests ? plan->dests == 1 && plan->to[0].dest == dest : dest == DEST_NONE;
}

int flow_plan_add(struct plan *plan, const struct dv_flow_action *a,
		  struct dv_flow_error *error)
{
	/* The number is the first argument of all that have one. */
	struct plan_to to = { flow_plan_dest(a->type), (uint32_t)a->arg[0] };

	if (a->type == FLOW_ACTION_RSS)
		to.number = 0;
	for (unsigned int i = 0; i < plan->dests; i++) {
		if (is_alone(to.dest) || is_alone(plan->to[i].dest))
			return flow_refuse(
				error, EINVAL,
				"%s: drop and default_miss are a rule's one destination",
				flow_actions[a->type]);
		if (to.dest == plan->to[i].dest && to.number == plan->to[i].number)
			return flow_refuse(error, EINVAL, "%s: twice the same destination",
					   flow_actions[a->type]);
	}
	if (plan->dests == PLAN_DESTS)
		return flow_refuse(error, EINVAL, "%s: a rule has 8 destinations at most",
				   flow_actions[a->type]);
	plan->to[plan->dests++] = to;
	if (a->type == FLOW_ACTION_RSS)
		plan->rss = a;
	return 0;
}

static int set_once(const struct dv_flow_action **to, const struct dv_flow_action *a,
		    struct dv_flow_error *error)
{
	if (*to)
		return flow_refuse(error, EINVAL, "%s: a rule has one", flow_actions[a->type]);
	*to = a;
	return 0;
}

static int set_sample(struct plan *plan, const struct dv_flow_action *a,
		      struct dv_flow_error *error)
{
	if (!dv_flow_action_arg(a, FLOW_ARG_SAMPLE_RATIO))
		return flow_refuse(error, EINVAL, "sample ratio: at least 1");
	return set_once(&plan->sample, a, error);
}

static int set_tag(struct plan *plan, const struct dv_flow_action *a,
		   struct dv_flow_error *error)
{
	uint64_t tag = a->type == FLOW_ACTION_FLAG ? TAG_FLAG
		       : a->type == FLOW_ACTION_MARK
			       ? dv_flow_action_arg(a, FLOW_ARG_MARK_ID) + 1
			       : dv_flow_action_arg(a, FLOW_ARG_TAG_VALUE);

	if (plan->has_tag)
		return flow_refuse(error, EINVAL, "%s: a rule has one tag",
				   flow_actions[a->type]);
	if (tag > TAG_MAX || (a->type == FLOW_ACTION_MARK && tag == TAG_FLAG))
		return flow_refuse(error, EINVAL, "%s: the flow tag has 24 bits",
				   flow_actions[a->type]);
	plan->has_tag = true;
	plan->tag = (uint32_t)tag;
	return 0;
}

static int add(struct plan *plan, const struct dv_flow_action *a, struct dv_flow_error *error)
{
	if ((unsigned int)a->type >= FLOW_ACTIONS)
		return flow_refuse(error, EINVAL, "no such action");
	if (flow_plan_dest(a->type))
		return flow_plan_add(plan, a, error);
	switch (a->type) {
	case FLOW_ACTION_VOID:
		return 0;
	case FLOW_ACTION_COUNT:
		if (plan->count)
			return flow_refuse(error, EINVAL, "count: a rule has one counter");
		plan->count = true;
		return 0;
	case FLOW_ACTION_TAG:
	case FLOW_ACTION_MARK:
	case FLOW_ACTION_FLAG:
		return set_tag(plan, a, error);
	case FLOW_ACTION_METER:
		return set_once(&plan->meter, a, error);
	case FLOW_ACTION_SAMPLE:
		return set_sample(plan, a, error);
	default:
		if (flow_is_of_headers(a->type))
			return 0; /* flow_headers() */
		return flow_refuse(error, EOPNOTSUPP, "%s: no back end installs it",
				   flow_actions[a->type]);
	}
}

int flow_plan(const struct dv_flow_rule *rule, struct plan *plan, struct dv_flow_error *error)
{
	memset(plan, 0, sizeof(*plan));
	if (rule->ingress + rule->egress + rule->transfer != 1)
		return flow_refuse(error, EINVAL,
				   "one of ingress, egress and transfer is wanted");
	for (unsigned int i = 0; i < rule->actions && i < FLOW_MAX_ACTIONS; i++) {
		int err = add(plan, &rule->action[i], error);

		if (err)
			return err;
	}
	if (!plan->dests && !rule->egress)
		return flow_refuse(error, EINVAL, "a rule wants a destination: queue, drop …");
	return 0;
}
