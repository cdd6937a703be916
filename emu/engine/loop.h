/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of the engine, and the steps of one iteration of its loop in their order:
 *
 *	doorbell.c      UAR pages -> doorbell records -> runnable QPs
 *	cq_arm.c        the register that arms CQs
 *	uar_store.c     the same registers where every store is seen (--check)
 *	demux.c         frames from the wire -> QP
 *	responder.c     request packets, step by step     read_atomic.c   READs, atomics, duplicates
 *	receive.c       receive WQEs, SRQs                responder_tx.c  responses, ACKs and NAKs
 *	completer.c     responses, ACKs and NAKs; timers
 *	requester.c     send WQEs -> request packets      hwqe.c          decoding a send WQE
 *	datagram.c      UD, both directions               dc.c            connections of DCIs, DCTs
 *	umr.c, mmo.c    WQEs that send no packet          ethernet_*.c    SQs and RQs of Ethernet
 *	vhca.c          bytes for other functions         sg.c            data segments <-> memory
 *	tx.c            frames to the wire                congestion.c    CNPs, rates of QPs
 *	cqe.c           CQEs                              qp_error.c      QPs in ERR, flushing
 *	lost.c          queues whose memory was unmapped
 *	count.c         Q counters of errors              wqe_report.c    findings about WQEs
 *	schedule.c      priority and processor of the thread
 *
 * Functions that other files call have the name of their file as prefix; those of qp_error.c
 * are in qp.h. engine_* is the interface of the module. The device lock is held in all of them.
 */
#ifndef EMU_ENGINE_LOOP_H
#define EMU_ENGINE_LOOP_H

#include <endian.h>

#include "engine/engine.h"
#include "engine/schedule.h"

#define ENGINE_FCS 4 /* bytes of the frame check sequence, where a receiver wants it */

#define ENGINE_WQE_UNITS 64u /* as many as ctrl.ds can say, and one more */

/* A send WQE while the requester works on it: read once from its ring. */
struct engine_wqe {
	const struct hca_qp *qp; /* NULL: none is here */
	uint16_t index;
	uint8_t bytes[ENGINE_WQE_UNITS * 16];
};

struct engine {
	struct hca *hca;
	struct wire *w;
	struct net *net;
	pthread_t thread;
	atomic_bool stop;
	bool paused;
	bool sleeping; /* the thread; it is woken by the wire, and by wake_fd */
	int wake_fd;
	struct schedule schedule;
	uint64_t looked; /* ns: when that was chosen, and hca.look was called */
	uint32_t admin;	 /* hca_adapter.admin as it was last seen */
	bool blocked;	 /* in this iteration a QP could not send, because its peer is full */
	bool backlog;	 /* frames that arrived were left for the next iteration */
	bool waiting;	 /* in this iteration a QP waited for a response, a timer or its peer */
	uint64_t now;	 /* ns, of this iteration */
	uint64_t worked; /* ns: the end of the last iteration of the thread that found work */
	uint64_t ran; /* ns, without those in which the engine should have run and could not */
	uint32_t umr_batches;	  /* numbers given to hca_req.umr_batch */
	uint32_t serials;	  /* given to messages to other functions */
	struct core_list answers; /* to other functions, which had no space for them yet */
	unsigned int nanswers;
	uint16_t waits[HCA_VHCAS]; /* those of each function */
	struct engine_counters counters;
	struct engine_wqe wqe;
	/* of the requester: headers that all packets of a turn of packet_of have in common */
	struct wire_packet packet;
	const struct hca_qp *packet_of;			  /* NULL: of no QP */
	uint8_t payload[4096];				  /* of the frame that is built */
	uint8_t ethernet[WIRE_MAX_ETHERNET + ENGINE_FCS]; /* a frame of Ethernet, the same */
};

/* One iteration; did it find work? */
bool loop_iterate(struct engine *e);
/* For how many ns nothing was found to do, after an iteration that @moved something or not: 0
 * after one that did, however long it took, as it may have left work. */
uint64_t loop_idle(struct engine *e, bool moved);
/* Has the thread go on, if it sleeps. */
void loop_wake(struct engine *e);

/* The slot of the process that has QP @qpn. */
static inline uint8_t engine_slot_of(uint32_t qpn)
{
	return qpn >> 16;
}

#endif
