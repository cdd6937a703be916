/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rules of a port as text; the tables of its back end.
 */
#include <errno.h>
#include <stdlib.h>

#include <flow/list.h>

#include "port.h"

static struct dv_flow_table describe(const struct dv_flow_port *port,
				     const struct group_table *t)
{
	struct dv_flow_table table = { .type = t->type,
				       .group = t->group,
				       .level = t->level,
				       .id = t->obj.id,
				       .size = t->size };

	for (const struct dv_flow *f = port->first; f; f = f->next) {
		table.rules += f->table == t;
		for (unsigned int i = 0; i < PLAN_DESTS; i++)
			table.jumps += f->jump[i] == t;
	}
	return table;
}

unsigned int dv_flow_tables(const struct dv_flow_port *port, struct dv_flow_table *table,
			    unsigned int n)
{
	unsigned int i = 0;

	for (const struct group_table *t = port->tables; t; t = t->next, i++)
		if (i < n)
			table[i] = describe(port, t);
	return i;
}

void dv_flow_place_of(struct dv_flow_place *place, const struct dv_flow *flow)
{
	*place = (struct dv_flow_place){ .type = flow->type };
	if (flow->port->backend->place)
		flow->port->backend->place(flow, place);
}

static int dump_rule(const struct dv_flow *flow, char *text, FILE *f)
{
	struct dv_flow_rule rule;

	dv_flow_rule_of(&rule, flow);
	dv_flow_print(&rule, text, FLOW_TEXT_MAX);
	return fprintf(f, "flow create 0 %s\n", text) < 0 ? EIO : 0;
}

int dv_flow_dump(struct dv_flow_port *port, FILE *f)
{
	char *text = malloc(FLOW_TEXT_MAX);
	int err = text ? 0 : ENOMEM;

	for (struct dv_flow *flow = port->first; flow && !err; flow = flow->next)
		err = dump_rule(flow, text, f);
	free(text);
	return err;
}
