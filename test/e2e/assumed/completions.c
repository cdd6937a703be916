/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assumptions of the emulator about CQEs and completion events, in the form that asks an
 * adapter.
 *
 * The tests of this folder are named after the assumptions: Test(assumed, SLUG) checks the
 * comment assumed(SLUG) below emu/. They use verbs, dv and the rig of lib/qp_pair.h, and
 * nothing of the emulator; what an adapter or its kernel cannot be asked is skipped, with the
 * reason. Test suites are one per program: its .init and .fini are here.
 */
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>
#include <dv/scatter.h>
#include "lib/clock.h"
#include "lib/qp_traffic.h"

TestSuite(assumed, .init = rig_start, .fini = rig_stop);

/* A message of @len bytes from a to b, whose CQ is mapped: its CQE. */
static struct mlx5_cqe64 received(uint32_t len)
{
	cr_assert_eq(post_recv(&r.b, dst_sge(0, LEN)), 0);
	op_ends_in(IBV_WR_SEND, src_sge(0, len), 0, 0, IBV_WC_SUCCESS);
	return next_cqe(&r.b);
}

Test(assumed, rc_receive_cqe_has_no_grh_bit)
{
	bool ipv4 = !memcmp(r.gid.raw, "\0\0\0\0\0\0\0\0\0\0\xff\xff", 12);
	struct mlx5_cqe64 cqe;
	uint32_t word;

	if (r.port.link_layer != IBV_LINK_LAYER_ETHERNET)
		cr_skip_test("the port is not RoCE");
	wired();
	cr_assert_eq(dv_cq_map(&r.b.cq, r.b.ibcq), 0);
	cqe = received(100);
	word = be32toh(cqe.flags_rqpn);
	cr_assert_eq(word & 0xffffff, r.a.qp->qp_num);
	cr_assert_eq(word >> 24 & 3, ipv4 ? 2 : 1);
	cr_assert_eq(word >> 28 & 3, 0);
}

Test(assumed, short_scatter_in_128_byte_cqe)
{
	static const uint32_t lens[] = { 1, 16, 32 };
	struct mlx5_cqe64 cqe;

	setenv("MLX5_CQE_SIZE", "128", 1); /* libmlx5 looks at the creation of a CQ */
	wired();
	cr_assert_eq(dv_cq_map(&r.b.cq, r.b.ibcq), 0);
	cqe = received(64);
	if (r.b.cq.cqe_size != 128 || !(cqe.op_own & MLX5_INLINE_SCATTER_64))
		cr_skip_test("no inline scatter of 64 bytes");
	for (int i = 0; i < 3; i++) {
		cqe = received(lens[i]);
		cr_assert(cqe.op_own & MLX5_INLINE_SCATTER_32, "%u bytes", lens[i]);
		cr_assert_eq(memcmp(&cqe, r.src, lens[i]), 0);
	}
}

/* CQEs of a QP made with sq_sig_all, for which the kernel asks the device to scatter answers
 * into CQEs. dv_sq_map() refuses it; here each WQE is signaled. */
static void map_signaling_all(struct end *e)
{
	struct mlx5dv_qp qp = { 0 };
	struct mlx5dv_obj obj = { .qp = { .in = e->qp, .out = &qp } };

	cr_assert_eq(mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP), 0);
	cr_assert_eq(dv_sq_init(&e->sq, &qp, e->qp->qp_num), 0);
	cr_assert_eq(dv_cq_map(&e->cq, e->ibcq), 0);
}

Test(assumed, atomic_answers_in_cqes_are_big_endian)
{
	static const uint8_t answer[8] = { 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88 };
	uint64_t was = 0x1122334455667788;
	struct ibv_sge sge = src_sge(0, 8);
	struct mlx5_cqe64 cqe;

	with.sq_sig_all = 1;
	pair(with);
	map_signaling_all(&r.a);
	memcpy(r.dst, &was, sizeof(was));
	cr_assert_eq(dv_sq_fetch_add(&r.a.sq, MLX5_WQE_CTRL_CQ_UPDATE,
				     (struct dv_raddr){ (uintptr_t)r.dst, r.dst_mr->rkey },
				     &sge, 1),
		     0);
	dv_sq_doorbell(&r.a.sq);
	cqe = next_cqe(&r.a);
	cr_assert_eq(dv_cqe_opcode(&cqe), MLX5_CQE_REQ);
	if (!(cqe.op_own & MLX5_INLINE_SCATTER_32))
		cr_skip_test("no inline scatter of 32 bytes");
	cr_assert_arr_eq(&cqe, answer, sizeof(answer));
	cr_assert_eq(r.src[0], 0x5a, "the buffer is the library's to fill");
	cr_assert(dv_sq_scatter(&r.a.sq, &cqe));
	cr_assert_arr_eq(r.src, &was, sizeof(was));
}

/* ---- events ---- */

/* Two QPs whose CQs have a completion channel. */
static struct ibv_comp_channel *wired_with_channel(void)
{
	with.channel = ibv_create_comp_channel(r.ctx);
	cr_assert_not_null(with.channel);
	pair(with);
	return with.channel;
}

/* Microseconds until the next event, which is of @cq and is taken; -1: none within @ms. */
static int event_after(struct ibv_comp_channel *channel, struct ibv_cq *cq, int ms)
{
	struct pollfd fd = { .fd = channel->fd, .events = POLLIN };
	uint64_t start = now_ns(), end;
	struct ibv_cq *which;
	void *cq_context;

	if (!poll(&fd, 1, ms))
		return -1;
	end = now_ns();
	cr_assert_eq(ibv_get_cq_event(channel, &which, &cq_context), 0);
	cr_assert_eq(which, cq);
	ibv_ack_cq_events(which, 1);
	return (int)((end - start) / 1000);
}

/* A WRITE of 8 bytes from a by dv, with bits 3:2 of the control segment's byte 11 = @ce. */
static void write_with_ce(unsigned int ce, uint32_t rkey)
{
	struct dv_raddr to = { (uintptr_t)r.dst, rkey };
	struct ibv_sge sge = src_sge(0, 8);

	cr_assert_eq(dv_sq_write(&r.a.sq, (uint8_t)(ce << 2), to, &sge, 1), 0);
}

Test(assumed, completion_modes_1_and_3)
{
	struct ibv_comp_channel *channel = wired_with_channel();
	struct mlx5_cqe64 cqe;

	map_by_dv(&r.a);
	write_with_ce(1, r.dst_mr->rkey);
	write_with_ce(3, r.dst_mr->rkey);
	dv_sq_doorbell(&r.a.sq);
	cqe = next_cqe(&r.a);
	cr_assert_eq(dv_cqe_opcode(&cqe), MLX5_CQE_REQ);
	cr_assert_eq(dv_cqe_wqe_counter(&cqe), 1, "ce 1 brought a CQE");
	cr_assert_eq(event_after(channel, r.a.ibcq, 100), -1, "an event without an arm");
	dv_cq_arm(&r.a.cq, false);
	write_with_ce(3, r.dst_mr->rkey);
	dv_sq_doorbell(&r.a.sq);
	cr_assert_neq(event_after(channel, r.a.ibcq, 10000), -1, "no event, though armed");
	next_cqe(&r.a);
	write_with_ce(1, r.dst_mr->rkey ^ 0x5a5500);
	dv_sq_doorbell(&r.a.sq);
	cqe = next_cqe(&r.a);
	cr_assert_eq(dv_cqe_syndrome(&cqe), MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
}

static void write_and_poll(void)
{
	struct mlx5_cqe64 cqe;

	write_with_ce(2, r.dst_mr->rkey);
	dv_sq_doorbell(&r.a.sq);
	cqe = next_cqe(&r.a);
	cr_assert_eq(dv_cqe_opcode(&cqe), MLX5_CQE_REQ);
}

Test(assumed, arm_with_the_sn_of_the_last_event_does_nothing)
{
	struct ibv_comp_channel *channel = wired_with_channel();

	map_by_dv(&r.a);
	dv_cq_arm(&r.a.cq, false);
	write_and_poll();
	cr_assert_neq(event_after(channel, r.a.ibcq, 10000), -1);
	dv_cq_arm(&r.a.cq, false); /* and no dv_cq_event() before */
	write_and_poll();
	cr_assert_eq(event_after(channel, r.a.ibcq, 200), -1, "an event for a stale arm");
	dv_cq_event(&r.a.cq);
	dv_cq_arm(&r.a.cq, false);
	write_and_poll();
	cr_assert_neq(event_after(channel, r.a.ibcq, 10000), -1);
}

/* A message from a to b that is there, and not polled, afterwards. */
static void send_unpolled(unsigned int flags)
{
	struct ibv_sge sge = src_sge(0, 100);
	struct ibv_send_wr w = wr(IBV_WR_SEND, &sge, 0, 0);

	w.send_flags |= flags;
	cr_assert_eq(post_recv(&r.b, dst_sge(0, LEN)), 0);
	wr_ends_in(&w, IBV_WC_SUCCESS);
	usleep(10000);
}

Test(assumed, solicited_arm_looks_at_the_last_solicited_cqe)
{
	struct ibv_comp_channel *channel = wired_with_channel();

	send_unpolled(0);
	cr_assert_eq(ibv_req_notify_cq(r.b.ibcq, 1), 0);
	cr_assert_eq(event_after(channel, r.b.ibcq, 200), -1,
		     "an event for an unsolicited CQE");
	unpair();
	channel = wired_with_channel();
	send_unpolled(IBV_SEND_SOLICITED);
	send_unpolled(0);
	cr_assert_eq(ibv_req_notify_cq(r.b.ibcq, 1), 0);
	cr_assert_neq(event_after(channel, r.b.ibcq, 10000), -1, "a solicited CQE was waiting");
}

/* ---- moderation ---- */

/* The longest period that mlx5_ib takes: kernel, cq.c, MLX5_MAX_CQ_PERIOD. */
enum { PERIOD_US = 4095, HALF = PERIOD_US / 2 };

/* A busy machine delays events: at least TRIES attempts, and up to MOST until one was in
 * time. */
enum { TRIES = 10, MOST = 300 };

static void moderate(uint16_t count, uint16_t period_us)
{
	struct ibv_modify_cq_attr attr = { .attr_mask = IBV_CQ_ATTR_MODERATE,
					   .moderate = { count, period_us } };
	int ret = ibv_modify_cq(r.a.ibcq, &attr);

	if (ret)
		cr_skip_test("ibv_modify_cq: %s", strerror(ret));
}

/* Arms a's CQ, lets one CQE come; microseconds until the event. */
static int armed_event(struct ibv_comp_channel *channel)
{
	int us;

	cr_assert_eq(ibv_req_notify_cq(r.a.ibcq, 0), 0);
	do_op(IBV_WR_RDMA_WRITE, src_sge(0, 8), 0, r.dst_mr->rkey);
	us = event_after(channel, r.a.ibcq, 10000);
	cr_assert_neq(us, -1, "no event within 10 s");
	ends_in(&r.a, IBV_WC_SUCCESS);
	return us;
}

Test(assumed, moderation_period_counts_from_the_last_event)
{
	struct ibv_comp_channel *channel = wired_with_channel();
	int us, paused = INT_MAX, busy = 0;

	moderate(1000, PERIOD_US);
	armed_event(channel);
	for (int i = 0; i < TRIES || (i < MOST && paused >= HALF); i++) {
		usleep(3 * PERIOD_US);
		us = armed_event(channel);
		paused = us < paused ? us : paused;
		us = armed_event(channel);
		busy = us > busy ? us : busy;
	}
	cr_assert_lt(paused, HALF, "after a pause held back for %d us", paused);
	cr_assert_geq(busy, HALF, "after an event held back for %d us only", busy);
}

Test(assumed, moderation_needs_count_and_period)
{
	struct ibv_comp_channel *channel = wired_with_channel();

	for (int i = 0; i < 2; i++) {
		int us, least = INT_MAX;

		moderate(i ? 0 : 1000, i ? PERIOD_US : 0);
		armed_event(channel);
		for (int j = 0; j < TRIES || (j < MOST && least >= HALF); j++) {
			us = armed_event(channel);
			least = us < least ? us : least;
		}
		cr_assert_lt(least, HALF, "%s 0: held back for %d us",
			     i ? "cq_max_count" : "cq_period", least);
	}
}

/* ---- resizing ---- */

/* @n CQEs wait in a's CQ of 8 or 16; moving them to one of @entries is refused or not. */
static void resized(int cq_entries, int n, int entries, bool refused)
{
	with.cqe = cq_entries - 1;
	pair(with);
	cr_assert_eq(r.a.ibcq->cqe, with.cqe);
	for (int i = 0; i < n; i++)
		do_op(IBV_WR_RDMA_WRITE, src_sge(0, 8), 0, r.dst_mr->rkey);
	usleep(100000);
	cr_assert_eq(ibv_resize_cq(r.a.ibcq, entries - 1) != 0, refused,
		     "%d CQEs in a CQ of %d, resized to %d", n, cq_entries, entries);
	for (int i = 0; i < n; i++)
		ends_in(&r.a, IBV_WC_SUCCESS);
	unpair();
}

Test(assumed, resize_leaves_space)
{
	resized(16, 7, 8, false);
	resized(16, 8, 8, true);
	resized(16, 9, 8, true);
	resized(8, 7, 16, false);
	resized(8, 8, 16, true);
}
