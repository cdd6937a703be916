/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The atomics: read, modify and write 8 bytes at the peer atomically; the old value is
 * returned. The first two are InfiniBand's, the masked ones are specific to mlx5: the QP has to
 * be created for them (atomic_mode), which verbs cannot do. This one is created by DevX, and
 * connected to itself.
 *
 *	FETCH_ADD           count   41                -> 42
 *	CMP_SWAP            lock    0, if it is 0     -> 7; once more: it is 7, nothing happens
 *	masked FETCH_ADD    two     5 | 0xffffffff    -> 6 | 0      no carry from half to half
 *	masked CMP_SWAP     state   the lowest byte is 1: the upper half becomes 9
 *
 * Requests of one QP are executed in the order posted: one doorbell, and a completion of the
 * last. Last line when all is well: "4 words changed, 5 old values as they were".
 */
#include "common.h"
#include <devx/cq.h>
#include <devx/eq.h>
#include <devx/pd.h>
#include <devx/qp.h>
#include <dv/masked.h>
#include <prm/value.h>

struct words {
	uint64_t count, lock, two, state; /* the peer's */
	uint64_t old[5];		  /* local: the old values */
};
static struct words words = { 41, 0, 5ull << 32 | 0xffffffff, 3ull << 32 | 1, { 0 } };
static const struct words wanted = {
	42, 7, 6ull << 32, 9ull << 32 | 1, { 41, 0, 7, 5ull << 32 | 0xffffffff, 3ull << 32 | 1 }
};

/* CQ and QP as in devx_rc_write.c, but connected by hand: with the mode. */
static void make_queues(struct devx_uar *uar, struct devx_cq *cq, struct devx_qp *qp,
			struct device *dev)
{
	struct devx_cq_attr cq_attr = { .cqe_cnt = 64, .uar = uar };
	struct devx_qp_attr qp_attr = { .st = PRM_QPC_ST_RC, .uar = uar, .sq_wqe_cnt = 64 };
	struct dv_endpoint own;
	struct dv_qp_conn conn;

	must(devx_uar_alloc(uar, dev->ctx, DEVX_UAR_ANY));
	must(devx_eqn_query(&cq_attr.eqn, dev->ctx, 0));
	must(devx_cq_create(cq, dev->ctx, &cq_attr));
	qp_attr.send_cqn = qp_attr.recv_cqn = cq->obj.id;
	must(devx_pdn_query(&qp_attr.pdn, dev->pd));
	must(devx_qp_create(qp, dev->ctx, &qp_attr));
	must(dv_endpoint_fill(&own, dev->ctx, IBV_QPT_RC, qp->obj.id, dev->port,
			      dev->gid_index));
	dv_qp_conn_init(&conn);
	conn.atomic_mode = PRM_QPC_ATOMIC_MODE_UP_TO_8B;
	must(devx_qp_connect(qp, dev->pd, &own, &own, &conn));
}

int main(int argc, char **argv)
{
	struct device dev = device_open(options_parse(argc, argv, "atomics, masked ones too"));
	struct ibv_mr *mr = made(ibv_reg_mr(dev.pd, &words, sizeof(words),
					    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_ATOMIC));
	struct devx_uar uar;
	struct devx_cq cq;
	struct devx_qp qp;

	make_queues(&uar, &cq, &qp, &dev);

	/* Where the words are, and where their old values go. */
	struct dv_sq *sq = &qp.sq;
	struct dv_raddr count = { (uintptr_t)&words.count, mr->rkey };
	struct dv_raddr lock = { (uintptr_t)&words.lock, mr->rkey };
	struct dv_raddr two = { (uintptr_t)&words.two, mr->rkey };
	struct dv_raddr state = { (uintptr_t)&words.state, mr->rkey };
	struct ibv_sge old[5];

	for (int i = 0; i < 5; i++)
		old[i] = (struct ibv_sge){ (uintptr_t)&words.old[i], 8, mr->lkey };

	must(dv_sq_fetch_add(sq, 0, count, &old[0], 1));
	must(dv_sq_cmp_swap(sq, 0, lock, &old[1], 0, 7));
	must(dv_sq_cmp_swap(sq, 0, lock, &old[2], 0, 8));

	/* A bit set in the boundary is the last one of its number: no carry leaves it. */
	must(dv_sq_masked_fetch_add(sq, 0, two, &old[3], 1ull << 32 | 1, 1ull << 31));
	show_wqe("the masked FETCH_ADD", sq);

	struct dv_masked_cs cs = { .compare = 1,
				   .compare_mask = 0xff,
				   .swap = 9ull << 32,
				   .swap_mask = 0xffffffffull << 32 };

	must(dv_sq_masked_cmp_swap(sq, MLX5_WQE_CTRL_CQ_UPDATE, state, &old[4], &cs));
	show_wqe("the masked CMP_SWAP", sq);
	dv_sq_doorbell(sq);

	const struct mlx5_cqe64 *cqe;

	deadline(10, "the completion of the last atomic");
	while (!(cqe = dv_cq_poll(&cq.cq)))
		;
	show_cqe("CQE", cqe);
	dv_sq_retire(sq, cqe);
	dv_cq_release(&cq.cq);
	if (memcmp(&words, &wanted, sizeof(words)) != 0)
		errx(1, "count %lu, lock %lu, two 0x%lx, state 0x%lx", words.count, words.lock,
		     words.two, words.state);
	printf("4 words changed, 5 old values as they were\n");

	must(devx_qp_destroy(&qp));
	must(devx_cq_destroy(&cq));
	devx_uar_free(&uar);
	ok(ibv_dereg_mr(mr));
	device_close(&dev);
	return 0;
}
