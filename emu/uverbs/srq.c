/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared receive queues (mlx5_ib, srq.c and srq_cmd.c; uverbs_std_types_srq.c).
 *
 *	basic -> CREATE_RMP      user context of the PD
 *	XRC   -> CREATE_XRC_SRQ  uid 0, as its domain
 *	TM    -> -EOPNOTSUPP     (tag matching is not here)
 *
 * The application brings the ring and the record; the kernel sizes both as libmlx5 does:
 * max_wr + 1 WQEs and next_seg + max_sge data segments, each rounded up to a power of two.
 */
#include <assert.h>
#include <stdlib.h>

#include <infiniband/verbs.h>

#include "uverbs/event_fd.h"
#include "uverbs/memlock.h"
#include "uverbs/method.h"
#include "uverbs/umem.h"

#define SEGMENT		16 /* next_seg, data segment */
#define LOG_STRIDE_MIN	5
#define LOG_STRIDE_BASE 4 /* xrc_srqc.log_rq_stride counts from 16 bytes */
#define RECORD_SIZE	4
#define ARM_XRC_SRQ	1 /* MLX5_ARM_XRC_SRQ_IN_OP_MOD_XRC_SRQ */
#define UIDX_MASK	0xffffffu

struct attr {
	uint32_t type, max_wr, max_sge;
	struct mlx5_ib_create_srq mlx5;
	uint8_t log_size, log_stride;
	struct uverbs_pd *pd;
	struct uverbs_xrcd *xrcd;
	struct uverbs_cq *cq;
};

static uint8_t log2_up(uint64_t n)
{
	uint8_t log = 0;

	while (1ull << log < n)
		log++;
	return log;
}

static int read_size(const struct uverbs *u, struct attr *a)
{
	uint32_t max_sge = UVERBS_CAP(u, max_wqe_sz_rq) / SEGMENT;

	if (a->max_wr >= 1u << UVERBS_CAP(u, log_max_srq_sz) || a->max_sge > max_sge)
		return -EINVAL;
	a->log_size = log2_up((uint64_t)a->max_wr + 1);
	a->log_stride = log2_up(SEGMENT + (uint64_t)a->max_sge * SEGMENT);
	if (a->log_stride < LOG_STRIDE_MIN)
		a->log_stride = LOG_STRIDE_MIN;
	return 0;
}

static int read_objects(const struct uverbs_call *c, struct attr *a)
{
	a->pd = uverbs_arg(c, UVERBS_ATTR_CREATE_SRQ_PD_HANDLE);
	if (a->type != IB_UVERBS_SRQT_XRC)
		return 0;
	a->xrcd = uverbs_arg(c, UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE);
	a->cq = uverbs_arg(c, UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE);
	/* uverbs_ioctl.h, uverbs_attr_get: what is optional in general and absent */
	return a->xrcd && a->cq ? 0 : -ENOENT;
}

/* mlx5_ib, srq.c, create_srq_user; <mlx5_ib.h>, get_srq_user_index */
static int read_mlx5(const struct uverbs_call *c, struct attr *a)
{
	struct mlx5_ib_create_srq *m = &a->mlx5;

	if (uverbs_len(c, UVERBS_ATTR_UHW_IN) < offsetof(struct mlx5_ib_create_srq, uidx))
		return -EINVAL;
	if (uverbs_get_all(c, UVERBS_ATTR_UHW_IN, m, sizeof(*m)))
		return -EINVAL;
	if (m->reserved0 || m->reserved1)
		return -EINVAL;
	if (m->flags) /* signatures */
		return -EOPNOTSUPP;
	if (a->type == IB_UVERBS_SRQT_BASIC)
		return 0;
	if (!c->file->cqe_version)
		return m->uidx == UIDX_MASK ? 0 : -EINVAL;
	return m->uidx >= UIDX_MASK ? -EINVAL : 0;
}

static int read_attr(const struct uverbs_call *c, struct attr *a)
{
	int ret;

	a->type = uverbs_number(c, UVERBS_ATTR_CREATE_SRQ_TYPE);
	a->max_wr = uverbs_number(c, UVERBS_ATTR_CREATE_SRQ_MAX_WR);
	a->max_sge = uverbs_number(c, UVERBS_ATTR_CREATE_SRQ_MAX_SGE);
	if (a->type == IB_UVERBS_SRQT_TM)
		return -EOPNOTSUPP;
	if (a->type > IB_UVERBS_SRQT_TM)
		return -EINVAL;
	ret = read_objects(c, a);
	if (!ret)
		ret = read_size(c->u, a);
	return ret ? ret : read_mlx5(c, a);
}

static uint64_t buffer_size(const struct attr *a)
{
	return 1ull << (a->log_size + a->log_stride);
}

static int pin(struct uverbs_call *c, struct attr *a)
{
	int ret = uverbs_umem_get(c, &a->mlx5.buf_addr, buffer_size(a));

	return ret ? ret : uverbs_record_get(c, &a->mlx5.db_addr, RECORD_SIZE);
}

static void fill_rmp(const struct attr *a, const struct uverbs_umem *m, uint32_t offset,
		     uint8_t *in)
{
	uint8_t *rmpc = PRM_ADDR(create_rmp_in, in, ctx), *wq = PRM_ADDR(rmpc, rmpc, wq);

	PRM_SET(create_rmp_in, in, opcode, PRM_OP_CREATE_RMP);
	PRM_SET(create_rmp_in, in, uid, a->pd->uid);
	PRM_SET(rmpc, rmpc, state, PRM_RMPC_STATE_RDY);
	PRM_SET(wq, wq, page_offset, offset);
	PRM_SET(wq, wq, pd, a->pd->pdn);
	PRM_SET(wq, wq, dbr_addr, a->mlx5.db_addr);
	PRM_SET(wq, wq, log_wq_stride, a->log_stride);
	PRM_SET(wq, wq, log_wq_pg_sz, m->page_shift - HCA_PAGE_SHIFT);
	PRM_SET(wq, wq, log_wq_sz, a->log_size);
}

static void fill_xrc(const struct uverbs_file *f, const struct attr *a,
		     const struct uverbs_umem *m, uint32_t offset, uint8_t *in)
{
	uint8_t *xrc = PRM_ADDR(create_xrc_srq_in, in, xrc_srq_context_entry);

	PRM_SET(create_xrc_srq_in, in, opcode, PRM_OP_CREATE_XRC_SRQ);
	PRM_SET(xrc_srqc, xrc, log_xrc_srq_size, a->log_size);
	PRM_SET(xrc_srqc, xrc, log_rq_stride, a->log_stride - LOG_STRIDE_BASE);
	PRM_SET(xrc_srqc, xrc, xrcd, a->xrcd->domain->xrcdn);
	PRM_SET(xrc_srqc, xrc, page_offset, offset);
	PRM_SET(xrc_srqc, xrc, cqn, a->cq->cqn);
	PRM_SET(xrc_srqc, xrc, log_page_size, m->page_shift - HCA_PAGE_SHIFT);
	if (f->cqe_version)
		PRM_SET(xrc_srqc, xrc, user_index, a->mlx5.uidx);
	PRM_SET(xrc_srqc, xrc, pd, a->pd->pdn);
	PRM_SET(xrc_srqc, xrc, db_record_addr_h, a->mlx5.db_addr >> 32);
	PRM_SET(xrc_srqc, xrc, db_record_addr_l, (uint32_t)a->mlx5.db_addr >> 2);
}

static_assert(PRM_SZ(create_rmp_in) == PRM_SZ(create_xrc_srq_in), "the page lists");

static int fw_create(struct uverbs_file *f, const struct attr *a, uint32_t *srqn)
{
	uint8_t out[PRM_SZ(create_rmp_out)] = { 0 }, *in;
	bool xrc = a->type == IB_UVERBS_SRQT_XRC;
	struct uverbs_umem m;
	uint32_t offset;
	size_t in_len;
	int ret = xrc ? uverbs_umem_for_queue(&m, a->mlx5.buf_addr, buffer_size(a), &offset)
		      : uverbs_umem_for_wq(&m, a->mlx5.buf_addr, buffer_size(a), &offset);

	if (ret)
		return ret;
	in_len = PRM_SZ(create_rmp_in) + m.npas * sizeof(uint64_t);
	in = calloc(1, in_len);
	if (!in)
		return -ENOMEM;
	if (xrc)
		fill_xrc(f, a, &m, offset, in);
	else
		fill_rmp(a, &m, offset, in);
	uverbs_umem_fill(&m, in + PRM_SZ(create_rmp_in), 0);
	ret = uverbs_fw(f->u, in, in_len, out, sizeof(out));
	free(in);
	*srqn = PRM_GET(create_rmp_out, out, rmpn);
	return ret;
}

static void answer(struct uverbs_call *c, const struct uverbs_srq *srq)
{
	uint32_t max_wr = srq->wqes - 1;

	uverbs_answer(c, UVERBS_ATTR_UHW_OUT, srq->srqn);
	uverbs_answer(c, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, max_wr);
	uverbs_answer(c, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, srq->max_sge);
	if (!srq->xrcd)
		return;
	/* Optional attributes that are absent: uverbs_ioctl.c, uverbs_copy_to. */
	if (!uverbs_has(c, UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM))
		uverbs_call_fail(c, -ENOENT);
	uverbs_answer(c, UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM, srq->srqn);
}

int uverbs_create_srq(struct uverbs_call *c)
{
	struct uverbs_srq *srq = c->made;
	struct attr a = { 0 };
	int ret = read_attr(c, &a);

	if (!ret)
		ret = pin(c, &a);
	if (!ret)
		ret = fw_create(c->file, &a, &srq->srqn);
	if (ret)
		return ret;
	srq->pd = a.pd;
	srq->xrcd = a.xrcd;
	srq->cq = a.cq;
	srq->wqes = 1u << a.log_size;
	srq->max_sge = a.max_sge;
	uverbs_events_set(c, &srq->events, UVERBS_ATTR_CREATE_SRQ_EVENT_FD,
			  uverbs_number(c, UVERBS_ATTR_CREATE_SRQ_USER_HANDLE));
	answer(c, srq);
	return 0;
}

int uverbs_srq_destroy(struct uverbs *u, void *obj)
{
	const struct uverbs_srq *srq = obj;

	return srq->xrcd ? uverbs_fw_number(u, PRM_OP_DESTROY_XRC_SRQ, 0, srq->srqn)
			 : uverbs_fw_number(u, PRM_OP_DESTROY_RMP, srq->pd->uid, srq->srqn);
}

/* ---- limit ---- */

static int arm_rmp(struct uverbs *u, const struct uverbs_srq *srq, uint32_t limit)
{
	uint8_t in[PRM_SZ(modify_rmp_in)] = { 0 }, out[PRM_SZ(modify_rmp_out)] = { 0 };
	uint8_t *rmpc = PRM_ADDR(modify_rmp_in, in, ctx);

	PRM_SET(modify_rmp_in, in, opcode, PRM_OP_MODIFY_RMP);
	PRM_SET(modify_rmp_in, in, uid, srq->pd->uid);
	PRM_SET(modify_rmp_in, in, rmp_state, PRM_RMPC_STATE_RDY);
	PRM_SET(modify_rmp_in, in, rmpn, srq->srqn);
	PRM_SET(rmp_bitmask, PRM_ADDR(modify_rmp_in, in, bitmask), lwm, 1);
	PRM_SET(rmpc, rmpc, state, PRM_RMPC_STATE_RDY);
	PRM_SET(wq, PRM_ADDR(rmpc, rmpc, wq), lwm, limit);
	return uverbs_fw(u, in, sizeof(in), out, sizeof(out));
}

static int arm_xrc(struct uverbs *u, const struct uverbs_srq *srq, uint32_t limit)
{
	uint8_t in[PRM_SZ(arm_xrc_srq_in)] = { 0 }, out[PRM_SZ(arm_xrc_srq_out)] = { 0 };

	PRM_SET(arm_xrc_srq_in, in, opcode, PRM_OP_ARM_XRC_SRQ);
	PRM_SET(arm_xrc_srq_in, in, op_mod, ARM_XRC_SRQ);
	PRM_SET(arm_xrc_srq_in, in, xrc_srqn, srq->srqn);
	PRM_SET(arm_xrc_srq_in, in, lwm, limit);
	return uverbs_fw(u, in, sizeof(in), out, sizeof(out));
}

/* mlx5_ib, srq.c, mlx5_ib_modify_srq: no resizing. */
int uverbs_modify_srq(struct uverbs_call *c)
{
	struct ib_uverbs_modify_srq cmd;
	struct uverbs_srq *srq;
	int ret = uverbs_request(c, &cmd);

	if (ret)
		return ret;
	srq = uverbs_named(c, cmd.srq_handle, UVERBS_SRQ);
	if (!srq || cmd.attr_mask & IBV_SRQ_MAX_WR)
		return -EINVAL;
	if (!(cmd.attr_mask & IBV_SRQ_LIMIT))
		return 0;
	if (cmd.srq_limit >= srq->wqes)
		return -EINVAL;
	return srq->xrcd ? arm_xrc(c->u, srq, cmd.srq_limit)
			 : arm_rmp(c->u, srq, cmd.srq_limit);
}

static int read_limit(struct uverbs *u, const struct uverbs_srq *srq, uint32_t *limit)
{
	uint8_t in[PRM_SZ(query_rmp_in)] = { 0 }, out[PRM_SZ(query_rmp_out)] = { 0 };
	const uint8_t *rmpc = PRM_ADDR(query_rmp_out, out, rmp_context);
	const uint8_t *xrc = PRM_ADDR(query_xrc_srq_out, out, xrc_srq_context_entry);
	int ret;

	static_assert(PRM_SZ(query_rmp_out) == PRM_SZ(query_xrc_srq_out), "query");
	PRM_SET(query_rmp_in, in, opcode, srq->xrcd ? PRM_OP_QUERY_XRC_SRQ : PRM_OP_QUERY_RMP);
	PRM_SET(query_rmp_in, in, rmpn, srq->srqn);
	ret = uverbs_fw(u, in, sizeof(in), out, sizeof(out));
	*limit = srq->xrcd ? PRM_GET(xrc_srqc, xrc, lwm)
			   : PRM_GET(wq, PRM_ADDR(rmpc, rmpc, wq), lwm);
	return ret;
}

int uverbs_query_srq(struct uverbs_call *c)
{
	struct ib_uverbs_query_srq_resp resp = { 0 };
	struct ib_uverbs_query_srq cmd;
	struct uverbs_srq *srq;
	int ret = uverbs_request(c, &cmd);

	if (ret)
		return ret;
	srq = uverbs_named(c, cmd.srq_handle, UVERBS_SRQ);
	if (!srq)
		return -EINVAL;
	ret = read_limit(c->u, srq, &resp.srq_limit);
	if (ret)
		return ret;
	resp.max_wr = srq->wqes - 1;
	resp.max_sge = srq->max_sge;
	uverbs_response(c, &resp);
	return 0;
}
