/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Verbs: words at the beginning of a line other than commands.
 */
#include <stdio.h>
#include <string.h>

#include "ask/ask.h"
#include "names/names.h"
#include "prm/prm.h"
#include "session/session.h"

static int find_variable(const struct session *s, const char *name, struct variable **v)
{
	struct near near;

	*v = session_find(s, name);
	if (*v)
		return DVFW_OK;
	near_begin(&near, name);
	for (const struct variable *other = s->newest; other; other = other->older)
		near_offer(&near, other->name);
	return dvfw_usage(s->dvfw, "nothing is called '%s'%s", name, near_text(&near));
}

static int find_object(const struct session *s, const char *name, struct variable **v)
{
	int status = find_variable(s, name, v);

	if (!status && (*v)->kind != VARIABLE_OBJECT)
		return dvfw_usage(s->dvfw, "'%s' is no object of the device", name);
	return status;
}

/*
 * Fields that identify an object have the same name in the command that created it: cqn of
 * create_cq_out and of query_cq_in, table_type of create_flow_table_in and of
 * query_flow_table_in.
 */
static void name_object(struct session *s, const struct variable *v)
{
	const struct prm_struct *from[] = { v->cmd->in, v->cmd->out };
	const uint8_t *bytes[] = { v->in, v->out };
	const size_t len[] = { v->in_len, v->out_len };
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
static const struct prm_cmd *query_of(const struct variable *v)
{
	for (const struct prm_use *use = NULL; (use = prm_use_next(use));) {
		const struct prm_cmd *cmd = prm_cmd(use->opcode);

		if (use->create == v->cmd->opcode && cmd->call == PRM_CALL_QUERY)
			return cmd;
	}
	return NULL;
}

/* Encodes a command about @v. */
static int encode_about(struct session *s, struct variable *v, enum prm_call call, int n,
			char **word)
{
	if (s->x.cmd->call != call && !(call == PRM_CALL_MODIFY && s->x.cmd == v->cmd))
		return dvfw_usage(s->dvfw, "%s is no command that %s an object", s->x.cmd->name,
				  call == PRM_CALL_QUERY ? "queries" : "modifies");
	name_object(s, v);
	return exchange_encode(s->dvfw, &s->x, word, n);
}

int session_question(struct session *s, int n, char **word, struct variable **v)
{
	int status = find_object(s, word[0], v);
	bool named = n > 1 && !strchr(word[1], '=');
	const struct prm_cmd *cmd;

	if (status)
		return status;
	cmd = named ? NULL : query_of(*v);
	if (!named && !cmd)
		return dvfw_usage(s->dvfw, "no command queries what %s created",
				  (*v)->cmd->name);
	status = exchange_begin(s->dvfw, &s->x, named ? word[1] : cmd->name);
	return status ? status
		      : encode_about(s, *v, PRM_CALL_QUERY, n - 1 - named, word + 1 + named);
}

/* query NAME [COMMAND] [field=value …] */
static int query(struct session *s, int n, char **word)
{
	struct variable *v;
	int status;

	if (n < 2)
		return dvfw_usage(s->dvfw, "query NAME [COMMAND] [FIELD=VALUE…]");
	status = session_question(s, n - 1, word + 1, &v);
	return status ? status : session_send(s, &v->obj, v->name);
}

int session_show(struct session *s, char *name)
{
	struct variable *v = session_find(s, name);
	char *word[] = { "query", name };

	if (v->kind == VARIABLE_OBJECT && query_of(v))
		return query(s, 2, word);
	printf("%s is 0x%llx: use it as $%s; 'destroy %s' destroys it%s\n", name,
	       (unsigned long long)variable_id(v), name, name,
	       v->kind == VARIABLE_OBJECT ? "; no command queries it" : "");
	return DVFW_OK;
}

/* modify NAME COMMAND [field=value …] */
static int modify(struct session *s, int n, char **word)
{
	struct variable *v;
	int status;

	if (n < 3)
		return dvfw_usage(s->dvfw, "modify NAME COMMAND [FIELD=VALUE…]");
	status = find_object(s, word[1], &v);
	if (!status)
		status = exchange_begin(s->dvfw, &s->x, word[2]);
	if (!status)
		status = encode_about(s, v, PRM_CALL_MODIFY, n - 3, word + 3);
	return status ? status : session_send(s, &v->obj, v->name);
}

static int destroy(struct session *s, int n, char **word)
{
	struct variable *v;
	int status = DVFW_OK;

	if (n < 2)
		return dvfw_usage(s->dvfw, "destroy NAME…");
	for (int i = 1; i < n && !status; i++) {
		status = find_variable(s, word[i], &v);
		if (!status)
			status = session_remove(s, v);
	}
	return status;
}

static int objects(struct session *s, int n, char **word)
{
	static const char *const kinds[] = {
		[VARIABLE_OBJECT] = "",	      [VARIABLE_UMEM] = "umem", [VARIABLE_UAR] = "uar",
		[VARIABLE_NUMBER] = "number", [VARIABLE_AV] = "av",
	};

	(void)word;
	if (n > 1)
		return dvfw_usage(s->dvfw, "objects: takes nothing");
	for (const struct variable *v = s->newest; v; v = v->older)
		printf("%-16s %-32s 0x%llx\n", v->name,
		       v->kind == VARIABLE_OBJECT ? v->cmd->name : kinds[v->kind],
		       (unsigned long long)variable_id(v));
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

static int help_about(struct session *s, const char *name)
{
	for (const struct session_verb *v = session_verbs; v->name; v++)
		if (!strcasecmp(v->name, name)) {
			printf("%s %s: %s\n", v->name, v->args, v->help);
			return DVFW_OK;
		}
	return describe_name(s->dvfw, name);
}

static int help(struct session *s, int n, char **word)
{
	char left[64];

	if (n > 1)
		return help_about(s, word[1]);
	dvfw_help_row(44, "NAME", "the object of that name, queried");
	dvfw_help_row(44, "COMMAND FIELD=VALUE…", "a command that makes no object");
	for (const struct session_verb *v = session_makers; v->name; v++) {
		snprintf(left, sizeof(left), "NAME = %s%s%s", v->name, *v->name ? " " : "",
			 v->args);
		dvfw_help_row(44, left, v->help);
	}
	for (const struct session_verb *v = session_verbs; v->name; v++) {
		snprintf(left, sizeof(left), "%s %s", v->name, v->args);
		dvfw_help_row(44, left, v->help);
	}
	printf("Values: numbers, names, $NAME, $NAME.FIELD, $out.FIELD; # begins a comment.\n");
	return DVFW_OK;
}

/* A subcommand of dvfw without options: its parser would end the shell on an error. */
static int subcommand(struct session *s, int n, char **word)
{
	static const struct {
		const char *name;
		int min, max; /* words after it */
		int (*run)(struct dvfw *d, int argc, char **argv);
	} subs[] = {
		{ "list", 1, 2, list_run },	  { "layout", 1, 1, layout_run },
		{ "decode", 2, 100, decode_run }, { "caps", 0, 1, caps_run },
		{ "reg", 0, 100, reg_run },
	};

	for (size_t i = 0; i < ARRAY_SIZE(subs); i++) {
		if (strcmp(subs[i].name, word[0]))
			continue;
		for (int k = 1; k < n; k++)
			if (*word[k] == '-')
				return dvfw_usage(s->dvfw,
						  "%s: options are for the command line: "
						  "dvfw %s %s",
						  word[0], word[0], word[k]);
		if (n - 1 < subs[i].min || n - 1 > subs[i].max)
			return dvfw_usage(s->dvfw, "%s: see 'help %s'", word[0], word[0]);
		return subs[i].run(s->dvfw, n, word);
	}
	return DVFW_USAGE;
}

/* The objects that @opcode made, as targets of flow rules. */
static unsigned int objects_of(const void *owner, uint16_t opcode, struct devx_obj **list,
			       unsigned int most)
{
	const struct session *s = owner;
	unsigned int n = 0;

	for (struct variable *v = s->newest; v && n < most; v = v->older)
		if (v->kind == VARIABLE_OBJECT && v->obj.opcode == opcode)
			list[n++] = &v->obj;
	return n;
}

static int flow(struct session *s, int n, char **word)
{
	int status;

	s->flows.dvfw = s->dvfw;
	s->flows.objects = objects_of;
	s->flows.owner = s;
	status = flows_verb(&s->flows, n, word);
	s->quit |= s->flows.stopped;
	return status;
}

const struct session_verb session_verbs[] = {
	{ "query", "NAME [COMMAND] [FIELD=VALUE…]", "the object as the device sees it", query },
	{ "modify", "NAME COMMAND [FIELD=VALUE…]", "change it", modify },
	{ "destroy", "NAME…", "what still is referred to is busy", destroy },
	{ "objects", "", "what there is", objects },
	{ "flow", "VERB …", "flow rules: 'flow help' lists the verbs", flow },
	{ "list", "WHAT", "names: commands, registers, values KIND …", subcommand },
	{ "layout", "STRUCT", "the fields of a structure", subcommand },
	{ "decode", "NAME [in|out] HEX", "bytes to fields", subcommand },
	{ "caps", "[GROUP]", "capabilities of the device", subcommand },
	{ "reg", "[NAME FIELD=VALUE…]", "a register; alone: which there are", subcommand },
	{ "watch", "[-i S] [-n N] NAME [FIELD=VALUE…]",
	  "what changes in an object, a register or an answer, until ^C", session_watch },
	{ "expect", "FIELD=VALUE…", "the latest outbox has to say so", expect },
	{ "echo", "WORD…", "prints", echo },
	{ "help", "[NAME]", "this, or what a command, structure, field, kind of values is",
	  help },
	{ "quit", "", "destroys everything, the newest first", quit },
	{ 0 },
};
