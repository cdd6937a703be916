/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walk of prm, with the halves of counters joined.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "box/box.h"
#include "names/names.h"
#include "prm/prm.h"

void reading_begin(struct reading *r, const struct shown *m)
{
	r->p = m->p;
	if (m->cmd)
		prm_walk_begin_out(&r->walk, m->cmd, m->in, m->in_len, m->p, m->len);
	else
		prm_walk_begin(&r->walk, m->s, m->p, m->len);
}

/* Does the field end in _high, and the next one is its other half? */
static bool is_half(const struct prm_item *it)
{
	const struct prm_field *low = it->field + 1;
	size_t n = strlen(it->field->name);

	return n > 5 && it->width == 32 && !strcmp(it->field->name + n - 5, "_high") &&
	       low->name && low->width == 32 && !strncmp(low->name, it->field->name, n - 4) &&
	       !strcmp(low->name + n - 4, "low");
}

static void join(struct reading *r, struct reading_value *v)
{
	const char *last = strrchr(v->name, '.');
	struct prm_item low;

	if (last)
		memmove(v->name, last + 1, strlen(last));
	v->name[strlen(v->name) - strlen("_high")] = '\0';
	v->bits = 64;
	v->is_counter = true;
	if (prm_walk_next(&r->walk, &low))
		v->number = v->number << 32 | prm_load(r->p, low.bit, low.width);
}

bool reading_next(struct reading *r, struct reading_value *v)
{
	struct prm_item it;

	if (!prm_walk_next(&r->walk, &it))
		return false;
	memset(v, 0, sizeof(*v));
	snprintf(v->name, sizeof(v->name), "%s", it.path);
	v->bits = (unsigned int)it.width;
	if (!it.field || it.field->bytes || it.field->array) {
		v->bytes = r->p + it.bit / 8;
		v->count = it.count * it.width / 8;
		return true;
	}
	v->number = prm_load(r->p, it.bit, it.width);
	if (is_half(&it))
		join(r, v);
	else
		v->word = word_of(it.owner, it.field, v->number, v->text, sizeof(v->text));
	return true;
}

bool reading_says(const struct reading_value *v)
{
	if (!v->bytes)
		return v->number || v->word;
	for (size_t i = 0; i < v->count; i++)
		if (v->bytes[i])
			return true;
	return false;
}

void reading_print(const struct dvfw *d, const struct reading_value *v)
{
	printf("%s%s%s = ", dvfw_paint(d, DVFW_NAME), v->name, dvfw_paint(d, DVFW_PLAIN));
	if (v->bytes)
		printf("0x");
	for (size_t i = 0; v->bytes && i < v->count; i++)
		printf("%02x", v->bytes[i]);
	if (v->is_counter)
		printf("%" PRIu64, v->number);
	else if (!v->bytes)
		printf("0x%" PRIx64, v->number);
	if (v->word)
		printf(" %s%s%s", dvfw_paint(d, DVFW_WORD), v->word, dvfw_paint(d, DVFW_PLAIN));
}

void reading_print_all(const struct dvfw *d, const struct shown *m, bool all)
{
	static struct reading_value v;
	unsigned int zeros = 0;
	struct reading r;

	reading_begin(&r, m);
	while (reading_next(&r, &v)) {
		if (!all && !reading_says(&v)) {
			zeros++;
			continue;
		}
		reading_print(d, &v);
		putchar('\n');
	}
	if (zeros)
		printf("%s%u %s zero: --all shows %s%s\n", dvfw_paint(d, DVFW_FAINT), zeros,
		       zeros == 1 ? "more field is" : "more fields are",
		       zeros == 1 ? "it" : "them", dvfw_paint(d, DVFW_PLAIN));
}

static struct json_object *json_value(const struct reading_value *v)
{
	struct json_object *list;

	if (!v->bytes)
		return dvfw_json_number(v->number);
	list = json_object_new_array();
	for (size_t i = 0; i < v->count; i++)
		json_object_array_add(list, json_object_new_int(v->bytes[i]));
	return list;
}

struct json_object *reading_json(const struct shown *m)
{
	static struct reading_value v;
	struct json_object *all = json_object_new_object();
	struct reading r;

	reading_begin(&r, m);
	while (reading_next(&r, &v))
		json_set(all, v.name, json_value(&v));
	return all;
}
