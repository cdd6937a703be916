/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The back end "kernel": mlx5dv_create_flow(). Each rule has its matcher; the kernel puts rules
 * with the same mask and priority into one group.
 */
#include <errno.h>
#include <string.h>

#include "headers.h"
#include "port.h"
#include "rss.h"

/* struct mlx5dv_flow_match_parameters: the length, then the bytes. */
struct parameters {
	size_t match_sz;
	uint64_t match_buf[FLOW_MATCH_BYTES / 8];
};

static void copy_parameters(struct parameters *p, const uint8_t bytes[FLOW_MATCH_BYTES])
{
	p->match_sz = FLOW_MATCH_BYTES;
	memcpy(p->match_buf, bytes, FLOW_MATCH_BYTES);
}

static int create_matcher(struct dv_flow *f, struct dv_flow_error *error)
{
	struct parameters mask;
	struct mlx5dv_flow_matcher_attr attr = {
		.type = IBV_FLOW_ATTR_NORMAL,
		.flags = f->making->rule->egress ? IBV_FLOW_ATTR_FLAGS_EGRESS : 0,
		.priority = (uint16_t)f->making->rule->priority,
		.match_criteria_enable = f->making->match.criteria,
		.match_mask = (struct mlx5dv_flow_match_parameters *)&mask,
	};

	if (f->making->rule->priority > UINT16_MAX)
		return flow_refuse(error, EINVAL, "priority: the kernel has 16 bits");
	if (f->making->rule->transfer) {
		attr.comp_mask = MLX5DV_FLOW_MATCHER_MASK_FT_TYPE;
		attr.ft_type = MLX5DV_FLOW_TABLE_TYPE_FDB;
	}
	copy_parameters(&mask, f->making->match.mask);
	f->matcher = mlx5dv_create_flow_matcher(f->port->ctx, &attr);
	return f->matcher ? 0
			  : flow_refuse(error, errno, "mlx5dv_create_flow_matcher: %s",
					strerror(errno));
}

int flow_kernel_rule(struct dv_flow *f, unsigned int i, struct mlx5dv_flow_action_attr *actions,
		     size_t n, struct dv_flow_error *error)
{
	struct parameters value;
	int err = f->matcher ? 0 : create_matcher(f, error);

	if (err)
		return err;
	copy_parameters(&value, f->making->match.value);
	f->ibv[i] = mlx5dv_create_flow(
		f->matcher, (struct mlx5dv_flow_match_parameters *)&value, n, actions);
	return f->ibv[i] ? 0
			 : flow_refuse(error, errno, "mlx5dv_create_flow: %s", strerror(errno));
}

int flow_ibv_remove(struct dv_flow *f)
{
	for (unsigned int i = 0; i < PLAN_DESTS; i++) {
		int err = f->ibv[i] ? ibv_destroy_flow(f->ibv[i]) : 0;

		if (err)
			return err;
		f->ibv[i] = NULL;
	}
	return 0;
}

int flow_kernel_remove(struct dv_flow *f)
{
	int err = flow_ibv_remove(f);

	if (!err && f->matcher)
		err = mlx5dv_destroy_flow_matcher(f->matcher);
	if (!err)
		f->matcher = NULL;
	return err;
}

static int destination(struct dv_flow *f, const struct plan_to *plan,
		       struct mlx5dv_flow_action_attr *a, struct dv_flow_error *error)
{
	struct target to;
	int err;

	switch (plan->dest) {
	case DEST_DROP:
		a->type = MLX5DV_FLOW_ACTION_DROP;
		return 0;
	case DEST_DEFAULT_MISS:
		a->type = MLX5DV_FLOW_ACTION_DEFAULT_MISS;
		return 0;
	case DEST_GROUP:
	case DEST_VPORT:
		return flow_refuse(error, EOPNOTSUPP,
				   "mlx5dv_create_flow has no such destination");
	default:
		err = flow_target(f, plan, &to, error);
	}
	if (err)
		return err;
	if (to.qp) {
		a->type = MLX5DV_FLOW_ACTION_DEST_IBV_QP;
		a->qp = to.qp;
	} else {
		a->type = MLX5DV_FLOW_ACTION_DEST_DEVX;
		a->obj = to.obj->handle;
	}
	return 0;
}

/* The table type for which the kernel creates an action. */
static enum mlx5dv_flow_table_type flow_type(const struct dv_flow_rule *rule)
{
	return rule->transfer ? MLX5DV_FLOW_TABLE_TYPE_FDB
	       : rule->egress ? MLX5DV_FLOW_TABLE_TYPE_NIC_TX
			      : MLX5DV_FLOW_TABLE_TYPE_NIC_RX;
}

enum mlx5dv_flow_action_packet_reformat_type flow_reformat_type(uint8_t prm)
{
	switch (prm) {
	case PRM_REFORMAT_L2_TO_L2_TUNNEL:
		return MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L2_TUNNEL;
	case PRM_REFORMAT_L3_TUNNEL_TO_L2:
		return MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L3_TUNNEL_TO_L2;
	default:
		return MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L3_TUNNEL;
	}
}

static int create_reformat(struct dv_flow *f, struct headers *h, struct dv_flow_error *error)
{
	if (!h->encap_len && !h->decap)
		return 0;
	f->action[1] = mlx5dv_create_flow_action_packet_reformat(
		f->port->ctx, h->encap_len, h->encap_len ? h->encap : NULL,
		h->encap_len ? flow_reformat_type(h->reformat)
			     : MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TUNNEL_TO_L2,
		flow_type(f->making->rule));
	return f->action[1] ? 0
			    : flow_refuse(error, errno,
					  "mlx5dv_create_flow_action_packet_reformat: %s",
					  strerror(errno));
}

static int create_headers(struct dv_flow *f, struct dv_flow_error *error)
{
	struct headers h;
	int err = flow_headers(f->making->rule, &h, error);

	if (err)
		return err;
	if (h.pops || h.pushes)
		return flow_refuse(error, EOPNOTSUPP,
				   "mlx5dv_create_flow adds and removes no VLAN tags");
	if (h.modify.n) {
		f->action[0] = mlx5dv_create_flow_action_modify_header(
			f->port->ctx, 8ul * h.modify.n, (uint64_t *)h.modify.action,
			flow_type(f->making->rule));
		if (!f->action[0])
			return flow_refuse(error, errno,
					   "mlx5dv_create_flow_action_modify_header: %s",
					   strerror(errno));
	}
	return create_reformat(f, &h, error);
}

/* Tag and changes of headers; equal in all rules of a mirror, since they become one entry. */
static size_t common_actions(const struct dv_flow *f, struct mlx5dv_flow_action_attr *actions)
{
	size_t n = 0;

	if (f->making->plan.has_tag) {
		actions[n].type = MLX5DV_FLOW_ACTION_TAG;
		actions[n++].tag_value = f->making->plan.tag;
	}
	for (size_t i = 0; i < ARRAY_SIZE(f->action); i++)
		if (f->action[i]) {
			actions[n].type = MLX5DV_FLOW_ACTION_IBV_FLOW_ACTION;
			actions[n++].action = f->action[i];
		}
	return n;
}

/* mlx5dv_create_flow() takes one destination. The kernel puts rules that match the same into
 * one entry with the destinations of all (fs_core.c, try_add_to_existing_fg). */
static int create_rules(struct dv_flow *f, struct dv_flow_error *error)
{
	struct mlx5dv_flow_action_attr actions[5];
	size_t common;
	int err = 0;

	memset(actions, 0, sizeof(actions));
	common = common_actions(f, actions);
	for (unsigned int i = 0; !err && (!i || i < f->making->plan.dests); i++) {
		size_t n = common;

		if (f->making->plan.dests)
			err = destination(f, &f->making->plan.to[i], &actions[n++], error);
		if (!i && f->making->plan.count) {
			actions[n].type = MLX5DV_FLOW_ACTION_COUNTERS_DEVX;
			actions[n++].obj = f->counter.handle;
		}
		if (!err)
			err = flow_kernel_rule(f, i, actions, n, error);
	}
	return err;
}

static int install(struct dv_flow *f, struct dv_flow_error *error)
{
	int err = flow_rss_create(f, error);

	if (!err)
		err = create_headers(f, error);
	if (!err && f->making->plan.count) {
		err = devx_flow_counter_create(&f->counter, f->port->ctx, 0);
		if (err)
			return flow_refuse(error, err, "count: %s", strerror(err));
	}
	return err ? err : create_rules(f, error);
}

static int remove_rule(struct dv_flow *f)
{
	int err = flow_kernel_remove(f);

	for (size_t i = 0; !err && i < ARRAY_SIZE(f->action); i++) {
		err = f->action[i] ? ibv_destroy_flow_action(f->action[i]) : 0;
		if (!err)
			f->action[i] = NULL;
	}
	if (!err)
		err = devx_flow_counter_destroy(&f->counter);
	return err ? err : flow_rss_destroy(f);
}

const struct backend flow_kernel = {
	.name = "kernel", .headers = true, .install = install, .remove = remove_rule
};
