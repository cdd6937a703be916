/* SPDX-License-Identifier: BSD-2-Clause */
/* write(2): the extended commands of CQs and QPs, SRQs of both commands, and the commands that
 * destroy. */
#include <fcntl.h>

#include "by_write.h"
#include "shared.h"
#include "uverbs/driver.h"

#define SUITE queues_come_by_write

static void queues_by_write_open(void)
{
	rig_up(&r);
}

static void queues_by_write_close(void)
{
	rig_down(&r);
}

TestSuite(SUITE, .init = queues_by_write_open, .fini = queues_by_write_close);

/* ---- extended ---- */

Test(SUITE, extended_cq)
{
	struct ib_uverbs_ex_create_cq cmd = { .user_handle = 1ull << 40 | 7,
					      .cqe = 63,
					      .comp_channel = -1,
					      .flags = IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN };
	struct ib_uverbs_ex_create_cq_resp resp;
	struct cq_attr a = cq_attr(&r.uar);
	struct mlx5_ib_create_cq_resp mlx5;
	struct uverbs_object *o;
	const struct hca_cq *cq;

	cr_assert_eq(EXTENDED(&r.b, CREATE_CQ, IN_OUT(cmd, resp), IN_OUT(a.uhw, mlx5)), 0);
	cr_expect_eq(resp.base.cqe, 63);
	cr_expect_eq(resp.response_length, sizeof(resp));
	cr_expect_eq(resp.comp_mask, 0);
	cq = hca_cq_find(&r.b.hca, mlx5.cqn);
	cr_assert_not_null(cq);
	cr_expect(cq->overrun_ignore);
	cr_assert_eq(uverbs_object_get(r.b.f, resp.base.cq_handle, UVERBS_CQ, &o), 0);
	cr_expect_eq(core_container(o, struct uverbs_cq, obj)->events.user_handle,
		     1ull << 40 | 7);
	cmd.comp_mask = 1;
	cr_expect_eq(EXTENDED(&r.b, CREATE_CQ, IN_OUT(cmd, resp), IN_OUT(a.uhw, mlx5)),
		     -EINVAL);
	cmd.comp_mask = 0;
	cmd.reserved = 1;
	cr_expect_eq(EXTENDED(&r.b, CREATE_CQ, IN_OUT(cmd, resp), IN_OUT(a.uhw, mlx5)),
		     -EINVAL);
	cmd.reserved = 0;
	cmd.comp_vector = r.b.u->vectors;
	cr_expect_eq(EXTENDED(&r.b, CREATE_CQ, IN_OUT(cmd, resp), IN_OUT(a.uhw, mlx5)),
		     -EINVAL);
	cmd.comp_vector = 0;
	cr_expect_eq(extended_at(&r.b, IB_USER_VERBS_EX_CMD_CREATE_CQ, IN_OUT(cmd, resp),
				 IN_OUT(a.uhw, mlx5), (uintptr_t)WILD),
		     -EFAULT);
}

static struct ib_uverbs_ex_create_qp qp_cmd(void)
{
	return (struct ib_uverbs_ex_create_qp){ .user_handle = 0xdecade,
						.pd_handle = r.pd,
						.send_cq_handle = r.cq.handle,
						.recv_cq_handle = r.cq.handle,
						.max_send_wr = r.attr.cap.max_send_wr,
						.max_recv_wr = r.attr.cap.max_recv_wr,
						.max_send_sge = 3,
						.max_recv_sge = 2,
						.max_inline_data = 60,
						.qp_type = IBV_QPT_RC };
}

static int ex_qp(const struct ib_uverbs_ex_create_qp *cmd,
		 struct ib_uverbs_ex_create_qp_resp *resp)
{
	struct mlx5_ib_create_qp_resp mlx5;

	return (int)EXTENDED(&r.b, CREATE_QP, IN_OUT(*cmd, *resp), IN_OUT(r.attr.uhw, mlx5));
}

Test(SUITE, extended_qp)
{
	struct ib_uverbs_ex_create_qp cmd = qp_cmd();
	struct ib_uverbs_ex_create_qp_resp resp;
	struct mlx5_ib_create_qp_resp mlx5;
	struct uverbs_object *o;

	cmd.sq_sig_all = 1;
	cmd.create_flags = IB_UVERBS_QP_CREATE_BLOCK_MULTICAST_LOOPBACK;
	cr_assert_eq(ex_qp(&cmd, &resp), 0);
	cr_expect_eq(resp.response_length, sizeof(resp));
	cr_expect_eq(resp.base.max_send_wr, cmd.max_send_wr);
	cr_expect_eq(resp.base.max_recv_wr, cmd.max_recv_wr);
	cr_expect_eq(resp.base.max_send_sge, 3);
	cr_expect_eq(resp.base.max_recv_sge, 2);
	cr_expect_eq(resp.base.max_inline_data, 60);
	cr_assert_not_null(hca_qp_find(&r.b.hca, resp.base.qpn));
	cr_expect(hca_qp_find(&r.b.hca, resp.base.qpn)->block_lb_mc);
	cr_assert_eq(uverbs_object_get(r.b.f, resp.base.qp_handle, UVERBS_QP, &o), 0);
	cr_expect(core_container(o, struct uverbs_qp, obj)->sig_all);
	cmd.comp_mask = 2;
	cr_expect_eq(ex_qp(&cmd, &resp), -EINVAL);
	cmd.comp_mask = 0;
	cmd.create_flags = 1u << 31;
	cr_expect_lt(ex_qp(&cmd, &resp), 0);
	cmd.create_flags = 0;
	cmd.recv_cq_handle = 999;
	cr_expect_eq(ex_qp(&cmd, &resp), -EINVAL, "no such CQ");
	cmd.recv_cq_handle = r.cq.handle;
	cmd.is_srq = 1;
	cmd.srq_handle = 999;
	cr_expect_eq(ex_qp(&cmd, &resp), -EINVAL, "no such SRQ");
	cmd.is_srq = 0;
	cr_expect_eq(extended_at(&r.b, IB_USER_VERBS_EX_CMD_CREATE_QP, IN_OUT(cmd, resp),
				 IN_OUT(r.attr.uhw, mlx5), (uintptr_t)WILD),
		     -EFAULT);
}

/* ---- shared receive queues ---- */

static int end_srq(uint32_t handle)
{
	struct ib_uverbs_destroy_srq cmd = { .srq_handle = handle };
	struct ib_uverbs_destroy_srq_resp resp = { 77 };
	int ret = (int)OLD(&r.b, DESTROY_SRQ, IN_OUT(cmd, resp), NO_UHW);

	if (!ret)
		cr_expect_eq(resp.events_reported, 0);
	return ret;
}

Test(SUITE, srq)
{
	struct ib_uverbs_create_srq cmd = { .user_handle = 9, .max_wr = 63, .max_sge = 3 };
	struct ib_uverbs_ex_create_qp qp = qp_cmd();
	struct ib_uverbs_ex_create_qp_resp qp_resp;
	struct ib_uverbs_create_srq_resp resp;
	struct mlx5_ib_create_srq_resp mlx5;
	struct srq_attr a = srq_attr(r.pd);
	struct ib_uverbs_destroy_qp destroy = { 0 };
	struct ib_uverbs_destroy_qp_resp destroyed;

	cmd.pd_handle = r.pd;
	cr_assert_eq(OLD(&r.b, CREATE_SRQ, IN_OUT(cmd, resp), IN_OUT(a.uhw, mlx5)), 0);
	cr_expect_eq(resp.max_wr, 63);
	cr_expect_eq(resp.max_sge, 3);
	cr_expect_not_null(hca_srq_find(&r.b.hca, mlx5.srqn));
	qp.is_srq = 1;
	qp.srq_handle = resp.srq_handle;
	r.attr.uhw.rq_wqe_count = r.attr.uhw.rq_wqe_shift = 0;
	cr_assert_eq(ex_qp(&qp, &qp_resp), 0);
	cr_expect_eq(hca_qp_find(&r.b.hca, qp_resp.base.qpn)->srq->srqn, mlx5.srqn);
	cr_expect_eq(end_srq(resp.srq_handle), -EBUSY, "of a QP");
	destroy.qp_handle = qp_resp.base.qp_handle;
	cr_assert_eq(OLD(&r.b, DESTROY_QP, IN_OUT(destroy, destroyed), NO_UHW), 0);
	cr_expect_eq(end_srq(resp.srq_handle), 0);
	cr_expect_eq(end_srq(resp.srq_handle), -ENOENT);
	cr_expect_eq(end_srq(r.pd), -EINVAL, "another kind");
	cr_expect_null(hca_srq_find(&r.b.hca, mlx5.srqn));
	cmd.pd_handle = 999;
	cr_expect_eq(OLD(&r.b, CREATE_SRQ, IN_OUT(cmd, resp), IN_OUT(a.uhw, mlx5)), -EINVAL);
}

Test(SUITE, srq_of_xrc)
{
	struct ib_uverbs_create_xsrq cmd = { .srq_type = IB_UVERBS_SRQT_XRC,
					     .max_wr = 63,
					     .max_sge = 3 };
	struct ib_uverbs_open_xrcd open = { .fd = (uint32_t)-1, .oflags = O_CREAT };
	struct ib_uverbs_open_xrcd_resp domain;
	struct ib_uverbs_create_srq_resp resp;
	struct mlx5_ib_create_srq_resp mlx5;
	struct ib_uverbs_close_xrcd close;
	struct srq_attr a = srq_attr(r.pd);
	const struct hca_srq *srq;

	cr_assert_eq(OLD(&r.b, OPEN_XRCD, IN_OUT(open, domain), NO_UHW), 0);
	cmd.pd_handle = r.pd;
	cmd.xrcd_handle = close.xrcd_handle = domain.xrcd_handle;
	cmd.cq_handle = r.cq.handle;
	cr_assert_eq(OLD(&r.b, CREATE_XSRQ, IN_OUT(cmd, resp), IN_OUT(a.uhw, mlx5)), 0);
	cr_expect_eq(resp.srqn, mlx5.srqn);
	srq = hca_srq_find(&r.b.hca, resp.srqn);
	cr_assert_not_null(srq);
	cr_expect(srq->xrc);
	cr_expect_eq(srq->cq->cqn, r.cq.cqn);
	cr_expect_eq(OLD(&r.b, CLOSE_XRCD, IN(close), NO_UHW), -EBUSY);
	cr_expect_eq(end_srq(resp.srq_handle), 0);
	cr_expect_eq(OLD(&r.b, CLOSE_XRCD, IN(close), NO_UHW), 0);
	cr_expect_eq(OLD(&r.b, CLOSE_XRCD, IN(close), NO_UHW), -ENOENT);
	cr_expect_eq(OLD(&r.b, CREATE_XSRQ, IN_OUT(cmd, resp), IN_OUT(a.uhw, mlx5)), -EINVAL,
		     "no such domain");
	cmd.srq_type = IB_UVERBS_SRQT_BASIC;
	cr_assert_eq(OLD(&r.b, CREATE_XSRQ, IN_OUT(cmd, resp), IN_OUT(a.uhw, mlx5)), 0,
		     "neither domain nor CQ are looked at");
	cr_expect_not(hca_srq_find(&r.b.hca, mlx5.srqn)->xrc);
}

/* ---- what ends ---- */

Test(SUITE, queues_end_once)
{
	struct ib_uverbs_destroy_qp qp = { .qp_handle = r.qp.handle };
	struct ib_uverbs_destroy_cq cq = { .cq_handle = r.cq.handle };
	struct ib_uverbs_destroy_qp_resp qp_resp = { 77 };
	struct ib_uverbs_destroy_cq_resp cq_resp = { 77, 77 };

	cr_expect_eq(OLD(&r.b, DESTROY_CQ, IN_OUT(cq, cq_resp), NO_UHW), -EBUSY);
	cr_expect_eq(OLD(&r.b, DESTROY_QP, IN_OUT(qp, qp_resp), NO_UHW), 0);
	cr_expect_eq(qp_resp.events_reported, 0);
	cr_expect_eq(OLD(&r.b, DESTROY_QP, IN_OUT(qp, qp_resp), NO_UHW), -ENOENT);
	cr_expect_eq(OLD(&r.b, DESTROY_CQ, IN_OUT(cq, cq_resp), NO_UHW), 0);
	cr_expect_eq(cq_resp.comp_events_reported, 0);
	cr_expect_eq(cq_resp.async_events_reported, 0);
	cr_expect_eq(OLD(&r.b, DESTROY_CQ, IN_OUT(cq, cq_resp), NO_UHW), -ENOENT);
	cr_expect_null(hca_cq_find(&r.b.hca, r.cq.cqn));
	cr_expect_null(hca_qp_find(&r.b.hca, r.qp.qpn));
}

Test(SUITE, windows_and_addresses_end)
{
	struct ib_uverbs_alloc_mw mw = { .mw_type = IBV_MW_TYPE_1 };
	struct ib_uverbs_create_ah ah = {
		.attr = { .grh = { .dgid = { [10] = 0xff, [11] = 0xff, 10, 0, 0, 2 },
				   .sgid_index = 3,
				   .hop_limit = 1 },
			  .is_global = 1,
			  .port_num = 1 }
	};
	struct ib_uverbs_dealloc_mw end_mw;
	struct ib_uverbs_destroy_ah end_ah;
	struct ib_uverbs_alloc_mw_resp mw_resp;
	struct ib_uverbs_create_ah_resp ah_resp;
	struct mlx5_ib_create_ah_resp mlx5;

	mw.pd_handle = ah.pd_handle = r.pd;
	cr_assert_eq(OLD(&r.b, ALLOC_MW, IN_OUT(mw, mw_resp), NO_UHW), 0);
	cr_expect_not_null(hca_mkey_find(&r.b.hca, mw_resp.rkey));
	end_mw.mw_handle = mw_resp.mw_handle;
	cr_assert_eq(OLD(&r.b, CREATE_AH, IN_OUT(ah, ah_resp),
			 (struct buf){ .out = &mlx5, .out_len = sizeof(mlx5) }),
		     0);
	cr_expect_neq(mlx5.dmac[5], 0x55, "mlx5_ib resolves it");
	end_ah.ah_handle = ah_resp.ah_handle;
	cr_expect_eq(OLD(&r.b, DEALLOC_MW, IN(end_ah), NO_UHW), -EINVAL, "another kind");
	cr_expect_eq(OLD(&r.b, DESTROY_AH, IN(end_ah), NO_UHW), 0);
	cr_expect_eq(OLD(&r.b, DESTROY_AH, IN(end_ah), NO_UHW), -ENOENT);
	cr_expect_eq(OLD(&r.b, DEALLOC_MW, IN(end_mw), NO_UHW), 0);
	cr_expect_null(hca_mkey_find(&r.b.hca, mw_resp.rkey));
	cr_expect_eq(OLD(&r.b, DEALLOC_MW, IN(end_mw), NO_UHW), -ENOENT);
}
