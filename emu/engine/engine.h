/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * engine: doorbell -> WQE -> frames -> CQE. The data path of the device.
 *
 *	 UAR pages --ring--> records --new WQEs--> requester --frames--> wire
 *	                                           responder <--frames---'
 *	                                               '--> RQ WQE, memory, CQE, ACK
 *
 * One thread per device that a process has open. An iteration of its loop takes the device
 * lock, polls the doorbell registers, reads the wire, runs every runnable QP and serves timers.
 * The thread spins while iterations find work, then sleeps; the wire's descriptor wakes it at
 * once. A doorbell that is rung meanwhile is noticed at the next poll. The sleeps get longer
 * with the time in which nothing happened, so an idle device costs almost no CPU time.
 *
 * A doorbell register is exchanged with 0. If it was written, the engine reads the records of
 * all queues on that UAR page: plain memory has only the last value written, so the engine does
 * not know which of several queues were rung. No WQE is executed without a doorbell. Where
 * every store is seen (engine_store), a doorbell serves only the queue that it names.
 *
 * engine_* take the device lock themselves unless their comment states otherwise.
 */
#ifndef EMU_ENGINE_H
#define EMU_ENGINE_H

#include "hca/hca.h"
#include "net/net.h"
#include "wire/wire.h"

struct engine;

struct engine_counters {
	uint64_t iterations;  /* those that found work */
	uint64_t doorbells;   /* register values taken */
	uint64_t empty_rings; /* doorbells after which no queue had a new record */
	/* queues that were served by a doorbell that named another queue */
	uint64_t shared_rings;
	uint64_t wqes; /* send WQEs executed to completion (or error) */
	uint64_t cqes; /* CQEs written */
	uint64_t tx_frames, rx_frames, rx_dropped;
	uint64_t tx_bytes, rx_bytes; /* of the frames */
	uint64_t retransmits;
	uint64_t messages, message_bytes; /* of RoCE QPs, sent or read, complete */
};

/* Starts the thread; NULL with errno. The caller closes @w and @net after engine_stop(). */
struct engine *engine_start(struct hca *hca, struct wire *w, struct net *net);
void engine_stop(struct engine *e);

/* A paused engine does nothing by itself. engine_step() runs one iteration (only while paused)
 * and returns whether it found work. */
void engine_pause(struct engine *e);
void engine_resume(struct engine *e);
bool engine_step(struct engine *e);
void engine_counters(struct engine *e, struct engine_counters *c);

/*
 * Completes all WQEs that were posted on send queue @qpn without executing them, paused or not:
 * reads the record (of a no-DBR queue the last doorbell) and writes one success CQE for the
 * last WQE. For tests that compare WQEs and do not send them. 0 or a positive errno: ENOENT,
 * EINVAL (no WQE pending, QP not in RTS).
 */
int engine_retire(struct engine *e, uint32_t qpn);

/* Adapter faults: takes the link of the port away, or brings it back; moves QP @qpn to ERR with
 * the event of a fatal error of its WQ: 0 or ENOENT. */
void engine_link(struct engine *e, bool up);
int engine_fail_qp(struct engine *e, uint32_t qpn);

/* At exit: reports (core_check) queues whose record is ahead of their last doorbell, and CQs
 * whose CQEs were never released. Device lock held. */
void engine_unfinished(struct hca *hca);

/* Reports (core_check) the queues whose memory the application has just unmapped and the device
 * still uses (core/bus.h). Device lock held. */
void engine_unmapped(struct hca *hca);

/* A store of the program to a UAR page. */
struct engine_store {
	uint32_t uar; /* number of the page */
	uint16_t offset;
	uint8_t len; /* up to 64, and not beyond the page */
	int thread;
	uint8_t bytes[64];
};

/*
 * Executes a store at once, instead of a later poll of the page. Called by the thread that
 * stores, also from a signal handler.
 */
void engine_store(struct engine *e, const struct engine_store *s);

/* Is this received frame for the QPs of this port, not for steering? Device lock held. */
bool engine_is_roce(const struct engine *e, const uint8_t *frame, size_t len);
/* Does @tir take packets that transport domain @tdn sent to the own port? Device lock held. */
bool engine_loops_back(const struct hca_tir *tir, uint32_t tdn, bool multicast);

/* Upcall hca.catch_up of fw, before @qp goes to RESET or RTS: a doorbell that was rung before
 * counts, or is lost, though it was not polled yet. Not while the engine is paused. Device lock
 * held. */
void engine_catch_up(struct engine *e, const struct hca_qp *qp);

/* Entries of steering that were written to ICM by QPs with forced loopback, before now, are
 * there when it returns. True: something was done. Not while the engine is paused. Device
 * lock held. */
bool engine_settle(struct engine *e);

/* Upcall hca.kick of fw: @qp changed its state. Device lock held. */
void engine_kick(struct hca *hca, struct hca_qp *qp);

#endif
