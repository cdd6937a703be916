/* SPDX-License-Identifier: BSD-2-Clause */
/* Local keys and bounds: what a send gathers, what a receive or a READ scatters. */
#include <sys/mman.h>
#include "lib/qp_traffic.h"

TestSuite(local_memory, .init = rig_start, .fini = rig_stop);

static struct ibv_sge of_unknown_key(struct ibv_sge sge)
{
	sge.lkey ^= 0x5a5500;
	return sge;
}

/* @sge by an MR of @pd over all of @base, with the rights @access. */
static struct ibv_sge by_mr(struct ibv_sge sge, struct ibv_pd *pd, void *base, int access)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, base, LEN, access);

	cr_assert_not_null(mr);
	sge.lkey = mr->lkey;
	return sge;
}

/* The SEND of @sge ends in LOC_PROT_ERR and takes the QP to ERR; the peer receives nothing. */
static void send_is_refused(struct ibv_sge sge)
{
	wired();
	cr_assert_eq(post_recv(&r.b, dst_sge(0, LEN)), 0);
	op_ends_in(IBV_WR_SEND, sge, 0, 0, IBV_WC_LOC_PROT_ERR);
	cr_assert_eq(state_of(&r.a), IBV_QPS_ERR);
	cr_assert_eq(state_of(&r.b), IBV_QPS_RTS);
	stays_quiet(&r.b, 5);
}

/* A SEND of 100 bytes into receive @sge: both ends learn that the receiver is to blame. */
static void receive_is_refused(struct ibv_sge sge)
{
	wired();
	cr_assert_eq(post_recv(&r.b, sge), 0);
	op_ends_in(IBV_WR_SEND, src_sge(0, 100), 0, 0, IBV_WC_REM_OP_ERR);
	ends_in(&r.b, IBV_WC_LOC_PROT_ERR);
	cr_assert_eq(state_of(&r.a), IBV_QPS_ERR);
	cr_assert_eq(state_of(&r.b), IBV_QPS_ERR);
	cr_assert_eq(r.dst[0], 0xdd);
}

static void read_is_refused(struct ibv_sge sge)
{
	wired();
	op_ends_in(IBV_WR_RDMA_READ, sge, 0, r.dst_mr->rkey, IBV_WC_LOC_PROT_ERR);
	cr_assert_eq(r.src[0], 0x5a);
}

/* wrong: SEND from an lkey that does not exist | LOC_PROT_ERR, QP in ERR, peer still in RTS
 * | google/rdma-unit-test, rc_test.cc: SendInvalidLkey, FlushErrorPollTogether */
Test(local_memory, send_from_unknown_lkey)
{
	send_is_refused(of_unknown_key(src_sge(0, 100)));
}

/* wrong: SEND from an lkey with another variant (low byte) than the MR's | LOC_PROT_ERR |
 * kernel, mlx5_core mr.c: the variant is part of the key; rdma-core, test_atomic.py:
 * test_atomic_invalid_lkey */
Test(local_memory, send_from_lkey_with_wrong_variant)
{
	struct ibv_sge sge = src_sge(0, 100);

	sge.lkey++;
	send_is_refused(sge);
}

/* wrong: SEND from an lkey whose MR was deregistered just before | LOC_PROT_ERR |
 * google/rdma-unit-test, mr_test.cc; InfiniBand specification, ch. 10, Deregistering memory:
 * the key is destroyed when the verb returns */
Test(local_memory, send_from_deregistered_mr)
{
	struct ibv_sge sge = src_sge(0, 100);

	cr_assert_eq(ibv_dereg_mr(r.src_mr), 0);
	send_is_refused(sge);
}

/* wrong: SEND from an MR of another PD | LOC_PROT_ERR | google/rdma-unit-test, pd_test.cc;
 * InfiniBand specification, ch. 10: Protection domains */
Test(local_memory, send_from_mr_of_another_pd)
{
	send_is_refused(
		by_mr(src_sge(0, 100), ibv_alloc_pd(r.ctx), r.src, IBV_ACCESS_LOCAL_WRITE));
}

/* wrong: SGE starts one byte before the MR | LOC_PROT_ERR | InfiniBand specification, ch. 11:
 * Local Protection Error */
Test(local_memory, sge_starts_before_the_mr)
{
	send_is_refused(src_sge(-1, 100));
}

/* wrong: SGE ends one byte after the MR | LOC_PROT_ERR | InfiniBand specification, ch. 11:
 * Local Protection Error */
Test(local_memory, sge_ends_one_byte_after_the_mr)
{
	send_is_refused(src_sge(LEN - 99, 100));
}

/* wrong: SGE starts after the MR | LOC_PROT_ERR | InfiniBand specification, ch. 11: Local
 * Protection Error */
Test(local_memory, sge_starts_after_the_mr)
{
	send_is_refused(src_sge(LEN, 1));
}

/* wrong: SGE whose end wraps around 2^64 | LOC_PROT_ERR | InfiniBand specification, ch. 11:
 * Local Protection Error */
Test(local_memory, sge_wraps_the_address_space)
{
	struct ibv_sge sge = src_sge(0, 100);

	sge.addr = UINT64_MAX - 49;
	send_is_refused(sge);
}

/* wrong: the second of two SGEs has a wrong lkey | LOC_PROT_ERR; nothing arrives | InfiniBand
 * specification, ch. 11: Local Protection Error */
Test(local_memory, second_sge_has_unknown_lkey)
{
	struct ibv_sge sges[2] = { src_sge(0, 100), src_sge(100, 100) };
	struct ibv_send_wr w = wr(IBV_WR_RDMA_WRITE, sges, (uintptr_t)r.dst, r.dst_mr->rkey);

	sges[1].lkey ^= 0x5a5500;
	w.num_sge = 2;
	wired();
	wr_ends_in(&w, IBV_WC_LOC_PROT_ERR);
	cr_assert_eq(r.dst[0], 0xdd);
}

/* wrong: receive into an lkey that does not exist | receiver LOC_PROT_ERR, sender REM_OP_ERR
 * | google/rdma-unit-test, rc_test.cc: BadRecvLkey */
Test(local_memory, receive_into_unknown_lkey)
{
	receive_is_refused(of_unknown_key(dst_sge(0, 100)));
}

/* wrong: receive that starts before its MR | receiver LOC_PROT_ERR, sender REM_OP_ERR |
 * google/rdma-unit-test, rc_test.cc: BadRecvAddr */
Test(local_memory, receive_before_the_mr)
{
	receive_is_refused(dst_sge(-1, 100));
}

/* wrong: the message reaches beyond the MR of the receive | receiver LOC_PROT_ERR, sender
 * REM_OP_ERR | google/rdma-unit-test, rc_test.cc: RecvPayloadExceedMr */
Test(local_memory, message_reaches_beyond_the_mr)
{
	receive_is_refused(dst_sge(LEN - 99, 100));
}

/* wrong: receive whose buffer reaches beyond its MR, while the message does not | success at
 * both ends | google/rdma-unit-test, rc_test.cc, RecvBufferExceedMr: so on Mellanox adapters */
Test(local_memory, receive_beyond_the_mr_is_fine_if_the_message_is_not)
{
	wired();
	cr_assert_eq(post_recv(&r.b, dst_sge(LEN - 100, 200)), 0);
	op_ends_in(IBV_WR_SEND, src_sge(0, 100), 0, 0, IBV_WC_SUCCESS);
	ends_in(&r.b, IBV_WC_SUCCESS);
	cr_assert_eq(r.dst[LEN - 1], 0x5a);
	cr_assert_eq(r.dst[LEN], 0xdd);
}

/* wrong: receive into an MR that was deregistered after the receive was posted | receiver
 * LOC_PROT_ERR, sender REM_OP_ERR, both QPs in ERR | google/rdma-unit-test, rc_test.cc:
 * RecvOnDeregisteredRegion */
Test(local_memory, receive_into_deregistered_mr)
{
	wired();
	cr_assert_eq(post_recv(&r.b, dst_sge(0, 100)), 0);
	cr_assert_eq(ibv_dereg_mr(r.dst_mr), 0);
	op_ends_in(IBV_WR_SEND, src_sge(0, 100), 0, 0, IBV_WC_REM_OP_ERR);
	ends_in(&r.b, IBV_WC_LOC_PROT_ERR);
	cr_assert_eq(r.dst[0], 0xdd);
}

/* wrong: receive into an MR without LOCAL_WRITE | receiver LOC_PROT_ERR, sender REM_OP_ERR |
 * google/rdma-unit-test, access_test.cc */
Test(local_memory, receive_into_read_only_mr)
{
	receive_is_refused(by_mr(dst_sge(0, 100), r.pd, r.dst, 0));
}

/* wrong: receive into an MR of another PD than the QP's | receiver LOC_PROT_ERR, sender
 * REM_OP_ERR | google/rdma-unit-test, pd_test.cc; rdma-core, test_mr.py: test_mr_rereg_pd */
Test(local_memory, receive_into_mr_of_another_pd)
{
	receive_is_refused(
		by_mr(dst_sge(0, 100), ibv_alloc_pd(r.ctx), r.dst, IBV_ACCESS_LOCAL_WRITE));
}

/* wrong: READ into an MR without LOCAL_WRITE | LOC_PROT_ERR | google/rdma-unit-test,
 * access_test.cc: MissingSrcLocalWrite */
Test(local_memory, read_into_read_only_mr)
{
	read_is_refused(by_mr(src_sge(0, 100), r.pd, r.src, IBV_ACCESS_REMOTE_READ));
}

/* wrong: READ into an lkey that does not exist | LOC_PROT_ERR | google/rdma-unit-test,
 * rc_test.cc: ReadInvalidLkey */
Test(local_memory, read_into_unknown_lkey)
{
	read_is_refused(of_unknown_key(src_sge(0, 100)));
}

/* wrong: FETCH_ADD into an lkey that does not exist | LOC_PROT_ERR, but the peer's number
 * was added to: the lkey is looked at when the answer is there | google/rdma-unit-test,
 * rc_test.cc: CompareSwapInvalidLKey */
Test(local_memory, atomic_into_unknown_lkey_is_done_all_the_same)
{
	wired();
	op_ends_in(IBV_WR_ATOMIC_FETCH_AND_ADD, of_unknown_key(src_sge(0, 8)), 0,
		   r.dst_mr->rkey, IBV_WC_LOC_PROT_ERR);
	cr_assert_eq(r.dst[0], 0xde);
	cr_assert_eq(r.src[0], 0x5a);
}

/* wrong: SEND from pages that were unmapped | success: the device has the pages still | kernel,
 * umem.c: ib_umem_get pins the pages until the MR goes */
Test(local_memory, send_from_unmapped_pages)
{
	wired();
	cr_assert_eq(post_recv(&r.b, dst_sge(0, LEN)), 0);
	munmap(r.src, LEN);
	op_ends_in(IBV_WR_SEND, src_sge(0, 100), 0, 0, IBV_WC_SUCCESS);
	ends_in(&r.b, IBV_WC_SUCCESS);
	cr_assert_eq(r.dst[99], 0x5a);
}

/* wrong: receive into pages that were unmapped | success at both ends: the device has the pages
 * still | kernel, umem.c: ib_umem_get pins the pages until the MR goes */
Test(local_memory, receive_into_unmapped_pages)
{
	wired();
	cr_assert_eq(post_recv(&r.b, dst_sge(0, LEN)), 0);
	munmap(r.dst, LEN);
	op_ends_in(IBV_WR_SEND, src_sge(0, 100), 0, 0, IBV_WC_SUCCESS);
	ends_in(&r.b, IBV_WC_SUCCESS);
}

/* wrong: READ of pages that the peer has unmapped | success: what was there before | kernel,
 * umem.c: ib_umem_get pins the pages until the MR goes */
Test(local_memory, read_from_unmapped_pages)
{
	wired();
	munmap(r.dst, LEN);
	op_ends_in(IBV_WR_RDMA_READ, src_sge(0, 100), 0, r.dst_mr->rkey, IBV_WC_SUCCESS);
	cr_assert_eq(r.src[99], 0xdd);
}

/* wrong: WRITE to pages that the peer has unmapped, and to whose address it mapped others |
 * success, and the new pages are as they were | kernel, umem.c: ib_umem_get pins the pages
 * until the MR goes */
Test(local_memory, write_to_unmapped_pages)
{
	wired();
	munmap(r.dst, LEN);
	cr_assert_eq(mmap(r.dst, LEN, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
		     r.dst);
	op_ends_in(IBV_WR_RDMA_WRITE, src_sge(0, 100), 0, r.dst_mr->rkey, IBV_WC_SUCCESS);
	cr_assert_eq(r.dst[0], 0);
}
