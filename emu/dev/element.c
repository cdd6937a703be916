/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of RQ tables, counters and elements; see object.c. */
#include <stdlib.h>

#include "dev/dev.h"

struct dev_rqt *dev_rqt_new(struct dev *d)
{
	struct dev_rqt *rqt = calloc(1, sizeof(*rqt));

	if (rqt && core_ids_add(&d->rqts, rqt, &rqt->rqtn))
		return rqt;
	free(rqt);
	return NULL;
}

void dev_rqt_free(struct dev *d, struct dev_rqt *rqt)
{
	core_ids_del(&d->rqts, rqt->rqtn);
	free(rqt->rq);
	free(rqt);
}

struct dev_q_counter *dev_q_counter_new(struct dev *d)
{
	struct dev_q_counter *c = calloc(1, sizeof(*c));

	if (c && core_ids_add(&d->q_counters, c, &c->id))
		return c;
	free(c);
	return NULL;
}

void dev_q_counter_free(struct dev *d, struct dev_q_counter *c)
{
	core_ids_del(&d->q_counters, c->id);
	free(c);
}

struct dev_flow_counter *dev_flow_counter_new(struct dev *d, uint32_t n)
{
	struct dev_flow_counter *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->n = n;
	f->traffic = calloc(n, sizeof(*f->traffic));
	if (f->traffic && core_ids_add_range(&d->flow_counters, f, n, &f->id))
		return f;
	free(f->traffic);
	free(f);
	return NULL;
}

void dev_flow_counter_free(struct dev *d, struct dev_flow_counter *f)
{
	for (uint32_t i = 0; i < f->n; i++)
		core_ids_del(&d->flow_counters, f->id + i);
	free(f->traffic);
	free(f);
}

struct dev_sched *dev_sched_new(struct dev *d)
{
	struct dev_sched *s = calloc(1, sizeof(*s));

	if (s && core_ids_add(&d->scheds, s, &s->id))
		return s;
	free(s);
	return NULL;
}

void dev_sched_free(struct dev *d, struct dev_sched *s)
{
	core_ids_del(&d->scheds, s->id);
	free(s);
}

/* Reserved QP numbers are numbers of QPs, but none that CREATE_QP gives. */
static struct core_ids *table_of(struct dev *d, bool qpns)
{
	return qpns ? &d->reserved_qpns : &d->generals;
}

struct dev_general *dev_general_new(struct dev *d, uint32_t n, bool qpns)
{
	struct dev_general *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->n = n;
	g->qpns = qpns;
	if (core_ids_add_range(table_of(d, qpns), g, n, &g->id))
		return g;
	free(g);
	return NULL;
}

void dev_general_free(struct dev *d, struct dev_general *g)
{
	for (uint32_t i = 0; i < g->n; i++)
		core_ids_del(table_of(d, g->qpns), g->id + i);
	free(g);
}
