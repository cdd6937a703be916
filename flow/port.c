/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ports and the list of their rules; what all back ends share: the checks, counters, targets.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <devx/caps.h>

#include "headers.h"
#include "keep.h"
#include "port.h"

static const struct backend *const backends[] = { &flow_verbs, &flow_kernel, &flow_devx,
						  &flow_dr };

const char *dv_flow_backend_name(unsigned int i)
{
	return i < ARRAY_SIZE(backends) ? backends[i]->name : NULL;
}

int dv_flow_open(struct dv_flow_port **port, struct ibv_context *ctx, const char *backend,
		 const struct dv_flow_targets *targets, struct dv_flow_error *error)
{
	for (size_t i = 0; i < ARRAY_SIZE(backends); i++) {
		if (strcmp(backends[i]->name, backend))
			continue;
		*port = calloc(1, sizeof(**port));
		if (!*port)
			return flow_refuse(error, ENOMEM, "no memory");
		(*port)->ctx = ctx;
		(*port)->backend = backends[i];
		if (targets)
			(*port)->targets = *targets;
		return 0;
	}
	return flow_refuse(error, EINVAL,
			   "no such back end; there are verbs, kernel, devx, dr");
}

static void flow_free(struct dv_flow *f)
{
	free(f->value);
	free(f->dr_made);
	free(f);
}

void dv_flow_close(struct dv_flow_port *port)
{
	/* The latest first: a rule may be the way to a table that an earlier one has. */
	while (port->first) {
		if (dv_flow_destroy(port->last))
			break; /* the kernel destroys it with the context */
	}
	if (!port->first && port->backend->close)
		port->backend->close(port);
	while (port->first) {
		struct dv_flow *f = port->first;

		port->first = f->next;
		flow_free(f);
	}
	free(port);
}

static uint8_t table_type(const struct dv_flow_rule *rule)
{
	return rule->transfer ? PRM_FT_TYPE_FDB
	       : rule->egress ? PRM_FT_TYPE_NIC_TX
			      : PRM_FT_TYPE_NIC_RX;
}

static struct devx_obj *find_obj(struct devx_obj *const *list, unsigned int n, uint32_t id)
{
	for (unsigned int i = 0; i < n; i++)
		if (list[i]->id == id)
			return list[i];
	return NULL;
}

static void find_target(struct dv_flow *f, const struct plan_to *to, struct target *target)
{
	const struct dv_flow_targets *t = &f->port->targets;
	uint32_t n = to->number;

	switch (to->dest) {
	case DEST_QUEUE:
		if (t->n_qp)
			target->qp = n < t->n_qp ? t->qp[n] : NULL;
		else
			target->obj = n < t->n_tir ? t->tir[n] : NULL;
		break;
	case DEST_QP:
		for (unsigned int i = 0; i < t->n_qp; i++)
			if (t->qp[i]->qp_num == n)
				target->qp = t->qp[i];
		break;
	case DEST_TIR:
		target->obj = find_obj(t->tir, t->n_tir, n);
		break;
	case DEST_TABLE:
		target->obj = find_obj(t->table, t->n_table, n);
		break;
	default:
		target->qp = f->rss;
		target->obj = f->rss ? NULL : &f->rss_tir;
	}
}

int flow_target(struct dv_flow *f, const struct plan_to *to, struct target *target,
		struct dv_flow_error *error)
{
	*target = (struct target){ 0 };
	find_target(f, to, target);
	if (target->qp || target->obj)
		return 0;
	return flow_refuse(error, EINVAL, "the targets have no number %u of this kind",
			   to->number);
}

/* The actions of @rule, and @items. */
static int check_limits(const struct dv_flow_rule *rule, unsigned int items,
			struct dv_flow_error *error)
{
	bool fits = items <= FLOW_MAX_ITEMS && rule->actions <= FLOW_MAX_ACTIONS;

	for (unsigned int i = 0; fits && i < rule->actions; i++)
		fits = rule->action[i].queues <= FLOW_MAX_QUEUES &&
		       rule->action[i].bytes_len <= FLOW_MAX_BYTES;
	return fits ? 0
		    : flow_refuse(error, E2BIG,
				  "a rule has at most %u items, %u actions, %u queues",
				  FLOW_MAX_ITEMS, FLOW_MAX_ACTIONS, FLOW_MAX_QUEUES);
}

/* A sample of all packets is a mirror: its destinations are the rule's. */
static int add_mirror(struct dv_flow *f, struct dv_flow_error *error)
{
	const struct dv_flow_targets *t = &f->port->targets;
	uint64_t index = dv_flow_action_arg(f->making->plan.sample, FLOW_ARG_SAMPLE_INDEX);
	int err;

	if (index >= t->n_sample)
		return flow_refuse(error, EINVAL, "sample index: the targets have no sample %u",
				   (unsigned int)index);
	if (dv_flow_action_arg(f->making->plan.sample, FLOW_ARG_SAMPLE_RATIO) > 1)
		return 0;
	err = check_limits(&t->sample[index], 0, error);
	for (unsigned int i = 0; !err && i < t->sample[index].actions; i++) {
		const struct dv_flow_action *a = &t->sample[index].action[i];

		if (!dv_flow_action_name(a->type))
			return flow_refuse(error, EINVAL, "sample: no such action");
		if (a->type == FLOW_ACTION_RSS || !flow_plan_dest(a->type))
			return flow_refuse(error, EOPNOTSUPP,
					   "sample: %s is not an action of a mirror",
					   flow_actions[a->type]);
		err = flow_plan_add(&f->making->plan, a, error);
	}
	f->making->plan.sample = NULL;
	return err;
}

/* Refuses what the back end does not support. */
static int check_backend(const struct dv_flow *f, struct dv_flow_error *error)
{
	const struct backend *b = f->port->backend;
	const struct plan *p = &f->making->plan;

	if (f->making->rule->group && !b->groups)
		return flow_refuse(error, EOPNOTSUPP, "group: %s has group 0 only", b->name);
	if (flow_changes_headers(f->making->rule) && !b->headers)
		return flow_refuse(error, EOPNOTSUPP, "%s changes no headers", b->name);
	if ((p->meter || p->sample) && !b->meters)
		return flow_refuse(error, EOPNOTSUPP, "%s: %s has none",
				   p->meter ? "meter" : "sample of other ratios than 1",
				   b->name);
	return 0;
}

/* mlx5_core, fs_core.c, fwd_next_prio_supported: several destinations of received packets. A
 * context that cannot be asked leaves it to the device. */
static int check_mirror(const struct dv_flow *f, struct dv_flow_error *error)
{
	uint8_t caps[DEVX_CAPS_BYTES];

	if (f->making->plan.dests < 2 || f->type != PRM_FT_TYPE_NIC_RX ||
	    devx_caps_query(caps, f->port->ctx, PRM_CAP_FLOW_TABLE, PRM_CAP_CUR) ||
	    PRM_GET(flow_table_nic_cap, caps, nic_rx_multi_path_tirs))
		return 0;
	return flow_refuse(error, EOPNOTSUPP,
			   "several destinations: capability nic_rx_multi_path_tirs");
}

static int check(struct dv_flow *f, struct dv_flow_error *error)
{
	int err = flow_plan(f->making->rule, &f->making->plan, error);

	if (!err && f->making->plan.sample)
		err = add_mirror(f, error);
	if (!err)
		err = check_backend(f, error);
	if (!err)
		err = dv_flow_match_build(&f->making->match, f->making->rule, error);
	return err ? err : check_mirror(f, error);
}

static void link_last(struct dv_flow *f)
{
	struct dv_flow_port *port = f->port;

	f->prev = port->last;
	*(f->prev ? &f->prev->next : &port->first) = f;
	port->last = f;
	f->number = port->number++;
}

static void unlink_flow(struct dv_flow *f)
{
	struct dv_flow_port *port = f->port;

	*(f->prev ? &f->prev->next : &port->first) = f->next;
	*(f->next ? &f->next->prev : &port->last) = f->prev;
}

static int install(struct dv_flow *f, struct dv_flow_error *error)
{
	int err = check(f, error);

	if (err)
		return err;
	f->count = f->making->plan.count;
	err = f->port->backend->install(f, error);
	if (err)
		f->port->backend->remove(f);
	return err;
}

int dv_flow_create(struct dv_flow **flow, struct dv_flow_port *port,
		   const struct dv_flow_rule *rule, struct dv_flow_error *error)
{
	struct making making = { .rule = rule };
	int err = check_limits(rule, rule->items, error);
	struct dv_flow *f;

	if (err)
		return err;
	if (error)
		memset(error, 0, sizeof(*error));
	f = calloc(1, sizeof(*f) + keep_bytes(rule));
	if (!f)
		return flow_refuse(error, ENOMEM, "no memory");
	f->rule = (struct kept *)(f + 1);
	keep_rule(f->rule, rule);
	f->port = port;
	f->type = table_type(rule);
	f->making = &making;
	err = install(f, error);
	f->making = NULL;
	if (err) {
		flow_free(f);
		return err;
	}
	link_last(f);
	*flow = f;
	return 0;
}

int dv_flow_destroy(struct dv_flow *flow)
{
	int err = flow->port->backend->remove(flow);

	if (err)
		return err;
	unlink_flow(flow);
	flow_free(flow);
	return 0;
}

int dv_flow_query(struct dv_flow *flow, struct devx_flow_count *count)
{
	uint64_t value[2] = { 0 };
	int err;

	if (!flow->count)
		return EINVAL;
	if (!flow->counters)
		return devx_flow_counter_query(&flow->counter, 1, count);
	err = ibv_read_counters(flow->counters, value, 2, IBV_READ_COUNTERS_ATTR_PREFER_CACHED);
	*count = (struct devx_flow_count){ value[0], value[1] };
	return err;
}

struct dv_flow *dv_flow_next(struct dv_flow_port *port, struct dv_flow *flow)
{
	return flow ? flow->next : port->first;
}

void dv_flow_rule_of(struct dv_flow_rule *rule, const struct dv_flow *flow)
{
	keep_read(flow->rule, rule);
}

unsigned int dv_flow_number(const struct dv_flow *flow)
{
	return flow->number;
}
