/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A SEND, composed: the receive is posted, the WQE is built segment by segment, the doorbell is
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

int main(int argc, char **argv)
{
	struct device dev = device_open(options_parse(argc, argv, "SEND, built by hand"));
	char src[] = "SEND operation", dst[64] = { 0 };

	/* Set-up is plain verbs: memory regions, and two QPs with a CQ each (device.c). */
	struct ibv_mr *src_mr = made(ibv_reg_mr(dev.pd, src, sizeof(src), 0));
	struct ibv_mr *dst_mr =
		made(ibv_reg_mr(dev.pd, dst, sizeof(dst), IBV_ACCESS_LOCAL_WRITE));
	struct pair qps = pair_create(&dev);

	/* From here on dv posts and polls. */
	struct dv_sq sq;
	struct dv_rq rq;
	struct dv_cq scq, rcq;

	must(dv_sq_map(&sq, qps.a));
	must(dv_rq_map(&rq, qps.b));
	must(dv_cq_map(&scq, qps.a_cq));
	must(dv_cq_map(&rcq, qps.b_cq));

	/* The receiver offers a buffer: a WQE and the record; the device reads it when it needs
	 * one. */
	struct ibv_sge dst_sge = { (uintptr_t)dst, sizeof(dst), dst_mr->lkey };

	must(dv_rq_post(&rq, &dst_sge, 1));
	dv_rq_doorbell(&rq);

	/* The sender's WQE, composed: reserve a block of the ring, append a data segment,
	 * commit. The commit writes the control segment. */
	struct ibv_sge src_sge = { (uintptr_t)src, strlen(src), src_mr->lkey };
	void *seg = made(dv_sq_reserve(&sq, 1));

	seg = dv_set_data_seg(seg, &src_sge);
	dv_sq_commit(&sq, seg, MLX5_OPCODE_SEND, 0, MLX5_WQE_CTRL_CQ_UPDATE, 0);
	show_wqe("the WQE in the ring", &sq);

	/* Until now the device knows nothing. Ring: the record, then the register. */
	printf("-- doorbell: record = %u, then the WQE's first 8 bytes to register +0x%x\n",
	       sq.pi, sq.bf_offset);
	dv_sq_doorbell(&sq);

	/* The sender's completion frees the WQE and the source buffer. */
	const struct mlx5_cqe64 *cqe = cqe_wait(&scq, "sender's CQE");

	dv_sq_retire(&sq, cqe);
	dv_cq_release(&scq);

	/* The receiver's CQE has the length; dv_rq_retire() makes sure that the data is in the
	 * buffer. */
	cqe = cqe_wait(&rcq, "receiver's CQE");
	dv_rq_retire(&rq, cqe);
	if (dv_cqe_byte_cnt(cqe) != strlen(src) || strcmp(src, dst))
		errx(1, "expected '%s', received '%.60s'", src, dst);
	dv_cq_release(&rcq);
	printf("received: %s\n", dst);

	pair_destroy(&qps);
	ok(ibv_dereg_mr(dst_mr));
	ok(ibv_dereg_mr(src_mr));
	device_close(&dev);
	return 0;
}
