/* SPDX-License-Identifier: BSD-2-Clause */
/* EQ, CQ, QP: layout, doorbell records, references; every size and number that is refused. */
#include "device.h"

DEVICE_SUITE(queue);
NEEDS_SUITE(queue_of_qp);

Test(queue, create_cq_by_hand)
{
	uint8_t in[0x118] = { 0x04, 0x00 }, out[16];
	uint32_t uar = new_uar(0), eqn = new_eq(uar);
	uint64_t rec = (uintptr_t)dbrec, pa = page(1);

	in[0x10 + 0x0c] = 6; /* log_cq_size: 64 entries of 64 bytes */
	in[0x10 + 0x0f] = uar;
	in[0x10 + 0x17] = eqn;
	for (int i = 7; i >= 0; i--, rec >>= 8, pa >>= 8) {
		in[0x10 + 0x38 + i] = rec;
		in[0x110 + i] = pa;
	}
	fw_exec(&hca, in, sizeof(in), out, sizeof(out));
	cr_assert_arr_eq(out, ((uint8_t[16]){ 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x05, 0x00, 0x01 }),
			 16);
}

Test(queue, cq_is_what_the_context_says)
{
	uint32_t uar = new_uar(0), eqn = new_eq(uar);
	uint8_t *cqc = cq_box(uar, eqn);
	struct hca_cq *cq;

	memset(dbrec, 0, sizeof(dbrec));
	PRM_SET(cqc, cqc, cqe_sz, 1); /* 128 bytes: 32 entries fill the first page */
	PRM_SET(cqc, cqc, log_cq_size, 5);
	PRM_SET(cqc, cqc, page_offset, 32); /* 32/64 of 4096 */
	PRM_SET(cqc, cqc, oi, 1);
	cq = hca_cq_find(&hca, made());
	cr_assert_eq(hca_ring_at(&cq->ring, 0), pages[1] + 2048);
	cr_assert_eq(hca_ring_at(&cq->ring, 16 * 128), pages[2]);
	EQUALS(E(cq->cqe_size_log, 7), E(cq->log_size, 5));
	cr_assert(cq->overrun_ignore);
	EQUALS(E(cq->eq->eqn, eqn), E(cq->dbrec, (uintptr_t)dbrec));
	/* the arm word differs from any arm, and the consumer index is left alone */
	cr_assert_eq(dbrec[0], 0);
	cr_assert_eq(dbrec[1], 0xffffffff);
	cr_assert_eq(cq->arm_last, 0xffffffff);
	cr_assert_not(cq->armed);
}

Test(queue_of_qp, query_cq_shows_live_counters)
{
	struct hca_cq *cq = hca_cq_find(&hca, n.cq);
	const uint8_t *cqc = PRM_ADDR(query_cq_out, b.out, cq_context);

	cq->pi = 0x1000005;
	dbrec[0] = 0x03020100; /* be32 0x010203 */
	CMD(QUERY_CQ, F(cqn, n.cq));
	b.out_len += 16;
	cr_assert_eq(execute(), FW_OK);
	cr_assert_eq(PRM_GET(cqc, cqc, producer_counter), 5);
	cr_assert_eq(PRM_GET(cqc, cqc, consumer_counter), 0x10203);
	cr_assert_eq(PRM_GET(cqc, cqc, log_cq_size), 7);
	cr_assert_eq(PRM_GET(cqc, cqc, st), 0xa);
	cr_assert_eq(PRM_GET(cqc, cqc, status), 0);
	cr_assert_eq(PRM_GET_AT(query_cq_out, b.out, pas, 0), page(1));
	cr_assert_eq(PRM_GET_AT(query_cq_out, b.out, pas, 1), page(2));
	cq->armed = true;
	cq->overrun = true;
	cr_assert_eq(execute(), FW_OK);
	cr_assert_eq(PRM_GET(cqc, cqc, st), 0x9);
	cr_assert_eq(PRM_GET(cqc, cqc, status), 0x9);
	cq->armed_solicited = true;
	cr_assert_eq(execute(), FW_OK);
	cr_assert_eq(PRM_GET(cqc, cqc, st), 0x6);
}

Test(queue, cq_refusals)
{
	uint32_t uar = new_uar(0), eqn = new_eq(uar);

	BOX_REFUSED(cq_box(uar + 1, eqn), FW_BAD_RES, WHY_UAR);
	BOX_REFUSED(cq_box(uar, eqn + 1), FW_BAD_RES, WHY_EQ);
	BAD_PARAM(PRM_SET(cqc, cq_box(uar, eqn), cqe_sz, 3), WHY_UNSUPPORTED);
	BAD_PARAM(PRM_SET(cqc, cq_box(uar, eqn), dbr_addr, (uintptr_t)dbrec + 4), WHY_DBR);
	BAD_PARAM(PRM_SET(cqc, cq_box(uar, eqn), dbr_addr, 8),
		  WHY_DBR); /* nothing is mapped there */
	BOX_REFUSED(SHORTER(cq_box(uar, eqn), 8), FW_BAD_INP_LEN, WHY_PAS);
	BAD_PARAM(WITH(cq_box(uar, eqn), pas(page(3))), WHY_PAS);
	BAD_PARAM(WITH(cq_box(uar, eqn), b.in[b.in_len - 2] |= 0x08),
		  WHY_PAS); /* in the middle of a page */
	BAD_PARAM(PRM_SET(cqc, cq_box(uar, eqn), log_page_size, 20), WHY_SIZE);
	BAD_PARAM(WITH(PRM_SET(cqc, cq_box(uar, eqn), cqe_sz, 1),
		       PRM_SET(cqc, PRM_ADDR(create_cq_in, b.in, cq_context), page_offset, 1)),
		  WHY_PAGE_OFFSET);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_CQ, 0x50001), FW_BAD_RES_STATE);
	AT_LIMIT(log_max_cq_sz, 7, cq_box(uar, eqn), FW_BAD_PARAM, WHY_SIZE);
	AT_LIMIT(log_max_cq, 1, cq_box(uar, eqn), FW_LIM_ERR, WHY_LIMIT);
}

Test(queue, eq_is_what_the_context_says)
{
	uint32_t uar = new_uar(0), eqn = new_eq(uar);
	struct hca_eq *eq = core_ids_get(&hca.eqs, eqn);
	const uint8_t *eqc = PRM_ADDR(query_eq_out, b.out, eq_context_entry);

	EQUALS(E(eq->log_size, 6), E(eq->intr, 2));
	cr_assert_eq(eq->events, 1 << 4);
	cr_assert_eq(hca_ring_at(&eq->ring, 64), pages[0] + 64);
	eq->pi = 9;
	eq->ci = 8;
	cr_assert_eq(execute_on(PRM_OP_QUERY_EQ, eqn), FW_OK);
	cr_assert_eq(PRM_GET(eqc, eqc, producer_counter), 9);
	cr_assert_eq(PRM_GET(eqc, eqc, consumer_counter), 8);
	cr_assert_eq(PRM_GET(eqc, eqc, log_eq_size), 6);
	cr_assert_eq(PRM_GET(query_eq_out, b.out, event_bitmask), 1 << 4);
}

Test(queue, eq_refusals)
{
	uint32_t uar = new_uar(0);
	uint8_t *eqc = PRM_ADDR(create_eq_in, b.in, eq_context_entry);

	BOX_REFUSED(eq_box(uar + 1), FW_BAD_RES, WHY_UAR);
	BAD_PARAM(WITH_FIELD(eq_box(uar), create_eq_in, event_bitmask, 1ull << 0x24),
		  WHY_UNSUPPORTED); /* MONITOR_COUNTER */
	for (int i = 64; i < 256; i++)
		BAD_PARAM(WITH(eq_box(uar), PRM_SET_AT(create_eq_in, b.in, event_bitmask,
						       i / 64, 1ull << i % 64)),
			  WHY_UNSUPPORTED);
	BOX_REFUSED(WITH(eq_box(uar), PRM_SET(eqc, eqc, log_eq_size, 7)), FW_BAD_INP_LEN,
		    WHY_PAS);
	AT_LIMIT(log_max_eq_sz, 6, eq_box(uar), FW_BAD_PARAM, WHY_SIZE);
	AT_LIMIT(max_num_eqs, 2, eq_box(uar), FW_LIM_ERR, WHY_LIMIT);
}

Test(queue_of_qp, qp_buffer_is_receive_then_send)
{
	struct hca_qp *qp;

	BOX_OK(PRM_SET(qpc, qp_box(&n), page_offset, 4)); /* 256 bytes into the first page */
	qp = hca_qp_find(&hca, PRM_GET(create_qp_out, b.out, qpn));
	EQUALS(E(qp->rq.cnt, 16), E(qp->rq.log_stride, 6), E(qp->rq.offset, 0),
	       E(qp->sq.cnt, 64), E(qp->sq.log_stride, 6), E(qp->sq.offset, 1024));
	cr_assert_eq(hca_ring_at(&qp->rq.ring, qp->rq.offset), pages[3] + 256);
	cr_assert_eq(hca_ring_at(&qp->sq.ring, qp->sq.offset), pages[3] + 256 + 1024);
	cr_assert_eq(hca_ring_at(&qp->sq.ring, qp->sq.offset + 63 * 64), pages[4] + 1216);
	EQUALS(E(qp->user_index, 0x123456), E(qp->state, PRM_QPC_STATE_RST),
	       E(qp->uar->queues.next, &qp->on_uar), E(qp->dbrec, (uintptr_t)dbrec));
}

Test(queue_of_qp, qp_without_a_queue)
{
	uint8_t *qpc = qp_box(&n);
	struct hca_qp *qp;

	PRM_SET(qpc, qpc, rq_type, 3);
	REFUSED(FW_BAD_PARAM, WHY_SIZE); /* with a size of the queue that is not there */
	SET(qpc, qpc, F(log_rq_size, 0), F(log_rq_stride, 0));
	REFUSED(FW_BAD_PARAM, WHY_PAS); /* the send queue needs one page only */
	memset(b.in + b.in_len - 8, 0, 8);
	qp = hca_qp_find(&hca, made());
	EQUALS(E(qp->rq.cnt, 0), E(qp->sq.cnt, 64), E(qp->sq.offset, 0));

	qpc = qp_box(&n);
	SET(qpc, qpc, F(rq_type, 3), F(log_rq_size, 0), F(log_rq_stride, 0), F(no_sq, 1));
	REFUSED(FW_BAD_PARAM, WHY_SIZE);
	PRM_SET(qpc, qpc, log_sq_size, 0);
	b.in_len = PRM_SZ(create_qp_in);
	qp = hca_qp_find(&hca, made());
	cr_assert_eq(qp->rq.cnt + qp->sq.cnt, 0);
}

/* n.cq has 64-byte CQEs. */
Test(queue_of_qp, data_in_the_cqe)
{
	uint8_t *qpc = qp_box(&n), *cqc;

	BOX_OK(SET(qpc, qpc, F(cs_req, 0x11), F(cs_res, 1)));
	BAD_PARAM(PRM_SET(qpc, qp_box(&n), cs_res, 2), WHY_VALUE);
	BAD_PARAM(PRM_SET(qpc, qp_box(&n), cs_req, 0x22), WHY_VALUE);
	BAD_PARAM(PRM_SET(qpc, qp_box(&n), cs_res, 3), WHY_VALUE);
	cqc = cq_box(n.uar, n.eq);
	SET(cqc, cqc, F(cqe_sz, 1), F(log_cq_size, 6));
	n.cq = made();
	qpc = qp_box(&n);
	BOX_OK(SET(qpc, qpc, F(cs_req, 0x22), F(cs_res, 2)));
}

Test(queue_of_qp, qp_numbers_that_must_exist)
{
	struct needs m = n;

	m.pd = n.pd + 1;
	BOX_REFUSED(qp_box(&m), FW_BAD_RES, WHY_PD);
	m = n;
	m.cq = n.cq + 1;
	BOX_REFUSED(qp_box(&m), FW_BAD_RES, WHY_CQ);
	BOX_REFUSED(PRM_SET(qpc, qp_box(&n), cqn_rcv, n.cq + 1), FW_BAD_RES, WHY_CQ);
	m = n;
	m.uar = n.uar + 1;
	BOX_REFUSED(qp_box(&m), FW_BAD_RES, WHY_UAR);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_QP, 0x50099), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_QUERY_QP, 0x50099), FW_BAD_RES_STATE);
}

Test(queue_of_qp, qp_refusals)
{
	BAD_PARAM(PRM_SET(qpc, qp_box(&n), st, 4), WHY_UNSUPPORTED); /* none */
	BAD_PARAM(PRM_SET(qpc, qp_box(&n), pm_state, 1), WHY_VALUE);
	BAD_PARAM(PRM_SET(qpc, qp_box(&n), rq_type, 2), WHY_UNSUPPORTED);
	BOX_REFUSED(PRM_SET(qpc, qp_box(&n), rq_type, 1), FW_BAD_RES,
		    WHY_SRQ); /* an SRQ, but which? */
	BAD_PARAM(PRM_SET(qpc, qp_box(&n), log_rq_stride, 6),
		  WHY_SIZE); /* 1024 > max_wqe_sz_rq */
	BAD_PARAM(WITH(PRM_SET(qpc, qp_box(&n), log_rq_size, 0),
		       PRM_SET(qpc, PRM_ADDR(create_qp_in, b.in, qpc), log_rq_stride, 1)),
		  WHY_SIZE); /* 32 bytes */
	BAD_PARAM(PRM_SET(qpc, qp_box(&n), dbr_addr, 16), WHY_DBR);
	BOX_REFUSED(SHORTER(qp_box(&n), 8), FW_BAD_INP_LEN, WHY_PAS);
	AT_LIMIT(log_max_qp_sz, 6, qp_box(&n), FW_BAD_PARAM, WHY_SIZE);
	AT_LIMIT(log_max_qp, 1, qp_box(&n), FW_BAD_RES, WHY_LIMIT);
	AT_LIMIT(max_wqe_sz_rq, 64, qp_box(&n), FW_BAD_PARAM, WHY_SIZE);
}
