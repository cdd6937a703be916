/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * engine: doorbell -> WQE -> frames -> CQE. The data path of the device.
 *
 *	 UAR pages --ring--> records --new WQEs--> requester --frames--> wire
 *	                                           responder <--frames---'
 *	                                               '--> RQ WQE, memory, CQE, ACK
 *
 * One thread per process that has the device open. A turn takes the device lock, looks at
 * the doorbell registers, drains the wire, lets every runnable QP move and serves timers.
 * It spins while turns find work, then sleeps longer and longer (the wire's descriptor wakes
 * it at once, a doorbell is noticed at the next look): an idle device costs next to no CPU.
 *
 * A doorbell register is exchanged with 0. A ring makes the engine look at the records of
 * all queues on that UAR page: plain memory keeps only the last value written, so which of
 * several queues rang cannot be told. No WQE runs without a ring. Where each store is seen
 * (engine_store), a ring is for the queue that it names and for no other.
 *
 * Doors: engine_* take the device lock themselves unless they say otherwise.
 */
#ifndef EMU_ENGINE_H
#define EMU_ENGINE_H

#include "hca/hca.h"
#include "wire/wire.h"

struct engine;

struct engine_counters {
	uint64_t turns;	       /* turns that found work */
	uint64_t doorbells;    /* register values taken */
	uint64_t empty_rings;  /* rings after which no queue had a new record */
	uint64_t shared_rings; /* queues that were served by a ring that named another queue */
	uint64_t wqes;	       /* send WQEs executed to completion (or error) */
	uint64_t cqes;	       /* CQEs written */
	uint64_t tx_frames, rx_frames, rx_dropped;
	uint64_t retransmits;
};

/* Starts the thread; NULL with errno. @w stays the caller's. */
struct engine *engine_start(struct hca *hca, struct wire *w);
void engine_stop(struct engine *e);

/* Paused, the engine does nothing by itself. engine_step makes one turn (only while paused)
 * and says whether it found work. */
void engine_pause(struct engine *e);
void engine_resume(struct engine *e);
bool engine_step(struct engine *e);
void engine_counters(struct engine *e, struct engine_counters *c);

/*
 * Retires what was posted on send queue @qpn without executing it, paused or not: takes the
 * record, or the last ring of a queue without one, and writes one success CQE for the last WQE. For tests that compare WQEs
 * and never want them sent. Positive errno: ENOENT, EINVAL (no WQE pending, QP not in RTS).
 */
int engine_retire(struct engine *e, uint32_t qpn);

/* At exit: reports (core_check) queues whose record is ahead of their last ring, and CQs whose CQEs
 * were never released. Device lock held. */
void engine_unfinished(struct hca *hca);

/* Reports (core_check) the queues whose memory the application has just unmapped, which the device
 * goes on using (core/bus.h). Device lock held. */
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
 * Takes a store at the moment when it is made, in place of a look at the page later. Of the thread
 * that makes it, from within a signal handler too.
 */
void engine_store(struct engine *e, const struct engine_store *s);

/* fw's upcall dev.kick: @qp changed state. Device lock held. */
void engine_kick(struct hca *hca, struct hca_qp *qp);

#endif
