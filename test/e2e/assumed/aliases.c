/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assumptions of the emulator about mkeys that a function allows to others, in the form that
 * asks an adapter: see completions.c. One function is enough: it makes aliases of keys that it
 * has.
 *
 *	without a mistake -> an alias in a good state; else nothing can be decided
 */
#include <prm/prm.h>
#include "lib/qp_traffic.h"

#define KEY_BYTES 32
#define ALIAS_LEN PRM_SZ(create_alias_obj_in)

static struct {
	struct mlx5dv_devx_umem *umem;
	struct mlx5dv_devx_obj *mkey;
	uint32_t number;
	uint32_t pdn;
	uint16_t vhca_id;
	uint8_t key[KEY_BYTES];
} own;

static struct {
	struct mlx5dv_devx_obj *obj;
	uint8_t in[ALIAS_LEN], out[ALIAS_LEN];
} alias;

static uint32_t pdn_of(struct ibv_pd *ibpd)
{
	struct mlx5dv_pd pd = { 0 };
	struct mlx5dv_obj obj = { .pd = { ibpd, &pd } };

	cr_assert_eq(mlx5dv_init_obj(&obj, MLX5DV_OBJ_PD), 0);
	return pd.pdn;
}

static uint16_t own_vhca_id(void)
{
	uint8_t in[PRM_SZ(query_hca_cap_in)] = { 0 }, out[PRM_SZ(query_hca_cap_out)] = { 0 };

	PRM_SET(query_hca_cap_in, in, opcode, PRM_OP_QUERY_HCA_CAP);
	PRM_SET(query_hca_cap_in, in, op_mod, PRM_CAP_OP_MOD(PRM_CAP_GENERAL, PRM_CAP_CUR));
	if (mlx5dv_devx_general_cmd(r.ctx, in, sizeof(in), out, sizeof(out)))
		cr_skip_test("no DevX");
	return PRM_GET(cmd_hca_cap, PRM_ADDR(query_hca_cap_out, out, capability), vhca_id);
}

static _Alignas(4096) uint8_t memory[4096];

static void make_mkey_with(uint32_t local_rights)
{
	uint8_t in[PRM_SZ(create_mkey_in)] = { 0 }, out[PRM_SZ(create_mkey_out)] = { 0 };
	uint8_t *mkc = PRM_ADDR(create_mkey_in, in, memory_key_mkey_entry);

	own.umem = mlx5dv_devx_umem_reg(r.ctx, memory, sizeof(memory), IBV_ACCESS_LOCAL_WRITE);
	cr_assert_not_null(own.umem);
	PRM_SET(create_mkey_in, in, opcode, PRM_OP_CREATE_MKEY);
	PRM_SET(create_mkey_in, in, pg_access, 1);
	PRM_SET(create_mkey_in, in, mkey_umem_id, own.umem->umem_id);
	PRM_SET(create_mkey_in, in, translations_octword_actual_size, 1);
	PRM_SET(mkc, mkc, access_mode_1_0, PRM_MKC_ACCESS_MODE_MTT);
	PRM_SET(mkc, mkc, lr, local_rights);
	PRM_SET(mkc, mkc, lw, local_rights);
	PRM_SET(mkc, mkc, rr, 1);
	PRM_SET(mkc, mkc, rw, 1);
	PRM_SET(mkc, mkc, qpn, 0xffffff);
	PRM_SET(mkc, mkc, pd, own.pdn);
	PRM_SET(mkc, mkc, start_addr, (uintptr_t)memory);
	PRM_SET(mkc, mkc, len, sizeof(memory));
	PRM_SET(mkc, mkc, translations_octword_size, 1);
	PRM_SET(mkc, mkc, log_page_size, 12);
	own.mkey = mlx5dv_devx_obj_create(r.ctx, in, sizeof(in), out, sizeof(out));
	cr_assert_not_null(own.mkey, "syndrome 0x%x",
			   (unsigned int)PRM_GET(create_mkey_out, out, syndrome));
	own.number = PRM_GET(create_mkey_out, out, mkey_index);
}

static void make_mkey(void)
{
	make_mkey_with(1);
}

static uint8_t allow(uint32_t number)
{
	uint8_t in[PRM_SZ(allow_other_vhca_access_in)] = { 0 };
	uint8_t out[PRM_SZ(allow_other_vhca_access_out)] = { 0 };

	PRM_SET(allow_other_vhca_access_in, in, opcode, PRM_OP_ALLOW_OTHER_VHCA_ACCESS);
	PRM_SET(allow_other_vhca_access_in, in, object_type_to_be_accessed, PRM_OBJ_MKEY);
	PRM_SET(allow_other_vhca_access_in, in, object_id_to_be_accessed, number);
	memcpy(PRM_ADDR(allow_other_vhca_access_in, in, access_key_raw), own.key, KEY_BYTES);
	if (mlx5dv_devx_general_cmd(r.ctx, in, sizeof(in), out, sizeof(out)) && !out[0])
		cr_skip_test("no DevX command ALLOW_OTHER_VHCA_ACCESS");
	return out[0];
}

/* An mkey; skips where functions do not lend keys. */
static void prepare(void)
{
	own.pdn = pdn_of(r.pd);
	own.vhca_id = own_vhca_id();
	memset(own.key, 0x5a, sizeof(own.key));
	make_mkey();
}

static uint8_t *alias_box(void)
{
	uint8_t *hdr = PRM_ADDR(create_alias_obj_in, alias.in, hdr);
	uint8_t *ctx = PRM_ADDR(create_alias_obj_in, alias.in, alias_ctx);

	memset(&alias, 0, sizeof(alias));
	PRM_SET(general_obj_in_cmd_hdr, hdr, opcode, PRM_OP_CREATE_GENERAL_OBJECT);
	PRM_SET(general_obj_in_cmd_hdr, hdr, obj_type, PRM_OBJ_MKEY);
	PRM_SET(general_obj_in_cmd_hdr, hdr, alias_object, 1);
	PRM_SET(alias_context, ctx, vhca_id_to_be_accessed, own.vhca_id);
	PRM_SET(alias_context, ctx, object_id_to_be_accessed, own.number);
	memcpy(PRM_ADDR(alias_context, ctx, access_key_raw), own.key, KEY_BYTES);
	PRM_SET(alias_context, ctx, metadata_1, own.pdn);
	return ctx;
}

/* The status of the command. */
static uint8_t create(void)
{
	alias.obj = mlx5dv_devx_obj_create(r.ctx, alias.in, ALIAS_LEN, alias.out, ALIAS_LEN);
	return alias.out[0];
}

static uint32_t state(const uint8_t *out)
{
	return PRM_GET(alias_context, PRM_ADDR(create_alias_obj_out, out, alias_ctx), status);
}

/* The way without a mistake. */
static void make_alias(void)
{
	if (allow(own.number) != PRM_STATUS_OK)
		cr_skip_test("this device does not allow keys to other functions");
	alias_box();
	if (create() != PRM_STATUS_OK || !alias.obj || state(alias.out))
		cr_skip_test("no alias of an own key: status 0x%x", alias.out[0]);
}

static void prepare_alias(void)
{
	prepare();
	make_alias();
}

static void drop(void)
{
	cr_assert_eq(mlx5dv_devx_obj_destroy(alias.obj), 0);
}

static void clean(void)
{
	cr_assert_eq(mlx5dv_devx_obj_destroy(own.mkey), 0);
	cr_assert_eq(mlx5dv_devx_umem_dereg(own.umem), 0);
}

Test(assumed, alias_of_the_own_function_is_allowed)
{
	prepare();
	if (allow(own.number) != PRM_STATUS_OK)
		cr_skip_test("this device does not allow keys to other functions");
	alias_box();
	cr_assert_eq(create(), PRM_STATUS_OK);
	cr_assert_eq(state(alias.out), 0);
	drop();
	clean();
}

Test(assumed, alias_needs_a_key_of_the_same_context)
{
	prepare_alias();
	drop();
	cr_assert_eq(allow(r.src_mr->lkey >> 8), PRM_STATUS_BAD_RES_STATE);
	clean();
}

Test(assumed, alias_of_an_unknown_function_is_bad_param)
{
	prepare_alias();
	drop();
	PRM_SET(alias_context, alias_box(), vhca_id_to_be_accessed, 0xfffe);
	cr_assert_eq(create(), PRM_STATUS_BAD_PARAM);
	clean();
}

Test(assumed, alias_with_a_wrong_access_key_is_bad_param)
{
	prepare_alias();
	drop();
	PRM_ADDR(alias_context, alias_box(), access_key_raw)[KEY_BYTES - 1] ^= 1;
	cr_assert_eq(create(), PRM_STATUS_BAD_PARAM);
	clean();
}

Test(assumed, alias_of_what_is_not_allowed_is_bad)
{
	prepare_alias();
	drop();
	clean();
	make_mkey();
	alias_box();
	cr_assert_eq(create(), PRM_STATUS_OK);
	cr_expect_neq(state(alias.out), 0);
	drop();
	clean();
}

Test(assumed, alias_does_not_show_its_access_key)
{
	static const uint8_t none[KEY_BYTES];
	uint8_t in[PRM_SZ(general_obj_in_cmd_hdr)] = { 0 };
	uint32_t id;

	prepare_alias();
	id = PRM_GET(general_obj_out_cmd_hdr, alias.out, obj_id);
	PRM_SET(general_obj_in_cmd_hdr, in, opcode, PRM_OP_QUERY_GENERAL_OBJECT);
	PRM_SET(general_obj_in_cmd_hdr, in, obj_type, PRM_OBJ_MKEY);
	PRM_SET(general_obj_in_cmd_hdr, in, obj_id, id);
	PRM_SET(general_obj_in_cmd_hdr, in, alias_object, 1);
	cr_expect_arr_eq(PRM_ADDR(alias_context,
				  PRM_ADDR(create_alias_obj_out, alias.out, alias_ctx),
				  access_key_raw),
			 none, KEY_BYTES);
	memset(alias.out, 0, sizeof(alias.out));
	cr_assert_eq(
		mlx5dv_devx_obj_query(alias.obj, in, sizeof(in), alias.out, sizeof(alias.out)),
		0);
	cr_expect_arr_eq(PRM_ADDR(alias_context,
				  PRM_ADDR(create_alias_obj_out, alias.out, alias_ctx),
				  access_key_raw),
			 none, KEY_BYTES);
	cr_expect_eq(state(alias.out), 0);
	drop();
	clean();
}

/* ---- copies ---- */

/* r.a, for MMO DMA, connected to itself. */
static void open_copier(void)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 4, .max_send_sge = 1 },
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = r.pd,
	};
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
		.send_ops_flags = MLX5DV_QP_EX_WITH_MEMCPY,
	};

	r.a.ibcq = ibv_create_cq(r.ctx, 10, NULL, NULL, 0);
	cr_assert_not_null(r.a.ibcq);
	init.send_cq = init.recv_cq = r.a.ibcq;
	r.a.qp = mlx5dv_create_qp(r.ctx, &init, &dv);
	if (!r.a.qp)
		cr_skip_test("no MMO DMA: %s", strerror(errno));
	bring(&r.a, &with, IBV_QPS_RTS, r.a.qp->qp_num);
}

/* 64 bytes through @a. */
static void copy_ends_in(enum ibv_wc_status status)
{
	uint32_t key = PRM_GET(general_obj_out_cmd_hdr, alias.out, obj_id) << 8;
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(r.a.qp);

	ibv_wr_start(qp);
	qp->wr_id = ++r.a.posted;
	qp->wr_flags = IBV_SEND_SIGNALED;
	mlx5dv_wr_memcpy(mlx5dv_qp_ex_from_ibv_qp_ex(qp), r.dst_mr->lkey, (uintptr_t)r.dst, key,
			 (uintptr_t)memory, 64);
	cr_assert_eq(ibv_wr_complete(qp), 0);
	ends_in(&r.a, status);
}

Test(assumed, alias_that_its_owner_refuses_is_a_remote_access_error)
{
	open_copier();
	prepare_alias();
	memset(memory, 0x77, sizeof(memory));
	copy_ends_in(IBV_WC_SUCCESS);
	cr_expect_arr_eq(r.dst, memory, 64);
	clean();
	copy_ends_in(IBV_WC_REM_ACCESS_ERR);
	drop();
}

Test(assumed, alias_needs_the_local_rights_of_its_mkey)
{
	open_copier();
	prepare_alias();
	copy_ends_in(IBV_WC_SUCCESS);
	drop();
	clean();
	make_mkey_with(0);
	make_alias();
	copy_ends_in(IBV_WC_REM_ACCESS_ERR);
	drop();
	clean();
}
