/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rings, arms and retires with dv, and looks whether the device did what it should: all of it
 * has to be right with include/dv as it is. mutations.sh compiles it against changed copies.
 *
 *	arms       events of one CQ, more than its sequence number has values; arms that add up
 *	doorbells  WQEs of one and two blocks, alone and in batches, by 8 bytes
 *	blueflame  the same, by BlueFlame, a doorbell in between
 *	wraps      until the 16 bits of the producer index wrap
 */
#include <poll.h>

/* A page with registers whose arm register is not the CQ's: what a change may name. */
extern char *other_page;

#include "common.h"

char *other_page;

enum {
	SIZE = 64,
	EVENTS = 6,
	ROUNDS = 8,
	LAPS = 66000,
};

static char from[SIZE], to[SIZE];

static struct {
	struct device dev;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq_a, *cq_b;
	struct ibv_qp *qp_a, *qp_b;
	struct ibv_mr *from, *to;
	struct dv_sq sq;
	struct dv_cq cq;
} t;

static void open_all(void)
{
	t.dev = device_open((struct options){ .port = 1, .gid_index = -1 });
	t.from = made(ibv_reg_mr(t.dev.pd, from, SIZE, IBV_ACCESS_LOCAL_WRITE));
	t.to = made(ibv_reg_mr(t.dev.pd, to, SIZE,
			       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE));
	t.channel = made(ibv_create_comp_channel(t.dev.ctx));
	t.cq_a = made(ibv_create_cq(t.dev.ctx, 64, NULL, t.channel, 0));
	t.cq_b = made(ibv_create_cq(t.dev.ctx, 64, NULL, t.channel, 0));
	t.qp_a = qp_create(&t.dev, t.cq_a);
	t.qp_b = qp_create(&t.dev, t.cq_b);
	qp_connect_pair(&t.dev, t.qp_a, t.qp_b);
	ok(dv_sq_map(&t.sq, t.qp_a));
	ok(dv_cq_map(&t.cq, t.cq_a));
	other_page = t.sq.bf_reg - (uintptr_t)t.sq.bf_reg % DV_UAR_BYTES;
	if (other_page == t.cq.arm_reg - (uintptr_t)t.cq.arm_reg % DV_UAR_BYTES)
		errx(1, "QP and CQ have one UAR page");
}

static void close_all(void)
{
	ok(ibv_destroy_qp(t.qp_a));
	ok(ibv_destroy_qp(t.qp_b));
	ok(ibv_destroy_cq(t.cq_a));
	ok(ibv_destroy_cq(t.cq_b));
	ok(ibv_destroy_comp_channel(t.channel));
	ok(ibv_dereg_mr(t.from));
	ok(ibv_dereg_mr(t.to));
	device_close(&t.dev);
}

/* A WRITE of one block, or with its bytes inside of two. */
static void write_one(int round)
{
	struct dv_raddr raddr = { (uintptr_t)to, t.to->rkey };
	struct ibv_sge sge = { (uintptr_t)from, SIZE, t.from->lkey };

	memset(from, round, SIZE);
	if (round % 2)
		ok(dv_sq_write(&t.sq, MLX5_WQE_CTRL_CQ_UPDATE, raddr, &sge, 1));
	else
		ok(dv_sq_write_inline(&t.sq, MLX5_WQE_CTRL_CQ_UPDATE, raddr, from, SIZE));
}

/* @n CQEs, of WQEs that succeeded; then the ring is empty. */
static void finish(int n)
{
	const struct mlx5_cqe64 *cqe;

	for (; n; n--) {
		while (!(cqe = dv_cq_poll(&t.cq)))
			;
		if (dv_cqe_syndrome(cqe))
			errx(1, "a WQE ended with syndrome 0x%x", dv_cqe_syndrome(cqe));
		dv_sq_retire(&t.sq, cqe);
	}
	dv_cq_release(&t.cq);
	if (dv_sq_space(&t.sq) != t.sq.wqe_cnt)
		errx(1, "%u of %u blocks are free", dv_sq_space(&t.sq), t.sq.wqe_cnt);
}

/* The device writes a CQE and its event in one turn, and no call enters the driver meanwhile:
 * so after a call an event of a CQE that was seen is there, or never comes. */
static int events_now(void)
{
	struct pollfd p = { .fd = t.channel->fd, .events = POLLIN };
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	ok(ibv_query_qp(t.qp_a, &attr, IBV_QP_STATE, &init));
	return poll(&p, 1, 0);
}

static void take_event(void)
{
	struct ibv_cq *cq;
	void *context;

	if (events_now() != 1)
		errx(1, "armed, a CQE came, and no event");
	ok(ibv_get_cq_event(t.channel, &cq, &context));
	if (cq != t.cq_a)
		errx(1, "an event of another CQ");
	ibv_ack_cq_events(cq, 1);
	dv_cq_event(&t.cq);
}

static void arms(void)
{
	for (int i = 0; i < EVENTS; i++) {
		dv_cq_arm(&t.cq, false);
		if (i % 2) /* google/rdma-unit-test, CompChannelTest.DowngradeRequest */
			dv_cq_arm(&t.cq, true);
		write_one(i);
		dv_sq_doorbell(&t.sq);
		finish(1);
		take_event();
		if (events_now())
			errx(1, "two events for one arm");
	}
}

static void rounds(enum dv_doorbell how)
{
	for (int i = 0; i < ROUNDS; i++) {
		write_one(i);
		dv_sq_ring_by(&t.sq, i == ROUNDS / 2 ? DV_DOORBELL : how);
		finish(1);
		if (to[0] != (char)i || to[SIZE - 1] != (char)i)
			errx(1, "round %d wrote something else", i);
	}
	write_one(0);
	write_one(1);
	dv_sq_ring_by(&t.sq, how);
	finish(2);
}

static void wraps(void)
{
	for (int i = 0; i < LAPS; i += t.sq.wqe_cnt / 2) {
		for (int j = 0; j < t.sq.wqe_cnt / 2; j++)
			ok(dv_sq_nop(&t.sq,
				     j == t.sq.wqe_cnt / 2 - 1 ? MLX5_WQE_CTRL_CQ_UPDATE : 0));
		dv_sq_doorbell(&t.sq);
		finish(1);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";

	deadline(60, "the device");
	open_all();
	if (!strcmp(what, "arms"))
		arms();
	else if (!strcmp(what, "doorbells"))
		rounds(DV_DOORBELL);
	else if (!strcmp(what, "blueflame"))
		rounds(DV_BLUEFLAME);
	else if (!strcmp(what, "wraps"))
		wraps();
	else
		errx(2, "usage: rings arms | doorbells | blueflame | wraps");
	close_all();
	puts("as expected");
	return 0;
}
