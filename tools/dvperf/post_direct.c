/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dv: one function per kind of WQE, as an application that knows what it sends has it. Addresses,
 * lengths and the size of the batch come at run time. Each exists twice, with and without the marks
 * between which instructions are counted.
 */
#include <dv/print.h>

#include "dvperf.h"
#include "lane.h"
#include "step.h"

#define NOT_INLINED __attribute__((noinline))

/* The barriers of dv_sq_ring() taken away: WRONG on a write-combining register, which may then see
 * the doorbell before the record, or keep it back. To learn what each costs. */
DV_INLINE void ring_without(struct dv_sq *sq, bool before)
{
	volatile uint64_t *reg = (volatile uint64_t *)(sq->bf_reg + sq->bf_offset);
	uint64_t word;

	if (sq->pi == sq->db_pi)
		return;
	dv_sq_record(sq);
	if (before)
		dv_barrier_dbrec_before_bf_reg();
	memcpy(&word, sq->last, sizeof(word));
	*reg = word;
	sq->bf_offset ^= sq->bf_size;
	sq->db_pi = sq->pi;
}

static NOT_INLINED void ring_rarely(struct lane *l)
{
	struct dv_sq *sq = &l->sq;

	if (l->ring_lock)
		pthread_spin_lock(l->ring_lock);
	if (l->ring == RING_PRE)
		ring_without(sq, true);
	else if (l->ring == RING_NONE)
		ring_without(sq, false);
	else if (l->ring == RING_BF || (l->ring == RING_AUTO && l->is_inline))
		dv_sq_blueflame(sq); /* of a batch: a doorbell */
	else
		dv_sq_doorbell(sq);
	if (l->ring_lock)
		pthread_spin_unlock(l->ring_lock);
}

DV_INLINE void ring(struct lane *l, unsigned int n)
{
	if (l->ring_lock || l->ring > RING_AUTO)
		ring_rarely(l);
	else if (n > 1 || l->ring == RING_DB || (l->ring == RING_AUTO && !l->is_inline))
		dv_sq_doorbell(&l->sq);
	else
		dv_sq_blueflame(&l->sq);
}

/* A batch of one is no loop, as in an application that never has more. */
#define NO_MARK() ((void)0)
#define BATCH(name, call, BEGIN, END)                                                          \
	static NOT_INLINED unsigned int name(struct lane *l, unsigned int n, unsigned int sig, \
					     unsigned int every)                               \
	{                                                                                      \
		struct dv_raddr to = l->to;                                                    \
		struct ibv_sge sge = l->sge;                                                   \
		const char *src = l->src;                                                      \
		struct dv_sq *sq = &l->sq;                                                     \
		uint64_t stride = l->stride;                                                   \
		unsigned int i = 0;                                                            \
		uint8_t flags = sig ? 0 : MLX5_WQE_CTRL_CQ_UPDATE;                             \
                                                                                               \
		(void)to, (void)src;                                                           \
		if (n == 1) {                                                                  \
			BEGIN();                                                               \
			i = !(call);                                                           \
			ring(l, 1);                                                            \
			END();                                                                 \
			return i;                                                              \
		}                                                                              \
		BEGIN();                                                                       \
		for (; i < n; i++, to.raddr += stride, sge.addr += stride, src += stride) {    \
			flags = 0;                                                             \
			if (i == sig) {                                                        \
				flags = MLX5_WQE_CTRL_CQ_UPDATE;                               \
				sig += every;                                                  \
			}                                                                      \
			if (call)                                                              \
				break;                                                         \
		}                                                                              \
		ring(l, n);                                                                    \
		END();                                                                         \
		return i;                                                                      \
	}

#define DIRECT(name, call)                                                           \
	BATCH(name, call, NO_MARK, NO_MARK)                                          \
	BATCH(name##_marked, call, STEP_BEGIN, STEP_END)                             \
	static const struct poster poster_##name = { name, name##_marked, poll_cqes, \
						     poll_cqes_marked }

static _Noreturn NOT_INLINED void bad_cqe(const struct lane *l, const struct mlx5_cqe64 *cqe)
{
	uint8_t syndrome = dv_cqe_syndrome(cqe);

	lane_failed(l, syndrome, dv_syndrome_str(syndrome));
}

#define POLL(name, BEGIN, END)                                                  \
	static NOT_INLINED unsigned int name(struct lane *l, unsigned int most) \
	{                                                                       \
		const struct mlx5_cqe64 *cqe, *last = NULL;                     \
		struct dv_cq *cq = &l->cq;                                      \
		unsigned int n = 0;                                             \
                                                                                \
		BEGIN();                                                        \
		while (n < most && (cqe = dv_cq_poll(cq))) {                    \
			if (dv_cqe_is_error(cqe))                               \
				bad_cqe(l, cqe);                                \
			last = cqe;                                             \
			n++;                                                    \
		}                                                               \
		if (last) {                                                     \
			dv_sq_retire(&l->sq, last);                             \
			dv_cq_release(cq);                                      \
		}                                                               \
		END();                                                          \
		return n;                                                       \
	}

POLL(poll_cqes, NO_MARK, NO_MARK)
POLL(poll_cqes_marked, STEP_BEGIN, STEP_END)

DIRECT(write_inline, dv_sq_write_inline(sq, flags, to, src, sge.length));
DIRECT(write_sge, dv_sq_write(sq, flags, to, &sge, 1));
DIRECT(read_sge, dv_sq_read(sq, flags, to, &sge, 1));
DIRECT(send_inline, dv_sq_send_inline(sq, flags, src, sge.length));
DIRECT(send_sge, dv_sq_send(sq, flags, &sge, 1));
DIRECT(ud_inline, dv_sq_send_ud_inline(sq, flags, &l->av, src, sge.length));
DIRECT(ud_sge, dv_sq_send_ud(sq, flags, &l->av, &sge, 1));
DIRECT(fetch_add, dv_sq_fetch_add(sq, flags, to, &sge, 1));
DIRECT(cmp_swap, dv_sq_cmp_swap(sq, flags, to, &sge, 0, 1));
DIRECT(nop, dv_sq_nop(sq, flags));

const struct poster *poster_direct(const struct lane *l)
{
	if (l->op == OP_WRITE)
		return l->is_inline ? &poster_write_inline : &poster_write_sge;
	if (l->op == OP_READ)
		return &poster_read_sge;
	if (l->op == OP_ATOMIC)
		return l->atomic == ATOMIC_CMP_AND_SWAP ? &poster_cmp_swap : &poster_fetch_add;
	if (l->op == OP_NOP)
		return &poster_nop;
	if (l->o->service == SERVICE_UD)
		return l->is_inline ? &poster_ud_inline : &poster_ud_sge;
	return l->is_inline ? &poster_send_inline : &poster_send_sge;
}
