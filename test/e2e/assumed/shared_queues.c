/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assumptions of the emulator about shared receive queues and XRC, in the form that asks an
 * adapter: see completions.c.
 */
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include "lib/qp_traffic.h"

static void post_to(struct ibv_srq *srq, int n)
{
	struct ibv_sge sge = dst_sge(0, LEN);
	struct ibv_recv_wr w = { .wr_id = 1, .sg_list = &sge, .num_sge = 1 }, *bad;

	for (; n; n--)
		cr_assert_eq(ibv_post_srq_recv(srq, &w, &bad), 0);
}

/* b receives from an SRQ that has @n WQEs. */
static struct ibv_srq *wired_with_srq(int n)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 32, .max_sge = 1 } };

	with.srq = ibv_create_srq(r.pd, &attr);
	cr_assert_not_null(with.srq);
	post_to(with.srq, n);
	pair(with);
	return with.srq;
}

static bool any_event(int ms)
{
	struct pollfd fd = { .fd = r.ctx->async_fd, .events = POLLIN };

	return poll(&fd, 1, ms) == 1;
}

Test(assumed, srq_limit_is_looked_at_when_a_wqe_is_taken)
{
	struct ibv_srq_attr attr = { .srq_limit = 10 };
	struct ibv_srq *srq = wired_with_srq(5);

	cr_assert_eq(ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT), 0);
	cr_assert_not(any_event(300), "an event, and no message came");
	op_ends_in(IBV_WR_SEND, src_sge(0, 100), 0, 0, IBV_WC_SUCCESS);
	event_comes(IBV_EVENT_SRQ_LIMIT_REACHED);
}

Test(assumed, srq_bad_link_is_catastrophic)
{
	struct ibv_srq *srq = wired_with_srq(3);
	struct mlx5dv_srq dv = { 0 };
	struct mlx5dv_obj obj = { .srq = { srq, &dv } };
	struct mlx5_wqe_srq_next_seg *first;

	cr_assert_eq(mlx5dv_init_obj(&obj, MLX5DV_OBJ_SRQ), 0);
	first = dv.buf; /* a new SRQ starts with WQE 0 */
	cr_assert_eq(be16toh(first->next_wqe_index), 1);
	first->next_wqe_index = htobe16(0x7fff);
	op_ends_in(IBV_WR_SEND, src_sge(0, 100), 0, 0, IBV_WC_SUCCESS);
	op_ends_in(IBV_WR_SEND, src_sge(0, 100), 0, 0, IBV_WC_RNR_RETRY_EXC_ERR);
	event_comes(IBV_EVENT_SRQ_ERR);
}

/* A message of two SGEs, the second of which has no good key, ends after its first packets. */
static void send_half(void)
{
	struct ibv_sge sges[] = { src_sge(0, 2 * PAGE), src_sge(0, 2 * PAGE) };
	struct ibv_send_wr w = wr(IBV_WR_SEND, sges, 0, 0);

	sges[1].lkey ^= 0x5a5500;
	w.num_sge = 2;
	wr_ends_in(&w, IBV_WC_LOC_PROT_ERR);
	usleep(10000);
}

Test(assumed, reset_loses_the_srq_wqe_held)
{
	with.srq = wired_with_srq(1);
	send_half();
	if (*(volatile uint8_t *)r.dst != 0x5a)
		cr_skip_test("nothing of an unfinished message arrives");
	cr_assert_eq(to_state(r.b.qp, IBV_QPS_RESET), 0);
	stays_quiet(&r.b, 100);
	unpair();
	pair(with);
	op_ends_in(IBV_WR_SEND, src_sge(0, 100), 0, 0, IBV_WC_RNR_RETRY_EXC_ERR);
	stays_quiet(&r.b, 1);
}

/* ---- XRC ---- */

static struct ibv_xrcd *new_domain(void)
{
	struct ibv_xrcd_init_attr attr = { .comp_mask = IBV_XRCD_INIT_ATTR_FD |
							IBV_XRCD_INIT_ATTR_OFLAGS,
					   .fd = -1,
					   .oflags = O_CREAT };
	struct ibv_xrcd *xrcd = ibv_open_xrcd(r.ctx, &attr);

	if (!xrcd)
		cr_skip_test("no XRC domain: %s", strerror(errno));
	return xrcd;
}

/* The number of a new XRC SRQ of @xrcd, or of a basic one. */
static uint32_t new_srq(struct ibv_xrcd *xrcd)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = 32, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = xrcd ? IBV_SRQT_XRC : IBV_SRQT_BASIC,
		.pd = r.pd,
		.xrcd = xrcd,
	};
	struct mlx5dv_srq dv = { .comp_mask = MLX5DV_SRQ_MASK_SRQN };
	struct mlx5dv_obj obj = { .srq = { NULL, &dv } };

	if (xrcd) {
		attr.comp_mask |= IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
		attr.cq = ibv_create_cq(r.ctx, 100, NULL, NULL, 0);
		cr_assert_not_null(attr.cq);
	}
	obj.srq.in = ibv_create_srq_ex(r.ctx, &attr);
	cr_assert_not_null(obj.srq.in);
	post_to(obj.srq.in, 3);
	cr_assert_eq(mlx5dv_init_obj(&obj, MLX5DV_OBJ_SRQ), 0);
	return dv.srqn;
}

static struct ibv_qp *new_qp(enum ibv_qp_type type, struct ibv_cq *cq, struct ibv_xrcd *xrcd)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = type,
		.send_cq = cq,
		.cap = { .max_send_wr = 16, .max_send_sge = 1 },
		.comp_mask = xrcd ? IBV_QP_INIT_ATTR_XRCD : IBV_QP_INIT_ATTR_PD,
		.pd = r.pd,
		.xrcd = xrcd,
	};
	struct ibv_qp *qp = ibv_create_qp_ex(r.ctx, &init);

	cr_assert_not_null(qp, "%s", strerror(errno));
	return qp;
}

/* a: initiator, b: a target of @xrcd. */
static void wired_by_xrc(struct ibv_xrcd *xrcd)
{
	r.a.ibcq = ibv_create_cq(r.ctx, 100, NULL, NULL, 0);
	cr_assert_not_null(r.a.ibcq);
	r.a.qp = new_qp(IBV_QPT_XRC_SEND, r.a.ibcq, NULL);
	r.b.qp = new_qp(IBV_QPT_XRC_RECV, NULL, xrcd);
	bring(&r.b, &with, IBV_QPS_RTS, r.a.qp->qp_num);
	bring(&r.a, &with, IBV_QPS_RTS, r.b.qp->qp_num);
}

/* A message to SRQ @srqn of the peer ends in @status, and the target in @state. */
static void send_to(uint32_t srqn, enum ibv_wc_status status, enum ibv_qp_state state)
{
	struct ibv_sge sge = src_sge(0, 100);
	struct ibv_send_wr w = wr(IBV_WR_SEND, &sge, 0, 0);

	w.qp_type.xrc.remote_srqn = srqn;
	wr_ends_in(&w, status);
	cr_assert_eq(state_of(&r.b), state);
	unpair();
}

Test(assumed, xrc_srq_violation_is_an_invalid_request)
{
	struct ibv_xrcd *xrcd = new_domain();
	const uint32_t wrong[] = { 0xfffff0, new_srq(NULL), new_srq(new_domain()) };

	wired_by_xrc(xrcd);
	send_to(new_srq(xrcd), IBV_WC_SUCCESS, IBV_QPS_RTS);
	for (int i = 0; i < 3; i++) {
		wired_by_xrc(xrcd);
		send_to(wrong[i], IBV_WC_REM_INV_REQ_ERR, IBV_QPS_ERR);
	}
}
