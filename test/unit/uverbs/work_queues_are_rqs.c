/* SPDX-License-Identifier: BSD-2-Clause */
/* Work queues: what of them the device sees, in which order they are checked, their states. */
#include "ethernet.h"

#define SUITE work_queues_are_rqs

QP_SUITE(SUITE);

static struct hca_rq *rq(struct rig *r, uint32_t rqn)
{
	struct hca_rq *q = core_ids_get(&r->b.hca.rqs, rqn);

	cr_assert_not_null(q);
	return q;
}

static int create_wq_status(struct rig *r, const struct wq_attr *a)
{
	struct ib_uverbs_ex_create_wq_resp resp;

	return create_wq(r, a, &resp);
}

Test(SUITE, a_wq_is_an_rq_in_reset)
{
	struct ib_uverbs_ex_create_wq_resp resp;
	struct wq_attr a;
	struct hca_rq *q;

	a = wq_attr(&r);
	cr_assert_eq(create_wq(&r, &a, &resp), 0);
	cr_assert_eq(resp.max_wr, 16);
	cr_assert_eq(resp.max_sge, 4);
	q = rq(&r, resp.wqn);
	cr_assert_eq(q->state, PRM_RQC_STATE_RST);
	cr_assert_eq(q->wq.cnt, 16);
	cr_assert_eq(q->wq.log_stride, 6);
	cr_assert_eq(q->user_index, 5);
	cr_assert_eq(q->cq->cqn, r.cq.cqn);
	cr_assert_eq(PRM_GET(rqc, q->rqc, vsd), 1, "tags stay");
	cr_assert_eq(PRM_GET(rqc, q->rqc, flush_in_error_en), 1);
	cr_assert_eq((uintptr_t)hca_ring_at(&q->wq.ring, 0), a.uhw.buf_addr);
	cr_assert_eq(destroy_wq(&r, resp.wq_handle), 0);
	cr_assert_null(core_ids_get(&r.b.hca.rqs, resp.wqn));
	cr_assert_eq(destroy_wq(&r, resp.wq_handle), -ENOENT);
}

static int by_ioctl(struct rig *r, uint64_t flags, uint32_t *handle, uint32_t *rqn)
{
	struct call c = call(UVERBS_OBJECT_WQ, UVERBS_METHOD_WQ_CREATE);
	struct ib_uverbs_attr *h = call_object(&c, UVERBS_ATTR_CREATE_WQ_HANDLE, 0);
	struct mlx5_ib_create_wq_resp uhw;
	struct wq_attr a = wq_attr(r);
	uint32_t max_wr, max_sge;
	int ret;

	call_object(&c, UVERBS_ATTR_CREATE_WQ_PD_HANDLE, r->pd);
	call_object(&c, UVERBS_ATTR_CREATE_WQ_CQ_HANDLE, r->cq.handle);
	call_u64(&c, UVERBS_ATTR_CREATE_WQ_USER_HANDLE, 9);
	call_u64(&c, UVERBS_ATTR_CREATE_WQ_TYPE, IB_UVERBS_WQT_RQ);
	call_u32(&c, UVERBS_ATTR_CREATE_WQ_MAX_WR, 16);
	call_u32(&c, UVERBS_ATTR_CREATE_WQ_MAX_SGE, 4);
	call_u64(&c, UVERBS_ATTR_CREATE_WQ_FLAGS, flags);
	call_out(&c, UVERBS_ATTR_CREATE_WQ_RESP_MAX_WR, &max_wr, 4);
	call_out(&c, UVERBS_ATTR_CREATE_WQ_RESP_MAX_SGE, &max_sge, 4);
	call_out(&c, UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM, rqn, 4);
	call_in(&c, UVERBS_ATTR_UHW_IN, &a.uhw, sizeof(a.uhw));
	call_out(&c, UVERBS_ATTR_UHW_OUT, &uhw, sizeof(uhw));
	ret = call_run(&r->b, &c);
	*handle = h->data;
	return ret;
}

Test(SUITE, the_ioctl_makes_the_same)
{
	struct call c = call(UVERBS_OBJECT_WQ, UVERBS_METHOD_WQ_DESTROY);
	uint32_t handle, rqn, events = 7;

	cr_assert_eq(by_ioctl(&r, 1 << 4, &handle, &rqn), -EINVAL, "an unknown flag");
	cr_assert_eq(by_ioctl(&r, 0, &handle, &rqn), 0);
	cr_assert_eq(rq(&r, rqn)->wq.cnt, 16);
	call_object(&c, UVERBS_ATTR_DESTROY_WQ_HANDLE, handle);
	call_out(&c, UVERBS_ATTR_DESTROY_WQ_RESP, &events, 4);
	cr_assert_eq(call_run(&r.b, &c), 0);
	cr_assert_eq(events, 0);
	cr_assert_eq(r.b.hca.rqs.used, 0);
}

/* struct mlx5_ib_create_wq_resp: 8 bytes */
Test(SUITE, answer_of_mlx5_has_space_or_is_absent)
{
	static const struct {
		uint16_t len;
		int err;
	} rows[] = { { 0, 0 }, { 4, -EINVAL }, { 7, -EINVAL }, { 8, 0 }, { 16, 0 } };
	struct ib_uverbs_ex_create_wq_resp resp;
	struct wq_attr a = wq_attr(&r);
	uint32_t uhw[4];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect_eq(
			write_uhw(&r.b, EX(IB_USER_VERBS_EX_CMD_CREATE_WQ),
				  (struct buf){ &a.cmd, sizeof(a.cmd), &resp, sizeof(resp) },
				  (struct buf){ &a.uhw, sizeof(a.uhw), uhw, rows[i].len }),
			rows[i].err, "%u", rows[i].len);
	cr_expect_eq(r.b.hca.rqs.used, 3);
}

/* Up to single_stride_log_num_of_bytes, 40 bytes. */
Test(SUITE, request_of_mlx5_is_long_enough)
{
	static const struct {
		uint16_t len;
		int err;
	} rows[] = { { 0, -EINVAL }, { 39, -EINVAL }, { 40, 0 }, { 48, 0 } };
	struct ib_uverbs_ex_create_wq_resp resp;
	struct wq_attr a = wq_attr(&r);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect_eq(
			write_uhw(&r.b, EX(IB_USER_VERBS_EX_CMD_CREATE_WQ),
				  (struct buf){ &a.cmd, sizeof(a.cmd), &resp, sizeof(resp) },
				  (struct buf){ .in = &a.uhw, .in_len = rows[i].len }),
			rows[i].err, "%u", rows[i].len);
}

Test(SUITE, the_core_looks_at_handles)
{
	struct wq_attr a;

	a = wq_attr(&r);
	a.cmd.comp_mask = 1;
	a.cmd.pd_handle = 99;
	cr_assert_eq(create_wq_status(&r, &a), -EOPNOTSUPP);
	a.cmd.comp_mask = 0;
	cr_assert_eq(create_wq_status(&r, &a), -EINVAL);
	a.cmd.pd_handle = r.cq.handle;
	cr_assert_eq(create_wq_status(&r, &a), -EINVAL);
	WITH(a, wq_attr(&r), a.cmd.cq_handle = r.pd, create_wq_status(&r, &a), -EINVAL);
	a = wq_attr(&r);
	a.cmd.wq_type = 1;
	a.uhw.comp_mask = 2;
	cr_assert_eq(create_wq_status(&r, &a), -EINVAL,
		     "the type comes before what libmlx5 says");
}

Test(SUITE, sizes)
{
	struct wq_attr a;

	a = wq_attr(&r);
	a.cmd.max_wr = (1u << PRM_GET(cmd_hca_cap, r.b.hca.caps[0], log_max_wq_sz)) + 1;
	cr_assert_eq(create_wq_status(&r, &a), -EINVAL);
	a.cmd.max_wr--;
	cr_assert_eq(create_wq_status(&r, &a), 0);
	a.uhw.rq_wqe_count = 0;
	cr_assert_eq(create_wq_status(&r, &a), -EINVAL);
	a.uhw.rq_wqe_count = 16;
	a.uhw.rq_wqe_shift = 32;
	cr_assert_eq(create_wq_status(&r, &a), -EINVAL);
	a.uhw.rq_wqe_shift = 29;
	cr_assert_eq(create_wq_status(&r, &a), -EINVAL, "16 << 29 does not fit into 32 bits");
	a = wq_attr(&r);
	a.uhw.buf_addr = 0;
	cr_assert_eq(create_wq_status(&r, &a), -EINVAL);
	a.uhw.buf_addr = 16;
	cr_assert_eq(create_wq_status(&r, &a), -EFAULT);
}

static void plain(struct hca *hca)
{
	uint8_t *eth = hca->caps[PRM_CAP_ETHERNET_OFFLOADS];

	PRM_SET(cmd_hca_cap, hca->caps[0], striding_rq, 0);
	PRM_SET(cmd_hca_cap, hca->caps[0], end_pad, 0);
	PRM_SET(per_protocol_networking_offload_caps, eth, vlan_cap, 0);
	PRM_SET(per_protocol_networking_offload_caps, eth, scatter_fcs, 0);
}

Test(SUITE, what_the_adapter_lacks_is_not_supported)
{
	static const uint32_t flags[] = { IB_UVERBS_WQ_FLAGS_CVLAN_STRIPPING,
					  IB_UVERBS_WQ_FLAGS_SCATTER_FCS,
					  IB_UVERBS_WQ_FLAGS_DELAY_DROP,
					  IB_UVERBS_WQ_FLAGS_PCI_WRITE_END_PADDING };
	struct wq_attr a;

	if (!has_cap(CAP_SYS_RAWIO))
		cr_skip_test("CAP_SYS_RAWIO is needed");
	qp_close();
	rig_up_with(&r, plain);
	a = wq_attr(&r);
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		a.cmd.create_flags = flags[i];
		cr_assert_eq(create_wq_status(&r, &a), -EOPNOTSUPP, "flag 0x%x", flags[i]);
	}
	a.cmd.create_flags = 0;
	a.uhw.comp_mask = MLX5_IB_CREATE_WQ_STRIDING_RQ;
	cr_assert_eq(create_wq_status(&r, &a), -EOPNOTSUPP);
	a.uhw.comp_mask = 2;
	cr_assert_eq(create_wq_status(&r, &a), -EOPNOTSUPP);
	a.uhw.comp_mask = 0;
	a.cmd.create_flags = IB_UVERBS_WQ_FLAGS_DELAY_DROP;
	a.cmd.wq_type = 1;
	drop_cap(CAP_SYS_RAWIO);
	cr_assert_eq(create_wq_status(&r, &a), -EPERM);
}

static void strides(struct hca *hca)
{
	PRM_SET(cmd_hca_cap, hca->caps[0], striding_rq, 1);
	PRM_SET(cmd_hca_cap, hca->caps[0], ext_stride_num_range, 0);
}

Test(SUITE, strides_have_bounds)
{
	static const struct {
		uint32_t bytes, strides;
	} bad[] = { { 5, 9 }, { 14, 9 }, { 6, 8 }, { 6, 17 } };
	struct wq_attr a;

	qp_close();
	rig_up_with(&r, strides);
	a = wq_attr(&r);
	a.uhw.comp_mask = MLX5_IB_CREATE_WQ_STRIDING_RQ;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		a.uhw.single_stride_log_num_of_bytes = bad[i].bytes;
		a.uhw.single_wqe_log_num_of_strides = bad[i].strides;
		cr_assert_eq(create_wq_status(&r, &a), -EINVAL, "%u %u", bad[i].bytes,
			     bad[i].strides);
	}
}

Test(SUITE, states)
{
	struct ib_uverbs_ex_modify_wq m = { .attr_mask = IBV_WQ_ATTR_STATE };
	struct ib_uverbs_ex_create_wq_resp wq;

	wq = new_wq(&r);
	m.wq_handle = wq.wq_handle;
	m.wq_state = IBV_WQS_RDY;
	cr_assert_eq(modify_wq(&r, &m), 0);
	cr_assert_eq(rq(&r, wq.wqn)->state, PRM_RQC_STATE_RDY);
	m.attr_mask = IBV_WQ_ATTR_FLAGS;
	m.flags_mask = IB_UVERBS_WQ_FLAGS_CVLAN_STRIPPING;
	for (int strips = 1; strips >= 0; strips--) {
		m.flags = strips ? IB_UVERBS_WQ_FLAGS_CVLAN_STRIPPING : 0;
		cr_assert_eq(modify_wq(&r, &m), 0);
		cr_assert_eq(PRM_GET(rqc, rq(&r, wq.wqn)->rqc, vsd), !strips);
	}
	m.attr_mask = IBV_WQ_ATTR_STATE;
	m.wq_state = IBV_WQS_ERR;
	cr_assert_eq(modify_wq(&r, &m), 0);
	cr_assert_eq(rq(&r, wq.wqn)->state, PRM_RQC_STATE_ERR);
	m.wq_state = IBV_WQS_RDY;
	cr_assert_eq(modify_wq(&r, &m), -EINVAL, "the way goes by RESET");
	m.attr_mask |= IBV_WQ_ATTR_CURR_STATE;
	m.curr_wq_state = IBV_WQS_RDY;
	m.wq_state = IBV_WQS_RESET;
	cr_assert_eq(modify_wq(&r, &m), -EINVAL, "it is not in RDY");
	m.curr_wq_state = IBV_WQS_ERR;
	cr_assert_eq(modify_wq(&r, &m), 0);
	cr_assert_eq(rq(&r, wq.wqn)->state, PRM_RQC_STATE_RST);
}

Test(SUITE, modify_is_checked)
{
	struct ib_uverbs_ex_modify_wq m = { 0 };
	struct ib_uverbs_ex_create_wq_resp wq;

	qp_close();
	rig_up_with(&r, plain);
	wq = new_wq(&r);
	m.wq_handle = wq.wq_handle;
	cr_assert_eq(modify_wq(&r, &m), -EINVAL, "nothing to change");
	m.attr_mask = 8;
	cr_assert_eq(modify_wq(&r, &m), -EINVAL);
	m.attr_mask = IBV_WQ_ATTR_STATE;
	m.wq_state = IBV_WQS_ERR + 1;
	cr_assert_eq(modify_wq(&r, &m), -EINVAL);
	m.attr_mask = IBV_WQ_ATTR_FLAGS;
	m.flags_mask = IB_UVERBS_WQ_FLAGS_CVLAN_STRIPPING;
	cr_assert_eq(modify_wq(&r, &m), -EOPNOTSUPP);
	m.flags_mask = IB_UVERBS_WQ_FLAGS_PCI_WRITE_END_PADDING;
	cr_assert_eq(modify_wq(&r, &m), -EOPNOTSUPP);
	m.attr_mask = IBV_WQ_ATTR_STATE;
	m.wq_state = IBV_WQS_RDY;
	for (int bit = 0; bit < 32; bit++) {
		struct mlx5_ib_modify_wq mask = { .comp_mask = 1u << bit },
					 reserved = { .reserved = 1u << bit };

		cr_expect_eq(modify_wq_with(&r, &m, mask), -EOPNOTSUPP, "%d", bit);
		cr_expect_eq(modify_wq_with(&r, &m, reserved), -EOPNOTSUPP, "%d", bit);
	}
	m.wq_handle = r.pd;
	cr_assert_eq(modify_wq(&r, &m), -EINVAL);
}

Test(SUITE, users_stay)
{
	struct ib_uverbs_destroy_cq_resp resp;
	struct ib_uverbs_destroy_qp_resp qp;
	struct ib_uverbs_ex_create_wq_resp wq;

	wq = new_wq(&r);
	cr_assert_eq(destroy_qp(&r.b, r.qp.handle, &qp), 0);
	cr_assert_eq(destroy_cq(&r.b, r.cq.handle, &resp), -EBUSY);
	cr_assert_eq(dealloc_pd(&r.b, r.pd), -EBUSY);
	cr_assert_eq(destroy_wq(&r, wq.wq_handle), 0);
	cr_assert_eq(destroy_cq(&r.b, r.cq.handle, &resp), 0);
	cr_assert_eq(dealloc_pd(&r.b, r.pd), 0);
}
