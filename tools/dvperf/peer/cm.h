/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * -R: rdma_cm finds the device that leads to the peer's address, and connects each lane's QP.
 *
 *	client                                        server
 *	  TCP: options                          <-->
 *	  address -> device, port                       address -> device, port; listens
 *	  TCP: memory of the lanes              <-->
 *	  lane 0: connect (QP number, lane)      -->    accept (QP number)
 *	  lane 1 …
 *
 * The QPs are created by dvperf; rdma_cm gives the attributes to modify them with, so that all
 * three APIs work. Options are exchanged over TCP as without -R. cm_rdma.c where librdmacm was
 * found at build time, cm_none.c elsewhere.
 */
#ifndef DVPERF_CM_H
#define DVPERF_CM_H

#include "peer.h"

struct cm;

/* NULL, or what is missing here for -R. The text is static. */
const char *cm_check(void);

/* Finds the device of this side's end of @peer, for @o->device and @o->port; the server
 * listens. */
struct cm *cm_open(struct options *o, const struct peer *peer);

/* Takes the QPs of @n lanes to RTS, together with the other side. */
void cm_connect(struct cm *cm, struct ibv_qp *const *qps, unsigned int n, struct peer *peer);
void cm_close(struct cm *cm);

#endif
