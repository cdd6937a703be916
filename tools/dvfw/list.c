/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvfw list: the names that there are. None of the lists needs a device, but with --device
 * 'list commands' says which of them the device executes (probe.c).
 */
#include <stdio.h>
#include <string.h>

#include "arguments.h"
#include "describe.h"
#include "devx/devx.h"
#include "dvfw.h"
#include "names.h"
#include "probe.h"
#include "text.h"
#include "word.h"

#define KIND_COLUMNS 60 /* for the fields of a kind */

struct request {
	struct dvfw *dvfw;
	char *word[2]; /* which list; of values: which kind */
	bool probe;
};

static struct json_object *add_entry(struct json_object *to, const char *name)
{
	struct json_object *entry = json_object_new_object();

	json_object_object_add(entry, "name", json_object_new_string(name));
	json_object_array_add(to, entry);
	return entry;
}

static void add_number(struct json_object *entry, const char *key, unsigned long long v)
{
	json_object_object_add(entry, key, dvfw_json_number(v));
}

static void add_text(struct json_object *entry, const char *key, const char *text)
{
	json_object_object_add(entry, key, text ? json_object_new_string(text) : NULL);
}

static void list_command(struct dvfw *d, struct json_object *to, const struct prm_cmd *cmd,
			 const char *executed)
{
	if (!to) {
		printf("%s0x%03x%s  %s%-32s%s %-12s %5u %5u%s%s\n", dvfw_paint(d, DVFW_FAINT),
		       cmd->opcode, dvfw_paint(d, DVFW_PLAIN), dvfw_paint(d, DVFW_NAME),
		       cmd->name, dvfw_paint(d, DVFW_PLAIN), call_name(cmd->call),
		       cmd->in->bytes, cmd->out->bytes, executed ? "  " : "",
		       executed ? executed : "");
		return;
	}

	struct json_object *entry = add_entry(to, cmd->name);
	add_number(entry, "opcode", cmd->opcode);
	add_text(entry, "call", call_name(cmd->call));
	if (cmd->needs)
		add_text(entry, "needs", cmd->needs);
	add_text(entry, "in", cmd->in->name);
	add_number(entry, "in_bytes", cmd->in->bytes);
	add_text(entry, "out", cmd->out->name);
	add_number(entry, "out_bytes", cmd->out->bytes);
	if (executed)
		add_text(entry, "executed", executed);
}

static int list_commands(struct dvfw *d, struct json_object *to, bool probe)
{
	const struct prm_cmd *cmd = NULL;
	unsigned int executed = 0;

	if (probe && dvfw_open(d))
		return DVFW_REFUSED;
	if (!to)
		printf("opcode %-32s %-12s %5s %5s%s\n", "command", "DevX call", "in", "out",
		       probe ? "  executed" : "");
	while ((cmd = prm_cmd_next(cmd))) {
		const char *answer = probe ? probe_command(d->ctx, cmd) : NULL;

		executed += answer && !strcmp(answer, PROBE_YES);
		list_command(d, to, cmd, answer);
	}
	if (probe && !to)
		printf("%u commands are executed\n", executed);
	return DVFW_OK;
}

static int list_structs(struct json_object *to)
{
	const struct prm_struct *s = NULL;

	while ((s = prm_struct_next(s)))
		if (to)
			json_object_array_add(to, json_object_new_string(s->name));
		else
			printf("%-48s %5u%s\n", s->name, s->bytes,
			       s->is_union ? "  union" : "");
	return DVFW_OK;
}

/* Object types, capability groups, registers: a number, its name, its structure. */
static void list_number(struct json_object *to, const char *kind, unsigned int number,
			const char *name, const struct prm_struct *s)
{
	const char *text = "";

	if (kind)
		prm_value_name(kind, number, &text);
	else if (s && text_of_struct(s))
		text = text_of_struct(s);
	if (!to) {
		printf("0x%04x  %-24s %-36s %s\n", number, name, text, s ? s->name : "");
		return;
	}

	struct json_object *entry = add_entry(to, name);
	add_number(entry, "value", number);
	if (*text)
		add_text(entry, "text", text);
	add_text(entry, "struct", s ? s->name : NULL);
}

static int list_objects(struct json_object *to)
{
	const struct prm_object *o = NULL;

	while ((o = prm_object_next(o)))
		list_number(to, "OBJ", o->type, o->name, o->layout);
	return DVFW_OK;
}

static int list_groups(struct json_object *to)
{
	const struct prm_cap_group *g = NULL;

	while ((g = prm_cap_group_next(g)))
		list_number(to, "CAP", g->id, g->name, g->layout);
	return DVFW_OK;
}

static int list_registers(struct json_object *to)
{
	const struct prm_reg *r = NULL;

	while ((r = prm_reg_next(r)))
		list_number(to, NULL, r->id, r->name, r->layout);
	return DVFW_OK;
}

static void list_syndrome(struct json_object *to, const char *command, uint32_t syndrome,
			  const char *words)
{
	if (!to) {
		printf("0x%08x  %-14s %s\n", syndrome, command, words);
		return;
	}

	struct json_object *entry = json_object_new_object();
	json_object_array_add(to, entry);
	add_number(entry, "syndrome", syndrome);
	add_text(entry, "command", command);
	add_text(entry, "text", words);
}

/* Those of real devices, then those of the emulator: it builds them from the opcode and a
 * reason, and only the reason counts here. */
static int list_syndromes(struct json_object *to)
{
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

/* " qpc.state dctc.state": the first fields that have values of @kind; all of them to @to. */
static void fields_of(const char *kind, char *buf, size_t size, struct json_object *to)
{
	const struct prm_struct *s = NULL;
	size_t used = 0;
	enum word_form form;

	buf[0] = '\0';
	while ((s = prm_struct_next(s)))
		for (const struct prm_field *f = s->fields; f->name; f++) {
			const char *of = word_kind(s, f, &form);
			char name[160];

			if (!of || strcmp(of, kind))
				continue;
			snprintf(name, sizeof(name), "%s.%s", s->name, f->name);
			if (to)
				json_object_array_add(to, json_object_new_string(name));
			if (used < KIND_COLUMNS)
				used += (size_t)snprintf(buf + used, size - used, " %s", name);
			else
				snprintf(buf + used, size - used, " ...");
		}
}

static void list_kind(struct json_object *to, const char *kind)
{
	struct json_object *fields = to ? json_object_new_array() : NULL;
	const struct prm_named_value *v = NULL;
	unsigned int count = 0;
	char names[400];

	while ((v = named_next(kind, v)))
		count++;
	fields_of(kind, names, sizeof(names), fields);
	if (!to) {
		printf("%-32s %3u %s\n", kind, count, names);
		return;
	}

	struct json_object *entry = add_entry(to, kind);
	add_number(entry, "count", count);
	json_object_object_add(entry, "fields", fields);
}

/* All kinds, or the values of one. */
static int list_values(const struct request *r, struct json_object *to)
{
	const char *name = r->word[1], *kind = name ? kind_find(name) : NULL;
	const struct prm_named_value *v = NULL;
	struct near near;

	if (kind && to) {
		struct json_object *entry = add_entry(to, kind);

		json_object_object_add(entry, "values", kind_json(kind));
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

static const char *const lists[] = { "commands",  "structs",   "objects", "groups",
				     "registers", "syndromes", "values" };

const char *list_name(unsigned int i)
{
	return i < sizeof(lists) / sizeof(lists[0]) ? lists[i] : NULL;
}

static int refuse_list(const struct dvfw *d, const char *what)
{
	struct near near;

	near_begin(&near, what);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		near_offer(&near, lists[i]);
	return dvfw_usage(d, "there is no list of '%s'%s", what, near_text(&near));
}

static int run(struct request *r, struct json_object *to)
{
	const char *what = r->word[0];

	if (!strcmp(what, "values"))
		return list_values(r, to);
	if (r->word[1])
		return dvfw_usage(r->dvfw, "one list at a time, not '%s', too", r->word[1]);
	if (!strcmp(what, "commands"))
		return list_commands(r->dvfw, to, r->probe);
	if (!strcmp(what, "structs"))
		return list_structs(to);
	if (!strcmp(what, "objects"))
		return list_objects(to);
	if (!strcmp(what, "groups"))
		return list_groups(to);
	if (!strcmp(what, "registers"))
		return list_registers(to);
	if (!strcmp(what, "syndromes"))
		return list_syndromes(to);
	return refuse_list(r->dvfw, what);
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

	arguments_parse(&syntax, d, argc, argv, &r, r.word);

	struct json_object *to = d->json ? json_object_new_array() : NULL;
	int status = run(&r, to);
	if (to && status == DVFW_OK)
		dvfw_print_json(to);
	else
		json_object_put(to);
	return status;
}
