/* SPDX-License-Identifier: BSD-2-Clause */
/* elements: scheduling elements by both families of commands, QPs in them, rates. */
#include "objects.h"
#include "queues.h"

static void newest(void)
{
	setup_needs_as("cx7");
}

TestSuite(elements, .init = newest, .fini = teardown);

enum { TSAR = 0, GROUP = 4, NIC = 3 };

static uint8_t *sched_box(uint32_t type, uint32_t parent)
{
	uint8_t *ctx = PRM_ADDR(create_scheduling_element_in, b.in, scheduling_context);

	CMD(CREATE_SCHEDULING_ELEMENT, F(scheduling_hierarchy, NIC));
	SET(scheduling_context, ctx, F(element_type, type), F(parent_element_id, parent));
	return ctx;
}

static uint32_t new_element(uint32_t type, uint32_t parent)
{
	BOX_OK(sched_box(type, parent));
	return PRM_GET(create_scheduling_element_out, b.out, scheduling_element_id);
}

static uint8_t *modify_element_box(uint32_t id, uint32_t mask)
{
	CMD(MODIFY_SCHEDULING_ELEMENT, F(scheduling_hierarchy, NIC),
	    F(scheduling_element_id, id), F(modify_bitmask, mask));
	return PRM_ADDR(modify_scheduling_element_in, b.in, scheduling_context);
}

static enum fw_status by_id(uint32_t opcode, uint32_t id)
{
	box(opcode);
	SET(query_scheduling_element_in, b.in, F(scheduling_hierarchy, NIC),
	    F(scheduling_element_id, id));
	return execute();
}

Test(elements, shares_and_limits_are_kept)
{
	uint32_t root = new_element(TSAR, 0), group = new_element(GROUP, root);
	const uint8_t *ctx = PRM_ADDR(query_scheduling_element_out, b.out, scheduling_context);
	uint8_t *given = modify_element_box(group, 2);

	PRM_SET(scheduling_context, given, max_average_bw, 4000);
	PRM_SET(scheduling_context, given, bw_share, 7); /* not in the mask */
	cr_assert_eq(execute(), FW_OK);
	cr_assert_eq(by_id(PRM_OP_QUERY_SCHEDULING_ELEMENT, group), FW_OK);
	cr_assert_eq(PRM_GET(scheduling_context, ctx, element_type), GROUP);
	cr_assert_eq(PRM_GET(scheduling_context, ctx, parent_element_id), root);
	cr_assert_eq(PRM_GET(scheduling_context, ctx, max_average_bw), 4000);
	cr_assert_eq(PRM_GET(scheduling_context, ctx, bw_share), 0);
	cr_assert_eq(by_id(PRM_OP_DESTROY_SCHEDULING_ELEMENT, root), FW_BAD_RES_STATE);
	cr_assert_eq(by_id(PRM_OP_DESTROY_SCHEDULING_ELEMENT, group), FW_OK);
	cr_assert_eq(by_id(PRM_OP_DESTROY_SCHEDULING_ELEMENT, root), FW_OK);
	cr_assert_eq(by_id(PRM_OP_QUERY_SCHEDULING_ELEMENT, root), FW_BAD_RES_STATE);
}

Test(elements, refusals_of_elements)
{
	uint32_t root = new_element(TSAR, 0), group = new_element(GROUP, root);
	uint16_t u = new_uctx();

	BAD_PARAM(WITH_FIELD(sched_box(TSAR, 0), create_scheduling_element_in,
			     scheduling_hierarchy, 2),
		  WHY_UNSUPPORTED);		     /* e-switch */
	BAD_PARAM(sched_box(1, 0), WHY_UNSUPPORTED); /* vport */
	BAD_PARAM(PRM_SET(scheduling_context, sched_box(TSAR, 0), element_attributes, 2 << 16),
		  WHY_UNSUPPORTED); /* ETS */
	BOX_REFUSED(sched_box(GROUP, 0), FW_BAD_RES, WHY_SCHED);
	BOX_REFUSED(sched_box(TSAR, group), FW_BAD_RES, WHY_SCHED);
	BOX_REFUSED(sched_box(TSAR, group + 1), FW_BAD_RES, WHY_SCHED);
	BAD_PARAM(PRM_SET(scheduling_context, sched_box(TSAR, root), bw_share, 101), WHY_VALUE);
	BOX_REFUSED(AS(u, sched_box(TSAR, root)), FW_BAD_RES, WHY_SCHED);
	BAD_PARAM(modify_element_box(group, 4), WHY_UNSUPPORTED);
	BOX_OK(PRM_SET(scheduling_context, modify_element_box(group, 1), bw_share, 100));
	BAD_PARAM(PRM_SET(scheduling_context, modify_element_box(group, 1), bw_share, 101),
		  WHY_VALUE);
	BAD_PARAM(PRM_SET(scheduling_context, modify_element_box(root, 1), element_type, GROUP),
		  WHY_VALUE);
	BOX_REFUSED(modify_element_box(group + 1, 1), FW_BAD_RES_STATE, WHY_OBJECT);
	PRM_SET(qos_cap, hca.caps[PRM_CAP_QOS], log_max_qos_nic_queue_group, 1);
	BOX_REFUSED(sched_box(TSAR, root), FW_LIM_ERR, WHY_LIMIT);
}

/* mlx5_ib, devx.c, devx_obj_cleanup: every object goes by a command with an outbox of 16
 * bytes. */
Test(elements, go_with_the_outbox_that_the_kernel_has)
{
	uint32_t root = new_element(TSAR, 0);

	box(PRM_OP_DESTROY_SCHEDULING_ELEMENT);
	b.out_len = PRM_SZ(general_obj_out_cmd_hdr);
	SET(destroy_scheduling_element_in, b.in, F(scheduling_hierarchy, NIC),
	    F(scheduling_element_id, root));
	cr_assert_eq(execute(), FW_OK);
	cr_assert_eq(hca.scheds.used, 0);
}

/* A general object of type 0x26, as libmlx5 sends it. */
static uint8_t *element_box(uint32_t opcode, uint32_t id, uint64_t select)
{
	uint8_t *obj = object_box(opcode, PRM_OBJ_SCHED_ELEMENT, id, PRM_SZ(sched_elem));

	SET(sched_elem, obj, F(modify_field_select, select), F(scheduling_hierarchy, NIC));
	return PRM_ADDR(sched_elem, obj, sched_context);
}

Test(elements, are_general_objects_too)
{
	uint8_t *ctx = element_box(PRM_OP_CREATE_GENERAL_OBJECT, 0, 0);
	uint32_t root = created(), group;
	const uint8_t *obj;

	ctx = element_box(PRM_OP_CREATE_GENERAL_OBJECT, 0, 3);
	SET(sched_context, ctx, F(element_type, GROUP), F(parent_element_id, root),
	    F(bw_share, 2), F(max_average_bw, 10));
	group = created();
	ctx = element_box(PRM_OP_MODIFY_GENERAL_OBJECT, group, 1);
	BOX_OK(SET(sched_context, ctx, F(element_type, GROUP), F(bw_share, 3)));

	obj = queried(PRM_OBJ_SCHED_ELEMENT, group, PRM_SZ(sched_elem));
	ctx = PRM_ADDR(sched_elem, (uint8_t *)obj, sched_context);
	cr_assert_eq(PRM_GET(sched_elem, obj, scheduling_hierarchy), NIC);
	cr_assert_eq(PRM_GET(sched_context, ctx, bw_share), 3);
	cr_assert_eq(PRM_GET(sched_context, ctx, max_average_bw), 10);
	BAD_PARAM(element_box(PRM_OP_MODIFY_GENERAL_OBJECT, group, 4), WHY_UNSUPPORTED);
	cr_assert_eq(by_id(PRM_OP_DESTROY_SCHEDULING_ELEMENT, root), FW_BAD_RES_STATE);
	cr_assert_eq(destroy(PRM_OBJ_SCHED_ELEMENT, group), FW_OK);
	cr_assert_eq(by_id(PRM_OP_DESTROY_SCHEDULING_ELEMENT, root), FW_OK);
}

/* ---- QPs ---- */

static uint8_t *join_box(uint32_t opcode, uint32_t qpn, uint32_t req, uint32_t resp)
{
	uint8_t *ext = b.in + PRM_SZ(rts2rts_qp_in);

	modify_box(opcode, qpn);
	b.in_len += PRM_SZ(qpc_ext);
	SET(rts2rts_qp_in, b.in, F(qpc_ext, 1), F(opt_param_mask_95_32, 1 << 1));
	SET(qpc_ext, ext, F(qos_queue_group_id_requester, req),
	    F(qos_queue_group_id_responder, resp));
	return ext;
}

Test(elements, qps_join_queue_groups)
{
	uint32_t root = new_element(TSAR, 0), group = new_element(GROUP, root);
	uint32_t other = new_element(GROUP, root), qpn = new_qp(&n);
	struct hca_qp *qp = hca_qp_find(&hca, qpn);

	BOX_OK(init_box(qpn));
	BOX_OK(join_box(PRM_OP_INIT2INIT_QP, qpn, group, group));
	EQUALS(E(qp->sched_req->id, group), E(qp->sched_resp->id, group));
	cr_assert_eq(by_id(PRM_OP_DESTROY_SCHEDULING_ELEMENT, group), FW_BAD_RES_STATE);
	BOX_OK(rtr_box(qpn));
	BAD_PARAM(join_box(PRM_OP_RTR2RTS_QP, qpn, other, 0), WHY_RESERVED);
	BAD_PARAM(WITH_FIELD(rts_box(qpn), rts2rts_qp_in, opt_param_mask_95_32, 2),
		  WHY_OPT_PARAM);
	BOX_OK(rts_box(qpn));
	BOX_OK(join_box(PRM_OP_RTS2RTS_QP, qpn, other, 0));
	cr_assert_eq(qp->sched_req->id, other);
	cr_assert_null(qp->sched_resp);
	cr_assert_eq(by_id(PRM_OP_DESTROY_SCHEDULING_ELEMENT, group), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_QP, qpn), FW_OK);
	cr_assert_eq(by_id(PRM_OP_DESTROY_SCHEDULING_ELEMENT, other), FW_OK);
}

Test(elements, refusals_of_joining)
{
	uint32_t root = new_element(TSAR, 0), group = new_element(GROUP, root);
	uint32_t qpn = new_qp_in_rts(&n);

	BOX_REFUSED(join_box(PRM_OP_RTS2RTS_QP, qpn, root, 0), FW_BAD_RES, WHY_SCHED);
	BOX_REFUSED(join_box(PRM_OP_RTS2RTS_QP, qpn, 0, group + 1), FW_BAD_RES, WHY_SCHED);
	BAD_PARAM(WITH_FIELD(join_box(PRM_OP_RTS2RTS_QP, qpn, group, 0), rts2rts_qp_in,
			     opt_param_mask_95_32, 1 << 4),
		  WHY_OPT_PARAM);
	BAD_PARAM(WITH_FIELD(join_box(PRM_OP_RTS2RTS_QP, qpn, group, 0), rts2rts_qp_in,
			     opt_param_mask_95_32, 0),
		  WHY_UNSUPPORTED);
	BAD_PARAM(WITH_FIELD(join_box(PRM_OP_RTS2RTS_QP, qpn, group, 0), rts2rts_qp_in, qpc_ext,
			     0),
		  WHY_OPT_PARAM);
	BOX_REFUSED(SHORTER(join_box(PRM_OP_RTS2RTS_QP, qpn, group, 0), 4), FW_BAD_INP_LEN,
		    WHY_IN_LEN);
	BAD_PARAM(PRM_SET(qpc_ext, join_box(PRM_OP_RTS2RTS_QP, qpn, group, 0), mmo, 1),
		  WHY_UNSUPPORTED);
	cr_assert_null(hca_qp_find(&hca, qpn)->sched_req);
}

/* mlx5dv_modify_qp_udp_sport(3) */
Test(elements, the_udp_source_port_of_a_qp_in_rts_changes)
{
	uint32_t qpn = new_qp_in_rts(&n);
	uint8_t *qpc = modify_box(PRM_OP_RTS2RTS_QP, qpn);

	PRM_SET(rts2rts_qp_in, b.in, opt_param_mask_95_32, 1 << 2);
	BOX_OK(PRM_SET(ads, ADS(qpc), udp_sport, 55555));
	cr_assert_eq(hca_qp_find(&hca, qpn)->path.udp_sport, 55555);
	cr_assert_eq(PRM_GET(ads, ADS(query_qp(qpn)), udp_sport), 55555);
	qpn = new_qp(&n);
	BOX_OK(init_box(qpn));
	qpc = modify_box(PRM_OP_INIT2INIT_QP, qpn);
	PRM_SET(rts2rts_qp_in, b.in, opt_param_mask_95_32, 1 << 2);
	REFUSED(FW_BAD_PARAM, WHY_OPT_PARAM);
}

/* ---- rates ---- */

static uint8_t *rate_box(uint32_t index, uint32_t rate)
{
	uint8_t *ctx = PRM_ADDR(set_pp_rate_limit_in, b.in, ctx);

	CMD(SET_PP_RATE_LIMIT, F(rate_limit_index, index));
	PRM_SET(set_pp_rate_limit_context, ctx, rate_limit, rate);
	return ctx;
}

Test(elements, rates_are_in_a_table)
{
	BOX_OK(PRM_SET(set_pp_rate_limit_context, rate_box(127, 100), burst_upper_bound, 5));
	cr_assert(hca.rates[127].used);
	cr_assert_eq(PRM_GET(set_pp_rate_limit_context, hca.rates[127].ctx, rate_limit), 100);
	BOX_OK(rate_box(127, 0));
	cr_assert_not(hca.rates[127].used);
	BAD_PARAM(rate_box(0, 100), WHY_LIMIT);
	BAD_PARAM(rate_box(128, 100), WHY_LIMIT);
	BAD_PARAM(rate_box(1, 100000001), WHY_VALUE);
}

/* ---- SQs ---- */

static uint8_t *rated_sq_box(const struct needs *of, uint32_t tisn, uint32_t rate,
			     uint32_t group)
{
	uint8_t *sqc = sq_box(of, tisn);

	SET(sqc, sqc, F(packet_pacing_rate_limit_index, rate), F(qos_queue_group_id, group));
	return sqc;
}

/* MODIFY_SQ without a move. */
static uint8_t *change_box(uint32_t sqn, uint64_t mask)
{
	CMD(MODIFY_SQ, F(sqn, sqn), F(modify_bitmask, mask));
	return PRM_ADDR(modify_sq_in, b.in, ctx);
}

Test(elements, sqs_have_a_rate_and_a_group)
{
	uint32_t root = new_element(TSAR, 0), group = new_element(GROUP, root), sqn;
	uint32_t tisn = new_tis(0, new_td(0));
	struct hca_sq *sq;

	BOX_OK(rate_box(3, 100));
	sqn = MADE(rated_sq_box(&n, tisn, 3, group));
	sq = core_ids_get(&hca.sqs, sqn);
	EQUALS(E(sq->rate, &hca.rates[3]), E(sq->sched->id, group));
	BOX_REFUSED(rate_box(3, 0), FW_BAD_RES_STATE, WHY_BUSY);
	rate_box(3, 200);
	cr_assert_eq(execute(), FW_OK, "another rate for the same entry");
	cr_assert_eq(by_id(PRM_OP_DESTROY_SCHEDULING_ELEMENT, group), FW_BAD_RES_STATE);
	BOX_OK(change_box(sqn, 1)); /* no rate */
	cr_assert_null(sq->rate);
	cr_assert_eq(sq->sched->id, group, "not in the mask");
	BOX_OK(rate_box(3, 0));
	cr_assert_eq(execute_on(PRM_OP_DESTROY_SQ, sqn), FW_OK);
	cr_assert_eq(by_id(PRM_OP_DESTROY_SCHEDULING_ELEMENT, group), FW_OK);
}

/* As mlx5_ib destroys a raw packet QP: its SQ moves to RST, the rate ends, the SQ goes. */
Test(elements, sqs_in_rst_have_no_rate)
{
	uint32_t sqn;

	BOX_OK(rate_box(3, 100));
	sqn = MADE(rated_sq_box(&n, new_tis(0, new_td(0)), 3, 0));
	for (uint32_t to = PRM_SQC_STATE_RDY;; to = PRM_SQC_STATE_RST) {
		uint8_t *sqc = change_box(sqn, 0);

		PRM_SET(modify_sq_in, b.in, sq_state, !to);
		PRM_SET(sqc, sqc, state, to);
		cr_assert_eq(execute(), FW_OK, "syndrome %#x", syndrome());
		if (to == PRM_SQC_STATE_RST)
			break;
		BOX_REFUSED(rate_box(3, 0), FW_BAD_RES_STATE, WHY_BUSY);
	}
	BOX_OK(rate_box(3, 0));
	cr_assert_eq(execute_on(PRM_OP_DESTROY_SQ, sqn), FW_OK);
}

/* Shared ones have the uid 0xffff, which no context has. */
Test(elements, rates_of_all_are_named_and_not_changed)
{
	uint16_t u = new_uctx(), other = new_uctx();
	struct needs n = { .pd = new_pd(u), .uar = new_uar(u), .eq = new_eq(new_uar(0)) };
	uint32_t tisn = new_tis(u, new_td(u));

	AS(u, cq_box(n.uar, n.eq));
	n.cq = made();
	BOX_OK(AS(0xffff, rate_box(3, 100)));
	BOX_OK(AS(other, rate_box(4, 100)));

	BOX_OK(AS(u, rated_sq_box(&n, tisn, 3, 0)));
	BOX_REFUSED(AS(u, rate_box(3, 200)), FW_BAD_RES_STATE, WHY_OBJECT);
	BOX_REFUSED(AS(u, rated_sq_box(&n, tisn, 4, 0)), FW_BAD_RES, WHY_SCHED);
}

Test(elements, refusals_of_senders)
{
	uint32_t root = new_element(TSAR, 0), tisn = new_tis(0, new_td(0)), sqn;

	BOX_REFUSED(rated_sq_box(&n, tisn, 3, 0), FW_BAD_RES, WHY_SCHED);
	BOX_REFUSED(rated_sq_box(&n, tisn, 0xffff, 0), FW_BAD_RES, WHY_SCHED);
	BOX_REFUSED(rated_sq_box(&n, tisn, 0, root), FW_BAD_RES, WHY_SCHED);
	sqn = MADE(rated_sq_box(&n, tisn, 0, 0));
	BOX_REFUSED(PRM_SET(sqc, change_box(sqn, 4), qos_queue_group_id, root), FW_BAD_RES,
		    WHY_SCHED);
	BOX_REFUSED(PRM_SET(sqc, change_box(sqn, 1), packet_pacing_rate_limit_index, 3),
		    FW_BAD_RES, WHY_SCHED);
	BAD_PARAM(change_box(sqn, 2), WHY_UNSUPPORTED);
}
