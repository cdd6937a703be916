/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables of groups: made by the back end when the first rule needs one, destroyed with the
 * last.
 */
#include <errno.h>
#include <stdlib.h>

#include "port.h"

static struct group_table *find(struct dv_flow_port *port, uint8_t type, uint32_t group)
{
	struct group_table *t = port->tables;

	while (t && (t->type != type || t->group != group))
		t = t->next;
	return t;
}

int flow_group_take(struct dv_flow_port *port, uint8_t type, uint32_t group,
		    struct group_table **table, struct dv_flow_error *error)
{
	struct group_table *t = find(port, type, group);
	int err;

	*table = t;
	if (t) {
		t->users++;
		return 0;
	}
	t = calloc(1, sizeof(*t));
	if (!t)
		return flow_refuse(error, ENOMEM, "no memory");
	t->type = type;
	t->group = group;
	t->users = 1;
	err = port->backend->create_table(port, t, error);
	if (err) {
		free(t);
		return err;
	}
	t->next = port->tables;
	*table = port->tables = t;
	return 0;
}

int flow_group_give(struct dv_flow_port *port, struct group_table **table)
{
	struct group_table *t = *table, **at = &port->tables;

	if (t && t->users == 1) {
		int err = port->backend->destroy_table(t);

		if (err)
			return err;
		while (*at != t)
			at = &(*at)->next;
		*at = t->next;
		free(t);
	} else if (t) {
		t->users--;
	}
	*table = NULL;
	return 0;
}

int flow_jump(struct dv_flow *f, unsigned int i, struct dv_flow_error *error)
{
	uint32_t group = f->making->plan.to[i].number;

	if (group <= f->making->rule->group)
		return flow_refuse(error, EINVAL, "jump: to a higher group only");
	return flow_group_take(f->port, f->type, group, &f->jump[i], error);
}

int flow_give_tables(struct dv_flow *f)
{
	int err = flow_group_give(f->port, &f->table);

	for (unsigned int i = 0; !err && i < PLAN_DESTS; i++)
		err = flow_group_give(f->port, &f->jump[i]);
	return err;
}
