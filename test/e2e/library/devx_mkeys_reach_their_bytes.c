/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory keys made by command: what a WRITE through them moves. */
#include <devx/caps.h>
#include <devx/mkey.h>
#include <devx/pd.h>
#include <devx/umem.h>

#include "fixture.h"

enum { PIECE = 4096 };

static struct devx_umem umem;
static struct devx_mkey_attr attr;
static struct devx_mkey mkey;

static void start(void)
{
	fixture_start();
	cr_assert_eq(devx_pdn_query(&attr.pdn, f.pd), 0);
	if (devx_umem_reg(&umem, f.ctx, f.src, SIZE, IBV_ACCESS_LOCAL_WRITE))
		cr_skip_test("no DevX");
	attr.access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
	attr.umem_id = umem.id;
}

static void stop(void)
{
	cr_assert_eq(devx_mkey_destroy(&mkey), 0);
	cr_assert_eq(devx_umem_dereg(&umem), 0);
	fixture_stop();
}

TestSuite(devx_keys, .init = start, .fini = stop);

/* From @key to the beginning of dst. */
static struct mlx5_cqe64 write_from(uint64_t addr, uint32_t len)
{
	struct ibv_sge from = { addr, len, mkey.key };

	sq_posted(&f.a.sq, dv_sq_write(&f.a.sq, SIGNALLED, dst_at(0), &from, 1));
	return completion(&f.a);
}

static void moves(uint64_t addr, uint32_t len)
{
	struct mlx5_cqe64 cqe = write_from(addr, len);

	cr_assert_eq(dv_cqe_opcode(&cqe), MLX5_CQE_REQ, "%s",
		     dv_syndrome_str(dv_cqe_syndrome(&cqe)));
}

Test(devx_keys, over_a_umem)
{
	attr.start_addr = (uintptr_t)f.src;
	attr.len = SIZE;
	attr.tag = 0x42;
	cr_assert_eq(devx_mkey_create(&mkey, f.ctx, &attr), 0);
	cr_assert_eq(mkey.key, mkey.obj.id << 8 | 0x42);
	moves((uintptr_t)f.src + 77, 100000);
	cr_assert_arr_eq(f.dst, f.src + 77, 100000);
}

Test(devx_keys, over_the_end_of_a_umem_with_other_addresses)
{
	attr.umem_offset = SIZE / 2;
	attr.start_addr = 1ull << 40;
	attr.len = SIZE / 2;
	cr_assert_eq(devx_mkey_create(&mkey, f.ctx, &attr), 0);
	moves(1ull << 40, SIZE / 2);
	cr_assert_arr_eq(f.dst, f.src + SIZE / 2, SIZE / 2);
}

Test(devx_keys, end_where_they_were_made_to)
{
	attr.start_addr = (uintptr_t)f.src;
	attr.len = PIECE;
	cr_assert_eq(devx_mkey_create(&mkey, f.ctx, &attr), 0);

	struct mlx5_cqe64 cqe = write_from(attr.start_addr + 1, PIECE);

	cr_assert_eq(dv_cqe_syndrome(&cqe), MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

/* A READ writes locally: the key has to allow it, whatever the umem does. */
Test(devx_keys, allow_what_they_were_made_to)
{
	struct ibv_sge into = { (uintptr_t)f.src, 8, 0 };

	attr.access = 0;
	attr.start_addr = (uintptr_t)f.src;
	attr.len = SIZE;
	cr_assert_eq(devx_mkey_create(&mkey, f.ctx, &attr), 0);
	into.lkey = mkey.key;
	sq_posted(&f.a.sq, dv_sq_read(&f.a.sq, SIGNALLED, dst_at(0), &into, 1));

	struct mlx5_cqe64 cqe = completion(&f.a);

	cr_assert_eq(dv_cqe_syndrome(&cqe), MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

Test(devx_keys, string_pieces_of_any_length_together)
{
	struct devx_mkey_entry entry[] = {
		{ f.mr->lkey, 3, (uintptr_t)f.src + 100 },
		{ f.mr->lkey, 9000, (uintptr_t)f.src + 5 },
		{ f.mr->lkey, 77, (uintptr_t)f.src + 70000 },
	};

	attr.start_addr = 0x1000;
	cr_assert_eq(devx_mkey_create_klm(&mkey, f.ctx, &attr, entry, 3), 0);
	moves(0x1000, 3 + 9000 + 77);
	cr_assert_arr_eq(f.dst, f.src + 100, 3);
	cr_assert_arr_eq(f.dst + 3, f.src + 5, 9000);
	cr_assert_arr_eq(f.dst + 3 + 9000, f.src + 70000, 77);
}

Test(devx_keys, string_pieces_of_one_length_together)
{
	uint8_t caps[DEVX_CAPS_BYTES];
	struct devx_mkey_entry entry[5];

	cr_assert_eq(devx_caps_query(caps, f.ctx, PRM_CAP_GENERAL, PRM_CAP_CUR), 0);
	if (!DEVX_CAP(GENERAL, caps, fixed_buffer_size))
		cr_skip_test("no KSM");
	for (size_t i = 0; i < 5; i++)
		entry[i] =
			(struct devx_mkey_entry){ .key = f.mr->lkey,
						  .addr = (uintptr_t)f.src + (4 - i) * PIECE };
	attr.start_addr = 0;
	attr.log_entity_size = 12;
	cr_assert_eq(devx_mkey_create_ksm(&mkey, f.ctx, &attr, entry, 5), 0);
	moves(PIECE - 10, 20);
	cr_assert_arr_eq(f.dst, f.src + 5 * PIECE - 10, 10);
	cr_assert_arr_eq(f.dst + 10, f.src + 3 * PIECE, 10);
}

Test(devx_keys, say_what_they_are)
{
	uint8_t mkc[64];

	attr.start_addr = (uintptr_t)f.src;
	attr.len = SIZE;
	attr.tag = 0x17;
	cr_assert_eq(devx_mkey_create(&mkey, f.ctx, &attr), 0);
	cr_assert_eq(devx_mkey_query(&mkey, mkc), 0);
	cr_assert_eq(PRM_GET(mkc, mkc, pd), attr.pdn);
	cr_assert_eq(PRM_GET(mkc, mkc, len), SIZE);
	cr_assert_eq(PRM_GET(mkc, mkc, start_addr), (uintptr_t)f.src);
	cr_assert_eq(PRM_GET(mkc, mkc, mkey_7_0), 0x17);
	cr_assert_eq(PRM_GET(mkc, mkc, rw), 1);
	cr_assert_eq(PRM_GET(mkc, mkc, rr), 0);
	cr_assert_eq(PRM_GET(mkc, mkc, access_mode_1_0), PRM_MKC_ACCESS_MODE_MTT);
}
