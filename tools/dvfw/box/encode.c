/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Setting fields by name. Which field is meant is path_find.c's affair, which number or bytes
 * value.c's; here they are written to the box, which grows with a trailing array.
 *
 *	klm[1].mkey=0x1234
 *	|          '- after the declared bytes: the box is now as long as klm[0] and klm[1]
 *	'- a tail
 */
#include <stdio.h>
#include <string.h>

#include "box/box.h"
#include "names/names.h"
#include "prm/prm.h"

void box_begin(struct box *b, const struct prm_struct *s, const struct prm_cmd *cmd)
{
	memset(b, 0, sizeof(*b));
	b->s = s;
	b->len = s->bytes;
	if (cmd && cmd->in == s)
		prm_set(s, b->bytes, b->len, "opcode", cmd->opcode);
}

/* How long the box has to be for @path: a structure of a tail counts as a whole, @count is
 * the number of elements written. */
static size_t needed(const struct prm_struct *s, const char *path, size_t count)
{
	char part[256];
	size_t bytes = 0;
	bool tail = false;

	for (const char *dot = path; dot; dot = *dot ? dot + 1 : NULL) {
		struct prm_pos pos;

		dot += strcspn(dot, ".");
		snprintf(part, sizeof(part), "%.*s", (int)(dot - path), path);
		if (!prm_find(s, part, &pos))
			break;

		const struct prm_field *f = pos.field;
		size_t end = (pos.bit + f->width * (f->type ? 1 : count) + 7) / 8;
		tail |= !f->count;
		if (f->type)
			end = f->type->is_union ? 0 : pos.bit / 8 + f->type->bytes;
		if ((tail || !*dot) && end > bytes)
			bytes = end;
	}
	return bytes;
}

static bool extend(struct box *b, const char *path, size_t count, char why[WHY_BYTES])
{
	size_t bytes = needed(b->s, path, count);

	if (bytes > sizeof(b->bytes)) {
		snprintf(why, WHY_BYTES, "'%.128s' is beyond %zu bytes", path,
			 sizeof(b->bytes));
		return false;
	}
	/* Mailboxes are made of dwords. */
	if (bytes > b->len)
		b->len = (bytes + 3) & ~(size_t)3;
	return true;
}

/* Text as bytes, at a field of bytes or a whole structure. */
static bool set_bytes(struct box *b, const char *path, const struct prm_pos *pos,
		      const char *text, char why[WHY_BYTES])
{
	static uint8_t bytes[BOX_BYTES];
	const struct prm_field *f = pos->field;
	size_t size = f->type ? f->type->bytes : f->count, n = f->count || f->type ? size : 0;

	if (!parse_bytes(text, bytes, sizeof(bytes), &n)) {
		snprintf(why, WHY_BYTES,
			 "'%.128s' takes %zu bytes, as hex%s; '%.60s' is something else", path,
			 size,
			 size == 16  ? " or an IP address"
			 : size == 6 ? " or a MAC"
				     : "",
			 text);
		return false;
	}
	if (f->count && n != size) {
		snprintf(why, WHY_BYTES, "'%.128s' has %zu bytes, the value %zu", path, size,
			 n);
		return false;
	}
	if (!extend(b, path, f->type ? 1 : n, why))
		return false;
	if (pos->bit / 8 + n > b->len) {
		snprintf(why, WHY_BYTES, "'%.128s' is beyond the box", path);
		return false;
	}
	memcpy(b->bytes + pos->bit / 8, bytes, n);
	return true;
}

/* One number at @path. */
static bool set_number(struct box *b, const char *path, const char *text, char why[WHY_BYTES])
{
	struct prm_pos pos;
	uint64_t value;
	char reason[WHY_BYTES];

	prm_find(b->s, path, &pos);
	if (!encode_number(pos.owner, pos.field, text, &value, reason)) {
		snprintf(why, WHY_BYTES, "'%.100s': %.200s", path, reason);
		return false;
	}
	if (!extend(b, path, 1, why))
		return false;
	prm_set(b->s, b->bytes, b->len, path, value);
	return true;
}

/* A list of numbers from the first element on. */
static bool set_list(struct box *b, const char *path, const struct prm_pos *pos,
		     const char *text, char why[WHY_BYTES])
{
	size_t i = 0;
	char element[300], one[64];

	text += *text == '{';
	for (; *text && *text != '}'; i++) {
		size_t n = strcspn(text, ",}");

		if (pos->field->count && i >= pos->field->count) {
			snprintf(why, WHY_BYTES, "'%.128s' has %u elements, not more", path,
				 pos->field->count);
			return false;
		}
		snprintf(one, sizeof(one), "%.*s", (int)n, text);
		snprintf(element, sizeof(element), "%s[%zu]", path, i);
		if (!set_number(b, element, one, why))
			return false;
		text += n + (text[n] == ',');
	}
	return true;
}

bool encode_field(struct box *b, const char *assignment, char why[WHY_BYTES])
{
	const char *value = strchr(assignment, '=');
	char name[200], path[256];
	struct prm_pos pos;

	if (!value || value == assignment) {
		snprintf(why, WHY_BYTES, "'%.128s' is not field=value", assignment);
		return false;
	}
	snprintf(name, sizeof(name), "%.*s", (int)(value - assignment), assignment);
	value++;
	if (!encode_path(b->s, b, name, path, sizeof(path), why))
		return false;
	if (!prm_find(b->s, path, &pos))
		return false;

	bool indexed = path[strlen(path) - 1] == ']';
	if (pos.field->type || (pos.field->bytes && !indexed))
		return set_bytes(b, path, &pos, value, why);
	if (pos.field->array && !indexed)
		return set_list(b, path, &pos, value, why);
	return set_number(b, path, value, why);
}

/* The path that "name=value" sets; "" if it sets none. */
static void path_of(const struct box *b, const char *assignment, char *path, size_t size)
{
	char name[200], why[WHY_BYTES];

	*path = '\0';
	if ((size_t)snprintf(name, sizeof(name), "%.*s", (int)strcspn(assignment, "="),
			     assignment) < sizeof(name))
		if (!encode_path(b->s, b, name, path, size, why))
			*path = '\0';
}

bool encode_fields(struct box *b, char *const *words, int n, char why[WHY_BYTES])
{
	char path[256], other[256];

	for (int i = 0; i < n; i++) {
		if (!encode_field(b, words[i], why))
			return false;
		path_of(b, words[i], path, sizeof(path));
		for (int j = 0; j < i; j++) {
			path_of(b, words[j], other, sizeof(other));
			if (!strcmp(path, other)) {
				snprintf(why, WHY_BYTES,
					 "'%.80s' and '%.80s' set the same field: "
					 "leave one out",
					 words[j], words[i]);
				return false;
			}
		}
	}
	return true;
}
