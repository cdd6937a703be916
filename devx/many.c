/* SPDX-License-Identifier: BSD-2-Clause */
/* Queues for device code: what the contexts say is compared with what dv/many.h wants. */
#include <devx/many.h>
#include <dv/map.h>
#include <prm/prm.h>

#include "refuse.h"

static int refuse(int error, const char *why)
{
	return devx_refuse(CALL_devx_many_export, 0, error, why);
}

static int check_qp(struct devx_qp *qp, const struct devx_cq *cq, const struct devx_uar *uar,
		    bool only_queue)
{
	uint8_t qpc[PRM_SZ(qpc)];
	int err = devx_qp_query(qp, qpc);

	if (err)
		return err;
	if (uar->shared && !only_queue)
		return refuse(EINVAL, "the register is that of all queues of the context which "
				      "asked for NC: use DEVX_UAR_BF, or a newer libmlx5, or "
				      "only_queue if there is no other");
	if (PRM_GET(qpc, qpc, uar_page) != uar->page_id)
		return refuse(EINVAL, "the QP was created with another UAR");
	if (PRM_GET(qpc, qpc, cqn_snd) != cq->obj.id)
		return refuse(EINVAL, "the QP's sends complete on another CQ");
	if (qp->sq.pi || qp->sq.ci)
		return refuse(EBUSY, "the queue was posted to");
	return 0;
}

static int check_cq(struct devx_cq *cq)
{
	uint8_t cqc[PRM_SZ(cqc)];
	int err = devx_cq_query(cq, cqc);

	if (err)
		return err;
	if (!PRM_GET(cqc, cqc, cc) || !PRM_GET(cqc, cqc, oi))
		return refuse(EINVAL, "the CQ is not collapsed, or does not ignore an overrun");
	if (PRM_GET(cqc, cqc, cqe_sz) != PRM_CQC_CQE_SZ_64_BYTES)
		return refuse(EINVAL, "the CQEs have 128 bytes");
	return 0;
}

static void *pick(void *device, void *host)
{
	return device ? device : host;
}

int devx_many_export(struct dv_many *many, struct devx_qp *qp, struct devx_cq *cq,
		     const struct devx_uar *uar, const struct devx_views *views)
{
	static const struct devx_views same;
	const struct devx_views *v = views ? views : &same;
	__be32 unused[2] = { 0 };
	struct mlx5dv_qp rings = qp->rings;
	struct mlx5dv_cq slot = { .buf = pick(v->cqe, cq->cq.cqe64),
				  .dbrec = unused,
				  .cqe_cnt = 1,
				  .cqe_size = 64,
				  .cq_uar = uar->base,
				  .cqn = cq->obj.id };
	__be32 *record = pick(v->record, qp->rings.dbrec);
	int err = check_qp(qp, cq, uar, v->only_queue);

	if (!err)
		err = check_cq(cq);
	if (err)
		return err;
	if (!record || !slot.buf || !(v->ring || qp->sq.buf))
		return refuse(EINVAL, "ring, record or CQE without an address");
	rings.sq.buf = pick(v->ring, qp->rings.sq.buf);
	rings.dbrec = unused;
	rings.bf.reg = pick(v->reg, uar->reg);
	memset(many, 0, sizeof(*many));
	err = dv_sq_init(&many->sq, &rings, qp->obj.id);
	if (!err)
		err = dv_cq_init(&many->cq, &slot);
	if (err)
		return refuse(err, "queues that dv cannot work with");
	many->sq.dbrec = &record[MLX5_SND_DBR];
	many->cq.dbrec = NULL; /* no consumer index: the overrun is ignored */
	return 0;
}
