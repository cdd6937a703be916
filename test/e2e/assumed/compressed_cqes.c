/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assumptions of the emulator about CQs that compress, in the form that asks an adapter: see
 * completions.c.
 */
#include <prm/prm.h>
#include "lib/qp_traffic.h"

enum { CQE_FORMAT = 0xc, ENTRIES = 64 };

static void needs_compression(void)
{
	struct mlx5dv_context dv = { .comp_mask = MLX5DV_CONTEXT_MASK_CQE_COMPRESION };

	cr_assert_eq(mlx5dv_query_device(r.ctx, &dv), 0);
	if (!dv.cqe_comp_caps.max_num)
		cr_skip_test("no compressed CQEs");
}

Test(assumed, cqe_compression_limits)
{
	const uint32_t formats = MLX5DV_CQE_RES_FORMAT_HASH | MLX5DV_CQE_RES_FORMAT_CSUM |
				 MLX5DV_CQE_RES_FORMAT_CSUM_STRIDX;
	struct mlx5dv_context dv = { .comp_mask = MLX5DV_CONTEXT_MASK_CQE_COMPRESION };

	cr_assert_eq(mlx5dv_query_device(r.ctx, &dv), 0);
	cr_expect_eq(dv.cqe_comp_caps.max_num, 64);
	cr_expect_eq(dv.cqe_comp_caps.supported_format, formats);
	cr_expect(dv.flags & MLX5DV_CONTEXT_FLAGS_CQE_128B_COMP);
	cr_expect(dv.flags & MLX5DV_CONTEXT_FLAGS_CQE_128B_PAD);
}

/* r.a and r.b, where a completes to a CQ that compresses, which dv polls. */
static void compressing(void)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = ENTRIES - 1,
					    .wc_flags = IBV_WC_STANDARD_FLAGS };
	struct mlx5dv_cq_init_attr dv = { .comp_mask = MLX5DV_CQ_INIT_ATTR_MASK_COMPRESSED_CQE,
					  .cqe_comp_res_format = MLX5DV_CQE_RES_FORMAT_HASH };
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC, .cap = { 16, 16, 4, 4, 64 } };

	needs_compression();
	r.a.ibcq = ibv_cq_ex_to_cq(mlx5dv_create_cq(r.ctx, &attr, &dv));
	cr_assert_not_null(r.a.ibcq);
	r.b.ibcq = ibv_create_cq(r.ctx, ENTRIES, NULL, NULL, 0);
	init.send_cq = init.recv_cq = r.a.ibcq;
	r.a.qp = ibv_create_qp(r.pd, &init);
	init.send_cq = init.recv_cq = r.b.ibcq;
	r.b.qp = ibv_create_qp(r.pd, &init);
	bring(&r.b, &with, IBV_QPS_RTS, r.a.qp->qp_num);
	bring(&r.a, &with, IBV_QPS_RTS, r.b.qp->qp_num);
}

Test(assumed, session_is_what_one_turn_completed)
{
	compressing();
	for (int i = 0; i < ENTRIES; i++) {
		struct mlx5dv_obj obj = { .cq = { .in = r.a.ibcq,
						  .out = &(struct mlx5dv_cq){ 0 } } };
		const struct mlx5_cqe64 *cqe;

		op_ends_in(IBV_WR_RDMA_WRITE, src_sge(0, 8), 0, r.dst_mr->rkey, IBV_WC_SUCCESS);
		cr_assert_eq(mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ), 0);
		cqe = (const struct mlx5_cqe64 *)((const char *)obj.cq.out->buf +
						  i % ENTRIES * 64);
		cr_assert_eq(cqe->op_own & CQE_FORMAT, 0, "CQE %d", i);
	}
}

/* ---- by firmware commands ---- */

static struct mlx5dv_devx_umem *umem;
static uint8_t in[PRM_SZ(create_cq_in)];

/* CREATE_CQ of 64 entries, for a test to change. */
static uint8_t *cq_context(void)
{
	static struct mlx5dv_devx_uar *uar;
	uint8_t *cqc = PRM_ADDR(create_cq_in, in, cq_context);
	uint32_t eqn;

	if (!umem)
		umem = mlx5dv_devx_umem_reg(r.ctx, aligned_alloc(PAGE, 2 * PAGE), 2 * PAGE,
					    IBV_ACCESS_LOCAL_WRITE);
	if (!uar)
		uar = mlx5dv_devx_alloc_uar(r.ctx, MLX5DV_UAR_ALLOC_TYPE_NC);
	if (!umem || !uar || mlx5dv_devx_query_eqn(r.ctx, 0, &eqn))
		cr_skip_test("no DevX objects: %s", strerror(errno));
	memset(in, 0, sizeof(in));
	PRM_SET(create_cq_in, in, opcode, PRM_OP_CREATE_CQ);
	PRM_SET(create_cq_in, in, cq_umem_valid, 1);
	PRM_SET(create_cq_in, in, cq_umem_id, umem->umem_id);
	PRM_SET(cqc, cqc, log_cq_size, 5);
	PRM_SET(cqc, cqc, uar_page, uar->page_id);
	PRM_SET(cqc, cqc, c_eqn_or_apu_element, eqn);
	PRM_SET(cqc, cqc, dbr_umem_valid, 1);
	PRM_SET(cqc, cqc, dbr_umem_id, umem->umem_id);
	PRM_SET(cqc, cqc, dbr_addr, PAGE);
	return cqc;
}

static uint8_t status_of(struct mlx5dv_devx_obj **obj, uint32_t *cqn)
{
	uint8_t out[PRM_SZ(create_cq_out)] = { 0 };

	*obj = mlx5dv_devx_obj_create(r.ctx, in, sizeof(in), out, sizeof(out));
	*cqn = PRM_GET(create_cq_out, out, cqn);
	return out[0];
}

static struct mlx5dv_devx_obj *created(uint32_t *cqn)
{
	struct mlx5dv_devx_obj *obj;
	uint8_t status = status_of(&obj, cqn);

	if (status != PRM_STATUS_OK)
		cr_skip_test("the command without a mistake ends in status 0x%x", status);
	return obj;
}

Test(assumed, compression_needs_its_bit)
{
	struct mlx5dv_devx_obj *obj;
	uint32_t cqn;
	uint8_t *cqc;

	needs_compression();
	cq_context();
	created(&cqn);
	cqc = cq_context();
	PRM_SET(cqc, cqc, mini_cqe_res_format, 1);
	cr_expect_eq(status_of(&obj, &cqn), PRM_STATUS_BAD_PARAM);
}

/* pci.ids: 1017 … 101a are ConnectX-5, 101d is ConnectX-6 Dx and what follows is newer. */
Test(assumed, connectx_5_compresses_in_the_basic_layout)
{
	struct mlx5dv_devx_obj *obj;
	struct ibv_device_attr attr;
	uint8_t *cqc;
	uint32_t cqn;

	cr_assert_eq(ibv_query_device(r.ctx, &attr), 0);
	if (attr.vendor_part_id < 0x1017 ||
	    (attr.vendor_part_id > 0x101a && attr.vendor_part_id < 0x101d))
		cr_skip_test("neither a ConnectX-5 nor newer than a ConnectX-6");
	needs_compression();
	PRM_SET(cqc, cq_context(), cqe_comp_en, 1);
	created(&cqn);
	cqc = cq_context();
	PRM_SET(cqc, cqc, cqe_comp_en, 1);
	PRM_SET(cqc, cqc, cqe_compression_layout, 1);
	cr_expect_eq(status_of(&obj, &cqn),
		     attr.vendor_part_id <= 0x101a ? PRM_STATUS_BAD_PARAM : PRM_STATUS_OK);
}

Test(assumed, special_cqs_keep_their_ring)
{
	uint8_t modify[PRM_SZ(modify_cq_in)] = { 0 }, out[PRM_SZ(modify_cq_out)] = { 0 };
	uint8_t *cqc = PRM_ADDR(modify_cq_in, modify, cq_context);
	struct mlx5dv_devx_obj *obj;
	uint32_t cqn;

	PRM_SET(cqc, cq_context(), cc, 1);
	obj = created(&cqn);
	PRM_SET(modify_cq_in, modify, opcode, PRM_OP_MODIFY_CQ);
	PRM_SET(modify_cq_in, modify, op_mod, 1);
	PRM_SET(modify_cq_in, modify, cqn, cqn);
	PRM_SET(modify_field_select,
		PRM_ADDR(modify_cq_in, modify, modify_field_select_resize_field_select),
		modify_field_select, 7);
	PRM_SET(modify_cq_in, modify, cq_umem_valid, 1);
	PRM_SET(modify_cq_in, modify, cq_umem_id, umem->umem_id);
	PRM_SET(cqc, cqc, log_cq_size, 5);
	mlx5dv_devx_obj_modify(obj, modify, sizeof(modify), out, sizeof(out));
	cr_expect_eq(out[0], PRM_STATUS_BAD_PARAM);
}
