/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* Golden bytes, written by hand: WQEs of UD, DC and XRC have an address, and are composed. */
#include "memory.h"

static struct memory m;
static struct mlx5_wqe_av av;
static const struct ibv_sge sge = { .addr = 0x1122334455667788, .length = 0x40,
				    .lkey = 0xabcdef01 };
static const struct dv_raddr at = { .raddr = 0x7f0102030405060, .rkey = 0xcafe0017 };

static void start(void)
{
	memory_start(&m, MEMORY_BLOCKS, 64);
	av = (struct mlx5_wqe_av){ .stat_rate_sl = 0x03, .fl_mlid = 0x04,
				   .rlid = htobe16(0xc123),
				   .rmac = { 0x02, 0x11, 0x22, 0x33, 0x44, 0x55 },
				   .tclass = 0x28, .hop_limit = 64,
				   .grh_gid_fl = htobe32(1 << 30 | 3 << 20 | 0x12345),
				   .rgid = { [10] = 0xff, [11] = 0xff, 0xc0, 0xa8, 0x00, 0x02 } };
	dv_av_set_ud(&av, 0x000abc, 0x11111111);
}

TestSuite(wqe_with_an_address, .init = start);

static void *begin(const struct dv_dest *addr)
{
	void *seg = dv_sq_reserve(&m.sq, 2);

	cr_assert_not_null(seg);
	return dv_set_dest_seg(seg, addr);
}

static void send(const struct dv_dest *addr, uint8_t opcode, uint8_t flags, __be32 imm)
{
	void *seg = begin(addr);

	seg = dv_set_data_seg(seg, &sge);
	dv_sq_commit(&m.sq, seg, opcode, 0, flags, imm);
}

static void *begin_rdma(const struct dv_dest *addr)
{
	return dv_set_raddr_seg(begin(addr), at);
}

static struct dv_dest ud(void)
{
	struct dv_dest addr;

	dv_dest_ud(&addr, &av, 0x000abc, 0x11111111);
	return addr;
}

static struct dv_dest dc(void)
{
	struct dv_dest addr;

	dv_dest_dc(&addr, &av, 0x000abc, 0xd1d2d3d4d5d6d7d8);
	return addr;
}

static struct dv_dest xrc(void)
{
	struct dv_dest addr;

	dv_dest_xrc(&addr, 0x000abc);
	return addr;
}

#define PATH                                            \
	0x03, 0x04, 0xc1, 0x23, 0x00, 0x00, 0x00, 0x00, \
	0x02, 0x11, 0x22, 0x33, 0x44, 0x55, 0x28, 0x40, \
	0x40, 0x31, 0x23, 0x45, 0x00, 0x00, 0x00, 0x00, \
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, \
	0xc0, 0xa8, 0x00, 0x02
#define UD_ADDRESS 0x11, 0x11, 0x11, 0x11, 0x00, 0x00, 0x00, 0x00, 0x80, 0x00, 0x0a, 0xbc, PATH
#define DC_ADDRESS 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0x80, 0x00, 0x0a, 0xbc, PATH
#define XRC_ADDRESS 0x00, 0x00, 0x0a, 0xbc, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
#define DATA                                            \
	0x00, 0x00, 0x00, 0x40, 0xab, 0xcd, 0xef, 0x01, \
	0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88
#define RADDR                                           \
	0x07, 0xf0, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, \
	0xca, 0xfe, 0x00, 0x17, 0x00, 0x00, 0x00, 0x00
#define NOTHING_ELSE 0x00, 0x00, 0x00, 0x00

Test(wqe_with_an_address, ud_send)
{
	struct dv_dest addr = ud();

	send(&addr, MLX5_OPCODE_SEND, MLX5_WQE_CTRL_CQ_UPDATE, 0);
	RING_IS(&m, 0x00, 0x00, 0x00, 0x0a, 0x12, 0x34, 0x56, 0x05,
		    0x00, 0x00, 0x00, 0x08, NOTHING_ELSE, UD_ADDRESS, DATA);
	cr_assert_eq(m.sq.pi, 2);
}

Test(wqe_with_an_address, ud_send_imm)
{
	struct dv_dest addr = ud();

	send(&addr, MLX5_OPCODE_SEND_IMM, MLX5_WQE_CTRL_SOLICITED, htobe32(0xdeadbeef));
	RING_IS(&m, 0x00, 0x00, 0x00, 0x0b, 0x12, 0x34, 0x56, 0x05,
		    0x00, 0x00, 0x00, 0x02, 0xde, 0xad, 0xbe, 0xef, UD_ADDRESS, DATA);
}

Test(wqe_with_an_address, ud_send_inline)
{
	struct dv_dest addr = ud();
	void *seg = begin(&addr);

	dv_sq_commit(&m.sq, dv_set_inline_seg(seg, "abc", 3), MLX5_OPCODE_SEND, 0, 0, 0);
	RING_IS(&m, 0x00, 0x00, 0x00, 0x0a, 0x12, 0x34, 0x56, 0x05,
		    0x00, 0x00, 0x00, 0x00, NOTHING_ELSE, UD_ADDRESS,
		    0x80, 0x00, 0x00, 0x03, 'a', 'b', 'c', 0x00, 0, 0, 0, 0, 0, 0, 0, 0);
}

/* The vector alone, for code that has one transport only. */
Test(wqe_with_an_address, ud_send_of_a_vector)
{
	void *seg = dv_sq_reserve(&m.sq, 2);

	seg = dv_set_av_seg(seg, &av);
	seg = dv_set_data_segs(seg, &sge, 1);
	dv_sq_commit(&m.sq, seg, MLX5_OPCODE_SEND, 0, 0, 0);
	RING_IS(&m, 0x00, 0x00, 0x00, 0x0a, 0x12, 0x34, 0x56, 0x05,
		    0x00, 0x00, 0x00, 0x00, NOTHING_ELSE, UD_ADDRESS, DATA);
}

/* Bit 31 is clear, and the vector ends after 16 bytes. */
Test(wqe_with_an_address, compact)
{
	struct dv_dest addr = ud();

	dv_dest_compact(&addr);
	send(&addr, MLX5_OPCODE_SEND, 0, 0);
	RING_IS(&m, 0x00, 0x00, 0x00, 0x0a, 0x12, 0x34, 0x56, 0x03,
		    0x00, 0x00, 0x00, 0x00, NOTHING_ELSE,
		    0x11, 0x11, 0x11, 0x11, 0x00, 0x00, 0x00, 0x00,
		    0x00, 0x00, 0x0a, 0xbc, 0x03, 0x04, 0xc1, 0x23, DATA);
}

/* The same by hand, segment by segment. */
Test(wqe_with_an_address, compact_segment)
{
	static const uint8_t golden[16] = { 0x11, 0x11, 0x11, 0x11, 0x00, 0x00, 0x00, 0x00,
					    0x00, 0x00, 0x0a, 0xbc, 0x03, 0x04, 0xc1, 0x23 };
	uint8_t seg[32];

	memset(seg, OLD, sizeof(seg));
	cr_assert_eq(dv_set_compact_av_seg(seg, &av), seg + 16);
	cr_assert_arr_eq(seg, golden, 16);
	cr_assert(is_old(seg + 16, 16));
}

Test(wqe_with_an_address, dc_write)
{
	struct dv_dest addr = dc();
	void *seg = begin_rdma(&addr);

	seg = dv_set_data_seg(seg, &sge);
	dv_sq_commit(&m.sq, seg, MLX5_OPCODE_RDMA_WRITE, 0, 0, 0);
	RING_IS(&m, 0x00, 0x00, 0x00, 0x08, 0x12, 0x34, 0x56, 0x06,
		    0x00, 0x00, 0x00, 0x00, NOTHING_ELSE, DC_ADDRESS, RADDR, DATA);
}

Test(wqe_with_an_address, dc_send_on_a_stream)
{
	struct dv_dest addr = dc();

	send(&addr, MLX5_OPCODE_SEND, MLX5_WQE_CTRL_CQ_UPDATE, 0);
	dv_sq_set_stream(&m.sq, 0x0207);
	RING_IS(&m, 0x00, 0x00, 0x00, 0x0a, 0x12, 0x34, 0x56, 0x05,
		    0x00, 0x02, 0x07, 0x08, NOTHING_ELSE, DC_ADDRESS, DATA);
}

Test(wqe_with_an_address, dc_fetch_add)
{
	struct dv_dest addr = dc();
	void *seg = dv_set_fetch_add_seg(begin_rdma(&addr), 0x2a);

	seg = dv_set_data_seg(seg, &sge);
	dv_sq_commit(&m.sq, seg, MLX5_OPCODE_ATOMIC_FA, 0, 0, 0);
	RING_IS(&m, 0x00, 0x00, 0x00, 0x12, 0x12, 0x34, 0x56, 0x07,
		    0x00, 0x00, 0x00, 0x00, NOTHING_ELSE, DC_ADDRESS, RADDR,
		    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x2a,
		    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, DATA);
}

Test(wqe_with_an_address, dc_write_imm)
{
	struct dv_dest addr = dc();
	void *seg = begin_rdma(&addr);

	seg = dv_set_data_seg(seg, &sge);
	dv_sq_commit(&m.sq, seg, MLX5_OPCODE_RDMA_WRITE_IMM, 0, 0, htobe32(0x01020304));
	RING_IS(&m, 0x00, 0x00, 0x00, 0x09, 0x12, 0x34, 0x56, 0x06,
		    0x00, 0x00, 0x00, 0x00, 0x01, 0x02, 0x03, 0x04, DC_ADDRESS, RADDR, DATA);
}

Test(wqe_with_an_address, dc_send_inv)
{
	struct dv_dest addr = dc();

	send(&addr, MLX5_OPCODE_SEND_INVAL, 0, htobe32(0x00001842));
	RING_IS(&m, 0x00, 0x00, 0x00, 0x01, 0x12, 0x34, 0x56, 0x05,
		    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x18, 0x42, DC_ADDRESS, DATA);
}

Test(wqe_with_an_address, xrc_send)
{
	struct dv_dest addr = xrc();

	send(&addr, MLX5_OPCODE_SEND, 0, 0);
	RING_IS(&m, 0x00, 0x00, 0x00, 0x0a, 0x12, 0x34, 0x56, 0x03,
		    0x00, 0x00, 0x00, 0x00, NOTHING_ELSE, XRC_ADDRESS, DATA);
}

Test(wqe_with_an_address, xrc_write_inline)
{
	struct dv_dest addr = xrc();
	void *seg = dv_set_inline_seg(begin_rdma(&addr), "hello, x", 8);

	dv_sq_commit(&m.sq, seg, MLX5_OPCODE_RDMA_WRITE, 0, 0, 0);
	RING_IS(&m, 0x00, 0x00, 0x00, 0x08, 0x12, 0x34, 0x56, 0x04,
		    0x00, 0x00, 0x00, 0x00, NOTHING_ELSE, XRC_ADDRESS, RADDR,
		    0x80, 0x00, 0x00, 0x08, 'h', 'e', 'l', 'l',
		    'o', ',', ' ', 'x', 0x00, 0x00, 0x00, 0x00);
}

Test(wqe_with_an_address, xrc_cmp_swap)
{
	struct dv_dest addr = xrc();
	void *seg = dv_set_cmp_swap_seg(begin_rdma(&addr), 1, 2);

	seg = dv_set_data_seg(seg, &sge);
	dv_sq_commit(&m.sq, seg, MLX5_OPCODE_ATOMIC_CS, 0, 0, 0);
	RING_IS(&m, 0x00, 0x00, 0x00, 0x11, 0x12, 0x34, 0x56, 0x05,
		    0x00, 0x00, 0x00, 0x00, NOTHING_ELSE, XRC_ADDRESS, RADDR,
		    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02,
		    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, DATA);
}

Test(wqe_with_an_address, dc_read)
{
	struct dv_dest addr = dc();
	void *seg = begin_rdma(&addr);

	seg = dv_set_data_seg(seg, &sge);
	dv_sq_commit(&m.sq, seg, MLX5_OPCODE_RDMA_READ, 0, 0, 0);
	RING_IS(&m, 0x00, 0x00, 0x00, 0x10, 0x12, 0x34, 0x56, 0x06,
		    0x00, 0x00, 0x00, 0x00, NOTHING_ELSE, DC_ADDRESS, RADDR, DATA);
}

/* Zeros are no address. */
Test(wqe_with_an_address, connected)
{
	static const struct dv_dest none;

	send(&none, MLX5_OPCODE_SEND, 0, 0);
	RING_IS(&m, 0x00, 0x00, 0x00, 0x0a, 0x12, 0x34, 0x56, 0x02,
		    0x00, 0x00, 0x00, 0x00, NOTHING_ELSE, DATA);
}
