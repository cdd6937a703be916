/* SPDX-License-Identifier: BSD-2-Clause */
/* Device memory: the same bytes by work request and by ibv_memcpy_to_dm() and from it. */
#include "fixture.h"

enum { LEN = 8192 };

static struct ibv_dm *dm;
static struct ibv_mr *mr;

static void start(void)
{
	struct ibv_device_attr_ex attr;

	fixture_start();
	cr_assert_eq(ibv_query_device_ex(f.ctx, NULL, &attr), 0);
	if (attr.max_dm_size < LEN)
		cr_skip_test("the device has no memory to give");
	dm = ibv_alloc_dm(f.ctx, &(struct ibv_alloc_dm_attr){ .length = LEN });
	cr_assert_not_null(dm);
	mr = ibv_reg_dm_mr(f.pd, dm, 1024, LEN - 1024,
			   IBV_ACCESS_ZERO_BASED | IBV_ACCESS_LOCAL_WRITE |
				   IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
	cr_assert_not_null(mr);
}

static void stop(void)
{
	if (mr)
		cr_assert_eq(ibv_dereg_mr(mr), 0);
	if (dm)
		cr_assert_eq(ibv_free_dm(dm), 0);
	fixture_stop();
}

TestSuite(device_memory, .init = start, .fini = stop);

Test(device_memory, work_requests_count_from_the_regions_begin)
{
	struct ibv_sge from = src_sge(0, 4000), out = { 60, 4000, mr->lkey };
	uint8_t got[4000];

	cr_assert_eq(
		dv_sq_write(&f.a.sq, SIGNALLED, (struct dv_raddr){ 60, mr->rkey }, &from, 1),
		0);
	ring(&f.a);
	cr_assert_eq(ibv_memcpy_from_dm(got, dm, 1024 + 60, sizeof(got)), 0);
	cr_assert_arr_eq(got, f.src, sizeof(got));
	cr_assert_eq(dv_sq_write(&f.a.sq, SIGNALLED, dst_at(3), &out, 1), 0);
	ring(&f.a);
	cr_assert_arr_eq(f.dst + 3, f.src, 4000);
}

Test(device_memory, what_the_program_stores_is_sent)
{
	struct ibv_sge out = { 0, 512, mr->lkey };

	cr_assert_eq(ibv_memcpy_to_dm(dm, 1024, f.src + 77, 512), 0);
	cr_assert_eq(dv_sq_write(&f.a.sq, SIGNALLED, dst_at(0), &out, 1), 0);
	ring(&f.a);
	cr_assert_arr_eq(f.dst, f.src + 77, 512);
}

Test(device_memory, the_end_is_the_end)
{
	struct ibv_sge out = { LEN - 1024 - 63, 64, mr->lkey };
	struct mlx5_cqe64 cqe;

	sq_posted(&f.a.sq, dv_sq_write(&f.a.sq, SIGNALLED, dst_at(0), &out, 1));
	cqe = completion(&f.a);
	cr_assert_eq(dv_cqe_syndrome(&cqe), MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

Test(assumed, memic_comes_zeroed, .init = start, .fini = stop)
{
	uint8_t got[LEN];

	memset(got, 0xee, sizeof(got));
	cr_assert_eq(ibv_memcpy_to_dm(dm, 0, got, LEN), 0);
	cr_assert_eq(ibv_dereg_mr(mr), 0);
	mr = NULL;
	cr_assert_eq(ibv_free_dm(dm), 0);
	dm = ibv_alloc_dm(f.ctx, &(struct ibv_alloc_dm_attr){ .length = LEN });
	cr_assert_not_null(dm);
	cr_assert_eq(ibv_memcpy_from_dm(got, dm, 0, LEN), 0);
	for (int i = 0; i < LEN; i++)
		cr_assert_eq(got[i], 0);
}
