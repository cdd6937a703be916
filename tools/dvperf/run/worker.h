/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The closed loop of bw, and its threads: post a batch if it fits the ring, else poll.
 *
 *	worker 0  lanes of group 0   --.
 *	worker 1  lanes of group 1   --+--> ops (a cache line each) <-- the main thread, once per window
 *	...                          --'
 *
 * Nothing but its own counts is touched by a worker while it runs. With a pace (--rate) batch k
 * has an intended start, k batches after the first; its latency counts from there, however late
 * it was really posted: a stall is not forgotten ("coordinated omission").
 */
#ifndef DVPERF_WORKER_H
#define DVPERF_WORKER_H

#include <pthread.h>

#include "result/result.h"
#include "machine/machine.h"
#include "rig.h"

/* One run, seen by all its workers. */
struct run {
	struct rig *rig;
	pthread_barrier_t start;
	bool stop;  /* atomic: the main thread says so */
	bool yield; /* more threads than CPUs: let others in when there is nothing to do */
	double ticks_per_second;
};

struct worker {
	uint64_t ops; /* completed so far; atomic: read by the main thread */
	char line[56];
	struct run *run;
	int index;
	pthread_t thread;
	struct lane **lanes, **receivers;
	unsigned int n, receiving;
	struct counts counts;
	struct histogram latency; /* in ticks */
	uint64_t begin, end;	  /* ticks */
	struct effort effort;	  /* from begin to end */
} __attribute__((aligned(64)));

/* Threads that post, one run; each lane posts @iters operations, or goes on until run->stop. */
struct worker *workers_start(struct run *run, uint64_t iters);
void workers_join(struct worker *w, unsigned int n);

/* Receives that came meanwhile, of all lanes of this side; CQEs taken. */
uint64_t rig_receive(struct rig *rig);

/* -e: sleeps until receives come, @ns at most. It may be that some are there already: what
 * comes next is rig_receive(). */
void rig_sleep(struct rig *rig, uint64_t ns);

#endif
