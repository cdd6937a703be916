/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Owners: user contexts and the objects that everything else hangs on: transport
 * domain, protection domain, doorbell page, XRC domain.
 *
 *	uctx (uid) <- td  <- tis, tir
 *	           <- pd  <- mkey, srq, qp, sq, rq
 *	           <- uar <- eq, cq, qp, sq
 *	           <- xrcd <- srq, qp
 *
 * And what all commands share: objects are found, belong to a uid, refer to others, are
 * destroyed.
 */
#include "fw/command.h"

/* assumed(missing_or_foreign_object_is_bad_res): a context that names an object that does not
 * exist or that belongs to another uid is BAD_RES. */

void *fw_find(const struct fw_cmd *c, enum hca_kind_id kind, uint32_t id)
{
	struct hca_object *o = hca_object_find(c->hca, kind, id);

	return o && fw_may(c, o->uid) ? o : NULL;
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

void fw_begin(const struct fw_cmd *c, void *obj)
{
	((struct hca_object *)obj)->uid = fw_own(c);
	hca_object_refer(obj, 1);
}

void fw_end(struct hca *hca, void *obj)
{
	hca_object_refer(obj, -1);
	fw_disown(hca, ((struct hca_object *)obj)->uid);
	hca_object_free(hca, obj);
}

enum fw_status fw_destroy(struct fw_cmd *c, void *obj)
{
	if (!obj)
		return fw_absent(c);
	if (((struct hca_object *)obj)->refs)
		return fw_busy(c);
	fw_end(c->hca, obj);
	return FW_OK;
}

void *fw_alloc(struct fw_cmd *c, enum hca_kind_id kind, uint32_t log_max,
	       enum fw_status *status)
{
	const struct core_ids *all = hca_object_table(c->hca, kind);
	void *obj = fw_at_limit(all, log_max) ? NULL : hca_object_new(c->hca, kind, 1);

	*status = FW_OK;
	if (obj)
		fw_begin(c, obj);
	else
		*status = fw_at_limit(all, log_max) ? fw_refuse(c, FW_LIM_ERR, FW_WHY_LIMIT)
						    : fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	return obj;
}

enum fw_status fw_create_uctx(struct fw_cmd *c)
{
	uint32_t cap = PRM_GET(uctx, PRM_ADDR(create_uctx_in, c->in, uctx), cap);
	enum fw_status status;
	struct hca_uctx *u;

	/* Powers beyond those that cmd_hca_cap.uctx_cap offers. */
	if (cap & ~FW_GEN(c->hca, uctx_cap))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	u = fw_alloc(c, HCA_KIND_uctx, FW_GEN(c->hca, log_max_uctx), &status);
	if (!u)
		return status;
	u->cap = cap;
	PRM_SET(create_uctx_out, c->out, uid, u->id);
	return FW_OK;
}

enum fw_status fw_destroy_uctx(struct fw_cmd *c)
{
	return fw_destroy(c, fw_uctx(c, PRM_GET(destroy_uctx_in, c->in, uid)));
}

enum fw_status fw_alloc_transport_domain(struct fw_cmd *c)
{
	enum fw_status status;
	const struct hca_td *td =
		fw_alloc(c, HCA_KIND_td, FW_GEN(c->hca, log_max_transport_domain), &status);

	if (td)
		PRM_SET(alloc_transport_domain_out, c->out, transport_domain, td->tdn);
	return status;
}

enum fw_status fw_dealloc_transport_domain(struct fw_cmd *c)
{
	return fw_destroy(
		c, fw_td(c, PRM_GET(dealloc_transport_domain_in, c->in, transport_domain)));
}

enum fw_status fw_alloc_pd(struct fw_cmd *c)
{
	enum fw_status status;
	const struct hca_pd *pd = fw_alloc(c, HCA_KIND_pd, FW_GEN(c->hca, log_max_pd), &status);

	if (pd)
		PRM_SET(alloc_pd_out, c->out, pd, pd->pdn);
	return status;
}

enum fw_status fw_dealloc_pd(struct fw_cmd *c)
{
	return fw_destroy(c, fw_pd(c, PRM_GET(dealloc_pd_in, c->in, pd)));
}

enum fw_status fw_alloc_uar(struct fw_cmd *c)
{
	struct hca_uar *uar = hca_uar_new(c->hca);

	/* The status that a device out of UARs was seen to give is "exceeds limits" (UCX issue
	 * 6049: ALLOC_UAR, status 0x8). */
	if (!uar)
		return fw_refuse(c, FW_LIM_ERR, FW_WHY_FULL);
	fw_begin(c, uar);
	PRM_SET(alloc_uar_out, c->out, uar, uar->index);
	return FW_OK;
}

/* assumed(cq_does_not_hold_its_uar): the UAR page of a CQ can be freed, and then nothing arms
 * the CQ. perftest 4.5 leaves one of ib_send_bw's CQs until it exits, so libmlx5 frees the page
 * first. If that were refused, mlx5_core would log that DESTROY_UCTX fails after each run, and
 * no such log is known. */
enum fw_status fw_dealloc_uar(struct fw_cmd *c)
{
	return fw_destroy(c, fw_uar(c, PRM_GET(dealloc_uar_in, c->in, uar)));
}

enum fw_status fw_alloc_xrcd(struct fw_cmd *c)
{
	enum fw_status status;
	const struct hca_xrcd *x =
		fw_alloc(c, HCA_KIND_xrcd, FW_GEN(c->hca, log_max_xrcd), &status);

	if (x)
		PRM_SET(alloc_xrcd_out, c->out, xrcd, x->xrcdn);
	return status;
}

enum fw_status fw_dealloc_xrcd(struct fw_cmd *c)
{
	return fw_destroy(c, fw_xrcd(c, PRM_GET(dealloc_xrcd_in, c->in, xrcd)));
}
