/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the words at the beginning of a line do, other than commands.
 */
#include <stdio.h>
#include <string.h>

#include "names.h"
#include "prm/prm.h"
#include "session.h"

static int find_thing(const struct session *s, const char *name, struct thing **t)
{
	struct suggest near;

	*t = session_find(s, name);
	if (*t)
		return DVFW_OK;
	suggest_begin(&near, name);
	for (const struct thing *other = s->newest; other; other = other->older)
		suggest_offer(&near, other->name);
	return dvfw_usage(s->dvfw, "nothing is called '%s'%s", name, suggest_text(&near));
}

static int find_object(const struct session *s, const char *name, struct thing **t)
{
	int status = find_thing(s, name, t);

	if (!status && (*t)->kind != THING_OBJECT)
		return dvfw_usage(s->dvfw, "'%s' is no object of the device", name);
	return status;
}

/*
 * The numbers by which commands name an object have the name that they had when it was made:
 * cqn of create_cq_out is cqn of query_cq_in, table_type of create_flow_table_in likewise.
 */
static void name_object(struct session *s, const struct thing *t)
{
	const struct prm_struct *from[] = { t->cmd->in, t->cmd->out };
	const uint8_t *bytes[] = { t->in, t->out };
	const size_t len[] = { t->in_len, t->out_len };
	struct box *in = &s->x.in;
	uint64_t value;

	for (size_t i = 0; i < 2; i++)
		for (const struct prm_field *f = from[i]->fields; f->name; f++) {
			if (f->type || f->array || f->bit < 64 - 16 ||
			    !strcmp(f->name, "op_mod") || !strcmp(f->name, "status") ||
			    !strcmp(f->name, "syndrome"))
				continue;
			if (bytes[i] && prm_get(from[i], bytes[i], len[i], f->name, &value))
				prm_set(in->s, in->bytes, in->len, f->name, value);
		}
}

/* QUERY_CQ for what CREATE_CQ created; NULL: there is no such command. */
static const struct prm_cmd *query_of(const struct thing *t)
{
	for (const struct prm_use *use = NULL; (use = prm_use_next(use));) {
		const struct prm_cmd *cmd = prm_cmd(use->opcode);

		if (use->create == t->cmd->opcode && cmd->call == PRM_CALL_QUERY)
			return cmd;
	}
	return NULL;
}

/* Encodes and sends a command about @t. */
static int about(struct session *s, struct thing *t, enum prm_call call, int n, char **word)
{
	int status;

	if (s->x.cmd->call != call && !(call == PRM_CALL_MODIFY && s->x.cmd == t->cmd))
		return dvfw_usage(s->dvfw, "%s is no command that %s an object", s->x.cmd->name,
				  call == PRM_CALL_QUERY ? "queries" : "modifies");
	name_object(s, t);
	status = exchange_encode(s->dvfw, &s->x, word, n);
	return status ? status : session_send(s, &t->obj, t->name);
}

/* query NAME [COMMAND] [field=value …] */
static int query(struct session *s, int n, char **word)
{
	const struct prm_cmd *cmd;
	bool named;
	struct thing *t;
	int status;

	if (n < 2)
		return dvfw_usage(s->dvfw, "query NAME [COMMAND] [FIELD=VALUE…]");
	status = find_object(s, word[1], &t);
	if (status)
		return status;
	named = n > 2 && !strchr(word[2], '=');
	cmd = named ? NULL : query_of(t);
	if (!named && !cmd)
		return dvfw_usage(s->dvfw, "no command queries what %s made", t->cmd->name);
	status = exchange_begin(s->dvfw, &s->x, named ? word[2] : cmd->name);
	return status ? status : about(s, t, PRM_CALL_QUERY, n - 2 - named, word + 2 + named);
}

/* modify NAME COMMAND [field=value …] */
static int modify(struct session *s, int n, char **word)
{
	struct thing *t;
	int status;

	if (n < 3)
		return dvfw_usage(s->dvfw, "modify NAME COMMAND [FIELD=VALUE…]");
	status = find_object(s, word[1], &t);
	if (!status)
		status = exchange_begin(s->dvfw, &s->x, word[2]);
	return status ? status : about(s, t, PRM_CALL_MODIFY, n - 3, word + 3);
}

static int destroy(struct session *s, int n, char **word)
{
	struct thing *t;
	int status = DVFW_OK;

	if (n < 2)
		return dvfw_usage(s->dvfw, "destroy NAME…");
	for (int i = 1; i < n && !status; i++) {
		status = find_thing(s, word[i], &t);
		if (!status)
			status = session_remove(s, t);
	}
	return status;
}

static int objects(struct session *s, int n, char **word)
{
	static const char *const kinds[] = {
		[THING_OBJECT] = "",	   [THING_UMEM] = "umem", [THING_UAR] = "uar",
		[THING_NUMBER] = "number", [THING_AV] = "av",
	};

	(void)word;
	if (n > 1)
		return dvfw_usage(s->dvfw, "objects: takes nothing");
	for (const struct thing *t = s->newest; t; t = t->older)
		printf("%-16s %-32s 0x%llx\n", t->name,
		       t->kind == THING_OBJECT ? t->cmd->name : kinds[t->kind],
		       (unsigned long long)thing_id(t));
	return DVFW_OK;
}

/* expect field=value …: of the latest outbox */
static int expect(struct session *s, int n, char **word)
{
	char why[WHY_BYTES], name[200], path[256];
	const struct prm_struct *out = s->x.cmd ? s->x.cmd->out : NULL;
	struct prm_pos pos;
	uint64_t value, wanted;

	if (!out || !s->x.answered)
		return dvfw_usage(s->dvfw, "expect: there is no outbox yet");
	for (int i = 1; i < n; i++) {
		const char *is = strchr(word[i], '=');

		if (!is)
			return dvfw_usage(s->dvfw, "'%s' is not field=value", word[i]);
		snprintf(name, sizeof(name), "%.*s", (int)(is - word[i]), word[i]);
		if (!encode_path(out, NULL, name, path, sizeof(path), why))
			return dvfw_usage(s->dvfw, "%s", why);
		if (!prm_find(out, path, &pos) ||
		    !prm_get(out, s->x.out.bytes, s->x.out.len, path, &value))
			return dvfw_usage(s->dvfw, "'%s' is no number of the outbox", path);
		if (!encode_number(pos.owner, pos.field, is + 1, &wanted, why))
			return dvfw_usage(s->dvfw, "'%s': %s", path, why);
		if (value != wanted)
			return dvfw_refused(s->dvfw, "%s is 0x%llx, expected 0x%llx", path,
					    (unsigned long long)value,
					    (unsigned long long)wanted);
	}
	return DVFW_OK;
}

static int echo(struct session *s, int n, char **word)
{
	(void)s;
	for (int i = 1; i < n; i++)
		printf("%s%s", i > 1 ? " " : "", word[i]);
	putchar('\n');
	return DVFW_OK;
}

static int quit(struct session *s, int n, char **word)
{
	(void)n;
	(void)word;
	s->quit = true;
	return DVFW_OK;
}

static int help(struct session *s, int n, char **word)
{
	char left[64];

	(void)s;
	(void)n;
	(void)word;
	printf("%-44s a command that makes no object\n", "COMMAND FIELD=VALUE…");
	for (const struct session_verb *v = session_makers; v->name; v++) {
		snprintf(left, sizeof(left), "NAME = %s%s%s", v->name, *v->name ? " " : "",
			 v->args);
		printf("%-44s %s\n", left, v->help);
	}
	for (const struct session_verb *v = session_verbs; v->name; v++) {
		snprintf(left, sizeof(left), "%s %s", v->name, v->args);
		printf("%-44s %s\n", left, v->help);
	}
	printf("Values: numbers, names, $NAME, $NAME.FIELD, $out.FIELD; # begins a comment.\n");
	return DVFW_OK;
}

const struct session_verb session_verbs[] = {
	{ "query", "NAME [COMMAND] [FIELD=VALUE…]", "the object as the device sees it", query },
	{ "modify", "NAME COMMAND [FIELD=VALUE…]", "change it", modify },
	{ "destroy", "NAME…", "what still is referred to is busy", destroy },
	{ "objects", "", "what there is", objects },
	{ "expect", "FIELD=VALUE…", "the latest outbox has to say so", expect },
	{ "echo", "WORD…", "prints", echo },
	{ "help", "", "this", help },
	{ "quit", "", "destroys everything, the newest first", quit },
	{ 0 },
};
