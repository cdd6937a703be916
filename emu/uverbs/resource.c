/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists the objects of the application (kernel, restrack.c; nldev.c, fill_res_*_entry). As
 * there, objects made by DevX are not listed. The emulator has no objects of the kernel's own.
 */
#include <infiniband/verbs.h>
#include <stdlib.h>

#include "uverbs/qp.h"

#define DRIVER_QP 0xff /* ib_verbs.h: IB_QPT_DRIVER */

struct list {
	struct uverbs_resource *all;
	size_t n, capacity;
	enum uverbs_resource_kind kind;
};

static uint32_t number_of(const struct uverbs_pd *pd)
{
	return pd ? pd->obj.number : 0;
}

static void describe_mr(const struct uverbs_mr *mr, struct uverbs_resource *r)
{
	r->pd = number_of(mr->pd);
	r->key = mr->key;
	r->len = mr->length;
	r->on_demand = mr->access & IBV_ACCESS_ON_DEMAND;
	r->implicit = r->on_demand && !mr->start && mr->length == UINT64_MAX;
}

/* The state is asked for, as the device may have changed it. */
static void describe_qp(struct uverbs_qp *qp, struct uverbs_resource *r)
{
	struct ib_uverbs_query_qp_resp a;

	r->number = qp->qpn;
	r->pd = number_of(qp->pd);
	r->type =
		qp->type == UVERBS_QPT_DCI || qp->type == UVERBS_QPT_DCT ? DRIVER_QP : qp->type;
	r->has_srq = qp->srq;
	r->srq = qp->srq ? qp->srq->obj.number : 0;
	r->port = qp->port;
	r->state = qp->state;
	if (uverbs_qp_attributes(qp, 0, &a))
		return; /* a DCT that is not in RTR yet */
	r->state = a.qp_state;
	r->mig_state = a.path_mig_state;
	r->remote_qpn = a.dest_qp_num;
	r->rq_psn = a.rq_psn;
	r->sq_psn = a.sq_psn;
}

static void describe_srq(const struct uverbs_srq *srq, struct uverbs_resource *r)
{
	r->pd = number_of(srq->pd);
	r->type = srq->xrcd ? IBV_SRQT_XRC : IBV_SRQT_BASIC;
	r->has_cq = srq->cq;
	r->cq = srq->cq ? srq->cq->obj.number : 0;
}

/* False: not of the kind that is wanted. */
static bool describe(enum uverbs_resource_kind kind, struct uverbs_object *o,
		     struct uverbs_resource *r)
{
	static const enum uverbs_type types[] = {
		[UVERBS_RES_PD] = UVERBS_PD,   [UVERBS_RES_MR] = UVERBS_MR,
		[UVERBS_RES_CQ] = UVERBS_CQ,   [UVERBS_RES_QP] = UVERBS_QP,
		[UVERBS_RES_SRQ] = UVERBS_SRQ,
	};

	if (kind == UVERBS_RES_CTX || types[kind] != o->type)
		return false;
	if (kind == UVERBS_RES_QP &&
	    core_container(o, struct uverbs_qp, obj)->type == UVERBS_QPT_DCT &&
	    !kernel_has(o->file->u->kernel, KERNEL_DCT_TRACKED))
		return false;
	*r = (struct uverbs_resource){ .number = o->number,
				       .ctx = o->file->number,
				       .uses = o->uses };
	if (kind == UVERBS_RES_MR)
		describe_mr(core_container(o, struct uverbs_mr, obj), r);
	else if (kind == UVERBS_RES_CQ)
		r->cqe = core_container(o, struct uverbs_cq, obj)->cqe;
	else if (kind == UVERBS_RES_QP)
		describe_qp(core_container(o, struct uverbs_qp, obj), r);
	else if (kind == UVERBS_RES_SRQ)
		describe_srq(core_container(o, struct uverbs_srq, obj), r);
	return true;
}

static void add(struct list *l, const struct uverbs_resource *r)
{
	size_t capacity = l->capacity ? 2 * l->capacity : 64;
	struct uverbs_resource *all;

	if (l->n == l->capacity) {
		all = realloc(l->all, capacity * sizeof(*all));
		if (!all)
			return;
		l->all = all;
		l->capacity = capacity;
	}
	l->all[l->n++] = *r;
}

static void add_file(struct list *l, struct uverbs_file *f)
{
	struct core_list *pos, *tmp;
	struct uverbs_resource r = { .number = f->number };

	if (l->kind == UVERBS_RES_CTX && f->context)
		add(l, &r);
	core_list_for_each(pos, tmp, &f->objects) {
		struct uverbs_object *o = core_container(pos, struct uverbs_object, on_file);

		if (describe(l->kind, o, &r))
			add(l, &r);
	}
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = ((const struct uverbs_resource *)a)->number;
	uint32_t y = ((const struct uverbs_resource *)b)->number;

	return (x > y) - (x < y);
}

struct uverbs_resource *uverbs_resources(struct uverbs *u, enum uverbs_resource_kind kind,
					 size_t *n)
{
	struct list l = { .kind = kind };
	struct core_list *pos, *tmp;

	hca_lock(u->hca);
	core_list_for_each(pos, tmp, &u->files)
		add_file(&l, core_container(pos, struct uverbs_file, on_driver));
	hca_unlock(u->hca);
	if (l.n)
		core_sort(l.all, l.n, sizeof(*l.all), by_number);
	*n = l.n;
	return l.all;
}
