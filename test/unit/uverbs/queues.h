/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queues on the bench: a CQ and a QP as libmlx5 would create them, every argument open to
 * change.
 */
#ifndef TEST_UVERBS_QUEUES_H
#define TEST_UVERBS_QUEUES_H

#include <poll.h>

#include "bench.h"

/* channel, async: file descriptors, 0 leaves them out; so does own_uar, of
 * Linux 6.12 (MLX5_IB_ATTR_CREATE_CQ_UAR_INDEX). */
struct cq_attr {
	int64_t channel, async;
	uint32_t cqe, vector, own_uar;
	uint64_t flags, user_handle;
	struct mlx5_ib_create_cq uhw;
};

struct cq {
	uint32_t handle, cqe, cqn;
};

static inline struct cq_attr cq_attr(const struct uar *uar)
{
	return (struct cq_attr){ .cqe = 63,
				 .user_handle = 0xc0ffee,
				 .uhw = { .buf_addr = (uintptr_t)pages(2),
					  .db_addr = (uintptr_t)pages(1),
					  .cqe_size = 64,
					  .flags = MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX,
					  .uar_page_index = uar->page } };
}

static inline int create_cq(struct bench *b, const struct cq_attr *a, struct cq *cq)
{
	struct call c = call(UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE);
	struct ib_uverbs_attr *h = call_object(&c, UVERBS_ATTR_CREATE_CQ_HANDLE, 0);
	struct mlx5_ib_create_cq_resp resp = { 0 };
	int ret;

	call_u32(&c, UVERBS_ATTR_CREATE_CQ_CQE, a->cqe);
	call_u64(&c, UVERBS_ATTR_CREATE_CQ_USER_HANDLE, a->user_handle);
	call_u32(&c, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, a->vector);
	call_u64(&c, UVERBS_ATTR_CREATE_CQ_FLAGS, a->flags);
	if (a->channel)
		call_object(&c, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL, a->channel);
	if (a->async)
		call_object(&c, UVERBS_ATTR_CREATE_CQ_EVENT_FD, a->async);
	if (a->own_uar)
		call_u32(&c, 0x1002, a->own_uar);
	call_out(&c, UVERBS_ATTR_CREATE_CQ_RESP_CQE, &cq->cqe, 4);
	call_in(&c, UVERBS_ATTR_UHW_IN, &a->uhw, sizeof(a->uhw));
	call_out(&c, UVERBS_ATTR_UHW_OUT, &resp, sizeof(resp));
	ret = call_run(b, &c);
	cq->handle = h->data;
	cq->cqn = resp.cqn;
	return ret;
}

static inline int destroy_cq(struct bench *b, uint32_t cq,
			     struct ib_uverbs_destroy_cq_resp *resp)
{
	struct call c = call(UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY);

	call_object(&c, UVERBS_ATTR_DESTROY_CQ_HANDLE, cq);
	call_out(&c, UVERBS_ATTR_DESTROY_CQ_RESP, resp, sizeof(*resp));
	return call_run(b, &c);
}

static inline int channel(struct bench *b)
{
	struct ib_uverbs_create_comp_channel cmd = { 0 };
	struct ib_uverbs_create_comp_channel_resp resp;

	cr_assert_eq(write_cmd(b, IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL, &cmd, sizeof(cmd),
			       &resp, sizeof(resp)),
		     0);
	return (int)resp.fd;
}

static inline bool readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1 && p.revents & POLLIN;
}

struct qp_attr {
	uint32_t pd, scq, rcq, type;
	uint64_t flags, user_handle;
	struct ib_uverbs_qp_cap cap;
	struct mlx5_ib_create_qp uhw;
};

struct qp {
	uint32_t handle, qpn, bfreg;
	struct ib_uverbs_qp_cap cap;
};

/* Everything that a QP needs, and a QP. */
struct rig {
	struct bench b;
	struct uar uar;
	uint32_t pd;
	struct cq cq;
	struct qp_attr attr;
	struct qp qp;
};

static inline int create_qp(struct bench *b, const struct qp_attr *a, struct qp *qp)
{
	struct call c = call(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE);
	struct ib_uverbs_attr *h = call_object(&c, UVERBS_ATTR_CREATE_QP_HANDLE, 0);
	struct mlx5_ib_create_qp_resp resp = { 0 };
	int ret;

	call_object(&c, UVERBS_ATTR_CREATE_QP_PD_HANDLE, a->pd);
	call_object(&c, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, a->scq);
	call_object(&c, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, a->rcq);
	call_u64(&c, UVERBS_ATTR_CREATE_QP_USER_HANDLE, a->user_handle);
	call_in(&c, UVERBS_ATTR_CREATE_QP_CAP, &a->cap, sizeof(a->cap));
	call_u64(&c, UVERBS_ATTR_CREATE_QP_TYPE, a->type);
	call_u64(&c, UVERBS_ATTR_CREATE_QP_FLAGS, a->flags);
	call_out(&c, UVERBS_ATTR_CREATE_QP_RESP_CAP, &qp->cap, sizeof(qp->cap));
	call_out(&c, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, &qp->qpn, 4);
	call_in(&c, UVERBS_ATTR_UHW_IN, &a->uhw, sizeof(a->uhw));
	call_out(&c, UVERBS_ATTR_UHW_OUT, &resp, sizeof(resp));
	ret = call_run(b, &c);
	qp->handle = h->data;
	qp->bfreg = resp.bfreg_index;
	return ret;
}

static inline int destroy_qp(struct bench *b, uint32_t qp,
			     struct ib_uverbs_destroy_qp_resp *resp)
{
	struct call c = call(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY);

	call_object(&c, UVERBS_ATTR_DESTROY_QP_HANDLE, qp);
	call_out(&c, UVERBS_ATTR_DESTROY_QP_RESP, resp, sizeof(*resp));
	return call_run(b, &c);
}

/* An RC QP: 16 receive WQEs of 64 bytes, then 64 send basic blocks; 5 KiB in 2 pages. */
static inline void rig_attr(struct rig *r)
{
	r->attr = (struct qp_attr){
		.pd = r->pd,
		.scq = r->cq.handle,
		.rcq = r->cq.handle,
		.type = IB_UVERBS_QPT_RC,
		.user_handle = 0xdecade,
		.cap = { .max_send_wr = 16,
			 .max_recv_wr = 16,
			 .max_send_sge = 4,
			 .max_recv_sge = 4 },
		.uhw = { .buf_addr = (uintptr_t)pages(2),
			 .db_addr = (uintptr_t)pages(1),
			 .sq_wqe_count = 64,
			 .rq_wqe_count = 16,
			 .rq_wqe_shift = 6,
			 .flags = MLX5_QP_FLAG_UAR_PAGE_INDEX | MLX5_QP_FLAG_SCATTER_CQE,
			 .uidx = 7,
			 .bfreg_index = r->uar.page },
	};
}

static inline void rig_queues(struct rig *r)
{
	struct cq_attr a;

	cr_assert_eq(alloc_uar(&r->b, MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC, &r->uar), 0);
	r->pd = alloc_pd(&r->b);
	a = cq_attr(&r->uar);
	cr_assert_eq(create_cq(&r->b, &a, &r->cq), 0);
	rig_attr(r);
	cr_assert_eq(create_qp(&r->b, &r->attr, &r->qp), 0);
}

static inline void rig_up_as(struct rig *r, uint16_t kernel)
{
	bench_context_as(&r->b, kernel);
	rig_queues(r);
}

static inline void rig_up(struct rig *r)
{
	bench_context(&r->b);
	rig_queues(r);
}

static inline void rig_down(struct rig *r)
{
	bench_down(&r->b);
}

/* ---- suites ---- */

static __attribute__((unused)) struct rig r;

static inline void qp_open(void)
{
	rig_up(&r);
}

static inline void qp_close(void)
{
	rig_down(&r);
}

/* r has a context, a UAR, a PD, a CQ and an RC QP. */
#define QP_SUITE(name) TestSuite(name, .init = qp_open, .fini = qp_close)

static __attribute__((unused)) uint16_t length;

/* The call with so many bytes of what mlx5_ib reads. */
static inline int with_length(struct bench *b, struct call *c)
{
	for (int i = 0; i < c->hdr.num_attrs; i++)
		if (c->attr[i].attr_id == UVERBS_ATTR_UHW_IN)
			c->attr[i].len = length;
	return call_once(b, c);
}

/* ---- modify and query ---- */

static inline int modify(struct rig *r, const struct ib_uverbs_modify_qp *a)
{
	return write_cmd(&r->b, IB_USER_VERBS_CMD_MODIFY_QP, a, sizeof(*a), NULL, 0);
}

/* The extended command, with options of ECE; @uhw.out: what mlx5_ib answers. */
static inline int modify_ece(struct rig *r, const struct ib_uverbs_modify_qp *a, uint32_t ece,
			     struct buf uhw)
{
	struct ib_uverbs_ex_modify_qp cmd = { .base = *a };
	struct ib_uverbs_ex_modify_qp_resp resp = { 0 };
	struct mlx5_ib_modify_qp in = { .ece_options = ece };
	uint64_t ex = IB_USER_VERBS_EX_CMD_MODIFY_QP | IB_USER_VERBS_CMD_FLAG_EXTENDED;

	uhw.in = &in;
	uhw.in_len = sizeof(in);
	return write_uhw(&r->b, ex, (struct buf){ &cmd, sizeof(cmd), &resp, sizeof(resp) },
			 uhw);
}

static inline struct ib_uverbs_modify_qp to_init(const struct rig *r)
{
	return (struct ib_uverbs_modify_qp){
		.qp_handle = r->qp.handle,
		.attr_mask =
			IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
	};
}

/* To ::ffff:10.0.0.2 by RoCE v2. */
static inline struct ib_uverbs_modify_qp to_rtr(const struct rig *r)
{
	return (struct ib_uverbs_modify_qp){
		.qp_handle = r->qp.handle,
		.attr_mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			     IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
		.qp_state = IBV_QPS_RTR,
		.dest = { .dgid = { [10] = 0xff, [11] = 0xff, 10, 0, 0, 2 },
			  .sgid_index = 3,
			  .hop_limit = 1,
			  .traffic_class = 0x68,
			  .sl = 3,
			  .is_global = 1,
			  .port_num = 1 },
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = 0x020123,
		.rq_psn = 0x123456,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 12,
	};
}

static inline struct ib_uverbs_modify_qp to_rts(const struct rig *r)
{
	return (struct ib_uverbs_modify_qp){
		.qp_handle = r->qp.handle,
		.attr_mask = IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			     IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC,
		.qp_state = IBV_QPS_RTS,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 6,
		.sq_psn = 0x654321,
		.max_rd_atomic = 8,
	};
}

static inline struct ib_uverbs_modify_qp to_state(const struct rig *r, uint8_t state)
{
	return (struct ib_uverbs_modify_qp){ .qp_handle = r->qp.handle,
					     .attr_mask = IBV_QP_STATE,
					     .qp_state = state };
}

static inline struct ib_uverbs_query_qp_resp query(struct rig *r)
{
	struct ib_uverbs_query_qp cmd = { .qp_handle = r->qp.handle };
	struct ib_uverbs_query_qp_resp resp;

	memset(&resp, 0xaa, sizeof(resp));
	cr_assert_eq(write_cmd(&r->b, IB_USER_VERBS_CMD_QUERY_QP, &cmd, sizeof(cmd), &resp,
			       sizeof(resp)),
		     0);
	return resp;
}

/* Up to @state on the straight way. */
static inline void walk_to(struct rig *r, uint8_t state)
{
	struct ib_uverbs_modify_qp init = to_init(r), rtr = to_rtr(r), rts = to_rts(r);

	if (state >= IBV_QPS_INIT)
		cr_assert_eq(modify(r, &init), 0);
	if (state >= IBV_QPS_RTR)
		cr_assert_eq(modify(r, &rtr), 0);
	if (state >= IBV_QPS_RTS)
		cr_assert_eq(modify(r, &rts), 0);
}

/* The change @a of the QP in state @from. */
static inline int modify_from(struct rig *r, const struct ib_uverbs_modify_qp *a, uint8_t from)
{
	struct ib_uverbs_modify_qp reset = to_state(r, IBV_QPS_RESET);

	cr_assert_eq(modify(r, &reset), 0);
	walk_to(r, from);
	return modify(r, a);
}

#endif
