/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of enhanced connection establishment: any may be asked for, and the model has none of
 * them. */
#include "device.h"

#define ALL    UINT32_MAX
#define TOP    (1u << 31)
#define LOWEST 1u

NEEDS_SUITE(ece);

/* Every command that has the field has it here, and so has its answer. */
static void ask(uint32_t options)
{
	PRM_SET(rst2init_qp_in, b.in, ece, options);
}

static void accepted(uint32_t options)
{
	ask(options);
	cr_assert_eq(execute(), FW_OK, "syndrome %#x", syndrome());
	cr_assert_eq(PRM_GET(rst2init_qp_out, b.out, ece), 0, "%#x", options);
}

static void expect_refused(uint32_t options, uint32_t why)
{
	ask(options);
	REFUSED(FW_BAD_PARAM, why);
}

Test(ece, every_transition_has_them)
{
	uint32_t qpn;

	qp_box(&n);
	accepted(ALL);
	qpn = PRM_GET(create_qp_out, b.out, qpn);
	init_box(qpn);
	accepted(TOP);
	modify_box(PRM_OP_INIT2INIT_QP, qpn);
	accepted(LOWEST);
	rtr_box(qpn);
	accepted(TOP | LOWEST);
	rts_box(qpn);
	accepted(ALL);
	modify_box(PRM_OP_RTS2RTS_QP, qpn);
	accepted(ALL);
	cr_assert_eq(hca_qp_find(&hca, qpn)->state, PRM_QPC_STATE_RTS);
	cr_assert_eq(execute_on(PRM_OP_QUERY_QP, qpn), FW_OK);
	cr_assert_eq(PRM_GET(query_qp_out, b.out, ece), 0);
}

Test(ece, ways_back_to_rts_have_none)
{
	uint32_t qpn = new_qp_in_rts(&n);
	struct hca_qp *qp = hca_qp_find(&hca, qpn);

	qp->state = PRM_QPC_STATE_SQER;
	modify_box(PRM_OP_SQERR2RTS_QP, qpn);
	expect_refused(LOWEST, WHY_RESERVED);
	qp->state = PRM_QPC_STATE_SQD;
	modify_box(PRM_OP_SQD_RTS_QP, qpn);
	expect_refused(TOP, WHY_RESERVED);
	cr_assert_eq(qp->state, PRM_QPC_STATE_SQD);
	modify_box(PRM_OP_SQD_RTS_QP, qpn);
	accepted(0);
}

Test(ece, device_without_it_refuses_all)
{
	uint32_t qpn;

	PRM_SET(cmd_hca_cap, hca.caps[PRM_CAP_GENERAL], ece_support, 0);
	qp_box(&n);
	expect_refused(TOP, WHY_UNSUPPORTED);
	qpn = new_qp(&n);
	init_box(qpn);
	expect_refused(LOWEST, WHY_UNSUPPORTED);
	init_box(qpn);
	accepted(0);
	rtr_box(qpn);
	expect_refused(ALL, WHY_UNSUPPORTED);
	cr_assert_eq(hca_qp_find(&hca, qpn)->state, PRM_QPC_STATE_INIT);
}
