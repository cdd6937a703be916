/* SPDX-License-Identifier: BSD-2-Clause */
/* raw: TIS, SQ, RQ, TIR: what they are made of, their states, who keeps whom busy, whose. */
#include "queues.h"

NEEDS_SUITE(raw);

enum { RST, RDY, ERR = 3 };

static uint8_t *sq_wq_box(const struct needs *n, uint32_t tisn)
{
	uint8_t *sqc = sq_box(n, tisn);

	return PRM_ADDR(sqc, sqc, wq);
}

/* MODIFY_SQ or MODIFY_RQ, of one layout. */
static enum fw_status modify_state(uint32_t opcode, uint32_t n, uint32_t from, uint32_t to)
{
	box(opcode);
	SET(modify_sq_in, b.in, F(sq_state, from), F(sqn, n));
	PRM_SET(sqc, PRM_ADDR(modify_sq_in, b.in, ctx), state, to);
	return execute();
}

Test(raw, an_sq_is_what_its_wq_says)
{
	uint32_t tisn = new_tis(0, new_td(0)), sqn = new_sq(&n, tisn);
	const struct hca_sq *sq = core_ids_get(&hca.sqs, sqn);

	cr_assert_eq(sqn >> 16, 5);
	cr_assert_eq(sq->state, PRM_SQC_STATE_RST);
	cr_assert(sq->flush);
	EQUALS(E(sq->wq.cnt, 64), E(sq->wq.log_stride, 6));
	cr_assert_eq(hca_ring_at(&sq->wq.ring, 64), pages[5] + 64);
	EQUALS(E(sq->user_index, 0xabcdef), E(sq->tis->tisn, tisn), E(sq->uar->index, n.uar));
}

/* A doorbell says one number. */
Test(raw, queues_of_all_kinds_have_different_numbers)
{
	uint32_t tisn = new_tis(0, new_td(0)), qpn, sqn, rqn;

	for (int i = 0; i < 3; i++) {
		qpn = new_qp(&n);
		sqn = new_sq(&n, tisn);
		rqn = new_rq(&n);
		cr_assert_eq(rqn >> 16, 5);
		cr_assert_null(hca_qp_find(&hca, sqn));
		cr_assert_null(hca_qp_find(&hca, rqn));
		cr_assert_null(core_ids_get(&hca.rqs, sqn));
		cr_assert_null(core_ids_get(&hca.sqs, qpn));
	}
}

Test(raw, refusals_of_both_queues)
{
	struct needs no_pd = n, no_cq = n;

	no_pd.pd++;
	no_cq.cq++;
	BAD_PARAM(PRM_SET(wq, rq_wq_box(&n), wq_type, 0), WHY_UNSUPPORTED); /* a list */
	BAD_PARAM(PRM_SET(wq, rq_wq_box(&n), wq_signature, 1), WHY_UNSUPPORTED);
	BOX_REFUSED(PRM_SET(wq, rq_wq_box(&n), wq_umem_valid, 1), FW_BAD_RES, WHY_UMEM);
	BAD_PARAM(PRM_SET(wq, rq_wq_box(&n), log_wq_stride, 3), WHY_SIZE);
	BAD_PARAM(PRM_SET(wq, rq_wq_box(&n), dbr_addr, (uintptr_t)record + 4), WHY_DBR);
	BOX_REFUSED(rq_wq_box(&no_pd), FW_BAD_RES, WHY_PD);
	BOX_REFUSED(rq_wq_box(&no_cq), FW_BAD_RES, WHY_CQ);
	BAD_PARAM(WITH(rq_wq_box(&n),
		       PRM_SET(rqc, PRM_ADDR(create_rq_in, b.in, ctx), state, RDY)),
		  WHY_VALUE);
	BAD_PARAM(WITH(rq_wq_box(&n),
		       PRM_SET(rqc, PRM_ADDR(create_rq_in, b.in, ctx), delay_drop_en, 1)),
		  WHY_UNSUPPORTED);
	BOX_REFUSED(SHORTER(rq_wq_box(&n), 8), FW_BAD_INP_LEN, WHY_PAS);
	AT_LIMIT(log_max_qp_sz, 6, rq_wq_box(&n), FW_BAD_PARAM, WHY_SIZE);
	AT_LIMIT(log_max_rq, 1, rq_wq_box(&n), FW_LIM_ERR, WHY_LIMIT);
	AT_LIMIT(max_wqe_sz_rq, 64, rq_wq_box(&n), FW_BAD_PARAM, WHY_SIZE);
}

/* page_offset: 64ths of the page, 64 bytes. */
Test(raw, wqes_of_a_ring_are_whole_on_its_pages)
{
	static const struct {
		uint32_t log_stride, offset;
		bool whole;
	} rows[] = { { 4, 1, true }, { 6, 1, true },  { 7, 1, false },
		     { 7, 2, true }, { 8, 2, false }, { 8, 4, true } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint8_t *wq = rq_wq_box(&n);

		SET(wq, wq, F(log_wq_sz, 2), F(log_wq_stride, rows[i].log_stride),
		    F(page_offset, rows[i].offset));
		if (rows[i].whole)
			cr_expect_eq(execute(), FW_OK, "row %zu: %#x", i, syndrome());
		else
			REFUSED(FW_BAD_PARAM, WHY_PAGE_OFFSET);
	}
}

Test(raw, refusals_of_an_sq)
{
	uint32_t tisn = new_tis(0, new_td(0));

	BOX_REFUSED(sq_box(&n, tisn + 1), FW_BAD_RES, WHY_TIS);
	BAD_PARAM(PRM_SET(sqc, sq_box(&n, tisn), tis_lst_sz, 2), WHY_UNSUPPORTED);
	BAD_PARAM(PRM_SET(sqc, sq_box(&n, tisn), hairpin, 1), WHY_UNSUPPORTED);
	BOX_REFUSED(PRM_SET(wq, sq_wq_box(&n, tisn), uar_page, n.uar + 1), FW_BAD_RES, WHY_UAR);
	BAD_PARAM(PRM_SET(wq, sq_wq_box(&n, tisn), log_wq_stride, 5), WHY_SIZE);
	new_sq(&n, tisn);
	AT_LIMIT(log_max_sq, 1, sq_box(&n, tisn), FW_LIM_ERR, WHY_LIMIT);
}

Test(raw, refusals_of_the_interfaces)
{
	uint32_t td = new_td(0), rqn = new_rq(&n);

	BOX_REFUSED(tis_box(0, td + 1), FW_BAD_RES, WHY_TD);
	BAD_PARAM(PRM_SET(tisc, tis_box(0, td), tls_en, 1), WHY_UNSUPPORTED);
	BOX_REFUSED(tir_box(td + 1, rqn), FW_BAD_RES, WHY_TD);
	BOX_REFUSED(tir_box(td, rqn + 1), FW_BAD_RES, WHY_RQ);
	BAD_PARAM(PRM_SET(tirc, tir_box(td, rqn), disp_type, 1),
		  WHY_VALUE); /* INDIRECT, and yet an RQ */
	BAD_PARAM(PRM_SET(tirc, tir_box(td, rqn), disp_type, 2), WHY_UNSUPPORTED);
	BAD_PARAM(PRM_SET(tirc, tir_box(td, rqn), packet_merge_mask, 1),
		  WHY_UNSUPPORTED); /* LRO */
	BAD_PARAM(PRM_SET(tirc, tir_box(td, rqn), tunneled_offload_en, 1), WHY_UNSUPPORTED);
	BAD_PARAM(PRM_SET(tirc, tir_box(td, rqn), rx_hash_fn, 2),
		  WHY_VALUE); /* DIRECT, and yet a hash */
	new_tis(0, td);
	new_tir(td, rqn);
	AT_LIMIT(log_max_tis, 1, tis_box(0, td), FW_LIM_ERR, WHY_LIMIT);
	AT_LIMIT(log_max_tir, 1, tir_box(td, rqn), FW_LIM_ERR, WHY_LIMIT);
}

static void expect_state_machine(uint32_t modify, uint32_t n)
{
	cr_assert_eq(modify_state(modify, n, RDY, ERR), FW_BAD_RES_STATE, "it is in RST");
	cr_assert_eq(modify_state(modify, n, RST, RST), FW_OK);
	cr_assert_eq(modify_state(modify, n, RST, RDY), FW_OK);
	cr_assert_eq(modify_state(modify, n, RDY, 2), FW_BAD_PARAM);
	cr_assert_eq(modify_state(modify, n, RDY, RDY), FW_OK);
	cr_assert_eq(modify_state(modify, n, RDY, ERR), FW_OK);
	cr_assert_eq(modify_state(modify, n, ERR, RDY), FW_BAD_RES_STATE);
	cr_assert_eq(modify_state(modify, n, ERR, RST), FW_OK);
	cr_assert_eq(modify_state(modify, n, RST, RDY), FW_OK);
	cr_assert_eq(modify_state(modify, n + 1, RDY, ERR), FW_BAD_RES_STATE);
}

Test(raw, queues_go_from_reset_to_ready_to_error)
{
	uint32_t sqn = new_sq(&n, new_tis(0, new_td(0))), rqn = new_rq(&n);
	const uint8_t *sqc = PRM_ADDR(query_sq_out, b.out, sq_context);
	const uint8_t *rqc = PRM_ADDR(query_rq_out, b.out, rq_context);

	expect_state_machine(PRM_OP_MODIFY_SQ, sqn);
	expect_state_machine(PRM_OP_MODIFY_RQ, rqn);
	record[0] = 0x05000000; /* be32 5 */
	record[1] = 0x07000000;
	cr_assert_eq(execute_on(PRM_OP_QUERY_SQ, sqn), FW_OK);
	cr_assert_eq(PRM_GET(sqc, sqc, state), RDY);
	cr_assert_eq(PRM_GET(sqc, sqc, user_index), 0xabcdef);
	cr_assert_eq(PRM_GET(wq, PRM_ADDR(sqc, sqc, wq), sw_counter), 7);
	cr_assert_eq(execute_on(PRM_OP_QUERY_RQ, rqn), FW_OK);
	cr_assert_eq(PRM_GET(rqc, rqc, state), RDY);
	cr_assert_eq(PRM_GET(wq, PRM_ADDR(rqc, rqc, wq), sw_counter), 5);
	cr_assert_eq(execute_on(PRM_OP_QUERY_SQ, rqn), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_QUERY_RQ, sqn), FW_BAD_RES_STATE);
}

/* rqc: state 23:20, vsd 28, scatter_fcs 29 of word 0. */
static enum fw_status modify_rq(uint32_t rqn, uint8_t mask, uint32_t word)
{
	CMD(MODIFY_RQ, F(rqn, rqn));
	b.in[8] |= RDY << 4;
	b.in[0x17] = mask;
	core_put_be32(b.in + 0x20, word | RDY << 20);
	return execute();
}

Test(raw, what_an_rq_does_with_tags_and_fcs_can_change)
{
	uint32_t rqn = new_rq(&n);
	const struct hca_rq *rq = core_ids_get(&hca.rqs, rqn);
	const uint32_t vsd = 1u << 28, fcs = 1u << 29;

	cr_assert_eq(modify_state(PRM_OP_MODIFY_RQ, rqn, RST, RDY), FW_OK);
	core_put_be32((uint8_t *)rq->rqc, 0);
	cr_assert_eq(modify_rq(rqn, 0, vsd | fcs), FW_OK);
	cr_expect_eq(core_be32(rq->rqc) & (vsd | fcs), 0, "not selected");
	cr_assert_eq(modify_rq(rqn, 2, vsd | fcs), FW_OK);
	cr_expect_eq(core_be32(rq->rqc) & (vsd | fcs), vsd);
	cr_assert_eq(modify_rq(rqn, 4, fcs), FW_OK);
	cr_expect_eq(core_be32(rq->rqc) & (vsd | fcs), vsd | fcs);
	cr_assert_eq(modify_rq(rqn, 2, 0), FW_OK);
	cr_expect_eq(core_be32(rq->rqc) & (vsd | fcs), fcs);
	cr_expect_eq(modify_rq(rqn, 8, 0), FW_BAD_PARAM, "counter_set_id");
}

Test(raw, who_uses_it_keeps_it)
{
	uint32_t td = new_td(0), tisn = new_tis(0, td), sqn = new_sq(&n, tisn);
	uint32_t rqn = new_rq(&n), tirn = new_tir(td, rqn);

	cr_assert_eq(execute_on(PRM_OP_DEALLOC_TRANSPORT_DOMAIN, td), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_TIS, tisn), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_RQ, rqn), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_UAR, n.uar), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_SQ, sqn), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_TIS, tisn), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_TRANSPORT_DOMAIN, td), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_TIR, tirn), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_TRANSPORT_DOMAIN, td), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_CQ, n.cq), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_PD, n.pd), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_RQ, rqn), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_CQ, n.cq), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_PD, n.pd), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_SQ, sqn), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_TIR, tirn), FW_BAD_RES_STATE);
}

/* DPDK, mlx5_devx.c: the TIR of the drop queue, and RQs that count. */
Test(raw, a_tir_without_a_domain_and_an_rq_with_a_counter)
{
	uint32_t rqn = new_rq(&n), set, tirn;
	uint8_t *rqc;

	tirn = new_tir(0, rqn);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_RQ, rqn), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_TIR, tirn), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_RQ, rqn), FW_OK);
	set = alloc_as(0, PRM_OP_ALLOC_Q_COUNTER);
	rqc = wq_box(PRM_OP_CREATE_RQ, &n);
	PRM_SET(rqc, rqc, counter_set_id, set + 1);
	REFUSED(FW_BAD_RES, WHY_COUNTER);
	rqc = wq_box(PRM_OP_CREATE_RQ, &n);
	rqn = MADE(PRM_SET(rqc, rqc, counter_set_id, set));
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_Q_COUNTER, set), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_RQ, rqn), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_Q_COUNTER, set), FW_OK);
}

Test(raw, another_uid_may_not)
{
	uint16_t u = new_uctx();
	uint32_t td = new_td(0), tisn = new_tis(0, td), sqn = new_sq(&n, tisn);
	uint32_t rqn = new_rq(&n), tirn = new_tir(td, rqn);

	cr_assert_eq(execute_as(u, PRM_OP_DESTROY_SQ, sqn), FW_BAD_RES_STATE);
	cr_assert_eq(execute_as(u, PRM_OP_DESTROY_TIS, tisn), FW_BAD_RES_STATE);
	cr_assert_eq(execute_as(u, PRM_OP_DESTROY_TIR, tirn), FW_BAD_RES_STATE);
	cr_assert_eq(execute_as(u, PRM_OP_DESTROY_RQ, rqn), FW_BAD_RES_STATE);
	cr_assert_eq(execute_as(u, PRM_OP_QUERY_TIS, tisn), FW_BAD_RES_STATE);
	cr_assert_eq(execute_as(u, PRM_OP_QUERY_TIR, tirn), FW_BAD_RES_STATE);
	BOX_REFUSED(tis_box(u, td), FW_BAD_RES, WHY_TD);
	tir_box(new_td(u), rqn);
	uid(u);
	PRM_SET(tirc, PRM_ADDR(create_tir_in, b.in, ctx), inline_rqn, rqn);
	REFUSED(FW_BAD_RES, WHY_RQ);
	cr_assert_eq(execute_on(PRM_OP_QUERY_TIS, tisn), FW_OK);
	cr_assert_eq(
		PRM_GET(tisc, PRM_ADDR(query_tis_out, b.out, tis_context), transport_domain),
		td);
	cr_assert_eq(execute_on(PRM_OP_QUERY_TIR, tirn), FW_OK);
	cr_assert_eq(PRM_GET(tirc, PRM_ADDR(query_tir_out, b.out, tir_context), inline_rqn),
		     rqn);
}
