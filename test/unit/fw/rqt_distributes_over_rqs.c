/* SPDX-License-Identifier: BSD-2-Clause */
/* spread: RQ tables, the TIRs on them, what of a TIR and a TIS may change. */
#include "queues.h"

NEEDS_SUITE(spread);

static void rqns(const uint32_t *rqn, uint32_t cnt)
{
	for (uint32_t i = 0; i < cnt; i++, b.in_len += 4)
		PRM_SET(rq_num, b.in + b.in_len, rq_num, rqn[i]);
}

static uint8_t *rqt_box(const uint32_t *rqn, uint32_t cnt, uint32_t max)
{
	uint8_t *rqtc = PRM_ADDR(create_rqt_in, b.in, rqt_context);

	box(PRM_OP_CREATE_RQT);
	SET(rqtc, rqtc, F(rqt_max_size, max), F(rqt_actual_size, cnt));
	rqns(rqn, cnt);
	return rqtc;
}

static uint32_t new_rqt(const uint32_t *rqn, uint32_t cnt, uint32_t max)
{
	return MADE(rqt_box(rqn, cnt, max));
}

static uint8_t *change_box(uint32_t rqtn, const uint32_t *rqn, uint32_t cnt)
{
	uint8_t *rqtc = PRM_ADDR(modify_rqt_in, b.in, ctx);

	CMD(MODIFY_RQT, F(rqtn, rqtn));
	PRM_SET(rqt_bitmask, PRM_ADDR(modify_rqt_in, b.in, bitmask), rqn_list, 1);
	PRM_SET(rqtc, rqtc, rqt_actual_size, cnt);
	rqns(rqn, cnt);
	return rqtc;
}

static uint32_t rqn_at(uint32_t i)
{
	return PRM_GET(rq_num, b.out + PRM_SZ(query_rqt_out) + i * 4, rq_num);
}

static void look(uint32_t rqtn, uint32_t places)
{
	box(PRM_OP_QUERY_RQT);
	b.out_len += places * 4;
	BOX_OK(PRM_SET(query_rqt_in, b.in, rqtn, rqtn));
}

/* A TIR that hashes over table @rqtn. */
static uint8_t *spread_box(uint32_t td, uint32_t rqtn)
{
	uint8_t *tirc = tir_box(td, 0);

	SET(tirc, tirc, F(disp_type, 1), F(indirect_table, rqtn), F(rx_hash_fn, 2),
	    F(rx_hash_symmetric, 1));
	PRM_SET_AT(tirc, tirc, rx_hash_toeplitz_key, 9, 0xcafe);
	PRM_SET(rx_hash_field_select, PRM_ADDR(tirc, tirc, rx_hash_field_selector_outer),
		selected_fields, 0xf);
	return tirc;
}

static uint32_t new_spread(uint32_t td, uint32_t rqtn)
{
	return MADE(spread_box(td, rqtn));
}

Test(spread, a_table_shows_its_queues_and_holds_them)
{
	uint32_t rqn[2] = { new_rq(&n), new_rq(&n) };
	uint32_t twice[3] = { rqn[0], rqn[1], rqn[0] };
	uint32_t rqtn = new_rqt(twice, 3, 8);
	const uint8_t *rqtc = PRM_ADDR(query_rqt_out, b.out, rqt_context);

	look(rqtn, 3);
	cr_assert_eq(PRM_GET(rqtc, rqtc, rqt_max_size), 8);
	cr_assert_eq(PRM_GET(rqtc, rqtc, rqt_actual_size), 3);
	for (uint32_t i = 0; i < 3; i++)
		cr_assert_eq(rqn_at(i), twice[i]);
	look(rqtn, 1); /* as far as the outbox reaches */
	cr_assert_eq(rqn_at(0), rqn[0]);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_RQ, rqn[0]), FW_BAD_RES_STATE);

	BOX_OK(change_box(rqtn, &rqn[1], 1));
	look(rqtn, 1);
	cr_assert_eq(rqn_at(0), rqn[1]);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_RQ, rqn[0]), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_RQ, rqn[1]), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_RQT, rqtn), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_RQ, rqn[1]), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_RQT, rqtn), FW_BAD_RES_STATE);
}

Test(spread, refusals_of_tables)
{
	uint32_t rqn = new_rq(&n), none = rqn + 1, rqtn = new_rqt(&rqn, 1, 2);
	uint32_t three[3] = { rqn, rqn, rqn };
	uint16_t u = new_uctx();

	BAD_PARAM(rqt_box(&rqn, 0, 2), WHY_SIZE);
	BAD_PARAM(rqt_box(three, 3, 2), WHY_SIZE);
	BOX_REFUSED(rqt_box(&none, 1, 2), FW_BAD_RES, WHY_RQ);
	BOX_REFUSED(SHORTER(rqt_box(&rqn, 1, 2), 1), FW_BAD_INP_LEN, WHY_IN_LEN);
	BAD_PARAM(LONGER(rqt_box(&rqn, 1, 2)), WHY_RESERVED);
	BAD_PARAM(PRM_SET(rqtc, rqt_box(&rqn, 1, 2), list_q_type, 1),
		  WHY_UNSUPPORTED); /* of virtio queues */
	BAD_PARAM(PRM_SET(rqtc, rqt_box(&rqn, 1, 2), rq_vhca_id_format, 1), WHY_UNSUPPORTED);
	BOX_REFUSED(AS(u, rqt_box(&rqn, 1, 2)), FW_BAD_RES, WHY_RQ);
	BAD_PARAM(change_box(rqtn, three, 3), WHY_SIZE);
	BOX_REFUSED(change_box(rqtn, &none, 1), FW_BAD_RES, WHY_RQ);
	BOX_REFUSED(change_box(rqtn + 1, &rqn, 1), FW_BAD_RES_STATE, WHY_OBJECT);
	look(rqtn, 1);
	cr_assert_eq(rqn_at(0), rqn, "it is as it was");
	AT_LIMIT(log_max_rqt, 1, rqt_box(&rqn, 1, 2), FW_LIM_ERR, WHY_LIMIT);
	AT_LIMIT(log_max_rqt_size, 1, rqt_box(&rqn, 1, 2), FW_BAD_PARAM, WHY_SIZE);
}

Test(spread, a_tir_hashes_over_a_table)
{
	uint32_t rqn = new_rq(&n), rqtn = new_rqt(&rqn, 1, 4), td = new_td(0);
	uint32_t tirn = new_spread(td, rqtn);
	const uint8_t *tirc = PRM_ADDR(query_tir_out, b.out, tir_context);

	cr_assert_eq(execute_on(PRM_OP_QUERY_TIR, tirn), FW_OK);
	cr_assert_eq(PRM_GET(tirc, tirc, indirect_table), rqtn);
	cr_assert_eq(PRM_GET(tirc, tirc, rx_hash_fn), 2);
	cr_assert_eq(PRM_GET_AT(tirc, tirc, rx_hash_toeplitz_key, 9), 0xcafe);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_RQT, rqtn), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_TRANSPORT_DOMAIN, td), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_TIR, tirn), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_RQT, rqtn), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_TRANSPORT_DOMAIN, td), FW_OK);
	BOX_REFUSED(spread_box(td, rqtn), FW_BAD_RES, WHY_TD);
	td = new_td(0);
	BOX_REFUSED(spread_box(td, rqtn), FW_BAD_RES, WHY_RQT);
	BAD_PARAM(PRM_SET(tirc, spread_box(td, rqtn), inline_rqn, rqn), WHY_VALUE);
	BAD_PARAM(PRM_SET(tirc, spread_box(td, rqtn), rx_hash_fn, 3), WHY_VALUE);
}

static uint8_t *modify_tir_box(uint32_t tirn)
{
	CMD(MODIFY_TIR, F(tirn, tirn));
	return PRM_ADDR(modify_tir_in, b.in, bitmask);
}

Test(spread, hash_and_loopback_of_a_tir_change)
{
	uint32_t rqn = new_rq(&n), tirn = new_spread(new_td(0), new_rqt(&rqn, 1, 4));
	const uint8_t *tirc = PRM_ADDR(query_tir_out, b.out, tir_context);
	uint8_t *given = PRM_ADDR(modify_tir_in, b.in, ctx), *mask = modify_tir_box(tirn);

	PRM_SET(modify_tir_bitmask, mask, self_lb_en, 1);
	PRM_SET(tirc, given, self_lb_block, 3);
	PRM_SET(tirc, given, rx_hash_fn, 1); /* not in the mask */
	cr_assert_eq(execute(), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_QUERY_TIR, tirn), FW_OK);
	cr_assert_eq(PRM_GET(tirc, tirc, self_lb_block), 3);
	cr_assert_eq(PRM_GET(tirc, tirc, rx_hash_fn), 2);
	BOX_OK(WITH(PRM_SET(modify_tir_bitmask, modify_tir_box(tirn), hash, 1),
		    PRM_SET(tirc, given, rx_hash_fn, 1)));
	cr_assert_eq(execute_on(PRM_OP_QUERY_TIR, tirn), FW_OK);
	cr_assert_eq(PRM_GET(tirc, tirc, rx_hash_fn), 1);
	cr_assert_eq(PRM_GET_AT(tirc, tirc, rx_hash_toeplitz_key, 9), 0);
	cr_assert_eq(PRM_GET(tirc, tirc, self_lb_block), 3);

	BAD_PARAM(WITH(PRM_SET(modify_tir_bitmask, modify_tir_box(tirn), hash, 1),
		       PRM_SET(tirc, given, rx_hash_fn, 3)),
		  WHY_VALUE);
	BAD_PARAM(PRM_SET(modify_tir_bitmask, modify_tir_box(tirn), packet_merge, 1),
		  WHY_UNSUPPORTED);
	BOX_REFUSED(modify_tir_box(tirn + 1), FW_BAD_RES_STATE, WHY_OBJECT);
}

Test(spread, the_priority_of_a_tis_changes)
{
	uint32_t td = new_td(0), tisn = new_tis(0, td);
	const uint8_t *tisc = PRM_ADDR(query_tis_out, b.out, tis_context);
	uint8_t *mask = PRM_ADDR(modify_tis_in, b.in, bitmask);

	CMD(MODIFY_TIS, F(tisn, tisn));
	PRM_SET(modify_tis_bitmask, mask, prio, 1);
	BOX_OK(PRM_SET(tisc, PRM_ADDR(modify_tis_in, b.in, ctx), prio, 6));
	cr_assert_eq(execute_on(PRM_OP_QUERY_TIS, tisn), FW_OK);
	cr_assert_eq(PRM_GET(tisc, tisc, prio), 6);
	cr_assert_eq(PRM_GET(tisc, tisc, transport_domain), td);
	CMD(MODIFY_TIS, F(tisn, tisn));
	PRM_SET(modify_tis_bitmask, mask, lag_tx_port_affinity, 1); /* no LAG */
	REFUSED(FW_BAD_PARAM, WHY_UNSUPPORTED);
	BOX_REFUSED(number_box(0, PRM_OP_MODIFY_TIS, tisn + 1), FW_BAD_RES_STATE, WHY_OBJECT);
}
