/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The back end "kernel": mlx5dv_create_flow(). Each rule has its matcher; the kernel puts rules with the
 * same mask and priority into one group.
 */
#include <errno.h>
#include <string.h>

#include "port.h"
#include "rss.h"

/* What mlx5dv takes: the length, then the bytes. */
struct parameters {
	size_t match_sz;
	uint64_t match_buf[FLOW_MATCH_BYTES / 8];
};

static void copy_parameters(struct parameters *p, const uint8_t bytes[FLOW_MATCH_BYTES])
{
	p->match_sz = FLOW_MATCH_BYTES;
	memcpy(p->match_buf, bytes, FLOW_MATCH_BYTES);
}

static int create_matcher(struct flow *f, struct flow_error *error)
{
	struct parameters mask;
	struct mlx5dv_flow_matcher_attr attr = {
		.type = IBV_FLOW_ATTR_NORMAL,
		.flags = f->rule.egress ? IBV_FLOW_ATTR_FLAGS_EGRESS : 0,
		.priority = (uint16_t)f->rule.priority,
		.match_criteria_enable = f->match.criteria,
		.match_mask = (struct mlx5dv_flow_match_parameters *)&mask,
	};

	if (f->rule.priority > UINT16_MAX)
		return flow_refuse(error, EINVAL, "priority: the kernel has 16 bits");
	if (f->rule.transfer) {
		attr.comp_mask = MLX5DV_FLOW_MATCHER_MASK_FT_TYPE;
		attr.ft_type = MLX5DV_FLOW_TABLE_TYPE_FDB;
	}
	copy_parameters(&mask, f->match.mask);
	f->matcher = mlx5dv_create_flow_matcher(f->port->ctx, &attr);
	return f->matcher ? 0
			  : flow_refuse(error, errno, "mlx5dv_create_flow_matcher: %s",
					strerror(errno));
}

int flow_kernel_rule(struct flow *f, struct mlx5dv_flow_action_attr *actions, size_t n,
		     struct flow_error *error)
{
	struct parameters value;
	int err = create_matcher(f, error);

	if (err)
		return err;
	copy_parameters(&value, f->match.value);
	f->ibv = mlx5dv_create_flow(f->matcher, (struct mlx5dv_flow_match_parameters *)&value,
				    n, actions);
	return f->ibv ? 0
		      : flow_refuse(error, errno, "mlx5dv_create_flow: %s", strerror(errno));
}

int flow_kernel_remove(struct flow *f)
{
	int err = f->ibv ? ibv_destroy_flow(f->ibv) : 0;

	if (err)
		return err;
	f->ibv = NULL;
	err = f->matcher ? mlx5dv_destroy_flow_matcher(f->matcher) : 0;
	if (!err)
		f->matcher = NULL;
	return err;
}

static int destination(struct flow *f, struct mlx5dv_flow_action_attr *a,
		       struct flow_error *error)
{
	struct target to;
	int err;

	switch (f->plan.dest) {
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
		err = flow_target(f, &to, error);
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

static int install(struct flow *f, struct flow_error *error)
{
	struct mlx5dv_flow_action_attr actions[3];
	size_t n = 0;
	int err = flow_rss_create(f, error);

	memset(actions, 0, sizeof(actions));
	if (!err && f->plan.dest)
		err = destination(f, &actions[n++], error);
	if (!err && f->plan.has_tag) {
		actions[n].type = MLX5DV_FLOW_ACTION_TAG;
		actions[n++].tag_value = f->plan.tag;
	}
	if (!err && f->plan.count) {
		err = devx_flow_counter_create(&f->counter, f->port->ctx, 0);
		if (err)
			return flow_refuse(error, err, "count: %s", strerror(err));
		actions[n].type = MLX5DV_FLOW_ACTION_COUNTERS_DEVX;
		actions[n++].obj = f->counter.handle;
	}
	return err ? err : flow_kernel_rule(f, actions, n, error);
}

static int remove_rule(struct flow *f)
{
	int err = flow_kernel_remove(f);

	if (!err)
		err = devx_flow_counter_destroy(&f->counter);
	return err ? err : flow_rss_destroy(f);
}

const struct backend flow_kernel = { "kernel",	  false, false, install,
				     remove_rule, NULL,	 NULL,	NULL };
