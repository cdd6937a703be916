/* SPDX-License-Identifier: BSD-2-Clause */
/* UC, UD and XRC QPs: what each is made of, what its transitions read. */
#include "queues.h"

enum { UC = 1, UD = 2, XRC = 3 };
enum { RRE = 1 << 1, RWE = 1 << 3, Q_KEY = 1 << 5, RNR_TIMEOUT = 1 << 6 };

NEEDS_SUITE(service);

static uint32_t new_of(uint32_t st)
{
	return MADE(PRM_SET(qpc, qp_box(&n), st, st));
}

/* Neither queue, neither record nor page: an XRC target as mlx5_ib makes one. */
static uint8_t *target_box(uint32_t xrcd)
{
	uint8_t *qpc = PRM_ADDR(create_qp_in, b.in, qpc);

	box(PRM_OP_CREATE_QP);
	SET(qpc, qpc, F(st, XRC), F(pm_state, 3), F(pd, n.pd), F(no_sq, 1), F(rq_type, 1),
	    F(user_index, 0xffffff), F(xrcd, xrcd));
	return qpc;
}

/* modify_box() with the service type, and INIT2INIT's port. */
static uint8_t *change(uint32_t opcode, uint32_t qpn, uint32_t st)
{
	uint8_t *qpc = modify_box(opcode, qpn);

	PRM_SET(qpc, qpc, st, st);
	return qpc;
}

static void ud_to(uint32_t qpn, int state)
{
	uint8_t *qpc = change(PRM_OP_RST2INIT_QP, qpn, UD);

	BOX_OK(WITH(SET(qpc, qpc, F(pm_state, 3), F(q_key, 0x11111111)),
		    PRM_SET(ads, ADS(qpc), vhca_port_num, 1)));
	if (state < PRM_QPC_STATE_RTR)
		return;
	qpc = change(PRM_OP_INIT2RTR_QP, qpn, UD);
	BOX_OK(SET(qpc, qpc, F(mtu, 5), F(log_msg_max, 12)));
	if (state < PRM_QPC_STATE_RTS)
		return;
	qpc = change(PRM_OP_RTR2RTS_QP, qpn, UD);
	BOX_OK(PRM_SET(qpc, qpc, next_send_psn, 0x45));
}

Test(service, ud_needs_a_q_key_and_no_peer)
{
	uint32_t qpn = new_of(UD);
	struct hca_qp *qp = hca_qp_find(&hca, qpn);

	cr_assert_eq(qp->st, UD);
	ud_to(qpn, PRM_QPC_STATE_RTS);
	EQUALS(E(qp->state, PRM_QPC_STATE_RTS), E(qp->qkey, 0x11111111));
	cr_assert_eq(qp->mtu, 1024, "the port's");
	EQUALS(E(qp->log_msg_max, 12), E(qp->req.psn, 0x45));
	cr_assert_eq(PRM_GET(qpc, query_qp(qpn), q_key), 0x11111111);
	cr_assert_eq(execute_on(PRM_OP_2RST_QP, qpn), FW_OK);
	cr_assert_eq(PRM_GET(qpc, query_qp(qpn), q_key), 0);
}

Test(service, ud_changes_its_q_key_when_asked)
{
	uint32_t qpn = new_of(UD);
	struct hca_qp *qp = hca_qp_find(&hca, qpn);
	uint8_t *qpc;

	ud_to(qpn, PRM_QPC_STATE_RTS);
	qpc = change(PRM_OP_RTS2RTS_QP, qpn, UD);
	BOX_OK(PRM_SET(qpc, qpc, q_key, 0x22222222));
	cr_assert_eq(qp->qkey, 0x11111111, "not named");
	BOX_OK(PRM_SET(rst2init_qp_in, b.in, opt_param_mask, Q_KEY));
	cr_assert_eq(qp->qkey, 0x22222222);
	PRM_SET(rst2init_qp_in, b.in, opt_param_mask, RRE);
	cr_assert_eq(execute(), FW_BAD_PARAM);
	qp->state = PRM_QPC_STATE_SQER;
	change(PRM_OP_SQERR2RTS_QP, qpn, UD);
	cr_assert_eq(execute(), FW_OK);
	cr_assert_eq(qp->state, PRM_QPC_STATE_RTS);
}

Test(service, uc_has_no_responder_resources)
{
	uint32_t qpn = new_of(UC);
	struct hca_qp *qp = hca_qp_find(&hca, qpn);

	BAD_PARAM(init_box(qpn), WHY_VALUE); /* RC's */
	PRM_SET(qpc, PRM_ADDR(rst2init_qp_in, b.in, qpc), st, UC);
	cr_assert_eq(execute(), FW_OK);
	BOX_OK(PRM_SET(qpc, rtr_box(qpn), st, UC));
	EQUALS(E(qp->remote_qpn, 0x60041), E(qp->mtu, 1024), E(qp->resp.epsn, 0xabcdef));
	cr_assert_eq(qp->min_rnr_nak, 0, "not read");
	BAD_PARAM(WITH_FIELD(PRM_SET(qpc, rts_box(qpn), st, UC), rst2init_qp_in, opt_param_mask,
			     RNR_TIMEOUT),
		  WHY_OPT_PARAM);
	BOX_OK(PRM_SET(rst2init_qp_in, b.in, opt_param_mask, RWE));
	cr_assert(!qp->rwe, "named, and 0");
	cr_assert_eq(qp->state, PRM_QPC_STATE_RTS);
}

Test(service, only_connected_ones_are_bound_by_the_mtu_of_the_port)
{
	uint32_t qpn = new_of(UC);

	BOX_OK(WITH(init_box(qpn), PRM_SET(qpc, PRM_ADDR(rst2init_qp_in, b.in, qpc), st, UC)));
	rtr_box(qpn);
	SET(qpc, PRM_ADDR(rst2init_qp_in, b.in, qpc), F(st, UC), F(mtu, 5));
	cr_assert_eq(execute(), FW_BAD_PARAM);
}

Test(service, xrc_target_has_a_domain_and_nothing_else)
{
	uint32_t xrcd = new_xrcd(0), qpn;
	struct hca_qp *qp;

	qpn = MADE(target_box(xrcd));
	qp = hca_qp_find(&hca, qpn);
	cr_assert_eq(qp->xrcd->xrcdn, xrcd);
	cr_assert(!qp->scq && !qp->rcq && !qp->uar && !qp->srq);
	cr_assert_eq(qp->sq.cnt + qp->rq.cnt, 0);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_XRCD, xrcd), FW_BAD_RES_STATE);
	BOX_OK(WITH(init_box(qpn), PRM_SET(qpc, PRM_ADDR(rst2init_qp_in, b.in, qpc), st, XRC)));
	BOX_OK(PRM_SET(qpc, rtr_box(qpn), st, XRC));
	cr_assert_eq(qp->min_rnr_nak, 12);
	cr_assert_eq(PRM_GET(qpc, query_qp(qpn), xrcd), xrcd);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_QP, qpn), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_XRCD, xrcd), FW_OK);
}

Test(service, xrc_initiator_has_a_send_queue)
{
	uint8_t *qpc = qp_box(&n);
	const struct hca_qp *qp;

	PRM_SET(qpc, qpc, st, XRC);
	cr_assert_eq(execute(), FW_BAD_PARAM, "with a receive queue");
	SET(qpc, qpc, F(rq_type, 1), F(log_rq_size, 0), F(log_rq_stride, 0), F(cqn_rcv, 0));
	b.in_len -= 8;
	qp = hca_qp_find(&hca, made());
	cr_assert_eq(qp->scq->cqn, n.cq);
	cr_assert(!qp->rcq && !qp->xrcd);
	cr_assert_eq(qp->sq.cnt, 64);
}

Test(service, xrc_refusals)
{
	uint32_t xrcd = new_xrcd(0);

	BOX_REFUSED(target_box(0), FW_BAD_RES, WHY_XRCD);
	BOX_REFUSED(target_box(xrcd + 1), FW_BAD_RES, WHY_XRCD);
	BOX_REFUSED(PRM_SET(qpc, target_box(xrcd), cqn_rcv, n.cq + 1), FW_BAD_RES, WHY_CQ);
	BOX_REFUSED(PRM_SET(qpc, target_box(xrcd), srqn_rmpn_xrqn, 0x50001), FW_BAD_RES,
		    WHY_SRQ);
	BOX_REFUSED(PRM_SET(qpc, target_box(xrcd), no_sq, 0), FW_BAD_RES,
		    WHY_CQ); /* a send queue needs a CQ */
	BOX_REFUSED(PRM_SET(qpc, target_box(xrcd), st, 0), FW_BAD_RES, WHY_CQ); /* RC does */
}

Test(service, data_in_cqes_is_for_connected_ones)
{
	BOX_OK(WITH(PRM_SET(qpc, qp_box(&n), st, UC),
		    PRM_SET(qpc, PRM_ADDR(create_qp_in, b.in, qpc), cs_res, 1)));
	PRM_SET(qpc, PRM_ADDR(create_qp_in, b.in, qpc), cs_req, 0x11);
	cr_assert_eq(execute(), FW_BAD_PARAM);
	BAD_PARAM(WITH(PRM_SET(qpc, qp_box(&n), st, UD),
		       PRM_SET(qpc, PRM_ADDR(create_qp_in, b.in, qpc), cs_res, 1)),
		  WHY_VALUE);
}
