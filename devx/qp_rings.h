/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DEVX_QP_RINGS_H
#define DEVX_QP_RINGS_H

#include <devx/qp.h>

/* Both queues empty: the records, dv_sq and dv_rq start anew. */
int devx_qp_start_rings(struct devx_qp *qp);

#endif
