/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fields by path: "qpc.primary_address_path.rgid_rip[15]".
 *
 *	path    = element { "." element }
 *	element = field [ "[" index "]" ]
 *
 * Each element names a row of the structure that the one before it leads to. Without an index
 * the first element of an array is meant. The way back, from a bit to a row, finds bits that
 * have no name.
 */
#include <stdlib.h>
#include <string.h>

#include <prm/prm.h>
#include <prm/table.h>

static const struct prm_field *field_of_length(const struct prm_struct *s, const char *name,
					       size_t length)
{
	for (const struct prm_field *f = s->fields; f->name; f++)
		if (!strncmp(f->name, name, length) && !f->name[length])
			return f;
	return NULL;
}

/* Reads "[index]" at *@path, if there is one, and steps over it. */
static bool read_index(const char **path, const struct prm_field *f, size_t *index)
{
	char *end;

	*index = 0;
	if (**path != '[')
		return true;
	if (!f->array || (*path)[1] < '0' || (*path)[1] > '9')
		return false;
	*index = strtoul(*path + 1, &end, 0);
	if (*end != ']' || *index > UINT32_MAX || (f->count && *index >= f->count))
		return false;
	*path = end + 1;
	return true;
}

bool prm_find(const struct prm_struct *s, const char *path, struct prm_pos *pos)
{
	pos->bit = 0;
	for (;;) {
		size_t length = strcspn(path, ".["), index;
		const struct prm_field *f = field_of_length(s, path, length);

		if (!f)
			return false;
		path += length;
		if (!read_index(&path, f, &index))
			return false;
		pos->owner = s;
		pos->field = f;
		pos->bit += f->bit + index * f->width;
		if (!*path)
			return true;
		if (*path++ != '.' || !f->type)
			return false;
		s = f->type;
	}
}

/* Finds a number that is within @len. */
static bool find_number(const struct prm_struct *s, size_t len, const char *path,
			struct prm_pos *pos)
{
	return prm_find(s, path, pos) && !pos->field->type &&
	       (pos->bit + pos->field->width + 7) / 8 <= len;
}

bool prm_get(const struct prm_struct *s, const void *p, size_t len, const char *path,
	     uint64_t *value)
{
	struct prm_pos pos;

	if (!find_number(s, len, path, &pos))
		return false;
	*value = prm_load(p, pos.bit, pos.field->width);
	return true;
}

bool prm_set(const struct prm_struct *s, void *p, size_t len, const char *path, uint64_t value)
{
	struct prm_pos pos;

	if (!find_number(s, len, path, &pos))
		return false;
	if (pos.field->width < 64 && value >> pos.field->width)
		return false;
	prm_store(p, pos.bit, pos.field->width, value);
	return true;
}

/* Whether some row covers @bit of @s. */
static bool is_named(const struct prm_struct *s, size_t bit)
{
	for (const struct prm_field *f = s->fields; f->name; f++) {
		size_t inside = bit - f->bit;

		if (bit < f->bit || (f->count && inside >= (size_t)f->count * f->width))
			continue;
		if (!f->type)
			return true;
		/* A trailing array whose elements end in a trailing array has one element. */
		if (is_named(f->type, inside) ||
		    (f->width && is_named(f->type, inside % f->width)))
			return true;
	}
	return false;
}

bool prm_unnamed(const struct prm_struct *s, const void *p, size_t len, size_t *bit)
{
	const uint8_t *bytes = p;

	for (size_t i = 0; i < len; i++)
		for (unsigned int k = 0; k < 8; k++)
			if (bytes[i] & 0x80 >> k && !is_named(s, i * 8 + k)) {
				*bit = i * 8 + k;
				return true;
			}
	return false;
}
