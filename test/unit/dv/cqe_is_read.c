/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* CQEs as bytes, written by hand, through the accessors. */
#include "memory.h"

static const uint8_t send_done[64] __attribute__((aligned(64))) = {
	[32] = 0xff, 0x00, 0xab, 0xcd, [44] = 0, 0, 0, 0,
	[56] = 0x0a, 0x12, 0x34, 0x56, [60] = 0x01, 0x02, [63] = 0x00,
};
static const uint8_t received_imm[64] __attribute__((aligned(64))) = {
	[36] = 0xde, 0xad, 0xbe, 0xef, [44] = 0x00, 0x01, 0x00, 0x40,
	[56] = 0x00, 0x65, 0x43, 0x21, [60] = 0xff, 0xfe, [63] = 0x31,
};
static const uint8_t write_failed[64] __attribute__((aligned(64))) = {
	[54] = 0x88, 0x13, 0x08, 0x00, 0x01, 0x02, 0x00, 0x07, [63] = 0xd0,
};

static const struct mlx5_cqe64 *cqe(const uint8_t *bytes)
{
	return (const struct mlx5_cqe64 *)bytes;
}

Test(cqe, of_a_send_is_read)
{
	cr_assert_eq(dv_cqe_opcode(cqe(send_done)), MLX5_CQE_REQ);
	cr_assert_eq(dv_cqe_is_error(cqe(send_done)), false);
	cr_assert_eq(dv_cqe_is_send(cqe(send_done)), true);
	cr_assert_eq(dv_cqe_syndrome(cqe(send_done)), 0);
	cr_assert_eq(dv_cqe_vendor_syndrome(cqe(send_done)), 0);
	cr_assert_eq(dv_cqe_send_opcode(cqe(send_done)), MLX5_OPCODE_SEND);
	cr_assert_eq(dv_cqe_qpn(cqe(send_done)), 0x123456);
	cr_assert_eq(dv_cqe_wqe_counter(cqe(send_done)), 0x0102);
	cr_assert_eq(dv_cqe_uidx(cqe(send_done)), 0x00abcd);
	cr_assert_null(dv_cqe_inline(cqe(send_done)));
}

Test(cqe, of_a_receive_is_read)
{
	static const uint8_t imm[4] = { 0xde, 0xad, 0xbe, 0xef };
	__be32 read = dv_cqe_imm(cqe(received_imm));

	cr_assert_eq(dv_cqe_opcode(cqe(received_imm)), MLX5_CQE_RESP_SEND_IMM);
	cr_assert_eq(dv_cqe_is_send(cqe(received_imm)), false);
	cr_assert_arr_eq((uint8_t *)&read, imm, 4, "network order");
	cr_assert_eq(dv_cqe_byte_cnt(cqe(received_imm)), 65600);
	cr_assert_eq(dv_cqe_qpn(cqe(received_imm)), 0x654321);
	cr_assert_eq(dv_cqe_wqe_counter(cqe(received_imm)), 0xfffe);
}

Test(cqe, of_an_error_is_read)
{
	cr_assert_eq(dv_cqe_opcode(cqe(write_failed)), MLX5_CQE_REQ_ERR);
	cr_assert_eq(dv_cqe_is_error(cqe(write_failed)), true);
	cr_assert_eq(dv_cqe_is_send(cqe(write_failed)), true);
	cr_assert_eq(dv_cqe_syndrome(cqe(write_failed)), MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	cr_assert_eq(dv_cqe_vendor_syndrome(cqe(write_failed)), 0x88);
	cr_assert_eq(dv_cqe_send_opcode(cqe(write_failed)), MLX5_OPCODE_RDMA_WRITE);
	cr_assert_eq(dv_cqe_qpn(cqe(write_failed)), 0x102);
	cr_assert_eq(dv_cqe_wqe_counter(cqe(write_failed)), 7);
}

/* A byte 55 that is not zero is part of the timestamp when the CQE is a success. */
Test(cqe, timestamp_is_not_a_syndrome)
{
	static const uint8_t stamped[64] __attribute__((aligned(64))) = { [48] = 1, 2, 3, 4, 5, 6, 7, 8 };

	cr_assert_eq(dv_cqe_syndrome(cqe(stamped)), 0);
	cr_assert_eq(dv_cqe_vendor_syndrome(cqe(stamped)), 0);
}
