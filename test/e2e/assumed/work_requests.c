/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assumptions of the emulator about work requests that no library writes, in the form that asks
 * an adapter: see completions.c. libmlx5 posts them as raw WQEs of r.a, byte by byte.
 *
 *	MMO needs a device that copies memory (dvkit-emu --device bf3); others skip it
 */
#include <prm/prm.h>
#include "lib/qp_traffic.h"

static struct mlx5dv_qp_ex *raw;
static uint64_t copies; /* bytes at most, by MMO DMA */
static uint8_t wqe[192];

static void put32(uint8_t *at, uint32_t v)
{
	v = htobe32(v);
	memcpy(at, &v, sizeof(v));
}

static void put64(uint8_t *at, uint64_t v)
{
	v = htobe64(v);
	memcpy(at, &v, sizeof(v));
}

static void put_data(uint8_t *at, uint32_t bytes, uint32_t lkey, const void *addr)
{
	put32(at, bytes);
	put32(at + 4, lkey);
	put64(at + 8, (uintptr_t)addr);
}

static struct ibv_qp *create(struct end *e, uint64_t ops)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RC,
		.cap = { 16, 16, 4, 4, 256 },
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = r.pd,
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
	};
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
		.send_ops_flags = ops,
	};

	e->ibcq = ibv_create_cq(r.ctx, 100, NULL, NULL, 0);
	cr_assert_not_null(e->ibcq);
	init.send_cq = init.recv_cq = e->ibcq;
	e->qp = mlx5dv_create_qp(r.ctx, &init, &dv);
	return e->qp;
}

static void start(void)
{
	struct mlx5dv_context dv = { .comp_mask = MLX5DV_CONTEXT_MASK_WR_MEMCPY_LENGTH };
	uint64_t ops = MLX5DV_QP_EX_WITH_RAW_WQE;

	cr_assert_eq(mlx5dv_query_device(r.ctx, &dv), 0);
	copies = dv.max_wr_memcpy_length;
	if (copies)
		ops |= MLX5DV_QP_EX_WITH_MEMCPY;
	if (!create(&r.a, ops) || !create(&r.b, ops))
		cr_skip_test("no raw WQEs: %s", strerror(errno));
	bring(&r.b, &with, IBV_QPS_RTS, r.a.qp->qp_num);
	bring(&r.a, &with, IBV_QPS_RTS, r.b.qp->qp_num);
	raw = mlx5dv_qp_ex_from_ibv_qp_ex(ibv_qp_to_qp_ex(r.a.qp));
}

/* The control segment of a signalled WQE; libmlx5 fills the index in. */
static uint8_t *begin(uint8_t opmod, uint8_t opcode, unsigned int ds)
{
	memset(wqe, 0, sizeof(wqe));
	wqe[0] = opmod;
	wqe[3] = opcode;
	put32(wqe + 4, r.a.qp->qp_num << 8 | ds);
	wqe[11] = MLX5_WQE_CTRL_CQ_UPDATE;
	return wqe + 16;
}

static void ends(enum ibv_wc_status status)
{
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(r.a.qp);

	ibv_wr_start(qp);
	qp->wr_id = ++r.a.posted;
	mlx5dv_wr_raw_wqe(raw, wqe);
	cr_assert_eq(ibv_wr_complete(qp), 0);
	ends_in(&r.a, status);
}

Test(assumed, refused_work_requests_end_in_a_qp_operation_error, .init = start)
{
	begin(0, 0x0f, 2); /* WAIT for CQE 0 of its CQ */
	ends(IBV_WC_LOC_QP_OP_ERR);
}

/* ---- masked atomics ---- */

/* A masked addition of 1 to four bytes at the begin of r.dst; the answer to r.src. */
static void add_one(void)
{
	uint8_t *at = begin(8, MLX5_OPCODE_ATOMIC_MASKED_FA, 4);

	put64(at, (uintptr_t)r.dst);
	put32(at + 8, r.dst_mr->rkey);
	put32(at + 16, 1);
	put_data(at + 32, 4, r.src_mr->lkey, r.src);
}

Test(assumed, masked_atomics_need_their_mode, .init = start)
{
	uint8_t in[PRM_SZ(rts2rts_qp_in)] = { 0 }, out[PRM_SZ(rts2rts_qp_out)] = { 0 };
	uint8_t *qpc = PRM_ADDR(rts2rts_qp_in, in, qpc);

	PRM_SET(rts2rts_qp_in, in, opcode, PRM_OP_RTS2RTS_QP);
	PRM_SET(rts2rts_qp_in, in, qpn, r.b.qp->qp_num);
	PRM_SET(rts2rts_qp_in, in, opt_param_mask, 1 << 2); /* RAE */
	PRM_SET(qpc, qpc, rae, 1);
	PRM_SET(qpc, qpc, atomic_mode, 1); /* IB_COMP */
	if (mlx5dv_devx_qp_modify(r.b.qp, in, sizeof(in), out, sizeof(out)))
		cr_skip_test("the QP's atomic mode cannot be changed: %s", strerror(errno));
	add_one();
	ends(IBV_WC_REM_INV_REQ_ERR);
}

/* ---- UMR ---- */

static struct mlx5dv_mkey *mkey;

/* UMR of @mkey: free, variant and length, @octwords entries of which the first is of r.dst. */
static uint8_t *umr(unsigned int entries, unsigned int octwords)
{
	struct mlx5dv_mkey_init_attr attr = {
		.pd = r.pd,
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT,
		.max_entries = (uint16_t)entries,
	};
	uint8_t *at = begin(0, MLX5_OPCODE_UMR, 8 + octwords);

	mkey = mlx5dv_create_mkey(&attr);
	if (!mkey)
		cr_skip_test("no indirect mkeys: %s", strerror(errno));
	put32(wqe + 12, mkey->lkey);
	at[0] = 0x80; /* inline */
	at[5] = (uint8_t)octwords;
	put64(at + 8, 1ull << 29 | 1ull << 13 | 1);
	put32(at + 52, 0xffffff00);
	put64(at + 72, 64);
	put_data(at + 112, 64, r.dst_mr->lkey, r.dst);
	return at;
}

Test(assumed, user_umr_keeps_the_pd, .init = start)
{
	uint8_t *at = umr(4, 4);

	at[15] |= 0x80;
	put32(at + 60, 0); /* PD 0 */
	ends(IBV_WC_LOC_QP_OP_ERR);
}

Test(assumed, umr_list_is_bounded_by_the_key, .init = start)
{
	uint8_t *at = umr(4, 4);

	at[0] |= 0x10;
	at[7] = 4; /* entries 4 … 7 of 4 */
	ends(IBV_WC_MW_BIND_ERR);
}

Test(assumed, repeat_block_adds_up, .init = start)
{
	uint8_t *block = umr(4, 4) + 112;

	memset(block, 0, 16);
	put32(block, 9); /* bytes of a turn: its entry has 8 */
	put32(block + 4, 0x400);
	put32(block + 8, 2);
	block[15] = 1;
	put_data(block + 16, 16 << 16 | 8, r.dst_mr->lkey, r.dst);
	ends(IBV_WC_LOC_QP_OP_ERR);
}

/* ---- MMO ---- */

enum { OPAQUE = 1024 };

static void copy(uint32_t from, uint32_t to)
{
	uint8_t *at = begin(1, 0x2f, 4);

	if (!copies)
		cr_skip_test("no MMO DMA");
	put_data(at, 0, r.src_mr->lkey, r.src + OPAQUE);
	put_data(at + 16, from, r.src_mr->lkey, r.src);
	put_data(at + 32, to, r.dst_mr->lkey, r.dst);
}

Test(assumed, mmo_opaque_buffer_has_both_lengths, .init = start)
{
	static const uint8_t opaque[16] = { [11] = 100, [15] = 100 };

	copy(100, 100);
	ends(IBV_WC_SUCCESS);
	cr_expect_arr_eq(r.src + OPAQUE, opaque, sizeof(opaque));
	cr_expect_arr_eq(r.dst, r.src, 100);
}

Test(assumed, mmo_opaque_buffer_is_aligned, .init = start)
{
	copy(8, 8);
	put64(wqe + 24, (uintptr_t)r.src + OPAQUE + 32);
	ends(IBV_WC_LOC_QP_OP_ERR);
}

/* One byte more than libmlx5 allows; 0 would be 2 GiB. */
Test(assumed, mmo_length_has_a_limit, .init = start)
{
	if (copies >= 1ull << 31)
		cr_skip_test("no byte count is too long");
	copy((uint32_t)copies + 1, (uint32_t)copies + 1);
	ends(IBV_WC_LOC_LEN_ERR);
}

Test(assumed, bluefield_copies_2_mib, .init = start)
{
	if (!copies)
		cr_skip_test("no MMO DMA");
	cr_expect_eq(copies, 2 << 20);
}

Test(assumed, mmo_lengths_are_equal, .init = start)
{
	copy(8, 9);
	ends(IBV_WC_LOC_LEN_ERR);
}
