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

enum { FLOW_DEVX_PRIORITIES = 16, DR_ACTIONS = 2 * PLAN_DESTS + 12 };

/* The table of a group, shared by its rules and those that jump to it. */
struct group_table {
	struct group_table *next;
	uint8_t type;		     /* PRM_FT_TYPE_* */
	uint32_t level, group, size; /* size: entries; 0: unknown */
	unsigned int users;
	struct devx_obj obj;	     /* "devx" */
	struct mask_group *masks;    /* "devx" */
	struct mlx5dv_dr_table *dr;  /* "dr" */
	struct dr_matcher *matchers; /* "dr" */
};

/* Data for the creation of a rule, not needed once it is installed. */
struct making {
	const struct dv_flow_rule *rule; /* of the caller */
	struct plan plan;
	struct dv_flow_match match;
	struct mlx5dv_dr_action *dr_action[DR_ACTIONS]; /* "dr": those that the rule names */
	size_t dr_actions;
};

struct dv_flow {
	struct dv_flow_port *port;
	struct dv_flow *next, *prev;
	unsigned int number;
	uint8_t type; /* of its table: PRM_FT_TYPE_* */
	bool count;
	struct kept *rule;     /* keep.h; in the same block of memory */
	struct making *making; /* while it is created */

	struct devx_obj counter;	     /* not "verbs" */
	struct ibv_counters *counters;	     /* "verbs" */
	struct ibv_rwq_ind_table *ind_table; /* of rss */
	struct ibv_qp *rss;
	struct devx_obj rss_td, rss_tir; /* "devx", instead of rss */

	/* "verbs", "kernel": one for each destination; "devx": the way to group 0 */
	struct ibv_flow *ibv[PLAN_DESTS];
	struct mlx5dv_flow_matcher *matcher;
	struct ibv_flow_action *action[2]; /* "kernel" */

	struct group_table *table, *jump[PLAN_DESTS]; /* "devx", "dr" */
	struct devx_obj entry, modify, reformat;      /* "devx" */
	struct mask_group *masks;		      /* of its entry */
	struct dv_flow *chained;		      /* in it */
	uint8_t *value;				      /* the blocks that the mask has */
	uint32_t index;

	struct dr_matcher *dr_matcher; /* "dr" */
	struct mlx5dv_dr_rule *dr_rule;
	struct mlx5dv_dr_action **dr_made; /* in the order of creation */
	size_t dr_made_n;
};

struct backend {
	const char *name;
	bool groups;  /* other groups than 0 */
	bool headers; /* actions that change them */
	bool meters;  /* meter, and sample with another ratio than 1 */
	/* @f has type and making. After a failure remove() is called with the parts that
	 * exist. */
	int (*install)(struct dv_flow *f, struct dv_flow_error *error);
	int (*remove)(struct dv_flow *f);
	/* With groups: type and group of @t are set; they set level, and size. */
	int (*create_table)(struct dv_flow_port *port, struct group_table *t,
			    struct dv_flow_error *error);
	int (*destroy_table)(struct group_table *t);
	void (*close)(struct dv_flow_port *port); /* NULL: nothing to do */
	/* For list.h; NULL: the back end does not know. */
	void (*place)(const struct dv_flow *f, struct dv_flow_place *place);
};

struct dv_flow_port {
	struct ibv_context *ctx;
	struct dv_flow_targets targets;
	const struct backend *backend;
	struct dv_flow *first, *last;
	unsigned int number; /* of the next rule */
	struct group_table *tables;
	struct mlx5dv_dr_domain *domain[PRM_FT_TYPE_FDB + 1]; /* "dr", by table type */
};

extern const struct backend flow_verbs, flow_kernel, flow_devx, flow_dr;

/* The object that a destination names: a QP, or a TIR or table. EINVAL: the targets have no
 * such. */
struct target {
	struct ibv_qp *qp;
	struct devx_obj *obj;
};
int flow_target(struct dv_flow *f, const struct plan_to *to, struct target *target,
		struct dv_flow_error *error);

/* The table of a group, with one user more; and one user less: *@table is NULL then. */
int flow_group_take(struct dv_flow_port *port, uint8_t type, uint32_t group,
		    struct group_table **table, struct dv_flow_error *error);
int flow_group_give(struct dv_flow_port *port, struct group_table **table);
/* The table that destination @i of the rule jumps to: f->jump[i]. */
int flow_jump(struct dv_flow *f, unsigned int i, struct dv_flow_error *error);
/* f->table and f->jump. */
int flow_give_tables(struct dv_flow *f);

/* PRM_REFORMAT_* of a header that is added, in terms of mlx5dv. */
enum mlx5dv_flow_action_packet_reformat_type flow_reformat_type(uint8_t prm);

/* A rule of the kernel with the match of @f and these actions: f->matcher, f->ibv[@i]. */
int flow_kernel_rule(struct dv_flow *f, unsigned int i, struct mlx5dv_flow_action_attr *actions,
		     size_t n, struct dv_flow_error *error);
int flow_kernel_remove(struct dv_flow *f);
int flow_ibv_remove(struct dv_flow *f);

/* "devx": an entry for @f in the table of its group, in a flow group of the device for its
 * mask. */
int flow_entry_take(struct dv_flow *f, uint32_t *index, struct dv_flow_error *error);
/* Again as long as it fails. */
int flow_entry_give(struct dv_flow *f);
/* The number of the flow group. */
uint32_t flow_entry_group(const struct dv_flow *f);
int flow_refuse_command(int err, struct dv_flow_error *error);

#endif
