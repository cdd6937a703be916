/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does one odd thing, named by its argument, that works or only fails late; findings.sh reads
 * what dvkit-emu --check has to say about it.
 *
 *	odd nothing | unrung | unsignalled | stale | short | leak
 */
#include <unistd.h>

#include "common.h"

enum {
	SIZE = 64,
};

static char from[SIZE], to[SIZE];

struct bench {
	struct device dev;
	struct ibv_mr *from, *to;
	struct pair pair;
	struct dv_sq sq;
	struct dv_cq cq;
};

static void write_one(struct bench *b, uint32_t rkey, uint8_t flags)
{
	struct ibv_sge sge = { (uintptr_t)from, SIZE, b->from->lkey };

	ok(dv_sq_write(&b->sq, flags, (struct dv_raddr){ (uintptr_t)to, rkey }, &sge, 1));
}

static void wait_for_one(struct bench *b)
{
	const struct mlx5_cqe64 *cqe;

	while (!(cqe = dv_cq_poll(&b->cq)))
		;
	dv_sq_retire(&b->sq, cqe);
	dv_cq_release(&b->cq);
}

/* The record tells of a WQE, and the register is not rung. */
static void unrung(struct bench *b)
{
	write_one(b, b->to->rkey, MLX5_WQE_CTRL_CQ_UPDATE);
	dv_sq_record(&b->sq);
}

static void unsignalled(struct bench *b)
{
	for (uint32_t i = 0; i < b->sq.wqe_cnt; i++)
		write_one(b, b->to->rkey, 0);
	dv_sq_doorbell(&b->sq);
	sleep(1); /* nothing will ever say that it is done */
}

static void stale(struct bench *b)
{
	uint32_t rkey = b->to->rkey;

	ok(ibv_dereg_mr(b->to));
	b->to = NULL;
	write_one(b, rkey, MLX5_WQE_CTRL_CQ_UPDATE);
	dv_sq_doorbell(&b->sq);
	wait_for_one(b);
}

/* A WQE whose ds counts its control segment and no more. */
static void cut_short(struct bench *b)
{
	void *wqe = dv_sq_reserve(&b->sq, 1);

	dv_set_raddr_seg(dv_wqe_body(wqe), (uintptr_t)to, b->to->rkey);
	dv_sq_commit(&b->sq, dv_wqe_body(wqe), MLX5_OPCODE_RDMA_WRITE, 0,
		     MLX5_WQE_CTRL_CQ_UPDATE, 0);
	dv_sq_doorbell(&b->sq);
	wait_for_one(b);
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";
	struct options o = { .port = 1, .gid_index = -1 };
	struct bench b = { .dev = device_open(o) };

	memset(from, 'x', SIZE);
	b.from = made(ibv_reg_mr(b.dev.pd, from, SIZE, IBV_ACCESS_LOCAL_WRITE));
	b.to = made(ibv_reg_mr(b.dev.pd, to, SIZE,
			       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE));
	b.pair = pair_create(&b.dev);
	ok(dv_sq_map(&b.sq, b.pair.a));
	ok(dv_cq_map(&b.cq, b.pair.a_cq));
	if (!strcmp(what, "unrung"))
		unrung(&b);
	else if (!strcmp(what, "unsignalled"))
		unsignalled(&b);
	else if (!strcmp(what, "stale"))
		stale(&b);
	else if (!strcmp(what, "short"))
		cut_short(&b);
	else if (!strcmp(what, "leak"))
		return 0;
	else if (strcmp(what, "nothing"))
		errx(2, "usage: odd nothing | unrung | unsignalled | stale | short | leak");
	pair_destroy(&b.pair);
	if (b.to)
		ok(ibv_dereg_mr(b.to));
	ok(ibv_dereg_mr(b.from));
	device_close(&b.dev);
	return 0;
}
