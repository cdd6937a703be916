/* SPDX-License-Identifier: BSD-2-Clause */
/* Repetitions of post in the result. */
#include "base/base.h"
#include "post_repeats.h"

static void keep(struct result *r, enum metric m, double *values, unsigned int n)
{
	result_keep(r, m, values, n);
	r->m[m] = median(values, n); /* sorts */
}

void post_keep(struct result *r, struct post_repeats *all)
{
	unsigned int n = all->n;

	if (!n)
		return;
	keep(r, METRIC_POST_CYCLES, all->post, n);
	r->m[METRIC_POST_CYCLES_MIN] = all->post[0];
	r->m[METRIC_POST_CYCLES_MAX] = all->post[n - 1];
	keep(r, METRIC_MOPS, all->mops, n);
	r->m[METRIC_MOPS_MIN] = all->mops[0];
	r->m[METRIC_MOPS_MAX] = all->mops[n - 1];
	r->m[METRIC_SPREAD] = (all->mops[n - 1] - all->mops[0]) / r->m[METRIC_MOPS];
	if (!all->polls)
		return;
	keep(r, METRIC_POLL_CYCLES, all->poll, n);
	r->m[METRIC_POLL_CYCLES_MIN] = all->poll[0];
	r->m[METRIC_POLL_CYCLES_MAX] = all->poll[n - 1];
	keep(r, METRIC_OP_CYCLES, all->op, n);
	r->m[METRIC_OP_CYCLES_MIN] = all->op[0];
	r->m[METRIC_OP_CYCLES_MAX] = all->op[n - 1];
}
