/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks a send queue and reports faults as text: for use when a WQE completes in error, or
 * when nothing happens at all. Read sq.h before.
 *
 *	struct dv_queue_facts q = dv_sq_facts(&sq, DV_RC);
 *	struct dv_finding found[8];
 *	size_t i, n = dv_ring_check(&q, found, 8);
 *
 *	for (i = 0; i < n && i < 8; i++)
 *		puts(found[i].text);
 *
 *	WQE 7: ds 2 is too short for RDMA_WRITE, which has 16 bytes of remote address at 16
 *
 * dv_wqe_check() looks at one WQE, dv_ring_check() at all between ci and pi, at the doorbell
 * record and at what the register was rung with. Both take any bytes, read only memory that the
 * facts name, and allocate nothing. A finding is what the device would refuse, or what no
 * builder writes on purpose; no finding does not mean that keys and addresses are good: those
 * only the device knows.
 *
 * A queue in use changes while it is looked at: one queue, one thread, as in sq.h.
 */
#ifndef DV_CHECK_H
#define DV_CHECK_H

#include <stdbool.h>
#include <dv/print.h>
#include <dv/sq.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum dv_fault {
	/* the WQE as a whole */
	DV_FAULT_OPCODE,    /* no such operation */
	DV_FAULT_TRANSPORT, /* not on a queue of this type */
	DV_FAULT_OPMOD,
	DV_FAULT_DS_ZERO,
	DV_FAULT_DS_LIMIT, /* longer than the queue's longest WQE */
	DV_FAULT_DS_END,   /* longer than the ring, or than what was committed */
	DV_FAULT_INDEX,
	DV_FAULT_QPN,
	DV_FAULT_FLAGS, /* fence mode or bits that do not exist */
	DV_FAULT_SIGNATURE,
	DV_FAULT_RESERVED, /* not zero: most often bytes of an old WQE */
	DV_FAULT_UNSIGNALLED,

	/* segments */
	DV_FAULT_SEGMENT, /* missing or cut */
	DV_FAULT_SURPLUS, /* after the last one */
	DV_FAULT_AV_SHORT,
	DV_FAULT_AV_EMPTY,
	DV_FAULT_QKEY_PLACE,
	DV_FAULT_ATOMIC_ALIGNMENT,
	DV_FAULT_ATOMIC_LENGTH,
	DV_FAULT_ETH_HEADER,
	DV_FAULT_MSS,
	DV_FAULT_MMO_LENGTH,
	DV_FAULT_UMR_MKEY,
	DV_FAULT_UMR_LIST,
	DV_FAULT_UMR_PADDING,

	/* data */
	DV_FAULT_ZERO_LENGTH,
	DV_FAULT_INLINE_LENGTH, /* more than ds covers */
	DV_FAULT_INLINE_LIMIT,
	DV_FAULT_INLINE_ANSWER, /* where an answer is to be stored */
	DV_FAULT_SGE_LIMIT,
	DV_FAULT_MESSAGE_LIMIT,

	/* the ring */
	DV_FAULT_WRAP,
	DV_FAULT_PADDING,
	DV_FAULT_OVERRUN,
	DV_FAULT_NO_SIGNAL, /* full, and nothing will ever free it */

	/* doorbells */
	DV_FAULT_RECORD_AHEAD,
	DV_FAULT_RECORD_BEHIND,
	DV_FAULT_UNRECORDED,
	DV_FAULT_UNRUNG,
	DV_FAULT_RUNG_FIRST,
	DV_FAULT_RUNG_OTHER,
	DV_FAULTS
};

struct dv_finding {
	enum dv_fault fault;
	uint16_t idx;	 /* the WQE */
	uint16_t offset; /* and which byte of it */
	char text[240];	 /* a sentence without a full stop */
};

/* Known facts of a queue. 0, NULL or false: unknown or false; checks that depend on it are
 * skipped. */
struct dv_queue_facts {
	enum dv_transport transport;
	uint32_t qpn; /* of an SQ its number */

	/* limits */
	uint16_t max_ds;
	uint16_t max_sge;
	uint16_t min_inline_hdr; /* DV_ETH: bytes of the header that must be inline */
	uint32_t max_inline;
	uint32_t max_message;
	bool compact_av;    /* the device reads the short address vector */
	bool signature;	    /* WQEs carry a signature */
	bool all_signalled; /* each WQE has to be: READs leave data in the CQE */
	bool padded;	    /* no WQE wraps, NOPs fill the edge: as in sq.h */

	/* the ring, for dv_ring_check() */
	const void *ring;
	uint32_t wqe_cnt;    /* blocks, a power of two */
	uint16_t ci, pi;     /* the first block not completed, the one after the last written */
	uint16_t next_nbb;   /* blocks that the next WQE needs; 0: 1 */
	const __be32 *dbrec; /* the send half of the doorbell record */
	const void *rung;    /* the last 8 bytes written to the register, or … */
	const uint16_t *rung_pi; /* … the index after the last WQE that it was rung for */
};

/* The WQE of which @len bytes are at @wqe; @idx: the index that it should have. Stores what is
 * wrong in @found, @max findings at most; returns how many there are. */
size_t dv_wqe_check(const struct dv_queue_facts *q, const void *wqe, size_t len, uint16_t idx,
		    struct dv_finding *found, size_t max);

/* dv_wqe_check() for all WQEs in the ring, then the ring as a whole, then the doorbells. */
size_t dv_ring_check(const struct dv_queue_facts *q, struct dv_finding *found, size_t max);

#pragma GCC visibility pop

/* The facts of a dv queue; add the limits that you asked for when you made the QP. A queue
 * without a record (DV_NO_RECORD) has no dbrec to look at: NULL. Points into @sq. */
static inline struct dv_queue_facts dv_sq_facts(const struct dv_sq *sq,
						enum dv_transport transport)
{
	struct dv_queue_facts q;

	memset(&q, 0, sizeof(q));
	q.transport = transport;
	q.qpn = sq->qpn;
	q.max_ds = (uint16_t)(sq->max_nbb * (DV_WQE_BB / DV_WQE_DS));
	q.padded = true;
	q.ring = sq->buf;
	q.wqe_cnt = sq->wqe_cnt;
	q.ci = sq->ci;
	q.pi = sq->pi;
	q.dbrec = sq->dbrec;
	q.rung_pi = &sq->db_pi;
	return q;
}

#ifdef __cplusplus
}
#endif

#endif
