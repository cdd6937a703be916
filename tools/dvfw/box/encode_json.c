/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts the output of decode --json back to bytes. The fields count, not "hex": a value that
 * was edited is in the bytes. Fields that are left out are zero.
 *
 *	{ "struct": "alloc_pd_in", "bytes": 16, "fields": [ { "name": "opcode", "value": 2048 } ],
 *	  "unknown": [ { "dword": 3, "bit": 27 } ] }
 */
#include <stdio.h>
#include <string.h>

#include "box/box.h"
#include "names/names.h"
#include "prm/prm.h"

static bool refuse(char why[WHY_BYTES], const char *name, const char *what)
{
	snprintf(why, WHY_BYTES, "'%.128s': %.160s", name, what);
	return false;
}

/* A number, or the name of one. */
static bool take_number(struct box *b, const char *name, const struct prm_pos *pos,
			size_t index, struct json_object *v, char why[WHY_BYTES])
{
	size_t bit = pos->bit + index * pos->field->width;
	char reason[WHY_BYTES];
	uint64_t value;

	if (bit + pos->field->width > b->len * 8)
		return refuse(why, name, "it is beyond \"bytes\"");
	if (!json_object_is_type(v, json_type_int) && !json_object_is_type(v, json_type_string))
		return refuse(why, name, "the value is neither a number nor a name");
	if (!encode_number(pos->owner, pos->field, json_object_get_string(v), &value, reason))
		return refuse(why, name, reason);
	prm_store(b->bytes, bit, pos->field->width, value);
	return true;
}

/* @most: of the field; 0: up to the end. */
static bool take_bytes(struct box *b, const char *name, size_t at, size_t most,
		       struct json_object *v, char why[WHY_BYTES])
{
	static uint8_t bytes[BOX_BYTES];
	size_t n = 0;

	if (!json_object_is_type(v, json_type_string) ||
	    !parse_bytes(json_object_get_string(v), bytes, sizeof(bytes), &n))
		return refuse(why, name, "the value is not bytes in hex");
	if (most && n > most)
		return refuse(why, name, "the value has more bytes than the field");
	if (at + n > b->len)
		return refuse(why, name, "it is beyond \"bytes\"");
	memcpy(b->bytes + at, bytes, n);
	return true;
}

static bool take_field(struct box *b, struct json_object *one, char why[WHY_BYTES])
{
	const char *name = json_object_get_string(json_object_object_get(one, "name"));
	struct json_object *v = json_object_object_get(one, "value");
	struct prm_pos pos;

	if (!name || !v) {
		snprintf(why, WHY_BYTES, "a field has no \"name\" or no \"value\"");
		return false;
	}
	if (b->s->is_union && !*name) /* no rule says which member it is */
		return take_bytes(b, name, 0, 0, v, why);
	if (!prm_find(b->s, name, &pos))
		return refuse(why, name, "the structure has no such field");
	if (pos.field->type || pos.field->bytes)
		return take_bytes(b, name, pos.bit / 8,
				  pos.field->type ? pos.field->type->bytes : pos.field->count,
				  v, why);
	if (!json_object_is_type(v, json_type_array))
		return take_number(b, name, &pos, 0, v, why);
	for (size_t i = 0; i < json_object_array_length(v); i++) {
		if (!pos.field->array || (pos.field->count && i >= pos.field->count))
			return refuse(why, name, "too many elements");
		if (!take_number(b, name, &pos, i, json_object_array_get_idx(v, i), why))
			return false;
	}
	return true;
}

static bool take_unknown(struct box *b, struct json_object *one, char why[WHY_BYTES])
{
	int64_t dword = json_object_get_int64(json_object_object_get(one, "dword"));
	int64_t bit = json_object_get_int64(json_object_object_get(one, "bit"));
	int64_t byte = dword * 4 + 3 - bit / 8;

	if (dword < 0 || bit < 0 || bit > 31 || dword > BOX_BYTES || (size_t)byte >= b->len) {
		snprintf(why, WHY_BYTES, "\"unknown\": there is no such bit within \"bytes\"");
		return false;
	}
	b->bytes[byte] |= (uint8_t)(1 << bit % 8);
	return true;
}

static bool take_list(struct box *b, struct json_object *list, char why[WHY_BYTES],
		      bool (*take)(struct box *, struct json_object *, char *))
{
	if (list && !json_object_is_type(list, json_type_array)) {
		snprintf(why, WHY_BYTES, "\"fields\" and \"unknown\" are lists");
		return false;
	}
	for (size_t i = 0; list && i < json_object_array_length(list); i++) {
		struct json_object *one = json_object_array_get_idx(list, i);

		if (!json_object_is_type(one, json_type_object)) {
			snprintf(why, WHY_BYTES, "an element of the lists is not an object");
			return false;
		}
		if (!take(b, one, why))
			return false;
	}
	return true;
}

bool encode_json(struct box *b, struct json_object *o, char why[WHY_BYTES])
{
	struct json_object *bytes = json_object_object_get(o, "bytes");
	const char *name = json_object_get_string(json_object_object_get(o, "struct"));
	const struct prm_struct *s = name ? struct_find(name) : NULL;

	if (!s) {
		snprintf(why, WHY_BYTES,
			 "\"struct\" does not name a structure: decode --json "
			 "prints what is read here");
		return false;
	}
	box_begin(b, s, NULL);
	if (bytes &&
	    (json_object_get_int64(bytes) < 0 || json_object_get_int64(bytes) > BOX_BYTES)) {
		snprintf(why, WHY_BYTES, "\"bytes\" is a number up to %u", BOX_BYTES);
		return false;
	}
	b->len = bytes ? (size_t)json_object_get_int64(bytes) : s->bytes;
	return take_list(b, json_object_object_get(o, "fields"), why, take_field) &&
	       take_list(b, json_object_object_get(o, "unknown"), why, take_unknown);
}
