/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The printer.
 *
 *	qpc.st = 0x0 (RC)
 *	qpc.pas[2] = {0x1000, 0x2000}
 *	unknown: dw3[27]=1
 *
 * The walk selects the member of a union (prm/walk.h). Bits are unknown if no field that
 * the walk visits covers them: a bit of a member that is not present is unknown too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "box/box.h"
#include "names/names.h"
#include "prm/prm.h"
#include "prm/walk.h"

#define WORDS_BYTES 512

static void begin(struct prm_walk *w, const struct shown *m)
{
	if (m->in && m->cmd && m->cmd->out == m->s)
		prm_walk_begin_out(w, m->cmd, m->in, m->in_len, m->p, m->len);
	else
		prm_walk_begin(w, m->s, m->p, m->len);
}

static bool in_bytes(const struct prm_item *it)
{
	return !it->field || it->field->bytes;
}

static bool is_zero(const uint8_t *p, const struct prm_item *it)
{
	for (size_t i = 0; i < it->count; i++)
		if (prm_load(p, it->bit + i * it->width, it->width))
			return false;
	return true;
}

static bool is_number(const struct prm_item *it)
{
	return it->field && !it->field->bytes && !it->field->array;
}

static const char *word_at(const uint8_t *p, const struct prm_item *it, char *buf, size_t size)
{
	return word_of(it->owner, it->field, prm_load(p, it->bit, it->width), buf, size);
}

/* Zeros say nothing, unless 0 has a name. A status of 0 is what was expected. */
static bool is_shown(const struct show_options *o, const uint8_t *p, const struct prm_item *it)
{
	char word[WORDS_BYTES];

	if (o->all || !is_zero(p, it))
		return true;
	return is_number(it) && strcmp(it->field->name, "status") &&
	       word_at(p, it, word, sizeof(word));
}

/* "0x010 dw4[23:0]" in front of a field. */
static void print_offset(const struct dvfw *d, const struct prm_item *it)
{
	size_t high = 31 - it->bit % 32;
	char bits[32];

	if (it->width > 32 || it->count > 1)
		snprintf(bits, sizeof(bits), "dw%zu", it->bit / 32);
	else if (it->width == 1)
		snprintf(bits, sizeof(bits), "dw%zu[%zu]", it->bit / 32, high);
	else
		snprintf(bits, sizeof(bits), "dw%zu[%zu:%zu]", it->bit / 32, high,
			 high + 1 - it->width);
	printf("%s0x%03zx %-14s%s ", dvfw_paint(d, DVFW_FAINT), it->bit / 8, bits,
	       dvfw_paint(d, DVFW_PLAIN));
}

static void print_value(const struct dvfw *d, const uint8_t *p, const struct prm_item *it)
{
	uint64_t v = prm_load(p, it->bit, it->width);
	char buf[WORDS_BYTES];
	const char *word = word_at(p, it, buf, sizeof(buf));
	const char *unit = prm_unit(it->owner, it->field->name);

	printf("0x%llx", (unsigned long long)v);
	if (word)
		printf(" %s%s%s", dvfw_paint(d, DVFW_WORD), word, dvfw_paint(d, DVFW_PLAIN));
	else if (unit)
		printf(" %s(%s)%s", dvfw_paint(d, DVFW_FAINT), unit, dvfw_paint(d, DVFW_PLAIN));
}

static void print_item(const struct dvfw *d, const uint8_t *p, const struct prm_item *it,
		       const struct show_options *o)
{
	if (o->offsets)
		print_offset(d, it);
	printf("%s%s%s", dvfw_paint(d, DVFW_NAME), it->path, dvfw_paint(d, DVFW_PLAIN));
	if (in_bytes(it)) {
		printf(" = 0x");
		for (size_t i = 0; i < it->count; i++)
			printf("%02x", p[it->bit / 8 + i]);
	} else if (it->field->array) {
		printf("[%zu] = {", it->count);
		for (size_t i = 0; i < it->count; i++)
			printf("%s0x%llx", i ? ", " : "",
			       (unsigned long long)prm_load(p, it->bit + i * it->width,
							    it->width));
		putchar('}');
	} else {
		printf(" = ");
		print_value(d, p, it);
	}
	putchar('\n');
}

bool message_unknown(const struct shown *m, uint8_t *left)
{
	struct prm_item it;
	struct prm_walk w;
	bool any = false;

	memcpy(left, m->p, m->len);
	begin(&w, m);
	while (prm_walk_next(&w, &it))
		for (size_t b = it.bit; b < it.bit + it.width * it.count; b++)
			if (b / 8 < m->len)
				left[b / 8] &= (uint8_t) ~(0x80 >> b % 8);
	for (size_t i = 0; i < m->len; i++)
		any |= left[i] != 0;
	return any;
}

void hex_print(const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (i % 16 == 0)
			printf("%s%04zx:", i ? "\n" : "", i);
		printf("%s%02x", i % 4 ? "" : " ", p[i]);
	}
	putchar('\n');
}

static void print_unknown(const struct dvfw *d, const struct shown *m)
{
	uint8_t *left = malloc(m->len + 1);

	if (left && message_unknown(m, left))
		for (size_t bit = 0; bit < m->len * 8; bit++)
			if (left[bit / 8] & 0x80 >> bit % 8)
				printf("%sunknown: dw%zu[%zu]=1%s\n", dvfw_paint(d, DVFW_WARN),
				       bit / 32, 31 - bit % 32, dvfw_paint(d, DVFW_PLAIN));
	free(left);
}

void message_print(const struct dvfw *d, const struct shown *m, const struct show_options *o)
{
	struct prm_item it;
	struct prm_walk w;

	if (o->hex) {
		hex_print(m->p, m->len);
		return;
	}
	begin(&w, m);
	while (prm_walk_next(&w, &it))
		if (is_shown(o, m->p, &it))
			print_item(d, m->p, &it, o);
	print_unknown(d, m);
}

static struct json_object *json_value(const uint8_t *p, const struct prm_item *it)
{
	struct json_object *list;

	if (in_bytes(it))
		return json_hex(p + it->bit / 8, it->count);
	if (!it->field->array)
		return dvfw_json_number(prm_load(p, it->bit, it->width));
	list = json_object_new_array();
	for (size_t i = 0; i < it->count; i++)
		json_object_array_add(list, dvfw_json_number(prm_load(
						    p, it->bit + i * it->width, it->width)));
	return list;
}

static struct json_object *json_item(const uint8_t *p, const struct prm_item *it)
{
	struct json_object *o = json_object_new_object();
	char buf[WORDS_BYTES];
	const char *word = NULL;

	json_set(o, "name", it->path);
	json_set(o, "bit_offset", it->bit);
	json_set(o, "width", it->width);
	json_set(o, "value", json_value(p, it));
	if (is_number(it))
		word = word_at(p, it, buf, sizeof(buf));
	if (word)
		json_set(o, "word", word);
	return o;
}

static struct json_object *json_unknown(const struct shown *m)
{
	struct json_object *list = json_object_new_array();
	uint8_t *left = malloc(m->len + 1);

	bool any = left && message_unknown(m, left);

	for (size_t bit = 0; any && bit < m->len * 8; bit++)
		if (left[bit / 8] & 0x80 >> bit % 8) {
			struct json_object *one = json_object_new_object();

			json_set(one, "dword", bit / 32);
			json_set(one, "bit", 31 - bit % 32);
			json_object_array_add(list, one);
		}
	free(left);
	return list;
}

struct json_object *message_json(const struct shown *m, const struct show_options *o)
{
	struct json_object *top = json_object_new_object(), *list = json_object_new_array();
	struct prm_item it;
	struct prm_walk w;

	json_set(top, "struct", m->s->name);
	json_set(top, "bytes", m->len);
	json_set(top, "hex", json_hex(m->p, m->len));
	begin(&w, m);
	while (prm_walk_next(&w, &it))
		if (is_shown(o, m->p, &it))
			json_object_array_add(list, json_item(m->p, &it));
	json_set(top, "fields", list);
	json_set(top, "unknown", json_unknown(m));
	return top;
}
