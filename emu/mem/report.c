/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Findings about refused keys. Each has the QP, the access, and what the key allows:
 *
 *	key 0x3000142: QP 0x10001, remote write of 8 bytes at 0x7f0008: the key covers …
 *	    ^ref.key      ^ref.qpn ^ref.rights, len, addr               ^by status
 */
#include <inttypes.h>
#include <stdio.h>

#include "mem/report.h"

#define RIGHTS 5

/* By bit of enum hca_access: the operation, and the flag of libibverbs that allows it. */
static const struct {
	const char *operation, *flag;
} rights[RIGHTS] = {
	{ "local read", "local read (mkc.lr)" },
	{ "local write", "IBV_ACCESS_LOCAL_WRITE" },
	{ "remote read", "IBV_ACCESS_REMOTE_READ" },
	{ "remote write", "IBV_ACCESS_REMOTE_WRITE" },
	{ "remote atomic", "IBV_ACCESS_REMOTE_ATOMIC" },
};

struct text {
	char bytes[256];
};

static struct text asked(const struct mem_ref *ref, const struct hca_mkey *outer)
{
	const char *operation = "access";
	struct text t, through = { "" };

	for (int i = RIGHTS; i-- > 0;)
		if (ref->rights >> i & 1)
			operation = rights[i].operation;
	if (outer)
		snprintf(through.bytes, sizeof(through.bytes), " through key 0x%x",
			 outer->index << 8 | outer->variant);
	snprintf(t.bytes, sizeof(t.bytes),
		 "QP 0x%x, %s of %" PRIu64 " bytes at 0x%" PRIx64 "%.30s", ref->qpn, operation,
		 ref->len, ref->addr, through.bytes);
	return t;
}

static struct text missing(const struct hca_mkey *m, const struct mem_ref *ref)
{
	struct text t = { "a memory window gives no local access" };
	uint8_t lack = ref->rights & ~m->access;
	size_t at = 0;

	if (m->window && ref->rights & (HCA_LOCAL_READ | HCA_LOCAL_WRITE))
		return t;
	for (int i = 0; i < RIGHTS; i++)
		if (lack >> i & 1)
			at += (size_t)snprintf(t.bytes + at, sizeof(t.bytes) - at, "%s%s",
					       at ? ", " : "the key lacks ", rights[i].flag);
	return t;
}

/* An indirect key may be longer than its entries are together. */
static struct text covered(const struct hca_mkey *m, const struct mem_ref *ref)
{
	bool inside = ref->addr >= m->start && ref->addr - m->start < m->len;
	struct text t;

	snprintf(t.bytes, sizeof(t.bytes),
		 "the key covers %" PRIu64 " bytes at 0x%" PRIx64 "%s", m->len, m->start,
		 inside && ref->len <= m->len - (ref->addr - m->start)
			 ? ", and its entries end before"
			 : "");
	return t;
}

/* No mkey has this key: it never existed, was destroyed, or has other low bits now. */
static void report_no_key(struct hca *hca, const struct mem_ref *ref, const char *who)
{
	const struct hca_mkey *m = core_ids_get(&hca->mkeys, ref->key >> 8);
	uint32_t place = core_ids_place(&hca->mkeys, ref->key >> 8);

	if (m)
		core_check(CORE_KEY_VARIANT, "key", ref->key,
			   "%s: the low 8 bits of the key are 0x%02x, not 0x%02x", who,
			   m->variant, ref->key & 0xff);
	else if (place)
		core_check(CORE_DEREGISTERED, "key", ref->key,
			   "%s: the key was deregistered at [%u:%u]", who, hca->slot, place);
	else
		core_check(CORE_KEY_UNKNOWN, "key", ref->key, "%s: there is no such key", who);
}

static void report_key(const struct hca_mkey *m, const struct mem_ref *ref,
		       enum mem_status status, const char *who)
{
	switch (status) {
	case MEM_BAD_PD:
		core_check(CORE_KEY_PD, "key", ref->key, "%s: the key is of PD 0x%x, not 0x%x",
			   who, m->pd ? m->pd->pdn : 0, ref->pd ? ref->pd->pdn : 0);
		return;
	case MEM_OTHER:
		core_check(
			CORE_KEY_OTHER, "key", ref->key,
			"%s: the key is of bytes of VHCA %u, which here only the data segments of MMO DMA reach",
			who, m->target.vhca_id);
		return;
	case MEM_FREE:
		core_check(CORE_KEY_FREE, "key", ref->key, "%s: the key is bound to no memory",
			   who);
		return;
	case MEM_BAD_QP:
		core_check(CORE_KEY_QP, "key", ref->key, "%s: the key is bound to QP 0x%x", who,
			   m->qpn);
		return;
	case MEM_RIGHTS:
		core_check(CORE_KEY_RIGHTS, "key", ref->key, "%s: %s", who,
			   missing(m, ref).bytes);
		return;
	default:
		core_check(CORE_KEY_RANGE, "key", ref->key, "%s: %s", who,
			   covered(m, ref).bytes);
	}
}

void mem_report(struct hca *hca, const struct mem_ref *ref, const struct hca_mkey *outer,
		enum mem_status status, uint64_t at)
{
	const struct hca_mkey *m = hca_mkey_find(hca, ref->key);
	struct text who;

	if (!core_trace_on(TRACE_CHECK))
		return;
	who = asked(ref, outer);
	if (status == MEM_BAD_KEY)
		report_no_key(hca, ref, who.bytes);
	else if (status == MEM_DEPTH)
		core_check(CORE_KEY_DEPTH, "key", ref->key,
			   "%s: more than %d nested indirect keys", who.bytes,
			   HCA_MAX_INDIRECTION);
	else if (status == MEM_FAULT)
		core_check(CORE_KEY_UNMAPPED, "key", ref->key,
			   "%s: the memory of the key is not mapped at 0x%" PRIx64, who.bytes,
			   at);
	else if (m)
		report_key(m, ref, status, who.bytes);
	else
		core_check(CORE_KEY_RIGHTS, "key", ref->key,
			   "%s: the key of no memory is for local access only", who.bytes);
}
