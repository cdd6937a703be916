/* SPDX-License-Identifier: BSD-2-Clause */
/* The counted posts, API by API. */
#include "cost/posts.h"
#include "machine/step.h"

const char *const api_name[APIS] = {
	[API_POST_SEND] = "ibv_post_send",
	[API_FILL_POST_SEND] = "fill + post_send",
	[API_WR] = "ibv_wr_*",
	[API_CHECKED] = "dv checked",
	[API_COMPOSED] = "dv composed",
	[API_BATCH] = "dv batch",
	[API_BATCH_NEXT] = "dv batch next",
	[API_UNCHECKED] = "dv unchecked",
	[API_STAMPED] = "dv stamped",
};

enum {
	SIGNALLED = MLX5_WQE_CTRL_CQ_UPDATE,
};

#define COUNTED __attribute__((noinline))

static COUNTED void post_send(struct rig_queue *q, struct rig_job *job)
{
	struct ibv_send_wr *bad;
	int err;

	STEP_BEGIN();
	err = ibv_post_send(q->qp, job->wr, &bad);
	STEP_END();
	ok(err);
}

static COUNTED void fill_post_send(struct rig_queue *q, struct rig_job *job, enum rig_op op)
{
	struct ibv_send_wr *bad;
	int err;

	STEP_BEGIN();
	rig_fill(job, op);
	err = ibv_post_send(q->qp, job->wr, &bad);
	STEP_END();
	ok(err);
}

static COUNTED void wr_post(struct rig_queue *q, const struct rig_job *job, enum rig_op op)
{
	struct ibv_qp_ex *qpx = q->qpx;
	int err;

	STEP_BEGIN();
	ibv_wr_start(qpx);
	for (unsigned int i = 0; i < job->n; i++) {
		qpx->wr_id = i;
		qpx->wr_flags = i + 1 == job->n ? IBV_SEND_SIGNALED : 0;
		if (op == RIG_WRITE_INLINE || op == RIG_WRITE_SGE)
			ibv_wr_rdma_write(qpx, job->to.rkey, job->to.raddr + 64 * i);
		else
			ibv_wr_send(qpx);
		if (op == RIG_UD_SEND)
			ibv_wr_set_ud_addr(qpx, job->ah, job->remote_qpn, job->remote_qkey);
		if (op == RIG_WRITE_INLINE || op == RIG_UD_SEND)
			ibv_wr_set_inline_data(qpx, (void *)job->src, job->len);
		else
			ibv_wr_set_sge(qpx, job->sge.lkey, job->sge.addr + 64 * i,
				       job->sge.length);
	}
	err = ibv_wr_complete(qpx);
	STEP_END();
	ok(err);
}

/* One batch, as an application has it: its arguments in variables, another address each time. A
 * batch of one is no loop. BEGIN and END: of a batch (batch.h), or nothing. */
#define POSTS(name, queue, BEGIN, END, call)                                     \
	static COUNTED void name(struct rig_queue *q, const struct rig_job *job) \
	{                                                                        \
		struct dv_raddr to = job->to;                                    \
		struct ibv_sge sge = job->sge;                                   \
		const void *src = job->src;                                      \
		uint32_t len = job->len;                                         \
		struct dv_batch b;                                               \
		struct dv_sq *sq = queue;                                        \
		unsigned int i, n = job->n;                                      \
		uint8_t flags = SIGNALLED;                                       \
		int err = 0;                                                     \
                                                                                 \
		(void)to, (void)sge, (void)src, (void)len, (void)b, (void)sq;    \
		if (n == 1) {                                                    \
			STEP_BEGIN();                                            \
			err = BEGIN(1);                                          \
			if (!err)                                                \
				err = call;                                      \
			END();                                                   \
			dv_sq_doorbell(&q->sq);                                  \
			STEP_END();                                              \
			ok(err);                                                 \
			return;                                                  \
		}                                                                \
		STEP_BEGIN();                                                    \
		if (BEGIN(n))                                                    \
			errx(1, "no space for a batch");                         \
		for (i = 0; i < n; i++, to.raddr += 64, sge.addr += 64) {        \
			flags = i + 1 == n ? SIGNALLED : 0;                      \
			err = call;                                              \
			if (err)                                                 \
				break;                                           \
		}                                                                \
		END();                                                           \
		dv_sq_doorbell(&q->sq);                                          \
		STEP_END();                                                      \
		ok(err);                                                         \
	}

#define NO_BEGIN(n)	      0
#define NO_END()	      ((void)0)
#define BEGIN_ANY(n)	      dv_batch_begin(&b, &q->sq, 0)
#define BEGIN_N(n)	      dv_batch_begin(&b, &q->sq, (uint16_t)(n))
#define END_BATCH()	      dv_batch_end(&b)
#define DIRECT(name, call)    POSTS(name, &q->sq, NO_BEGIN, NO_END, call)
#define BATCHED(name, call)   POSTS(name, &b.sq, BEGIN_ANY, END_BATCH, call)
#define BATCHED_N(name, call) POSTS(name, &b.sq, BEGIN_N, END_BATCH, call)

DIRECT(checked_write_inline, dv_sq_write_inline(sq, flags, to, src, len))
DIRECT(checked_write, dv_sq_write(sq, flags, to, &sge, 1))
DIRECT(checked_send, dv_sq_send(sq, flags, &sge, 1))

/* Segment by segment. */
DV_INLINE int composed_write_inline(struct dv_sq *sq, uint8_t flags, struct dv_raddr to,
				    const void *src, uint32_t len)
{
	void *seg = dv_sq_reserve(sq, 1);

	if (!seg)
		return ENOMEM;
	seg = dv_set_raddr_seg(seg, to);
	seg = dv_set_inline_seg(seg, src, len);
	dv_sq_commit(sq, seg, MLX5_OPCODE_RDMA_WRITE, 0, flags, 0);
	return 0;
}

DV_INLINE int composed_write(struct dv_sq *sq, uint8_t flags, struct dv_raddr to,
			     const struct ibv_sge *sge)
{
	void *seg = dv_sq_reserve(sq, 1);

	if (!seg)
		return ENOMEM;
	seg = dv_set_raddr_seg(seg, to);
	seg = dv_set_data_seg(seg, sge);
	dv_sq_commit(sq, seg, MLX5_OPCODE_RDMA_WRITE, 0, flags, 0);
	return 0;
}

DV_INLINE int composed_send(struct dv_sq *sq, uint8_t flags, const struct ibv_sge *sge)
{
	void *seg = dv_sq_reserve(sq, 1);

	if (!seg)
		return ENOMEM;
	seg = dv_set_data_seg(seg, sge);
	dv_sq_commit(sq, seg, MLX5_OPCODE_SEND, 0, flags, 0);
	return 0;
}

DV_INLINE int composed_ud(struct dv_sq *sq, uint8_t flags, const struct mlx5_wqe_av *av,
			  const void *src, uint32_t len)
{
	void *seg = dv_sq_reserve(sq, 2);

	if (!seg)
		return ENOMEM;
	seg = dv_set_av_seg(seg, av);
	seg = dv_set_inline_seg(seg, src, len);
	dv_sq_commit(sq, seg, MLX5_OPCODE_SEND, 0, flags, 0);
	return 0;
}

DIRECT(compose_write_inline, composed_write_inline(sq, flags, to, src, len))
DIRECT(compose_write, composed_write(sq, flags, to, &sge))
DIRECT(compose_send, composed_send(sq, flags, &sge))
DIRECT(compose_ud, composed_ud(sq, flags, &job->av, src, len))

BATCHED(batch_write_inline, composed_write_inline(sq, flags, to, src, len))
BATCHED(batch_write, composed_write(sq, flags, to, &sge))
BATCHED(batch_send, composed_send(sq, flags, &sge))
BATCHED(batch_ud, composed_ud(sq, flags, &job->av, src, len))

/* The space of the batch was checked by dv_batch_begin(); the length of inline data is that of
 * a type. */
DV_INLINE int next_write_inline(struct dv_batch *b, uint8_t flags, struct dv_raddr to,
				const uint64_t *value)
{
	void *seg = dv_set_raddr_seg(dv_batch_next(b), to);

	seg = dv_set_inline_seg(seg, value, sizeof(*value));
	dv_sq_commit(&b->sq, seg, MLX5_OPCODE_RDMA_WRITE, 0, flags, 0);
	return 0;
}

DV_INLINE int next_write(struct dv_batch *b, uint8_t flags, struct dv_raddr to,
			 const struct ibv_sge *sge)
{
	void *seg = dv_set_raddr_seg(dv_batch_next(b), to);

	seg = dv_set_ptr_seg(seg, sge);
	dv_sq_commit(&b->sq, seg, MLX5_OPCODE_RDMA_WRITE, 0, flags, 0);
	return 0;
}

DV_INLINE int next_send(struct dv_batch *b, uint8_t flags, const struct ibv_sge *sge)
{
	void *seg = dv_set_ptr_seg(dv_batch_next(b), sge);

	dv_sq_commit(&b->sq, seg, MLX5_OPCODE_SEND, 0, flags, 0);
	return 0;
}

BATCHED_N(batch_next_write_inline, next_write_inline(&b, flags, to, src))
BATCHED_N(batch_next_write, next_write(&b, flags, to, &sge))
BATCHED_N(batch_next_send, next_send(&b, flags, &sge))

/* dv by its internal calls, without any check for space: what a check costs. */
DV_INLINE int unchecked_write_inline(struct dv_sq *sq, uint8_t flags, struct dv_raddr to,
				     const uint64_t *value)
{
	void *wqe = dv_sq_next_(sq);
	void *seg = dv_set_raddr_seg(dv_wqe_body(wqe), to);

	seg = dv_set_inline_seg(seg, value, sizeof(*value));
	dv_sq_commit_at_(sq, wqe, seg, MLX5_OPCODE_RDMA_WRITE, 0, flags, 0);
	return 0;
}

DV_INLINE int unchecked_write(struct dv_sq *sq, uint8_t flags, struct dv_raddr to,
			      const struct ibv_sge *sge)
{
	void *wqe = dv_sq_next_(sq);
	void *seg = dv_set_raddr_seg(dv_wqe_body(wqe), to);

	seg = dv_set_ptr_seg(seg, sge);
	dv_sq_commit_at_(sq, wqe, seg, MLX5_OPCODE_RDMA_WRITE, 0, flags, 0);
	return 0;
}

DV_INLINE int unchecked_send(struct dv_sq *sq, uint8_t flags, const struct ibv_sge *sge)
{
	void *wqe = dv_sq_next_(sq);
	void *seg = dv_set_ptr_seg(dv_wqe_body(wqe), sge);

	dv_sq_commit_at_(sq, wqe, seg, MLX5_OPCODE_SEND, 0, flags, 0);
	return 0;
}

DIRECT(no_check_write_inline, unchecked_write_inline(sq, flags, to, src))
DIRECT(no_check_write, unchecked_write(sq, flags, to, &sge))
DIRECT(no_check_send, unchecked_send(sq, flags, &sge))

DV_INLINE int stamped_write_inline(struct dv_sq *sq, uint8_t flags, struct dv_raddr to,
				   const uint64_t *value)
{
	struct dv_wqe_rdma_inline *w = (struct dv_wqe_rdma_inline *)dv_sq_stamped(sq, flags);

	w->raddr.raddr = htobe64(to.raddr);
	memcpy(w->bytes, value, sizeof(*value));
	return 0;
}

DV_INLINE int stamped_write(struct dv_sq *sq, uint8_t flags, struct dv_raddr to, uint64_t addr)
{
	struct dv_wqe_rdma_sge *w = (struct dv_wqe_rdma_sge *)dv_sq_stamped(sq, flags);

	w->raddr.raddr = htobe64(to.raddr);
	w->data.addr = htobe64(addr);
	return 0;
}

DV_INLINE int stamped_send(struct dv_sq *sq, uint8_t flags, uint64_t addr)
{
	struct dv_wqe_send_sge *w = (struct dv_wqe_send_sge *)dv_sq_stamped(sq, flags);

	w->data.addr = htobe64(addr);
	return 0;
}

DIRECT(stamp_write_inline, stamped_write_inline(sq, flags, to, src))
DIRECT(stamp_write, stamped_write(sq, flags, to, sge.addr))
DIRECT(stamp_send, stamped_send(sq, flags, sge.addr))

/* Stamps the ring of @q for @op: not counted. */
static void stamp(struct rig_queue *q, const struct rig_job *job, enum rig_op op)
{
	uint8_t opcode = op == RIG_SEND_SGE ? MLX5_OPCODE_SEND : MLX5_OPCODE_RDMA_WRITE;
	struct dv_wqe_rdma_sge w = { 0 };
	void *seg = dv_wqe_body(&w);

	if (op != RIG_SEND_SGE)
		seg = dv_set_raddr_seg(seg, job->to);
	if (op == RIG_WRITE_INLINE)
		seg = dv_set_inline_seg(seg, job->src, sizeof(uint64_t));
	else
		seg = dv_set_ptr_seg(seg, &job->sge);
	dv_set_ctrl_seg(&w, seg, q->sq.qpn, 0, opcode, 0, 0, 0);
	ok(dv_sq_stamp(&q->sq, &w));
}

typedef void direct_post(struct rig_queue *q, const struct rig_job *job);

static direct_post *const direct[APIS][RIG_OPS] = {
	[API_CHECKED] = { checked_write_inline, checked_write, checked_send },
	[API_COMPOSED] = { compose_write_inline, compose_write, compose_send, compose_ud },
	[API_BATCH] = { batch_write_inline, batch_write, batch_send, batch_ud },
	[API_BATCH_NEXT] = { batch_next_write_inline, batch_next_write, batch_next_send },
	[API_UNCHECKED] = { no_check_write_inline, no_check_write, no_check_send },
	[API_STAMPED] = { stamp_write_inline, stamp_write, stamp_send },
};

bool post_possible(enum api api, enum rig_op op)
{
	return api < API_CHECKED || direct[api][op];
}

void post_prepare(enum api api, enum rig_op op, struct rig_queue *q, struct rig_job *job)
{
	if (api == API_POST_SEND)
		rig_fill(job, op);
	else if (api == API_STAMPED)
		stamp(q, job, op);
}

void post(enum api api, enum rig_op op, struct rig_queue *q, struct rig_job *job)
{
	if (api == API_POST_SEND)
		post_send(q, job);
	else if (api == API_FILL_POST_SEND)
		fill_post_send(q, job, op);
	else if (api == API_WR)
		wr_post(q, job, op);
	else
		direct[api][op](q, job);
}

COUNTED void poll_verbs(struct rig_queue *q, unsigned int n)
{
	struct ibv_wc wc[RIG_WRS];
	int got;

	STEP_BEGIN();
	got = ibv_poll_cq(q->cq, (int)n, wc);
	STEP_END();
	if (got != (int)n || wc[0].status != IBV_WC_SUCCESS)
		errx(1, "ibv_poll_cq: %d CQEs in place of %u, status %d", got, n, wc[0].status);
}

COUNTED void poll_direct(struct rig_queue *q, unsigned int n)
{
	const struct mlx5_cqe64 *cqe, *last = NULL;
	struct dv_cq *cq = &q->dcq;
	struct dv_sq *sq = &q->sq;
	uint32_t ci = cq->ci;

	if (n == 1) {
		STEP_BEGIN();
		cqe = dv_cq_poll(cq);
		if (!cqe || dv_cqe_is_error(cqe))
			goto bad;
		dv_sq_retire(sq, cqe);
		dv_cq_release(cq);
		STEP_END();
		return;
	}
	STEP_BEGIN();
	while ((cqe = dv_cq_poll(cq))) {
		if (dv_cqe_is_error(cqe))
			goto bad;
		last = cqe;
	}
	dv_sq_retire(sq, last);
	dv_cq_release(cq);
	STEP_END();
	if (cq->ci - ci == n)
		return;
bad:
	errx(1, "dv_cq_poll: %u CQEs in place of %u", cq->ci - ci, n);
}
