/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvfw list: the known names. None of the lists needs a device, but with --device 'list
 * commands' says which of them the device executes (probe.c).
 */
#include <stdio.h>
#include <string.h>

#include "ask/ask.h"
#include "base/base.h"
#include "devx/devx.h"
#include "names/names.h"

struct request {
	struct dvfw *dvfw;
	char *word[2]; /* which list; of values: which kind */
	bool probe;
};

static struct json_object *named(const char *name)
{
	struct json_object *row = json_object_new_object();

	json_set(row, "name", name);
	return row;
}

static const struct column command_columns[] = {
	COLUMN("", "opcode", "0x%03llx", .paint = DVFW_FAINT),
	COLUMN("  ", "name", "%-32s", .paint = DVFW_NAME),
	COLUMN(" ", "call", "%-12s"),
	COLUMN(" ", "in_bytes", "%5llu"),
	COLUMN(" ", "out_bytes", "%5llu"),
	COLUMN("  ", "executed", "%s", .optional = true),
	{ 0 },
};

static struct json_object *command(const struct prm_cmd *cmd, const char *executed)
{
	struct json_object *row = named(cmd->name);

	json_set(row, "opcode", cmd->opcode);
	json_set(row, "call", call_name(cmd->call));
	if (cmd->needs)
		json_set(row, "needs", cmd->needs);
	json_set(row, "in", cmd->in->name);
	json_set(row, "in_bytes", cmd->in->bytes);
	json_set(row, "out", cmd->out->name);
	json_set(row, "out_bytes", cmd->out->bytes);
	if (executed)
		json_set(row, "executed", executed);
	return row;
}

static int list_commands(const struct request *r, struct table *to)
{
	struct dvfw *d = r->dvfw;
	bool probe = r->probe;
	const struct prm_cmd *cmd = NULL;
	unsigned int executed = 0;

	if (probe && dvfw_open(d))
		return DVFW_REFUSED;
	to->columns = command_columns;
	if (!to->rows)
		printf("opcode %-32s %-12s %5s %5s%s\n", "command", "DevX call", "in", "out",
		       probe ? "  executed" : "");
	while ((cmd = prm_cmd_next(cmd))) {
		const char *answer = probe ? probe_command(d->ctx, cmd) : NULL;

		executed += answer && !strcmp(answer, PROBE_YES);
		table_add(to, command(cmd, answer));
	}
	if (probe && !to->rows)
		printf("%u commands are executed\n", executed);
	return DVFW_OK;
}

static int list_structs(const struct request *r, struct table *to)
{
	(void)r;
	const struct prm_struct *s = NULL;

	while ((s = prm_struct_next(s)))
		if (to->rows)
			json_object_array_add(to->rows, json_object_new_string(s->name));
		else
			printf("%-48s %5u%s\n", s->name, s->bytes,
			       s->is_union ? "  union" : "");
	return DVFW_OK;
}

/* Object types, capability groups, registers: a number, its name, its structure. */
static const struct column number_columns[] = {
	COLUMN("", "value", "0x%04llx"),
	COLUMN("  ", "name", "%-24s"),
	COLUMN(" ", "text", "%-36s"),
	COLUMN(" ", "struct", "%s"),
	{ 0 },
};

static void list_number(struct table *to, const char *kind, unsigned int number,
			const char *name, const struct prm_struct *s)
{
	struct json_object *row = named(name);
	const char *text = "";

	if (kind)
		prm_value_name(kind, number, &text);
	else if (s && text_of_struct(s))
		text = text_of_struct(s);
	json_set(row, "value", number);
	if (*text)
		json_set(row, "text", text);
	json_set(row, "struct", s ? s->name : NULL);
	to->columns = number_columns;
	table_add(to, row);
}

static int list_objects(const struct request *r, struct table *to)
{
	(void)r;
	const struct prm_object *o = NULL;

	while ((o = prm_object_next(o)))
		list_number(to, "OBJ", o->type, o->name, o->layout);
	return DVFW_OK;
}

static int list_groups(const struct request *r, struct table *to)
{
	(void)r;
	const struct prm_cap_group *g = NULL;

	while ((g = prm_cap_group_next(g)))
		list_number(to, "CAP", g->id, g->name, g->layout);
	return DVFW_OK;
}

static int list_registers(const struct request *r, struct table *to)
{
	(void)r;
	const struct prm_reg *reg = NULL;

	while ((reg = prm_reg_next(reg)))
		list_number(to, NULL, reg->id, reg->name, reg->layout);
	return DVFW_OK;
}

static void list_syndrome(struct table *to, const char *command, uint32_t syndrome,
			  const char *words)
{
	static const struct column columns[] = {
		COLUMN("", "syndrome", "0x%08llx"),
		COLUMN("  ", "command", "%-14s"),
		COLUMN(" ", "text", "%s"),
		{ 0 },
	};
	struct json_object *row = json_object_new_object();

	json_set(row, "syndrome", syndrome);
	json_set(row, "command", command);
	json_set(row, "text", words);
	to->columns = columns;
	table_add(to, row);
}

/* Those of real devices, then those of the emulator: it builds them from the opcode and a
 * reason, and only the reason counts here. */
static int list_syndromes(const struct request *r, struct table *to)
{
	(void)r;
	const struct devx_syndrome *s = NULL;

	while ((s = devx_syndrome_next(s))) {
		const struct prm_cmd *cmd = prm_cmd(s->opcode);

		list_syndrome(to, cmd ? cmd->name : "any", s->syndrome, s->text);
	}
	for (uint32_t reason = 1; reason <= UINT8_MAX; reason++) {
		const char *words = devx_syndrome_str(0, 0xe0000000 | reason);

		if (words)
			list_syndrome(to, "emulator", 0xe0000000 | reason, words);
	}
	return DVFW_OK;
}

/* ["qpc.state", "dctc.state"]: the fields that have values of @kind. */
static struct json_object *fields_of(const char *kind)
{
	struct json_object *fields = json_object_new_array();
	const struct prm_struct *s = NULL;
	enum word_form form;

	while ((s = prm_struct_next(s)))
		for (const struct prm_field *f = s->fields; f->name; f++) {
			const char *of = word_kind(s, f, &form);
			char name[160];

			if (!of || strcmp(of, kind))
				continue;
			snprintf(name, sizeof(name), "%s.%s", s->name, f->name);
			json_object_array_add(fields, json_object_new_string(name));
		}
	return fields;
}

static void list_kind(struct table *to, const char *kind)
{
	static const struct column columns[] = {
		COLUMN("", "name", "%-32s"),
		COLUMN(" ", "count", "%3llu"),
		COLUMN(" ", "fields", "%s"),
		{ 0 },
	};
	struct json_object *row = named(kind);
	const struct prm_named_value *v = NULL;
	unsigned int count = 0;

	while ((v = named_next(kind, v)))
		count++;
	json_set(row, "count", count);
	json_set(row, "fields", fields_of(kind));
	to->columns = columns;
	table_add(to, row);
}

/* All kinds, or the values of one. */
static int list_values(const struct request *r, struct table *to)
{
	const char *name = r->word[1], *kind = name ? kind_find(name) : NULL;
	const struct prm_named_value *v = NULL;
	struct near near;

	if (kind && to->rows) {
		struct json_object *row = named(kind);

		json_set(row, "values", kind_json(kind));
		table_add(to, row);
	} else if (kind) {
		describe_kind(r->dvfw, kind);
	}
	if (kind)
		return DVFW_OK;
	near_begin(&near, name ? name : "");
	for (const char *last = ""; (v = prm_value_next(v)); last = v->kind)
		if (strcmp(v->kind, last)) {
			near_offer(&near, v->kind);
			if (!name)
				list_kind(to, v->kind);
		}
	return name ? dvfw_usage(r->dvfw, "there is no kind of values '%s'%s", name,
				 near_text(&near))
		    : DVFW_OK;
}

static const struct {
	const char *name;
	int (*list)(const struct request *r, struct table *to);
} lists[] = {
	{ "commands", list_commands },	 { "structs", list_structs },
	{ "objects", list_objects },	 { "groups", list_groups },
	{ "registers", list_registers }, { "syndromes", list_syndromes },
	{ "values", list_values },
};

#define LISTS (ARRAY_SIZE(lists))

const char *list_name(unsigned int i)
{
	return i < LISTS ? lists[i].name : NULL;
}

static int run(const struct request *r, struct table *to)
{
	const char *what = r->word[0];
	struct near near;

	if (r->word[1] && strcmp(what, "values"))
		return dvfw_usage(r->dvfw, "one list at a time, not '%s', too", r->word[1]);
	near_begin(&near, what);
	for (size_t i = 0; i < LISTS; i++) {
		if (!strcmp(what, lists[i].name))
			return lists[i].list(r, to);
		near_offer(&near, lists[i].name);
	}
	return dvfw_usage(r->dvfw, "there is no list of '%s'%s", what, near_text(&near));
}

static const struct option_row options[] = {
	{ "device", 0, NULL,
	  "With 'commands': which of them the device executes; opens it, changes nothing",
	  offsetof(struct request, probe), NULL },
	{ 0 },
};

static const struct syntax syntax = {
	.options = options,
	.args_doc = "commands|structs|objects|groups|registers|syndromes|values [KIND]",
	.doc = "Lists names. A device is needed for --device only.",
	.missing = "which list?",
	.surplus = "one list at a time",
	.max = 2,
};

int list_run(struct dvfw *d, int argc, char **argv)
{
	struct request r = { .dvfw = d };
	struct table to;

	arguments_parse(&syntax, d, argc, argv, &r, r.word);
	table_begin(&to, d, NULL);
	return table_end(&to, run(&r, &to));
}
