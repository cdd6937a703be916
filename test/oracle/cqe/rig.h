/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The queues of the CQE differential. A side is a CQ of libmlx5 with one queue of each kind
 * that its CQEs may name; the device is held still, and the CQEs are the test's.
 *
 *	side   CQ (its ring is written by the test)
 *	       RC | RC with SRQ | UD | raw packet | WQ | XRC SRQ
 *
 * libmlx5 finds the queue of a CQE by a user index that it chose itself and does not export:
 * the rig finds them with CQEs that it counts up. Each work request has its queue and slot in
 * its wr_id, and each slot has its own SGEs, so that one sees where data went.
 */
#ifndef ORACLE_CQE_RIG_H
#define ORACLE_CQE_RIG_H

#include "common.h"
#include <dv/mini.h>
#include <dv/packet.h>
#include <dv/post.h>

enum rig_queue_kind {
	RIG_RC,
	RIG_RC_SRQ,
	RIG_UD,
	RIG_RAW,
	RIG_WQ,
	RIG_XRC_SRQ,
	RIG_QUEUES,
};

enum {
	RIG_SLOTS = 64,	   /* of a receive queue */
	RIG_BLOCKS = 1024, /* of a send queue, at most */
	RIG_SGES = 2,	   /* of a slot */
	RIG_PIECE = 128,   /* bytes that an SGE may have */
	RIG_CQES = 128,	   /* of a CQ */
};

struct rig_queue {
	enum rig_queue_kind kind;
	struct ibv_qp *qp;
	struct ibv_srq *srq;
	struct ibv_wq *wq;
	bool there;	 /* the device makes such queues */
	uint32_t uidx;	 /* libmlx5's */
	uint32_t sent;	 /* send WQEs with a wr_id: blocks 0 … sent - 1 */
	uint32_t tail;	 /* receives that libmlx5 counts as completed */
	struct dv_sq sq; /* over the same memory */
	struct dv_rq rq;
	struct dv_srq list;			 /* over a copy */
	uint8_t (*sent_to)[RIG_SGES][RIG_PIECE]; /* where results of block, SGE go */
	uint8_t (*received)[RIG_SGES][RIG_PIECE];
	__be32 record[2]; /* of the dv queues */
	uint64_t reg[64];
};

struct rig_side {
	uint32_t cqe_size;
	struct ibv_cq_ex *cqx;
	struct ibv_cq *cq;
	struct mlx5dv_cq ring;
	uint32_t ci; /* the number of CQEs that libmlx5 has polled */
	bool csum; /* the device checks sums of raw packets, and libmlx5 says so in wc_flags */
	struct rig_queue queue[RIG_QUEUES];
};

uint64_t rig_wr_id(enum rig_queue_kind kind, bool send, uint32_t slot);

/* Opens a side with CQEs of @cqe_size bytes. */
void rig_open(struct rig_side *side, struct device *dev, uint32_t cqe_size);

/* The slot of @side's ring that libmlx5 looks at @ahead polls from now; all of it. */
uint8_t *rig_slot(struct rig_side *side, uint32_t ahead);

/* The length of SGE @i of slot or block @slot. */
uint32_t rig_length(uint32_t slot, unsigned int i);

/* Says which queues there are. */
void rig_tell(const struct rig_side *side);

/* The queue receives by a list. */
bool rig_is_shared(enum rig_queue_kind kind);

/* The queue may have data inside its CQEs. */
bool rig_scatters(enum rig_queue_kind kind);

#endif
