/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the engine share: the engine, and the parts of one turn in their order.
 *
 *	doorbell.c   registers -> records -> runnable QPs
 *	cq_arm.c        the register that arms CQs         uar_store.c    registers, store by store
 *	demux.c       frames in (whose are they?) and out
 *	responder.c  a request packet, step by step      responder_tx.c  responses and acknowledges
 *	read_atomic.c         READs, atomics, repeated requests   receive.c  the receive WQEs, SRQs
 *	completer.c     what comes back to the requester    requester.c  what it sends
 *	datagram.c   UD, both ways                       umr.c        mkeys changed by WQEs
 *	dc.c         connections of DCIs and DCTs
 *	mmo.c        copies inside of the device         raw_packet.c        SQs, which carry nothing yet
 *	wqe_report.c     WQEs that are not executed, by name
 *	cqe.c        completions                         qp_error.c  errors, QPs in ERR
 *	lost.c       queues whose memory was unmapped
 *	count.c      Q counters of errors
 *
 * The device lock is held in all of them.
 */
#ifndef EMU_ENGINE_LOOP_H
#define EMU_ENGINE_LOOP_H

#include <endian.h>

#include "engine/engine.h"

struct engine {
	struct hca *hca;
	struct wire *w;
	pthread_t thread;
	atomic_bool stop;
	bool paused;
	bool blocked; /* in this turn a QP could not send, because its peer is full */
	bool waiting; /* … a QP waited for an answer, a timer or its peer */
	uint64_t now; /* ns, of this turn */
	uint64_t ran; /* ns, without those in which the engine should have run and could not */
	uint32_t umr_batches; /* numbers given to hca_req.umr_batch */
	struct engine_counters counters;
	uint8_t payload[4096]; /* of the frame being made */
};

/* The free-running counter of the device. */
static inline uint64_t engine_ticks(const struct hca *hca, uint64_t ns)
{
	return ns / 1000000 * hca->clock_khz + ns % 1000000 * hca->clock_khz / 1000000;
}

/* The wire's service of @qp; what is none is also no service of any frame. */
static inline uint8_t qp_service(const struct hca_qp *qp)
{
	static const uint8_t services[] = { WIRE_RC, WIRE_UC, WIRE_UD, WIRE_XRC,
					    0xff,    WIRE_DC, WIRE_DC };

	return qp->st < sizeof(services) ? services[qp->st] : 0xff;
}

/* Its packets are answered, and sent again when they are not. */
static inline bool qp_is_reliable(const struct hca_qp *qp)
{
	return qp->st == PRM_QPC_ST_RC || qp->st == PRM_QPC_ST_XRC ||
	       qp->st == PRM_QPC_ST_DCI || qp->st == PRM_QPC_ST_DCT;
}

enum doorbell_record { DOORBELL_RECORD_RCV, DOORBELL_RECORD_SND };

/* The producer index in doorbell record word @which: 16 bits. Where it cannot be read (lost.h),
 * nothing is new. Of a QP without a send record: what the last ring told. */
uint16_t doorbell_record(const struct hca_qp *qp, enum doorbell_record which);

/* Takes all rings; says whether there was one. */
bool doorbell_poll(struct engine *e);
/* Has a register of @uar been rung that was not taken yet? */
bool doorbell_pending(const struct hca_uar *uar);
/* Counts and traces 8 bytes that were written to @uar at @off. */
void doorbell_rung(struct engine *e, const struct hca_uar *uar, uint16_t off,
		   const void *bytes);
/* 8 bytes that were written to @uar at UAR_NO_RECORD. */
void doorbell_no_record(struct engine *e, const struct hca_uar *uar, const void *bytes);
/* Takes them from @uar's page; false when there were none. */
bool doorbell_poll_no_record(struct engine *e, const struct hca_uar *uar);
#define UAR_NO_RECORD 0x600 /* in the UAR page; rdma-core: tests/mlx5_base.py */
/* The send record of @qp says @record, which is new. */
void doorbell_serve(struct engine *e, struct hca_qp *qp, uint16_t record);

/* Takes the frames that arrived, up to a bound; false when there was none. */
bool demux_poll(struct engine *e);
/* May a packet for QP @dqpn, whose number says which process has it, be sent now? */
bool tx_has_space(struct engine *e, uint32_t dqpn);
/* Has the process of QP @dqpn, another one, not read all that was sent to it? */
bool tx_unread(struct engine *e, uint32_t dqpn);
/* Fills in what all packets of connection @qp have in common. */
void tx_address(struct engine *e, const struct hca_qp *qp, struct wire_packet *p);
/* To p->dqpn; only after tx_has_space() said yes. */
void tx_send(struct engine *e, const struct wire_packet *p);

/* A packet that arrived for @qp: a request, or an answer to one of its own. */
void responder_take(struct engine *e, struct hca_qp *qp, const struct wire_packet *p);
void completer_take(struct engine *e, struct hca_qp *qp, const struct wire_packet *p);
void datagram_take(struct engine *e, struct hca_qp *qp, const struct wire_packet *p);

/* Each makes up to a quantum of packets; false when there was nothing that could be done. */
bool responder_tx_run(struct engine *e, struct hca_qp *qp);
bool requester_run(struct engine *e, struct hca_qp *qp);

static inline bool responder_tx_pending(const struct hca_qp *qp)
{
	return qp->resp.read_atomic_cnt || qp->resp.ack != HCA_ACK_NONE;
}

#endif
