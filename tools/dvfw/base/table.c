/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Results as JSON and as tables.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#define WORDS_COLUMNS 60 /* where no further word of an array begins */

void json_set_text(struct json_object *object, const char *key, const char *value)
{
	json_object_object_add(object, key, value ? json_object_new_string(value) : NULL);
}

void json_set_bool(struct json_object *object, const char *key, bool value)
{
	json_object_object_add(object, key, json_object_new_boolean(value));
}

void json_set_double(struct json_object *object, const char *key, double value)
{
	json_object_object_add(object, key, json_object_new_double(value));
}

void json_set_reference(struct json_object *object, const char *key, struct json_object *value)
{
	json_object_object_add(object, key, value);
}

void json_set_number(struct json_object *object, const char *key, unsigned long long value)
{
	json_object_object_add(object, key, dvfw_json_number(value));
}

struct json_object *json_hex(const uint8_t *p, size_t n)
{
	char *text = malloc(2 * n + 1);
	struct json_object *made;

	for (size_t i = 0; text && i < n; i++)
		snprintf(text + 2 * i, 3, "%02x", p[i]);
	made = text ? json_object_new_string_len(text, (int)(2 * n)) : NULL;
	free(text);
	return made;
}

struct json_object *json_get(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(object, key, &value);
	return value;
}

const char *json_text(struct json_object *object, const char *key)
{
	struct json_object *value = json_get(object, key);

	return value ? json_object_get_string(value) : "";
}

static const char *words(struct json_object *array, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < json_object_array_length(array) && used < size; i++) {
		if (used >= WORDS_COLUMNS) {
			snprintf(buf + used, size - used, " ...");
			break;
		}
		used += (size_t)snprintf(
			buf + used, size - used, " %s",
			json_object_get_string(json_object_array_get_idx(array, i)));
	}
	return buf;
}

static void print_value(const char *format, struct json_object *value)
{
	char buf[400];

	switch (json_object_get_type(value)) {
	case json_type_int:
		printf(format, (unsigned long long)json_object_get_uint64(value));
		break;
	case json_type_double:
		printf(format, json_object_get_double(value));
		break;
	case json_type_array:
		printf(format, words(value, buf, sizeof(buf)));
		break;
	default:
		printf(format, value ? json_object_get_string(value) : "");
	}
}

static bool is_nothing(struct json_object *value)
{
	return !value ||
	       (json_object_is_type(value, json_type_int) && !json_object_get_uint64(value));
}

void row_print(const struct dvfw *d, const struct column *columns, struct json_object *row)
{
	for (const struct column *c = columns; c->key; c++) {
		struct json_object *value = json_get(row, c->key);
		enum dvfw_paint paint = c->painted ? c->painted(row) : c->paint;

		if (c->optional && is_nothing(value))
			continue;
		printf("%s%s", c->before, paint ? dvfw_paint(d, paint) : "");
		print_value(c->format, value);
		fputs(paint ? dvfw_paint(d, DVFW_PLAIN) : "", stdout);
	}
	putchar('\n');
}

void row_show(const struct dvfw *d, const struct column *columns, struct json_object *row)
{
	if (d->json) {
		dvfw_print_json(row);
		return;
	}
	row_print(d, columns, row);
	json_object_put(row);
}

void table_begin(struct table *t, const struct dvfw *d, const struct column *columns)
{
	*t = (struct table){ d, columns, d->json ? json_object_new_array() : NULL };
}

void table_add(struct table *t, struct json_object *row)
{
	if (t->rows) {
		json_object_array_add(t->rows, row);
		return;
	}
	row_print(t->d, t->columns, row);
	json_object_put(row);
}

int table_end(struct table *t, int status)
{
	if (t->rows && !status)
		dvfw_print_json(t->rows);
	else
		json_object_put(t->rows);
	return status;
}
