/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Completion by what precedes the word:
 *
 *	nothing            verbs and commands
 *	NAME =             makers and commands
 *	query destroy      names of variables
 *	query NAME         commands that query an object of that type; modify: that modify it
 *	reg watch layout … registers, their fields; structures; groups; lists, kinds of values
 *	COMMAND …          its fields; after = the names of their values, $ and names of variables
 *	flow               its verbs; flow create … the words that the rule may go on with
 *
 * readline asks for candidates one by one and keeps them; they are collected in a list first.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <flow/flow.h>
#include <readline/readline.h>

#include "ask/ask.h"
#include "complete.h"
#include "flows/flows.h"
#include "names/names.h"
#include "session/session.h"

#define MOST 2048

static struct session *session;
static char *candidate[MOST];
static int candidates, given;

static void offer(const char *text, const char *prefix, const char *name)
{
	char whole[300];
	size_t n = strlen(text);

	snprintf(whole, sizeof(whole), "%s%s", prefix, name);
	if (candidates < MOST && !strncasecmp(whole, text, n))
		candidate[candidates++] = strdup(whole);
}

static void offer_registers(const char *text, const char *prefix)
{
	for (const struct prm_reg *reg = NULL; (reg = prm_reg_next(reg));)
		offer(text, prefix, reg->name);
}

static void offer_structs(const char *text)
{
	for (const struct prm_struct *s = NULL; (s = prm_struct_next(s));)
		offer(text, "", s->name);
}

/* The next command that queries or modifies @v, after @use; start with NULL. */
static const struct prm_use *next_user(const struct variable *v, enum prm_call call,
				       const struct prm_use *use)
{
	while (v->kind == VARIABLE_OBJECT && (use = prm_use_next(use)))
		if (use->create == v->cmd->opcode && prm_cmd(use->opcode)->call == call)
			return use;
	return NULL;
}

static void offer_users(const char *text, const char *name, enum prm_call call)
{
	const struct variable *v = session_find(session, name);

	for (const struct prm_use *use = NULL; v && (use = next_user(v, call, use));)
		offer(text, "", prm_cmd(use->opcode)->name);
}

/* Names of objects that some command queries or modifies. */
static void offer_used(const char *text, enum prm_call call)
{
	for (const struct variable *v = session->newest; v; v = v->older)
		if (next_user(v, call, NULL))
			offer(text, "", v->name);
}

/* In the case in which the word begins: verbs are lower case, and commands may be. */
static void offer_commands(const char *text)
{
	const struct prm_cmd *cmd = NULL;
	char name[64];

	if (islower((unsigned char)*text) && candidates)
		return; /* a verb will do */
	while ((cmd = prm_cmd_next(cmd))) {
		if (cmd->call == PRM_CALL_KERNEL)
			continue;
		snprintf(name, sizeof(name), "%s", cmd->name);
		for (char *c = name; *c && islower((unsigned char)*text); c++)
			*c = (char)tolower((unsigned char)*c);
		offer(text, "", name);
	}
}

static void offer_verbs(const char *text, const struct session_verb *v)
{
	for (; v->name; v++)
		if (*v->name)
			offer(text, "", v->name);
}

static void offer_variables(const char *text, const char *prefix)
{
	for (const struct variable *v = session->newest; v; v = v->older)
		offer(text, prefix, v->name);
}

/* Fields, level by level: a nested structure is offered with its dot. */
static void offer_fields(const char *text, const struct prm_struct *s, const char *prefix,
			 int depth)
{
	char path[256];

	for (const struct prm_field *f = s->fields; f->name; f++) {
		snprintf(path, sizeof(path), "%s%s", prefix, f->name);
		if (!f->type) {
			offer(text, path, f->array ? "[" : "=");
			continue;
		}
		/* also by the name of its structure, as the PRM calls it: mkc, cqc */
		if (!*prefix && *text && strncasecmp(f->name, text, strlen(text)) &&
		    !strncasecmp(f->type->name, text, strcspn(text, ".")))
			snprintf(path, sizeof(path), "%s", f->type->name);
		strncat(path, ".", sizeof(path) - strlen(path) - 1);
		if (depth && !strncasecmp(path, text, strlen(path)))
			offer_fields(text, f->type, path, depth - 1);
		else
			offer(text, "", path);
	}
}

/* "st=R": names of the field's values, and $names. */
static void offer_values(const char *text, const struct prm_struct *s)
{
	const char *is = strchr(text, '=');
	char name[200], path[256], why[WHY_BYTES], prefix[210];
	const struct prm_named_value *v = NULL;
	struct prm_pos pos;

	snprintf(name, sizeof(name), "%.*s", (int)(is - text), text);
	snprintf(prefix, sizeof(prefix), "%s=", name);
	if (encode_path(s, NULL, name, path, sizeof(path), why) && prm_find(s, path, &pos)) {
		enum word_form form;
		const char *kind = word_kind(pos.owner, pos.field, &form);

		while (kind && (v = named_next(kind, v)))
			offer(text, prefix, v->name);
		if (!strcmp(pos.field->name, "register_id"))
			offer_registers(text, prefix);
	}
	strncat(prefix, "$", sizeof(prefix) - strlen(prefix) - 1);
	offer_variables(text, prefix);
}

/* The parser says which words would fit where the rule ends. */
static void offer_rule(const char *text, char (*word)[64], int n)
{
	static struct dv_flow_rule rule;
	struct dv_flow_error error = { 0 };
	char begun[RULES_TEXT], *words[64], *save;

	for (int i = 0; i < n; i++)
		words[i] = word[i];
	if (!rule_join(begun, words, n) || !dv_flow_parse(&rule, begun, &error))
		return;
	for (char *w = strtok_r(error.expected, " ", &save); w; w = strtok_r(NULL, " ", &save))
		offer(text, "", w);
}

static void offer_flow(const char *text, char (*word)[64], int n)
{
	const char *verb;

	for (unsigned int i = 0; n == 1 && (verb = flows_verb_name(i)); i++)
		offer(text, "", verb);
	if (n > 1 && (!strcmp(word[1], "create") || !strcmp(word[1], "validate") ||
		      !strcmp(word[1], "explain")))
		offer_rule(text, word + 2, n - 2);
}

/* The words before the one at @start. */
static int words_before(int start, char (*word)[64], int most)
{
	int n = 0, i = 0;

	while (i < start && n < most) {
		int from;

		while (i < start && isspace((unsigned char)rl_line_buffer[i]))
			i++;
		for (from = i; i < start && !isspace((unsigned char)rl_line_buffer[i]);)
			i++;
		if (i > from)
			snprintf(word[n++], sizeof(word[0]), "%.*s", i - from,
				 rl_line_buffer + from);
	}
	return n;
}

/* "field=" or "field=VALUE" of a box. */
static void offer_word(const char *text, const struct prm_struct *s)
{
	if (strchr(text, '='))
		offer_values(text, s);
	else
		offer_fields(text, s, "", 4);
}

static void offer_kinds(const char *text)
{
	const struct prm_named_value *v = NULL;

	for (const char *last = ""; (v = prm_value_next(v)); last = v->kind)
		if (strcmp(v->kind, last))
			offer(text, "", v->kind);
}

static void offer_list(const char *text, char (*word)[64], int n)
{
	const char *name;

	for (unsigned int i = 0; n == 1 && (name = list_name(i)); i++)
		offer(text, "", name);
	if (n == 2 && !strcmp(word[1], "values"))
		offer_kinds(text);
}

static void offer_layout(const char *text, char (*word)[64], int n)
{
	(void)word;
	if (n == 1)
		offer_structs(text);
}

static void offer_decode(const char *text, char (*word)[64], int n)
{
	if (n == 1) {
		offer_commands(text);
		offer_structs(text);
	} else if (n == 2 && cmd_find(word[1])) {
		offer(text, "", "in");
		offer(text, "", "out");
	}
}

static void offer_caps(const char *text, char (*word)[64], int n)
{
	(void)word;
	for (const struct prm_cap_group *g = NULL; n == 1 && (g = prm_cap_group_next(g));)
		offer(text, "", g->name);
}

static void offer_reg(const char *text, char (*word)[64], int n)
{
	const struct prm_reg *reg = NULL;

	if (n == 1)
		offer_registers(text, "");
	while (n > 1 && (reg = prm_reg_next(reg)))
		if (!strcasecmp(reg->name, word[1]))
			offer_word(text, reg->layout);
}

/* An object, a register or a query; after its options. */
static void offer_watch(const char *text, char (*word)[64], int n)
{
	const struct prm_cmd *cmd = NULL;

	for (; n > 2 && *word[1] == '-'; n -= 2)
		word += 2;
	if (n > 1 && *word[1] == '-')
		return; /* the number of an option */
	if (n == 1) {
		offer_used(text, PRM_CALL_QUERY);
		offer_registers(text, "");
		while ((cmd = prm_cmd_next(cmd)))
			if (cmd->call == PRM_CALL_GENERAL && !strncmp(cmd->name, "QUERY_", 6))
				offer(text, "", cmd->name);
		return;
	}
	cmd = cmd_find(word[1]);
	if (session_find(session, word[1]) && n == 2)
		offer_users(text, word[1], PRM_CALL_QUERY);
	else if (cmd)
		offer_word(text, cmd->in);
	else
		offer_reg(text, word, n);
}

/* query, modify: NAME [COMMAND] [FIELD=VALUE…] */
static void offer_about(const char *text, char (*word)[64], int n, enum prm_call call)
{
	const struct prm_cmd *cmd = n > 2 ? cmd_find(word[2]) : NULL;

	if (n == 1)
		offer_used(text, call);
	else if (n == 2)
		offer_users(text, word[1], call);
	else if (cmd)
		offer_word(text, cmd->in);
}

static void offer_query(const char *text, char (*word)[64], int n)
{
	offer_about(text, word, n, PRM_CALL_QUERY);
}

static void offer_modify(const char *text, char (*word)[64], int n)
{
	offer_about(text, word, n, PRM_CALL_MODIFY);
}

static void offer_destroy(const char *text, char (*word)[64], int n)
{
	(void)word;
	(void)n;
	offer_variables(text, "");
}

/* Offers fields of the latest outbox. */
static void offer_expect(const char *text, char (*word)[64], int n)
{
	(void)word;
	(void)n;
	if (session->x.cmd)
		offer_word(text, session->x.cmd->out);
}

static void offer_help(const char *text, char (*word)[64], int n)
{
	(void)word;
	if (n > 1)
		return;
	offer_verbs(text, session_verbs);
	offer_commands(text);
	offer_structs(text);
	offer_registers(text, "");
	offer_kinds(text);
}

/* The words of a verb; false: there is no such verb. */
static bool offer_verb(const char *text, char (*word)[64], int n)
{
	static const struct {
		const char *verb;
		void (*offer)(const char *text, char (*word)[64], int n);
	} verbs[] = {
		{ "flow", offer_flow },	    { "list", offer_list },
		{ "layout", offer_layout }, { "decode", offer_decode },
		{ "caps", offer_caps },	    { "reg", offer_reg },
		{ "watch", offer_watch },   { "query", offer_query },
		{ "modify", offer_modify }, { "help", offer_help },
		{ "expect", offer_expect }, { "destroy", offer_destroy },
	};

	for (size_t i = 0; n && i < ARRAY_SIZE(verbs); i++)
		if (!strcasecmp(verbs[i].verb, word[0])) {
			verbs[i].offer(text, word, n);
			return true;
		}
	return false;
}

static void collect(const char *text, int start)
{
	char word[64][64];
	int n = words_before(start, word, 64);
	const struct prm_cmd *cmd = NULL;
	bool made = n >= 2 && !strcmp(word[1], "=");

	if (offer_verb(text, word, n))
		return;
	for (int i = 0; i < n && !cmd; i++)
		cmd = cmd_find(word[i]);
	if (cmd)
		offer_word(text, cmd->in);
	else if (!n)
		offer_verbs(text, session_verbs);
	else if (made && n == 2)
		offer_verbs(text, session_makers);
	if (!cmd && (!n || (made && n == 2)))
		offer_commands(text);
	if (!n)
		offer_variables(text, "");
}

static char *next_candidate(const char *text, int state)
{
	(void)text;
	if (!state)
		given = 0;
	return given < candidates ? candidate[given++] : NULL;
}

static char **complete(const char *text, int start, int end)
{
	char **made;

	(void)end;
	candidates = 0;
	collect(text, start);
	made = rl_completion_matches(text, next_candidate);
	while (given < candidates)
		free(candidate[given++]);
	rl_attempted_completion_over = 1;
	/* A field is not complete without its value, nor a structure without its field. */
	if (made && *made && **made && strchr("=.[", made[0][strlen(made[0]) - 1]))
		rl_completion_append_character = '\0';
	return made;
}

void complete_begin(struct session *s)
{
	session = s;
	rl_readline_name = "dvfw";
	rl_attempted_completion_function = complete;
	rl_basic_word_break_characters = " \t\n";
	rl_completer_word_break_characters = " \t\n";
}
