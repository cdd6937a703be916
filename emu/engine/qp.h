/* SPDX-License-Identifier: BSD-2-Clause */
/* The service of a QP, and how it gets into an error state (qp_error.c). */
#ifndef EMU_ENGINE_QP_H
#define EMU_ENGINE_QP_H

#include "engine/cqe.h"

/* The transport service in the opcodes of its packets; 0xff, which no packet has: it sends
 * none. */
static inline uint8_t qp_service(const struct hca_qp *qp)
{
	static const uint8_t services[] = { WIRE_RC, WIRE_UC, WIRE_UD, WIRE_XRC, 0xff,
					    WIRE_DC, WIRE_DC, 0xff,    WIRE_UD };

	return qp->st < sizeof(services) ? services[qp->st] : 0xff;
}

/* Requests are acknowledged, and sent again if they are not. */
static inline bool qp_is_reliable(const struct hca_qp *qp)
{
	return qp->st == PRM_QPC_ST_RC || qp->st == PRM_QPC_ST_XRC ||
	       qp->st == PRM_QPC_ST_DCI || qp->st == PRM_QPC_ST_DCT;
}

/* ---- qp_error.c ---- */

/* The oldest send WQE failed: writes its error CQE and moves the QP to ERR or SQER. */
void qp_error_send(struct engine *e, struct hca_qp *qp, enum cqe_syndrome s);
/* Moves the QP to ERR. Pending responses are dropped, except for a fatal NAK and a last ACK. */
void qp_error_enter(struct engine *e, struct hca_qp *qp);
/* Flushes new WQEs of a QP in ERR or SQER; false when there were none. */
bool qp_error_flush(struct engine *e, struct hca_qp *qp);

#endif
