/* SPDX-License-Identifier: BSD-2-Clause */
/* DevX objects: what may create one, what is made of the command, what undoes it. */
#include "devx.h"
#include "shared.h"
#include "uverbs/devx.h"

#define SUITE	     devx_objects_pass_the_filter
#define SUITE_DEVICE devx_objects_pass_the_filter_with_device
#define SUITE_QP     devx_objects_pass_the_filter_with_qp
#define SUITE_ALONE  devx_objects_pass_the_filter_alone

CONTEXT_SUITE(SUITE);
DEVICE_SUITE(SUITE_DEVICE);
QP_SUITE(SUITE_QP);

Test(SUITE, an_object_is_made_with_the_uid_of_the_context)
{
	uint32_t pdn, pd;
	struct hca_pd *p;

	pd = devx_pd(&b, &pdn);
	p = core_ids_get(&b.hca.pds, pdn);
	cr_assert(p);
	cr_assert_neq(p->uid, 0);
	cr_assert_neq(p->uid, 0x7777, "what the application wrote");
	cr_assert_eq(devx_destroy(&b, pd), 0);
	cr_assert_not(core_ids_get(&b.hca.pds, pdn));
	cr_assert_eq(devx_destroy(&b, pd), -ENOENT);
}

Test(SUITE, what_is_not_on_the_list_never_gets_to_firmware)
{
	const uint16_t opcodes[] = {
		PRM_OP_QUERY_HCA_CAP,
		PRM_OP_CREATE_EQ,
		PRM_OP_CREATE_UCTX,
		PRM_OP_CREATE_UMEM,
		PRM_OP_ALLOC_UAR,
		PRM_OP_DEALLOC_PD,
		PRM_OP_DESTROY_QP,
		PRM_OP_QUERY_CQ,
		PRM_OP_MODIFY_RQ,
		PRM_OP_NOP,
		0xb16,
		0xffff,
	};
	struct box x;

	for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
		box(&x, opcodes[i], 64, 64);
		cr_assert_eq(devx_create(&b, &x, NULL), -EINVAL, "%#x", opcodes[i]);
		cr_assert_eq(x.out[0], 0, "no outbox");
	}
}

Test(SUITE, some_pass_in_one_form_only)
{
	struct box x;

	box(&x, PRM_OP_CREATE_PSV, PRM_SZ(create_psv_in), PRM_SZ(create_psv_out));
	PRM_SET(create_psv_in, x.in, num_psv, 2);
	cr_assert_eq(devx_create(&b, &x, NULL), -EINVAL);
	box(&x, PRM_OP_SET_FLOW_TABLE_ENTRY, 64, 16);
	PRM_SET(set_fte_in, x.in, op_mod, 1);
	cr_assert_eq(devx_create(&b, &x, NULL), -EINVAL);
	box(&x, PRM_OP_ALLOC_PD, 16, 16);
	PRM_SET(general_obj_in_cmd_hdr, x.in, vhca_tunnel_id, 1);
	cr_assert_eq(devx_create(&b, &x, NULL), -EINVAL);
	box(&x, PRM_OP_CREATE_MKEY, 64, 16);
	cr_assert_eq(devx_create(&b, &x, NULL), -EINVAL, "ends within the mkey context");
	box(&x, PRM_OP_ALLOC_PD, 15, 16);
	cr_assert_eq(devx_create(&b, &x, NULL), -EINVAL, "shorter than a header");
	box(&x, PRM_OP_ALLOC_PD, 16, 15);
	cr_assert_eq(devx_create(&b, &x, NULL), -EINVAL);
}

Test(SUITE, a_refusal_of_firmware_comes_with_its_outbox)
{
	struct box x;

	box(&x, PRM_OP_CREATE_QP, 16, 16);
	cr_assert_eq(devx_create(&b, &x, NULL), -EREMOTEIO);
	cr_assert_eq(x.out[0], FW_BAD_INP_LEN);
	box(&x, PRM_OP_ALLOC_PD, 16, 16);
	x.in[15] = 1;
	cr_assert_eq(devx_create(&b, &x, NULL), -EREMOTEIO);
	cr_assert_eq(x.out[0], FW_BAD_PARAM, "a reserved bit");
	cr_assert_neq(PRM_GET(alloc_pd_out, x.out, syndrome), 0);
}

Test(SUITE_DEVICE, a_context_without_devx_makes_none)
{
	struct mlx5_ib_alloc_ucontext_req_v2 q = usual_context;
	struct mlx5_ib_alloc_ucontext_resp r;
	struct umem m = { .va = (uintptr_t)pages(1), .len = PAGE };
	struct box x;

	q.flags = 0;
	cr_assert_eq(get_context(&b, &q, &r), 0);
	box(&x, PRM_OP_ALLOC_PD, 16, 16);
	cr_assert_eq(devx_create(&b, &x, NULL), -EINVAL);
	cr_assert_eq(umem_reg(&b, &m), -EINVAL);
}

Test(SUITE, an_answer_that_cannot_be_written_leaves_no_object)
{
	struct call c = call(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE);
	struct box x;

	box(&x, PRM_OP_ALLOC_PD, 16, 16);
	call_object(&c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE, 0);
	call_in(&c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN, x.in, 16);
	call_out(&c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT, WILD, 16);
	cr_assert_eq(call_run(&b, &c), -EFAULT);
}

Test(SUITE, cqs_need_an_event_queue_of_the_driver)
{
	struct devx_cq q;
	struct box x;
	uint32_t eqn;

	devx_cq_up(&b, &q);
	eqn = query_eqn(&b, 0);
	devx_cq_box(&q, eqn + 100, &x);
	cr_assert_eq(devx_create(&b, &x, NULL), -ENOENT);
	cr_assert_eq(devx_destroy(&b, q.handle), 0);
	devx_cq_box(&q, eqn, &x);
	cr_assert_eq(devx_create(&b, &x, &q.handle), 0);
}

static uint8_t drain[16]; /* the inbox of DRAIN_DCT */

static void keep_drain(const struct core_trace *t)
{
	const uint8_t *in = t->in;

	if (t->kind == TRACE_FW && in[0] == 0x07 && in[1] == 0x12)
		memcpy(drain, in, sizeof(drain));
}

/* A target that was not drained is not destroyed. */
Test(SUITE_QP, a_dct_is_drained_before_it_ends)
{
	struct srq_attr a = srq_attr(r.pd);
	uint32_t dct;
	struct srq srq;
	struct box x;
	uint8_t *dctc = PRM_ADDR(create_dct_in, x.in, dct_context_entry);

	cr_assert_eq(create_srq(&r.b, &a, &srq), 0);
	box(&x, PRM_OP_CREATE_DCT, PRM_SZ(create_dct_in), PRM_SZ(create_dct_out));
	memcpy(dctc + 0x28, "\x03\x01\0\0\0\x03\0\x40", 8); /* as in fw/dct_is_active… */
	PRM_SET(dctc, dctc, pd, hca_srq_find(&r.b.hca, srq.srqn)->pd->pdn);
	PRM_SET(dctc, dctc, cqn, r.cq.cqn);
	PRM_SET(dctc, dctc, srqn_xrqn, srq.srqn);
	cr_assert_eq(devx_create(&r.b, &x, &dct), 0, "%#x",
		     (unsigned int)PRM_GET(create_dct_out, x.out, syndrome));
	cr_assert_eq(r.b.hca.dcts.used, 1);
	core_trace_to = keep_drain;
	core_trace_mask = 1u << TRACE_FW;
	cr_assert_eq(devx_destroy(&r.b, dct), 0);
	core_trace_mask = 0;
	cr_assert_arr_eq(drain, ((uint8_t[]){ 0x07, 0x12, 0, 2, 0, 0, 0, 0, 0, 1, 0xa0, 1 }),
			 12, "%02x%02x uid %u, %02x%02x%02x", drain[0], drain[1], drain[3],
			 drain[9], drain[10], drain[11]);
	cr_assert_eq(r.b.hca.dcts.used, 0);
}

/* ---- the tables, without a device ---- */

Test(SUITE_ALONE, the_command_that_undoes_another_one)
{
	uint8_t in[512] = { 0 }, out[64] = { 0 }, undo[UVERBS_DEVX_DESTROY_MAX];

	PRM_SET(create_cq_in, in, opcode, PRM_OP_CREATE_CQ);
	PRM_SET(create_cq_in, in, uid, 5);
	PRM_SET(create_cq_out, out, cqn, 0x123456);
	cr_assert_eq(uverbs_devx_undo(in, out, undo), 16);
	const uint8_t destroy_cq[16] = { 0x04, 0x01, 0, 5, 0, 0, 0, 0, 0, 0x12, 0x34, 0x56 };
	cr_assert_arr_eq(undo, destroy_cq, 16);

	memset(in, 0, sizeof(in));
	memset(out, 0, sizeof(out));
	PRM_SET(general_obj_in_cmd_hdr, in, opcode, PRM_OP_CREATE_GENERAL_OBJECT);
	PRM_SET(general_obj_in_cmd_hdr, in, obj_type, 0x20);
	PRM_SET(general_obj_out_cmd_hdr, out, obj_id, 0xabcdef01);
	cr_assert_eq(uverbs_devx_undo(in, out, undo), 16);
	const uint8_t destroy_general[16] = { 0x0a, 0x03, 0,	0,    0,    0,
					      0,    0x20, 0xab, 0xcd, 0xef, 0x01 };
	cr_assert_arr_eq(undo, destroy_general, 16);

	memset(in, 0, sizeof(in));
	PRM_SET(set_fte_in, in, opcode, PRM_OP_SET_FLOW_TABLE_ENTRY);
	PRM_SET(set_fte_in, in, table_type, 7);
	PRM_SET(set_fte_in, in, table_id, 9);
	PRM_SET(set_fte_in, in, flow_index, 3);
	cr_assert_eq(uverbs_devx_undo(in, out, undo), 64);
	cr_assert_eq(PRM_GET(delete_fte_in, undo, opcode), PRM_OP_DELETE_FLOW_TABLE_ENTRY);
	cr_assert_eq(PRM_GET(delete_fte_in, undo, table_type), 7);
	cr_assert_eq(PRM_GET(delete_fte_in, undo, table_id), 9);
	cr_assert_eq(PRM_GET(delete_fte_in, undo, flow_index), 3);

	memset(in, 0, sizeof(in));
	PRM_SET(attach_to_mcg_in, in, opcode, PRM_OP_ATTACH_TO_MCG);
	PRM_SET(attach_to_mcg_in, in, qpn, 0x77);
	memset(PRM_ADDR(attach_to_mcg_in, in, multicast_gid), 0xee, 16);
	cr_assert_eq(uverbs_devx_undo(in, out, undo), 32);
	cr_assert_eq(PRM_GET(detach_from_mcg_in, undo, opcode), PRM_OP_DETACH_FROM_MCG);
	cr_assert_eq(PRM_GET(detach_from_mcg_in, undo, qpn), 0x77);
	cr_assert_arr_eq(PRM_ADDR(detach_from_mcg_in, undo, multicast_gid),
			 PRM_ADDR(attach_to_mcg_in, in, multicast_gid), 16);
}

static bool umem_valid(uint8_t mode)
{
	uint8_t in[512] = { 0 }, *mkc = PRM_ADDR(create_mkey_in, in, memory_key_mkey_entry);

	PRM_SET(create_mkey_in, in, opcode, PRM_OP_CREATE_MKEY);
	PRM_SET(mkc, mkc, access_mode_1_0, mode);
	PRM_SET(mkc, mkc, access_mode_4_2, mode >> 2);
	uverbs_devx_force_umem(in);
	return PRM_GET(create_mkey_in, in, mkey_umem_valid);
}

Test(SUITE_ALONE, memory_is_forced_into_umems)
{
	uint8_t in[1024] = { 0 }, *wq;

	cr_assert(umem_valid(PRM_MKC_ACCESS_MODE_MTT));
	cr_assert(umem_valid(PRM_MKC_ACCESS_MODE_CROSSING));
	cr_assert_not(umem_valid(PRM_MKC_ACCESS_MODE_KLMS));
	cr_assert_not(umem_valid(PRM_MKC_ACCESS_MODE_KSM));

	PRM_SET(create_qp_in, in, opcode, PRM_OP_CREATE_QP);
	uverbs_devx_force_umem(in);
	cr_assert(PRM_GET(create_qp_in, in, wq_umem_valid));
	cr_assert(PRM_GET(qpc, PRM_ADDR(create_qp_in, in, qpc), dbr_umem_valid));

	memset(in, 0, sizeof(in));
	PRM_SET(create_rq_in, in, opcode, PRM_OP_CREATE_RQ);
	uverbs_devx_force_umem(in);
	wq = PRM_ADDR(rqc, PRM_ADDR(create_rq_in, in, ctx), wq);
	cr_assert(PRM_GET(wq, wq, wq_umem_valid));
	cr_assert(PRM_GET(wq, wq, dbr_umem_valid));
}
