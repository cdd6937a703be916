/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The responder: a request packet and the steps that it passes. Shared by the steps of SEND and
 * WRITE (responder.c) and those of READs, atomics and duplicate requests (read_atomic.c).
 */
#ifndef EMU_ENGINE_RESPONDER_H
#define EMU_ENGINE_RESPONDER_H

#include "engine/psn.h"
#include "engine/receive.h"

enum kind { KIND_NONE, KIND_SEND, KIND_WRITE, KIND_READ, KIND_ATOMIC };

enum step {
	STEP_PSN,
	STEP_GAP,
	STEP_SEQUENCE,
	STEP_RIGHTS,
	STEP_RECEIVE,
	STEP_DATA,
	STEP_INVALIDATE,
	STEP_READ,
	STEP_ATOMIC,
	STEP_FINISH,
	STEP_DUPLICATE,
	STEP_DONE
};

struct rx_shape { /* of a request packet */
	uint8_t kind;
	bool first, last, imm;
	bool inval; /* with a key to invalidate */
	bool masked;
};

struct rx_request {
	struct engine *e;
	struct hca_qp *qp;
	const struct wire_packet *p;
	struct rx_shape is;
	struct hca_srq *srq;	 /* has the receive WQEs; NULL: the QP's own queue has */
	const struct hca_pd *pd; /* of rkeys; NULL, which no mkey has: no such XRC SRQ */
	struct cqe_inline inl;	 /* scattered into the CQE and not into the buffers */
};

/* Request packet @p arrived for @qp. */
void responder_take(struct engine *e, struct hca_qp *qp, const struct wire_packet *p);
/* A run that begins with @p arrived. False: a packet of it may need more than its bytes to be
 * written and an ACK; nothing has changed, and they are taken one by one. */
bool responder_take_run(struct engine *e, struct hca_qp *qp, const struct wire_packet *p,
			struct wire_run run);

/* responder_tx.c sends this ACK or NAK. */
static inline void responder_set_pending_ack(struct hca_resp *r, enum hca_resp_ack ack,
					     uint8_t syndrome, uint32_t psn)
{
	r->ack = ack;
	r->syndrome = syndrome;
	r->ack_psn = psn;
}

/* Refuses the request; no receive WQE ends in an error. */
enum step responder_refuse(struct rx_request *rx, enum wire_nak code);
/* The memory that it accesses. */
struct mem_ref responder_mem_ref(const struct rx_request *rx);

/* read_atomic.c */
enum step read_atomic_queue_read(struct rx_request *rx);
enum step read_atomic_execute(struct rx_request *rx);
/* A duplicate SEND or WRITE is only acknowledged, a READ is executed again, and the response of
 * an atomic is sent again. */
enum step read_atomic_duplicate(struct rx_request *rx);
/* Removes the oldest response from the queue. */
void read_atomic_pop(struct hca_resp *r);

#endif
