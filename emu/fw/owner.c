/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who owns what: user contexts and the objects that everything else hangs on: transport
 * domain, protection domain, doorbell page, XRC domain.
 *
 *	uctx (uid) <- td  <- tis, tir
 *	           <- pd  <- mkey, srq, qp, sq, rq
 *	           <- uar <- eq, cq, qp, sq
 *	           <- xrcd <- srq, qp
 *
 * Here are the look-ups by number and uid too, for all the other commands.
 */
#include "fw/command.h"

/* assumed(missing_or_foreign_object_is_bad_res): a context that names an object that does not exist or
 * that belongs to another uid is BAD_RES. */

struct hca_pd *fw_pd(const struct fw_cmd *c, uint32_t pdn)
{
	struct hca_pd *pd = core_ids_get(&c->hca->pds, pdn);

	return pd && fw_may(c, pd->uid) ? pd : NULL;
}

struct hca_uar *fw_uar(const struct fw_cmd *c, uint32_t index)
{
	struct hca_uar *uar = core_ids_get(&c->hca->uars, index);

	return uar && fw_may(c, uar->uid) ? uar : NULL;
}

struct hca_cq *fw_cq(const struct fw_cmd *c, uint32_t cqn)
{
	struct hca_cq *cq = hca_cq_find(c->hca, cqn);

	return cq && fw_may(c, cq->uid) ? cq : NULL;
}

struct hca_xrcd *fw_xrcd(const struct fw_cmd *c, uint32_t xrcdn)
{
	struct hca_xrcd *x = core_ids_get(&c->hca->xrcds, xrcdn);

	return x && fw_may(c, x->uid) ? x : NULL;
}

struct hca_srq *fw_srq(const struct fw_cmd *c, uint32_t srqn)
{
	struct hca_srq *srq = hca_srq_find(c->hca, srqn);

	return srq && fw_may(c, srq->uid) ? srq : NULL;
}

struct hca_qp *fw_qp(const struct fw_cmd *c, uint32_t qpn)
{
	struct hca_qp *qp = hca_qp_find(c->hca, qpn);

	return qp && fw_may(c, qp->uid) ? qp : NULL;
}

uint16_t fw_own(const struct fw_cmd *c)
{
	struct hca_uctx *u = core_ids_get(&c->hca->uctx, c->uid);

	if (u)
		u->refs++;
	return c->uid;
}

void fw_disown(struct hca *hca, uint16_t uid)
{
	struct hca_uctx *u = core_ids_get(&hca->uctx, uid);

	if (u)
		u->refs--;
}

enum fw_status fw_create_uctx(struct fw_cmd *c)
{
	uint32_t cap = PRM_GET(uctx, PRM_ADDR(create_uctx_in, c->in, uctx), cap);
	struct hca_uctx *u;

	/* Powers beyond those that cmd_hca_cap.uctx_cap offers. */
	if (cap & ~FW_GEN(c->hca, uctx_cap))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (fw_at_limit(&c->hca->uctx, FW_GEN(c->hca, log_max_uctx)))
		return fw_refuse(c, FW_LIM_ERR, FW_WHY_LIMIT);
	u = hca_uctx_new(c->hca);
	if (!u)
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	u->cap = cap;
	PRM_SET(create_uctx_out, c->out, uid, u->uid);
	return FW_OK;
}

enum fw_status fw_destroy_uctx(struct fw_cmd *c)
{
	struct hca_uctx *u = core_ids_get(&c->hca->uctx, PRM_GET(destroy_uctx_in, c->in, uid));

	if (!u)
		return fw_absent(c);
	if (u->refs)
		return fw_busy(c);
	hca_uctx_free(c->hca, u);
	return FW_OK;
}

enum fw_status fw_alloc_transport_domain(struct fw_cmd *c)
{
	struct hca_td *td;

	if (fw_at_limit(&c->hca->tds, FW_GEN(c->hca, log_max_transport_domain)))
		return fw_refuse(c, FW_LIM_ERR, FW_WHY_LIMIT);
	td = hca_td_new(c->hca);
	if (!td)
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	td->uid = fw_own(c);
	PRM_SET(alloc_transport_domain_out, c->out, transport_domain, td->tdn);
	return FW_OK;
}

enum fw_status fw_dealloc_transport_domain(struct fw_cmd *c)
{
	uint32_t tdn = PRM_GET(dealloc_transport_domain_in, c->in, transport_domain);
	struct hca_td *td = core_ids_get(&c->hca->tds, tdn);

	if (!td || !fw_may(c, td->uid))
		return fw_absent(c);
	if (td->refs)
		return fw_busy(c);
	fw_disown(c->hca, td->uid);
	hca_td_free(c->hca, td);
	return FW_OK;
}

enum fw_status fw_alloc_pd(struct fw_cmd *c)
{
	struct hca_pd *pd;

	if (fw_at_limit(&c->hca->pds, FW_GEN(c->hca, log_max_pd)))
		return fw_refuse(c, FW_LIM_ERR, FW_WHY_LIMIT);
	pd = hca_pd_new(c->hca);
	if (!pd)
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	pd->uid = fw_own(c);
	PRM_SET(alloc_pd_out, c->out, pd, pd->pdn);
	return FW_OK;
}

enum fw_status fw_dealloc_pd(struct fw_cmd *c)
{
	struct hca_pd *pd = fw_pd(c, PRM_GET(dealloc_pd_in, c->in, pd));

	if (!pd)
		return fw_absent(c);
	if (pd->refs)
		return fw_busy(c);
	fw_disown(c->hca, pd->uid);
	hca_pd_free(c->hca, pd);
	return FW_OK;
}

enum fw_status fw_alloc_uar(struct fw_cmd *c)
{
	struct hca_uar *uar = hca_uar_new(c->hca);

	/* The status that a device out of UARs was seen to give is "exceeds limits" (UCX issue
	 * 6049: ALLOC_UAR, status 0x8). */
	if (!uar)
		return fw_refuse(c, FW_LIM_ERR, FW_WHY_FULL);
	uar->uid = fw_own(c);
	PRM_SET(alloc_uar_out, c->out, uar, uar->index);
	return FW_OK;
}

enum fw_status fw_dealloc_uar(struct fw_cmd *c)
{
	struct hca_uar *uar = fw_uar(c, PRM_GET(dealloc_uar_in, c->in, uar));

	if (!uar)
		return fw_absent(c);
	if (uar->refs)
		return fw_busy(c);
	fw_disown(c->hca, uar->uid);
	hca_uar_free(c->hca, uar);
	return FW_OK;
}

enum fw_status fw_alloc_xrcd(struct fw_cmd *c)
{
	struct hca_xrcd *x;

	if (fw_at_limit(&c->hca->xrcds, FW_GEN(c->hca, log_max_xrcd)))
		return fw_refuse(c, FW_LIM_ERR, FW_WHY_LIMIT);
	x = hca_xrcd_new(c->hca);
	if (!x)
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	x->uid = fw_own(c);
	PRM_SET(alloc_xrcd_out, c->out, xrcd, x->xrcdn);
	return FW_OK;
}

enum fw_status fw_dealloc_xrcd(struct fw_cmd *c)
{
	struct hca_xrcd *x = fw_xrcd(c, PRM_GET(dealloc_xrcd_in, c->in, xrcd));

	if (!x)
		return fw_absent(c);
	if (x->refs)
		return fw_busy(c);
	fw_disown(c->hca, x->uid);
	hca_xrcd_free(c->hca, x);
	return FW_OK;
}
