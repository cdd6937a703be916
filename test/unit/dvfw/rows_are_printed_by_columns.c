/* SPDX-License-Identifier: BSD-2-Clause */
/* A result is made once: --json prints it, a list of columns makes a line of it. */
#include <criterion/criterion.h>

#include "base/base.h"
#include "lib/capture.h"

static enum dvfw_paint by_level(struct json_object *row)
{
	return *json_text(row, "level") == 'f' ? DVFW_BAD : DVFW_GOOD;
}

static const struct column columns[] = {
	COLUMN("", "level", "%-4s", .painted = by_level),
	COLUMN("  ", "id", "0x%03llx", .paint = DVFW_FAINT),
	COLUMN(" ", "rate", "%4.1f"),
	COLUMN(" ", "text", "%-5s"),
	COLUMN("\n -> ", "todo", "%s", .optional = true),
	COLUMN(" |", "words", "%s", .optional = true),
	COLUMN(", tag ", "tag", "0x%llx", .optional = true),
	{ 0 },
};

static struct json_object *row(void)
{
	struct json_object *o = json_object_new_object();

	json_set(o, "level", "fail");
	json_set(o, "id", 0xffffffffffffffffull);
	json_set(o, "rate", 0.25);
	json_set(o, "todo", (const char *)NULL);
	json_set(o, "tag", 0u);
	return o;
}

static void prints(struct dvfw *d, struct json_object *o, const char *line)
{
	struct table t;
	struct capture c;
	char text[1000];

	table_begin(&t, d, columns);
	capture_begin(&c, stdout);
	table_add(&t, o);
	cr_expect_eq(table_end(&t, DVFW_OK), DVFW_OK);
	capture_end(&c, text, sizeof(text));
	cr_expect_str_eq(text, line);
}

/* 2^64 - 1 is no signed number; a text that is missing has its width, what is optional and null
 * or 0 nothing. */
Test(table, line)
{
	struct dvfw d = { 0 };

	prints(&d, row(), "fail  0xffffffffffffffff  0.2      \n");
}

Test(table, optional_columns)
{
	struct dvfw d = { 0 };
	struct json_object *o = row();

	json_set(o, "text", "a");
	json_set(o, "todo", "wait");
	json_set(o, "tag", 7u);
	prints(&d, o, "fail  0xffffffffffffffff  0.2 a    \n -> wait, tag 0x7\n");
}

Test(table, colours)
{
	struct dvfw d = { .color = true };

	prints(&d, row(),
	       "\033[1;31mfail\033[0m  \033[2m0xffffffffffffffff\033[0m  0.2      \n");
}

/* Words end where one begins beyond column 60. */
Test(table, words)
{
	struct json_object *o = row(), *words = json_object_new_array();
	struct dvfw d = { 0 };

	for (int i = 0; i < 9; i++)
		json_object_array_add(words, json_object_new_string("nine char"));
	json_set(o, "words", words);
	prints(&d, o,
	       "fail  0xffffffffffffffff  0.2       | nine char nine char nine char nine char"
	       " nine char nine char ...\n");
	o = row();
	json_set(o, "text", json_object_new_array());
	prints(&d, o, "fail  0xffffffffffffffff  0.2      \n");
}

Test(table, json)
{
	struct dvfw d = { .json = true };
	struct json_object *o = json_object_new_object();

	json_set(o, "yes", (bool)true);
	json_set(o, "number", 7u);
	json_set(o, "none", (const char *)NULL);
	prints(&d, o,
	       "[\n  {\n    \"yes\": true,\n    \"number\": 7,\n    \"none\": null\n  }\n]\n");
}

/* A single result is printed without a list. */
Test(table, single_row)
{
	struct dvfw d = { 0 };
	struct capture c;
	char text[400];

	capture_begin(&c, stdout);
	row_show(&d, columns, row());
	d.json = true;
	row_show(&d, columns, row());
	capture_end(&c, text, sizeof(text));
	cr_expect_str_eq(text, "fail  0xffffffffffffffff  0.2      \n"
			       "{\n  \"level\": \"fail\",\n  \"id\": 18446744073709551615,\n"
			       "  \"rate\": 0.25,\n  \"todo\": null,\n  \"tag\": 0\n}\n");
}

Test(table, bytes_are_hex)
{
	struct json_object *o = json_hex((const uint8_t[]){ 0x00, 0xa5, 0xff }, 3);

	cr_expect_str_eq(json_object_get_string(o), "00a5ff");
	json_object_put(o);
}

/* A refusal is no half of a table. */
Test(table, refused)
{
	struct dvfw d = { .json = true };
	struct table t;
	struct capture c;
	char text[100];

	table_begin(&t, &d, columns);
	table_add(&t, row());
	capture_begin(&c, stdout);
	cr_expect_eq(table_end(&t, DVFW_REFUSED), DVFW_REFUSED);
	capture_end(&c, text, sizeof(text));
	cr_expect_str_empty(text);
}
