/* SPDX-License-Identifier: BSD-2-Clause */
/* <dvkit/dvkit.h>, included alone and first: a queue, an operation, text, a firmware
 * command. */
#include <dvkit/dvkit.h>

#include <criterion/criterion.h>

/* 8 blocks, a record and a register in memory. */
static uint8_t ring[512] __attribute__((aligned(64)));
static uint8_t reg[512] __attribute__((aligned(64)));
static __be32 dbrec[2];
static struct dv_sq sq;

Test(dvkit_h, queues_operations_and_text)
{
	struct mlx5dv_qp qp = { .dbrec = dbrec,
				.sq = { .buf = ring, .wqe_cnt = 8, .stride = 64 },
				.bf = { .reg = reg, .size = 256 } };
	struct ibv_sge sge = { 0x1000, 8, 0x2a };
	struct dv_batch batch;
	char line[256];

	cr_assert_eq(dv_sq_init(&sq, &qp, 0x45), 0);
	cr_assert_eq(dv_batch_begin(&batch, &sq, 1), 0);
	cr_assert_eq(dv_sq_write(&batch.sq, 0, (struct dv_raddr){ 0x2000, 7 }, &sge, 1), 0);
	dv_batch_end(&batch);
	dv_sq_doorbell(&sq);
	cr_assert_eq(be32toh(dbrec[MLX5_SND_DBR]), 1);
	dv_wqe_format(line, sizeof(line), ring, DV_WQE_BB, DV_RC, DV_LINE);
	cr_assert(strstr(line, "RDMA_WRITE"), "%s", line);
}

Test(dvkit_h, firmware_commands)
{
	uint8_t in[PRM_SZ(alloc_pd_in)] = { 0 };

	PRM_SET(alloc_pd_in, in, opcode, PRM_OP_ALLOC_PD);
	cr_assert_str_eq(prm_cmd(PRM_OP_ALLOC_PD)->name, "ALLOC_PD");
	cr_assert_eq(in[0] << 8 | in[1], 0x800);
	cr_assert_eq(devx_last_error()->origin, DEVX_OK);
}
