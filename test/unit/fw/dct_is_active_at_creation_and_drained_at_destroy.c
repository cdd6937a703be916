/* SPDX-License-Identifier: BSD-2-Clause */
/* DCTs: CREATE_DCT … DESTROY_DCT, and the QP that sends to them, a DCI. */
#include "queues.h"
#include "event/event.h"

enum { DCI = 5 };
enum { RAE = 1 << 2, RNR_TIMEOUT = 1 << 6 };

static uint32_t rmp;

static void setup_target(void)
{
	setup_needs();
	rmp = new_rmp(n.pd);
}

TestSuite(target, .init = setup_target, .fini = teardown);

/* The inbox byte by byte, but for the numbers of objects. */
static uint8_t *dct_box(void)
{
	static const uint8_t golden[0x40] = {
		[0x05] = 0x12, 0x34, 0x56,	 /* user_index */
		[0x0d] = 0x3e,			 /* atomic_mode 3, rre rwe rae */
		[0x12] = 0x0c,			 /* min_rnr_nak */
		[0x1c] = 0x6a, 0x01, 0x23, 0x45, /* tclass, flow_label */
		[0x20] = 0x11, 0x22, 0x33, 0x44, /* dc_access_key */
		[0x24] = 0x55, 0x66, 0x77, 0x88, /* … */
		[0x28] = 0x03, 0x01, 0x00, 0x00, /* mtu, port, pkey_index */
		[0x2c] = 0x00, 0x03, 0x00, 0x40, /* my_addr_index, hop_limit */
	};
	uint8_t *dctc = PRM_ADDR(create_dct_in, b.in, dct_context_entry);

	box(PRM_OP_CREATE_DCT);
	memcpy(dctc, golden, sizeof(golden));
	SET(dctc, dctc, F(pd, n.pd), F(cqn, n.cq), F(srqn_xrqn, rmp));
	return dctc;
}

static uint32_t new_dct(void)
{
	return MADE(dct_box());
}

Test(target, is_ready_when_it_is_made)
{
	const struct hca_dct *dct;
	const struct hca_qp *m;
	uint32_t dctn, set;

	set = alloc_as(0, PRM_OP_ALLOC_Q_COUNTER);
	dctn = MADE(PRM_SET(dctc, dct_box(), counter_set_id, set));
	dct = hca_dct_find(&hca, dctn);
	m = dct->model;
	cr_expect_eq(m->counter, core_ids_get(&hca.q_counters, set));
	cr_expect_eq(dctn, 0x5a001);
	EQUALS(E(dct->state, PRM_DCTC_STATE_ACTIVE), E(dct->key, 0x1122334455667788),
	       E(m->qpn, dctn), E(m->st, 6), E(m->pd->pdn, n.pd), E(m->rcq->cqn, n.cq),
	       E(m->srq->srqn, rmp), E(m->user_index, 0x123456), E(m->mtu, 1024),
	       E(m->log_msg_max, 30), E(m->max_dest_rd_atomic, 16), E(m->min_rnr_nak, 12),
	       E(m->atomic_mode, 3));
	cr_expect(m->rre && m->rwe && m->rae);
	EQUALS(E(m->path.sgid_index, 3), E(m->path.hop_limit, 64), E(m->path.tclass, 0x6a),
	       E(m->path.flow_label, 0x12345));
}

Test(target, query_shows_what_was_set_and_what_has_happened)
{
	uint8_t *dctc = dct_box(), want[0x40], *got;
	uint32_t dctn;

	memcpy(want, dctc, sizeof(want));
	dctn = made();
	hca_dct_find(&hca, dctn)->violations = 0x0a0b0c0d;
	cr_assert_eq(execute_on(PRM_OP_QUERY_DCT, dctn), FW_OK);
	got = PRM_ADDR(query_dct_out, b.out, dct_context_entry);
	cr_expect_arr_eq(got, want, 0x30);
	cr_expect_arr_eq(got + 0x30, "\x0a\x0b\x0c\x0d", 4);
	cr_assert_eq(execute_on(PRM_OP_DRAIN_DCT, dctn), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_QUERY_DCT, dctn), FW_OK);
	cr_expect_eq(got[0], PRM_DCTC_STATE_DRAINED);
}

Test(target, is_drained_first_and_the_event_says_so)
{
	uint32_t dctn = new_dct();
	struct hca_dct *dct = hca_dct_find(&hca, dctn);
	struct hca_eq *eq = core_ids_get(&hca.eqs, n.eq);
	uint8_t eqe[64];

	eq->events = 1ull << PRM_EVENT_DCT_DRAINED;
	cr_expect_eq(execute_on(PRM_OP_DESTROY_DCT, dctn), FW_BAD_RES_STATE);
	cr_assert_not_null(hca_dct_connect(dct));
	cr_assert_eq(execute_on(PRM_OP_DRAIN_DCT, dctn), FW_OK);
	cr_expect_eq(dct->count, 0);
	cr_assert(event_eq_next(eq, eqe));
	cr_expect_eq(eqe[1], 0x1c);
	cr_expect_arr_eq(eqe + 32 + 24, "\x00\x05\xa0\x01", 4);
	cr_expect_eq(execute_on(PRM_OP_DRAIN_DCT, dctn), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_DCT, dctn), FW_OK);
	cr_expect_eq(execute_on(PRM_OP_DESTROY_DCT, dctn), FW_BAD_RES_STATE);
	cr_expect_eq(execute_on(PRM_OP_DRAIN_DCT, dctn), FW_BAD_RES_STATE);
	cr_expect_eq(execute_on(PRM_OP_QUERY_DCT, dctn), FW_BAD_RES_STATE);
}

Test(target, holds_what_it_uses)
{
	uint32_t dctn = new_dct();

	cr_expect_eq(execute_on(PRM_OP_DESTROY_CQ, n.cq), FW_BAD_RES_STATE);
	cr_expect_eq(execute_on(PRM_OP_DESTROY_RMP, rmp), FW_BAD_RES_STATE);
	cr_expect_eq(execute_on(PRM_OP_DEALLOC_PD, n.pd), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DRAIN_DCT, dctn), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_DCT, dctn), FW_OK);
	cr_expect_eq(execute_on(PRM_OP_DESTROY_CQ, n.cq), FW_OK);
	cr_expect_eq(execute_on(PRM_OP_DESTROY_RMP, rmp), FW_OK);
	cr_expect_eq(execute_on(PRM_OP_DEALLOC_PD, n.pd), FW_OK);
}

Test(target, key_violations_are_reported_once_armed)
{
	uint32_t dctn = new_dct();

	cr_expect(!hca_dct_find(&hca, dctn)->armed);
	cr_assert_eq(execute_on(PRM_OP_ARM_DCT_FOR_KEY_VIOLATION, dctn), FW_OK);
	cr_expect(hca_dct_find(&hca, dctn)->armed);
	cr_expect_eq(execute_on(PRM_OP_ARM_DCT_FOR_KEY_VIOLATION, dctn + 1), FW_BAD_RES_STATE);
}

Test(target, belongs_to_its_uid)
{
	uint16_t u = new_uctx(), other = new_uctx();
	struct needs mine = { .pd = new_pd(u), .uar = new_uar(u) };
	uint32_t dctn;

	BOX_REFUSED(AS(u, dct_box()), FW_BAD_RES, WHY_PD);
	dctn = new_dct();
	cr_expect_eq(execute_as(other, PRM_OP_DRAIN_DCT, dctn), FW_BAD_RES_STATE);
	cr_expect_neq(mine.pd, n.pd);
}

Test(target, refusals)
{
	BOX_REFUSED(PRM_SET(dctc, dct_box(), pd, n.pd + 1), FW_BAD_RES, WHY_PD);
	BOX_REFUSED(PRM_SET(dctc, dct_box(), cqn, n.cq + 1), FW_BAD_RES, WHY_CQ);
	BOX_REFUSED(PRM_SET(dctc, dct_box(), srqn_xrqn, rmp + 1), FW_BAD_RES, WHY_SRQ);
	hca_srq_find(&hca, rmp)->xrc = true;
	BOX_REFUSED(dct_box(), FW_BAD_RES, WHY_SRQ);
	hca_srq_find(&hca, rmp)->xrc = false;
	BOX_REFUSED(PRM_SET(dctc, dct_box(), counter_set_id, 9), FW_BAD_RES, WHY_COUNTER);
	BAD_PARAM(PRM_SET(dctc, dct_box(), my_addr_index, 4), WHY_GID); /* an empty GID entry */
	BAD_PARAM(PRM_SET(dctc, dct_box(), mtu, 0), WHY_MTU);
	BAD_PARAM(PRM_SET(dctc, dct_box(), mtu, 5), WHY_MTU); /* 4096, more than the port's */
	BAD_PARAM(PRM_SET(dctc, dct_box(), port, 2), WHY_VALUE);
	BAD_PARAM(PRM_SET(dctc, dct_box(), pkey_index, 1), WHY_VALUE);
	BAD_PARAM(PRM_SET(dctc, dct_box(), state, 2), WHY_VALUE);
	BAD_PARAM(PRM_SET(dctc, dct_box(), cs_res, 2), WHY_VALUE); /* a CQE of 64 bytes */
	BAD_PARAM(PRM_SET(dctc, dct_box(), atomic_mode, 4), WHY_UNSUPPORTED);
	BAD_PARAM(PRM_SET(dctc, dct_box(), offload_type, 1), WHY_UNSUPPORTED); /* rendezvous */
	BAD_PARAM(PRM_SET(dctc, dct_box(), rlky, 1), WHY_UNSUPPORTED);
	PRM_SET(cmd_hca_cap, hca.caps[0], dct, 0);
	BOX_REFUSED(dct_box(), FW_BAD_OP, WHY_UNSUPPORTED);
	cr_expect_eq(hca.dcts.used, 0);
}

Test(target, data_is_in_a_long_cqe)
{
	hca_cq_find(&hca, n.cq)->cqe_size_log = 7;
	BOX_OK(PRM_SET(dctc, dct_box(), cs_res, 2));
}

/* ---- initiators ---- */

static uint8_t *dci_box(void)
{
	uint8_t *qpc = qp_box(&n);

	SET(qpc, qpc, F(st, DCI), F(rq_type, 1), F(log_rq_size, 0), F(log_rq_stride, 0));
	b.in_len -= 8; /* the second page */
	return qpc;
}

static uint32_t new_dci(void)
{
	return MADE(dci_box());
}

Test(target, initiator_has_neither_peer_nor_receive_queue)
{
	uint32_t qpn = new_dci();
	struct hca_qp *qp = hca_qp_find(&hca, qpn);
	uint8_t *qpc;

	cr_expect_eq(qp->st, DCI);
	cr_expect(!qp->srq && !qp->rq.cnt);
	cr_expect_eq(qp->sq.cnt, 64);
	BOX_OK(init_box(qpn));
	qpc = modify_box(PRM_OP_INIT2RTR_QP, qpn);
	BOX_OK(WITH(SET(qpc, qpc, F(mtu, 3), F(log_msg_max, 30), F(atomic_mode, 3), F(rae, 1)),
		    PRM_SET(rst2init_qp_in, b.in, opt_param_mask, RAE)));
	cr_expect_eq(qp->mtu, 1024);
	BOX_OK(rts_box(qpn));
	EQUALS(E(qp->state, PRM_QPC_STATE_RTS), E(qp->max_rd_atomic, 2), E(qp->req.psn, 0x123));
	/* Fields set by the engine are its own. */
	qp->remote_qpn = 0x60041;
	qp->path.hop_limit = 9;
	BOX_OK(WITH_FIELD(modify_box(PRM_OP_RTS2RTS_QP, qpn), rst2init_qp_in, opt_param_mask,
			  RNR_TIMEOUT));
	EQUALS(E(qp->remote_qpn, 0x60041), E(qp->path.hop_limit, 9));
}

Test(target, initiator_refusals)
{
	uint8_t *qpc = dci_box();

	SET(qpc, qpc, F(rq_type, 0), F(log_rq_size, 4));
	cr_expect_eq(execute(), FW_BAD_PARAM, "with a receive queue");
	BAD_PARAM(PRM_SET(qpc, dci_box(), log_num_dci_stream_channels, 1),
		  WHY_UNSUPPORTED);				  /* streams */
	BAD_PARAM(PRM_SET(qpc, dci_box(), cs_res, 1), WHY_VALUE); /* it receives nothing */
	BOX_REFUSED(PRM_SET(qpc, dci_box(), cqn_snd, n.cq + 1), FW_BAD_RES, WHY_CQ);
	PRM_SET(cmd_hca_cap, hca.caps[0], dc_req_scat_data_cqe, 0);
	BAD_PARAM(PRM_SET(qpc, dci_box(), cs_req, 0x11), WHY_VALUE);
	PRM_SET(cmd_hca_cap, hca.caps[0], dct, 0);
	BAD_PARAM(dci_box(), WHY_UNSUPPORTED);
	cr_expect_eq(syndrome() & 0xff, WHY_UNSUPPORTED);
	cr_expect_eq(hca.qps.used, 0);
}

Test(target, initiator_has_its_own_limit_of_reads)
{
	uint32_t qpn = new_dci();
	uint8_t *qpc;

	BOX_OK(init_box(qpn));
	qpc = modify_box(PRM_OP_INIT2RTR_QP, qpn);
	BOX_OK(SET(qpc, qpc, F(mtu, 3), F(log_msg_max, 30)));
	PRM_SET(cmd_hca_cap, hca.caps[0], log_max_ra_req_dc, 0);
	BAD_PARAM(rts_box(qpn), WHY_VALUE);
	PRM_SET(cmd_hca_cap, hca.caps[0], log_max_ra_req_dc, 1);
	BOX_OK(rts_box(qpn));
}

Test(target, has_no_options_of_ece)
{
	const uint8_t *dctc = PRM_ADDR(query_dct_out, b.out, dct_context_entry);
	uint32_t dctn;

	BOX_OK(PRM_SET(dctc, dct_box(), ece, UINT32_MAX));
	cr_expect_eq(PRM_GET(create_dct_out, b.out, ece), 0);
	dctn = PRM_GET(create_dct_out, b.out, dctn);
	cr_assert_eq(execute_on(PRM_OP_QUERY_DCT, dctn), FW_OK);
	cr_expect_eq(PRM_GET(dctc, dctc, ece), 0, "those in use");
	PRM_SET(cmd_hca_cap, hca.caps[PRM_CAP_GENERAL], ece_support, 0);
	BAD_PARAM(PRM_SET(dctc, dct_box(), ece, 1u << 31), WHY_UNSUPPORTED);
}
