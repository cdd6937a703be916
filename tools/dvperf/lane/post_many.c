/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dv/many.h: threads of one QP post without a lock. A batch is a turn, or several where it has
 * more blocks than the longest WQE; only the last of them rings. For post: a thread does not
 * know which of the others' WQEs a CQE completes.
 */
#include <sched.h>

/* Waiting for the turn before. Its thread may have no CPU. */
static __thread unsigned int many_looks;
#define DV_RELAX() many_relax()

static inline void many_relax(void)
{
	enum { LOOKS = 64 };

	if (++many_looks % LOOKS == 0)
		sched_yield();
#if defined(__x86_64__)
	else
		__builtin_ia32_pause();
#endif
}

#include <dv/many.h>
#include <dv/print.h>

#include "base/base.h"
#include "devx.h"
#include "wqe.h"
#include "machine/machine.h"

DV_INLINE unsigned int post_turns(struct lane *l, unsigned int n, const enum wqe_kind kind,
				  const bool marked)
{
	struct dv_many *q = &l->devx->many;
	struct wqe w = { l->op.remote, l->op.sge, l->mem.send };
	unsigned int most = q->sq.max_nbb / l->op.blocks, done = 0;

	if (marked)
		STEP_BEGIN();
	while (done < n) {
		unsigned int end = n - done < most ? n : done + most;
		struct dv_turn turn;
		struct dv_sq sq;

		if (dv_many_reserve(q, (uint16_t)((end - done) * l->op.blocks), &turn))
			break;
		sq = dv_many_window(q, &turn, 0);
		for (; done < end; done++) {
			uint8_t flags = done == n - 1 ? MLX5_WQE_CTRL_CQ_UPDATE : 0;

			post_connected(&sq, flags, &w, kind);
			w.sge.addr += l->op.stride;
			w.src += l->op.stride;
			w.raddr.raddr += l->op.stride;
		}
		if (dv_many_publish(q, &turn, &sq, DV_DOORBELL,
				    done == n ? DV_PUBLISH_LAST : DV_PUBLISH_ONLY))
			break;
	}
	if (marked)
		STEP_END();
	return done;
}

/* One CQE, if any WQE was completed. */
DV_INLINE unsigned int poll_turns(struct lane *l, const bool marked)
{
	struct dv_many *q = &l->devx->many;
	uint64_t before = q->done;

	if (marked)
		STEP_BEGIN();
	dv_many_poll(q);
	if (marked)
		STEP_END();
	if (q->error)
		lane_failed(l, (unsigned int)q->error, dv_syndrome_str((uint8_t)q->error));
	return q->done != before;
}

static __attribute__((noinline)) unsigned int poll_many(struct lane *l, unsigned int most)
{
	(void)most;
	return poll_turns(l, false);
}

static __attribute__((noinline)) unsigned int poll_many_marked(struct lane *l,
							       unsigned int most)
{
	(void)most;
	return poll_turns(l, true);
}

#define POST(name, kind, marked)                                                      \
	static __attribute__((noinline)) unsigned int name(                           \
		struct lane *l, unsigned int n, unsigned int sig, unsigned int every) \
	{                                                                             \
		(void)sig;                                                            \
		(void)every;                                                          \
		return post_turns(l, n, kind, marked);                                \
	}
#define MANY(name, kind)        \
	POST(name, kind, false) \
	POST(name##_marked, kind, true)
#define POSTER(name)                                             \
	{                                                        \
		name, name##_marked, poll_many, poll_many_marked \
	}

MANY(write_sge, WQE_WRITE)
MANY(write_inline, WQE_WRITE_INLINE)
MANY(write_imm_sge, WQE_WRITE_IMM)
MANY(write_imm_inline, WQE_WRITE_IMM_INLINE)
MANY(read_sge, WQE_READ)
MANY(send_sge, WQE_SEND)
MANY(send_inline, WQE_SEND_INLINE)
MANY(fetch_add, WQE_FETCH_ADD)
MANY(cmp_swap, WQE_CMP_SWAP)
MANY(nop, WQE_NOP)

const struct poster *poster_many(const struct lane *l)
{
	static const struct poster posters[WQE_KINDS] = {
		[WQE_WRITE] = POSTER(write_sge),
		[WQE_WRITE_INLINE] = POSTER(write_inline),
		[WQE_WRITE_IMM] = POSTER(write_imm_sge),
		[WQE_WRITE_IMM_INLINE] = POSTER(write_imm_inline),
		[WQE_READ] = POSTER(read_sge),
		[WQE_SEND] = POSTER(send_sge),
		[WQE_SEND_INLINE] = POSTER(send_inline),
		[WQE_FETCH_ADD] = POSTER(fetch_add),
		[WQE_CMP_SWAP] = POSTER(cmp_swap),
		[WQE_NOP] = POSTER(nop),
	};

	return &posters[lane_wqe_kind(l)];
}
