/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Receive WQEs, of the QP's own queue or of an SRQ.
 *
 *	own queue   in the order of the index, resp.ci is the next
 *
 *	SRQ         a list by next_wqe_index:   next -> 0 -> 1 -> 4 -> 2 -> (not posted yet)
 *	            or, of type cyclic, a ring:  next -> 0 -> 1 -> 2 -> 3 -> (not posted yet)
 *	            a message takes the first WQE when it needs one and holds it to its end;
 *	            meanwhile the messages of other QPs take those that follow
 *
 *	WQE of an SRQ: | 2: next_wqe_index, rest of 16 bytes reserved | data | data | …
 *	(rdma-core, mlx5dv.h: struct mlx5_wqe_srq_next_seg.)
 */
#ifndef EMU_ENGINE_RECEIVE_H
#define EMU_ENGINE_RECEIVE_H

#include "engine/cqe.h"
#include "engine/sg.h"

/* The first packet for @qp arrived. */
void receive_comm_est(struct engine *e, struct hca_qp *qp);
/* Has the message under way on @qp a receive WQE, or can it take one now? @srq: NULL for the
 * QP's own queue. */
bool receive_take(struct engine *e, struct hca_qp *qp, struct hca_srq *srq);
/* The WQE of receive_take(), and its list. */
struct recv_wqe receive_wqe(const struct hca_qp *qp, struct hca_srq *srq);
struct sg_list receive_list(struct engine *e, const struct hca_qp *qp,
			    const struct hca_srq *srq);
/* That WQE has its CQE: the next message takes another WQE. */
void receive_done(struct hca_qp *qp, const struct hca_srq *srq);
/* Flushes the receive WQEs of @qp, in ERR; false when there are none. */
bool receive_flush(struct engine *e, struct hca_qp *qp);

#endif
