/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects of the process (kernel, nldev.c: fill_res_info, res_get_common_doit and _dumpit). A
 * dump is as many messages as it takes, each with index and name of the device and a table of
 * entries.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "nldev/message.h"

/* One entry that is being filled. */
struct entry {
	const struct nldev_call *c;
	struct nldev_message *m;
	const struct uverbs_resource *r;
	const struct ucma_resource *id; /* of a cm_id, in its place */
};

struct kind {
	const char *name;
	uint16_t op, table, item, number;
	bool of_port; /* a request names the port */
	enum uverbs_resource_kind kind;
	void (*fill)(const struct entry *e);
};

static void put_owner(const struct entry *e)
{
	nldev_put_u32(e->m, RDMA_NLDEV_ATTR_RES_PID, getpid());
}

static void fill_pd(const struct entry *e)
{
	if (e->c->admin)
		/* the kernel's PDs have one */
		nldev_put_u32(e->m, RDMA_NLDEV_ATTR_RES_LOCAL_DMA_LKEY, 0);
	nldev_put_u64(e->m, RDMA_NLDEV_ATTR_RES_USECNT, e->r->uses);
	nldev_put_u32(e->m, RDMA_NLDEV_ATTR_RES_PDN, e->r->number);
	nldev_put_u32(e->m, RDMA_NLDEV_ATTR_RES_CTXN, e->r->ctx);
	put_owner(e);
}

static void fill_ctx(const struct entry *e)
{
	nldev_put_u32(e->m, RDMA_NLDEV_ATTR_RES_CTXN, e->r->number);
	put_owner(e);
}

static void fill_cq(const struct entry *e)
{
	nldev_put_u32(e->m, RDMA_NLDEV_ATTR_RES_CQE, e->r->cqe);
	nldev_put_u64(e->m, RDMA_NLDEV_ATTR_RES_USECNT, e->r->uses);
	nldev_put_u8(e->m, RDMA_NLDEV_ATTR_DEV_DIM, 0);
	nldev_put_u32(e->m, RDMA_NLDEV_ATTR_RES_CQN, e->r->number);
	nldev_put_u32(e->m, RDMA_NLDEV_ATTR_RES_CTXN, e->r->ctx);
	put_owner(e);
}

/* mlx5_ib, restrack.c, fill_res_mr_entry */
static void fill_mr(const struct entry *e)
{
	uint32_t nest;

	if (e->c->admin) {
		nldev_put_u32(e->m, RDMA_NLDEV_ATTR_RES_RKEY, e->r->key);
		nldev_put_u32(e->m, RDMA_NLDEV_ATTR_RES_LKEY, e->r->key);
	}
	nldev_put_u64(e->m, RDMA_NLDEV_ATTR_RES_MRLEN, e->r->len);
	nldev_put_u32(e->m, RDMA_NLDEV_ATTR_RES_MRN, e->r->number);
	nldev_put_u32(e->m, RDMA_NLDEV_ATTR_RES_PDN, e->r->pd);
	put_owner(e);
	if (!e->r->on_demand)
		return;
	nest = nldev_open(e->m, RDMA_NLDEV_ATTR_DRIVER | NLA_F_NESTED);
	nldev_put_text(e->m, RDMA_NLDEV_ATTR_DRIVER_STRING, "odp");
	nldev_put_text(e->m, RDMA_NLDEV_ATTR_DRIVER_STRING,
		       e->r->implicit ? "implicit" : "explicit");
	nldev_close(e->m, nest);
}

/* ib_verbs.h, enum ib_qp_type: connected types, and types with path migration */
static bool is_connected(uint8_t type)
{
	return type == 2 || type == 3; /* RC, UC */
}

static bool may_migrate(uint8_t type)
{
	return is_connected(type) || type == 9 || type == 10; /* XRC */
}

static void fill_qp(const struct entry *e)
{
	if (e->r->port)
		nldev_put_u32(e->m, RDMA_NLDEV_ATTR_PORT_INDEX, e->r->port);
	nldev_put_u32(e->m, RDMA_NLDEV_ATTR_RES_LQPN, e->r->number);
	nldev_put_u32(e->m, RDMA_NLDEV_ATTR_RES_PDN, e->r->pd);
	put_owner(e);
	if (is_connected(e->r->type)) {
		nldev_put_u32(e->m, RDMA_NLDEV_ATTR_RES_RQPN, e->r->remote_qpn);
		nldev_put_u32(e->m, RDMA_NLDEV_ATTR_RES_RQ_PSN, e->r->rq_psn);
	}
	nldev_put_u32(e->m, RDMA_NLDEV_ATTR_RES_SQ_PSN, e->r->sq_psn);
	if (may_migrate(e->r->type))
		nldev_put_u8(e->m, RDMA_NLDEV_ATTR_RES_PATH_MIG_STATE, e->r->mig_state);
	nldev_put_u8(e->m, RDMA_NLDEV_ATTR_RES_TYPE, e->r->type);
	nldev_put_u8(e->m, RDMA_NLDEV_ATTR_RES_STATE, e->r->state);
}

static void put_range(struct nldev_message *m, uint32_t first, uint32_t last)
{
	uint32_t nest = nldev_open(m, RDMA_NLDEV_ATTR_RES_QP_ENTRY | NLA_F_NESTED);

	if (first == last) {
		nldev_put_u32(m, RDMA_NLDEV_ATTR_RES_LQPN, first);
	} else {
		nldev_put_u32(m, RDMA_NLDEV_ATTR_MIN_RANGE, first);
		nldev_put_u32(m, RDMA_NLDEV_ATTR_MAX_RANGE, last);
	}
	nldev_close(m, nest);
}

/* The QPs that receive from it, by ranges. */
static void put_qps(const struct entry *e)
{
	uint32_t nest = nldev_open(e->m, RDMA_NLDEV_ATTR_RES_QP | NLA_F_NESTED);
	size_t n;
	struct uverbs_resource *qps = uverbs_resources(e->c->d->uverbs, UVERBS_RES_QP, &n);
	uint32_t first = 0, last = 0;

	for (size_t i = 0; i < n; i++) {
		if (!qps[i].has_srq || qps[i].srq != e->r->number)
			continue;
		if (first && qps[i].number != last + 1)
			put_range(e->m, first, last);
		if (!first || qps[i].number != last + 1)
			first = qps[i].number;
		last = qps[i].number;
	}
	if (first)
		put_range(e->m, first, last);
	nldev_close(e->m, nest);
	free(qps);
}

static void fill_srq(const struct entry *e)
{
	nldev_put_u32(e->m, RDMA_NLDEV_ATTR_RES_SRQN, e->r->number);
	nldev_put_u8(e->m, RDMA_NLDEV_ATTR_RES_TYPE, e->r->type);
	nldev_put_u32(e->m, RDMA_NLDEV_ATTR_RES_PDN, e->r->pd);
	if (e->r->has_cq)
		nldev_put_u32(e->m, RDMA_NLDEV_ATTR_RES_CQN, e->r->cq);
	put_qps(e);
	put_owner(e);
}

static void fill_cm_id(const struct entry *e)
{
	nldev_put_u32(e->m, RDMA_NLDEV_ATTR_PORT_INDEX, NLDEV_PORT);
	if (e->id->qpn) {
		nldev_put_u32(e->m, RDMA_NLDEV_ATTR_RES_LQPN, e->id->qpn);
		nldev_put_u8(e->m, RDMA_NLDEV_ATTR_RES_TYPE, e->id->type);
	}
	nldev_put_u32(e->m, RDMA_NLDEV_ATTR_RES_PS, e->id->ps);
	nldev_put_u8(e->m, RDMA_NLDEV_ATTR_RES_STATE, e->id->state);
	if (e->id->src.ss_family)
		nldev_put(e->m, RDMA_NLDEV_ATTR_RES_SRC_ADDR, &e->id->src, sizeof(e->id->src));
	if (e->id->dst.ss_family)
		nldev_put(e->m, RDMA_NLDEV_ATTR_RES_DST_ADDR, &e->id->dst, sizeof(e->id->dst));
	nldev_put_u32(e->m, RDMA_NLDEV_ATTR_RES_CM_IDN, e->id->number);
	put_owner(e);
}

#define KIND(word, of_port)                                          \
	RDMA_NLDEV_CMD_RES_##word##_GET, RDMA_NLDEV_ATTR_RES_##word, \
		RDMA_NLDEV_ATTR_RES_##word##_ENTRY, RDMA_NLDEV_ATTR_RES_##word##N, of_port

/* In the order of the kernel's summary (restrack.h). */
static const struct kind kinds[] = {
	{ "pd", KIND(PD, false), UVERBS_RES_PD, fill_pd },
	{ "cq", KIND(CQ, false), UVERBS_RES_CQ, fill_cq },
	{ "qp", RDMA_NLDEV_CMD_RES_QP_GET, RDMA_NLDEV_ATTR_RES_QP, RDMA_NLDEV_ATTR_RES_QP_ENTRY,
	  RDMA_NLDEV_ATTR_RES_LQPN, true, UVERBS_RES_QP, fill_qp },
	{ "cm_id", KIND(CM_ID, true), UVERBS_RES_CTX, fill_cm_id },
	{ "mr", KIND(MR, false), UVERBS_RES_MR, fill_mr },
	{ "ctx", KIND(CTX, false), UVERBS_RES_CTX, fill_ctx },
	{ "srq", KIND(SRQ, false), UVERBS_RES_SRQ, fill_srq },
};

#define KINDS (ARRAY_SIZE(kinds))

/* All of a kind: cm_ids, or the others. */
struct list {
	struct uverbs_resource *r;
	struct ucma_resource *ids;
	size_t n;
};

static struct list list_of(const struct nldev_call *c, const struct kind *k)
{
	struct list l = { 0 };

	if (k->fill == fill_cm_id && c->d->ucma)
		l.ids = ucma_resources(c->d->ucma, &l.n);
	else if (k->fill != fill_cm_id && c->d->uverbs)
		l.r = uverbs_resources(c->d->uverbs, k->kind, &l.n);
	return l;
}

static void free_list(struct list *l)
{
	free(l->r);
	free(l->ids);
}

static struct entry entry_of(const struct nldev_call *c, struct nldev_message *m,
			     const struct list *l, size_t i)
{
	return (struct entry){
		.c = c, .m = m, .r = l->r ? &l->r[i] : NULL, .id = l->ids ? &l->ids[i] : NULL
	};
}

static int get_one(struct nldev_call *c)
{
	struct nldev_message m;
	uint32_t table, item;

	nldev_begin(&m, c, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_RES_GET));
	nldev_put_handle(&m, c);
	table = nldev_open(&m, RDMA_NLDEV_ATTR_RES_SUMMARY);
	for (size_t i = 0; i < KINDS; i++) {
		struct list l = list_of(c, &kinds[i]);

		item = nldev_open(&m, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY);
		nldev_put_text(&m, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME, kinds[i].name);
		nldev_put_u64(&m, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR, l.n);
		nldev_close(&m, item);
		free_list(&l);
	}
	nldev_close(&m, table);
	nldev_end(&m, c);
	return 0;
}

int nldev_res_get(struct nldev_call *c)
{
	return nldev_each(c, get_one);
}

static const struct kind *kind_of(const struct nldev_call *c)
{
	for (size_t i = 0; i < KINDS; i++)
		if (kinds[i].op == RDMA_NL_GET_OP(c->request->nlmsg_type))
			return &kinds[i];
	return NULL;
}

static bool is_of_port(const struct list *l, size_t i, uint32_t port)
{
	return !port || !l->r || l->r[i].port == port;
}

/* Entries from @i on, as many as fit; the first one that does not. */
static size_t put_some(struct nldev_call *c, const struct kind *k, const struct list *l,
		       size_t i, uint32_t port)
{
	struct nldev_message m;
	uint32_t table, item;

	nldev_begin(&m, c, c->request->nlmsg_type);
	nldev_put_handle(&m, c);
	table = nldev_open(&m, k->table);
	for (; i < l->n; i++) {
		struct entry e = entry_of(c, &m, l, i);

		if (k->of_port && !is_of_port(l, i, port))
			continue;
		item = nldev_open(&m, k->item);
		k->fill(&e);
		if (m.full) {
			nldev_cancel(&m, item);
			if (item > table + NLA_HDRLEN)
				break;
			continue; /* an entry that never fits: an SRQ of very many QPs */
		}
		nldev_close(&m, item);
	}
	nldev_close(&m, table);
	nldev_end(&m, c);
	return i;
}

static uint32_t number_at(const struct list *l, size_t i)
{
	return l->ids ? l->ids[i].number : l->r[i].number;
}

static int put_one(struct nldev_call *c, const struct kind *k, const struct list *l,
		   uint32_t port)
{
	struct nldev_message m;
	uint32_t number;

	if (!nldev_get_u32(c, k->number, &number) || !port != !k->of_port)
		return -EINVAL;
	for (size_t i = 0; i < l->n; i++) {
		struct entry e = entry_of(c, &m, l, i);

		if (number_at(l, i) != number)
			continue;
		if (k->of_port && !is_of_port(l, i, port))
			return -EAGAIN;
		nldev_begin(&m, c, c->request->nlmsg_type);
		nldev_put_handle(&m, c);
		k->fill(&e);
		if (m.full)
			return -EMSGSIZE;
		nldev_end(&m, c);
		return 0;
	}
	return -ENOENT;
}

int nldev_res_list(struct nldev_call *c)
{
	const struct kind *k = kind_of(c);
	uint32_t port = 0;
	struct list l;
	int ret = 0;

	if (!nldev_names_device(c))
		return -EINVAL;
	if (nldev_get_u32(c, RDMA_NLDEV_ATTR_PORT_INDEX, &port) && port != NLDEV_PORT)
		return -EINVAL;
	l = list_of(c, k);
	if (!c->dump)
		ret = put_one(c, k, &l, port);
	for (size_t i = 0; c->dump && i < l.n;)
		i = put_some(c, k, &l, i, port);
	free_list(&l);
	return ret;
}
