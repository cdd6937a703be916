/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that store to registers at the same time. All store all the time; what they store
 * between the leader's word to begin and its word to end is counted and timed, by each thread
 * for itself:
 *
 *	leader     | store …  begin | n stores  | end  … |        another thread in each pass
 *	thread 1   |   store …       | some stores | … |
 *	         together    all store now
 */
#ifndef DVPERF_MMIO_TEAM_H
#define DVPERF_MMIO_TEAM_H

#include "options/options.h"
#include "store.h"

/* State of one thread. */
struct team_slot {
	struct dv_sq sq; /* its register, and what it stores */
	struct store_lock *lock;
};

struct team_work {
	const struct options *o; /* where the threads run */
	struct team_slot *slots;
	unsigned int threads;
	store_loop *loop;
	bool alone;	    /* each store 1 us after the one before of its thread */
	unsigned int iters; /* stores of the leader in a pass, back to back */
};

/* Medians of passes. */
struct team_times {
	double ticks,
		slowest; /* of a store: of all threads; of the slowest thread, of those that got to store */
	double rate; /* stores of all threads, per tick; of stores alone NaN: they wait */
	double overlap; /* the time that all of them were timed, of the time that any was: 0 to 1 */
};

struct team_times team_measure(const struct team_work *work);

#endif
