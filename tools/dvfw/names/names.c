/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Looking names up. The tables of prm are short enough to be searched from the front.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "names/names.h"

const struct prm_named_value *named_next(const char *kind, const struct prm_named_value *v)
{
	while ((v = prm_value_next(v)))
		if (!strcmp(v->kind, kind))
			return v;
	return NULL;
}

const struct prm_struct *struct_find(const char *name)
{
	const struct prm_struct *s = NULL;

	while ((s = prm_struct_next(s)))
		if (!strcasecmp(s->name, name))
			return s;
	return NULL;
}

const struct prm_cmd *cmd_find(const char *name)
{
	const struct prm_cmd *cmd = NULL;
	char *end;

	if (!strncasecmp(name, "0x", 2)) {
		unsigned long opcode = strtoul(name, &end, 16);

		return *end || opcode > UINT16_MAX ? NULL : prm_cmd((unsigned int)opcode);
	}
	while ((cmd = prm_cmd_next(cmd)))
		if (!strcasecmp(cmd->name, name))
			return cmd;
	return NULL;
}

/* The command that a box belongs to: its only one, or none. */
static const struct prm_cmd *cmd_of(const struct prm_struct *s)
{
	const struct prm_cmd *cmd = NULL, *found = NULL;

	while ((cmd = prm_cmd_next(cmd)))
		if (cmd->in == s || cmd->out == s) {
			if (found)
				return NULL;
			found = cmd;
		}
	return found;
}

static void nearest(struct near *near, const char *name)
{
	const struct prm_struct *s = NULL;
	const struct prm_cmd *cmd = NULL;

	near_begin(near, name);
	while ((cmd = prm_cmd_next(cmd)))
		near_offer(near, cmd->name);
	while ((s = prm_struct_next(s)))
		near_offer(near, s->name);
}

bool message_find(struct message *m, const char *name, bool out, struct near *near)
{
	m->cmd = cmd_find(name);
	if (m->cmd) {
		m->name = m->cmd->name;
		m->s = out ? m->cmd->out : m->cmd->in;
		return true;
	}
	m->s = struct_find(name);
	if (!m->s) {
		nearest(near, name);
		return false;
	}
	m->name = m->s->name;
	m->cmd = cmd_of(m->s);
	return true;
}

const char *call_name(enum prm_call call)
{
	static const char *const names[] = {
		[PRM_CALL_KERNEL] = "kernel only", [PRM_CALL_CREATE] = "create",
		[PRM_CALL_MODIFY] = "modify",	   [PRM_CALL_QUERY] = "query",
		[PRM_CALL_GENERAL] = "general",
	};

	return names[call];
}
