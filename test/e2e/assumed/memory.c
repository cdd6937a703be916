/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assumptions of the emulator about device memory and of on-demand regions, in the form that
 * asks an adapter: see completions.c.
 */
#include <sys/mman.h>
#include "lib/qp_traffic.h"

#define GIB	  (1ul << 30)
#define ON_DEMAND (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_ON_DEMAND)
#define LETTERS	  "no other QP may read it" /* 24 bytes: whole words, as libmlx5 wants them */

static uint64_t device_memory(void)
{
	struct ibv_device_attr_ex attr;

	cr_assert_eq(ibv_query_device_ex(r.ctx, NULL, &attr), 0);
	return attr.max_dm_size;
}

/* More than half of the device's memory, so that two of them in a row overlap. */
static struct ibv_dm *most_of_it(size_t *len)
{
	struct ibv_alloc_dm_attr attr = { 0 };
	size_t all = device_memory();
	struct ibv_dm *dm = NULL;

	for (attr.length = all & ~(size_t)63; !dm && attr.length > all / 2; attr.length -= 64)
		dm = ibv_alloc_dm(r.ctx, &attr);
	*len = attr.length + 64;
	return dm;
}

Test(assumed, memic_comes_zeroed)
{
	char found[sizeof(LETTERS)];
	struct ibv_dm *dm;
	size_t len, at;

	if (!device_memory())
		cr_skip_test("no device memory");
	dm = most_of_it(&len);
	if (!dm)
		cr_skip_test("others hold half of the device memory");
	for (at = 0; at + sizeof(found) <= len; at += 64)
		cr_assert_eq(ibv_memcpy_to_dm(dm, at, LETTERS, sizeof(found)), 0);
	cr_assert_eq(ibv_free_dm(dm), 0);
	dm = most_of_it(&len);
	cr_assert_not_null(dm);
	for (at = 0; at + sizeof(found) <= len; at += 64) {
		cr_assert_eq(ibv_memcpy_from_dm(found, dm, at, sizeof(found)), 0);
		cr_assert_neq(memcmp(found, LETTERS, 8), 0, "they are there, at %zu", at);
	}
	cr_assert_eq(ibv_free_dm(dm), 0);
}

/* Two pages, the second of which starts at a multiple of 1 GiB (kernel, odp.c: mlx5_ib makes
 * implicit regions of parts whose sizes are powers of two, at most that large). */
static uint8_t *memory_across(void)
{
	size_t len = 2 * GIB;
	uint8_t *mem = mmap(NULL, len, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uintptr_t edge = ((uintptr_t)mem + GIB) & ~(GIB - 1);

	cr_assert_neq(mem, MAP_FAILED);
	return (uint8_t *)edge - PAGE;
}

static void needs_odp(uint64_t what)
{
	struct ibv_device_attr_ex attr;

	cr_assert_eq(ibv_query_device_ex(r.ctx, NULL, &attr), 0);
	if ((attr.odp_caps.general_caps & what) != what)
		cr_skip_test("no such on-demand paging");
}

Test(assumed, implicit_odp_looks_like_one_region)
{
	struct ibv_send_wr w;
	struct ibv_mr *mr;
	struct ibv_sge sge;
	uint8_t *mem;

	needs_odp(IBV_ODP_SUPPORT | IBV_ODP_SUPPORT_IMPLICIT);
	mr = ibv_reg_mr(r.pd, NULL, SIZE_MAX, ON_DEMAND);
	cr_assert_not_null(mr);
	mem = memory_across();
	memset(mem, 0xa5, (size_t)2 * PAGE);
	wired();
	sge = (struct ibv_sge){ (uintptr_t)mem, 2 * PAGE, mr->lkey };
	op_ends_in(IBV_WR_RDMA_WRITE, sge, 0, r.dst_mr->rkey, IBV_WC_SUCCESS);
	cr_assert_eq(memcmp(r.dst, mem, (size_t)2 * PAGE), 0,
		     "not gathered across the boundary");
	sge = src_sge(0, 2 * PAGE);
	w = wr(IBV_WR_RDMA_WRITE, &sge, (uintptr_t)mem, mr->rkey);
	wr_ends_in(&w, IBV_WC_SUCCESS);
	cr_assert_eq(memcmp(r.src, mem, (size_t)2 * PAGE), 0,
		     "not written across the boundary");
}

Test(assumed, failed_page_fault_is_a_protection_error)
{
	uint8_t *mem =
		mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ibv_send_wr w;
	struct ibv_sge sge;
	struct ibv_mr *mr;

	needs_odp(IBV_ODP_SUPPORT);
	cr_assert_neq(mem, MAP_FAILED);
	mr = ibv_reg_mr(r.pd, mem, PAGE, ON_DEMAND);
	cr_assert_not_null(mr);
	/* Still mapped, so that nothing else comes to lie there. */
	cr_assert_eq(mprotect(mem, PAGE, PROT_NONE), 0);
	wired();
	sge = (struct ibv_sge){ (uintptr_t)mem, 100, mr->lkey };
	op_ends_in(IBV_WR_RDMA_WRITE, sge, 0, r.dst_mr->rkey, IBV_WC_LOC_PROT_ERR);
	unpair();
	wired();
	sge = src_sge(0, 100);
	w = wr(IBV_WR_RDMA_WRITE, &sge, (uintptr_t)mem, mr->rkey);
	wr_ends_in(&w, IBV_WC_REM_ACCESS_ERR);
}
