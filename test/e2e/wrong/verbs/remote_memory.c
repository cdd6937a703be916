/* SPDX-License-Identifier: BSD-2-Clause */
/* Remote keys, bounds and rights: what the peer's adapter says of a WRITE, READ or atomic. */
#include "lib/qp_traffic.h"

TestSuite(remote_memory, .init = rig_start, .fini = rig_stop);

/* @op of 8 bytes at @off with @rkey ends in @status, the memory of both ends is untouched, and
 * the peer's QP is in ERR. */
static void refused(enum ibv_wr_opcode op, int off, uint32_t rkey, enum ibv_wc_status status)
{
	op_ends_in(op, src_sge(0, 8), off, rkey, status);
	cr_assert_eq(state_of(&r.a), IBV_QPS_ERR);
	cr_assert_eq(state_of(&r.b), IBV_QPS_ERR);
	for (int i = -8; i < LEN + 8; i++)
		cr_assert_eq(r.dst[i], 0xdd);
	cr_assert_eq(r.src[0], 0x5a);
}

static uint32_t rkey_with(int access)
{
	struct ibv_mr *mr = ibv_reg_mr(r.pd, r.dst, LEN, access);

	cr_assert_not_null(mr);
	return mr->rkey;
}

static void qp_with(int access)
{
	with.access = access;
	pair(with);
}

/* wrong: WRITE with an rkey that does not exist | REM_ACCESS_ERR; the peer receives
 * IBV_EVENT_QP_ACCESS_ERR | google/rdma-unit-test, async_event_test.cc: WriteRKeyViolation */
Test(remote_memory, write_with_unknown_rkey)
{
	wired();
	refused(IBV_WR_RDMA_WRITE, 0, r.dst_mr->rkey ^ 0x5a5500, IBV_WC_REM_ACCESS_ERR);
	event_comes(IBV_EVENT_QP_ACCESS_ERR);
}

/* wrong: READ with an rkey that does not exist | REM_ACCESS_ERR; the peer receives
 * IBV_EVENT_QP_ACCESS_ERR | google/rdma-unit-test, async_event_test.cc: ReadRKeyViolation */
Test(remote_memory, read_with_unknown_rkey)
{
	wired();
	refused(IBV_WR_RDMA_READ, 0, r.dst_mr->rkey ^ 0x5a5500, IBV_WC_REM_ACCESS_ERR);
	event_comes(IBV_EVENT_QP_ACCESS_ERR);
}

/* wrong: FETCH_ADD with an rkey of another variant | REM_ACCESS_ERR | rdma-core,
 * test_atomic.py: test_atomic_invalid_rkey; openucx/ucx pull request 9771 (synd 0x13 vend
 * 0x88) */
Test(remote_memory, atomic_with_rkey_of_wrong_variant)
{
	wired();
	refused(IBV_WR_ATOMIC_FETCH_AND_ADD, 0, r.dst_mr->rkey + 1, IBV_WC_REM_ACCESS_ERR);
}

/* wrong: WRITE with an rkey whose MR was deregistered | REM_ACCESS_ERR |
 * google/rdma-unit-test, mr_test.cc */
Test(remote_memory, write_to_deregistered_mr)
{
	uint32_t rkey = r.dst_mr->rkey;

	wired();
	cr_assert_eq(ibv_dereg_mr(r.dst_mr), 0);
	refused(IBV_WR_RDMA_WRITE, 0, rkey, IBV_WC_REM_ACCESS_ERR);
}

/* wrong: WRITE with an rkey of another PD than the responder QP's | REM_ACCESS_ERR |
 * google/rdma-unit-test, pd_test.cc; InfiniBand specification, ch. 10: Protection domains */
Test(remote_memory, write_to_mr_of_another_pd)
{
	with.pd = ibv_alloc_pd(r.ctx);
	pair(with);
	refused(IBV_WR_RDMA_WRITE, 0, r.dst_mr->rkey, IBV_WC_REM_ACCESS_ERR);
}

/* wrong: WRITE that starts one byte before the MR | REM_ACCESS_ERR | google/rdma-unit-test,
 * buffer_test.cc */
Test(remote_memory, write_starts_before_the_mr)
{
	wired();
	refused(IBV_WR_RDMA_WRITE, -1, r.dst_mr->rkey, IBV_WC_REM_ACCESS_ERR);
}

/* wrong: WRITE that ends one byte after the MR | REM_ACCESS_ERR | google/rdma-unit-test,
 * buffer_test.cc */
Test(remote_memory, write_ends_after_the_mr)
{
	wired();
	refused(IBV_WR_RDMA_WRITE, LEN - 7, r.dst_mr->rkey, IBV_WC_REM_ACCESS_ERR);
}

/* wrong: READ that ends one byte after the MR | REM_ACCESS_ERR | google/rdma-unit-test,
 * buffer_test.cc */
Test(remote_memory, read_ends_after_the_mr)
{
	wired();
	refused(IBV_WR_RDMA_READ, LEN - 7, r.dst_mr->rkey, IBV_WC_REM_ACCESS_ERR);
}

/* wrong: WRITE of many packets of which only the last is outside of the MR | REM_ACCESS_ERR,
 * nothing written: the first packet says how long the message is | InfiniBand specification,
 * ch. 9: R_Key validation over the DMA length */
Test(remote_memory, long_write_is_checked_as_a_whole)
{
	wired();
	op_ends_in(IBV_WR_RDMA_WRITE, src_sge(0, LEN), 1, r.dst_mr->rkey,
		   IBV_WC_REM_ACCESS_ERR);
	cr_assert_eq(r.dst[1], 0xdd);
}

/* wrong: WRITE whose remote end wraps around 2^64 | REM_ACCESS_ERR | InfiniBand
 * specification, ch. 9: R_Key validation */
Test(remote_memory, write_wraps_the_address_space)
{
	struct ibv_sge sge = src_sge(0, 8);
	struct ibv_send_wr w = wr(IBV_WR_RDMA_WRITE, &sge, UINT64_MAX - 3, r.dst_mr->rkey);

	wired();
	wr_ends_in(&w, IBV_WC_REM_ACCESS_ERR);
}

/* wrong: WRITE to an MR without REMOTE_WRITE | REM_ACCESS_ERR | google/rdma-unit-test,
 * access_test.cc: MissingDstRemoteWrite; rdma-core, test_mr.py:
 * test_mr_rereg_access_bad_flow */
Test(remote_memory, write_to_mr_without_remote_write)
{
	wired();
	refused(IBV_WR_RDMA_WRITE, 0, rkey_with(ALL_RIGHTS & ~IBV_ACCESS_REMOTE_WRITE),
		IBV_WC_REM_ACCESS_ERR);
}

/* wrong: READ of an MR without REMOTE_READ | REM_ACCESS_ERR | InfiniBand specification, ch.
 * 11: Remote Access Error */
Test(remote_memory, read_of_mr_without_remote_read)
{
	wired();
	refused(IBV_WR_RDMA_READ, 0, rkey_with(ALL_RIGHTS & ~IBV_ACCESS_REMOTE_READ),
		IBV_WC_REM_ACCESS_ERR);
}

/* wrong: atomic on an MR without REMOTE_ATOMIC | REM_ACCESS_ERR | google/rdma-unit-test,
 * access_test.cc: MissingDstRemoteAtomic; rdma-core, test_mr.py: test_mr_rereg_atomic */
Test(remote_memory, atomic_on_mr_without_remote_atomic)
{
	wired();
	refused(IBV_WR_ATOMIC_FETCH_AND_ADD, 0,
		rkey_with(ALL_RIGHTS & ~IBV_ACCESS_REMOTE_ATOMIC), IBV_WC_REM_ACCESS_ERR);
}

/* wrong: WRITE with the rkey of the sender's own MR, which grants local rights only |
 * REM_ACCESS_ERR | InfiniBand specification, ch. 11: Remote Access Error */
Test(remote_memory, write_with_rkey_of_own_local_mr)
{
	struct ibv_sge sge = dst_sge(0, 8);
	struct ibv_send_wr w = wr(IBV_WR_RDMA_WRITE, &sge, (uintptr_t)r.src, r.src_mr->rkey);

	wired();
	wr_ends_in(&w, IBV_WC_REM_ACCESS_ERR);
	cr_assert_eq(r.src[0], 0x5a);
}

/* wrong: WRITE to a QP that does not let the peer write | REM_INV_REQ_ERR; the peer receives
 * IBV_EVENT_QP_REQ_ERR | InfiniBand specification, ch. 11: Remote Invalid Request Error;
 * rdmamojo.com, ibv_poll_cq: qp_access_flags of the remote QP */
Test(remote_memory, write_to_qp_without_remote_write)
{
	qp_with(ALL_RIGHTS & ~IBV_ACCESS_REMOTE_WRITE);
	refused(IBV_WR_RDMA_WRITE, 0, r.dst_mr->rkey, IBV_WC_REM_INV_REQ_ERR);
	event_comes(IBV_EVENT_QP_REQ_ERR);
}

/* wrong: READ from a QP that does not let the peer read | REM_INV_REQ_ERR | InfiniBand
 * specification, ch. 11: Remote Invalid Request Error; kernel, rxe_resp.c: check_op_valid */
Test(remote_memory, read_from_qp_without_remote_read)
{
	qp_with(ALL_RIGHTS & ~IBV_ACCESS_REMOTE_READ);
	refused(IBV_WR_RDMA_READ, 0, r.dst_mr->rkey, IBV_WC_REM_INV_REQ_ERR);
}

/* wrong: atomic on a QP that does not let the peer do atomics | REM_INV_REQ_ERR | InfiniBand
 * specification, ch. 11: Remote Invalid Request Error; rdma-core, test_atomic.py:
 * test_atomic_invalid_qp_access */
Test(remote_memory, atomic_on_qp_without_remote_atomic)
{
	qp_with(ALL_RIGHTS & ~IBV_ACCESS_REMOTE_ATOMIC);
	refused(IBV_WR_ATOMIC_FETCH_AND_ADD, 0, r.dst_mr->rkey, IBV_WC_REM_INV_REQ_ERR);
}

/* wrong: READ with a wrong rkey into a wrong lkey | REM_ACCESS_ERR: the rkey is looked at
 * first | google/rdma-unit-test, rc_test.cc: ReadInvalidRKeyAndInvalidLKey */
Test(remote_memory, read_with_both_keys_wrong)
{
	struct ibv_sge sge = src_sge(0, 8);

	sge.lkey ^= 0x5a5500;
	wired();
	op_ends_in(IBV_WR_RDMA_READ, sge, 0, r.dst_mr->rkey ^ 0x5a5500, IBV_WC_REM_ACCESS_ERR);
}

/* wrong: WRITE with a wrong rkey from a wrong lkey | LOC_PROT_ERR: the lkey is looked at
 * first | google/rdma-unit-test, rc_test.cc: WriteInvalidRKeyAndInvalidLKey */
Test(remote_memory, write_with_both_keys_wrong)
{
	struct ibv_sge sge = src_sge(0, 8);

	sge.lkey ^= 0x5a5500;
	wired();
	op_ends_in(IBV_WR_RDMA_WRITE, sge, 0, r.dst_mr->rkey ^ 0x5a5500, IBV_WC_LOC_PROT_ERR);
	cr_assert_eq(state_of(&r.b), IBV_QPS_RTS);
}

/* wrong: WRITE with immediate and a wrong rkey, a receive being posted | REM_ACCESS_ERR; the
 * peer's receive ends in LOC_ACCESS_ERR | google/rdma-unit-test, rc_test.cc:
 * WriteImmDataInvalidRKey; InfiniBand specification, ch. 11: Local Access Error */
Test(remote_memory, write_with_imm_and_unknown_rkey)
{
	wired();
	cr_assert_eq(post_recv(&r.b, dst_sge(0, 8)), 0);
	refused(IBV_WR_RDMA_WRITE_WITH_IMM, 0, r.dst_mr->rkey ^ 0x5a5500,
		IBV_WC_REM_ACCESS_ERR);
	ends_in(&r.b, IBV_WC_LOC_ACCESS_ERR);
}

/* wrong: WRITE of no bytes at all with a wrong rkey | success: what is empty is not checked |
 * kernel, rxe_resp.c: check_rkey; InfiniBand specification, ch. 9: R_Key validation */
Test(remote_memory, empty_write_with_unknown_rkey_is_fine)
{
	struct ibv_send_wr w =
		wr(IBV_WR_RDMA_WRITE, NULL, (uintptr_t)r.dst, r.dst_mr->rkey ^ 0x5a5500);

	wired();
	wr_ends_in(&w, IBV_WC_SUCCESS);
}

/* wrong: FETCH_ADD at an address that is no multiple of 8 | REM_INV_REQ_ERR |
 * google/rdma-unit-test, rc_test.cc: FetchAddUnaligned */
Test(remote_memory, atomic_at_unaligned_address)
{
	wired();
	refused(IBV_WR_ATOMIC_FETCH_AND_ADD, 4, r.dst_mr->rkey, IBV_WC_REM_INV_REQ_ERR);
}

/* wrong: CMP_SWAP at an unaligned address and with a wrong rkey | REM_INV_REQ_ERR: the
 * address is looked at first | google/rdma-unit-test, rc_test.cc:
 * CompareSwapUnalignedInvalidRKey */
Test(remote_memory, atomic_at_unaligned_address_with_unknown_rkey)
{
	wired();
	refused(IBV_WR_ATOMIC_CMP_AND_SWP, 1, r.dst_mr->rkey ^ 0x5a5500,
		IBV_WC_REM_INV_REQ_ERR);
}
