/* SPDX-License-Identifier: BSD-2-Clause */
/* Requester: results of READs and atomics that came in the CQE. */
#include "queue.h"
#include <dv/scatter.h>

static char buffer[2][64];
static const struct dv_raddr from = { 0x1000, 0x55 };

static void start(void)
{
	queue_start();
	memset(buffer, '.', sizeof(buffer));
}

TestSuite(result, .init = start);

static struct ibv_sge part(int i, uint32_t length)
{
	return (struct ibv_sge){ (uintptr_t)buffer[i], length, 1 };
}

Test(result, of_a_read_is_spread_over_the_list)
{
	struct ibv_sge sge[2] = { part(0, 5), part(1, 30) };
	struct mlx5_cqe64 cqe = memory_cqe(0);

	cr_assert_eq(dv_sq_read(&m.sq, 0, from, sge, 2), 0);
	memcpy(&cqe, "0123456789", 10);
	cqe.byte_cnt = htobe32(10);
	cqe.op_own = MLX5_CQE_REQ << 4 | MLX5_INLINE_SCATTER_32;
	cr_assert(dv_sq_scatter(&m.sq, &cqe));
	cr_assert_arr_eq(buffer[0], "01234.", 6);
	cr_assert_arr_eq(buffer[1], "56789.", 6);
}

Test(result, of_an_atomic_is_8_bytes_in_the_order_of_the_host)
{
	static struct mlx5_cqe64 slot[2];
	struct ibv_sge sge = part(0, 8);
	uint64_t answer;

	/* The operand, in the segment before the list, would be an SGE of 1 byte. */
	cr_assert_eq(dv_sq_fetch_add(&m.sq, 0, from, &sge, 1ull << 32), 0);
	memcpy(slot, "ABCDEFGHIJ", 10);
	slot[1] = memory_cqe(0);
	slot[1].byte_cnt = htobe32(10);
	slot[1].op_own = MLX5_CQE_REQ << 4 | MLX5_INLINE_SCATTER_64;
	cr_assert(dv_sq_scatter(&m.sq, &slot[1]));
	memcpy(&answer, buffer[0], sizeof(answer));
	cr_assert_eq(answer, 0x4142434445464748, "0x%lx", answer);
	cr_assert_eq(buffer[0][8], '.');
}

Test(result, that_is_not_inside_is_left_alone)
{
	struct ibv_sge sge = part(0, 8);
	struct mlx5_cqe64 cqe = memory_cqe(0);

	cr_assert_eq(dv_sq_read(&m.sq, 0, from, &sge, 1), 0);
	cqe.byte_cnt = htobe32(8);
	cr_assert(dv_sq_scatter(&m.sq, &cqe));
	cqe.op_own = MLX5_CQE_REQ_ERR << 4 | MLX5_INLINE_SCATTER_32;
	cr_assert(dv_sq_scatter(&m.sq, &cqe), "an error brings no data");
	cr_assert_eq(buffer[0][0], '.');
}

Test(result, that_makes_no_sense_is_refused)
{
	struct ibv_sge sge = part(0, 8);
	struct mlx5_cqe64 cqe = memory_cqe(0);

	cr_assert_eq(dv_sq_send(&m.sq, 0, &sge, 1), 0);
	cr_assert_eq(dv_sq_read(&m.sq, 0, from, &sge, 1), 0);
	cqe.byte_cnt = htobe32(8);
	cqe.op_own = MLX5_CQE_REQ << 4 | MLX5_INLINE_SCATTER_32;
	cr_assert_not(dv_sq_scatter(&m.sq, &cqe), "a SEND wants none");
	cqe.wqe_counter = htobe16(1);
	cqe.byte_cnt = htobe32(33);
	cr_assert_not(dv_sq_scatter(&m.sq, &cqe), "more than the CQE holds");
	cr_assert_eq(buffer[0][0], '.');
	cqe.byte_cnt = htobe32(9);
	cr_assert_not(dv_sq_scatter(&m.sq, &cqe), "more than the list holds");
}
