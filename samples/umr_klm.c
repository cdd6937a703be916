/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A key for scattered memory, changed by a WQE: a UMR WQE sets what the key translates to, here
 * a list of three areas (KLM). The WRITE after it, rung by the same doorbell, already uses the
 * key: one SGE for all three.
 *
 *	key, from 0 on   | head  | middle         | tail |      as one SGE has it
 *	                     |         |              |
 *	memory           [head]    [middle]        [tail]       anywhere
 *
 *	UMR         what the key translates to
 *	RDMA_WRITE  small fence     gathers through it  ----->  peer's memory
 *	RDMA_READ                   scatters through it <-----  peer's memory, another text
 *
 * Registering memory takes a system call. A UMR takes none, and is executed in the order of the
 * send queue. Last line when all is well: "gathered, and scattered, through one key".
 */
#include "common.h"
#include <dv/post_umr.h>

enum {
	PIECES = 3,
	HEAD = 5,
	MIDDLE = 16,
	TAIL = 3,
	TOTAL = HEAD + MIDDLE + TAIL,
};

/* Three pieces, not adjacent; and the peer's memory. */
static struct {
	char tail[TAIL + 1], gap[100], head[HEAD + 1], hole[500], middle[MIDDLE + 1];
} local = { .head = "from ", .middle = "three pieces of ", .tail = "one" };

static char peer_in[TOTAL], peer_out[TOTAL + 1] = "and the answer is in ...";

/* A key with space for four entries, and without any yet. */
static struct mlx5dv_mkey *empty_key(struct ibv_pd *pd)
{
	struct mlx5dv_mkey_init_attr attr = {
		.pd = pd,
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT,
		.max_entries = 4,
	};

	return made(mlx5dv_create_mkey(&attr));
}

static void wait_for(struct dv_cq *cq, struct dv_sq *sq, const char *what)
{
	dv_sq_retire(sq, cqe_wait(cq, what));
	dv_cq_release(cq);
}

int main(int argc, char **argv)
{
	struct device dev = device_open(options_parse(argc, argv, "UMR: a key by a WQE"));
	struct ibv_mr *mr =
		made(ibv_reg_mr(dev.pd, &local, sizeof(local), IBV_ACCESS_LOCAL_WRITE));
	struct ibv_mr *in = made(ibv_reg_mr(dev.pd, peer_in, TOTAL,
					    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE));
	struct ibv_mr *out = made(ibv_reg_mr(dev.pd, peer_out, TOTAL, IBV_ACCESS_REMOTE_READ));
	struct pair qps = pair_create(&dev);
	struct dv_sq sq;
	struct dv_cq cq;

	must(dv_sq_map(&sq, qps.a));
	must(dv_cq_map(&cq, qps.a_cq));

	/* The areas of the key, and the access that it allows. */
	struct mlx5dv_mkey *key = empty_key(dev.pd);
	struct ibv_sge piece[PIECES] = {
		{ (uintptr_t)local.head, HEAD, mr->lkey },
		{ (uintptr_t)local.middle, MIDDLE, mr->lkey },
		{ (uintptr_t)local.tail, TAIL, mr->lkey },
	};
	struct dv_umr umr;

	dv_umr_init(&umr, key->lkey);
	dv_umr_set_access(&umr, IBV_ACCESS_LOCAL_WRITE);
	must(dv_sq_umr_list(&sq, 0, &umr, piece, PIECES));
	show_wqe("the UMR", &sq);

	/* The small fence: start when the UMR before is done. The next one needs none. */
	struct ibv_sge all = { 0, TOTAL, key->lkey };
	struct dv_raddr write_to = { (uintptr_t)peer_in, in->rkey };
	struct dv_raddr read_from = { (uintptr_t)peer_out, out->rkey };

	must(dv_sq_write(&sq, DV_FENCE_INITIATOR_SMALL | MLX5_WQE_CTRL_CQ_UPDATE, write_to,
			 &all, 1));
	show_wqe("the WRITE, through the key", &sq);
	dv_sq_doorbell(&sq);
	wait_for(&cq, &sq, "the completion of the WRITE");
	if (memcmp(peer_in, "from three pieces of one", TOTAL) != 0)
		errx(1, "the peer has '%.*s'", TOTAL, peer_in);

	/* And back, another text. */
	must(dv_sq_read(&sq, MLX5_WQE_CTRL_CQ_UPDATE, read_from, &all, 1));
	dv_sq_doorbell(&sq);
	wait_for(&cq, &sq, "the completion of the READ");
	if (memcmp(local.head, peer_out, HEAD) != 0 ||
	    memcmp(local.middle, peer_out + HEAD, MIDDLE) != 0 ||
	    memcmp(local.tail, peer_out + HEAD + MIDDLE, TAIL) != 0)
		errx(1, "scattered: '%.5s' '%.16s' '%.3s'", local.head, local.middle,
		     local.tail);
	printf("gathered, and scattered, through one key\n");

	ok(mlx5dv_destroy_mkey(key));
	pair_destroy(&qps);
	ok(ibv_dereg_mr(out));
	ok(ibv_dereg_mr(in));
	ok(ibv_dereg_mr(mr));
	device_close(&dev);
	return 0;
}
