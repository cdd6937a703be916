/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared receive queues. A basic one is, to firmware, a receive memory pool (RMP): a ring of
 * *linked* WQEs, each of which names the next.
 *
 *	head -> [next|sge sge ..] -> [next|sge sge ..] -> [next| … ] <- tail
 *	        the device takes here                     the user appends here
 *
 * qpc.srqn_rmpn_xrqn of a QP, rqc.rmpn of an RQ and dctc.srqn_xrqn name it. Make the ring and
 * its links first, then the RMP. The event SRQ_RQ_LIMIT comes once after each arming, when
 * fewer than @lwm WQEs are left.
 *
 * An XRC SRQ belongs to an XRC domain besides, and there is a command for it. But in which
 * bytes of its context DevX expects the umem ids, no public header says; what goes over
 * ibv_create_srq_ex() is all there is. The domain is here, for QPs.
 */
#ifndef DEVX_SRQ_H
#define DEVX_SRQ_H

#include <devx/wq.h>
#include <prm/prm.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* wq->log_stride: of a WQE, its 16-byte head included. EINVAL: as devx_rq_create(). */
int devx_rmp_create(struct devx_obj *rmp, struct ibv_context *ctx,
		    const struct devx_wq_attr *wq);
int devx_rmp_arm(struct devx_obj *rmp, uint16_t lwm);
/* PRM_GET(rmpc, rmpc, …) reads the context. */
int devx_rmp_query(struct devx_obj *rmp, uint8_t rmpc[PRM_SZ(rmpc)]);
int devx_rmp_destroy(struct devx_obj *rmp);

int devx_xrcd_create(struct devx_obj *xrcd, struct ibv_context *ctx);
int devx_xrcd_destroy(struct devx_obj *xrcd);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
