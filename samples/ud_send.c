/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A datagram, composed: the QPs are not connected, and the WQE names its destination in an
 * address vector, 48 bytes after the control segment. It is built once per peer; the receiver
 * checks its Q_Key.
 *
 *	block 0   control | address vector: Q_Key, QP, path, MAC, GID
 *	block 1   data
 *	               ------------ datagram ------------>
 *	                                  CQE: RESP_SEND byte_cnt 40 + 12, from which QP
 *	                                  buffer: | 40 bytes of GRH | data |
 *
 * It is not acknowledged: the sender's CQE only says that it was sent. Last line when all is
 * well: "received: UD datagram".
 */
#include "common.h"

enum {
	QKEY = 0x11111111,
	GRH = 40, /* before the data, with or without a GRH in the packet */
};

/* The address: the kernel resolves the path, and the result is copied out of the AH. */
static void resolve(struct dv_dest *addr, struct device *dev, const struct ibv_qp *peer)
{
	struct dv_endpoint ours = qp_endpoint(dev, peer), theirs = ours;
	struct ibv_ah_attr path;
	struct ibv_ah *ah;
	struct mlx5_wqe_av av;

	dv_endpoint_path(&path, &ours, &theirs, NULL);
	ah = made(ibv_create_ah(dev->pd, &path));
	must(dv_av_from_ah(&av, ah));
	dv_dest_ud(addr, &av, peer->qp_num, QKEY);
	ok(ibv_destroy_ah(ah));
}

int main(int argc, char **argv)
{
	struct device dev = device_open(options_parse(argc, argv, "SEND of a datagram"));
	char src[] = "UD datagram", dst[GRH + 64] = { 0 };
	struct ibv_mr *src_mr = made(ibv_reg_mr(dev.pd, src, sizeof(src), 0));
	struct ibv_mr *dst_mr =
		made(ibv_reg_mr(dev.pd, dst, sizeof(dst), IBV_ACCESS_LOCAL_WRITE));
	struct ibv_cq *a_cq = made(ibv_create_cq(dev.ctx, 16, NULL, NULL, 0));
	struct ibv_cq *b_cq = made(ibv_create_cq(dev.ctx, 16, NULL, NULL, 0));
	struct ibv_qp *a = qp_create_ud(&dev, a_cq, QKEY), *b = qp_create_ud(&dev, b_cq, QKEY);

	struct dv_sq sq;
	struct dv_rq rq;
	struct dv_cq scq, rcq;

	must(dv_sq_map(&sq, a));
	must(dv_rq_map(&rq, b));
	must(dv_cq_map(&scq, a_cq));
	must(dv_cq_map(&rcq, b_cq));

	struct dv_dest addr;

	resolve(&addr, &dev, b);

	struct ibv_sge dst_sge = { (uintptr_t)dst, sizeof(dst), dst_mr->lkey };

	must(dv_rq_post(&rq, &dst_sge, 1));
	dv_rq_doorbell(&rq);

	/* Two blocks: control segment and address vector fill the first. */
	struct ibv_sge src_sge = { (uintptr_t)src, strlen(src), src_mr->lkey };
	void *seg = made(dv_sq_reserve(&sq, 2));

	seg = dv_set_dest_seg(seg, &addr);
	seg = dv_set_data_seg(seg, &src_sge);
	dv_sq_commit(&sq, seg, MLX5_OPCODE_SEND, 0, MLX5_WQE_CTRL_CQ_UPDATE, 0);
	show_ud_wqe("the WQE, with its address vector", &sq);
	dv_sq_doorbell(&sq);

	dv_sq_retire(&sq, cqe_wait(&scq, "sender's CQE"));
	dv_cq_release(&scq);

	const struct mlx5_cqe64 *cqe = cqe_wait(&rcq, "receiver's CQE");

	dv_rq_retire(&rq, cqe);
	if (dv_cqe_src_qp(cqe) != a->qp_num || dv_cqe_byte_cnt(cqe) != GRH + strlen(src) ||
	    strcmp(src, dst + GRH) != 0)
		errx(1, "expected '%s' of QP 0x%x, received '%.60s' of 0x%x", src, a->qp_num,
		     dst + GRH, dv_cqe_src_qp(cqe));
	dv_cq_release(&rcq);
	printf("received: %s\n", dst + GRH);

	ok(ibv_destroy_qp(a));
	ok(ibv_destroy_qp(b));
	ok(ibv_destroy_cq(a_cq));
	ok(ibv_destroy_cq(b_cq));
	ok(ibv_dereg_mr(dst_mr));
	ok(ibv_dereg_mr(src_mr));
	device_close(&dev);
	return 0;
}
