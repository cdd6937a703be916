/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A CQ without ibv_create_cq(): CREATE_CQ over a umem that devx allocates, polled as a dv_cq.
 *
 *	umem:  | CQE 0 | CQE 1 | … | CQE n-1 | consumer, arm |
 *	        ring, every CQE invalid        doorbell record
 *
 *	struct devx_cq_attr attr = { .cqe_cnt = 256, .uar = &uar, .eqn = eqn };
 *
 *	devx_cq_create(&cq, ctx, &attr);
 *	… queues name cq.obj.id …
 *	cqe = dv_cq_poll(&cq.cq);
 *
 * To sleep, subscribe to PRM_EVENT_COMP of cq.obj (eq.h) and arm with dv_cq_arm(). The struct
 * holds a dv_cq, a cache line: on the heap, aligned_alloc(64, …). Compressed CQEs and resizing
 * are not here: use CREATE_CQ and MODIFY_CQ with devx.h.
 */
#ifndef DEVX_CQ_H
#define DEVX_CQ_H

#include <devx/uar.h>
#include <devx/umem.h>
#include <dv/cq.h>
#include <prm/prm.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct devx_cq_attr {
	uint32_t cqe_cnt;	    /* a power of two */
	uint32_t cqe_size;	    /* 64, 128; 0: 64 */
	const struct devx_uar *uar; /* for arming */
	uint32_t eqn;		    /* devx_eqn_query() */
	uint16_t max_count;	    /* moderation, as devx_cq_moderate() */
	uint16_t period;
	bool overrun_ignore; /* a full ring is overwritten, and is not an error */
	bool collapsed; /* all CQEs in slot 0, for dv_cq_collapsed(); wants overrun_ignore */
	/* Memory of the caller for rings and record: devx_cq_bytes() at this offset of a umem
	 * that lives as long as the queue, a multiple of 64 and of a 64th of the umem's
	 * page (umem.h, page_sizes); NULL: allocated. Without
	 * devx_umem.addr (memory of a GPU) nothing is written to it and cq is not filled:
	 * the caller sets the CQEs to 0xff and zeroes the record. */
	const struct devx_umem *umem;
	uint64_t umem_offset;
	uint64_t reserved[2]; /* 0 */
};

struct devx_cq {
	struct dv_cq cq;
	struct devx_obj obj; /* obj.id: the number, for queues */
	struct devx_umem umem;
};

/* EINVAL: cqe_cnt or cqe_size is not one of those, or no UAR. */
int devx_cq_create(struct devx_cq *cq, struct ibv_context *ctx,
		   const struct devx_cq_attr *attr);

/* Bytes of ring and record in a umem. */
size_t devx_cq_bytes(const struct devx_cq_attr *attr);

/* An armed CQ signals after @max_count CQEs or @period microseconds, whichever comes first; 0:
 * with the first CQE. At most 4095 us. */
int devx_cq_moderate(struct devx_cq *cq, uint16_t max_count, uint16_t period);

/* Writes the context; PRM_GET(cqc, cqc, …) reads it. */
int devx_cq_query(struct devx_cq *cq, uint8_t cqc[PRM_SZ(cqc)]);

/* EINVAL: a queue still refers to it (status BAD_RES_STATE). */
int devx_cq_destroy(struct devx_cq *cq);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
