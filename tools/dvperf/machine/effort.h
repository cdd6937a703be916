/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cost of a thread between two points: time on a CPU and, where the machine has a performance
 * monitoring unit (PMU) that may be used, instructions and core cycles, in user mode only.
 *
 *	effort_open()    of the thread itself, before
 *	effort_begin() … effort_end() -> struct effort
 *
 * One group of two counters (perf_event_open(2)): both count the same time. Where others want
 * the counters too, the kernel gives them in turn; then the part that was counted is scaled to
 * the whole.
 */
#ifndef DVPERF_EFFORT_H
#define DVPERF_EFFORT_H

#include <stdint.h>

struct effort {
	double instructions, cycles; /* NaN: not counted */
	double cpu_seconds;	     /* user and system */
};

struct effort_meter {
	int leader, follower; /* descriptors; -1: no PMU */
	double since;
};

/* The format in which a group of two is read. */
struct effort_group {
	uint64_t counters, enabled, running; /* the times in ns */
	uint64_t values[2];
};

/* Opens the counters of the calling thread. 0, or an errno value if there is no PMU (CPU time
 * is measured all the same). */
int effort_open(struct effort_meter *m);
void effort_begin(struct effort_meter *m);

/* And closes it. */
struct effort effort_end(struct effort_meter *m);

/* @g scaled: instructions and cycles; NaN where nothing of it was counted. */
struct effort effort_scaled(const struct effort_group *g);

void effort_add(struct effort *to, const struct effort *from);

#endif
