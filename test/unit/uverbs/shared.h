/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared receive queues and XRC domains on the bench, and QPs of every type: what is -1 is left
 * out.
 */
#ifndef TEST_UVERBS_SHARED_H
#define TEST_UVERBS_SHARED_H

#include "queues.h"

#define ABSENT (-1)

static inline int open_xrcd(struct bench *b, int fd, uint32_t oflags, uint32_t *handle)
{
	struct ib_uverbs_open_xrcd cmd = { .fd = fd, .oflags = oflags };
	struct ib_uverbs_open_xrcd_resp resp = { 0 };
	int ret = write_cmd(b, IB_USER_VERBS_CMD_OPEN_XRCD, &cmd, sizeof(cmd), &resp,
			    sizeof(resp));

	*handle = resp.xrcd_handle;
	return ret;
}

static inline int close_xrcd(struct bench *b, uint32_t xrcd)
{
	return destroy(b, UVERBS_OBJECT_XRCD, UVERBS_METHOD_XRCD_DESTROY,
		       UVERBS_ATTR_DESTROY_XRCD_HANDLE, xrcd);
}

struct srq_attr {
	int64_t xrcd, cq;
	uint32_t pd, type, max_wr, max_sge;
	uint64_t user_handle;
	struct mlx5_ib_create_srq uhw;
};

struct srq {
	uint32_t handle, srqn, max_wr, max_sge;
};

/* 63 WQEs of 3 data segments: 64 of 64 bytes, one page */
static inline struct srq_attr srq_attr(uint32_t pd)
{
	return (struct srq_attr){ .xrcd = ABSENT,
				  .cq = ABSENT,
				  .pd = pd,
				  .type = IB_UVERBS_SRQT_BASIC,
				  .max_wr = 63,
				  .max_sge = 3,
				  .user_handle = 0x5a5a,
				  .uhw = { .buf_addr = (uintptr_t)pages(1),
					   .db_addr = (uintptr_t)pages(1),
					   .uidx = 9 } };
}

static inline int create_srq(struct bench *b, const struct srq_attr *a, struct srq *srq)
{
	struct call c = call(UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE);
	struct ib_uverbs_attr *h = call_object(&c, UVERBS_ATTR_CREATE_SRQ_HANDLE, 0);
	struct mlx5_ib_create_srq_resp resp = { 0 };
	uint32_t num = 0;
	int ret;

	call_object(&c, UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, a->pd);
	if (a->xrcd != ABSENT)
		call_object(&c, UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE, a->xrcd);
	if (a->cq != ABSENT)
		call_object(&c, UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE, a->cq);
	call_u64(&c, UVERBS_ATTR_CREATE_SRQ_USER_HANDLE, a->user_handle);
	call_u32(&c, UVERBS_ATTR_CREATE_SRQ_MAX_WR, a->max_wr);
	call_u32(&c, UVERBS_ATTR_CREATE_SRQ_MAX_SGE, a->max_sge);
	call_u32(&c, UVERBS_ATTR_CREATE_SRQ_LIMIT, 0);
	call_u64(&c, UVERBS_ATTR_CREATE_SRQ_TYPE, a->type);
	call_out(&c, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, &srq->max_wr, 4);
	call_out(&c, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, &srq->max_sge, 4);
	if (a->type == IB_UVERBS_SRQT_XRC)
		call_out(&c, UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM, &num, 4);
	call_in(&c, UVERBS_ATTR_UHW_IN, &a->uhw, sizeof(a->uhw));
	call_out(&c, UVERBS_ATTR_UHW_OUT, &resp, sizeof(resp));
	ret = call_run(b, &c);
	if (!ret && a->type == IB_UVERBS_SRQT_XRC)
		cr_assert_eq(num, resp.srqn);
	srq->handle = h->data;
	srq->srqn = resp.srqn;
	return ret;
}

static inline int destroy_srq(struct bench *b, uint32_t srq, uint32_t *events_reported)
{
	struct call c = call(UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_DESTROY);
	struct ib_uverbs_destroy_srq_resp resp = { 0 };
	int ret;

	call_object(&c, UVERBS_ATTR_DESTROY_SRQ_HANDLE, srq);
	call_out(&c, UVERBS_ATTR_DESTROY_SRQ_RESP, &resp, sizeof(resp));
	ret = call_run(b, &c);
	*events_reported = resp.events_reported;
	return ret;
}

struct typed_attr {
	uint32_t type;
	int64_t pd, scq, rcq, srq, xrcd;
	struct ib_uverbs_qp_cap cap;
	struct mlx5_ib_create_qp uhw;
};

static inline struct typed_attr typed_attr(const struct rig *r, uint32_t type)
{
	return (struct typed_attr){ .type = type,
				    .pd = r->pd,
				    .scq = r->cq.handle,
				    .rcq = r->cq.handle,
				    .srq = ABSENT,
				    .xrcd = ABSENT,
				    .cap = r->attr.cap,
				    .uhw = r->attr.uhw };
}

static inline struct typed_attr target_attr(const struct rig *r, uint32_t xrcd)
{
	struct typed_attr a = typed_attr(r, IB_UVERBS_QPT_XRC_TGT);

	a.pd = a.scq = a.rcq = ABSENT;
	a.xrcd = xrcd;
	return a;
}

static inline void call_optional(struct call *c, uint16_t id, int64_t handle)
{
	if (handle != ABSENT)
		call_object(c, id, handle);
}

static inline int create_typed(struct bench *b, const struct typed_attr *a, struct qp *qp)
{
	struct call c = call(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE);
	struct ib_uverbs_attr *h = call_object(&c, UVERBS_ATTR_CREATE_QP_HANDLE, 0);
	struct mlx5_ib_create_qp_resp resp = { 0 };
	int ret;

	call_optional(&c, UVERBS_ATTR_CREATE_QP_PD_HANDLE, a->pd);
	call_optional(&c, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, a->scq);
	call_optional(&c, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, a->rcq);
	call_optional(&c, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, a->srq);
	call_optional(&c, UVERBS_ATTR_CREATE_QP_XRCD_HANDLE, a->xrcd);
	call_u64(&c, UVERBS_ATTR_CREATE_QP_USER_HANDLE, 0xfeed);
	call_in(&c, UVERBS_ATTR_CREATE_QP_CAP, &a->cap, sizeof(a->cap));
	call_u64(&c, UVERBS_ATTR_CREATE_QP_TYPE, a->type);
	call_out(&c, UVERBS_ATTR_CREATE_QP_RESP_CAP, &qp->cap, sizeof(qp->cap));
	call_out(&c, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, &qp->qpn, 4);
	call_in(&c, UVERBS_ATTR_UHW_IN, &a->uhw, sizeof(a->uhw));
	if (a->type != IB_UVERBS_QPT_XRC_TGT)
		call_out(&c, UVERBS_ATTR_UHW_OUT, &resp, sizeof(resp));
	/* The first target has queues of the driver made, which stay. */
	ret = a->type == IB_UVERBS_QPT_XRC_TGT ? call_once(b, &c) : call_run(b, &c);
	qp->handle = h->data;
	qp->bfreg = resp.bfreg_index;
	return ret;
}

/* To tests that include uverbs/driver.h: what the driver knows stays. */
#define FIRMWARE_HAS_ECE(rig, has) \
	PRM_SET(cmd_hca_cap, (rig)->b.hca.caps[PRM_CAP_GENERAL], ece_support, has)

#endif
