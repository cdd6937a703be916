/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libmlx5, by its two doors: ibv_post_send() with a list that is filled for each batch, as an
 * application has to; and ibv_wr_*. Both end in ibv_poll_cq().
 */
#include <errno.h>
#include <string.h>

#include "dvperf.h"
#include "lane.h"
#include "step.h"

#define NOT_INLINED __attribute__((noinline))
#define NO_MARK()   ((void)0)
#define ARGUMENTS   struct lane *l, unsigned int n, unsigned int sig, unsigned int every

/* ---- ibv_post_send ---- */

static inline __attribute__((always_inline)) void
fill_target(struct lane *l, struct ibv_send_wr *wr, unsigned int i)
{
	if (l->op == OP_ATOMIC) {
		wr->wr.atomic.remote_addr = l->to.raddr + i * l->stride;
		wr->wr.atomic.rkey = l->to.rkey;
		wr->wr.atomic.compare_add = l->atomic == ATOMIC_FETCH_AND_ADD;
		wr->wr.atomic.swap = 1;
	} else if (l->ah) {
		wr->wr.ud.ah = l->ah;
		wr->wr.ud.remote_qpn = l->remote_qpn;
		wr->wr.ud.remote_qkey = LANE_QKEY;
	} else {
		wr->wr.rdma.remote_addr = l->to.raddr + i * l->stride;
		wr->wr.rdma.rkey = l->to.rkey;
	}
}

static enum ibv_wr_opcode opcode_of(const struct lane *l)
{
	switch (l->op) {
	case OP_WRITE:
		return IBV_WR_RDMA_WRITE;
	case OP_READ:
		return IBV_WR_RDMA_READ;
	case OP_ATOMIC:
		return l->atomic == ATOMIC_CMP_AND_SWAP ? IBV_WR_ATOMIC_CMP_AND_SWP
							: IBV_WR_ATOMIC_FETCH_AND_ADD;
	default:
		return IBV_WR_SEND;
	}
}

static inline __attribute__((always_inline)) void fill(ARGUMENTS)
{
	unsigned int flags = l->is_inline ? IBV_SEND_INLINE : 0;
	enum ibv_wr_opcode opcode = opcode_of(l);

	for (unsigned int i = 0; i < n; i++) {
		struct ibv_send_wr *wr = &l->wr[i];
		struct ibv_sge *sge = &l->wr_sge[i];

		*sge = l->sge;
		sge->addr += i * l->stride;
		wr->wr_id = i;
		wr->next = i + 1 == n ? NULL : wr + 1;
		wr->sg_list = sge;
		wr->num_sge = 1;
		wr->opcode = opcode;
		wr->send_flags = flags;
		if (i == sig) {
			wr->send_flags |= IBV_SEND_SIGNALED;
			sig += every;
		}
		fill_target(l, wr, i);
	}
}

static unsigned int posted(struct lane *l, int err, const struct ibv_send_wr *bad,
			   unsigned int n)
{
	if (!err)
		return n;
	if (err != ENOMEM)
		lane_failed(l, 0, strerror(err));
	return (unsigned int)(bad - l->wr);
}

#define POST_SEND(name, BEGIN, END)                      \
	static NOT_INLINED unsigned int name(ARGUMENTS)  \
	{                                                \
		struct ibv_send_wr *bad = NULL;          \
		int err;                                 \
                                                         \
		BEGIN();                                 \
		fill(l, n, sig, every);                  \
		err = ibv_post_send(l->qp, l->wr, &bad); \
		END();                                   \
		return posted(l, err, bad, n);           \
	}

POST_SEND(post_send, NO_MARK, NO_MARK)
POST_SEND(post_send_marked, STEP_BEGIN, STEP_END)

/* ---- ibv_poll_cq ---- */

#define POLL(name, BEGIN, END)                                                        \
	static NOT_INLINED unsigned int name(struct lane *l, unsigned int most)       \
	{                                                                             \
		struct ibv_wc wc[LANE_WCS];                                           \
		unsigned int n = 0;                                                   \
		int want, got;                                                        \
                                                                                      \
		BEGIN();                                                              \
		do {                                                                  \
			want = most - n < LANE_WCS ? (int)(most - n) : LANE_WCS;      \
			got = ibv_poll_cq(l->send_cq, want, wc);                      \
			for (int i = 0; i < got; i++)                                 \
				if (wc[i].status)                                     \
					lane_failed(l, wc[i].vendor_err,              \
						    ibv_wc_status_str(wc[i].status)); \
			n += got > 0 ? (unsigned int)got : 0;                         \
		} while (got == want && n < most);                                    \
		END();                                                                \
		return n;                                                             \
	}

POLL(poll_cq, NO_MARK, NO_MARK)
POLL(poll_cq_marked, STEP_BEGIN, STEP_END)

const struct poster *poster_verbs(void)
{
	static const struct poster poster = { post_send, post_send_marked, poll_cq,
					      poll_cq_marked };

	return &poster;
}

/* ---- ibv_wr_* ---- */

#define WR(name, build, BEGIN, END)                                \
	static NOT_INLINED unsigned int name(ARGUMENTS)            \
	{                                                          \
		struct ibv_qp_ex *qpx = l->qpx;                    \
		uint64_t raddr = l->to.raddr, addr = l->sge.addr;  \
		uint64_t stride = l->stride;                       \
		uint32_t len = l->sge.length;                      \
		int err;                                           \
                                                                   \
		(void)raddr, (void)len;                            \
		BEGIN();                                           \
		ibv_wr_start(qpx);                                 \
		for (unsigned int i = 0; i < n; i++) {             \
			qpx->wr_id = i;                            \
			qpx->wr_flags = 0;                         \
			if (i == sig) {                            \
				qpx->wr_flags = IBV_SEND_SIGNALED; \
				sig += every;                      \
			}                                          \
			build;                                     \
			raddr += stride;                           \
			addr += stride;                            \
		}                                                  \
		err = ibv_wr_complete(qpx);                        \
		END();                                             \
		if (err && err != ENOMEM)                          \
			lane_failed(l, 0, strerror(err));          \
		return err ? 0 : n; /* all or nothing */           \
	}

#define WR_BOTH(name, build)                                                       \
	WR(name, build, NO_MARK, NO_MARK)                                          \
	WR(name##_marked, build, STEP_BEGIN, STEP_END)                             \
	static const struct poster poster_##name = { name, name##_marked, poll_cq, \
						     poll_cq_marked };

#define INLINE ibv_wr_set_inline_data(qpx, (void *)(uintptr_t)addr, len)
#define SGE    ibv_wr_set_sge(qpx, l->sge.lkey, addr, len)
#define TO_UD  ibv_wr_set_ud_addr(qpx, l->ah, l->remote_qpn, LANE_QKEY)

WR_BOTH(write_inline, (ibv_wr_rdma_write(qpx, l->to.rkey, raddr), INLINE))
WR_BOTH(write_sge, (ibv_wr_rdma_write(qpx, l->to.rkey, raddr), SGE))
WR_BOTH(read_sge, (ibv_wr_rdma_read(qpx, l->to.rkey, raddr), SGE))
WR_BOTH(send_inline, (ibv_wr_send(qpx), INLINE))
WR_BOTH(send_sge, (ibv_wr_send(qpx), SGE))
WR_BOTH(ud_inline, (ibv_wr_send(qpx), TO_UD, INLINE))
WR_BOTH(ud_sge, (ibv_wr_send(qpx), TO_UD, SGE))
WR_BOTH(fetch_add, (ibv_wr_atomic_fetch_add(qpx, l->to.rkey, raddr, 1), SGE))
WR_BOTH(cmp_swap, (ibv_wr_atomic_cmp_swp(qpx, l->to.rkey, raddr, 0, 1), SGE))

const struct poster *poster_wr(const struct lane *l)
{
	if (l->op == OP_WRITE)
		return l->is_inline ? &poster_write_inline : &poster_write_sge;
	if (l->op == OP_READ)
		return &poster_read_sge;
	if (l->op == OP_ATOMIC)
		return l->atomic == ATOMIC_CMP_AND_SWAP ? &poster_cmp_swap : &poster_fetch_add;
	if (l->o->service == SERVICE_UD)
		return l->is_inline ? &poster_ud_inline : &poster_ud_sge;
	return l->is_inline ? &poster_send_inline : &poster_send_sge;
}
