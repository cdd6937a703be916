/* SPDX-License-Identifier: BSD-2-Clause */
/* How the thread of the engine shares the processors with programs and other engines. */
#ifndef EMU_ENGINE_SCHEDULE_H
#define EMU_ENGINE_SCHEDULE_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "wire/wire.h"

struct schedule {
	cpu_set_t allowed; /* where the thread may run when it begins; if known */
	bool known;
	unsigned int processors;
	int nice;      /* its priority */
	bool preempts; /* programs, whatever they do: the priority was granted */
	bool pinned;
	uint64_t spin; /* ns for which it polls after it found work */
};

/* For the calling thread. */
void schedule_begin(struct schedule *s);
/* Chooses by the present number of processes of the fabric. */
void schedule_choose(struct schedule *s, const struct wire *w);

#endif
