/* SPDX-License-Identifier: BSD-2-Clause */
#include "fixture.h"

TestSuite(immediate, .init = fixture_start, .fini = fixture_stop);

Test(immediate, of_send_reaches_the_peer)
{
	struct ibv_sge sge = src_sge(0, 100);
	struct mlx5_cqe64 cqe;

	receive(&f.b, dst_sge(0, 200));
	cr_assert_eq(dv_sq_send_imm(&f.a.sq, SIGNALLED, &sge, 1, htobe32(0x01020304)), 0);
	ring(&f.a);
	cqe = success(&f.b, MLX5_CQE_RESP_SEND_IMM);
	cr_assert_eq(be32toh(dv_cqe_imm(&cqe)), 0x01020304);
	cr_assert_eq(dv_cqe_byte_cnt(&cqe), 100);
	cr_assert_eq(memcmp(f.dst, f.src, 100), 0);
}

/* The data goes where the WQE says; the receive gives its slot, not its buffer. */
Test(immediate, of_write_takes_a_receive_and_not_its_buffer)
{
	struct ibv_sge sge = src_sge(0, 3 * f.mtu + 5);
	struct mlx5_cqe64 cqe;

	receive(&f.b, dst_sge(0, 64));
	cr_assert_eq(
		dv_sq_write_imm(&f.a.sq, SIGNALLED, dst_at(4096), &sge, 1, htobe32(0xcafe0001)),
		0);
	ring(&f.a);
	cqe = success(&f.b, MLX5_CQE_RESP_WR_IMM);
	cr_assert_eq(be32toh(dv_cqe_imm(&cqe)), 0xcafe0001);
	cr_assert_eq(dv_cqe_byte_cnt(&cqe), sge.length);
	cr_assert_eq(memcmp(f.dst + 4096, f.src, sge.length), 0);
	cr_assert_eq(f.dst[0], 0xdd);
}

Test(immediate, may_come_without_data)
{
	struct mlx5_cqe64 cqe;

	receive(&f.b, dst_sge(0, 64));
	receive(&f.b, dst_sge(0, 64));
	cr_assert_eq(dv_sq_send_imm(&f.a.sq, 0, NULL, 0, htobe32(1)), 0);
	cr_assert_eq(dv_sq_write_imm(&f.a.sq, SIGNALLED, dst_at(0), NULL, 0, htobe32(2)), 0);
	ring(&f.a);
	cqe = success(&f.b, MLX5_CQE_RESP_SEND_IMM);
	cr_assert_eq(be32toh(dv_cqe_imm(&cqe)), 1);
	cqe = success(&f.b, MLX5_CQE_RESP_WR_IMM);
	cr_assert_eq(be32toh(dv_cqe_imm(&cqe)), 2);
	cr_assert_eq(dv_cqe_byte_cnt(&cqe), 0);
	cr_assert_eq(f.dst[0], 0xdd);
}
