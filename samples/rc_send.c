/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A SEND, by hand: the receive is posted, the WQE is built segment by segment, the doorbell is
 * rung, and both ends see their completion. Two QPs of one device, connected to each other.
 *
 *	sender                                    receiver
 *	WQE -> ring, record, register             receive WQE -> ring, record
 *	            ------------ message ------------>
 *	CQE: REQ of SEND                          CQE: RESP_SEND byte_cnt 14; data in its buffer
 *
 * Last line when all is well: "received: SEND operation".
 */
#include "common.h"

static const struct mlx5_cqe64 *wait_for(struct dv_cq *cq, const char *whose)
{
	const struct mlx5_cqe64 *cqe;

	deadline(10, whose);
	while (!(cqe = dv_cq_poll(cq)))
		;
	show_cqe(whose, cqe);
	return cqe;
}

int main(int argc, char **argv)
{
	struct device dev = device_open(options_parse(argc, argv, "SEND, built by hand"));
	char src[] = "SEND operation", dst[64] = { 0 };

	/* Set-up is plain verbs: memory regions, and two QPs with a CQ each (device.c). */
	struct ibv_mr *src_mr = made(ibv_reg_mr(dev.pd, src, sizeof(src), 0));
	struct ibv_mr *dst_mr =
		made(ibv_reg_mr(dev.pd, dst, sizeof(dst), IBV_ACCESS_LOCAL_WRITE));
	struct pair pair = pair_create(&dev);

	/* From here on the rings are ours. */
	struct dv_sq sq;
	struct dv_rq rq;
	struct dv_cq scq, rcq;

	ok(dv_sq_map(&sq, pair.a));
	ok(dv_rq_map(&rq, pair.b));
	ok(dv_cq_map(&scq, pair.a_cq));
	ok(dv_cq_map(&rcq, pair.b_cq));

	/* The receiver offers a buffer: a WQE and the record; the device looks when it needs one. */
	struct ibv_sge into = { (uintptr_t)dst, sizeof(dst), dst_mr->lkey };

	ok(dv_rq_post(&rq, &into, 1));
	dv_rq_doorbell(&rq);

	/* The sender's WQE: a block of the ring, a data segment, the control segment last. */
	struct ibv_sge what = { (uintptr_t)src, strlen(src), src_mr->lkey };
	void *wqe = made(dv_sq_reserve(&sq, 1));
	void *end = dv_set_data_seg(dv_wqe_body(wqe), &what);

	dv_sq_commit(&sq, end, MLX5_OPCODE_SEND, 0, MLX5_WQE_CTRL_CQ_UPDATE, 0);
	show_wqe("the WQE in the ring", &sq);

	/* Until now the device knows nothing. Ring: the record, then the register. */
	printf("-- doorbell: record = %u, then the WQE's first 8 bytes to register +0x%x\n",
	       sq.pi, sq.bf_offset);
	dv_sq_doorbell(&sq);

	/* The sender's completion frees the WQE and the source buffer. */
	const struct mlx5_cqe64 *cqe = wait_for(&scq, "sender's CQE");

	dv_sq_retire(&sq, cqe);
	dv_cq_release(&scq);

	/* The receiver's says how much came; retire makes sure that it is in the buffer. */
	cqe = wait_for(&rcq, "receiver's CQE");
	dv_rq_retire(&rq, cqe);
	if (dv_cqe_byte_cnt(cqe) != strlen(src) || strcmp(src, dst))
		errx(1, "expected '%s', received '%.60s'", src, dst);
	dv_cq_release(&rcq);
	printf("received: %s\n", dst);

	pair_destroy(&pair);
	ok(ibv_dereg_mr(dst_mr));
	ok(ibv_dereg_mr(src_mr));
	device_close(&dev);
	return 0;
}
