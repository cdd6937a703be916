/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ibv_alloc_null_mr(3): what is written to it is discarded, what is read are zeros, and it is
 * no rkey. The bytes around it in a list are moved as ever.
 */
#include "fixture.h"

static struct ibv_mr *null_mr;

static void start(void)
{
	fixture_start();
	null_mr = ibv_alloc_null_mr(f.pd);
	cr_assert_not_null(null_mr, "ibv_alloc_null_mr: %s", strerror(errno));
}

static void stop(void)
{
	cr_assert_eq(ibv_dereg_mr(null_mr), 0);
	fixture_stop();
}

TestSuite(null_mr, .init = start, .fini = stop);

static struct ibv_sge null_sge(uint64_t addr, uint32_t len)
{
	return (struct ibv_sge){ .addr = addr, .length = len, .lkey = null_mr->lkey };
}

/* @len bytes at @at are all @value. */
static bool all(const uint8_t *at, size_t len, uint8_t value)
{
	return len && at[0] == value && !memcmp(at, at + 1, len - 1);
}

Test(null_mr, is_read_as_zeros_between_bytes_of_memory)
{
	struct ibv_sge list[] = { src_sge(1, 100), null_sge(0, 5000), src_sge(200, 7),
				  null_sge(UINT64_MAX - 20, 20) };

	cr_assert_eq(dv_sq_write(&f.a.sq, SIGNALLED, dst_at(0), list, 4), 0);
	ring(&f.a);
	cr_expect_arr_eq(f.dst, f.src + 1, 100);
	cr_expect(all(f.dst + 100, 5000, 0));
	cr_expect_arr_eq(f.dst + 5100, f.src + 200, 7);
	cr_expect(all(f.dst + 5107, 20, 0));
	cr_expect_eq(f.dst[5127], 0xdd);
}

Test(null_mr, discards_what_a_read_returns)
{
	struct ibv_sge list[] = { null_sge(0x1000, 3000), dst_sge(0, 50), null_sge(0, 9) };

	cr_assert_eq(dv_sq_read(&f.a.sq, SIGNALLED, src_at(0), list, 3), 0);
	ring(&f.a);
	cr_expect_arr_eq(f.dst, f.src + 3000, 50);
	cr_expect_eq(f.dst[50], 0xdd);
}

Test(null_mr, discards_what_is_received)
{
	struct ibv_sge into[] = { null_sge(0, 1024), dst_sge(0, 4096) },
		       from = src_sge(0, 3000);
	struct mlx5_cqe64 cqe;

	rq_posted(&f.b.rq, dv_rq_post(&f.b.rq, into, 2));
	cr_assert_eq(dv_sq_send(&f.a.sq, SIGNALLED, &from, 1), 0);
	ring(&f.a);
	cqe = success(&f.b, MLX5_CQE_RESP_SEND);
	cr_expect_eq(dv_cqe_byte_cnt(&cqe), 3000);
	cr_expect_arr_eq(f.dst, f.src + 1024, 3000 - 1024);
	cr_expect_eq(f.dst[3000 - 1024], 0xdd);
}

Test(null_mr, is_no_remote_key)
{
	struct dv_raddr at = { .raddr = (uintptr_t)f.dst, .rkey = null_mr->lkey };
	struct ibv_sge from = src_sge(0, 64);
	struct mlx5_cqe64 cqe;

	sq_posted(&f.a.sq, dv_sq_write(&f.a.sq, SIGNALLED, at, &from, 1));
	cqe = completion(&f.a);
	cr_expect_eq(dv_cqe_opcode(&cqe), MLX5_CQE_REQ_ERR);
	cr_expect_eq(dv_cqe_syndrome(&cqe), MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	cr_expect_eq(f.dst[0], 0xdd);
}
