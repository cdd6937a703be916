/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The back end "dr": mlx5dv_dr. A domain per direction, a table per group (its level), a
 * matcher for all rules of a table that have the same mask and priority: a packet passes the
 * matchers one by one, the rules of one by a hash. Group 0 is the root, whose rules libmlx5
 * makes by mlx5dv_create_flow().
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "headers.h"
#include "port.h"
#include "rss.h"

/* The parts that libmlx5 knows, up to misc_parameters_5: its tables refuse more (rdma-core,
 * dr_matcher.c, dr_matcher_copy_param). No item has a field after them. */
#define DR_MATCH_BYTES \
	(PRM_OFF(fte_match_param, misc_parameters_5) / 8 + PRM_SZ(fte_match_set_misc5))

struct parameters {
	size_t match_sz;
	uint64_t match_buf[FLOW_MATCH_BYTES / 8];
};

/* The domain of the rule's direction, made when it is first used. */
static struct mlx5dv_dr_domain *domain(struct dv_flow_port *port, uint8_t type,
				       struct dv_flow_error *error)
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

static int create_table(struct dv_flow_port *port, struct group_table *t,
			struct dv_flow_error *error)
{
	struct mlx5dv_dr_domain *d = domain(port, t->type, error);

	if (!d)
		return errno ? errno : EIO;
	t->level = t->group;
	t->dr = mlx5dv_dr_table_create(d, t->group);
	return t->dr ? 0
		     : flow_refuse(error, errno ? errno : EIO,
				   "mlx5dv_dr_table_create of level %u: %s", t->group,
				   strerror(errno));
}

static int destroy_table(struct group_table *t)
{
	return mlx5dv_dr_table_destroy(t->dr);
}

/* An action for the rule, or for another action. */
static int made(struct dv_flow *f, struct mlx5dv_dr_action *action, const char *what,
		struct dv_flow_error *error)
{
	if (!action)
		return flow_refuse(error, errno ? errno : EOPNOTSUPP, "%s: %s", what,
				   strerror(errno));
	f->dr_made[f->dr_made_n++] = action;
	return 0;
}

static int add_action(struct dv_flow *f, struct mlx5dv_dr_action *action, const char *what,
		      struct dv_flow_error *error)
{
	int err = made(f, action, what, error);

	if (!err)
		f->making->dr_action[f->making->dr_actions++] = action;
	return err;
}

static struct mlx5dv_dr_domain *domain_of(const struct dv_flow *f)
{
	return f->port->domain[f->type];
}

/* ---- destinations ---- */

static int object_dest(struct dv_flow *f, const struct plan_to *plan,
		       struct dv_flow_error *error)
{
	struct target to;
	int err = flow_target(f, plan, &to, error);

	if (err)
		return err;
	return made(f,
		    to.qp ? mlx5dv_dr_action_create_dest_ibv_qp(to.qp)
			  : mlx5dv_dr_action_create_dest_devx_tir(to.obj->handle),
		    "the destination", error);
}

/* The latest action that was made is the destination. */
static int destination(struct dv_flow *f, const struct plan_to *plan, unsigned int i,
		       struct dv_flow_error *error)
{
	int err;

	switch (plan->dest) {
	case DEST_DROP:
		return made(f, mlx5dv_dr_action_create_drop(), "drop", error);
	case DEST_DEFAULT_MISS:
		return made(f, mlx5dv_dr_action_create_default_miss(), "default_miss", error);
	case DEST_VPORT:
		return made(f, mlx5dv_dr_action_create_dest_vport(domain_of(f), plan->number),
			    "vport", error);
	case DEST_GROUP:
		err = flow_jump(f, i, error);
		return err ? err
			   : made(f, mlx5dv_dr_action_create_dest_table(f->jump[i]->dr), "jump",
				  error);
	case DEST_TABLE:
		return flow_refuse(error, EOPNOTSUPP,
				   "devx_table: mlx5dv_dr has no such destination");
	default:
		return object_dest(f, plan, error);
	}
}

static int array(struct dv_flow *f, struct dv_flow_error *error)
{
	struct mlx5dv_dr_action_dest_attr attr[PLAN_DESTS], *attrs[PLAN_DESTS];

	memset(attr, 0, sizeof(attr));
	for (unsigned int i = 0; i < f->making->plan.dests; i++) {
		int err = destination(f, &f->making->plan.to[i], i, error);

		if (err)
			return err;
		attr[i].type = MLX5DV_DR_ACTION_DEST;
		attr[i].dest = f->dr_made[f->dr_made_n - 1];
		attrs[i] = &attr[i];
	}
	return add_action(
		f,
		mlx5dv_dr_action_create_dest_array(domain_of(f), f->making->plan.dests, attrs),
		"mlx5dv_dr_action_create_dest_array", error);
}

static int one(struct dv_flow *f, struct dv_flow_error *error)
{
	int err = destination(f, &f->making->plan.to[0], 0, error);

	if (!err)
		f->making->dr_action[f->making->dr_actions++] = f->dr_made[f->dr_made_n - 1];
	return err;
}

/* ---- sample and meter ---- */

/* Checks the sample: a destination, and a tag. */
static int sample_plan(const struct dv_flow *f, struct plan *plan, struct dv_flow_error *error)
{
	uint64_t index = dv_flow_action_arg(f->making->plan.sample, FLOW_ARG_SAMPLE_INDEX);
	struct dv_flow_rule rule = f->port->targets.sample[index];
	int err;

	rule.ingress = f->making->rule->ingress;
	rule.egress = f->making->rule->egress;
	rule.transfer = f->making->rule->transfer;
	err = flow_plan(&rule, plan, error);
	if (err)
		return err;
	if (plan->dests != 1 || plan->rss || plan->count || plan->meter || plan->sample ||
	    plan->to[0].dest == DEST_GROUP || flow_changes_headers(&rule))
		return flow_refuse(
			error, EOPNOTSUPP,
			"sample: a QP, TIR or vport, and a tag, are what dr samples to");
	return 0;
}

/* All packets go to the table of the jump, one of ratio to the sample, too. */
static int sampler(struct dv_flow *f, struct dv_flow_error *error)
{
	struct mlx5dv_dr_action *list[2];
	struct mlx5dv_dr_flow_sampler_attr attr = {
		.sample_ratio = (uint32_t)dv_flow_action_arg(f->making->plan.sample,
							     FLOW_ARG_SAMPLE_RATIO),
		.sample_actions = list,
	};
	struct plan plan;
	int err;

	if (!flow_plan_is(&f->making->plan, DEST_GROUP))
		return flow_refuse(error, EOPNOTSUPP,
				   "sample: dr wants jump as the only destination");
	err = sample_plan(f, &plan, error);
	if (!err)
		err = flow_jump(f, 0, error);
	if (!err && plan.has_tag)
		err = made(f, mlx5dv_dr_action_create_tag(plan.tag), "tag", error);
	if (!err && plan.has_tag)
		list[attr.num_sample_actions++] = f->dr_made[f->dr_made_n - 1];
	if (!err)
		err = destination(f, &plan.to[0], 0, error);
	if (err)
		return err;
	list[attr.num_sample_actions++] = f->dr_made[f->dr_made_n - 1];
	attr.default_next_table = f->jump[0]->dr;
	return add_action(f, mlx5dv_dr_action_create_flow_sampler(&attr),
			  "mlx5dv_dr_action_create_flow_sampler", error);
}

/* mlx5dv_dr writes the colour to register C 1, 3 or 5 (dr_action.c,
 * dr_action_aso_flow_meter_init). 1 is the kernel's (mlx5_core, eswitch.h). */
static int meter(struct dv_flow *f, struct dv_flow_error *error)
{
	enum { PER_OBJECT = 2, COLOUR_REGISTER = 3 };
	const struct dv_flow_targets *t = &f->port->targets;
	uint64_t id = dv_flow_action_arg(f->making->plan.meter, FLOW_ARG_METER_MTR_ID);

	if (id / PER_OBJECT >= t->n_meter)
		return flow_refuse(error, EINVAL, "meter mtr_id: the targets have no meter %u",
				   (unsigned int)id);
	return add_action(f,
			  mlx5dv_dr_action_create_aso(
				  domain_of(f), t->meter[id / PER_OBJECT]->handle,
				  (uint32_t)(id % PER_OBJECT),
				  MLX5DV_DR_ACTION_FLAGS_ASO_FLOW_METER_GREEN, COLOUR_REGISTER),
			  "mlx5dv_dr_action_create_aso", error);
}

/* ---- changes of headers ---- */

static uint32_t flags_of(const struct dv_flow *f)
{
	return f->making->rule->group ? 0 : MLX5DV_DR_ACTION_FLAGS_ROOT_LEVEL;
}

static int decap_l2(struct dv_flow *f, struct dv_flow_error *error)
{
	return add_action(f,
			  mlx5dv_dr_action_create_packet_reformat(
				  domain_of(f), flags_of(f),
				  MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TUNNEL_TO_L2, 0,
				  NULL),
			  "mlx5dv_dr_action_create_packet_reformat", error);
}

static int reformat(struct dv_flow *f, struct headers *h, struct dv_flow_error *error)
{
	return add_action(f,
			  mlx5dv_dr_action_create_packet_reformat(
				  domain_of(f), flags_of(f), flow_reformat_type(h->reformat),
				  h->encap_len, h->encap),
			  "mlx5dv_dr_action_create_packet_reformat", error);
}

/* A tag as it is sent. */
static __be32 vlan_header(const struct devx_vlan *v)
{
	return htobe32((uint32_t)v->ethertype << 16 | (uint32_t)v->prio << 13 |
		       (uint32_t)v->cfi << 12 | v->vid);
}

static int vlans(struct dv_flow *f, const struct headers *h, bool push,
		 struct dv_flow_error *error)
{
	int err = 0;

	if ((push ? h->pushes : h->pops) && !f->making->rule->group)
		return flow_refuse(error, EOPNOTSUPP,
				   "%s: mlx5dv_dr has it in other groups than 0",
				   push ? "of_push_vlan" : "of_pop_vlan");
	for (unsigned int i = 0; !err && i < (push ? h->pushes : h->pops); i++)
		err = push ? add_action(f,
					mlx5dv_dr_action_create_push_vlan(
						domain_of(f), vlan_header(&h->push[i])),
					"of_push_vlan", error)
			   : add_action(f, mlx5dv_dr_action_create_pop_vlan(), "of_pop_vlan",
					error);
	return err;
}

static int modify(struct dv_flow *f, struct headers *h, struct dv_flow_error *error)
{
	if (!h->modify.n)
		return 0;
	return add_action(f,
			  mlx5dv_dr_action_create_modify_header(domain_of(f), flags_of(f),
								8ul * h->modify.n,
								(__be64 *)h->modify.action),
			  "mlx5dv_dr_action_create_modify_header", error);
}

/* In the order in which mlx5dv_dr takes them (dr_action.c, next_action_state). */
static int headers(struct dv_flow *f, struct headers *h, struct dv_flow_error *error)
{
	int err = 0;

	if (h->decap)
		err = decap_l2(f, error);
	else if (h->encap_len && h->reformat == PRM_REFORMAT_L3_TUNNEL_TO_L2)
		err = reformat(f, h, error);
	if (!err)
		err = vlans(f, h, false, error);
	if (!err)
		err = modify(f, h, error);
	return err ? err : vlans(f, h, true, error);
}

static int count(struct dv_flow *f, struct dv_flow_error *error)
{
	int err = devx_flow_counter_create(&f->counter, f->port->ctx, 0);

	if (err)
		return flow_refuse(error, err, "count: %s", strerror(err));
	return add_action(f, mlx5dv_dr_action_create_flow_counter(f->counter.handle, 0),
			  "count", error);
}

/* The destination is the last one. */
static int create_actions(struct dv_flow *f, struct headers *h, struct dv_flow_error *error)
{
	bool encap = h->encap_len && h->reformat != PRM_REFORMAT_L3_TUNNEL_TO_L2;
	int err = 0;

	if (f->making->plan.has_tag)
		err = add_action(f, mlx5dv_dr_action_create_tag(f->making->plan.tag), "tag",
				 error);
	if (!err && f->making->plan.count)
		err = count(f, error);
	if (!err)
		err = headers(f, h, error);
	if (!err && f->making->plan.meter)
		err = meter(f, error);
	if (!err && encap)
		err = reformat(f, h, error);
	if (err || !f->making->plan.dests)
		return err;
	if (f->making->plan.sample)
		return sampler(f, error);
	return f->making->plan.dests > 1 ? array(f, error) : one(f, error);
}

/* Tables of libmlx5 match ip_version only under a mask that is the version (rdma-core,
 * dr_ste.c: dr_ste_build_pre_check). */
static void narrow_version(uint8_t *mask, const uint8_t *value)
{
	uint64_t version = PRM_GET(fte_match_set_lyr_2_4, value, ip_version);

	if (version)
		PRM_SET(fte_match_set_lyr_2_4, mask, ip_version, version);
}

/* ---- matchers ---- */

struct dr_matcher {
	struct dr_matcher *next; /* of the table */
	struct mlx5dv_dr_matcher *dr;
	unsigned int users;
	uint32_t priority;
	uint8_t criteria;
	uint64_t mask[FLOW_MATCH_BYTES / 8];
};

static struct dr_matcher *find_matcher(const struct dv_flow *f, const struct parameters *mask)
{
	struct dr_matcher *m = f->table->matchers;

	while (m && (m->priority != f->making->rule->priority ||
		     m->criteria != f->making->match.criteria ||
		     memcmp(m->mask, mask->match_buf, sizeof(m->mask)) != 0))
		m = m->next;
	return m;
}

static int new_matcher(struct dv_flow *f, struct parameters *mask, struct dv_flow_error *error)
{
	struct dr_matcher *m = calloc(1, sizeof(*m));
	int err;

	if (!m)
		return flow_refuse(error, ENOMEM, "no memory");
	m->priority = f->making->rule->priority;
	m->criteria = f->making->match.criteria;
	memcpy(m->mask, mask->match_buf, sizeof(m->mask));
	m->dr = mlx5dv_dr_matcher_create(f->table->dr, (uint16_t)m->priority, m->criteria,
					 (struct mlx5dv_flow_match_parameters *)mask);
	if (!m->dr) {
		err = flow_refuse(error, errno, "mlx5dv_dr_matcher_create: %s",
				  strerror(errno));
		free(m);
		return err;
	}
	m->next = f->table->matchers;
	f->table->matchers = f->dr_matcher = m;
	return 0;
}

static int take_matcher(struct dv_flow *f, struct parameters *mask, struct dv_flow_error *error)
{
	int err;

	f->dr_matcher = find_matcher(f, mask);
	err = f->dr_matcher ? 0 : new_matcher(f, mask, error);
	if (!err)
		f->dr_matcher->users++;
	return err;
}

/* One that has no rules any more is destroyed. */
static int give_matcher(struct dv_flow *f)
{
	struct dr_matcher *m = f->dr_matcher, **at = &f->table->matchers;

	if (m->users == 1) {
		int err = mlx5dv_dr_matcher_destroy(m->dr);

		if (err)
			return err;
		while (*at != m)
			at = &(*at)->next;
		*at = m->next;
		free(m);
	} else {
		m->users--;
	}
	f->dr_matcher = NULL;
	return 0;
}

static int create_rule(struct dv_flow *f, struct dv_flow_error *error)
{
	struct parameters mask = { .match_sz = DR_MATCH_BYTES };
	struct parameters value = { .match_sz = DR_MATCH_BYTES };
	uint8_t *m = (uint8_t *)mask.match_buf, *v = (uint8_t *)value.match_buf;
	int err;

	memcpy(m, f->making->match.mask, DR_MATCH_BYTES);
	memcpy(v, f->making->match.value, DR_MATCH_BYTES);
	if (f->making->rule->group) {
		narrow_version(PRM_ADDR(fte_match_param, m, outer_headers),
			       PRM_ADDR(fte_match_param, v, outer_headers));
		narrow_version(PRM_ADDR(fte_match_param, m, inner_headers),
			       PRM_ADDR(fte_match_param, v, inner_headers));
	}
	err = take_matcher(f, &mask, error);
	if (err)
		return err;
	f->dr_rule = mlx5dv_dr_rule_create(f->dr_matcher->dr,
					   (struct mlx5dv_flow_match_parameters *)&value,
					   f->making->dr_actions, f->making->dr_action);
	return f->dr_rule ? 0
			  : flow_refuse(error, errno, "mlx5dv_dr_rule_create: %s",
					strerror(errno));
}

/* No action is made after these. */
static void trim(struct dv_flow *f)
{
	size_t n = f->dr_made_n ? f->dr_made_n : 1;
	void *less = realloc(f->dr_made, n * sizeof(*f->dr_made));

	if (less)
		f->dr_made = less;
}

static int install(struct dv_flow *f, struct dv_flow_error *error)
{
	struct headers h;
	int err = flow_headers(f->making->rule, &h, error);

	if (err)
		return err;
	if (f->making->rule->priority > UINT16_MAX)
		return flow_refuse(error, EINVAL, "priority: mlx5dv_dr has 16 bits");
	f->dr_made = calloc(DR_ACTIONS, sizeof(*f->dr_made));
	if (!f->dr_made)
		return flow_refuse(error, ENOMEM, "no memory");
	errno = 0;
	err = flow_group_take(f->port, f->type, f->making->rule->group, &f->table, error);
	if (!err)
		err = flow_rss_create(f, error);
	if (!err)
		err = create_actions(f, &h, error);
	if (!err)
		trim(f);
	return err ? err : create_rule(f, error);
}

/* The latest first: an action may be made of others. */
static int remove_actions(struct dv_flow *f)
{
	while (f->dr_made_n) {
		int err = mlx5dv_dr_action_destroy(f->dr_made[f->dr_made_n - 1]);

		if (err)
			return err;
		f->dr_made_n--;
	}
	return devx_flow_counter_destroy(&f->counter);
}

static int remove_rule(struct dv_flow *f)
{
	int err = f->dr_rule ? mlx5dv_dr_rule_destroy(f->dr_rule) : 0;

	if (err)
		return err;
	f->dr_rule = NULL;
	err = f->dr_matcher ? give_matcher(f) : 0;
	if (!err)
		err = remove_actions(f);
	if (!err)
		err = flow_give_tables(f);
	return err ? err : flow_rss_destroy(f);
}

static void close_domains(struct dv_flow_port *port)
{
	for (size_t i = 0; i < ARRAY_SIZE(port->domain); i++)
		if (port->domain[i])
			mlx5dv_dr_domain_destroy(port->domain[i]);
}

const struct backend flow_dr = { .name = "dr",
				 .groups = true,
				 .headers = true,
				 .meters = true,
				 .install = install,
				 .remove = remove_rule,
				 .create_table = create_table,
				 .destroy_table = destroy_table,
				 .close = close_domains };
