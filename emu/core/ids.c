/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Number tables. An array of pointers that doubles as it fills up to its limit; the search
 * for a free index starts after the number assigned last.
 */
#include <stdlib.h>
#include <string.h>

#include "core/core.h"

#define FIRST_SIZE 64u

void core_ids_init(struct core_ids *t, uint32_t base, uint32_t limit)
{
	*t = (struct core_ids){ .base = base, .limit = limit, .next = 1 };
}

void core_ids_fini(struct core_ids *t)
{
	free(t->obj);
	free(t->place);
	*t = (struct core_ids){ 0 };
}

/* Index 1 has number base + 1 + shift; the last numbers follow by those from base + 1 on. */
static uint32_t number_of(const struct core_ids *t, uint32_t index)
{
	return t->base + 1 + (index - 1 + t->shift) % (t->limit - 1);
}

void core_ids_shift(struct core_ids *t, uint32_t by)
{
	t->shift = by % (t->limit - 1);
}

static bool grow(struct core_ids *t)
{
	uint32_t size = t->size ? t->size * 2 : FIRST_SIZE;
	uint32_t *place;
	void **obj;

	if (size > t->limit)
		size = t->limit;
	if (size <= t->size)
		return false;
	obj = realloc(t->obj, size * sizeof(*obj));
	if (!obj)
		return false;
	t->obj = obj;
	place = realloc(t->place, size * sizeof(*place));
	if (!place)
		return false;
	t->place = place;
	memset(obj + t->size, 0, (size - t->size) * sizeof(*obj));
	memset(place + t->size, 0, (size - t->size) * sizeof(*place));
	t->size = size;
	return true;
}

/* A free index in [from, to), or 0. */
static uint32_t find_free(const struct core_ids *t, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		if (!t->obj[i])
			return i;
	return 0;
}

/* The object at index @i is @obj; NULL: it is free. */
static void set(struct core_ids *t, uint32_t i, void *obj)
{
	t->obj[i] = obj;
	t->place[i] = atomic_load(&core_trace_place) + 1;
}

bool core_ids_add(struct core_ids *t, void *obj, uint32_t *id)
{
	uint32_t i = find_free(t, t->next, t->size);

	/* Grow before wrapping, so that numbers stay unused for as long as possible. */
	if (!i && grow(t))
		i = find_free(t, t->next, t->size);
	if (!i)
		i = find_free(t, 1, t->next < t->size ? t->next : t->size);
	if (!i)
		return false;
	set(t, i, obj);
	t->next = i + 1;
	t->used++;
	*id = number_of(t, i);
	return true;
}

/* Are the @n indices from @i on free, and their numbers consecutive? */
static bool is_free_range(const struct core_ids *t, uint32_t i, uint32_t n)
{
	if (number_of(t, i + n - 1) != number_of(t, i) + n - 1)
		return false;
	for (uint32_t k = 0; k < n; k++)
		if (t->obj[i + k])
			return false;
	return true;
}

static uint32_t find_range(const struct core_ids *t, uint32_t from, uint32_t n)
{
	for (uint32_t i = from; i + n <= t->size; i++)
		if (is_free_range(t, i, n))
			return i;
	return 0;
}

bool core_ids_add_range(struct core_ids *t, void *obj, uint32_t n, uint32_t *id)
{
	uint32_t i;

	if (!n || n >= t->limit)
		return false;
	while (!(i = find_range(t, t->next, n)))
		if (!grow(t))
			break;
	if (!i)
		i = find_range(t, 1, n);
	if (!i)
		return false;
	for (uint32_t k = 0; k < n; k++)
		set(t, i + k, obj);
	t->next = i + n;
	t->used += n;
	*id = number_of(t, i);
	return true;
}

void core_ids_del(struct core_ids *t, uint32_t id)
{
	uint32_t i = core_ids_index(t, id);

	if (i >= t->size || !t->obj[i])
		return;
	set(t, i, NULL);
	t->used--;
}

uint32_t core_ids_place(const struct core_ids *t, uint32_t id)
{
	uint32_t i = core_ids_index(t, id);

	return i < t->size ? t->place[i] : 0;
}

void *core_ids_next(const struct core_ids *t, uint32_t *id)
{
	uint32_t i = *id ? core_ids_index(t, *id) + 1 : 1;

	for (; i < t->size; i++) {
		if (t->obj[i]) {
			*id = number_of(t, i);
			return t->obj[i];
		}
	}
	return NULL;
}
