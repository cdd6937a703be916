/* SPDX-License-Identifier: BSD-2-Clause */
/* DCI and DCT: QPs of type DRIVER, of which the flags of libmlx5 say which one is meant. */
#include <poll.h>

#include "event/event.h"
#include "shared.h"
#include "uverbs/driver.h"

#define SUITE dct_number_exists_from_rtr

#define INIT   (IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT)
#define TO_RTR (IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_MIN_RNR_TIMER)

static struct srq srq;
static int events; /* the asynchronous event fd */

static void srq_and_fd_open(void)
{
	struct srq_attr a;

	bench_context(&r.b);
	events = alloc_async_fd(&r.b);
	rig_queues(&r);
	a = srq_attr(r.pd);
	cr_assert_eq(create_srq(&r.b, &a, &srq), 0);
}

static void srq_and_fd_close(void)
{
	rig_down(&r);
}

TestSuite(SUITE, .init = srq_and_fd_open, .fini = srq_and_fd_close);

/* A DCT is only numbers: no buffer, no record, no page. */
static struct typed_attr dct_attr(void)
{
	struct typed_attr a = typed_attr(&r, IB_UVERBS_QPT_DRIVER);

	a.srq = srq.handle;
	a.uhw = (struct mlx5_ib_create_qp){ .flags = MLX5_QP_FLAG_TYPE_DCT,
					    .uidx = 5,
					    .access_key = 0x1122334455667788 };
	return a;
}

static struct typed_attr dci_attr(void)
{
	struct typed_attr a = typed_attr(&r, IB_UVERBS_QPT_DRIVER);

	a.cap.max_recv_wr = a.cap.max_recv_sge = 0;
	a.uhw.flags = MLX5_QP_FLAG_TYPE_DCI | MLX5_QP_FLAG_UAR_PAGE_INDEX;
	a.uhw.rq_wqe_count = a.uhw.rq_wqe_shift = 0;
	return a;
}

static int modify_ex(const struct ib_uverbs_modify_qp *a, struct mlx5_ib_modify_qp_resp *dct,
		     uint16_t len)
{
	return modify_ece(&r, a, 0, (struct buf){ .out = dct, .out_len = len });
}

static struct ib_uverbs_modify_qp rtr(void)
{
	struct ib_uverbs_modify_qp a = to_rtr(&r);

	a.attr_mask = TO_RTR;
	memset(a.dest.dgid, 0, sizeof(a.dest.dgid)); /* it is not read */
	return a;
}

Test(SUITE, and_not_before)
{
	struct typed_attr a = dct_attr();
	struct mlx5_ib_modify_qp_resp resp = { 0 };
	struct ib_uverbs_modify_qp to;
	const struct hca_dct *dct;

	cr_assert_eq(create_typed(&r.b, &a, &r.qp), 0);
	cr_expect_eq(r.qp.qpn, 0);
	cr_expect_eq(r.qp.bfreg, 0, "it rings nothing");
	to = to_init(&r);
	cr_assert_eq(modify_ex(&to, NULL, 0), 0);
	cr_expect_eq(r.b.hca.dcts.used, 0);
	to = rtr();
	cr_assert_eq(modify_ex(&to, &resp, sizeof(resp)), 0);
	cr_expect_eq(resp.response_length, sizeof(resp));
	dct = hca_dct_find(&r.b.hca, resp.dctn);
	cr_assert_not_null(dct);
	cr_expect_eq(dct->key, 0x1122334455667788);
	cr_expect_eq(dct->model->srq->srqn, srq.srqn);
	cr_expect_eq(dct->model->rcq->cqn, r.cq.cqn);
	cr_expect_eq(dct->model->user_index, 5);
	cr_expect_eq(dct->model->mtu, 1024);
	cr_expect_eq(dct->model->min_rnr_nak, 12);
	cr_expect_eq(dct->model->path.sgid_index, 3);
	cr_expect_eq(dct->model->path.tclass, 0x68);
	cr_expect(dct->model->rwe && dct->model->rre && !dct->model->rae);
}

Test(SUITE, and_needs_space_for_it)
{
	struct typed_attr a = dct_attr();
	struct mlx5_ib_modify_qp_resp resp = { 0 };
	struct ib_uverbs_modify_qp to;

	cr_assert_eq(create_typed(&r.b, &a, &r.qp), 0);
	to = to_init(&r);
	cr_assert_eq(modify(&r, &to), 0);
	to = rtr();
	cr_expect_eq(modify(&r, &to), -EINVAL, "the short command has none");
	cr_expect_eq(modify_ex(&to, &resp, 4), -EINVAL);
	cr_expect_eq(modify_ex(&to, &resp, 8), 0);
	cr_expect_eq(resp.response_length, 8);
	cr_expect_neq(resp.dctn, 0);
}

Test(SUITE, after_one_straight_way)
{
	struct typed_attr a = dct_attr();
	struct mlx5_ib_modify_qp_resp resp = { 0 };
	struct ib_uverbs_modify_qp init, to;

	cr_assert_eq(create_typed(&r.b, &a, &r.qp), 0);
	init = to_init(&r);
	to = rtr();
	cr_expect_eq(modify_ex(&to, &resp, sizeof(resp)), -EINVAL, "from RESET");
	init.attr_mask &= ~IBV_QP_ACCESS_FLAGS;
	cr_expect_eq(modify_ex(&init, NULL, 0), -EINVAL);
	init = to_init(&r);
	init.attr_mask &= ~IBV_QP_STATE;
	cr_expect_eq(modify_ex(&init, NULL, 0), -EINVAL);
	init = to_init(&r);
	cr_expect_eq(modify_ex(&init, NULL, 0), 0);
	cr_expect_eq(modify_ex(&init, NULL, 0), -EINVAL, "twice");
	for (uint32_t bit = 1; bit <= TO_RTR; bit <<= 1) {
		to.attr_mask = TO_RTR ^ bit;
		cr_expect_neq(modify_ex(&to, &resp, sizeof(resp)), 0, "bit %#x", bit);
	}
	to = rtr();
	to.dest.sgid_index = 200;
	cr_expect_neq(modify_ex(&to, &resp, sizeof(resp)), 0, "an empty GID entry");
	to = rtr();
	cr_expect_eq(modify_ex(&to, &resp, sizeof(resp)), 0);
	to = to_rts(&r);
	cr_expect_eq(modify_ex(&to, NULL, 0), -EINVAL, "there is no RTS");
	to = to_state(&r, IBV_QPS_ERR);
	cr_expect_eq(modify_ex(&to, NULL, 0), -EINVAL);
	to = to_state(&r, IBV_QPS_RESET);
	cr_expect_eq(modify_ex(&to, NULL, 0), -EINVAL);
}

Test(SUITE, and_loses_it_when_destroyed)
{
	struct typed_attr a = dct_attr();
	struct mlx5_ib_modify_qp_resp resp = { 0 };
	struct ib_uverbs_destroy_qp_resp gone;
	struct ib_uverbs_modify_qp to;
	uint32_t reported;

	cr_assert_eq(create_typed(&r.b, &a, &r.qp), 0);
	cr_assert_eq(destroy_qp(&r.b, r.qp.handle, &gone), 0);
	cr_assert_eq(create_typed(&r.b, &a, &r.qp), 0);
	to = to_init(&r);
	cr_assert_eq(modify_ex(&to, NULL, 0), 0);
	to = rtr();
	cr_assert_eq(modify_ex(&to, &resp, sizeof(resp)), 0);
	cr_expect_eq(destroy_srq(&r.b, srq.handle, &reported), -EBUSY);
	cr_assert_eq(destroy_qp(&r.b, r.qp.handle, &gone), 0);
	cr_expect_null(hca_dct_find(&r.b.hca, resp.dctn));
	cr_expect_eq(destroy_srq(&r.b, srq.handle, &reported), 0);
}

static int query_mask(uint32_t mask, struct ib_uverbs_query_qp_resp *resp)
{
	struct ib_uverbs_query_qp cmd = { .qp_handle = r.qp.handle, .attr_mask = mask };

	return write_cmd(&r.b, IB_USER_VERBS_CMD_QUERY_QP, &cmd, sizeof(cmd), resp,
			 sizeof(*resp));
}

Test(SUITE, then_it_can_be_asked)
{
	struct typed_attr a = dct_attr();
	struct mlx5_ib_modify_qp_resp dct = { 0 };
	struct ib_uverbs_query_qp_resp resp;
	struct ib_uverbs_modify_qp to;

	cr_assert_eq(create_typed(&r.b, &a, &r.qp), 0);
	cr_expect_eq(query_mask(IBV_QP_STATE, &resp), -EINVAL);
	to = to_init(&r);
	cr_assert_eq(modify_ex(&to, NULL, 0), 0);
	to = rtr();
	cr_assert_eq(modify_ex(&to, &dct, sizeof(dct)), 0);
	cr_expect_eq(query_mask(IBV_QP_STATE | IBV_QP_SQ_PSN, &resp), -EINVAL);
	cr_assert_eq(query_mask(IBV_QP_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_PATH_MTU |
					IBV_QP_MIN_RNR_TIMER | IBV_QP_AV,
				&resp),
		     0);
	cr_expect_eq(resp.qp_state, IBV_QPS_RTR);
	cr_expect_eq(resp.qp_access_flags, IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
	cr_expect_eq(resp.path_mtu, IBV_MTU_1024);
	cr_expect_eq(resp.min_rnr_timer, 12);
	cr_expect_eq(resp.dest.sgid_index, 3);
	cr_expect_eq(resp.port_num, 0, "not asked for");
}

static bool is_reported(uint8_t type, uint32_t number)
{
	struct pollfd p = { .fd = events, .events = POLLIN };
	struct ib_uverbs_async_event_desc e;

	hca_lock(&r.b.hca);
	event_async(&r.b.hca, type, number, 0);
	hca_unlock(&r.b.hca);
	if (poll(&p, 1, 0) != 1)
		return false;
	cr_assert_eq(read(events, &e, sizeof(e)), sizeof(e));
	return true;
}

/* The kernel has no event for an application that would be about a DCT. */
Test(SUITE, and_is_quiet_about_its_connections)
{
	uint32_t rc = r.qp.qpn;
	struct typed_attr a = dct_attr();
	struct mlx5_ib_modify_qp_resp dct = { 0 };
	struct ib_uverbs_modify_qp to;

	cr_assert_eq(create_typed(&r.b, &a, &r.qp), 0);
	to = to_init(&r);
	cr_assert_eq(modify_ex(&to, NULL, 0), 0);
	to = rtr();
	cr_assert_eq(modify_ex(&to, &dct, sizeof(dct)), 0);
	cr_expect(is_reported(PRM_EVENT_WQ_ACCESS_ERROR, rc));
	cr_expect_not(is_reported(PRM_EVENT_WQ_ACCESS_ERROR, dct.dctn));
	cr_expect_not(is_reported(PRM_EVENT_WQ_INVAL_REQ_ERROR, dct.dctn));
	cr_expect_not(is_reported(PRM_EVENT_DCT_DRAINED, dct.dctn));
}

Test(SUITE, and_an_initiator_is_a_qp)
{
	struct typed_attr a = dci_attr();
	struct ib_uverbs_modify_qp to;
	const struct hca_qp *qp;

	cr_assert_eq(create_typed(&r.b, &a, &r.qp), 0);
	qp = hca_qp_find(&r.b.hca, r.qp.qpn);
	cr_expect_eq(qp->st, 5);
	to = to_init(&r);
	cr_expect_eq(modify(&r, &to), -EINVAL, "with access flags");
	to.attr_mask = 0;
	cr_expect_eq(modify(&r, &to), -EINVAL, "without a state");
	to.attr_mask = INIT;
	cr_assert_eq(modify(&r, &to), 0);
	to.attr_mask = IBV_QP_PORT;
	cr_expect_eq(modify(&r, &to), -EINVAL, "without a state");
	to.attr_mask = IBV_QP_PORT | IBV_QP_STATE;
	cr_assert_eq(modify(&r, &to), 0);
	to = to_rtr(&r);
	cr_expect_eq(modify(&r, &to), -EINVAL, "with a peer");
	to.attr_mask = IBV_QP_STATE | IBV_QP_PATH_MTU | IBV_QP_AV;
	cr_assert_eq(modify(&r, &to), 0);
	to = to_rts(&r);
	cr_assert_eq(modify(&r, &to), 0);
	cr_expect_eq(qp->state, PRM_QPC_STATE_RTS);
	cr_expect_eq(qp->mtu, 1024);
	cr_expect_eq(qp->req.psn, 0x654321);
	to = to_state(&r, IBV_QPS_RESET);
	cr_assert_eq(modify(&r, &to), 0);
}

Test(SUITE, refusals)
{
	struct typed_attr a = dct_attr();
	struct qp qp;

	a.srq = ABSENT;
	cr_expect_eq(create_typed(&r.b, &a, &qp), -EINVAL, "a DCT without SRQ");
	a = dct_attr();
	a.uhw.flags = 0;
	cr_expect_eq(create_typed(&r.b, &a, &qp), -EINVAL, "neither");
	a = dct_attr();
	a.uhw.flags |= MLX5_QP_FLAG_TYPE_DCI;
	cr_expect_eq(create_typed(&r.b, &a, &qp), -EINVAL, "both");
	a = dct_attr();
	a.uhw.uidx = 0xffffff;
	cr_expect_eq(create_typed(&r.b, &a, &qp), -EINVAL);
	a = dci_attr();
	a.cap.max_recv_wr = 1;
	cr_expect_eq(create_typed(&r.b, &a, &qp), -EINVAL, "a DCI that receives");
	a = dci_attr();
	a.uhw.flags |= MLX5_QP_FLAG_DCI_STREAM;
	cr_expect_eq(create_typed(&r.b, &a, &qp), -EINVAL, "streams");
	a = dci_attr();
	a.uhw.flags &= ~MLX5_QP_FLAG_UAR_PAGE_INDEX;
	cr_expect_eq(create_typed(&r.b, &a, &qp), -EINVAL, "no doorbell page");
}

static uint8_t rtr_qpc[PRM_SZ(qpc)];

static void keep_rtr(const struct core_trace *t)
{
	if (t->obj == PRM_OP_INIT2RTR_QP)
		memcpy(rtr_qpc, PRM_ADDR(init2rtr_qp_in, (const uint8_t *)t->in, qpc),
		       sizeof(rtr_qpc));
}

/* mlx5_ib, qp.c, mlx5_set_path; verbs.c, _ib_modify_qp: without a lookup of the MAC, and
 * without CQs (get_cqs) */
Test(SUITE, and_a_dci_has_the_address_of_its_move)
{
	struct typed_attr a = dci_attr();
	const uint8_t *path = PRM_ADDR(qpc, rtr_qpc, primary_address_path);
	struct ib_uverbs_modify_qp init, to;

	cr_assert_eq(create_typed(&r.b, &a, &r.qp), 0);
	init = to_init(&r);
	init.attr_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
	cr_assert_eq(modify(&r, &init), 0);
	to = to_rtr(&r);
	to.attr_mask = IBV_QP_STATE | IBV_QP_PATH_MTU | IBV_QP_AV;
	to.dest.is_global = 0;
	cr_expect_eq(modify(&r, &to), -EINVAL, "RoCE has GIDs");
	to.dest.is_global = 1;
	to.dest.static_rate = 1;
	cr_expect_eq(modify(&r, &to), -EINVAL, "no such rate");
	to.dest.static_rate = 0;
	to.dest.sgid_index = 4;
	cr_expect_eq(modify(&r, &to), -ENODATA, "an empty GID");
	to.dest.sgid_index = 255;
	cr_expect_eq(modify(&r, &to), -EINVAL, "no such GID");
	to.dest.sgid_index = 3;
	to.dest.flow_label = 0x54321;
	core_trace_to = keep_rtr;
	core_trace_mask = 1u << TRACE_FW;
	cr_assert_eq(modify(&r, &to), 0);
	cr_expect_arr_eq(PRM_ADDR(ads, path, rgid_rip), to.dest.dgid, sizeof(to.dest.dgid));
	cr_expect_eq(PRM_GET(ads, path, rmac_31_0), 0);
	cr_expect_eq(PRM_GET(ads, path, src_addr_index), 3);
	cr_expect_eq(PRM_GET(ads, path, hop_limit), 1);
	cr_expect_eq(PRM_GET(ads, path, tclass), 0x68);
	cr_expect_eq(PRM_GET(ads, path, dscp), 0x68 >> 2);
	cr_expect_eq(PRM_GET(ads, path, eth_prio), 3);
	cr_expect_eq(PRM_GET(ads, path, flow_label), 0x54321);
	cr_expect_eq(PRM_GET(ads, path, vhca_port_num), 1);
	cr_expect_eq(PRM_GET(qpc, rtr_qpc, cqn_snd), 0);
	cr_expect_eq(PRM_GET(qpc, rtr_qpc, cqn_rcv), 0);
}

/* main.c, mlx5_query_max_pkeys: mlx5_ib lets 128 indexes pass, though RoCE has one P_Key. */
Test(SUITE, and_a_dci_may_name_another_p_key)
{
	struct typed_attr a = dci_attr();
	struct ib_uverbs_modify_qp to;

	cr_assert_eq(create_typed(&r.b, &a, &r.qp), 0);
	to = to_init(&r);
	to.attr_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
	cr_assert_eq(modify(&r, &to), 0);
	to = to_rtr(&r);
	to.attr_mask = IBV_QP_STATE | IBV_QP_PATH_MTU | IBV_QP_PKEY_INDEX;
	to.pkey_index = 128;
	cr_expect_eq(modify(&r, &to), -EINVAL);
	to.pkey_index = 127;
	cr_expect_eq(modify(&r, &to), 0);
}

/* Options that the firmware does not know show that they reached it. */
Test(SUITE, with_the_options_of_ece_that_were_said_last)
{
	struct typed_attr a = dct_attr();
	struct mlx5_ib_modify_qp_resp resp = { .ece_options = 5 };
	struct ib_uverbs_modify_qp init, to;

	a.uhw.ece_options = 1u << 31;
	cr_assert_eq(create_typed(&r.b, &a, &r.qp), 0);
	init = to_init(&r);
	to = rtr();
	cr_assert_eq(modify_ex(&init, NULL, 0), 0);
	FIRMWARE_HAS_ECE(&r, false);
	cr_expect_eq(modify_ex(&to, &resp, sizeof(resp)), -EINVAL, "those of the creation");
	FIRMWARE_HAS_ECE(&r, true);
	cr_expect_eq(modify_ex(&to, &resp, sizeof(resp)), 0);
	cr_expect_eq(resp.response_length, sizeof(resp));
	cr_expect_eq(resp.ece_options, 0);
	a.uhw.ece_options = 0;
	cr_assert_eq(create_typed(&r.b, &a, &r.qp), 0);
	init = to_init(&r);
	to = rtr();
	cr_assert_eq(modify_ece(&r, &init, 1, (struct buf){ 0 }), 0);
	FIRMWARE_HAS_ECE(&r, false);
	cr_expect_eq(modify_ex(&to, &resp, sizeof(resp)), -EINVAL, "those of INIT");
	PRM_SET(cmd_hca_cap, r.b.u->caps[PRM_CAP_GENERAL], ece_support, 0);
	cr_assert_eq(create_typed(&r.b, &a, &r.qp), 0);
	init = to_init(&r);
	to = rtr();
	cr_assert_eq(modify_ece(&r, &init, 1, (struct buf){ 0 }), 0);
	cr_expect_eq(
		modify_ece(&r, &to, 1, (struct buf){ .out = &resp, .out_len = sizeof(resp) }),
		0, "the driver says none");
}
