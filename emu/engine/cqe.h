/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CQEs: of a WQE that completed, and of one that failed.
 *
 *	error CQE of the WQE that failed -> state ERR -> flush CQEs: rest of SQ, then RQ
 *	UC, UD: of a send WQE -> state SQER -> flush CQEs: rest of SQ
 */
#ifndef EMU_ENGINE_CQE_H
#define EMU_ENGINE_CQE_H

#include "engine/loop.h"
#include "event/event.h"

enum cqe_syndrome { /* rdma-core, mlx5dv.h: MLX5_CQE_SYNDROME_* */
		    CQE_LOCAL_LENGTH = 0x01,
		    CQE_LOCAL_QP_OP = 0x02,
		    CQE_LOCAL_PROT = 0x04,
		    CQE_FLUSHED = 0x05,
		    CQE_MW_BIND = 0x06,
		    CQE_BAD_RESPONSE = 0x10,
		    CQE_LOCAL_ACCESS = 0x11,
		    CQE_REMOTE_INVALID_REQUEST = 0x12,
		    CQE_REMOTE_ACCESS = 0x13,
		    CQE_REMOTE_OP = 0x14,
		    CQE_RETRY_EXCEEDED = 0x15,
		    CQE_RNR_RETRY_EXCEEDED = 0x16,
};

/* Bytes that are scattered into the CQE and not into the buffers of the WQE. len 0: none. */
struct cqe_inline {
	uint32_t len;
	uint8_t bytes[64];
};

/* The largest message that is scattered into requester / responder CQEs of @qp; 0: none. */
uint32_t cqe_inline_req(const struct hca_qp *qp);
uint32_t cqe_inline_resp(const struct hca_qp *qp);

/* A receive WQE. Its queue determines the CQ and the user index of its CQE. */
struct recv_wqe {
	struct hca_srq *srq; /* NULL: the QP's own receive queue */
	uint16_t index;
};

/* The parts that all CQEs have: clears @entry, and returns the CQE in it. @op: send opcode of a
 * requester's. */
uint8_t *cqe_start(uint8_t entry[HCQE_ENTRY], uint32_t uidx, uint32_t qpn, uint16_t index,
		   uint8_t op);
/* The time. */
void cqe_stamp(const struct engine *e, uint8_t *cqe);
/* Opcode and syndromes of an error CQE. */
void cqe_put_error(uint8_t cqe[64], enum hcqe_opcode opcode, enum cqe_syndrome s);
/* Send WQE @index completed without an error. @inl may be NULL. */
void cqe_sent(struct engine *e, struct hca_qp *qp, uint16_t index, const struct hca_req_wqe *w,
	      const struct cqe_inline *inl);
/* Receive WQE @r was filled by the message of resp.off bytes that @p ends. */
void cqe_received(struct engine *e, struct hca_qp *qp, const struct recv_wqe *r,
		  const struct wire_packet *p, enum hcqe_opcode opcode,
		  const struct cqe_inline *inl);
/* Send WQE @index, or receive WQE @r, ended in @syndrome. */
void cqe_send_error(struct engine *e, struct hca_qp *qp, uint16_t index, enum cqe_syndrome s);
void cqe_recv_error(struct engine *e, struct hca_qp *qp, const struct recv_wqe *r,
		    enum cqe_syndrome s);

#endif
