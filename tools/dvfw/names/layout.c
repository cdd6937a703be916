/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvfw layout: the rows of a structure, as the PRM prints them, with what each field is for.
 *
 *	byte   dword[bits]   width  name    text (unit); values: KIND
 *	0x018  dw6[23:0]        24  qpc.pd  Protection domain …
 *
 * On a narrow terminal the text is below the name; --brief leaves it out. --expand goes into
 * nested structures, elements 0 of arrays standing for all. A field after the structure: all
 * that is known of it.
 */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "describe.h"
#include "names/names.h"
#include "text.h"

#define DEEPEST	    8
#define NAME_COLUMN 30 /* where names begin */
#define TEXT_COLUMN 62 /* where texts begin, on a terminal of WIDE columns, and in files */
#define WIDE	    120
#define TEXT_BELOW  9 /* and in a line of a narrow one */
#define TEXT_BYTES  400

struct request {
	struct dvfw *dvfw;
	char *word[2]; /* structure, field */
	struct layout_options o;
};

/* The items to print, and the format. */
struct listing {
	const struct dvfw *d;
	const struct layout_options *o;
	struct json_object *rows; /* NULL: print lines */
};

/* A structure somewhere inside the one that was asked for. */
struct place {
	const struct prm_struct *s;
	size_t bit;
	char path[200];
	int depth;
};

void layout_bits(char *buf, size_t size, size_t bit, size_t width)
{
	size_t high = 31 - bit % 32;

	if (bit % 32 + width > 32)
		snprintf(buf, size, "dw%zu..dw%zu", bit / 32, (bit + width - 1) / 32);
	else if (width == 1)
		snprintf(buf, size, "dw%zu[%zu]", bit / 32, high);
	else
		snprintf(buf, size, "dw%zu[%zu:%zu]", bit / 32, high, high + 1 - width);
}

/* When the row is present: "op_mod=0x0", "opcode=0x0|0xd" or NULL; rules with a shift compare
 * the rest. */
static const char *condition(const struct prm_struct *s, const struct prm_field *f, char *buf,
			     size_t size)
{
	const struct prm_rule *first = NULL;
	size_t used = 0;

	for (const struct prm_rule *r = s->rules; r->field; r++) {
		if (!r->selector || r->member || strcmp(r->field, f->name))
			continue;
		if (first && (strcmp(r->selector, first->selector) || used >= size))
			break;
		if (first)
			used += (size_t)snprintf(buf + used, size - used, "|0x%x", r->value);
		else if (r->shift)
			used = (size_t)snprintf(buf, size, "%s>>%u=0x%x", r->selector, r->shift,
						r->value);
		else
			used = (size_t)snprintf(buf, size, "%s=0x%x", r->selector, r->value);
		first = r;
	}
	return first ? buf : NULL;
}

/* The text of a row: after the name, or on a line below it. @used: columns so far. */
static void print_text(const struct place *at, const struct prm_field *f, size_t used)
{
	char buf[TEXT_BYTES];
	const char *text = describe_field(at->s, f, buf, sizeof(buf));
	size_t width = describe_width(), column = TEXT_COLUMN;

	if (!*text) {
		putchar('\n');
		return;
	}
	if (width && width < WIDE) {
		column = TEXT_BELOW;
		printf("\n%*s", (int)column, "");
	} else if (used + 2 > column) {
		printf("  ");
	} else {
		printf("%*s", (int)(column - used), "");
	}
	describe_text(text, column);
}

static void print_row(const struct listing *t, const struct place *at,
		      const struct prm_field *f, const char *when)
{
	size_t bit = at->bit + f->bit, width = f->width * (f->count ? f->count : 1u);
	char bits[48], count[24] = "", rest[160];

	layout_bits(bits, sizeof(bits), bit, width);
	if (f->array && f->count)
		snprintf(count, sizeof(count), "[%u]", f->count);
	else if (f->array)
		snprintf(count, sizeof(count), "[...]");
	snprintf(rest, sizeof(rest), "%s%s%s%s%s", count, f->type ? "  " : "",
		 f->type ? f->type->name : "", when ? "  if " : "", when ? when : "");
	printf("%s0x%03zx  %-14s%s %6u  %s%s%s%s%s", dvfw_paint(t->d, DVFW_FAINT), bit / 8,
	       bits, dvfw_paint(t->d, DVFW_PLAIN), f->width, dvfw_paint(t->d, DVFW_NAME),
	       at->path, f->name, dvfw_paint(t->d, DVFW_PLAIN), rest);
	if (t->o->brief)
		putchar('\n');
	else
		print_text(at, f,
			   NAME_COLUMN + strlen(at->path) + strlen(f->name) + strlen(rest));
}

static void add_text(struct json_object *to, const char *key, const char *text)
{
	if (text)
		json_set(to, key, text);
}

static struct json_object *json_row(const struct place *at, const struct prm_field *f,
				    const char *when)
{
	struct json_object *row = json_object_new_object();
	enum word_form form;
	const char *kind = word_kind(at->s, f, &form);
	char name[300];

	snprintf(name, sizeof(name), "%s%s", at->path, f->name);
	add_text(row, "name", name);
	json_set(row, "bit_offset", at->bit + f->bit);
	json_set(row, "width", f->width);
	if (f->array)
		json_set(row, "count", f->count);
	add_text(row, "struct", f->type ? f->type->name : NULL);
	add_text(row, "text", text_of_field(at->s, f->name));
	add_text(row, "unit", f->type || f->bytes ? NULL : prm_unit(at->s, f->name));
	add_text(row, "kind", kind);
	if (kind)
		json_set(row, "values", kind_json(kind));
	add_text(row, "if", when);
	return row;
}

static void show(const struct listing *t, const struct place *at)
{
	char when[80];

	for (const struct prm_field *f = at->s->fields; f->name; f++) {
		const char *text = condition(at->s, f, when, sizeof(when));

		if (t->rows)
			json_object_array_add(t->rows, json_row(at, f, text));
		else
			print_row(t, at, f, text);
		if (!t->o->expand || !f->type || at->depth == DEEPEST)
			continue;

		struct place inner = { .s = f->type,
				       .bit = at->bit + f->bit,
				       .depth = at->depth + 1 };
		snprintf(inner.path, sizeof(inner.path), "%.100s%.90s%s.", at->path, f->name,
			 f->array ? "[0]" : "");
		show(t, &inner);
	}
}

void layout_print(const struct dvfw *d, const struct prm_struct *s,
		  const struct layout_options *o)
{
	struct listing t = { .d = d, .o = o, .rows = d->json ? json_object_new_array() : NULL };
	struct place top = { .s = s };
	const char *text = o->brief ? NULL : text_of_struct(s);

	if (t.rows) {
		show(&t, &top);
		dvfw_print_json(t.rows);
		return;
	}
	printf("%s, %u bytes (0x%x)%s\n", s->name, s->bytes, s->bytes,
	       s->is_union ? ", a union" : "");
	if (text)
		describe_text(text, 0);
	show(&t, &top);
}

int layout_field(struct dvfw *d, const struct prm_struct *s, const char *field)
{
	char path[256], full[400], why[WHY_BYTES];
	struct prm_pos pos;

	if (!encode_path(s, NULL, field, path, sizeof(path), why) || !prm_find(s, path, &pos))
		return dvfw_usage(d, "%s", why);
	if (d->json) {
		struct place at = { .s = pos.owner, .bit = pos.bit - pos.field->bit };

		dvfw_print_json(json_row(&at, pos.field, NULL));
		return DVFW_OK;
	}
	snprintf(full, sizeof(full), "%s.%s", s->name, path);
	describe_field_in_full(d, &pos, full);
	return DVFW_OK;
}

/* There is no structure of that name: what it is, or what it might be. */
static int refuse(struct dvfw *d, const char *name)
{
	const struct prm_cmd *cmd = cmd_find(name);
	const char *kind = kind_find(name);
	const struct prm_struct *s = NULL;
	struct near near;

	if (cmd)
		return dvfw_usage(d, "%s is a command; its structures are %s and %s", cmd->name,
				  cmd->in->name, cmd->out->name);
	if (kind)
		return dvfw_usage(d, "%s is a kind of values: dvfw list values %s", kind, kind);
	near_begin(&near, name);
	while ((s = prm_struct_next(s)))
		near_offer(&near, s->name);
	return dvfw_usage(d, "there is no structure '%s'%s", name, near_text(&near));
}

/* "qpc", "qpc state" and "qpc.state" */
static int run(struct request *r, int words)
{
	char *dot = words == 1 ? strchr(r->word[0], '.') : NULL;
	const char *field = words == 2 ? r->word[1] : NULL;
	const struct prm_struct *s;

	if (dot) {
		*dot = '\0';
		field = dot + 1;
	}
	s = struct_find(r->word[0]);
	if (!s)
		return refuse(r->dvfw, r->word[0]);
	if (field)
		return layout_field(r->dvfw, s, field);
	layout_print(r->dvfw, s, &r->o);
	return DVFW_OK;
}

static const struct option_row options[] = {
	{ "expand", 'x', NULL, "Go into nested structures", offsetof(struct request, o.expand),
	  NULL },
	{ "brief", 'b', NULL, "Without texts", offsetof(struct request, o.brief), NULL },
	{ 0 },
};

static const struct syntax syntax = {
	.options = options,
	.args_doc = "STRUCT [FIELD]",
	.doc = "Prints the fields of a structure: byte offset, place, width in bits, name, text. With "
	       "FIELD everything about one field.",
	.missing = "which structure?",
	.surplus = "one structure, or one field of it, at a time",
	.max = 2,
};

int layout_run(struct dvfw *d, int argc, char **argv)
{
	struct request r = { .dvfw = d };

	return run(&r, arguments_parse(&syntax, d, argc, argv, &r, r.word));
}
