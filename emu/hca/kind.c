/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of kinds, and what follows from it; see kind.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hca/hca.h"

/* ---- hooks ---- */

static bool uar_init(struct hca *hca, void *obj)
{
	struct hca_uar *uar = obj;

	core_list_init(&uar->queues);
	core_list_init(&uar->sqs);
	uar->page = hca_bar_map(hca, HCA_UAR_PGOFF + uar->index);
	if (!uar->page)
		return false;
	/* A ring for the owner before must not be one for the new owner. */
	memset(uar->page, 0, HCA_PAGE_SIZE);
	return true;
}

static void uar_fini(struct hca *hca, void *obj)
{
	struct hca_uar *uar = obj;
	struct hca_cq *cq;
	uint32_t cqn = 0;

	while ((cq = core_ids_next(&hca->cqs, &cqn)))
		if (cq->uar == uar)
			cq->uar = NULL;
	if (uar->page)
		hca_bar_unmap(uar->page);
}

static void mkey_fini(struct hca *hca, void *obj)
{
	struct hca_mkey *m = obj;

	hca_revoke(hca, m);
	free(m->pages.pas);
	free(m->list);
}

static void general_fini(struct hca *hca, void *obj)
{
	(void)hca;
	free(((struct hca_general *)obj)->memory.bytes);
}

static void umem_fini(struct hca *hca, void *obj)
{
	(void)hca;
	free(((struct hca_umem *)obj)->pages.pas);
}

static void eq_fini(struct hca *hca, void *obj)
{
	(void)hca;
	free(((struct hca_eq *)obj)->ring.pas);
}

static void cq_fini(struct hca *hca, void *obj)
{
	struct hca_cq *cq = obj;

	(void)hca;
	core_list_del(&cq->on_held);
	if (cq->session)
		core_list_del(&cq->session->on_dev);
	free(cq->session);
	free(cq->ring.pas);
}

static void srq_fini(struct hca *hca, void *obj)
{
	(void)hca;
	free(((struct hca_srq *)obj)->wq.ring.pas);
}

static bool qp_init(struct hca *hca, void *obj)
{
	((struct hca_qp *)obj)->counter = &hca->counts.no_set;
	return true;
}

static void qp_fini(struct hca *hca, void *obj)
{
	struct hca_qp *qp = obj;

	if (hca->gsi == qp)
		hca->gsi = NULL;
	core_list_del(&qp->on_uar);
	hca_qp_reset(qp);
	free(qp->rq.ring.pas);
}

static void mcg_fini(struct hca *hca, void *obj)
{
	struct hca_mcg *m = obj;

	core_list_del(&m->in_bucket);
	hca_mcg_publish(hca, m->gid);
}

static bool q_counter_init(struct hca *hca, void *obj)
{
	struct hca_q_counter *set = obj;

	(void)hca;
	set->n = &set->own;
	return true;
}

static void sq_fini(struct hca *hca, void *obj)
{
	struct hca_sq *sq = obj;

	(void)hca;
	core_list_del(&sq->on_uar);
	core_list_del(&sq->on_sending);
	free(sq->kept);
	free(sq->wq.ring.pas);
}

void hca_sq_reset(struct hca_sq *sq)
{
	core_list_del(&sq->on_sending);
	free(sq->kept);
	sq->kept = NULL;
	sq->kept_len = 0;
	sq->pi = sq->end = 0;
	sq->packet = 0;
	sq->at = (struct hca_cursor){ 0 };
}

void hca_rq_reset(struct hca_rq *rq)
{
	core_list_del(&rq->on_flushing);
	rq->ci = 0;
	rq->stride = 0;
	rq->dropped = 0;
}

static void rq_fini(struct hca *hca, void *obj)
{
	struct hca_rq *rq = obj;

	(void)hca;
	core_list_del(&rq->on_flushing);
	free(rq->wq.ring.pas);
}

static void rqt_fini(struct hca *hca, void *obj)
{
	(void)hca;
	free(((struct hca_rqt *)obj)->rq);
}

static void rqt_refer(const void *obj, int by)
{
	const struct hca_rqt *rqt = obj;

	for (uint32_t i = 0; i < rqt->cnt; i++)
		rqt->rq[i]->refs += by;
}

static bool flow_counter_init(struct hca *hca, void *obj)
{
	struct hca_flow_counter *f = obj;

	(void)hca;
	f->traffic = calloc(f->numbers, sizeof(*f->traffic));
	return f->traffic;
}

static void flow_counter_fini(struct hca *hca, void *obj)
{
	(void)hca;
	free(((struct hca_flow_counter *)obj)->traffic);
}

/* ---- the tables ---- */

#define HCA_ALL		    .round = true, .limit = 1u << 24
#define HCA_KEYS	    .round = true, .limit = (1u << 24) - 1 /* mkey.h */
#define HCA_SLOT(base_, n)  .base = base_, .limit = n
#define HCA_LOCAL(n)	    .local = true, .limit = n
#define HCA_BYTE(base_)	    .local = true, .base = base_, .limit = 256 - (base_)
#define HCA_ABOVE(base_, n) .local = true, .base = base_, .limit = n

const struct hca_kind hca_kinds[HCA_KINDS] = {
#define HCA_KIND(name_, type, table_, text_, ...)                     \
	[HCA_KIND_##name_] = { .text = text_,                         \
			       .size = sizeof(struct type),           \
			       .table = offsetof(struct hca, table_), \
			       __VA_ARGS__ },
#include "hca/kind.def"
};

#define HCA_KIND(name, type, ...) \
	_Static_assert(offsetof(struct type, object) == 0, "HCA_OBJECT() is first");
#include "hca/kind.def"

static const struct {
	enum hca_kind_id kind;
	size_t member;
} refs[] = {
#define HCA_REF(name, member) { HCA_KIND_##name, offsetof(struct hca_##name, member) },
#include "hca/kind.def"
};

static struct core_ids *table_of(struct hca *hca, size_t kind)
{
	return (void *)((char *)hca + hca_kinds[kind].table);
}

void hca_objects_init(struct hca *hca)
{
	uint32_t first = (uint32_t)hca->slot << 16;

	for (size_t i = HCA_KIND_NONE + 1; i < HCA_KINDS; i++) {
		const struct hca_kind *k = &hca_kinds[i];
		bool by_slot = !k->local && !k->round;

		core_ids_init(table_of(hca, i), (by_slot ? first : 0) + k->base, k->limit);
		if (k->round)
			core_ids_shift(table_of(hca, i), first);
	}
	if (hca->uar_first)
		core_ids_init(&hca->uars, hca->uar_first - 1,
			      HCA_UAR_LIMIT - hca->uar_first + 1);
}

void hca_objects_fini(struct hca *hca)
{
	for (size_t i = HCA_KINDS - 1; i > HCA_KIND_NONE; i--) {
		uint32_t id = 0;
		void *obj;

		while ((obj = core_ids_next(table_of(hca, i), &id)))
			hca_object_free(hca, obj);
		core_ids_fini(table_of(hca, i));
	}
}

void *hca_object_new(struct hca *hca, enum hca_kind_id kind, uint32_t numbers)
{
	const struct hca_kind *k = &hca_kinds[kind];
	struct hca_object *o = calloc(1, k->size);

	if (!o)
		return NULL;
	o->kind = kind;
	o->numbers = numbers;
	if (!core_ids_add_range(table_of(hca, kind), o, numbers, &o->id)) {
		free(o);
		return NULL;
	}
	if (!k->init || k->init(hca, o))
		return o;
	hca_object_free(hca, o);
	return NULL;
}

void hca_object_free(struct hca *hca, void *obj)
{
	const struct hca_object *o = obj;
	const struct hca_kind *k = &hca_kinds[o->kind];

	for (uint32_t i = 0; i < o->numbers; i++)
		core_ids_del(table_of(hca, o->kind), o->id + i);
	if (k->fini)
		k->fini(hca, obj);
	free(obj);
}

void hca_object_refer(const void *obj, int by)
{
	uint8_t kind = ((const struct hca_object *)obj)->kind;

	for (size_t i = 0; i < ARRAY_SIZE(refs); i++) {
		struct hca_object *to;

		if (refs[i].kind != kind)
			continue;
		memcpy(&to, (const char *)obj + refs[i].member, sizeof(to));
		if (to)
			to->refs += by;
	}
	if (hca_kinds[kind].refer)
		hca_kinds[kind].refer(obj, by);
}

/* ---- counting ---- */

static uint32_t memics(const struct hca *hca)
{
	uint32_t n = 0;

	for (const struct core_list *l = hca->memics.next; l != &hca->memics; l = l->next)
		n++;
	return n;
}

static uint32_t rates(const struct hca *hca)
{
	uint32_t n = 0;

	for (size_t i = 0; i < HCA_RATES; i++)
		n += hca->rates[i].used;
	return n;
}

struct list {
	char *text;
	size_t size, len;
	uint32_t sum;
};

static void add(struct list *l, const char *name, uint32_t n)
{
	int more;

	l->sum += n;
	if (!n || !l->text || l->len >= l->size)
		return;
	more = snprintf(l->text + l->len, l->size - l->len, "%s%s %u", l->len ? ", " : "", name,
			n);
	l->len += more > 0 ? (size_t)more : 0;
}

uint32_t hca_objects_count(const struct hca *hca, char *text, size_t size)
{
	struct list l = { .text = text, .size = size };

	if (text && size)
		*text = 0;
	for (size_t i = HCA_KIND_NONE + 1; i < HCA_KINDS; i++)
		add(&l, hca_kinds[i].text, hca_object_table(hca, i)->used);
	add(&l, "device memory", memics(hca));
	add(&l, "rate", rates(hca));
	return l.sum;
}
