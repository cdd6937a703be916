/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvfw layout: the rows of a structure, as the PRM prints them.
 *
 *	byte   dword[bits]   width  name
 *	0x018  dw6[23:0]        24  qpc.pd
 *
 * --expand goes into nested structures, elements 0 of arrays standing for all.
 */
#include <stdio.h>
#include <string.h>

#include "arguments.h"
#include "dvfw.h"
#include "names.h"

#define DEEPEST 8

struct request {
	struct dvfw *dvfw;
	char *name;
	bool expand;
	struct json_object *rows; /* NULL: print lines */
};

/* A structure somewhere inside the one that was asked for. */
struct place {
	const struct prm_struct *s;
	size_t bit;
	char path[200];
	int depth;
};

/* "dw3[31:24]"; of what is longer than a dword: "dw3..dw4". */
static void format_bits(char *buf, size_t size, size_t bit, size_t width)
{
	size_t high = 31 - bit % 32;

	if (bit % 32 + width > 32)
		snprintf(buf, size, "dw%zu..dw%zu", bit / 32, (bit + width - 1) / 32);
	else if (width == 1)
		snprintf(buf, size, "dw%zu[%zu]", bit / 32, high);
	else
		snprintf(buf, size, "dw%zu[%zu:%zu]", bit / 32, high, high + 1 - width);
}

/* When the row is present: "op_mod=0x0" or NULL; rules with a shift compare the rest. */
static const char *condition(const struct prm_struct *s, const struct prm_field *f, char *buf,
			     size_t size)
{
	for (const struct prm_rule *r = s->rules; r->field; r++) {
		if (!r->selector || r->member || strcmp(r->field, f->name))
			continue;
		if (r->shift)
			snprintf(buf, size, "%s>>%u=0x%x", r->selector, r->shift, r->value);
		else
			snprintf(buf, size, "%s=0x%x", r->selector, r->value);
		return buf;
	}
	return NULL;
}

static void print_row(const struct request *r, const struct place *at,
		      const struct prm_field *f, const char *when)
{
	const struct dvfw *d = r->dvfw;
	size_t bit = at->bit + f->bit, width = f->width * (f->count ? f->count : 1u);
	char bits[48], count[24] = "";

	format_bits(bits, sizeof(bits), bit, width);
	if (f->array && f->count)
		snprintf(count, sizeof(count), "[%u]", f->count);
	else if (f->array)
		snprintf(count, sizeof(count), "[…]");
	printf("%s0x%03zx  %-14s%s %6u  %s%s%s%s%s%s%s%s%s\n", dvfw_paint(d, DVFW_FAINT),
	       bit / 8, bits, dvfw_paint(d, DVFW_PLAIN), f->width, dvfw_paint(d, DVFW_NAME),
	       at->path, f->name, dvfw_paint(d, DVFW_PLAIN), count, f->type ? "  " : "",
	       f->type ? f->type->name : "", when ? "  if " : "", when ? when : "");
}

static struct json_object *json_row(const struct place *at, const struct prm_field *f,
				    const char *when)
{
	struct json_object *row = json_object_new_object();
	const char *kind = prm_value_kind(at->s, f->name);
	char name[300];

	snprintf(name, sizeof(name), "%s%s", at->path, f->name);
	json_object_object_add(row, "name", json_object_new_string(name));
	json_object_object_add(row, "bit_offset", dvfw_json_number(at->bit + f->bit));
	json_object_object_add(row, "width", dvfw_json_number(f->width));
	if (f->array)
		json_object_object_add(row, "count", dvfw_json_number(f->count));
	if (f->type)
		json_object_object_add(row, "struct", json_object_new_string(f->type->name));
	if (kind)
		json_object_object_add(row, "values", json_object_new_string(kind));
	if (when)
		json_object_object_add(row, "if", json_object_new_string(when));
	return row;
}

static void show(const struct request *r, const struct place *at)
{
	char when[80];

	for (const struct prm_field *f = at->s->fields; f->name; f++) {
		const char *text = condition(at->s, f, when, sizeof(when));

		if (r->rows)
			json_object_array_add(r->rows, json_row(at, f, text));
		else
			print_row(r, at, f, text);
		if (!r->expand || !f->type || at->depth == DEEPEST)
			continue;

		struct place inner = { .s = f->type,
				       .bit = at->bit + f->bit,
				       .depth = at->depth + 1 };
		snprintf(inner.path, sizeof(inner.path), "%.100s%.90s%s.", at->path, f->name,
			 f->array ? "[0]" : "");
		show(r, &inner);
	}
}

static int print_layout(struct request *r)
{
	struct place top = { .s = struct_find(r->name) };
	const struct prm_cmd *cmd = cmd_find(r->name);
	const struct prm_struct *s = NULL;
	struct suggest near;

	if (!top.s && cmd)
		return dvfw_usage(r->dvfw, "%s is a command; its structures are %s and %s",
				  cmd->name, cmd->in->name, cmd->out->name);
	if (!top.s) {
		suggest_begin(&near, r->name);
		while ((s = prm_struct_next(s)))
			suggest_offer(&near, s->name);
		return dvfw_usage(r->dvfw, "there is no structure '%s'%s", r->name,
				  suggest_text(&near));
	}
	if (r->dvfw->json) {
		r->rows = json_object_new_array();
		show(r, &top);
		dvfw_print_json(r->rows);
		return DVFW_OK;
	}
	printf("%s, %u bytes (0x%x)%s\n", top.s->name, top.s->bytes, top.s->bytes,
	       top.s->is_union ? ", a union" : "");
	show(r, &top);
	return DVFW_OK;
}

static const struct option_row options[] = {
	{ "expand", 'x', NULL, "Go into nested structures", offsetof(struct request, expand),
	  NULL },
	{ 0 },
};

static const struct syntax syntax = {
	.options = options,
	.args_doc = "STRUCT",
	.doc = "Prints the fields of a structure: byte offset, place, width in bits, name.",
	.missing = "which structure?",
	.surplus = "one structure at a time",
	.max = 1,
};

int layout_run(struct dvfw *d, int argc, char **argv)
{
	struct request r = { .dvfw = d };

	arguments_parse(&syntax, d, argc, argv, &r, &r.name);
	return print_layout(&r);
}
