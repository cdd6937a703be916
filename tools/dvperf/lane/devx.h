/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --collapsed: a lane whose QP and CQs firmware makes, because verbs have no such CQ. Every CQE
 * of the send queue overwrites the previous one; its wqe_counter says how far the queue has
 * come:
 *
 *	pending FIFO   at 0x10   at 0x14   at 0x18   at 0x1c
 *	CQE            wqe_counter 0x18: three of the four are done
 *
 * CQEs that were overwritten count as if each had been seen. Receives have a CQ of the usual
 * kind. Each lane has its own register.
 */
#ifndef DVPERF_LANE_DEVX_H
#define DVPERF_LANE_DEVX_H

#include <devx/cq.h>
#include <devx/qp.h>
#include <dv/many.h>

#include "lane.h"

struct lane_devx {
	struct devx_uar uar;
	struct devx_cq send, recv; /* recv: where it receives */
	struct devx_qp qp;
	struct lane_cq send_cq, recv_cq; /* used by receive.c and run */
	struct dv_many many;		 /* --api=many */
};

/* In place of the CQs and the QP of lane_open(). Refuses what the device does not make. */
void lane_devx_open(struct lane *l, const struct device *dev);
void lane_devx_close(struct lane *l);

/* To RTS. */
void lane_devx_connect(struct lane *l, const struct device *dev, const struct dv_endpoint *ours,
		       const struct dv_endpoint *theirs, const struct dv_qp_conn *conn);

/* Makes @poster look into a collapsed CQ. */
void lane_devx_poll(struct poster *poster);

#endif
