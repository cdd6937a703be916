/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which field a name means: the path itself, or the end of one.
 *
 *	create_qp_in   st          qpc.st
 *	               rlid        qpc.primary_address_path.rlid or qpc.secondary_…: ambiguous
 *
 * The structures are searched level by level, and the first level that knows the name
 * decides. If there are two, the contents of the box decide (the object of obj_type
 * is one of many); if both do, the caller has to write more of the path.
 */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "names/names.h"
#include "prm/walk.h"

#define DEEPEST	   7
#define PATH_BYTES 256

struct search {
	const struct box *present; /* only what is present in this one; NULL: all */
	const char *name;
	size_t size;
	char *path; /* of the first that was found */
	char second[PATH_BYTES];
	int found;
	struct near near;
};

/* Is the field the reading of its bits, as far as the box is filled? */
static bool is_present(const struct box *b, const char *path)
{
	struct prm_pos pos;
	struct prm_walk w;
	struct prm_item it;

	if (!prm_find(b->s, path, &pos))
		return false;
	prm_walk_begin(&w, b->s, b->bytes, sizeof(b->bytes));
	while (prm_walk_next(&w, &it))
		if (it.field == pos.field && it.owner == pos.owner && it.bit <= pos.bit &&
		    pos.bit < it.bit + it.width * it.count)
			return true;
	return false;
}

static void look_at(struct search *q, const struct prm_struct *s, const char *prefix)
{
	char path[PATH_BYTES];
	struct prm_pos pos;

	if (!prm_find(s, q->name, &pos))
		return;
	snprintf(path, sizeof(path), "%s%s", prefix, q->name);
	if (q->present && !is_present(q->present, path))
		return;
	if (!q->found++)
		snprintf(q->path, q->size, "%s", path);
	else
		snprintf(q->second, sizeof(q->second), "%s", path);
}

/* Looks at the structures that are @depth levels down. */
static void search(struct search *q, const struct prm_struct *s, const char *prefix, int depth)
{
	char inner[PATH_BYTES];

	if (!depth) {
		look_at(q, s, prefix);
		return;
	}
	for (const struct prm_field *f = s->fields; f->name; f++)
		if (f->type) {
			snprintf(inner, sizeof(inner), "%s%s.", prefix, f->name);
			search(q, f->type, inner, depth - 1);
		}
}

/* Offers every field, and every end of a path that would do. In a trailing array only the whole
 * path, with the element: to set it makes the box longer. */
static void offer(struct search *q, const struct prm_struct *s, const char *prefix, int depth)
{
	bool in_tail = strstr(prefix, "[0].") != NULL;
	char path[PATH_BYTES];

	for (const struct prm_field *f = s->fields; f->name; f++) {
		const char *element = f->array && !f->count ? "[0]" : "";

		if (!in_tail)
			near_offer(&q->near, f->name);
		snprintf(path, sizeof(path), "%s%s%s", prefix, f->name, element);
		near_offer(&q->near, path);
		if (f->type && depth) {
			snprintf(path, sizeof(path), "%s%s%s.", prefix, f->name, element);
			offer(q, f->type, path, depth - 1);
		}
	}
}

/* An index of a field that is not an array, or beyond its end, has a separate message. */
static bool tell_index(const struct prm_struct *s, const char *name, char why[WHY_BYTES])
{
	size_t n = strcspn(name, "[");
	struct prm_pos pos;
	char base[PATH_BYTES];

	if (!name[n])
		return false;
	snprintf(base, sizeof(base), "%.*s", (int)n, name);
	if (!prm_find(s, base, &pos))
		return false;
	if (!pos.field->array)
		snprintf(why, WHY_BYTES, "'%.128s' of %s is no array", base, s->name);
	else if (pos.field->count)
		snprintf(why, WHY_BYTES, "'%.80s': %.128s has elements 0 to %u", name, base,
			 pos.field->count - 1u);
	else
		return false;
	return true;
}

/* Chooses from several places the one that is present in @b, if there is exactly one. */
static bool decide(const struct search *q, const struct box *b, int depth)
{
	char path[PATH_BYTES];
	struct search again = {
		.present = b, .name = q->name, .size = sizeof(path), .path = path
	};

	search(&again, b->s, "", depth);
	if (again.found == 1)
		snprintf(q->path, q->size, "%s", path);
	return again.found == 1;
}

/* "mkc.free": memory_key_mkey_entry.free, since that one alone is a struct mkc. False: there is
 * no such, or more than one. */
static bool by_type(const struct prm_struct *s, const char *name, char *path, size_t size)
{
	const struct prm_field *found = NULL;
	size_t n = strcspn(name, ".");

	if (!name[n] || prm_field(s, name))
		return false;
	for (const struct prm_field *f = s->fields; f->name; f++) {
		if (strlen(f->name) == n && !strncmp(f->name, name, n))
			return false;
		if (!f->type || f->array || strlen(f->type->name) != n ||
		    strncmp(f->type->name, name, n))
			continue;
		if (found)
			return false;
		found = f;
	}
	return found && (size_t)snprintf(path, size, "%s%s", found->name, name + n) < size;
}

bool encode_path(const struct prm_struct *s, const struct box *b, const char *name, char *path,
		 size_t size, char why[WHY_BYTES])
{
	struct search q = { .name = name, .path = path, .size = size };
	char whole[256];
	int depth = 0;

	if (by_type(s, name, whole, sizeof(whole)))
		return encode_path(s, b, whole, path, size, why);
	for (; depth < DEEPEST && !q.found; depth++)
		search(&q, s, "", depth);
	if (q.found == 1 || (q.found && b && decide(&q, b, depth - 1)))
		return true;
	if (q.found) {
		snprintf(why, WHY_BYTES, "'%.60s' may be '%.80s' or '%.80s'%s", name, path,
			 q.second, q.found > 2 ? " or more" : "");
		return false;
	}
	if (tell_index(s, name, why))
		return false;
	near_begin(&q.near, name);
	offer(&q, s, "", 3);
	snprintf(why, WHY_BYTES, "%s has no field '%.80s'%s", s->name, name,
		 near_text(&q.near));
	return false;
}
