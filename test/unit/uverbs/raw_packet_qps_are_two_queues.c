/* SPDX-License-Identifier: BSD-2-Clause */
/* Raw packet QPs: two buffers, two queues, one state; for those who may. */
#include <linux/capability.h>
#include <sys/syscall.h>

#include "ethernet.h"

#define SUITE	 raw_packet_qps_are_two_queues
#define SUITE_RC raw_packet_qps_are_two_queues_beside_rc

QP_SUITE(SUITE_RC);

static int tunnel; /* the one that the adapter knows, 0: none */

static void plain(struct hca *hca)
{
	uint8_t *eth = hca->caps[PRM_CAP_ETHERNET_OFFLOADS];

	PRM_SET(cmd_hca_cap, hca->caps[0], end_pad, 0);
	PRM_SET(per_protocol_networking_offload_caps, eth, vlan_cap, 0);
	PRM_SET(per_protocol_networking_offload_caps, eth, multi_pkt_send_wqe, 0);
	PRM_SET(per_protocol_networking_offload_caps, eth, scatter_fcs, 0);
	PRM_SET(per_protocol_networking_offload_caps, eth, tunnel_stateless_vxlan, tunnel == 1);
	PRM_SET(per_protocol_networking_offload_caps, eth, tunnel_stateless_gre, tunnel == 2);
	PRM_SET(per_protocol_networking_offload_caps, eth, tunnel_stateless_geneve_rx,
		tunnel == 3);
}

static bool caps(int call, struct __user_cap_data_struct data[2])
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };

	return !syscall(call, &head, data);
}

static bool permitted(void)
{
	struct __user_cap_data_struct data[2] = { 0 };

	cr_assert(caps(SYS_capget, data));
	return data[0].effective & 1u << CAP_NET_RAW;
}

/* The RQ: 16 WQEs of 64 bytes; the SQ, elsewhere: 64 basic blocks. */
static void raw_open(void)
{
	if (!permitted())
		cr_skip_test("CAP_NET_RAW is needed");
	rig_up(&r);
	r.attr.type = IB_UVERBS_QPT_RAW_PACKET;
	r.attr.uhw.sq_buf_addr = (uintptr_t)pages(1);
	r.attr.uhw.uidx = 8;
}

TestSuite(SUITE, .init = raw_open, .fini = qp_close);

static struct hca_sq *sq_of(struct rig *r)
{
	return core_ids_get(&r->b.hca.sqs, r->qp.qpn);
}

static struct hca_rq *rq_of(struct rig *r)
{
	uint32_t rqn = 0;

	return core_ids_next(&r->b.hca.rqs, &rqn);
}

static int modify_to(struct rig *r, uint8_t state, uint32_t mask)
{
	struct ib_uverbs_modify_qp a = to_state(r, state);

	a.attr_mask |= mask;
	a.port_num = 1;
	return modify(r, &a);
}

static void to_ready(struct rig *r)
{
	cr_assert_eq(modify_to(r, IBV_QPS_INIT, IBV_QP_PORT), 0);
	cr_assert_eq(modify_to(r, IBV_QPS_RTR, 0), 0);
	cr_assert_eq(modify_to(r, IBV_QPS_RTS, 0), 0);
}

Test(SUITE, each_queue_has_its_buffer)
{
	const struct hca_sq *sq;
	const struct hca_rq *rq;

	cr_assert_eq(create_qp(&r.b, &r.attr, &r.qp), 0);
	sq = sq_of(&r);
	rq = rq_of(&r);
	cr_assert_not_null(sq, "the QP has the number of its SQ");
	cr_assert_eq((uintptr_t)hca_ring_at(&sq->wq.ring, 0), r.attr.uhw.sq_buf_addr);
	cr_assert_eq((uintptr_t)hca_ring_at(&rq->wq.ring, 0), r.attr.uhw.buf_addr);
	cr_assert_eq(sq->wq.cnt, 64);
	cr_assert_eq(rq->wq.cnt, 16);
	cr_assert_eq(rq->wq.log_stride, 6);
	cr_assert_eq(sq->dbrec, r.attr.uhw.db_addr);
	cr_assert_eq(rq->dbrec, r.attr.uhw.db_addr);
	cr_assert_eq(sq->user_index, 8);
	cr_assert_eq(rq->user_index, 8);
	cr_assert_eq(sq->cq->cqn, r.cq.cqn);
	cr_assert(sq->flush);
	cr_assert_eq(PRM_GET(sqc, sq->sqc, allow_multi_pkt_send_wqe), 1);
}

Test(SUITE, states_of_both_follow)
{
	cr_assert_eq(create_qp(&r.b, &r.attr, &r.qp), 0);
	cr_assert_eq(query(&r).qp_state, IBV_QPS_RESET);
	cr_assert_eq(query(&r).max_recv_wr, 16);
	cr_assert_eq(query(&r).port_num, 1);
	cr_assert_eq(modify_to(&r, IBV_QPS_INIT, IBV_QP_PORT), 0);
	cr_assert_eq(rq_of(&r)->state, PRM_RQC_STATE_RDY);
	cr_assert_eq(sq_of(&r)->state, PRM_SQC_STATE_RST);
	cr_assert_eq(query(&r).qp_state, IBV_QPS_INIT);
	cr_assert_eq(modify_to(&r, IBV_QPS_RTR, 0), 0);
	cr_assert_eq(sq_of(&r)->state, PRM_SQC_STATE_RST);
	cr_assert_eq(query(&r).qp_state, IBV_QPS_RTR);
	cr_assert_eq(modify_to(&r, IBV_QPS_RTS, 0), 0);
	cr_assert_eq(sq_of(&r)->state, PRM_SQC_STATE_RDY);
	cr_assert_eq(query(&r).qp_state, IBV_QPS_RTS);
	cr_assert_eq(modify_to(&r, IBV_QPS_RTS, 0), 0);
	cr_assert_eq(modify_to(&r, IBV_QPS_ERR, 0), 0);
	cr_assert_eq(sq_of(&r)->state, PRM_SQC_STATE_ERR);
	cr_assert_eq(rq_of(&r)->state, PRM_RQC_STATE_ERR);
	cr_assert_eq(query(&r).qp_state, IBV_QPS_ERR);
	cr_assert_eq(modify_to(&r, IBV_QPS_RESET, 0), 0);
	cr_assert_eq(sq_of(&r)->state, PRM_SQC_STATE_RST);
	cr_assert_eq(query(&r).qp_state, IBV_QPS_RESET);
}

Test(SUITE, masks)
{
	cr_assert_eq(create_qp(&r.b, &r.attr, &r.qp), 0);
	cr_assert_eq(modify_to(&r, IBV_QPS_INIT, 0), -EINVAL);
	cr_assert_eq(modify_to(&r, IBV_QPS_INIT, IBV_QP_PORT | IBV_QP_PKEY_INDEX), -EINVAL);
	cr_assert_eq(modify_to(&r, IBV_QPS_RTR, 0), -EINVAL);
	to_ready(&r);
	cr_assert_eq(modify_to(&r, IBV_QPS_RTS, IBV_QP_ACCESS_FLAGS), -EINVAL);
	cr_assert_eq(modify_to(&r, IBV_QPS_SQD, 0), -EINVAL);
}

/* The device may take the send queue to ERR by itself. */
Test(SUITE, a_send_error_shows_as_sqe)
{
	cr_assert_eq(create_qp(&r.b, &r.attr, &r.qp), 0);
	to_ready(&r);
	sq_of(&r)->state = PRM_SQC_STATE_ERR;
	cr_assert_eq(query(&r).qp_state, IBV_QPS_SQE);
	cr_assert_eq(modify_to(&r, IBV_QPS_RTS, 0), -EINVAL, "no way back but by RESET");
	cr_assert_eq(modify_to(&r, IBV_QPS_RESET, 0), 0);
	to_ready(&r);
}

Test(SUITE, one_queue_is_enough_and_none_is_not)
{
	struct qp qp;

	r.attr.uhw.ece_options = 0x10000000; /* libmlx5's, of every QP */
	r.attr.uhw.sq_wqe_count = 0;
	cr_assert_eq(create_qp(&r.b, &r.attr, &qp), 0);
	cr_assert_eq(rq_of(&r)->rqn, qp.qpn, "the QP has the number of its RQ");
	cr_assert_eq(r.b.hca.sqs.used, 0);
	r.attr.cap.max_recv_wr = r.attr.uhw.rq_wqe_count = r.attr.uhw.rq_wqe_shift = 0;
	cr_assert_eq(create_qp(&r.b, &r.attr, &qp), -EINVAL);
	r.attr.uhw.sq_wqe_count = 64;
	cr_assert_eq(create_qp(&r.b, &r.attr, &qp), 0);
	cr_assert_eq(r.b.hca.rqs.used, 1);
}

Test(SUITE, refusals_leave_nothing)
{
	struct qp qp;

	call_run = call_once;
	r.attr.uhw.sq_buf_addr = 16;
	cr_assert_eq(create_qp(&r.b, &r.attr, &qp), -EFAULT);
	r.attr.uhw.sq_buf_addr = (uintptr_t)pages(1);
	r.attr.uhw.bfreg_index = r.uar.page + 100;
	cr_assert_neq(create_qp(&r.b, &r.attr, &qp), 0);
	r.attr.uhw.bfreg_index = r.uar.page;
	/* the receive half fails when the send half is there */
	PRM_SET(cmd_hca_cap, r.b.hca.caps[0], log_max_tir, 0);
	cr_assert_eq(create_qp(&r.b, &r.attr, &qp), 0);
	cr_assert_neq(create_qp(&r.b, &r.attr, &qp), 0);
	cr_assert_eq(r.b.hca.sqs.used, 1);
	cr_assert_eq(r.b.hca.rqs.used, 1);
	cr_assert_eq(r.b.hca.tiss.used, 1);
}

Test(SUITE, destroy_takes_all_four_and_frees_their_users)
{
	struct ib_uverbs_destroy_qp_resp resp;

	cr_assert_eq(create_qp(&r.b, &r.attr, &r.qp), 0);
	to_ready(&r);
	cr_assert_eq(dealloc_pd(&r.b, r.pd), -EBUSY);
	cr_assert_eq(destroy_qp(&r.b, r.qp.handle, &resp), 0);
	cr_assert_eq(r.b.hca.sqs.used, 0);
	cr_assert_eq(r.b.hca.rqs.used, 0);
	cr_assert_eq(r.b.hca.tiss.used, 0);
	cr_assert_eq(r.b.hca.tirs.used, 0);
}

static char way[200];

/* " RQ 1-0": to RST; " RQ": destroyed. */
static void note_way(const struct core_trace *t)
{
	const uint8_t *in = t->in;
	size_t at = strlen(way);

	if (t->obj == PRM_OP_MODIFY_RQ || t->obj == PRM_OP_MODIFY_SQ)
		snprintf(way + at, sizeof(way) - at, " %s %u-%u",
			 t->obj == PRM_OP_MODIFY_RQ ? "RQ" : "SQ", in[8] >> 4, in[0x24] >> 4);
	else
		snprintf(way + at, sizeof(way) - at, " %s",
			 t->obj == PRM_OP_DESTROY_TIR	? "TIR"
			 : t->obj == PRM_OP_DESTROY_RQ	? "RQ"
			 : t->obj == PRM_OP_DESTROY_SQ	? "SQ"
			 : t->obj == PRM_OP_DESTROY_TIS ? "TIS"
							: "?");
}

/* mlx5_ib, qp.c, destroy_qp_common: one that is not in RESET is taken there first. */
Test(SUITE, destroy_resets_the_queues_first)
{
	static const char *const ways[] = {
		" TIR RQ SQ TIS",
		" RQ 1-0 SQ 0-0 TIR RQ SQ TIS",
		" RQ 1-0 SQ 1-0 TIR RQ SQ TIS",
	};
	struct ib_uverbs_destroy_qp_resp resp;

	for (unsigned int i = 0; i < 3; i++) {
		cr_assert_eq(create_qp(&r.b, &r.attr, &r.qp), 0);
		if (i == 1)
			cr_assert_eq(modify_to(&r, IBV_QPS_INIT, IBV_QP_PORT), 0);
		else if (i)
			to_ready(&r);
		*way = 0;
		core_trace_to = note_way;
		core_trace_mask = 1u << TRACE_FW;
		cr_assert_eq(destroy_qp(&r.b, r.qp.handle, &resp), 0);
		core_trace_mask = 0;
		cr_expect_str_eq(way, ways[i], "%s", way);
	}
}

/* The numbers of the queues are for those who can name them by DevX. */
static struct mlx5_ib_create_qp_resp answer_of(struct rig *r)
{
	struct call c = call(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE);
	struct mlx5_ib_create_qp_resp resp = { 0 };

	call_object(&c, UVERBS_ATTR_CREATE_QP_HANDLE, 0);
	call_object(&c, UVERBS_ATTR_CREATE_QP_PD_HANDLE, r->pd);
	call_object(&c, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, r->cq.handle);
	call_object(&c, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, r->cq.handle);
	call_u64(&c, UVERBS_ATTR_CREATE_QP_USER_HANDLE, 1);
	call_in(&c, UVERBS_ATTR_CREATE_QP_CAP, &r->attr.cap, sizeof(r->attr.cap));
	call_u64(&c, UVERBS_ATTR_CREATE_QP_TYPE, r->attr.type);
	call_out(&c, UVERBS_ATTR_CREATE_QP_RESP_CAP, &r->qp.cap, sizeof(r->qp.cap));
	call_out(&c, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, &r->qp.qpn, 4);
	call_in(&c, UVERBS_ATTR_UHW_IN, &r->attr.uhw, sizeof(r->attr.uhw));
	call_out(&c, UVERBS_ATTR_UHW_OUT, &resp, sizeof(resp));
	cr_assert_eq(call_run(&r->b, &c), 0);
	return resp;
}

Test(SUITE, the_answer_names_the_objects)
{
	struct mlx5_ib_create_qp_resp resp;

	resp = answer_of(&r);
	cr_assert_eq(resp.comp_mask,
		     MLX5_IB_CREATE_QP_RESP_MASK_TIRN | MLX5_IB_CREATE_QP_RESP_MASK_TISN |
			     MLX5_IB_CREATE_QP_RESP_MASK_RQN | MLX5_IB_CREATE_QP_RESP_MASK_SQN |
			     MLX5_IB_CREATE_QP_RESP_MASK_TIR_ICM_ADDR);
	cr_assert_eq(resp.tir_icm_addr, 0x2000000000 + 64ull * resp.tirn);
	cr_assert_eq(resp.sqn, r.qp.qpn);
	cr_assert_eq(resp.rqn, rq_of(&r)->rqn);
	cr_assert_eq(resp.tisn, sq_of(&r)->tis->tisn);
	cr_assert_not_null(core_ids_get(&r.b.hca.tirs, resp.tirn));
	cr_assert_eq(resp.bfreg_index, UINT32_MAX);
}

Test(SUITE_RC, without_cap_net_raw_it_is_eperm)
{
	struct __user_cap_data_struct data[2] = { 0 };
	struct qp qp;

	r.attr.type = IB_UVERBS_QPT_RAW_PACKET;
	r.attr.uhw.sq_buf_addr = (uintptr_t)pages(1);
	cr_assert(caps(SYS_capget, data));
	data[0].effective &= ~(1u << CAP_NET_RAW);
	cr_assert(caps(SYS_capset, data));
	cr_assert_eq(create_qp(&r.b, &r.attr, &qp), -EPERM);
}

Test(SUITE, what_the_adapter_lacks_is_refused)
{
	static const uint64_t flags[] = { IB_UVERBS_QP_CREATE_CVLAN_STRIPPING,
					  IB_UVERBS_QP_CREATE_SCATTER_FCS,
					  IB_UVERBS_QP_CREATE_PCI_WRITE_END_PADDING };
	struct qp qp;

	rig_down(&r);
	rig_up_with(&r, plain);
	r.attr.type = IB_UVERBS_QPT_RAW_PACKET;
	r.attr.uhw.sq_buf_addr = (uintptr_t)pages(1);
	for (size_t i = 0; i < 3; i++) {
		r.attr.flags = flags[i];
		cr_assert_eq(create_qp(&r.b, &r.attr, &qp), -EOPNOTSUPP);
	}
	r.attr.flags = 0;
	r.attr.uhw.flags |= MLX5_QP_FLAG_TUNNEL_OFFLOADS;
	cr_assert_eq(create_qp(&r.b, &r.attr, &qp), -EINVAL);
	r.attr.uhw.flags &= ~MLX5_QP_FLAG_TUNNEL_OFFLOADS;
	cr_assert_eq(create_qp(&r.b, &r.attr, &r.qp), 0);
	cr_assert_eq(PRM_GET(sqc, sq_of(&r)->sqc, allow_multi_pkt_send_wqe), 0);
	/* With one of them the driver asks for it; the emulated firmware has none. */
	seen_command.opcode = PRM_OP_CREATE_TIR;
	for (tunnel = 1; tunnel <= 3; tunnel++) {
		rig_down(&r);
		rig_up_with(&r, plain);
		r.attr.type = IB_UVERBS_QPT_RAW_PACKET;
		r.attr.uhw.sq_buf_addr = (uintptr_t)pages(1);
		r.attr.flags = 0;
		r.attr.uhw.flags |= MLX5_QP_FLAG_TUNNEL_OFFLOADS;
		memset(seen_command.in, 0, sizeof(seen_command.in));
		cr_expect_eq(create_qp(&r.b, &r.attr, &qp), -EINVAL);
		cr_expect_eq(PRM_GET(tirc, PRM_ADDR(create_tir_in, seen_command.in, ctx),
				     tunneled_offload_en),
			     1, "%d", tunnel);
	}
}

/* ib_user_ioctl_verbs.h: loopback of multicast, FCS, VLAN, all signaled; the padding (11) needs
 * end_pad. */
Test(SUITE, has_these_flags_at_creation)
{
	const uint32_t taken = 1u << 1 | 1u << 8 | 1u << 9 | 1u << 12;
	struct qp qp;

	for (unsigned int bit = 0; bit < 32; bit++) {
		r.attr.flags = 1u << bit;
		cr_expect_eq(create_qp(&r.b, &r.attr, &qp) >= 0, taken >> bit & 1, "bit %u",
			     bit);
	}
}

Test(SUITE, own_frames_come_in_by_flag)
{
	const struct hca_tir *tir;
	uint32_t tirn = 0;

	r.attr.uhw.flags |= MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_UC;
	cr_assert_eq(create_qp(&r.b, &r.attr, &r.qp), 0);
	tir = core_ids_next(&r.b.hca.tirs, &tirn);
	cr_assert_eq(PRM_GET(tirc, tir->tirc, self_lb_block), 1);
}

/* Kernel, mlx5_ib, main.c, mlx5_ib_enable_lb: with the second context, or the first such QP. */
Test(SUITE, the_vport_loops_back_when_it_is_needed)
{
	struct bench other;

	cr_expect_not(hca_loops_back(&r.b.hca), "one context");
	r.attr.uhw.flags |= MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_MC;
	cr_assert_eq(create_qp(&r.b, &r.attr, &r.qp), 0);
	cr_expect(hca_loops_back(&r.b.hca), "a QP");
	cr_assert_eq(destroy_qp(&r.b, r.qp.handle, &(struct ib_uverbs_destroy_qp_resp){ 0 }),
		     0);
	cr_expect_not(hca_loops_back(&r.b.hca));
	other = r.b;
	other.f = uverbs_open(r.b.u);
	cr_assert_eq(
		get_context(&other, &usual_context, &(struct mlx5_ib_alloc_ucontext_resp){ 0 }),
		0);
	cr_expect(hca_loops_back(&r.b.hca), "two contexts");
	uverbs_release(other.f);
	cr_expect_not(hca_loops_back(&r.b.hca));
}

static int limit(struct rig *r, uint8_t state, uint32_t rate, uint32_t burst)
{
	struct ib_uverbs_ex_modify_qp cmd = { .base = to_state(r, state), .rate_limit = rate };
	struct mlx5_ib_modify_qp uhw = { .burst_info.max_burst_sz = burst };
	struct ib_uverbs_ex_modify_qp_resp resp;

	cmd.base.attr_mask |= IBV_QP_RATE_LIMIT;
	return write_uhw(&r->b, EX(IB_USER_VERBS_EX_CMD_MODIFY_QP),
			 (struct buf){ &cmd, sizeof(cmd), &resp, sizeof(resp) },
			 (struct buf){ &uhw, sizeof(uhw), NULL, 0 });
}

static uint32_t rate_of(struct rig *r)
{
	return PRM_GET(sqc, sq_of(r)->sqc, packet_pacing_rate_limit_index);
}

Test(SUITE, a_rate_is_an_entry_of_the_table)
{
	cr_assert_eq(create_qp(&r.b, &r.attr, &r.qp), 0);
	cr_assert_eq(modify_to(&r, IBV_QPS_INIT, IBV_QP_PORT), 0);
	cr_assert_eq(limit(&r, IBV_QPS_RTR, 1000, 0), -EINVAL, "not before RTS");
	cr_assert_eq(modify_to(&r, IBV_QPS_RTR, 0), 0);
	cr_assert_eq(limit(&r, IBV_QPS_RTS, 1000, 0), 0);
	cr_assert_eq(rate_of(&r), 1);
	cr_assert_eq(limit(&r, IBV_QPS_RTS, 2000, 100), 0);
	cr_assert_eq(rate_of(&r), 2, "the first is left when there is the second");
	cr_assert_eq(limit(&r, IBV_QPS_RTS, 3000, 0), 0);
	cr_assert_eq(rate_of(&r), 1);
	cr_assert_eq(limit(&r, IBV_QPS_RTS, 0, 100), -EINVAL, "a burst of no rate");
	cr_assert_eq(limit(&r, IBV_QPS_RTS, UINT32_MAX, 0), -EINVAL);
	cr_assert_eq(rate_of(&r), 1);
	cr_assert_eq(limit(&r, IBV_QPS_RTS, 0, 0), 0);
	cr_assert_eq(rate_of(&r), 0);
}

/* mlx5_ib, qp.c, modify_raw_packet_qp_sq: RESET ends the limit, and then there is no difference
 * between none and 0. */
Test(SUITE, a_rate_that_stays_is_not_set_again)
{
	cr_assert_eq(create_qp(&r.b, &r.attr, &r.qp), 0);
	to_ready(&r);
	cr_assert_eq(limit(&r, IBV_QPS_RTS, 1000, 0), 0);
	cr_assert_eq(limit(&r, IBV_QPS_RTS, 1000, 0), 0);
	cr_assert_eq(rate_of(&r), 1);
	cr_assert_eq(modify_to(&r, IBV_QPS_RESET, 0), 0);
	cr_assert_eq(modify_to(&r, IBV_QPS_INIT, IBV_QP_PORT), 0);
	cr_assert_eq(modify_to(&r, IBV_QPS_RTR, 0), 0);
	cr_assert_eq(limit(&r, IBV_QPS_RTS, 0, 0), 0);
	cr_assert_eq(rate_of(&r), 0);
	cr_assert_eq(limit(&r, IBV_QPS_RTS, 1000, 8), 0, "another burst");
	cr_assert_eq(limit(&r, IBV_QPS_RTS, 0, 0), 0);
	cr_assert_eq(rate_of(&r), 0);
}

/* The table, its entry and the queue, each of which may fail. */
Test(SUITE, a_rate_is_given_back_where_a_step_fails)
{
	static const unsigned int steps_of[] = { 1, 2, 2 };

	cr_assert_eq(create_qp(&r.b, &r.attr, &r.qp), 0);
	to_ready(&r);
	call_run = call_once;
	for (unsigned int i = 0; i < 3; i++) {
		steps.fail_at = steps_of[i];
		cr_assert_lt(limit(&r, IBV_QPS_RTS, 1000, 0), 0);
		cr_assert_eq(steps.fail_at, 0);
		cr_assert_eq(rate_of(&r), 0);
	}
	for (unsigned int i = 1; i < 4; i++)
		cr_assert_eq(limit(&r, IBV_QPS_RTS, 1000 * i, 0), 0);
	cr_assert_eq(rate_of(&r), 1, "free since the second");
	/* destroyed with a rate: nothing is left */
}
