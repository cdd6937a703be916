/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Handles: a growing table per file, the lowest free number first (ib_core: rdma_core.c,
 * alloc_idr_uobject with xa_alloc over all of 32 bits).
 */
#include <errno.h>
#include <stdlib.h>

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

int uverbs_object_add(struct uverbs_file *f, struct uverbs_object *o, enum uverbs_type type)
{
	uint32_t handle = f->lowest;

	while (handle < f->table_size && f->table[handle])
		handle++;
	if (handle == f->table_size && grow(f))
		return -ENOMEM;
	f->table[handle] = o;
	f->lowest = handle + 1;
	o->handle = handle;
	o->has_handle = true;
	uverbs_object_add_fd(f, o, type);
	return 0;
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

static int end(struct uverbs_object *o)
{
	switch (o->type) {
	case UVERBS_PD:
		return uverbs_pd_destroy(core_container(o, struct uverbs_pd, obj));
	case UVERBS_MR:
		return uverbs_mr_destroy(core_container(o, struct uverbs_mr, obj));
	case UVERBS_MW:
		return uverbs_mw_destroy(core_container(o, struct uverbs_mw, obj));
	case UVERBS_CQ:
		return uverbs_cq_destroy(core_container(o, struct uverbs_cq, obj));
	case UVERBS_QP:
		return uverbs_qp_destroy(core_container(o, struct uverbs_qp, obj));
	case UVERBS_AH:
		return uverbs_ah_destroy(core_container(o, struct uverbs_ah, obj));
	case UVERBS_UAR:
		return uverbs_uar_destroy(core_container(o, struct uverbs_uar, obj));
	case UVERBS_XRCD:
		return uverbs_xrcd_destroy(core_container(o, struct uverbs_xrcd, obj));
	case UVERBS_SRQ:
		return uverbs_srq_destroy(core_container(o, struct uverbs_srq, obj));
	case UVERBS_DM:
		return uverbs_dm_destroy(core_container(o, struct uverbs_dm, obj));
	case UVERBS_DEVX_OBJ:
		return uverbs_devx_obj_destroy(core_container(o, struct uverbs_devx_obj, obj));
	case UVERBS_DEVX_UMEM:
		return uverbs_devx_umem_destroy(
			core_container(o, struct uverbs_devx_umem, obj));
	case UVERBS_VAR:
		return uverbs_var_destroy(core_container(o, struct uverbs_var, obj));
	case UVERBS_PP:
		return uverbs_pp_destroy(core_container(o, struct uverbs_pp, obj));
	case UVERBS_WQ:
		return uverbs_wq_destroy(core_container(o, struct uverbs_wq, obj));
	case UVERBS_RWQ_TABLE:
		return uverbs_rwq_table_destroy(
			core_container(o, struct uverbs_rwq_table, obj));
	case UVERBS_FLOW:
		return uverbs_flow_destroy(core_container(o, struct uverbs_flow, obj));
	case UVERBS_FLOW_ACTION:
		return uverbs_flow_action_destroy(
			core_container(o, struct uverbs_flow_action, obj));
	case UVERBS_FLOW_MATCHER:
		return 0;
	case UVERBS_STEERING_ANCHOR:
		return uverbs_steering_anchor_destroy(
			core_container(o, struct uverbs_steering_anchor, obj));
	case UVERBS_COUNTERS:
		return uverbs_counters_destroy(core_container(o, struct uverbs_counters, obj));
	case UVERBS_COMP_FD:
	case UVERBS_ASYNC_FD:
		return uverbs_event_fd_destroy(core_container(o, struct uverbs_event_fd, obj));
	case UVERBS_DEVX_CMD_FD:
	case UVERBS_DEVX_EVENT_FD:
		return uverbs_record_fd_destroy(
			core_container(o, struct uverbs_record_fd, obj));
	case UVERBS_NUMBERED:
	case UVERBS_ANY:
		break;
	}
	return -EINVAL;
}

int uverbs_object_destroy(struct uverbs_object *o, struct uverbs_reported *reported)
{
	int ret;

	if (o->uses)
		return -EBUSY;
	ret = end(o);
	if (ret)
		return ret;
	if (reported && o->type == UVERBS_CQ)
		*reported = core_container(o, struct uverbs_cq, obj)->reported;
	if (reported && o->type == UVERBS_QP)
		*reported = core_container(o, struct uverbs_qp, obj)->reported;
	if (reported && o->type == UVERBS_SRQ)
		*reported = core_container(o, struct uverbs_srq, obj)->reported;
	if (reported && o->type == UVERBS_WQ)
		*reported = core_container(o, struct uverbs_wq, obj)->reported;
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
