/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flow rules: a port for each back end that is used, and the list of rules of all.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"

/* Those that may be chosen, in this order. */
static const char *const automatic[] = { "kernel", "devx", "dr" };

/* ---- targets ---- */

/* The objects that @opcode made; the rest of the array is an object without a number. */
static void collect(const struct flows *f, uint16_t opcode, struct devx_obj **list)
{
	unsigned int n = f->objects ? f->objects(f->owner, opcode, list, RULES_OBJECTS) : 0;

	while (n < RULES_OBJECTS)
		list[n++] = &f->rules->none;
}

struct rules *rules_of(struct flows *f)
{
	if (f->rules)
		return f->rules;
	f->rules = calloc(1, sizeof(*f->rules));
	if (!f->rules) {
		dvfw_refused(f->dvfw, "no memory");
		return NULL;
	}
	f->rules->dvfw = f->dvfw;
	f->rules->none.id = UINT32_MAX;
	if (!queues_open(f->rules))
		return f->rules;
	rules_close(f->rules);
	f->rules = NULL;
	return NULL;
}

void rules_close(struct rules *r)
{
	struct rule *next;

	if (!r)
		return;
	for (unsigned int i = 0; i < RULES_PORTS; i++)
		if (r->port[i])
			dv_flow_close(r->port[i]);
	for (; r->first; r->first = next) {
		next = r->first->next;
		free(r->first);
	}
	queues_close(r);
	free(r);
}

/* ---- ports ---- */

static struct dv_flow_port *open_port(struct rules *r, const char *backend,
				      struct dv_flow_error *error)
{
	const struct dv_flow_targets targets = { .qp = r->qp,
						 .n_qp = RULES_QUEUES,
						 .wq = r->wq,
						 .n_wq = RULES_QUEUES,
						 .pd = r->pd,
						 .tir = r->tir,
						 .n_tir = RULES_OBJECTS,
						 .table = r->table,
						 .n_table = RULES_OBJECTS };
	unsigned int i = 0;

	while (i < RULES_PORTS && dv_flow_backend_name(i) &&
	       strcmp(dv_flow_backend_name(i), backend) != 0)
		i++;
	if (i < RULES_PORTS && r->port[i])
		return r->port[i];
	if (dv_flow_open(&r->port[i % RULES_PORTS], r->dvfw->ctx, backend, &targets, error))
		return NULL;
	return r->port[i];
}

static const char *backend_find(const struct dvfw *d, const char *name)
{
	const char *known;
	struct near near;

	near_begin(&near, name);
	for (unsigned int i = 0; (known = dv_flow_backend_name(i)); i++) {
		if (!strcmp(known, name))
			return known;
		near_offer(&near, known);
	}
	dvfw_usage(d, "there is no back end '%s'%s", name, near_text(&near));
	return NULL;
}

/* ---- rules ---- */

static int keep(struct rules *r, const char *backend, struct dv_flow *flow, struct rule **made)
{
	struct rule **at = &r->first;
	struct rule *rule = calloc(1, sizeof(*rule));

	if (!rule) {
		dv_flow_destroy(flow);
		return dvfw_refused(r->dvfw, "no memory");
	}
	while (*at)
		at = &(*at)->next;
	*at = rule;
	*rule = (struct rule){ .number = r->number++, .backend = backend, .flow = flow };
	*made = rule;
	return DVFW_OK;
}

static int install(struct rules *r, const char *backend, const struct dv_flow_rule *parsed,
		   struct dv_flow **flow, struct dv_flow_error *error)
{
	struct dv_flow_port *port = open_port(r, backend, error);

	return port ? dv_flow_create(flow, port, parsed, error) : EOPNOTSUPP;
}

/* The first back end that can; why none can. */
static int install_by_any(struct rules *r, const char *text, const struct dv_flow_rule *parsed,
			  struct rule **made)
{
	char why[3 * (sizeof(((struct dv_flow_error *)0)->message) + 16)] = "";
	struct dv_flow_error error;
	struct dv_flow *flow;

	for (size_t i = 0; i < ARRAY_SIZE(automatic); i++) {
		size_t used = strlen(why);
		int err = install(r, automatic[i], parsed, &flow, &error);

		if (!err)
			return keep(r, automatic[i], flow, made);
		if (err != EOPNOTSUPP) {
			rule_point(text, &error);
			return dvfw_refused(r->dvfw, "%s: %s", automatic[i], error.message);
		}
		snprintf(why + used, sizeof(why) - used, "%s%s: %s", used ? "; " : "",
			 automatic[i], error.message);
	}
	return dvfw_refused(r->dvfw, "%s", why);
}

int rules_create(struct flows *f, const char *backend, const char *text, struct rule **made)
{
	static struct dv_flow_rule parsed;
	struct dv_flow_error error;
	struct rules *r;
	struct dv_flow *flow;

	if (backend && !(backend = backend_find(f->dvfw, backend)))
		return DVFW_USAGE;
	if (dv_flow_parse(&parsed, text, &error))
		return rule_refused(f->dvfw, text, &error);
	r = rules_of(f);
	if (!r)
		return DVFW_REFUSED;
	collect(f, PRM_OP_CREATE_TIR, r->tir);
	collect(f, PRM_OP_CREATE_FLOW_TABLE, r->table);
	if (!backend)
		return install_by_any(r, text, &parsed, made);
	if (install(r, backend, &parsed, &flow, &error)) {
		rule_point(text, &error);
		return dvfw_refused(r->dvfw, "%s: %s", backend, error.message);
	}
	return keep(r, backend, flow, made);
}

struct rule *rules_find(const struct rules *r, unsigned int number)
{
	struct rule *rule = r ? r->first : NULL;

	while (rule && rule->number != number)
		rule = rule->next;
	return rule;
}

int rules_destroy(struct rules *r, struct rule *rule)
{
	struct rule **at = &r->first;
	int err = dv_flow_destroy(rule->flow);

	if (err)
		return dvfw_refused(r->dvfw, "rule %u: %s", rule->number, strerror(err));
	while (*at != rule)
		at = &(*at)->next;
	*at = rule->next;
	free(rule);
	return DVFW_OK;
}
