/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands of a session on their way to the device, and what is shown of them.
 */
#include <stdio.h>

#include "base/base.h"
#include "session/session.h"

bool session_quiet(const struct session *s)
{
	return s->dvfw->json;
}

static void print_json(struct session *s, const char *name)
{
	struct json_object *json = json_object_new_object();

	json_set(json, "command", s->x.cmd->name);
	if (*name)
		json_set(json, "name", name);
	exchange_show_in(s->dvfw, &s->x, &s->show, json);
	exchange_show_out(s->dvfw, &s->x, &s->show, json);
	dvfw_print_json(json);
}

int session_send(struct session *s, struct devx_obj *obj, const char *name)
{
	bool create = s->x.cmd->call == PRM_CALL_CREATE;
	int status;

	exchange_fit(&s->x);
	if (s->inbox && !session_quiet(s))
		exchange_show_in(s->dvfw, &s->x, &s->show, NULL);
	status = exchange_send(s->dvfw, &s->x, obj, s->write);
	if (session_quiet(s))
		print_json(s, name);
	else if (!status && s->x.cmd->call == PRM_CALL_MODIFY)
		printf("%s%s%s: %s\n", dvfw_paint(s->dvfw, DVFW_NAME), name,
		       dvfw_paint(s->dvfw, DVFW_PLAIN), s->x.cmd->name);
	else if (!create || status)
		exchange_show_out(s->dvfw, &s->x, &s->show, NULL);
	return status;
}
