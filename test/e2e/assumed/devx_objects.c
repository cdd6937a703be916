/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the emulator assumes of objects that firmware commands make, in the form that asks an
 * adapter: see completions.c. Here are those that verbs never make wrongly: the kernel checks
 * first. DevX makes them without it.
 *
 *	command without a mistake -> OK; else nothing can be decided
 *	the same with one         -> the status that is assumed
 */
#include <sys/mman.h>
#include <prm/prm.h>
#include "e2e/wrong/traffic.h"

enum { PAGES = 64, OCTWORDS = PAGES / 2 };

static struct mlx5dv_devx_umem *umem;

static void needs_umem(void)
{
	void *mem = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq(mem, MAP_FAILED);
	umem = mlx5dv_devx_umem_reg(r.ctx, mem, (size_t)PAGES * PAGE, IBV_ACCESS_LOCAL_WRITE);
	if (!umem)
		cr_skip_test("no DevX objects: %s", strerror(errno));
}

/* CREATE_MKEY of the umem in @pdn, with @octwords of translation entries; the status. */
static uint8_t create_mkey(uint32_t pdn, uint32_t octwords, struct mlx5dv_devx_obj **obj)
{
	uint8_t in[PRM_SZ(create_mkey_in)] = { 0 }, out[PRM_SZ(create_mkey_out)] = { 0 };
	uint8_t *mkc = PRM_ADDR(create_mkey_in, in, memory_key_mkey_entry);

	PRM_SET(create_mkey_in, in, opcode, PRM_OP_CREATE_MKEY);
	PRM_SET(create_mkey_in, in, mkey_umem_valid, 1);
	PRM_SET(create_mkey_in, in, mkey_umem_id, umem->umem_id);
	PRM_SET(create_mkey_in, in, translations_octword_actual_size, octwords);
	PRM_SET(mkc, mkc, access_mode_1_0, PRM_MKC_ACCESS_MODE_MTT);
	PRM_SET(mkc, mkc, lr, 1);
	PRM_SET(mkc, mkc, lw, 1);
	PRM_SET(mkc, mkc, qpn, 0xffffff);
	PRM_SET(mkc, mkc, pd, pdn);
	PRM_SET(mkc, mkc, len, (uint64_t)PAGES * PAGE);
	PRM_SET(mkc, mkc, translations_octword_size, octwords);
	PRM_SET(mkc, mkc, log_page_size, 12);
	*obj = mlx5dv_devx_obj_create(r.ctx, in, sizeof(in), out, sizeof(out));
	if (!*obj && !out[0])
		cr_skip_test("no DevX objects: %s", strerror(errno));
	return out[0];
}

/* Without a mistake there has to be an mkey, or nothing can be told of one with it. */
static struct mlx5dv_devx_obj *good_mkey(uint32_t pdn)
{
	struct mlx5dv_devx_obj *obj;
	uint8_t status = create_mkey(pdn, OCTWORDS, &obj);

	if (status != PRM_STATUS_OK)
		cr_skip_test("the command without a mistake ends in status 0x%x", status);
	return obj;
}

static struct mlx5dv_devx_obj *new_pd(uint32_t *pdn)
{
	uint8_t in[PRM_SZ(alloc_pd_in)] = { 0 }, out[PRM_SZ(alloc_pd_out)] = { 0 };
	struct mlx5dv_devx_obj *obj;

	PRM_SET(alloc_pd_in, in, opcode, PRM_OP_ALLOC_PD);
	obj = mlx5dv_devx_obj_create(r.ctx, in, sizeof(in), out, sizeof(out));
	if (!obj)
		cr_skip_test("no DevX objects: %s", strerror(errno));
	*pdn = PRM_GET(alloc_pd_out, out, pd);
	return obj;
}

Test(assumed, mkey_octwords_must_cover)
{
	struct mlx5dv_devx_obj *obj;
	uint32_t pdn;

	needs_umem();
	new_pd(&pdn);
	good_mkey(pdn);
	cr_assert_eq(create_mkey(pdn, OCTWORDS / 4, &obj), PRM_STATUS_BAD_PARAM);
}

Test(assumed, missing_or_foreign_object_is_bad_res)
{
	struct mlx5dv_devx_obj *obj;
	uint32_t pdn;

	needs_umem();
	new_pd(&pdn);
	good_mkey(pdn);
	cr_expect_eq(create_mkey(0xfffff0, OCTWORDS, &obj), PRM_STATUS_BAD_RES, "no such PD");
	cr_expect_eq(create_mkey(0, OCTWORDS, &obj), PRM_STATUS_BAD_RES,
		     "PD 0, which is not ours");
}

/* The kernel turns the status RES_BUSY into EBUSY: mlx5_core, cmd.c, cmd_status_to_err. */
Test(assumed, res_busy_while_referenced)
{
	struct mlx5dv_devx_obj *pd, *mkey;
	uint32_t pdn;

	needs_umem();
	pd = new_pd(&pdn);
	mkey = good_mkey(pdn);
	cr_expect_eq(mlx5dv_devx_obj_destroy(pd), EBUSY);
	cr_assert_eq(mlx5dv_devx_obj_destroy(mkey), 0);
	cr_assert_eq(mlx5dv_devx_obj_destroy(pd), 0);
}
