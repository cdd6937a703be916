/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The savings of a batch. 32 RDMA WRITEs with one doorbell and one completion; then the same
 * 32, each with its doorbell and its completion. The WQEs differ in one flag; a doorbell costs
 * two fences and a write across PCIe, a completion a 64-byte write by the device.
 *
 *	batch     WQE WQE WQE … WQE(signalled)  doorbell                          CQE
 *	single    WQE(signalled) doorbell CQE   WQE(signalled) doorbell CQE   …
 *
 * Last line when all is well: "the same 2048 bytes both times".
 */
#include "common.h"
#include <dv/batch.h>

enum {
	N = 32,
	SIZE = 64,
};

static unsigned int doorbells, completions;

static void ring(struct dv_sq *sq)
{
	dv_sq_doorbell(sq);
	doorbells++;
}

static void wait_for_one(struct dv_sq *sq, struct dv_cq *cq)
{
	const struct mlx5_cqe64 *cqe;

	deadline(10, "a completion");
	while (!(cqe = dv_cq_poll(cq)))
		;
	if (dv_cqe_is_error(cqe))
		errx(1, "%s", dv_syndrome_str(dv_cqe_syndrome(cqe)));
	dv_sq_retire(sq, cqe);
	dv_cq_release(cq);
	completions++;
}

static void report(const char *how, const void *src, const void *dst)
{
	if (memcmp(src, dst, N * SIZE))
		errx(1, "%s: the data did not arrive", how);
	printf("%s: %u WQEs, %2u doorbells, %2u completions\n", how, N, doorbells, completions);
	doorbells = completions = 0;
}

int main(int argc, char **argv)
{
	struct device dev =
		device_open(options_parse(argc, argv, "n WQEs with 1 doorbell, and with n"));
	char src[N * SIZE], dst[N * SIZE];
	int i;

	for (i = 0; i < N * SIZE; i++)
		src[i] = (char)(i * 31);
	struct ibv_mr *src_mr = made(ibv_reg_mr(dev.pd, src, sizeof(src), 0));
	struct ibv_mr *dst_mr = made(ibv_reg_mr(
		dev.pd, dst, sizeof(dst), IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE));
	struct pair qps = pair_create(&dev);

	struct dv_sq sq;
	struct dv_batch batch;
	struct dv_cq cq;

	must(dv_sq_map(&sq, qps.a));
	must(dv_cq_map(&cq, qps.a_cq));

	/* The batch: only the last WQE is signalled; its CQE completes all of them. */
	memset(dst, 0, sizeof(dst));
	must(dv_batch_begin(&batch, &sq, N));
	for (i = 0; i < N; i++) {
		uint8_t flags = i == N - 1 ? MLX5_WQE_CTRL_CQ_UPDATE : 0;
		struct dv_raddr raddr = { (uintptr_t)&dst[i * SIZE], dst_mr->rkey };
		struct ibv_sge sge = { (uintptr_t)&src[i * SIZE], SIZE, src_mr->lkey };

		must(dv_sq_write(&batch.sq, flags, raddr, &sge, 1));
	}
	dv_batch_end(&batch);
	ring(&sq);
	wait_for_one(&sq, &cq);
	report("batch ", src, dst);

	/* One at a time. */
	memset(dst, 0, sizeof(dst));
	for (i = 0; i < N; i++) {
		struct dv_raddr raddr = { (uintptr_t)&dst[i * SIZE], dst_mr->rkey };
		struct ibv_sge sge = { (uintptr_t)&src[i * SIZE], SIZE, src_mr->lkey };

		must(dv_sq_write(&sq, MLX5_WQE_CTRL_CQ_UPDATE, raddr, &sge, 1));
		ring(&sq);
		wait_for_one(&sq, &cq);
	}
	report("single", src, dst);
	printf("the same %d bytes both times\n", N * SIZE);

	pair_destroy(&qps);
	ok(ibv_dereg_mr(dst_mr));
	ok(ibv_dereg_mr(src_mr));
	device_close(&dev);
	return 0;
}
