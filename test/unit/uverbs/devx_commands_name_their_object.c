/* SPDX-License-Identifier: BSD-2-Clause */
/* DevX modify and query: command and handle have to be about the same object. */
#include <fcntl.h>

#include "devx.h"
#include "shared.h"

#define SUITE	 devx_commands_name_their_object
#define SUITE_QP devx_commands_name_their_object_with_qp

CONTEXT_SUITE(SUITE);
QP_SUITE(SUITE_QP);

static void query_cq_box(struct box *x, uint32_t cqn)
{
	box(x, PRM_OP_QUERY_CQ, PRM_SZ(query_cq_in), PRM_SZ(query_cq_out));
	PRM_SET(query_cq_in, x->in, cqn, cqn);
}

static void query_qp_box(struct box *x, uint32_t qpn)
{
	box(x, PRM_OP_QUERY_QP, PRM_SZ(query_qp_in), PRM_SZ(query_qp_out));
	PRM_SET(query_qp_in, x->in, qpn, qpn);
}

Test(SUITE, an_object_of_devx_answers_to_its_own_number)
{
	struct devx_cq q;
	struct box x;
	uint32_t pd, pdn;

	devx_cq_up(&b, &q);
	pd = devx_pd(&b, &pdn);
	query_cq_box(&x, q.cqn);
	cr_assert_eq(devx_query(&b, q.handle, &x), 0);
	cr_assert_eq(PRM_GET(cqc, PRM_ADDR(query_cq_out, x.out, cq_context), log_cq_size), 6);
	cr_assert_eq(devx_query(&b, pd, &x), -EINVAL, "another object's handle");
	cr_assert_eq(devx_query(&b, 1000, &x), -ENOENT);
	query_cq_box(&x, q.cqn + 1);
	cr_assert_eq(devx_query(&b, q.handle, &x), -EINVAL, "another number");
	query_qp_box(&x, q.cqn);
	cr_assert_eq(devx_query(&b, q.handle, &x), -EINVAL, "another kind");
}

Test(SUITE, each_method_has_its_own_list)
{
	struct devx_cq q;
	struct box x;

	devx_cq_up(&b, &q);
	query_cq_box(&x, q.cqn);
	cr_assert_eq(devx_modify(&b, q.handle, &x), -EINVAL);
	box(&x, PRM_OP_MODIFY_CQ, PRM_SZ(modify_cq_in), PRM_SZ(modify_cq_out));
	PRM_SET(modify_cq_in, x.in, cqn, q.cqn);
	cr_assert_eq(devx_query(&b, q.handle, &x), -EINVAL);
	box(&x, PRM_OP_DESTROY_CQ, 16, 16);
	PRM_SET(destroy_cq_in, x.in, cqn, q.cqn);
	cr_assert_eq(devx_modify(&b, q.handle, &x), -EINVAL, "destroying is not modifying");
	query_cq_box(&x, q.cqn);
	PRM_SET(general_obj_in_cmd_hdr, x.in, vhca_tunnel_id, 1);
	cr_assert_eq(devx_query(&b, q.handle, &x), -EINVAL);
}

Test(SUITE, what_firmware_refuses_comes_with_its_outbox)
{
	struct devx_cq q;
	struct box x;

	devx_cq_up(&b, &q);
	query_cq_box(&x, q.cqn);
	x.out_len = 16;
	cr_assert_eq(devx_query(&b, q.handle, &x), -EREMOTEIO);
	cr_assert_eq(x.out[0], FW_BAD_OUTP_LEN);
}

Test(SUITE_QP, queues_of_verbs_answer_too)
{
	struct box x;

	query_qp_box(&x, r.qp.qpn);
	cr_assert_eq(devx_query(&r.b, r.qp.handle, &x), 0);
	cr_assert_eq(PRM_GET(qpc, PRM_ADDR(query_qp_out, x.out, qpc), log_sq_size), 6);
	cr_assert_eq(devx_query(&r.b, r.cq.handle, &x), -EINVAL);
	query_cq_box(&x, r.cq.cqn);
	cr_assert_eq(devx_query(&r.b, r.cq.handle, &x), 0);
	cr_assert_eq(devx_query(&r.b, r.qp.handle, &x), -EINVAL);
	cr_assert_eq(devx_query(&r.b, r.pd, &x), -EINVAL, "a PD has no queries");
	box(&x, PRM_OP_2ERR_QP, PRM_SZ(qp_2err_in), PRM_SZ(qp_2err_out));
	PRM_SET(qp_2err_in, x.in, qpn, r.qp.qpn);
	cr_assert_eq(devx_modify(&r.b, r.qp.handle, &x), 0);
}

Test(SUITE_QP, events_come_from_devx_objects_only)
{
	struct call c = call(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_SUBSCRIBE_EVENT);
	uint16_t comp = 0;

	call_object(&c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_HANDLE, alloc_event_fd(&r.b, 0));
	call_object(&c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_OBJ_HANDLE, r.cq.handle);
	call_in(&c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_TYPE_NUM_LIST, &comp, sizeof(comp));
	cr_assert_eq(call_run(&r.b, &c), -EINVAL);
}

static void query_box(struct box *x, uint16_t opcode, uint32_t number)
{
	box(x, opcode, 16, OUT_MAX);
	/* query_rmp_in, query_xrc_srq_in: the low 24 bits of the third dword */
	PRM_SET(query_rmp_in, x->in, rmpn, number);
}

Test(SUITE_QP, a_shared_queue_is_an_rmp_or_an_xrc_srq)
{
	struct srq_attr a;
	struct srq basic, xrc;
	struct box x;
	uint32_t xrcd;

	a = srq_attr(r.pd);
	cr_assert_eq(create_srq(&r.b, &a, &basic), 0);
	cr_assert_eq(open_xrcd(&r.b, -1, O_CREAT, &xrcd), 0);
	a = srq_attr(r.pd);
	a.type = IB_UVERBS_SRQT_XRC;
	a.xrcd = xrcd;
	a.cq = r.cq.handle;
	cr_assert_eq(create_srq(&r.b, &a, &xrc), 0);
	query_box(&x, PRM_OP_QUERY_RMP, basic.srqn);
	cr_assert_eq(devx_query(&r.b, basic.handle, &x), 0);
	query_box(&x, PRM_OP_QUERY_XRC_SRQ, basic.srqn);
	cr_assert_eq(devx_query(&r.b, basic.handle, &x), -EINVAL);
	query_box(&x, PRM_OP_QUERY_XRC_SRQ, xrc.srqn);
	/* It passes; firmware refuses, since the kernel makes XRC SRQs as uid 0 (mlx5_ib,
	 * srq.c). */
	cr_assert_eq(devx_query(&r.b, xrc.handle, &x), -EREMOTEIO);
	cr_assert_eq(x.out[0], FW_BAD_RES_STATE);
	query_box(&x, PRM_OP_QUERY_RMP, xrc.srqn);
	cr_assert_eq(devx_query(&r.b, xrc.handle, &x), -EINVAL);
}

static void query_counter_box(struct box *x, uint32_t id)
{
	box(x, PRM_OP_QUERY_FLOW_COUNTER, PRM_SZ(query_flow_counter_in),
	    PRM_SZ(query_flow_counter_out) + PRM_SZ(traffic_counter));
	PRM_SET(query_flow_counter_in, x->in, flow_counter_id, id);
}

/* kernel, devx.c, devx_is_valid_obj_id */
Test(SUITE, a_counter_of_a_bulk_is_queried_by_its_own_number)
{
	uint32_t bulk, one, base;
	struct box x;

	box(&x, PRM_OP_ALLOC_FLOW_COUNTER, PRM_SZ(alloc_flow_counter_in),
	    PRM_SZ(alloc_flow_counter_out));
	PRM_SET(alloc_flow_counter_in, x.in, flow_counter_bulk, 1);
	cr_assert_eq(devx_create(&b, &x, &bulk), 0);
	base = PRM_GET(alloc_flow_counter_out, x.out, flow_counter_id);
	query_counter_box(&x, base + 5);
	cr_assert_eq(devx_query(&b, bulk, &x), 0);
	query_counter_box(&x, base + 127);
	cr_assert_eq(devx_query(&b, bulk, &x), 0);
	query_counter_box(&x, base + 128);
	cr_assert_eq(devx_query(&b, bulk, &x), -EINVAL);
	query_counter_box(&x, base - 1);
	cr_assert_eq(devx_query(&b, bulk, &x), -EINVAL);
	box(&x, PRM_OP_ALLOC_FLOW_COUNTER, PRM_SZ(alloc_flow_counter_in),
	    PRM_SZ(alloc_flow_counter_out));
	cr_assert_eq(devx_create(&b, &x, &one), 0);
	base = PRM_GET(alloc_flow_counter_out, x.out, flow_counter_id);
	query_counter_box(&x, base);
	cr_assert_eq(devx_query(&b, one, &x), 0);
	query_counter_box(&x, base + 1);
	cr_assert_eq(devx_query(&b, one, &x), -EINVAL);
}
