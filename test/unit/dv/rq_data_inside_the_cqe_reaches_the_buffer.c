/* SPDX-License-Identifier: BSD-2-Clause */
/* Inline scatter: the device left the payload in the CQE; retire brings it to the SGEs. */
#include "memory.h"

static struct memory m;
static char buffer[3][64];

static void post(uint32_t first, uint32_t second)
{
	struct ibv_sge sge[2] = { { (uintptr_t)buffer[0], first, 1 },
				  { (uintptr_t)buffer[1], second, 1 } };

	memset(buffer, '.', sizeof(buffer));
	memory_start(&m, MEMORY_BLOCKS, 64);
	cr_assert_eq(dv_rq_post(&m.rq, sge, 2), 0);
}

Test(rq, data_of_32_bytes_inside_the_cqe_reaches_the_buffer)
{
	static union {
		struct mlx5_cqe64 cqe;
		char bytes[64];
	} u;

	post(20, 64);
	memcpy(u.bytes, "0123456789abcdefghijABCDEFGHIJKL", 32);
	u.cqe.byte_cnt = htobe32(32);
	u.cqe.op_own = MLX5_CQE_RESP_SEND << 4 | MLX5_INLINE_SCATTER_32;
	dv_rq_retire(&m.rq, &u.cqe);
	cr_assert_arr_eq(buffer[0], "0123456789abcdefghij.", 21);
	cr_assert_arr_eq(buffer[1], "ABCDEFGHIJKL.", 13);
	cr_assert_eq(m.rq.ci, 1);
}

Test(rq, data_of_64_bytes_before_the_cqe_reaches_the_buffer)
{
	static struct mlx5_cqe64 slot[2];
	char *payload = (char *)&slot[0];
	int i;

	post(64, 64);
	for (i = 0; i < 64; i++)
		payload[i] = (char)('0' + i);
	slot[1].byte_cnt = htobe32(63);
	slot[1].op_own = MLX5_CQE_RESP_SEND << 4 | MLX5_INLINE_SCATTER_64;
	dv_rq_retire(&m.rq, &slot[1]);
	cr_assert_arr_eq(buffer[0], payload, 63);
	cr_assert_eq(buffer[0][63], '.');
}

Test(rq, data_in_the_buffer_already_is_left_alone)
{
	static struct mlx5_cqe64 cqe;

	post(64, 64);
	cqe.byte_cnt = htobe32(32);
	cqe.op_own = MLX5_CQE_RESP_SEND << 4;
	dv_rq_retire(&m.rq, &cqe);
	cr_assert_eq(buffer[0][0], '.');
}

/* A byte_cnt beyond the buffers must not walk out of the slot. */
Test(rq, data_that_does_not_fit_stops_at_the_end_of_the_list)
{
	static struct mlx5_cqe64 cqe;

	post(4, 4);
	cqe.byte_cnt = htobe32(32);
	cqe.op_own = MLX5_CQE_RESP_SEND << 4 | MLX5_INLINE_SCATTER_32;
	dv_rq_retire(&m.rq, &cqe);
	cr_assert_eq(buffer[0][4], '.');
	cr_assert_eq(buffer[1][4], '.');
}
