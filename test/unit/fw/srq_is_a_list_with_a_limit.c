/* SPDX-License-Identifier: BSD-2-Clause */
/* srq: RMPs and XRC SRQs, their limits, who keeps them busy, whose they are. */
#include "queues.h"

NEEDS_SUITE(srq);

static uint8_t *xrc_box(const struct needs *n, uint32_t xrcd)
{
	uint8_t *xrc = PRM_ADDR(create_xrc_srq_in, b.in, xrc_srq_context_entry);

	box(PRM_OP_CREATE_XRC_SRQ);
	SET(xrc_srqc, xrc, F(log_xrc_srq_size, 7), F(log_rq_stride, 2), F(xrcd, xrcd),
	    F(cqn, n->cq), F(user_index, 0xabcdef), F(pd, n->pd),
	    F(db_record_addr_h, (uintptr_t)record >> 32),
	    F(db_record_addr_l, (uint32_t)(uintptr_t)record >> 2));
	pas(page(5));
	pas(page(6));
	return xrc;
}

static uint32_t new_xrc_srq(const struct needs *n, uint32_t xrcd)
{
	return MADE(xrc_box(n, xrcd));
}

/* A QP that takes its receive WQEs from @srqn. */
static uint8_t *shared_qp_box(const struct needs *n, uint32_t srqn)
{
	uint8_t *qpc = qp_box(n);

	SET(qpc, qpc, F(rq_type, 1), F(log_rq_size, 0), F(log_rq_stride, 0),
	    F(srqn_rmpn_xrqn, srqn));
	memset(b.in + b.in_len - 8, 0, 8);
	b.in_len -= 8; /* the send queue alone: one page */
	return qpc;
}

Test(srq, rmp_is_what_its_wq_says)
{
	uint32_t rmpn = new_rmp(new_pd(0));
	const struct hca_srq *srq = hca_srq_find(&hca, rmpn);

	cr_assert_eq(rmpn >> 16, 5);
	cr_assert(!srq->xrc && !srq->error && !srq->cq && !srq->xrcd);
	EQUALS(E(srq->wq.cnt, 128), E(srq->wq.log_stride, 6), E(srq->wq.offset, 0));
	cr_assert_eq(hca_ring_at(&srq->wq.ring, 64 << 6), pages[6]);
	EQUALS(E(srq->dbrec, (uintptr_t)record), E(srq->pd->refs, 1));
}

Test(srq, xrc_srq_has_a_domain_and_a_cq)
{
	uint32_t xrcd = new_xrcd(0), srqn = new_xrc_srq(&n, xrcd);
	const struct hca_srq *srq = hca_srq_find(&hca, srqn);

	cr_assert(srq->xrc);
	EQUALS(E(srq->xrcd->xrcdn, xrcd), E(srq->cq->cqn, n.cq), E(srq->user_index, 0xabcdef),
	       E(srq->wq.cnt, 128), E(srq->wq.log_stride, 6), E(srq->dbrec, (uintptr_t)record));
}

Test(srq, refusals)
{
	uint32_t xrcd = new_xrcd(0);

	BAD_PARAM(PRM_SET(wq, rmp_box(n.pd), wq_type, 2), WHY_UNSUPPORTED); /* striding */
	BAD_PARAM(PRM_SET(wq, rmp_box(n.pd), wq_signature, 1), WHY_UNSUPPORTED);
	BAD_PARAM(PRM_SET(wq, rmp_box(n.pd), log_wq_stride, 4), WHY_SIZE);
	BAD_PARAM(PRM_SET(wq, rmp_box(n.pd), dbr_addr, (uintptr_t)record + 2), WHY_DBR);
	BAD_PARAM(PRM_SET(wq, rmp_box(n.pd), lwm, 129), WHY_VALUE);
	BOX_REFUSED(rmp_box(n.pd + 1), FW_BAD_RES, WHY_PD);
	BAD_PARAM(WITH(rmp_box(n.pd),
		       PRM_SET(rmpc, PRM_ADDR(create_rmp_in, b.in, ctx), state, 0)),
		  WHY_VALUE);
	BOX_REFUSED(SHORTER(rmp_box(n.pd), 8), FW_BAD_INP_LEN, WHY_PAS);
	BOX_REFUSED(xrc_box(&n, xrcd + 1), FW_BAD_RES, WHY_XRCD);
	BOX_REFUSED(PRM_SET(xrc_srqc, xrc_box(&n, xrcd), cqn, n.cq + 1), FW_BAD_RES, WHY_CQ);
	BAD_PARAM(PRM_SET(xrc_srqc, xrc_box(&n, xrcd), wq_signature, 1), WHY_UNSUPPORTED);
	AT_LIMIT(log_max_srq_sz, 7, rmp_box(n.pd), FW_BAD_PARAM, WHY_SIZE);
	AT_LIMIT(log_max_srq, 1, rmp_box(n.pd), FW_LIM_ERR, WHY_LIMIT);
	AT_LIMIT(max_wqe_sz_rq, 64, rmp_box(n.pd), FW_BAD_PARAM, WHY_SIZE);
	AT_LIMIT(log_max_xrcd, 1, box(PRM_OP_ALLOC_XRCD), FW_LIM_ERR, WHY_LIMIT);
}

static enum fw_status modify_rmp(uint32_t rmpn, uint32_t state, uint32_t lwm)
{
	uint8_t *rmpc = PRM_ADDR(modify_rmp_in, b.in, ctx);

	CMD(MODIFY_RMP, F(rmp_state, 1), F(rmpn, rmpn));
	PRM_SET(rmp_bitmask, PRM_ADDR(modify_rmp_in, b.in, bitmask), lwm, 1);
	PRM_SET(rmpc, rmpc, state, state);
	PRM_SET(wq, PRM_ADDR(rmpc, rmpc, wq), lwm, lwm);
	return execute();
}

Test(srq, the_limit_of_an_rmp)
{
	uint32_t rmpn = new_rmp(new_pd(0));
	const uint8_t *rmpc = PRM_ADDR(query_rmp_out, b.out, rmp_context);
	const uint8_t *wq = PRM_ADDR(rmpc, rmpc, wq);

	cr_assert_eq(modify_rmp(rmpn, 1, 17), FW_OK);
	hca_srq_find(&hca, rmpn)->taken = 3;
	record[0] = 0x05000000; /* be32 5 */
	cr_assert_eq(execute_on(PRM_OP_QUERY_RMP, rmpn), FW_OK);
	cr_assert_eq(PRM_GET(rmpc, rmpc, state), 1);
	cr_assert_eq(PRM_GET(wq, wq, lwm), 17);
	cr_assert_eq(PRM_GET(wq, wq, hw_counter), 3);
	cr_assert_eq(PRM_GET(wq, wq, sw_counter), 5);
	cr_assert_eq(modify_rmp(rmpn, 1, 129), FW_BAD_PARAM);
	cr_assert_eq(modify_rmp(rmpn, 0, 1), FW_BAD_RES_STATE);
	cr_assert_eq(modify_rmp(rmpn + 1, 1, 1), FW_BAD_RES_STATE);
	cr_assert_eq(hca_srq_find(&hca, rmpn)->lwm, 17);
	hca_srq_find(&hca, rmpn)->error = true;
	cr_assert_eq(modify_rmp(rmpn, 1, 1), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_QUERY_RMP, rmpn), FW_OK);
	cr_assert_eq(PRM_GET(rmpc, rmpc, state), 3);
}

static enum fw_status arm_xrc(uint32_t srqn, uint32_t op_mod, uint32_t lwm)
{
	CMD(ARM_XRC_SRQ, F(op_mod, op_mod), F(xrc_srqn, srqn), F(lwm, lwm));
	return execute();
}

Test(srq, the_limit_of_an_xrc_srq)
{
	uint32_t srqn = new_xrc_srq(&n, new_xrcd(0));
	const uint8_t *xrc = PRM_ADDR(query_xrc_srq_out, b.out, xrc_srq_context_entry);

	cr_assert_eq(arm_xrc(srqn, 1, 9), FW_OK);
	cr_assert_eq(arm_xrc(srqn, 0, 9), FW_BAD_PARAM);
	cr_assert_eq(arm_xrc(srqn, 1, 129), FW_BAD_PARAM);
	cr_assert_eq(arm_xrc(srqn + 1, 1, 9), FW_BAD_RES_STATE);
	record[0] = 0x05000000;
	hca_srq_find(&hca, srqn)->taken = 3;
	cr_assert_eq(execute_on(PRM_OP_QUERY_XRC_SRQ, srqn), FW_OK);
	cr_assert_eq(PRM_GET(xrc_srqc, xrc, lwm), 9);
	cr_assert_eq(PRM_GET(xrc_srqc, xrc, wqe_cnt), 2);
	cr_assert_eq(PRM_GET(xrc_srqc, xrc, user_index), 0xabcdef);
}

/* One number space, but each kind answers to its own commands only. */
Test(srq, an_rmp_is_no_xrc_srq)
{
	uint32_t rmpn = new_rmp(n.pd), srqn = new_xrc_srq(&n, new_xrcd(0));

	cr_assert_neq(rmpn, srqn);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_RMP, srqn), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_QUERY_RMP, srqn), FW_BAD_RES_STATE);
	cr_assert_eq(modify_rmp(srqn, 1, 1), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_XRC_SRQ, rmpn), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_QUERY_XRC_SRQ, rmpn), FW_BAD_RES_STATE);
	cr_assert_eq(arm_xrc(rmpn, 1, 1), FW_BAD_RES_STATE);
	BOX_REFUSED(shared_qp_box(&n, srqn), FW_BAD_RES, WHY_SRQ);
}

Test(srq, who_uses_it_keeps_it)
{
	uint32_t xrcd = new_xrcd(0), rmpn = new_rmp(n.pd), srqn = new_xrc_srq(&n, xrcd), qpn;

	qpn = MADE(shared_qp_box(&n, rmpn));
	cr_assert_eq(hca_qp_find(&hca, qpn)->srq, hca_srq_find(&hca, rmpn));
	cr_assert_eq(hca_qp_find(&hca, qpn)->rq.cnt, 0);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_RMP, rmpn), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_XRCD, xrcd), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_QP, qpn), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_CQ, n.cq), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_XRC_SRQ, srqn), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_CQ, n.cq), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_PD, n.pd), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_RMP, rmpn), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_PD, n.pd), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_XRCD, xrcd), FW_OK);
	cr_assert_eq(hca.srqs.used + hca.xrcds.used, 0);
}

Test(srq, another_uid_may_not_touch)
{
	uint16_t one = new_uctx(), two = new_uctx();
	uint32_t pd = new_pd(one), xrcd = new_xrcd(one), rmpn;

	AS(one, rmp_box(pd));
	rmpn = made();
	cr_assert_eq(execute_as(two, PRM_OP_DESTROY_RMP, rmpn), FW_BAD_RES_STATE);
	cr_assert_eq(execute_as(two, PRM_OP_DEALLOC_XRCD, xrcd), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_UCTX, one), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_RMP, rmpn), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_XRCD, xrcd), FW_OK);
}
