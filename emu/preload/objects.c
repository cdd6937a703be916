/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "preload/objects.h"

#define KIND(name_, table_)                                          \
	{                                                            \
		.name = name_, .table = offsetof(struct hca, table_) \
	}

const struct object_kind object_kinds[OBJECT_KINDS] = {
	KIND("uctx", uctx),
	KIND("pd", pds),
	KIND("td", tds),
	KIND("uar", uars),
	KIND("mkey", mkeys),
	KIND("cq", cqs),
	KIND("eq", eqs),
	KIND("xrcd", xrcds),
	KIND("srq", srqs),
	KIND("qp", qps),
	KIND("tis", tiss),
	KIND("sq", sqs),
	KIND("rq", rqs),
	KIND("tir", tirs),
	KIND("rqt", rqts),
	KIND("dct", dcts),
	KIND("umem", umems),
	KIND("psv", psvs),
	KIND("q counter", q_counters),
	KIND("flow counter", flow_counters),
	KIND("scheduling element", scheds),
	KIND("general object", generals),
	KIND("reserved qpn", reserved_qpns),
};

const struct core_ids *object_table(const struct hca *hca, size_t kind)
{
	return (const void *)((const char *)hca + object_kinds[kind].table);
}

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
	char *words;
	size_t size, len;
	uint32_t sum;
};

static void add(struct list *l, const char *name, uint32_t n)
{
	int more;

	l->sum += n;
	if (!n || !l->words || l->len >= l->size)
		return;
	more = snprintf(l->words + l->len, l->size - l->len, "%s%s %u", l->len ? ", " : "",
			name, n);
	l->len += more > 0 ? (size_t)more : 0;
}

uint32_t objects_count(const struct hca *hca, char *words, size_t size)
{
	struct list l = { .words = words, .size = size };

	if (words && size)
		*words = 0;
	for (size_t i = 0; i < OBJECT_KINDS; i++)
		add(&l, object_kinds[i].name, object_table(hca, i)->used);
	add(&l, "device memory", memics(hca));
	add(&l, "rate", rates(hca));
	return l.sum;
}
