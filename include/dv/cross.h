/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queues that wait for each other without the CPU (CORE-Direct). Read post.h before.
 *
 *	WAIT     control | wait, 16            until a CQ has had so many CQEs
 *	         control | wait on data, 32    until a condition on a word of memory or the clock (opmod)
 *	SEND_EN  control | send enable, 16     lets another queue go on, up to an index
 *
 * A queue that is enabled by others is made so by a firmware command: qpc.cd_slave_send; the
 * queue that enables has qpc.cd_master. Its WQEs may be posted and its record written long
 * before: it executes up to the index that SEND_EN names, which counts blocks, as in the
 * record. The WAIT on a CQ counts its CQEs from the creation of the CQ; that CQ is one whose
 * consumer index the software does not move, or collapsed.
 *
 * Layouts and conditions are those that DPDK posts (drivers/common/mlx5/mlx5_prm.h, its
 * scheduled sending). libmlx5 44 has no call for them, and neither the emulator nor a test here
 * executes these WQEs: only their bytes are tested.
 */
#ifndef DV_CROSS_H
#define DV_CROSS_H

#include <dv/post.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	DV_OPMOD_WAIT_CQ_PI = 0,
	DV_OPMOD_WAIT_DATA = 1,
	DV_OPMOD_WAIT_TIME = 2,
};

/* When a wait on data or time ends: (word & mask) compared with value. */
enum {
	DV_WAIT_TRUE = 0,
	DV_WAIT_EQUAL = 1,
	DV_WAIT_BIGGER = 2,
	DV_WAIT_SMALLER = 3,
	DV_WAIT_CYCLIC_BIGGER = 4, /* of counters that wrap */
	DV_WAIT_CYCLIC_SMALLER = 5,
	DV_WAIT_INVERT = 0x10, /* with any of them: while, not until */
};

struct dv_wqe_wait_seg {
	__be32 reserved[2];
	__be32 max_index;
	__be32 cqn;
};

struct dv_wqe_wait_data_seg {
	__be32 operation;
	__be32 lkey;
	__be64 addr;
	__be64 value;
	__be64 mask;
};

struct dv_wqe_send_en_seg {
	__be32 reserved[2];
	__be32 sqnpc; /* the index: blocks that may be executed */
	__be32 qpn;
};

static_assert(sizeof(struct dv_wqe_wait_seg) == 16, "wait segment");
static_assert(sizeof(struct dv_wqe_wait_data_seg) == 32, "wait segment");
static_assert(offsetof(struct dv_wqe_wait_data_seg, value) == 16, "wait segment");
static_assert(sizeof(struct dv_wqe_send_en_seg) == 16, "send enable segment");

/* The condition to wait for; a time uses only operation, value and mask. */
struct dv_wait {
	uint32_t operation; /* DV_WAIT_* */
	uint32_t lkey;
	uint64_t addr;
	uint64_t value, mask;
};

DV_INLINE void *dv_set_wait_seg(void *seg, uint32_t cqn, uint32_t index)
{
	struct dv_wqe_wait_seg *w = (struct dv_wqe_wait_seg *)seg;

	memset(w->reserved, 0, sizeof(w->reserved));
	w->max_index = htobe32(index);
	w->cqn = htobe32(cqn);
	return w + 1;
}

DV_INLINE void *dv_set_wait_data_seg(void *seg, const struct dv_wait *wait)
{
	struct dv_wqe_wait_data_seg *w = (struct dv_wqe_wait_data_seg *)seg;

	w->operation = htobe32(wait->operation);
	w->lkey = htobe32(wait->lkey);
	w->addr = htobe64(wait->addr);
	w->value = htobe64(wait->value);
	w->mask = htobe64(wait->mask);
	return w + 1;
}

DV_INLINE void *dv_set_send_en_seg(void *seg, uint32_t qpn, uint32_t index)
{
	struct dv_wqe_send_en_seg *s = (struct dv_wqe_send_en_seg *)seg;

	memset(s->reserved, 0, sizeof(s->reserved));
	s->sqnpc = htobe32(index);
	s->qpn = htobe32(qpn);
	return s + 1;
}

/* Waits until CQ @cqn has had @index CQEs. Returns what all of post.h do. */
DV_INLINE int dv_sq_wait_cq(struct dv_sq *sq, uint8_t flags, uint32_t cqn, uint32_t index)
{
	void *seg = dv_sq_reserve(sq, 1);

	if (!seg)
		return ENOMEM;
	seg = dv_set_wait_seg(seg, cqn, index);
	dv_sq_commit(sq, seg, DV_OPCODE_WAIT, DV_OPMOD_WAIT_CQ_PI, flags, 0);
	return 0;
}

/* Waits for a word of memory or for the clock: @opmod DV_OPMOD_WAIT_DATA or _TIME. */
DV_INLINE int dv_sq_wait(struct dv_sq *sq, uint8_t flags, uint8_t opmod,
			 const struct dv_wait *wait)
{
	void *seg = dv_sq_reserve(sq, 1);

	if (!seg)
		return ENOMEM;
	seg = dv_set_wait_data_seg(seg, wait);
	dv_sq_commit(sq, seg, DV_OPCODE_WAIT, opmod, flags, 0);
	return 0;
}

/* Lets queue @qpn execute its WQEs up to block @index. */
DV_INLINE int dv_sq_send_en(struct dv_sq *sq, uint8_t flags, uint32_t qpn, uint32_t index)
{
	void *seg = dv_sq_reserve(sq, 1);

	if (!seg)
		return ENOMEM;
	seg = dv_set_send_en_seg(seg, qpn, index);
	dv_sq_commit(sq, seg, DV_OPCODE_SEND_EN, 0, flags, 0);
	return 0;
}

#ifdef __cplusplus
}
#endif

#endif
