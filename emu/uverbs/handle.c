/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Handles: a growing table per file, the lowest free number first (ib_core: rdma_core.c,
 * alloc_idr_uobject with xa_alloc over all of 32 bits).
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "uverbs/devx.h"
#include "uverbs/event_fd.h"
#include "uverbs/ethernet.h"
#include "uverbs/flow.h"
#include "uverbs/record_fd.h"

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

void uverbs_object_add_fd(struct uverbs_file *f, struct uverbs_object *o, enum uverbs_type type)
{
	o->type = type;
	o->number = f->u->numbers[type]++;
	o->file = f;
	core_list_add(&f->objects, &o->on_file);
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
	if (handle >= f->table_size || !f->table[handle])
		return -ENOENT;
	if (type != UVERBS_ANY && f->table[handle]->type != type)
		return -EINVAL;
	*o = f->table[handle];
	return 0;
}

#define UVERBS_TYPE(NAME, name)                                            \
	static int end_##NAME(struct uverbs_object *o)                     \
	{                                                                  \
		return uverbs_##name##_destroy((struct uverbs_##name *)o); \
	}
#include "uverbs/type.def"

static const struct type {
	size_t size;
	int (*end)(struct uverbs_object *o);
	size_t reported; /* offset of the events that were reported; 0: it has none */
} types[] = {
#define UVERBS_TYPE(NAME, name) { sizeof(struct uverbs_##name), end_##NAME, 0 },
#define UVERBS_REPORTING(NAME, name) \
	{ sizeof(struct uverbs_##name), end_##NAME, offsetof(struct uverbs_##name, reported) },
#include "uverbs/type.def"
};

void *uverbs_object_new(struct uverbs_call *c, enum uverbs_type type)
{
	c->made = calloc(1, types[type].size);
	if (c->made) {
		c->made->type = type;
		c->made->file = c->file;
	}
	return c->made;
}

int uverbs_object_add(struct uverbs_call *c, struct uverbs_object *o)
{
	struct uverbs_file *f = c->file;
	uint32_t handle = f->lowest;

	while (handle < f->table_size && f->table[handle])
		handle++;
	if (handle == f->table_size && grow(f)) {
		types[o->type].end(o);
		return -ENOMEM;
	}
	f->table[handle] = o;
	f->lowest = handle + 1;
	o->handle = handle;
	o->has_handle = true;
	uverbs_object_add_fd(f, o, o->type);
	return 0;
}

void uverbs_object_settle(struct uverbs_call *c, int ret)
{
	if (!c->made)
		return;
	if (!c->made->has_handle)
		free(c->made);
	else if (ret)
		uverbs_object_destroy(c->made, NULL);
	c->made = NULL;
}

int uverbs_object_destroy(struct uverbs_object *o, struct uverbs_reported *reported)
{
	int ret;

	if (o->uses)
		return -EBUSY;
	ret = types[o->type].end(o);
	if (ret)
		return ret;
	if (reported && types[o->type].reported)
		memcpy(reported, (char *)o + types[o->type].reported, sizeof(*reported));
	if (o->has_handle) {
		o->file->table[o->handle] = NULL;
		if (o->handle < o->file->lowest)
			o->file->lowest = o->handle;
	}
	core_list_del(&o->on_file);
	uverbs_unpin(o->file->u, &o->pinned);
	/* Every object struct begins with its uverbs_object. */
	free(o);
	return 0;
}

/* What firmware does not give back (a doorbell page that another file's queue uses) stays in
 * the adapter; the driver's part goes (rdma_core.c, RDMA_REMOVE_DRIVER_FAILURE). */
static void forget(struct uverbs_object *o)
{
	if (o->type == UVERBS_CQ)
		core_list_del(&core_container(o, struct uverbs_cq, obj)->on_notified);
	if (o->type == UVERBS_DEVX_OBJ)
		uverbs_devx_unsubscribe(o->file->u,
					core_container(o, struct uverbs_devx_obj, obj));
	if (o->type == UVERBS_COMP_FD || o->type == UVERBS_ASYNC_FD)
		uverbs_event_fd_destroy(core_container(o, struct uverbs_event_fd, obj));
	core_list_del(&o->on_file);
	uverbs_unpin(o->file->u, &o->pinned);
	free(o);
}

/* Newest first, and again as long as something goes away: the kernel's order at close
 * (rdma_core.c, uverbs_destroy_ufile_hw). */
void uverbs_objects_destroy_all(struct uverbs_file *f)
{
	bool progress = true;

	while (progress && !core_list_empty(&f->objects)) {
		struct core_list *pos = f->objects.prev, *prev;

		progress = false;
		for (; pos != &f->objects; pos = prev) {
			prev = pos->prev;
			progress |= !uverbs_object_destroy(
				core_container(pos, struct uverbs_object, on_file), NULL);
		}
	}
	while (!core_list_empty(&f->objects))
		forget(core_container(f->objects.next, struct uverbs_object, on_file));
	free(f->table);
	f->table = NULL;
	f->table_size = f->lowest = 0;
}
