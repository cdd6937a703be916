/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects from their entry to their end, and handles: a growing table per file, the lowest free
 * number first (ib_core: rdma_core.c, alloc_idr_uobject with xa_alloc over all of 32 bits).
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "uverbs/devx.h"
#include "uverbs/event_fd.h"
#include "uverbs/ethernet.h"
#include "uverbs/flow.h"
#include "uverbs/memlock.h"
#include "uverbs/record_fd.h"

/* ---- the tables ---- */

static const struct type {
	size_t size, events; /* bytes; where its uverbs_events are, 0: it has none */
	uint64_t event_bits;
	struct uverbs_type_hooks hooks;
} types[] = {
#define UVERBS_TYPE(NAME, name, ...) \
	[UVERBS_##NAME] = { .size = sizeof(struct uverbs_##name), .hooks = { __VA_ARGS__ } },
#define UVERBS_REPORTING(NAME, name, bits, ...)                               \
	[UVERBS_##NAME] = { .size = sizeof(struct uverbs_##name),             \
			    .events = offsetof(struct uverbs_##name, events), \
			    .event_bits = bits,                               \
			    .hooks = { __VA_ARGS__ } },
#include "uverbs/type.def"
};

#define UVERBS_TYPE(NAME, name, ...)                             \
	_Static_assert(offsetof(struct uverbs_##name, obj) == 0, \
		       "every object struct begins with its uverbs_object");
#include "uverbs/type.def"

static const struct {
	enum uverbs_type type;
	size_t member;
} uses[] = {
#define UVERBS_USES(NAME, name, member) \
	{ UVERBS_##NAME, offsetof(struct uverbs_##name, member) },
#define UVERBS_REPORTING(NAME, name, ...) UVERBS_USES(NAME, name, events.async)
#include "uverbs/type.def"
};

static struct uverbs_events *events_of(struct uverbs_object *o)
{
	size_t at = types[o->type].events;

	return at ? (void *)((char *)o + at) : NULL;
}

/* Adds @by to the uses of all that @o uses. */
static void use(struct uverbs_object *o, int by)
{
	for (size_t i = 0; i < ARRAY_SIZE(uses); i++) {
		struct uverbs_object *used;

		if (uses[i].type != o->type)
			continue;
		memcpy(&used, (const char *)o + uses[i].member, sizeof(used));
		if (used)
			used->uses += by;
	}
	if (types[o->type].hooks.use)
		types[o->type].hooks.use(o, by);
}

/* ---- handles ---- */

static int grow(struct uverbs_file *f)
{
	uint32_t size = f->table_size ? 2 * f->table_size : 64;
	struct uverbs_object **table = realloc(f->table, size * sizeof(*table));

	if (!table)
		return -ENOMEM;
	for (uint32_t i = f->table_size; i < size; i++)
		table[i] = NULL;
	f->table = table;
	f->table_size = size;
	return 0;
}

static int enter(struct uverbs_object *o)
{
	struct uverbs_file *f = o->file;
	uint32_t handle = f->lowest;

	while (handle < f->table_size && f->table[handle])
		handle++;
	if (handle == f->table_size && grow(f))
		return -ENOMEM;
	f->table[handle] = o;
	f->lowest = handle + 1;
	o->handle = handle;
	return 0;
}

static void leave(struct uverbs_object *o)
{
	o->file->table[o->handle] = NULL;
	if (o->handle < o->file->lowest)
		o->file->lowest = o->handle;
}

struct uverbs_object *
uverbs_object_find(const struct uverbs *u, enum uverbs_type type,
		   bool (*is)(const struct uverbs_object *o, uint32_t number), uint32_t number)
{
	struct core_list *file, *pos, *tmp, *tmp2;

	core_list_for_each(file, tmp, &u->files) {
		struct uverbs_file *f = core_container(file, struct uverbs_file, on_driver);

		core_list_for_each(pos, tmp2, &f->objects) {
			struct uverbs_object *o =
				core_container(pos, struct uverbs_object, on_file);

			if (o->type == type && is(o, number))
				return o;
		}
	}
	return NULL;
}

int uverbs_object_get(struct uverbs_file *f, uint64_t handle, enum uverbs_type type,
		      struct uverbs_object **o)
{
	if (handle > UINT32_MAX)
		return -EINVAL;
	if (handle >= f->table_size || !f->table[handle] ||
	    f->table[handle]->state != UVERBS_COMMITTED)
		return -ENOENT;
	if (type != UVERBS_ANY && f->table[handle]->type != type)
		return -EINVAL;
	*o = f->table[handle];
	return 0;
}

void *uverbs_named(const struct uverbs_call *c, uint32_t handle, enum uverbs_type type)
{
	struct uverbs_object *o;

	return uverbs_object_get(c->file, handle, type, &o) ? NULL : o;
}

/* ---- beginnings ---- */

void *uverbs_object_new(struct uverbs_call *c, enum uverbs_type type)
{
	struct uverbs_object *o = calloc(1, types[type].size);
	int ret = -ENOMEM, fd = -1;

	if (o) {
		o->type = type;
		o->file = c->file;
		ret = types[type].hooks.open ? types[type].hooks.open(o, &fd) : enter(o);
	}
	if (ret) {
		uverbs_call_fail(c, ret);
		free(o);
		return NULL;
	}
	if (fd >= 0)
		o->handle = (uint32_t)fd;
	c->made = o;
	return o;
}

void uverbs_object_made(struct uverbs_call *c)
{
	struct uverbs_object *o = c->made;

	if (!o || o->state != UVERBS_ENTERED)
		return;
	o->state = UVERBS_MADE;
	o->number = c->u->numbers[o->type]++; /* restrack.c, rdma_restrack_add */
	uverbs_memlock_take(c, o);
	use(o, 1);
}

/* ---- ends ---- */

static int end(struct uverbs_object *o)
{
	const struct type *t = &types[o->type];
	struct uverbs_events *e = events_of(o);
	int ret = t->hooks.destroy ? t->hooks.destroy(o->file->u, o) : 0;

	if (!ret && e && e->async)
		e->reported.async -=
			uverbs_event_fd_purge(e->async, e->user_handle, t->event_bits);
	return ret;
}

static void drop(struct uverbs_object *o)
{
	if (o->state != UVERBS_ENTERED)
		use(o, -1);
	if (types[o->type].hooks.fini)
		types[o->type].hooks.fini(o->file->u, o);
	if (!types[o->type].hooks.open)
		leave(o);
	core_list_del(&o->on_file);
	uverbs_unpin(o->file->u, &o->pinned);
	free(o);
}

void uverbs_object_settle(struct uverbs_call *c, int ret)
{
	struct uverbs_object *o = c->made;

	c->made = NULL;
	if (!o)
		return;
	/* rdma_core.c, rdma_alloc_abort_uobject: what cannot be destroyed is committed. */
	if (ret && (o->state == UVERBS_ENTERED || !end(o))) {
		if (types[o->type].hooks.open)
			close((int)o->handle);
		drop(o);
		return;
	}
	o->state = UVERBS_COMMITTED;
	core_list_add(&o->file->objects, &o->on_file);
}

int uverbs_object_destroy(struct uverbs_object *o, struct uverbs_reported *reported)
{
	struct uverbs_events *e = events_of(o);
	int ret = o->uses ? -EBUSY : end(o);

	if (ret)
		return ret;
	if (reported && e)
		*reported = e->reported;
	drop(o);
	return 0;
}

/* Destroys the newest objects first, and repeats while objects are destroyed: the kernel's
 * order at close (rdma_core.c, uverbs_destroy_ufile_hw). An object that firmware refuses to
 * destroy (a doorbell page that another file's queue uses) stays in the adapter; the driver's
 * part is freed (there, RDMA_REMOVE_DRIVER_FAILURE). */
void uverbs_objects_destroy_all(struct uverbs_file *f)
{
	struct core_list *pos, *tmp;
	bool progress = true;

	while (progress) {
		progress = false;
		for (pos = f->objects.prev; pos != &f->objects; pos = tmp) {
			tmp = pos->prev;
			progress |= !uverbs_object_destroy(
				core_container(pos, struct uverbs_object, on_file), NULL);
		}
	}
	core_list_for_each(pos, tmp, &f->objects) {
		struct uverbs_object *o = core_container(pos, struct uverbs_object, on_file);

		use(o, -1);
		o->state = UVERBS_ENTERED;
	}
	while (!core_list_empty(&f->objects))
		drop(core_container(f->objects.next, struct uverbs_object, on_file));
	free(f->table);
	f->table = NULL;
	f->table_size = f->lowest = 0;
}
