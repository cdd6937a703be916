/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* Golden bytes, written by hand: WQEs of UD, DC and XRC have an address, and are composed. */
#include "queue.h"

static struct mlx5_wqe_av av;
static const struct ibv_sge sge = { .addr = 0x1122334455667788, .length = 0x40,
				    .lkey = 0xabcdef01 };
static const struct dv_raddr at = { .raddr = 0x7f0102030405060, .rkey = 0xcafe0017 };

static void start(void)
{
	queue_start();
	av = (struct mlx5_wqe_av){ .stat_rate_sl = 0x03, .fl_mlid = 0x04,
				   .rlid = htobe16(0xc123),
				   .rmac = { 0x02, 0x11, 0x22, 0x33, 0x44, 0x55 },
				   .tclass = 0x28, .hop_limit = 64,
				   .grh_gid_fl = htobe32(1 << 30 | 3 << 20 | 0x12345),
				   .rgid = { [10] = 0xff, [11] = 0xff, 0xc0, 0xa8, 0x00, 0x02 } };
	dv_av_set_ud(&av, 0x000abc, 0x11111111);
}

TestSuite(wqe_with_an_address, .init = start);

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

static struct dv_dest compact(void)
{
	struct dv_dest addr = ud();

	dv_dest_compact(&addr);
	return addr;
}

static struct dv_dest connected(void)
{
	return (struct dv_dest){ 0 };
}

#define PATH "0304c123 00000000 02112233 44552840 40312345 00000000 00000000 0000ffff c0a80002"
#define UD_ADDRESS "11111111 00000000 80000abc" PATH
#define DC_ADDRESS "d1d2d3d4 d5d6d7d8 80000abc" PATH
#define XRC_ADDRESS "00000abc 00000000 00000000 00000000"
#define DATA "00000040 abcdef01 11223344 55667788"
#define RADDR "07f01020 30405060 cafe0017 00000000"

struct row {
	const char *name;
	struct dv_dest (*to)(void);
	enum { SEND, RDMA, FETCH_ADD, CMP_SWAP } segments; /* before the data */
	const char *data;				   /* inline; NULL: an SGE */
	uint8_t opcode, flags;
	uint32_t imm;
	const char *bytes;
};

static const struct row rows[] = {
	{ "UD, SEND", ud, SEND, NULL, MLX5_OPCODE_SEND, MLX5_WQE_CTRL_CQ_UPDATE, 0,
	  "0000000a 12345605 00000008 00000000" UD_ADDRESS DATA },
	{ "UD, SEND with immediate", ud, SEND, NULL, MLX5_OPCODE_SEND_IMM, MLX5_WQE_CTRL_SOLICITED, 0xdeadbeef,
	  "0000000b 12345605 00000002 deadbeef" UD_ADDRESS DATA },
	{ "UD, SEND inline", ud, SEND, "abc", MLX5_OPCODE_SEND, 0, 0,
	  "0000000a 12345605 00000000 00000000" UD_ADDRESS "80000003 'abc' 00 00000000 00000000" },
	/* Bit 31 is clear, and the vector ends after 16 bytes. */
	{ "UD, compact", compact, SEND, NULL, MLX5_OPCODE_SEND, 0, 0,
	  "0000000a 12345603 00000000 00000000  11111111 00000000 00000abc 0304c123" DATA },
	{ "DC, WRITE", dc, RDMA, NULL, MLX5_OPCODE_RDMA_WRITE, 0, 0,
	  "00000008 12345606 00000000 00000000" DC_ADDRESS RADDR DATA },
	{ "DC, FETCH_ADD", dc, FETCH_ADD, NULL, MLX5_OPCODE_ATOMIC_FA, 0, 0,
	  "00000012 12345607 00000000 00000000" DC_ADDRESS RADDR "00000000 0000002a 00000000 00000000" DATA },
	{ "DC, WRITE with immediate", dc, RDMA, NULL, MLX5_OPCODE_RDMA_WRITE_IMM, 0, 0x01020304,
	  "00000009 12345606 00000000 01020304" DC_ADDRESS RADDR DATA },
	{ "DC, SEND with invalidate", dc, SEND, NULL, MLX5_OPCODE_SEND_INVAL, 0, 0x00001842,
	  "00000001 12345605 00000000 00001842" DC_ADDRESS DATA },
	{ "XRC, SEND", xrc, SEND, NULL, MLX5_OPCODE_SEND, 0, 0,
	  "0000000a 12345603 00000000 00000000" XRC_ADDRESS DATA },
	{ "XRC, WRITE inline", xrc, RDMA, "hello, x", MLX5_OPCODE_RDMA_WRITE, 0, 0,
	  "00000008 12345604 00000000 00000000" XRC_ADDRESS RADDR "80000008 'hello, x' 00000000" },
	{ "XRC, CMP_SWAP", xrc, CMP_SWAP, NULL, MLX5_OPCODE_ATOMIC_CS, 0, 0,
	  "00000011 12345605 00000000 00000000" XRC_ADDRESS RADDR "00000000 00000002 00000000 00000001" DATA },
	{ "DC, READ", dc, RDMA, NULL, MLX5_OPCODE_RDMA_READ, 0, 0,
	  "00000010 12345606 00000000 00000000" DC_ADDRESS RADDR DATA },
	/* Zeros are no address. */
	{ "RC, SEND", connected, SEND, NULL, MLX5_OPCODE_SEND, 0, 0,
	  "0000000a 12345602 00000000 00000000" DATA },
};

static void post(const struct row *row)
{
	struct dv_dest addr = row->to();
	void *seg = dv_sq_reserve(&m.sq, 2);

	cr_assert_not_null(seg);
	seg = dv_set_dest_seg(seg, &addr);
	if (row->segments != SEND)
		seg = dv_set_raddr_seg(seg, at);
	if (row->segments == FETCH_ADD)
		seg = dv_set_fetch_add_seg(seg, 0x2a);
	if (row->segments == CMP_SWAP)
		seg = dv_set_cmp_swap_seg(seg, 1, 2);
	seg = row->data ? dv_set_inline_seg(seg, row->data, (uint32_t)strlen(row->data))
			: dv_set_data_seg(seg, &sge);
	dv_sq_commit(&m.sq, seg, row->opcode, 0, row->flags, htobe32(row->imm));
}

Test(wqe_with_an_address, of_every_transport)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start();
		post(&rows[i]);
		ring_shows(&m, rows[i].bytes, rows[i].name);
	}
}

Test(wqe_with_an_address, takes_two_blocks)
{
	post(&rows[0]);
	cr_assert_eq(m.sq.pi, 2);
}

Test(wqe_with_an_address, dc_send_on_a_stream)
{
	static const struct row send = { .to = dc, .opcode = MLX5_OPCODE_SEND,
					 .flags = MLX5_WQE_CTRL_CQ_UPDATE };

	post(&send);
	dv_sq_set_stream(&m.sq, 0x0207);
	ring_is(&m, "0000000a 12345605 00020708 00000000" DC_ADDRESS DATA);
}

/* The vector alone, for code that has one transport only. */
Test(wqe_with_an_address, ud_send_of_a_vector)
{
	void *seg = dv_sq_reserve(&m.sq, 2);

	seg = dv_set_av_seg(seg, &av);
	seg = dv_set_data_segs(seg, &sge, 1);
	dv_sq_commit(&m.sq, seg, MLX5_OPCODE_SEND, 0, 0, 0);
	ring_is(&m, "0000000a 12345605 00000000 00000000" UD_ADDRESS DATA);
}

/* The same by hand, segment by segment. */
Test(wqe_with_an_address, compact_segment)
{
	uint8_t seg[32];

	memset(seg, OLD, sizeof(seg));
	cr_assert_eq(dv_set_compact_av_seg(seg, &av), seg + 16);
	cr_assert_eq(begins_with_hex(seg, "11111111 00000000 00000abc 0304c123", "compact"), 16);
	cr_assert(is_old(seg + 16, 16));
}
