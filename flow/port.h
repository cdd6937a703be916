/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A port, its rules, and what a back end is.
 */
#ifndef FLOW_PORT_H
#define FLOW_PORT_H

#include <infiniband/mlx5dv.h>

#include <devx/flow.h>
#include <flow/flow.h>
#include <flow/list.h>
#include <flow/match.h>

#include "plan.h"

struct flow {
	struct flow_port *port;
	struct flow *next;
	unsigned int number;
	struct flow_rule rule;
	struct plan plan;
	struct flow_match match;

	struct devx_obj counter;	     /* not "verbs" */
	struct ibv_counters *counters;	     /* "verbs" */
	struct ibv_rwq_ind_table *ind_table; /* of rss */
	struct ibv_qp *rss;

	struct ibv_flow *ibv; /* "verbs", "kernel"; "devx": the way to group 0 */
	struct mlx5dv_flow_matcher *matcher;

	struct devx_table *table, *jump; /* "devx" */
	struct devx_obj group, entry, modify, reformat;

	struct dr_table *dr_table, *dr_jump; /* "dr" */
	struct mlx5dv_dr_matcher *dr_matcher;
	struct mlx5dv_dr_rule *dr_rule;
	struct mlx5dv_dr_action *dr_action[4];
	size_t dr_actions;
};

struct backend {
	const char *name;
	bool groups;  /* other groups than 0 */
	bool headers; /* actions that change them */
	/* @f has rule, plan and match. After a failure remove() is called with what there is. */
	int (*install)(struct flow *f, struct flow_error *error);
	int (*remove)(struct flow *f);
	void (*close)(struct flow_port *port); /* NULL: nothing to do */
	/* Of list.h; NULL: its tables are those of the kernel. */
	unsigned int (*tables)(const struct flow_port *port, struct flow_table *table,
			       unsigned int n);
	void (*place)(const struct flow *f, struct flow_place *place);
};

struct flow_port {
	struct ibv_context *ctx;
	struct flow_targets targets;
	const struct backend *backend;
	struct flow *first;
	unsigned int number; /* of the next rule */
	struct devx_table *tables;
	struct mlx5dv_dr_domain *domain[PRM_FT_TYPE_FDB + 1]; /* by table type */
	struct dr_table *dr_tables;
};

extern const struct backend flow_verbs, flow_kernel, flow_devx, flow_dr;

/* The destination of a rule as an object: a QP, or a TIR or table. EINVAL: the targets have no such. */
struct target {
	struct ibv_qp *qp;
	struct devx_obj *obj;
};
int flow_target(struct flow *f, struct target *target, struct flow_error *error);

/* The table type of the rule's attributes. */
uint8_t flow_table_type(const struct flow_rule *rule);

/* A rule of the kernel with the match of @f and these actions: f->matcher, f->ibv. */
int flow_kernel_rule(struct flow *f, struct mlx5dv_flow_action_attr *actions, size_t n,
		     struct flow_error *error);
int flow_kernel_remove(struct flow *f);

#endif
