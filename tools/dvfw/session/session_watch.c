/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * watch in a session: as the subcommand, and of objects of the session.
 *
 *	watch qp                       QUERY_QP, each second until ^C
 *	watch -i 0.1 -n 20 PPCNT …     a register, or a command that queries
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "ask/ask.h"
#include "base/base.h"
#include "names/names.h"
#include "session/session.h"

/* The options before the name; how many words they are, -1: what is wrong is printed. */
static int take_options(struct watch *w, int n, char **word)
{
	int i = 1;

	for (; i < n && *word[i] == '-'; i += 2) {
		const char *value = i + 1 < n ? word[i + 1] : "";

		if (!strcmp(word[i], "-i") || !strcmp(word[i], "--interval")) {
			if (watch_interval(value, &w->interval))
				continue;
			dvfw_usage(w->dvfw, "'%s' is not a time from 0.01 to 3600 seconds",
				   value);
		} else if (!strcmp(word[i], "-n") || !strcmp(word[i], "--count")) {
			if (watch_count(value, &w->count))
				continue;
			dvfw_usage(w->dvfw, "'%s' is not a number from 2 to 1000000000", value);
		} else {
			dvfw_usage(w->dvfw, "watch has no option '%s': -i SECONDS, -n N",
				   word[i]);
		}
		return -1;
	}
	return i;
}

static int refuse_name(const struct session *s, const char *name)
{
	struct near near;

	reg_find(name, &near);
	for (const struct variable *v = s->newest; v; v = v->older)
		near_offer(&near, v->name);
	for (const struct prm_cmd *cmd = NULL; (cmd = prm_cmd_next(cmd));)
		if (!strncmp(cmd->name, "QUERY_", 6))
			near_offer(&near, cmd->name);
	return dvfw_usage(s->dvfw, "'%s' is no object, register or command%s", name,
			  near_text(&near));
}

static int begin(struct session *s, struct watch *w, int n, char **word)
{
	struct near near;
	struct variable *v;
	int status;

	if (!session_find(s, word[0])) {
		if (!reg_find(word[0], &near) && !cmd_find(word[0]))
			return refuse_name(s, word[0]);
		return watch_begin(w, word, n);
	}
	status = session_question(s, n, word, &v);
	if (!status)
		w->obj = &v->obj;
	return status;
}

int session_watch(struct session *s, int n, char **word)
{
	static struct watch w;
	static struct devx_obj none;
	int taken, status, signal;

	w = (struct watch){ .dvfw = s->dvfw, .interval = 1, .x = &s->x, .obj = &none };
	taken = take_options(&w, n, word);
	if (taken < 0)
		return DVFW_USAGE;
	if (taken == n)
		return dvfw_usage(s->dvfw, "watch [-i SECONDS] [-n N] NAME [FIELD=VALUE…]");
	status = begin(s, &w, n - taken, word + taken);
	if (status)
		return status;
	screen_catch();
	status = watch_changes(&w);
	signal = screen_release();
	s->quit |= signal == SIGTERM;
	return status;
}
