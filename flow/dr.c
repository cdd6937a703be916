/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The back end "dr": mlx5dv_dr. A domain per direction, a table per group (its level), a matcher per
 * rule. Group 0 is the root, whose rules libmlx5 makes by mlx5dv_create_flow().
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "port.h"
#include "rss.h"

struct dr_table {
	struct dr_table *next;
	uint8_t type;
	uint32_t group;
	unsigned int users;
	struct mlx5dv_dr_table *table;
};

struct parameters {
	size_t match_sz;
	uint64_t match_buf[FLOW_MATCH_BYTES / 8];
};

/* The domain of the rule's direction, made when it is first used. */
static struct mlx5dv_dr_domain *domain(struct flow_port *port, uint8_t type,
				       struct flow_error *error)
{
	static const enum mlx5dv_dr_domain_type types[] = {
		[PRM_FT_TYPE_NIC_RX] = MLX5DV_DR_DOMAIN_TYPE_NIC_RX,
		[PRM_FT_TYPE_NIC_TX] = MLX5DV_DR_DOMAIN_TYPE_NIC_TX,
		[PRM_FT_TYPE_FDB] = MLX5DV_DR_DOMAIN_TYPE_FDB,
	};

	if (!port->domain[type])
		port->domain[type] = mlx5dv_dr_domain_create(port->ctx, types[type]);
	if (!port->domain[type])
		flow_refuse(error, errno, "mlx5dv_dr_domain_create: %s", strerror(errno));
	return port->domain[type];
}

static struct dr_table *take_table(struct flow_port *port, uint8_t type, uint32_t group,
				   struct flow_error *error)
{
	struct mlx5dv_dr_domain *d = domain(port, type, error);
	struct dr_table *t = port->dr_tables;

	while (t && (t->type != type || t->group != group))
		t = t->next;
	if (t || !d) {
		if (t)
			t->users++;
		return t;
	}
	t = calloc(1, sizeof(*t));
	if (t)
		t->table = mlx5dv_dr_table_create(d, group);
	if (!t || !t->table) {
		flow_refuse(error, errno, "mlx5dv_dr_table_create of level %u: %s", group,
			    strerror(errno));
		free(t);
		return NULL;
	}
	t->type = type;
	t->group = group;
	t->users = 1;
	t->next = port->dr_tables;
	port->dr_tables = t;
	return t;
}

static int put_table(struct flow_port *port, struct dr_table *t)
{
	struct dr_table **at = &port->dr_tables;
	int err;

	if (t->users > 1) {
		t->users--;
		return 0;
	}
	err = mlx5dv_dr_table_destroy(t->table);
	if (err)
		return err;
	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	free(t);
	return 0;
}

static int add_action(struct flow *f, struct mlx5dv_dr_action *action, const char *what,
		      struct flow_error *error)
{
	if (!action)
		return flow_refuse(error, errno ? errno : EOPNOTSUPP, "%s: %s", what,
				   strerror(errno));
	f->dr_action[f->dr_actions++] = action;
	return 0;
}

static int jump(struct flow *f, struct flow_error *error)
{
	if (f->plan.number <= f->rule.group)
		return flow_refuse(error, EINVAL, "jump: to a higher group only");
	f->dr_jump = take_table(f->port, flow_table_type(&f->rule), f->plan.number, error);
	if (!f->dr_jump)
		return errno ? errno : EIO;
	return add_action(f, mlx5dv_dr_action_create_dest_table(f->dr_jump->table), "jump",
			  error);
}

static int destination(struct flow *f, struct flow_error *error)
{
	struct mlx5dv_dr_domain *d = f->port->domain[flow_table_type(&f->rule)];
	struct target to;
	int err;

	switch (f->plan.dest) {
	case DEST_NONE:
		return 0;
	case DEST_DROP:
		return add_action(f, mlx5dv_dr_action_create_drop(), "drop", error);
	case DEST_DEFAULT_MISS:
		return add_action(f, mlx5dv_dr_action_create_default_miss(), "default_miss",
				  error);
	case DEST_VPORT:
		return add_action(f, mlx5dv_dr_action_create_dest_vport(d, f->plan.number),
				  "vport", error);
	case DEST_GROUP:
		return jump(f, error);
	case DEST_TABLE:
		return flow_refuse(error, EOPNOTSUPP,
				   "devx_table: mlx5dv_dr has no such destination");
	default:
		err = flow_target(f, &to, error);
	}
	if (err)
		return err;
	return add_action(f,
			  to.qp ? mlx5dv_dr_action_create_dest_ibv_qp(to.qp)
				: mlx5dv_dr_action_create_dest_devx_tir(to.obj->handle),
			  "the destination", error);
}

static int create_actions(struct flow *f, struct flow_error *error)
{
	int err = destination(f, error);

	if (!err && f->plan.has_tag)
		err = add_action(f, mlx5dv_dr_action_create_tag(f->plan.tag), "tag", error);
	if (err || !f->plan.count)
		return err;
	err = devx_flow_counter_create(&f->counter, f->port->ctx, 0);
	if (err)
		return flow_refuse(error, err, "count: %s", strerror(err));
	return add_action(f, mlx5dv_dr_action_create_flow_counter(f->counter.handle, 0),
			  "count", error);
}

/* Tables of libmlx5 match ip_version only under a mask that is the version (rdma-core, dr_ste.c:
 * dr_ste_build_pre_check). */
static void narrow_version(uint8_t *mask, const uint8_t *value)
{
	uint64_t version = PRM_GET(fte_match_set_lyr_2_4, value, ip_version);

	if (version)
		PRM_SET(fte_match_set_lyr_2_4, mask, ip_version, version);
}

static int create_rule(struct flow *f, struct flow_error *error)
{
	struct parameters mask = { .match_sz = FLOW_MATCH_BYTES };
	struct parameters value = { .match_sz = FLOW_MATCH_BYTES };
	uint8_t *m = (uint8_t *)mask.match_buf, *v = (uint8_t *)value.match_buf;

	memcpy(m, f->match.mask, FLOW_MATCH_BYTES);
	memcpy(v, f->match.value, FLOW_MATCH_BYTES);
	if (f->rule.group) {
		narrow_version(PRM_ADDR(fte_match_param, m, outer_headers),
			       PRM_ADDR(fte_match_param, v, outer_headers));
		narrow_version(PRM_ADDR(fte_match_param, m, inner_headers),
			       PRM_ADDR(fte_match_param, v, inner_headers));
	}
	f->dr_matcher = mlx5dv_dr_matcher_create(f->dr_table->table, (uint16_t)f->rule.priority,
						 f->match.criteria,
						 (struct mlx5dv_flow_match_parameters *)&mask);
	if (!f->dr_matcher)
		return flow_refuse(error, errno, "mlx5dv_dr_matcher_create: %s",
				   strerror(errno));
	f->dr_rule = mlx5dv_dr_rule_create(f->dr_matcher,
					   (struct mlx5dv_flow_match_parameters *)&value,
					   f->dr_actions, f->dr_action);
	return f->dr_rule ? 0
			  : flow_refuse(error, errno, "mlx5dv_dr_rule_create: %s",
					strerror(errno));
}

static int install(struct flow *f, struct flow_error *error)
{
	int err;

	if (f->rule.priority > UINT16_MAX)
		return flow_refuse(error, EINVAL, "priority: mlx5dv_dr has 16 bits");
	errno = 0;
	f->dr_table = take_table(f->port, flow_table_type(&f->rule), f->rule.group, error);
	if (!f->dr_table)
		return errno ? errno : EIO;
	err = flow_rss_create(f, error);
	if (!err)
		err = create_actions(f, error);
	return err ? err : create_rule(f, error);
}

static int remove_actions(struct flow *f)
{
	while (f->dr_actions) {
		int err = mlx5dv_dr_action_destroy(f->dr_action[f->dr_actions - 1]);

		if (err)
			return err;
		f->dr_actions--;
	}
	return devx_flow_counter_destroy(&f->counter);
}

static int remove_rule(struct flow *f)
{
	int err = f->dr_rule ? mlx5dv_dr_rule_destroy(f->dr_rule) : 0;

	if (err)
		return err;
	f->dr_rule = NULL;
	err = f->dr_matcher ? mlx5dv_dr_matcher_destroy(f->dr_matcher) : 0;
	if (err)
		return err;
	f->dr_matcher = NULL;
	err = remove_actions(f);
	if (!err && f->dr_table)
		err = put_table(f->port, f->dr_table);
	if (err)
		return err;
	f->dr_table = NULL;
	err = f->dr_jump ? put_table(f->port, f->dr_jump) : 0;
	if (err)
		return err;
	f->dr_jump = NULL;
	return flow_rss_destroy(f);
}

static void close_domains(struct flow_port *port)
{
	for (size_t i = 0; i < ARRAY_SIZE(port->domain); i++)
		if (port->domain[i])
			mlx5dv_dr_domain_destroy(port->domain[i]);
}

static struct flow_table describe(const struct flow_port *port, const struct dr_table *t)
{
	struct flow_table table = { .type = t->type, .group = t->group, .level = t->group };

	for (const struct flow *f = port->first; f; f = f->next) {
		table.rules += f->dr_table == t;
		table.jumps += f->dr_jump == t;
	}
	return table;
}

static unsigned int tables(const struct flow_port *port, struct flow_table *table,
			   unsigned int n)
{
	unsigned int i = 0;

	for (const struct dr_table *t = port->dr_tables; t; t = t->next, i++)
		if (i < n)
			table[i] = describe(port, t);
	return i;
}

const struct backend flow_dr = { "dr",	      true,	     false,  install,
				 remove_rule, close_domains, tables, NULL };
