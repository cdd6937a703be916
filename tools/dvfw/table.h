/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Results: made once, as JSON; printed as that, or as a table by a list of columns.
 *
 *	row = json_object_new_object();
 *	json_set(row, "opcode", cmd->opcode);          { "opcode": 1280, "name": "CREATE_QP" }
 *	json_set(row, "name", cmd->name);              0x500  CREATE_QP
 *	table_add(&table, row);
 */
#ifndef DVFW_TABLE_H
#define DVFW_TABLE_H

#include "dvfw.h"

/* Sets a member of an object: text (NULL: null), a number, a truth value, or JSON, of which it takes the
 * reference. */
#define json_set(object, key, value) \
	_Generic((value),                                 \
		char *: json_set_text,                    \
		const char *: json_set_text,              \
		bool: json_set_bool,                      \
		double: json_set_double,                  \
		struct json_object *: json_set_reference, \
		default: json_set_number)(object, key, value)
void json_set_text(struct json_object *object, const char *key, const char *value);
void json_set_bool(struct json_object *object, const char *key, bool value);
void json_set_double(struct json_object *object, const char *key, double value);
void json_set_reference(struct json_object *object, const char *key, struct json_object *value);
void json_set_number(struct json_object *object, const char *key, unsigned long long value);

/* A member of a row: NULL where it is missing or null. */
struct json_object *json_get(struct json_object *object, const char *key);
/* Its text; "" where there is none. It is the row's. */
const char *json_text(struct json_object *object, const char *key);

/* A column of a table: what is printed of a member, in the order of COLUMN(). A list of them ends with a row
 * without a key. */
struct column {
	const char *before; /* in no colour */
	const char *key;
	/* Of the value: %s for text, truth values and the words of an array; %llu or %llx; %f. */
	const char *format;
	enum dvfw_paint paint;
	enum dvfw_paint (*painted)(struct json_object *row); /* in place of paint */
	bool optional; /* nothing is printed if the value is missing or null; else it is "" */
};
#define COLUMN(text, member, form, ...)                                    \
	{                                                                  \
		.before = text, .key = member, .format = form, __VA_ARGS__ \
	}

/* Prints a row as a line. */
void row_print(const struct dvfw *d, const struct column *columns, struct json_object *row);

struct table {
	const struct dvfw *d;
	const struct column *columns;
	struct json_object *rows; /* --json; else they are printed as they come */
};

void table_begin(struct table *t, const struct dvfw *d, const struct column *columns);
/* Takes the reference. */
void table_add(struct table *t, struct json_object *row);
/* Prints the rows as JSON, if they are not printed, unless @status says that the table is not whole.
 * Returns @status. */
int table_end(struct table *t, int status);

#endif
