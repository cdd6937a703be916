/* SPDX-License-Identifier: BSD-2-Clause */
/* Regions on demand: pages come when they are used; what is not there is an error, not a
 * crash. */
#include <sys/mman.h>

#include "fixture.h"

enum { PAGE = 4096, LEN = 16 * PAGE };

static uint8_t *area;
static struct ibv_mr *mr;

static bool supported(bool implicit)
{
	struct ibv_device_attr_ex attr;

	cr_assert_eq(ibv_query_device_ex(f.ctx, NULL, &attr), 0);
	return attr.odp_caps.per_transport_caps.rc_odp_caps & IBV_ODP_SUPPORT_SEND &&
	       (!implicit || attr.odp_caps.general_caps & IBV_ODP_SUPPORT_IMPLICIT);
}

static void map_fresh(void)
{
	cr_assert_eq(mmap(area, LEN, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
		     area);
}

static void start(void)
{
	fixture_start();
	area = mmap(NULL, LEN, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(area, MAP_FAILED);
}

static void stop(void)
{
	if (mr)
		cr_assert_eq(ibv_dereg_mr(mr), 0);
	munmap(area, LEN);
	fixture_stop();
}

TestSuite(on_demand, .init = start, .fini = stop);

static void register_it(bool implicit)
{
	if (!supported(implicit))
		cr_skip_test("the device has no such on-demand paging");
	mr = ibv_reg_mr(f.pd, implicit ? NULL : area, implicit ? SIZE_MAX : LEN,
			IBV_ACCESS_ON_DEMAND | IBV_ACCESS_LOCAL_WRITE |
				IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
	cr_assert_not_null(mr);
}

/* src -> area -> dst, both by WRITE: remote access, then local. */
static void there_and_back(uint32_t offset, uint32_t len)
{
	struct ibv_sge from = src_sge(0, len);
	struct ibv_sge back = { (uintptr_t)area + offset, len, mr->lkey };
	struct dv_raddr at = { (uintptr_t)area + offset, mr->rkey };

	cr_assert_eq(dv_sq_write(&f.a.sq, SIGNALLED, at, &from, 1), 0);
	ring(&f.a);
	cr_assert_arr_eq(area + offset, f.src, len);
	cr_assert_eq(dv_sq_write(&f.a.sq, SIGNALLED, dst_at(0), &back, 1), 0);
	ring(&f.a);
	cr_assert_arr_eq(f.dst, f.src, len);
}

Test(on_demand, mapped_after_registration)
{
	register_it(false);
	map_fresh();
	there_and_back(100, 3 * PAGE);
}

/* mlx5_ib makes an implicit region of parts of 1 GiB (odp.c, MLX5_IMR_MTT_SIZE): LEN bytes
 * around a boundary of two. */
Test(assumed, implicit_odp_looks_like_one_region, .init = start, .fini = stop)
{
	const size_t part = 1ul << 30;
	uint8_t *wide = mmap(NULL, 2 * part, PROT_NONE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint8_t *mine = area;

	register_it(true);
	cr_assert_neq(wide, MAP_FAILED);
	area = (uint8_t *)(((uintptr_t)wide + part) & ~(part - 1));
	if (area - wide < LEN)
		area += part;
	area -= LEN / 2;
	map_fresh();
	there_and_back(LEN / 2 - 4500, 9000);
	munmap(wide, 2 * part);
	area = mine;
}

Test(on_demand, pages_may_be_replaced)
{
	register_it(false);
	map_fresh();
	there_and_back(0, LEN);
	map_fresh();
	there_and_back(0, LEN);
}

static void fails(struct end *e, struct ibv_sge from, struct dv_raddr to, uint8_t syndrome)
{
	struct mlx5_cqe64 cqe;

	sq_posted(&e->sq, dv_sq_write(&e->sq, SIGNALLED, to, &from, 1));
	cqe = completion(e);
	cr_assert_eq(dv_cqe_opcode(&cqe), MLX5_CQE_REQ_ERR);
	cr_assert_eq(dv_cqe_syndrome(&cqe), syndrome);
}

Test(assumed, failed_page_fault_is_a_protection_error, .init = start, .fini = stop)
{
	struct end c, d;

	register_it(false);
	fixture_connect(&c, &d);
	fails(&f.a, (struct ibv_sge){ (uintptr_t)area, 64, mr->lkey }, dst_at(0),
	      MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	cr_assert_eq(f.dst[0], 0xdd);
	fails(&c, src_sge(0, 64), (struct dv_raddr){ (uintptr_t)area, mr->rkey },
	      MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	fixture_destroy(&c);
	fixture_destroy(&d);
}
