/* SPDX-License-Identifier: BSD-2-Clause */
/* The slowest and the fastest window of a run. */
#include <math.h>

#include "windows.h"

void windows_begin(struct windows *w, uint64_t all, uint64_t ticks, uint64_t ops)
{
	*w = (struct windows){
		.all = all, .ticks = ticks, .ops = ops, .slowest = NAN, .fastest = NAN
	};
}

void windows_look(struct windows *w, uint64_t ticks, uint64_t ops)
{
	double rate = (double)(ops - w->ops) / (double)(ticks - w->ticks);

	/* time after the last operation does not count */
	if (ops < w->all && ticks > w->ticks) {
		w->slowest = fmin(w->slowest, rate);
		w->fastest = fmax(w->fastest, rate);
	}
	w->ticks = ticks;
	w->ops = ops;
}
