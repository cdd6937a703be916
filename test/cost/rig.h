/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The queues that are measured: one of each API, filled alike, on a device that is paused.
 *
 *	verbs, wr   separate QPs, through libmlx5
 *	direct      another one, mapped by dv
 *
 * All RC QPs are connected to themselves. The device is paused; rig_retire() completes what was
 * posted without executing it, so a batch ends in one CQE, and the peer is not involved.
 */
#ifndef TEST_COST_RIG_H
#define TEST_COST_RIG_H

#include <dv/batch.h>
#include <dv/cq.h>
#include <dv/map.h>
#include <dv/post.h>
#include <dv/stamp.h>

#include "common.h"

enum {
	RIG_WRS = 128,
	RIG_BYTES = 4096,
};

enum rig_op {
	RIG_WRITE_INLINE, /* RC WRITE, 8 bytes inline */
	RIG_WRITE_SGE,	  /* RC WRITE, 64 bytes of one SGE */
	RIG_SEND_SGE,	  /* RC SEND, 64 bytes of one SGE */
	RIG_UD_SEND,	  /* UD SEND, 8 bytes inline */
	RIG_OPS
};

/* The arguments of a batch: read at run time, none known to the compiler. */
struct rig_job {
	unsigned int n;
	struct dv_raddr to;
	struct ibv_sge sge;
	const void *src;
	uint32_t len;
	struct ibv_ah *ah;
	uint32_t remote_qpn, remote_qkey;
	struct mlx5_wqe_av av;
	struct ibv_send_wr wr[RIG_WRS]; /* the same as a list, filled before */
	struct ibv_sge list_sge[RIG_WRS];
};

struct rig_queue {
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_qp_ex *qpx;
	struct dv_sq sq; /* of direct only, as is dcq */
	struct dv_cq dcq;
};

struct rig {
	struct device dev;
	struct ibv_mr *mr;
	char *mem;
	struct ibv_ah *ah;
	struct rig_queue rc_verbs, rc_direct, rc_dma, ud_verbs, ud_direct;
};

/* Opens the device, or ends the program with exit status 77 where there is no emulator. */
void rig_open(struct rig *rig);

struct rig_queue *rig_verbs(struct rig *rig, enum rig_op op);
struct rig_queue *rig_direct(struct rig *rig, enum rig_op op);

void rig_job(struct rig_job *job, struct rig *rig, enum rig_op op, unsigned int n);

/* Fills job->wr for ibv_post_send(): what an application does before each post. */
void rig_fill(struct rig_job *job, enum rig_op op);

/* One CQE for all that was posted and rung on @qpn. */
void rig_retire(uint32_t qpn);

#endif
