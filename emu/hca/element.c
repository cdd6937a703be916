/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of RQ tables, counters and elements; see object.c. */
#include <stdlib.h>

#include "hca/hca.h"

struct hca_rqt *hca_rqt_new(struct hca *hca)
{
	struct hca_rqt *rqt = calloc(1, sizeof(*rqt));

	if (rqt && core_ids_add(&hca->rqts, rqt, &rqt->rqtn))
		return rqt;
	free(rqt);
	return NULL;
}

void hca_rqt_free(struct hca *hca, struct hca_rqt *rqt)
{
	core_ids_del(&hca->rqts, rqt->rqtn);
	free(rqt->rq);
	free(rqt);
}

struct hca_q_counter *hca_q_counter_new(struct hca *hca)
{
	struct hca_q_counter *c = calloc(1, sizeof(*c));

	if (c && core_ids_add(&hca->q_counters, c, &c->id))
		return c;
	free(c);
	return NULL;
}

void hca_q_counter_free(struct hca *hca, struct hca_q_counter *c)
{
	core_ids_del(&hca->q_counters, c->id);
	free(c);
}

struct hca_flow_counter *hca_flow_counter_new(struct hca *hca, uint32_t n)
{
	struct hca_flow_counter *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->n = n;
	f->traffic = calloc(n, sizeof(*f->traffic));
	if (f->traffic && core_ids_add_range(&hca->flow_counters, f, n, &f->id))
		return f;
	free(f->traffic);
	free(f);
	return NULL;
}

void hca_flow_counter_free(struct hca *hca, struct hca_flow_counter *f)
{
	for (uint32_t i = 0; i < f->n; i++)
		core_ids_del(&hca->flow_counters, f->id + i);
	free(f->traffic);
	free(f);
}

struct hca_sched *hca_sched_new(struct hca *hca)
{
	struct hca_sched *s = calloc(1, sizeof(*s));

	if (s && core_ids_add(&hca->scheds, s, &s->id))
		return s;
	free(s);
	return NULL;
}

void hca_sched_free(struct hca *hca, struct hca_sched *s)
{
	core_ids_del(&hca->scheds, s->id);
	free(s);
}

/* Reserved QP numbers are numbers of QPs, but none that CREATE_QP gives. */
static struct core_ids *table_of(struct hca *hca, bool qpns)
{
	return qpns ? &hca->reserved_qpns : &hca->generals;
}

struct hca_general *hca_general_new(struct hca *hca, uint32_t n, bool qpns)
{
	struct hca_general *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->n = n;
	g->qpns = qpns;
	if (core_ids_add_range(table_of(hca, qpns), g, n, &g->id))
		return g;
	free(g);
	return NULL;
}

void hca_general_free(struct hca *hca, struct hca_general *g)
{
	for (uint32_t i = 0; i < g->n; i++)
		core_ids_del(table_of(hca, g->qpns), g->id + i);
	free(g);
}
