/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work queues of Ethernet: RQ and SQ, the rings without a QP around them.
 *
 *	          umem                            umem (may be the same)
 *	wq_offset [ 2^log_size WQEs, 2^log_stride bytes each ]   dbr_offset [ 8 bytes ]
 *
 *	RST --modify--> RDY --(error)--> ERR --modify--> RST
 *
 * A queue is made in RST and serves when it is RDY. Programs without flow rules need no RQ: the
 * packets of an RQ come from a TIR (raw.h) that a rule names. An SQ sends through a TIS and
 * rings on a UAR of the same process. Their WQEs are plain dv ones, dv_sq_init() and
 * dv_rq_init() take the rings over.
 *
 * Records and rings are offsets in umems; a record is 8 bytes at a multiple of 64, the
 * receive counter first. Sending raw packets wants CAP_NET_RAW when the context is opened.
 */
#ifndef DEVX_WQ_H
#define DEVX_WQ_H

#include <stdbool.h>

#include <devx/devx.h>
#include <prm/value.h>
#include <prm/prm.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum devx_wq_state {
	DEVX_WQ_RST = PRM_SQC_STATE_RST,
	DEVX_WQ_RDY = PRM_SQC_STATE_RDY,
	DEVX_WQ_ERR = PRM_SQC_STATE_ERR,
};

/* The part of the context that all work queues share. */
struct devx_wq_attr {
	uint32_t pdn;
	uint32_t wq_umem_id;
	uint64_t wq_offset;
	uint32_t dbr_umem_id;
	uint64_t dbr_offset;
	uint8_t log_size;      /* WQEs */
	uint8_t log_stride;    /* bytes of a WQE; an SQ's is 6 */
	uint8_t log_page_size; /* of the ring; 0: 12 */
	uint64_t reserved[2];  /* 0 */
};

struct devx_rq_attr {
	struct devx_wq_attr wq;
	uint32_t rmpn; /* of a shared ring (srq.h), then wq is not read; 0: its own */
	uint32_t cqn;
	uint32_t user_index;
	uint8_t counter_set_id; /* of a Q counter; 0: none */
	bool vsd;		/* the VLAN tag stays in the packet */
	bool scatter_fcs;	/* so does the FCS */
	bool flush_in_error_en; /* WQEs of a queue in ERR complete, with an error */
	uint64_t reserved[2];	/* 0 */
};

struct devx_sq_attr {
	struct devx_wq_attr wq;
	uint32_t cqn;
	uint32_t tisn;
	uint32_t uar_page; /* its id */
	uint32_t user_index;
	uint8_t min_wqe_inline_mode; /* 0: none, 1: L2 … as the device's capability wants it */
	bool allow_multi_pkt_send_wqe;
	bool flush_in_error_en;
	uint64_t reserved[2]; /* 0 */
};

/* EINVAL: log_size or log_stride that no field holds, a record not at a multiple of 64. */
int devx_rq_create(struct devx_obj *rq, struct ibv_context *ctx,
		   const struct devx_rq_attr *attr);
int devx_sq_create(struct devx_obj *sq, struct ibv_context *ctx,
		   const struct devx_sq_attr *attr);

/* From the state that the queue is in. */
int devx_rq_modify(struct devx_obj *rq, enum devx_wq_state from, enum devx_wq_state to);
int devx_sq_modify(struct devx_obj *sq, enum devx_wq_state from, enum devx_wq_state to);

/* Write the whole context; PRM_GET(rqc, rqc, …), PRM_GET(sqc, sqc, …) read it. */
int devx_rq_query(struct devx_obj *rq, uint8_t rqc[PRM_SZ(rqc)]);
int devx_sq_query(struct devx_obj *sq, uint8_t sqc[PRM_SZ(sqc)]);

int devx_rq_destroy(struct devx_obj *rq);
int devx_sq_destroy(struct devx_obj *sq);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
