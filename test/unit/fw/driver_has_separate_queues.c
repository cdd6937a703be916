/* SPDX-License-Identifier: BSD-2-Clause */
/* Queues that mlx5_ib and mlx5e make for themselves: QP1, a QP for UMR, an SQ without TIS, a
 * drop RQ; and the objects of theirs that all contexts may name. */
#include "queues.h"
#include "fw/command.h"

enum { UD = 2, QP1 = 8, REG_UMR = 12 };

NEEDS_SUITE(own);

static enum fw_status create(uint32_t st)
{
	PRM_SET(qpc, qp_box(&n), st, st);
	return execute();
}

Test(own, there_is_one_qp1)
{
	uint32_t qpn;

	cr_assert_eq(create(QP1), FW_OK);
	qpn = PRM_GET(create_qp_out, b.out, qpn);
	cr_assert_eq(hca.gsi, hca_qp_find(&hca, qpn));
	cr_assert_eq(create(QP1), FW_BAD_RES, "another one");
	cr_assert_eq(execute_on(PRM_OP_DESTROY_QP, qpn), FW_OK);
	cr_assert_null(hca.gsi);
	cr_assert_eq(create(QP1), FW_OK);
}

Test(own, user_has_neither_service_nor_rights)
{
	const uint32_t services[] = { QP1, REG_UMR };
	uint16_t u = new_uctx();
	struct needs of_user = { .pd = new_pd(u), .uar = new_uar(u), .cq = n.cq };

	for (size_t i = 0; i < 2; i++) {
		BAD_PARAM(AS(u, PRM_SET(qpc, qp_box(&of_user), st, services[i])),
			  WHY_UNSUPPORTED);
	}
	AS(u, PRM_SET(qpc, qp_box(&of_user), rlky, 1));
	cr_assert_eq(execute(), FW_BAD_PARAM);
	AS(u, PRM_SET(qpc, qp_box(&of_user), fre, 1));
	cr_assert_eq(execute(), FW_BAD_PARAM);
	PRM_SET(qpc, qp_box(&n), rlky, 1);
	cr_assert_eq(execute(), FW_OK, "the driver has");
}

/* mlx5_ib, qp.c, __mlx5_ib_modify_qp: an XRC target, which was created without */
Test(own, qp_may_get_the_reserved_key_at_init)
{
	uint8_t *qpc = PRM_ADDR(rst2init_qp_in, b.in, qpc);
	uint32_t qpn = new_qp(&n);

	hca_qp_find(&hca, qpn)->uid = 1;
	init_box(qpn);
	PRM_SET(qpc, qpc, rlky, 1);
	uid(1);
	cr_assert_eq(execute(), FW_BAD_PARAM);
	hca_qp_find(&hca, qpn)->uid = 0;
	BOX_OK(WITH(init_box(qpn), PRM_SET(qpc, qpc, rlky, 1)));
}

/* Only it has no PD. */
Test(own, qp_for_umr_goes_to_rts_without_a_path)
{
	uint8_t *qpc = qp_box(&n);
	uint32_t qpn;

	PRM_SET(qpc, qpc, pd, 0);
	cr_assert_eq(execute(), FW_BAD_RES);
	qpn = MADE(PRM_SET(qpc, qpc, st, REG_UMR));
	qpc = modify_box(PRM_OP_RST2INIT_QP, qpn);
	PRM_SET(qpc, qpc, st, REG_UMR);
	PRM_SET(qpc, qpc, pd, n.pd); /* as mlx5_ib has it */
	PRM_SET(ads, ADS(qpc), vhca_port_num, 1);
	cr_assert_eq(execute(), FW_OK, "%#x", syndrome());
	qpc = modify_box(PRM_OP_INIT2RTR_QP, qpn);
	BOX_OK(SET(qpc, qpc, F(st, REG_UMR), F(mtu, 5), F(log_msg_max, 12)));
	qpc = modify_box(PRM_OP_RTR2RTS_QP, qpn);
	PRM_SET(qpc, qpc, st, REG_UMR);
	cr_assert_eq(execute(), FW_OK, "%#x", syndrome());
	cr_assert_eq(hca_qp_find(&hca, qpn)->state, PRM_QPC_STATE_RTS);
}

static uint8_t *own_wq_box(uint32_t opcode)
{
	uint8_t *ctx = wq_box(opcode, &n);

	PRM_SET(wq, PRM_ADDR(sqc, ctx, wq), uar_page, n.uar);
	return ctx;
}

Test(own, sq_may_have_no_tis)
{
	uint8_t *sqc = own_wq_box(PRM_OP_CREATE_SQ);

	cr_assert_eq(execute(), FW_OK);
	PRM_SET(sqc, sqc, tis_lst_sz, 1);
	cr_assert_eq(execute(), FW_BAD_RES, "one that is not there");
	SET(sqc, sqc, F(tis_lst_sz, 0), F(tis_num_0, 5));
	cr_assert_eq(execute(), FW_BAD_PARAM);
}

Test(own, drop_rq_has_no_pd)
{
	uint8_t *rqc = own_wq_box(PRM_OP_CREATE_RQ), *wq = PRM_ADDR(rqc, rqc, wq);

	PRM_SET(wq, wq, uar_page, 0);
	PRM_SET(rqc, rqc, vsd, 1);
	BOX_OK(SET(wq, wq, F(pd, 0), F(end_padding_mode, 1)));
	PRM_SET(wq, wq, pd, n.pd + 1);
	cr_assert_eq(execute(), FW_BAD_RES, "one that is not there");
}

/* MLX5_SHARED_RESOURCE_UID: event queues and counter sets. */
Test(own, shared_objects_are_named_by_all)
{
	uint16_t u = new_uctx();
	uint32_t eqn, set;

	AS(FW_UID_SHARED, eq_box(n.uar));
	eqn = made();
	cq_box(new_uar(u), eqn);
	uid(u);
	b.in[3] = (uint8_t)u;
	cr_assert_eq(execute(), FW_OK, "%#x", syndrome());
	set = alloc_as(FW_UID_SHARED, PRM_OP_ALLOC_Q_COUNTER);
	cr_assert_not_null(fw_counter_set(&(struct fw_cmd){ .hca = &hca, .uid = u }, set));
	cr_assert_eq(execute_as(u, PRM_OP_DESTROY_EQ, eqn), FW_BAD_PARAM,
		     "and destroyed by the driver");
}
