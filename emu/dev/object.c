/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects are born zeroed with a number and die with their page arrays. Who may die when is
 * firmware's business (reference counts, states); here is only memory.
 */
#include <stdlib.h>
#include <string.h>

#include "dev/dev.h"

/* A zeroed object of @size in table @t, its number in *@id. */
static void *object_new(struct core_ids *t, size_t size, uint32_t *id)
{
	void *obj = calloc(1, size);

	if (obj && core_ids_add(t, obj, id))
		return obj;
	free(obj);
	return NULL;
}

struct dev_pd *dev_pd_new(struct dev *d)
{
	uint32_t id;
	struct dev_pd *pd = object_new(&d->pds, sizeof(*pd), &id);

	if (pd)
		pd->pdn = id;
	return pd;
}

void dev_pd_free(struct dev *d, struct dev_pd *pd)
{
	core_ids_del(&d->pds, pd->pdn);
	free(pd);
}

struct dev_td *dev_td_new(struct dev *d)
{
	uint32_t id;
	struct dev_td *td = object_new(&d->tds, sizeof(*td), &id);

	if (td)
		td->tdn = id;
	return td;
}

void dev_td_free(struct dev *d, struct dev_td *td)
{
	core_ids_del(&d->tds, td->tdn);
	free(td);
}

struct dev_uctx *dev_uctx_new(struct dev *d)
{
	uint32_t id;
	struct dev_uctx *u = object_new(&d->uctx, sizeof(*u), &id);

	if (u)
		u->uid = (uint16_t)id;
	return u;
}

void dev_uctx_free(struct dev *d, struct dev_uctx *u)
{
	core_ids_del(&d->uctx, u->uid);
	free(u);
}

struct dev_uar *dev_uar_new(struct dev *d)
{
	uint32_t id;
	struct dev_uar *uar = object_new(&d->uars, sizeof(*uar), &id);

	if (!uar)
		return NULL;
	uar->index = id;
	core_list_init(&uar->queues);
	core_list_init(&uar->sqs);
	uar->page = dev_bar_map(d, DEV_UAR_PGOFF + id);
	if (!uar->page) {
		dev_uar_free(d, uar);
		return NULL;
	}
	/* A page that had another owner must not ring for the new one. */
	memset(uar->page, 0, DEV_PAGE_SIZE);
	return uar;
}

void dev_uar_free(struct dev *d, struct dev_uar *uar)
{
	core_ids_del(&d->uars, uar->index);
	if (uar->page)
		dev_bar_unmap(uar->page);
	free(uar);
}

struct dev_mkey *dev_mkey_new(struct dev *d)
{
	uint32_t id;
	struct dev_mkey *m = object_new(&d->mkeys, sizeof(*m), &id);

	if (m)
		m->index = id;
	return m;
}

void dev_mkey_free(struct dev *d, struct dev_mkey *m)
{
	core_ids_del(&d->mkeys, m->index);
	free(m->pages.pas);
	free(m->list);
	free(m);
}

struct dev_psv *dev_psv_new(struct dev *d)
{
	uint32_t id;
	struct dev_psv *psv = object_new(&d->psvs, sizeof(*psv), &id);

	if (psv)
		psv->psvn = id;
	return psv;
}

void dev_psv_free(struct dev *d, struct dev_psv *psv)
{
	core_ids_del(&d->psvs, psv->psvn);
	free(psv);
}

struct dev_umem *dev_umem_new(struct dev *d)
{
	uint32_t id;
	struct dev_umem *u = object_new(&d->umems, sizeof(*u), &id);

	if (u)
		u->id = id;
	return u;
}

void dev_umem_free(struct dev *d, struct dev_umem *u)
{
	core_ids_del(&d->umems, u->id);
	free(u->pages.pas);
	free(u);
}

struct dev_mkey *dev_mkey_find(struct dev *d, uint32_t key)
{
	struct dev_mkey *m = core_ids_get(&d->mkeys, key >> 8);

	return m && m->variant == (key & 0xff) ? m : NULL;
}

struct dev_memic *dev_memic_new(struct dev *d)
{
	struct dev_memic *m = calloc(1, sizeof(*m));

	if (m)
		core_list_add(&d->memics, &m->on_dev);
	return m;
}

void dev_memic_free(struct dev_memic *m)
{
	core_list_del(&m->on_dev);
	free(m);
}

struct dev_eq *dev_eq_new(struct dev *d)
{
	uint32_t id;
	struct dev_eq *eq = object_new(&d->eqs, sizeof(*eq), &id);

	if (eq)
		eq->eqn = id;
	return eq;
}

void dev_eq_free(struct dev *d, struct dev_eq *eq)
{
	core_ids_del(&d->eqs, eq->eqn);
	free(eq->ring.pas);
	free(eq);
}

struct dev_cq *dev_cq_new(struct dev *d)
{
	uint32_t id;
	struct dev_cq *cq = object_new(&d->cqs, sizeof(*cq), &id);

	if (cq)
		cq->cqn = id;
	return cq;
}

void dev_cq_free(struct dev *d, struct dev_cq *cq)
{
	core_ids_del(&d->cqs, cq->cqn);
	core_list_del(&cq->on_held);
	if (cq->session)
		core_list_del(&cq->session->on_dev);
	free(cq->session);
	free(cq->ring.pas);
	free(cq);
}

struct dev_xrcd *dev_xrcd_new(struct dev *d)
{
	uint32_t id;
	struct dev_xrcd *x = object_new(&d->xrcds, sizeof(*x), &id);

	if (x)
		x->xrcdn = id;
	return x;
}

void dev_xrcd_free(struct dev *d, struct dev_xrcd *x)
{
	core_ids_del(&d->xrcds, x->xrcdn);
	free(x);
}

struct dev_srq *dev_srq_new(struct dev *d)
{
	uint32_t id;
	struct dev_srq *srq = object_new(&d->srqs, sizeof(*srq), &id);

	if (srq)
		srq->srqn = id;
	return srq;
}

void dev_srq_free(struct dev *d, struct dev_srq *srq)
{
	core_ids_del(&d->srqs, srq->srqn);
	free(srq->wq.ring.pas);
	free(srq);
}

struct dev_qp *dev_qp_new(struct dev *d)
{
	uint32_t id;
	struct dev_qp *qp = object_new(&d->qps, sizeof(*qp), &id);

	if (!qp)
		return NULL;
	qp->qpn = id;
	qp->counter = &d->counts.no_set;
	return qp;
}

void dev_qp_free(struct dev *d, struct dev_qp *qp)
{
	core_ids_del(&d->qps, qp->qpn);
	core_list_del(&qp->on_uar);
	dev_qp_reset(qp);
	free(qp->rq.ring.pas);
	free(qp);
}

void dev_qp_reset(struct dev_qp *qp)
{
	core_list_del(&qp->runnable);
	free(qp->req.wqe);
	memset(&qp->req, 0, sizeof(qp->req));
	memset(&qp->resp, 0, sizeof(qp->resp));
}

struct dev_tis *dev_tis_new(struct dev *d)
{
	uint32_t id;
	struct dev_tis *tis = object_new(&d->tiss, sizeof(*tis), &id);

	if (tis)
		tis->tisn = id;
	return tis;
}

void dev_tis_free(struct dev *d, struct dev_tis *tis)
{
	core_ids_del(&d->tiss, tis->tisn);
	free(tis);
}

struct dev_sq *dev_sq_new(struct dev *d)
{
	uint32_t id;
	struct dev_sq *sq = object_new(&d->sqs, sizeof(*sq), &id);

	if (sq)
		sq->sqn = id;
	return sq;
}

void dev_sq_free(struct dev *d, struct dev_sq *sq)
{
	core_ids_del(&d->sqs, sq->sqn);
	core_list_del(&sq->on_uar);
	free(sq->wq.ring.pas);
	free(sq);
}

struct dev_rq *dev_rq_new(struct dev *d)
{
	uint32_t id;
	struct dev_rq *rq = object_new(&d->rqs, sizeof(*rq), &id);

	if (rq)
		rq->rqn = id;
	return rq;
}

void dev_rq_free(struct dev *d, struct dev_rq *rq)
{
	core_ids_del(&d->rqs, rq->rqn);
	free(rq->wq.ring.pas);
	free(rq);
}

struct dev_tir *dev_tir_new(struct dev *d)
{
	uint32_t id;
	struct dev_tir *tir = object_new(&d->tirs, sizeof(*tir), &id);

	if (tir)
		tir->tirn = id;
	return tir;
}

void dev_tir_free(struct dev *d, struct dev_tir *tir)
{
	core_ids_del(&d->tirs, tir->tirn);
	free(tir);
}
