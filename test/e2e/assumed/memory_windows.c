/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assumptions of the emulator about memory windows, in the form that asks an adapter: see
 * completions.c. r.b binds windows of type 2 to r.dst, r.a uses them.
 */
#include "lib/qp_traffic.h"

static struct ibv_mr *mr;
static struct ibv_mw *mw;

static void start(void)
{
	wired();
	mr = ibv_reg_mr(r.pd, r.dst, LEN, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	cr_assert_not_null(mr);
	mw = ibv_alloc_mw(r.pd, IBV_MW_TYPE_2);
	if (!mw)
		cr_skip_test("no memory windows");
}

static void stop(void)
{
	if (mw)
		cr_assert_eq(ibv_dealloc_mw(mw), 0);
	cr_assert_eq(ibv_dereg_mr(mr), 0);
}

/* Binds the window under @rkey to the first @len bytes of r.dst; the post is accepted. */
static void bind(uint32_t rkey, uint64_t len)
{
	struct ibv_send_wr w = {
		.opcode = IBV_WR_BIND_MW,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_mw = { .mw = mw,
			     .rkey = rkey,
			     .bind_info = { .mr = mr,
					    .addr = (uintptr_t)r.dst,
					    .length = len,
					    .mw_access_flags = IBV_ACCESS_REMOTE_WRITE } }
	};

	cr_assert_eq(post(&r.b, &w), 0);
}

static void invalidate(enum ibv_wr_opcode op, struct end *e, uint32_t rkey)
{
	struct ibv_send_wr w = { .opcode = op,
				 .send_flags = IBV_SEND_SIGNALED,
				 .invalidate_rkey = rkey };

	cr_assert_eq(post(e, &w), 0);
}

Test(assumed, window_is_no_lkey, .init = start, .fini = stop)
{
	uint32_t key = ibv_inc_rkey(mw->rkey);
	struct ibv_sge sge = { .addr = (uintptr_t)r.dst, .length = 8, .lkey = key };
	struct ibv_send_wr w;

	bind(key, LEN);
	ends_in(&r.b, IBV_WC_SUCCESS);
	w = wr(IBV_WR_RDMA_WRITE, &sge, (uintptr_t)r.dst, r.dst_mr->rkey);
	cr_assert_eq(post(&r.b, &w), 0);
	ends_in(&r.b, IBV_WC_LOC_PROT_ERR);
}

Test(assumed, local_inv_of_a_free_window_fails, .init = start, .fini = stop)
{
	invalidate(IBV_WR_LOCAL_INV, &r.b, mw->rkey);
	ends_in(&r.b, IBV_WC_MW_BIND_ERR);
}

/* LOCAL_INV leaves variant 0, and libmlx5 names the window by the key that it was made with. */
Test(assumed, umr_does_not_look_at_the_key_variant, .init = start, .fini = stop)
{
	uint32_t key = ibv_inc_rkey(mw->rkey);

	bind(key, LEN);
	ends_in(&r.b, IBV_WC_SUCCESS);
	invalidate(IBV_WR_LOCAL_INV, &r.b, key);
	ends_in(&r.b, IBV_WC_SUCCESS);
	key = ibv_inc_rkey(key);
	bind(key, LEN);
	ends_in(&r.b, IBV_WC_SUCCESS);
	op_ends_in(IBV_WR_RDMA_WRITE, src_sge(0, 8), 0, key, IBV_WC_SUCCESS);
}

Test(assumed, bind_does_not_look_at_the_region, .init = start, .fini = stop)
{
	uint32_t key = ibv_inc_rkey(mw->rkey);

	bind(key, LEN + PAGE);
	ends_in(&r.b, IBV_WC_SUCCESS);
	op_ends_in(IBV_WR_RDMA_WRITE, src_sge(0, 8), LEN - 8, key, IBV_WC_SUCCESS);
	op_ends_in(IBV_WR_RDMA_WRITE, src_sge(0, 8), LEN - 7, key, IBV_WC_REM_ACCESS_ERR);
}

Test(assumed, bad_remote_invalidate_is_never_acknowledged, .init = start, .fini = stop)
{
	cr_assert_eq(post_recv(&r.b, dst_sge(0, 8)), 0);
	invalidate(IBV_WR_SEND_WITH_INV, &r.a, r.dst_mr->rkey);
	ends_in(&r.b, IBV_WC_LOC_ACCESS_ERR);
	cr_assert_eq(state_of(&r.b), IBV_QPS_ERR);
	ends_in(&r.a, IBV_WC_RETRY_EXC_ERR);
}
