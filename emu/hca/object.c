/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects are born zeroed with a number and die with their page arrays. Who may die when is
 * firmware's business (reference counts, states); here is only memory.
 */
#include <stdlib.h>
#include <string.h>

#include "hca/hca.h"

/* A zeroed object of @size in table @t, its number in *@id. */
static void *object_new(struct core_ids *t, size_t size, uint32_t *id)
{
	void *obj = calloc(1, size);

	if (obj && core_ids_add(t, obj, id))
		return obj;
	free(obj);
	return NULL;
}

struct hca_pd *hca_pd_new(struct hca *hca)
{
	uint32_t id;
	struct hca_pd *pd = object_new(&hca->pds, sizeof(*pd), &id);

	if (pd)
		pd->pdn = id;
	return pd;
}

void hca_pd_free(struct hca *hca, struct hca_pd *pd)
{
	core_ids_del(&hca->pds, pd->pdn);
	free(pd);
}

struct hca_td *hca_td_new(struct hca *hca)
{
	uint32_t id;
	struct hca_td *td = object_new(&hca->tds, sizeof(*td), &id);

	if (td)
		td->tdn = id;
	return td;
}

void hca_td_free(struct hca *hca, struct hca_td *td)
{
	core_ids_del(&hca->tds, td->tdn);
	free(td);
}

struct hca_uctx *hca_uctx_new(struct hca *hca)
{
	uint32_t id;
	struct hca_uctx *u = object_new(&hca->uctx, sizeof(*u), &id);

	if (u)
		u->uid = (uint16_t)id;
	return u;
}

void hca_uctx_free(struct hca *hca, struct hca_uctx *u)
{
	core_ids_del(&hca->uctx, u->uid);
	free(u);
}

struct hca_uar *hca_uar_new(struct hca *hca)
{
	uint32_t id;
	struct hca_uar *uar = object_new(&hca->uars, sizeof(*uar), &id);

	if (!uar)
		return NULL;
	uar->index = id;
	core_list_init(&uar->queues);
	core_list_init(&uar->sqs);
	uar->page = hca_bar_map(hca, HCA_UAR_PGOFF + id);
	if (!uar->page) {
		hca_uar_free(hca, uar);
		return NULL;
	}
	/* A page that had another owner must not ring for the new one. */
	memset(uar->page, 0, HCA_PAGE_SIZE);
	return uar;
}

void hca_uar_free(struct hca *hca, struct hca_uar *uar)
{
	core_ids_del(&hca->uars, uar->index);
	if (uar->page)
		hca_bar_unmap(uar->page);
	free(uar);
}

struct hca_mkey *hca_mkey_new(struct hca *hca)
{
	uint32_t id;
	struct hca_mkey *m = object_new(&hca->mkeys, sizeof(*m), &id);

	if (m)
		m->index = id;
	return m;
}

void hca_mkey_free(struct hca *hca, struct hca_mkey *m)
{
	core_ids_del(&hca->mkeys, m->index);
	free(m->pages.pas);
	free(m->list);
	free(m);
}

struct hca_psv *hca_psv_new(struct hca *hca)
{
	uint32_t id;
	struct hca_psv *psv = object_new(&hca->psvs, sizeof(*psv), &id);

	if (psv)
		psv->psvn = id;
	return psv;
}

void hca_psv_free(struct hca *hca, struct hca_psv *psv)
{
	core_ids_del(&hca->psvs, psv->psvn);
	free(psv);
}

struct hca_umem *hca_umem_new(struct hca *hca)
{
	uint32_t id;
	struct hca_umem *u = object_new(&hca->umems, sizeof(*u), &id);

	if (u)
		u->id = id;
	return u;
}

void hca_umem_free(struct hca *hca, struct hca_umem *u)
{
	core_ids_del(&hca->umems, u->id);
	free(u->pages.pas);
	free(u);
}

struct hca_mkey *hca_mkey_find(struct hca *hca, uint32_t key)
{
	struct hca_mkey *m = core_ids_get(&hca->mkeys, key >> 8);

	return m && m->variant == (key & 0xff) ? m : NULL;
}

struct hca_memic *hca_memic_new(struct hca *hca)
{
	struct hca_memic *m = calloc(1, sizeof(*m));

	if (m)
		core_list_add(&hca->memics, &m->on_dev);
	return m;
}

void hca_memic_free(struct hca_memic *m)
{
	core_list_del(&m->on_dev);
	free(m);
}

struct hca_eq *hca_eq_new(struct hca *hca)
{
	uint32_t id;
	struct hca_eq *eq = object_new(&hca->eqs, sizeof(*eq), &id);

	if (eq)
		eq->eqn = id;
	return eq;
}

void hca_eq_free(struct hca *hca, struct hca_eq *eq)
{
	core_ids_del(&hca->eqs, eq->eqn);
	free(eq->ring.pas);
	free(eq);
}

struct hca_cq *hca_cq_new(struct hca *hca)
{
	uint32_t id;
	struct hca_cq *cq = object_new(&hca->cqs, sizeof(*cq), &id);

	if (cq)
		cq->cqn = id;
	return cq;
}

void hca_cq_free(struct hca *hca, struct hca_cq *cq)
{
	core_ids_del(&hca->cqs, cq->cqn);
	core_list_del(&cq->on_held);
	if (cq->session)
		core_list_del(&cq->session->on_dev);
	free(cq->session);
	free(cq->ring.pas);
	free(cq);
}

struct hca_xrcd *hca_xrcd_new(struct hca *hca)
{
	uint32_t id;
	struct hca_xrcd *x = object_new(&hca->xrcds, sizeof(*x), &id);

	if (x)
		x->xrcdn = id;
	return x;
}

void hca_xrcd_free(struct hca *hca, struct hca_xrcd *x)
{
	core_ids_del(&hca->xrcds, x->xrcdn);
	free(x);
}

struct hca_srq *hca_srq_new(struct hca *hca)
{
	uint32_t id;
	struct hca_srq *srq = object_new(&hca->srqs, sizeof(*srq), &id);

	if (srq)
		srq->srqn = id;
	return srq;
}

void hca_srq_free(struct hca *hca, struct hca_srq *srq)
{
	core_ids_del(&hca->srqs, srq->srqn);
	free(srq->wq.ring.pas);
	free(srq);
}

struct hca_qp *hca_qp_new(struct hca *hca)
{
	uint32_t id;
	struct hca_qp *qp = object_new(&hca->qps, sizeof(*qp), &id);

	if (!qp)
		return NULL;
	qp->qpn = id;
	qp->counter = &hca->counts.no_set;
	return qp;
}

void hca_qp_free(struct hca *hca, struct hca_qp *qp)
{
	core_ids_del(&hca->qps, qp->qpn);
	core_list_del(&qp->on_uar);
	hca_qp_reset(qp);
	free(qp->rq.ring.pas);
	free(qp);
}

void hca_qp_reset(struct hca_qp *qp)
{
	core_list_del(&qp->runnable);
	free(qp->req.wqe);
	memset(&qp->req, 0, sizeof(qp->req));
	memset(&qp->resp, 0, sizeof(qp->resp));
}

struct hca_tis *hca_tis_new(struct hca *hca)
{
	uint32_t id;
	struct hca_tis *tis = object_new(&hca->tiss, sizeof(*tis), &id);

	if (tis)
		tis->tisn = id;
	return tis;
}

void hca_tis_free(struct hca *hca, struct hca_tis *tis)
{
	core_ids_del(&hca->tiss, tis->tisn);
	free(tis);
}

struct hca_sq *hca_sq_new(struct hca *hca)
{
	uint32_t id;
	struct hca_sq *sq = object_new(&hca->sqs, sizeof(*sq), &id);

	if (sq)
		sq->sqn = id;
	return sq;
}

void hca_sq_free(struct hca *hca, struct hca_sq *sq)
{
	core_ids_del(&hca->sqs, sq->sqn);
	core_list_del(&sq->on_uar);
	free(sq->wq.ring.pas);
	free(sq);
}

struct hca_rq *hca_rq_new(struct hca *hca)
{
	uint32_t id;
	struct hca_rq *rq = object_new(&hca->rqs, sizeof(*rq), &id);

	if (rq)
		rq->rqn = id;
	return rq;
}

void hca_rq_free(struct hca *hca, struct hca_rq *rq)
{
	core_ids_del(&hca->rqs, rq->rqn);
	free(rq->wq.ring.pas);
	free(rq);
}

struct hca_tir *hca_tir_new(struct hca *hca)
{
	uint32_t id;
	struct hca_tir *tir = object_new(&hca->tirs, sizeof(*tir), &id);

	if (tir)
		tir->tirn = id;
	return tir;
}

void hca_tir_free(struct hca *hca, struct hca_tir *tir)
{
	core_ids_del(&hca->tirs, tir->tirn);
	free(tir);
}
