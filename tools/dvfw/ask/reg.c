/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvfw reg: a register, by name.
 *
 *	dvfw reg PPCNT local_port=1 grp=0
 *	  words -> register -> ACCESS_REGISTER_USER (fwctl: ACCESS_REG) -> register -> fields
 *
 * A read has the index fields, which choose a port, a group, a module. A write starts with the
 * values that a read answers, sets its fields in them, and shows the register before and after
 * it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ask/ask.h"
#include "base/base.h"
#include "box/box.h"
#include "prm/prm.h"

struct request {
	struct dvfw *dvfw;
	bool write, all, hex;
	char *word[ARGUMENTS_MAX];
	int words;
};

int reg_begin(const struct dvfw *d, struct reg *r, const struct prm_reg *reg,
	      char *const *words, int n)
{
	static const char argument[] = "argument=";
	char why[WHY_BYTES], *field[ARGUMENTS_MAX];
	int fields = 0;

	r->reg = reg;
	r->argument = 0;
	box_begin(&r->ask, reg->layout, NULL);
	for (int i = 0; i < n && i < ARGUMENTS_MAX; i++) {
		const char *text = words[i] + strlen(argument);

		if (strncmp(words[i], argument, strlen(argument)))
			field[fields++] = words[i];
		else if (!parse_number(text, &r->argument) || r->argument > UINT32_MAX)
			return dvfw_usage(d, "'%s' is not a number of 32 bits", text);
	}
	return encode_fields(&r->ask, field, fields, why) ? DVFW_OK : dvfw_usage(d, "%s", why);
}

/* The firmware says that a field is wrong, and not which. */
static int refuse(struct dvfw *d, const struct reg *r, const uint8_t *in, int err)
{
	bool write = PRM_GET(access_register_in, in, op_mod) == PRM_REG_OP_WRITE;
	char names[200];
	int status = dvfw_command_refused(d, in, err);

	if (err != EREMOTEIO)
		return status;
	if (write && !d->fwctl)
		dvfw_refused(d, "users of DevX write few registers or none: --via=fwctl");
	else if (!write && *reg_indices(r->reg, names, sizeof(names)))
		dvfw_refused(d, "these fields choose which %s is meant: %s", r->reg->name,
			     names);
	return status;
}

int reg_access(struct dvfw *d, struct reg *r, enum prm_value op)
{
	static uint8_t in[BOX_BYTES], out[BOX_BYTES];
	size_t head = PRM_SZ(access_register_in), bytes = r->reg->layout->bytes;
	int err;

	memset(in, 0, head);
	memcpy(in + head, r->ask.bytes, bytes);
	PRM_SET(access_register_in, in, opcode,
		d->fwctl ? PRM_OP_ACCESS_REG : PRM_OP_ACCESS_REGISTER_USER);
	PRM_SET(access_register_in, in, op_mod, op);
	PRM_SET(access_register_in, in, register_id, r->reg->id);
	PRM_SET(access_register_in, in, argument, r->argument);
	err = dvfw_command(d, in, head + bytes, out, head + bytes);
	if (err)
		return refuse(d, r, in, err);
	box_begin(&r->answer, r->reg->layout, NULL);
	memcpy(r->answer.bytes, out + head, bytes);
	return DVFW_OK;
}

struct shown reg_shown(const struct reg *r)
{
	return (struct shown){ .s = r->reg->layout,
			       .p = r->answer.bytes,
			       .len = r->answer.len };
}

static void show(const struct request *r, const struct reg *reg, const char *when,
		 struct json_object *json)
{
	const struct shown m = reg_shown(reg);

	if (json) {
		json_set(json, when, reading_json(&m));
		return;
	}
	if (r->write)
		printf("%s:\n", when);
	if (r->hex)
		hex_print(m.p, m.len);
	else
		reading_print_all(r->dvfw, &m, r->all);
}

/* Sets in what a read answered the fields of the words. */
static int set_fields(struct request *r, struct reg *reg)
{
	char why[WHY_BYTES];

	reg->ask = reg->answer;
	for (int i = 1; i < r->words; i++)
		if (strncmp(r->word[i], "argument=", 9) &&
		    !encode_fields(&reg->ask, r->word + i, 1, why))
			return dvfw_usage(r->dvfw, "%s", why);
	return DVFW_OK;
}

/* A read; or a read, a write and another read. */
static int execute(struct request *r, struct reg *reg, struct json_object *json)
{
	static struct box asked;
	int status = reg_access(r->dvfw, reg, PRM_REG_OP_READ);

	if (!status)
		show(r, reg, r->write ? "before" : "register", json);
	if (status || !r->write)
		return status;
	asked = reg->ask;
	status = set_fields(r, reg);
	if (!status)
		status = reg_access(r->dvfw, reg, PRM_REG_OP_WRITE);
	reg->ask = asked;
	if (!status)
		status = reg_access(r->dvfw, reg, PRM_REG_OP_READ);
	if (!status)
		show(r, reg, "after", json);
	return status;
}

/* A read before a write asks with the fields that choose, not with those to be set. */
static int begin(struct request *r, struct reg *reg, const struct prm_reg *found)
{
	char *word[ARGUMENTS_MAX];
	int n = 0, status = reg_begin(r->dvfw, reg, found, r->word + 1, r->words - 1);

	for (int i = 1; i < r->words; i++)
		if (!strncmp(r->word[i], "argument=", 9) ||
		    reg_is_index(r->word[i], strcspn(r->word[i], "=")))
			word[n++] = r->word[i];
	if (status || !r->write)
		return status;
	return reg_begin(r->dvfw, reg, found, word, n);
}

static int list(const struct dvfw *d)
{
	static const struct column columns[] = {
		COLUMN("", "id", "0x%04llx"),
		COLUMN("  ", "name", "%-16s"),
		COLUMN(" ", "struct", "%-26s"),
		COLUMN(" ", "indices", "%s"),
		{ 0 },
	};
	const struct prm_reg *r = NULL;
	struct table t;
	char names[200];

	table_begin(&t, d, columns);
	while ((r = prm_reg_next(r))) {
		struct json_object *row = json_object_new_object();

		json_set(row, "id", r->id);
		json_set(row, "name", r->name);
		json_set(row, "struct", r->layout->name);
		json_set(row, "indices", reg_indices(r, names, sizeof(names)));
		table_add(&t, row);
	}
	return table_end(&t, DVFW_OK);
}

static const struct option_row options[] = {
	{ "write", 'w', NULL, "Write the fields, for all who use the adapter",
	  offsetof(struct request, write), NULL },
	{ "all", 'a', NULL, "Show fields that are zero, too", offsetof(struct request, all),
	  NULL },
	{ "hex", 0, NULL, "Show bytes, not fields", offsetof(struct request, hex), NULL },
	{ 0 },
};

static const struct syntax syntax = {
	.options = options,
	.args_doc = "[NAME FIELD=VALUE...]",
	.doc = "Reads a register of the port, the board or the firmware. FIELD is one that chooses among "
	       "several, as local_port; without NAME the registers and these fields are listed.",
	.surplus = "more than 512 arguments",
	.max = ARGUMENTS_MAX,
};

int reg_run(struct dvfw *d, int argc, char **argv)
{
	static struct reg reg;
	struct request r = { .dvfw = d };
	const struct prm_reg *found;
	struct json_object *json;
	struct near near;
	int status;

	r.words = arguments_parse(&syntax, d, argc, argv, &r, r.word);
	if (!r.words)
		return list(d);
	found = reg_find(r.word[0], &near);
	if (!found)
		return dvfw_usage(d, "there is no register '%s'%s; 'dvfw reg' lists them",
				  r.word[0], near_text(&near));
	status = begin(&r, &reg, found);
	if (!status)
		status = dvfw_connect(d);
	json = d->json && !status ? json_object_new_object() : NULL;
	if (!status)
		status = execute(&r, &reg, json);
	if (json && !status)
		dvfw_print_json(json);
	else
		json_object_put(json);
	return status;
}
