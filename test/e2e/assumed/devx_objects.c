/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assumptions of the emulator about objects that firmware commands make, in the form that asks
 * an adapter: see completions.c. Here are those that verbs never make wrongly: the kernel
 * checks first. DevX makes them without it.
 *
 *	command without a mistake -> OK; else nothing can be decided
 *	the same with one         -> the status that is assumed
 */
#include <sys/mman.h>
#include <prm/prm.h>
#include "lib/qp_traffic.h"

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

/* Sends @in, which creates something; the status. */
static uint8_t create(const uint8_t *in, size_t in_len, struct mlx5dv_devx_obj **obj)
{
	uint8_t out[16] = { 0 };

	*obj = mlx5dv_devx_obj_create(r.ctx, in, in_len, out, sizeof(out));
	if (!*obj && !out[0])
		cr_skip_test("no DevX objects: %s", strerror(errno));
	return out[0];
}

/* CREATE_MKEY of @len bytes of the umem in @pdn, with @octwords of translation entries. */
static uint8_t create_part(uint32_t pdn, uint32_t octwords, uint64_t len,
			   struct mlx5dv_devx_obj **obj)
{
	uint8_t in[PRM_SZ(create_mkey_in)] = { 0 };
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
	PRM_SET(mkc, mkc, len, len);
	PRM_SET(mkc, mkc, translations_octword_size, octwords);
	PRM_SET(mkc, mkc, log_page_size, 12);
	return create(in, sizeof(in), obj);
}

static uint8_t create_mkey(uint32_t pdn, uint32_t octwords, struct mlx5dv_devx_obj **obj)
{
	return create_part(pdn, octwords, (uint64_t)PAGES * PAGE, obj);
}

/* Without a mistake the mkey is created, or the test with the mistake shows nothing. */
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

Test(assumed, umem_mkey_counts_are_not_read)
{
	struct mlx5dv_devx_obj *obj;
	uint32_t pdn;

	needs_umem();
	new_pd(&pdn);
	good_mkey(pdn);
	cr_expect_eq(create_mkey(pdn, 0, &obj), PRM_STATUS_OK);
	cr_expect_eq(create_mkey(pdn, 1, &obj), PRM_STATUS_OK);
	cr_expect_eq(create_mkey(pdn, PAGES * PAGE / 2, &obj), PRM_STATUS_OK);
}

Test(assumed, mkey_must_lie_in_its_umem)
{
	struct mlx5dv_devx_obj *obj;
	uint32_t pdn;

	needs_umem();
	new_pd(&pdn);
	good_mkey(pdn);
	cr_assert_eq(create_part(pdn, OCTWORDS, (uint64_t)PAGES * PAGE + 1, &obj),
		     PRM_STATUS_BAD_PARAM);
}

/* CREATE_MKEY of 4 octwords in the inbox, of which @given are said to be there, with space for
 * @space; KSM of 4 KiB each where @mode says so. */
static uint8_t create_list(uint32_t mode, uint32_t given, uint32_t space, uint64_t len)
{
	uint8_t in[PRM_SZ(create_mkey_in) + 4 * PRM_SZ(klm)] = { 0 };
	uint8_t *mkc = PRM_ADDR(create_mkey_in, in, memory_key_mkey_entry);
	struct mlx5dv_devx_obj *obj;
	uint32_t pdn;

	new_pd(&pdn);
	PRM_SET(create_mkey_in, in, opcode, PRM_OP_CREATE_MKEY);
	PRM_SET(create_mkey_in, in, translations_octword_actual_size, given);
	PRM_SET(mkc, mkc, access_mode_1_0, mode);
	PRM_SET(mkc, mkc, lr, 1);
	PRM_SET(mkc, mkc, qpn, 0xffffff);
	PRM_SET(mkc, mkc, pd, pdn);
	PRM_SET(mkc, mkc, len, len);
	PRM_SET(mkc, mkc, translations_octword_size, space);
	if (mode == PRM_MKC_ACCESS_MODE_KSM)
		PRM_SET(mkc, mkc, log_entity_size, 12);
	return create(in, sizeof(in), &obj);
}

Test(assumed, klm_list_holds_what_is_given)
{
	const uint32_t klm = PRM_MKC_ACCESS_MODE_KLMS;

	if (create_list(klm, 4, 4, 4 * PAGE) != PRM_STATUS_OK)
		cr_skip_test("no indirect mkeys");
	cr_expect_eq(create_list(klm, 4, 0, 4 * PAGE), PRM_STATUS_BAD_PARAM);
	cr_expect_eq(create_list(klm, 4, 2, 4 * PAGE), PRM_STATUS_BAD_PARAM);
	cr_expect_eq(create_list(klm, 4, 1 << 30, 4 * PAGE), PRM_STATUS_BAD_PARAM);
}

Test(assumed, ksm_list_must_cover)
{
	const uint32_t ksm = PRM_MKC_ACCESS_MODE_KSM;

	if (create_list(ksm, 4, 4, 4 * PAGE) != PRM_STATUS_OK)
		cr_skip_test("no KSM mkeys");
	cr_assert_eq(create_list(ksm, 4, 4, 4 * PAGE + 1), PRM_STATUS_BAD_PARAM);
}

static struct mlx5dv_devx_uar *uar;
static uint32_t eqn;

/* CREATE_CQ of 64 entries at @offset of the umem, its record at @record of it. */
static uint8_t create_cq(uint64_t offset, uint64_t record, uint32_t log_page_size)
{
	uint8_t in[PRM_SZ(create_cq_in)] = { 0 };
	uint8_t *cqc = PRM_ADDR(create_cq_in, in, cq_context);
	struct mlx5dv_devx_obj *obj;

	if (!uar)
		uar = mlx5dv_devx_alloc_uar(r.ctx, MLX5DV_UAR_ALLOC_TYPE_NC);
	if (!uar || mlx5dv_devx_query_eqn(r.ctx, 0, &eqn))
		cr_skip_test("no DevX objects: %s", strerror(errno));
	PRM_SET(create_cq_in, in, opcode, PRM_OP_CREATE_CQ);
	PRM_SET(create_cq_in, in, cq_umem_valid, 1);
	PRM_SET(create_cq_in, in, cq_umem_id, umem->umem_id);
	PRM_SET(create_cq_in, in, cq_umem_offset, offset);
	PRM_SET(cqc, cqc, log_cq_size, 6);
	PRM_SET(cqc, cqc, log_page_size, log_page_size);
	PRM_SET(cqc, cqc, uar_page, uar->page_id);
	PRM_SET(cqc, cqc, c_eqn_or_apu_element, eqn);
	PRM_SET(cqc, cqc, dbr_umem_valid, 1);
	PRM_SET(cqc, cqc, dbr_umem_id, umem->umem_id);
	PRM_SET(cqc, cqc, dbr_addr, record);
	return create(in, sizeof(in), &obj);
}

static void good_cq(void)
{
	uint8_t status = create_cq(0, PAGE, 0);

	if (status != PRM_STATUS_OK)
		cr_skip_test("the command without a mistake ends in status 0x%x", status);
}

Test(assumed, queue_must_lie_in_its_umem)
{
	needs_umem();
	good_cq();
	cr_expect_eq(create_cq((PAGES - 1) * PAGE + 64, 0, 0), PRM_STATUS_BAD_PARAM);
	cr_expect_eq(create_cq(PAGES * PAGE, 0, 0), PRM_STATUS_BAD_PARAM);
	cr_expect_eq(create_cq(0, PAGES * PAGE, 0), PRM_STATUS_BAD_PARAM);
}

Test(assumed, umem_queue_starts_on_a_64th_of_a_page)
{
	needs_umem();
	good_cq();
	cr_assert_eq(create_cq(8, PAGE, 0), PRM_STATUS_BAD_PARAM);
}

Test(assumed, umem_pages_are_the_umems)
{
	needs_umem();
	good_cq();
	cr_expect_eq(create_cq(0, PAGE, 1), PRM_STATUS_OK);
	cr_expect_eq(create_cq(0, PAGE, 9), PRM_STATUS_OK);
}

Test(assumed, cq_needs_a_writable_umem)
{
	void *mem;

	needs_umem();
	good_cq();
	mem = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(mem, MAP_FAILED);
	umem = mlx5dv_devx_umem_reg(r.ctx, mem, (size_t)PAGES * PAGE, 0);
	cr_assert_not_null(umem);
	cr_assert_eq(create_cq(0, PAGE, 0), PRM_STATUS_BAD_PARAM);
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

/* The kernel turns the status BAD_RES_STATE into EINVAL: mlx5_core, cmd.c, cmd_status_to_err.
 * Logs of adapters show it for a PD with an mkey; the CQ and the umem are the assumption. */
Test(assumed, object_in_use_is_bad_res_state)
{
	struct mlx5dv_devx_obj *pd, *mkey;
	uint32_t pdn;

	needs_umem();
	pd = new_pd(&pdn);
	mkey = good_mkey(pdn);
	cr_expect_eq(mlx5dv_devx_obj_destroy(pd), EINVAL);
	cr_expect_eq(mlx5dv_devx_umem_dereg(umem), EINVAL);
	cr_assert_eq(mlx5dv_devx_obj_destroy(mkey), 0);
	cr_assert_eq(mlx5dv_devx_obj_destroy(pd), 0);
}
