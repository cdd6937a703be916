/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ports and the list of their rules; what all back ends share: the checks, counters, targets.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "headers.h"
#include "port.h"

static const struct backend *const backends[] = { &flow_verbs, &flow_kernel, &flow_devx,
						  &flow_dr };

const char *flow_backend_name(unsigned int i)
{
	return i < ARRAY_SIZE(backends) ? backends[i]->name : NULL;
}

int flow_open(struct flow_port **port, struct ibv_context *ctx, const char *backend,
	      const struct flow_targets *targets, struct flow_error *error)
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

void flow_close(struct flow_port *port)
{
	/* The latest first: a rule may be the way to a table that an earlier one has. */
	while (port->first) {
		struct flow *f = port->first;

		while (f->next)
			f = f->next;
		if (flow_destroy(f))
			break; /* the kernel destroys it with the context */
	}
	if (!port->first && port->backend->close)
		port->backend->close(port);
	while (port->first) {
		struct flow *f = port->first;

		port->first = f->next;
		free(f);
	}
	free(port);
}

uint8_t flow_table_type(const struct flow_rule *rule)
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

static void find_target(const struct flow *f, struct target *to)
{
	const struct flow_targets *t = &f->port->targets;
	uint32_t n = f->plan.number;

	switch (f->plan.dest) {
	case DEST_QUEUE:
		if (t->qps)
			to->qp = n < t->qps ? t->qp[n] : NULL;
		else
			to->obj = n < t->tirs ? t->tir[n] : NULL;
		break;
	case DEST_QP:
		for (unsigned int i = 0; i < t->qps; i++)
			if (t->qp[i]->qp_num == n)
				to->qp = t->qp[i];
		break;
	case DEST_TIR:
		to->obj = find_obj(t->tir, t->tirs, n);
		break;
	case DEST_TABLE:
		to->obj = find_obj(t->table, t->tables, n);
		break;
	default:
		to->qp = f->rss;
	}
}

int flow_target(struct flow *f, struct target *target, struct flow_error *error)
{
	*target = (struct target){ 0 };
	find_target(f, target);
	if (target->qp || target->obj)
		return 0;
	return flow_refuse(error, EINVAL, "the targets have no number %u of this kind",
			   f->plan.number);
}

static int check(struct flow *f, struct flow_error *error)
{
	int err = flow_plan(&f->rule, &f->plan, error);

	if (!err && f->rule.group && !f->port->backend->groups)
		err = flow_refuse(error, EOPNOTSUPP, "group: %s has group 0 only",
				  f->port->backend->name);
	if (!err && flow_changes_headers(&f->rule) && !f->port->backend->headers)
		err = flow_refuse(error, EOPNOTSUPP, "%s changes no headers",
				  f->port->backend->name);
	return err ? err : flow_match_build(&f->rule, &f->match, error);
}

static void link_last(struct flow *f)
{
	struct flow **at = &f->port->first;

	while (*at)
		at = &(*at)->next;
	*at = f;
	f->number = f->port->number++;
}

int flow_create(struct flow_port *port, const struct flow_rule *rule, struct flow **flow,
		struct flow_error *error)
{
	struct flow *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return flow_refuse(error, ENOMEM, "no memory");
	f->port = port;
	f->rule = *rule;
	err = check(f, error);
	if (!err) {
		err = port->backend->install(f, error);
		if (err)
			port->backend->remove(f);
	}
	if (err) {
		free(f);
		return err;
	}
	link_last(f);
	*flow = f;
	return 0;
}

int flow_destroy(struct flow *flow)
{
	struct flow **at = &flow->port->first;
	int err = flow->port->backend->remove(flow);

	if (err)
		return err;
	while (*at != flow)
		at = &(*at)->next;
	*at = flow->next;
	free(flow);
	return 0;
}

int flow_query(struct flow *flow, struct devx_flow_count *count)
{
	uint64_t value[2] = { 0 };
	int err;

	if (!flow->plan.count)
		return EINVAL;
	if (!flow->counters)
		return devx_flow_counter_query(&flow->counter, 1, count);
	err = ibv_read_counters(flow->counters, value, 2, IBV_READ_COUNTERS_ATTR_PREFER_CACHED);
	*count = (struct devx_flow_count){ value[0], value[1] };
	return err;
}

struct flow *flow_next(struct flow_port *port, struct flow *flow)
{
	return flow ? flow->next : port->first;
}

const struct flow_rule *flow_rule_of(const struct flow *flow)
{
	return &flow->rule;
}

unsigned int flow_number(const struct flow *flow)
{
	return flow->number;
}
