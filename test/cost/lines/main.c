/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One post and its doorbell at a time, over rings in plain memory, for count.sh to watch every
 * access to memory. It says first where its marker is, then the name of each part; a store to
 * the marker begins the part, another one ends it.
 */
#include <stdio.h>
#include <dv/av.h>
#include <dv/map.h>
#include <dv/post.h>

enum {
	BLOCKS = 64,
	BF = 256,
};

/* Each on separate cache lines. */
static struct {
	uint8_t ring[BLOCKS * DV_WQE_BB] __attribute__((aligned(4096)));
	uint8_t reg[2 * BF] __attribute__((aligned(4096)));
	__be32 dbrec[2] __attribute__((aligned(64)));
	struct ibv_sge sge __attribute__((aligned(64)));
	struct mlx5_wqe_av av __attribute__((aligned(64)));
	char data[64] __attribute__((aligned(64)));
	struct mlx5_cqe64 cqe[16] __attribute__((aligned(4096)));
	__be32 cq_dbrec[2] __attribute__((aligned(64)));
	struct dv_cq cq;
	struct dv_sq sq;
	volatile uint64_t marker __attribute__((aligned(64)));
} mem;

/* Marks what @calls do. They are in separate functions, whose arguments the compiler does not
 * know; the call of such a function is not part of the data path, which contains no calls. */
#define COUNTED(name, parameters, calls)                     \
	static __attribute__((noinline)) int name parameters \
	{                                                    \
		int err;                                     \
                                                             \
		puts(#name);                                 \
		mem.marker = 1;                              \
		calls;                                       \
		mem.marker = 0;                              \
		return err;                                  \
	}

COUNTED(write_sge, (struct dv_sq * sq, struct dv_raddr to, const struct ibv_sge *sge), {
	err = dv_sq_write(sq, MLX5_WQE_CTRL_CQ_UPDATE, to, sge, 1);
	dv_sq_doorbell(sq);
})

COUNTED(write_inline, (struct dv_sq * sq, struct dv_raddr to, const void *data, uint32_t len), {
	err = dv_sq_write_inline(sq, MLX5_WQE_CTRL_CQ_UPDATE, to, data, len);
	dv_sq_doorbell(sq);
})

COUNTED(send_sge, (struct dv_sq * sq, const struct ibv_sge *sge), {
	err = dv_sq_send(sq, MLX5_WQE_CTRL_CQ_UPDATE, sge, 1);
	dv_sq_doorbell(sq);
})

COUNTED(blueflame, (struct dv_sq * sq, struct dv_raddr to, const struct ibv_sge *sge), {
	err = dv_sq_write(sq, MLX5_WQE_CTRL_CQ_UPDATE, to, sge, 1);
	dv_sq_blueflame(sq);
})

COUNTED(send_ud, (struct dv_sq * sq, const struct mlx5_wqe_av *av, const struct ibv_sge *sge), {
	void *seg = dv_sq_reserve(sq, 2);

	err = !seg;
	if (seg) {
		seg = dv_set_av_seg(seg, av);
		seg = dv_set_data_seg(seg, sge);
		dv_sq_commit(sq, seg, MLX5_OPCODE_SEND, 0, MLX5_WQE_CTRL_CQ_UPDATE, 0);
	}
	dv_sq_doorbell(sq);
})

/* The CQE of slot 0: of a ring of zeros, it completes the first WQE. */
COUNTED(poll_retire, (struct dv_cq * cq, struct dv_sq *sq), {
	const struct mlx5_cqe64 *cqe = dv_cq_poll(cq);

	err = !cqe || dv_cqe_is_error(cqe);
	if (!err)
		dv_sq_retire(sq, cqe);
	dv_cq_release(cq);
})

int main(int argc, char **argv)
{
	struct mlx5dv_qp qp = { .dbrec = mem.dbrec,
				.sq = { mem.ring, BLOCKS, DV_WQE_BB },
				.bf = { mem.reg, BF } };
	struct mlx5dv_cq cq = {
		.buf = mem.cqe, .dbrec = mem.cq_dbrec, .cqe_cnt = 16, .cqe_size = 64
	};
	struct dv_raddr to = { (uintptr_t)argv, 0x1234 };
	int failed = dv_sq_init(&mem.sq, &qp, 0x45) || dv_cq_init(&mem.cq, &cq);

	mem.sge = (struct ibv_sge){ (uintptr_t)mem.data, sizeof(mem.data), 0x5678 };
	printf("%p\n", (void *)&mem.marker);
	failed |= write_sge(&mem.sq, to, &mem.sge);
	failed |= write_inline(&mem.sq, to, mem.data, 8 * (uint32_t)argc);
	failed |= send_sge(&mem.sq, &mem.sge);
	failed |= blueflame(&mem.sq, to, &mem.sge);
	failed |= send_ud(&mem.sq, &mem.av, &mem.sge);
	failed |= poll_retire(&mem.cq, &mem.sq);
	return failed;
}
