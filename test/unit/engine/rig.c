/* SPDX-License-Identifier: BSD-2-Clause */
/* The test bench, see rig.h. */
#include <endian.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "lib/steps.h"
#include "rig.h"

struct host near, far;
struct side a, b;
const char *row_name = "";

#define HOSTS 4
#define SIDES 16

static struct host *hosts[HOSTS];
static struct side *sides[SIDES];

struct block {
	struct block *next;
	void *mem;
};

/* Zeroed, at a multiple of @align. */
static void *block(struct host *h, size_t align, size_t size)
{
	struct block *b = malloc(sizeof(*b));

	*b = (struct block){ .next = h->blocks, .mem = aligned_alloc(align, size) };
	h->blocks = b;
	return memset(b->mem, 0, size);
}

/* Zeroed pages and the page array of a ring over them. */
static uint8_t *pages(struct host *h, struct hca_ring *r, size_t size)
{
	uint8_t *mem = block(h, 4096, size);

	r->log_page = 12;
	r->npas = size >> 12;
	r->pas = calloc(r->npas, sizeof(*r->pas));
	for (uint32_t i = 0; i < r->npas; i++)
		r->pas[i] = (uintptr_t)mem + ((uint64_t)i << 12);
	return mem;
}

static void make_gid(struct hca_port *port, uint8_t slot)
{
	struct hca_gid *g = &port->gid[0];

	g->valid = true;
	g->version = 2;
	g->raw[10] = g->raw[11] = 0xff;
	g->raw[12] = 10;
	g->raw[15] = slot;
	g->mac[0] = 2;
	g->mac[5] = slot;
}

static bool is_present(const struct hca *hca, uint8_t vhca_id)
{
	return wire_present(core_container(hca, struct host, hca)->w, vhca_id);
}

/* Puts @what into the first free place of @list. */
static void remember(void **list, unsigned int n, void *what)
{
	unsigned int i = 0;

	while (i < n && list[i] && list[i] != what)
		i++;
	cr_assert_lt(i, n);
	list[i] = what;
}

void host_open(struct host *h)
{
	char fabric[32];

	see(0);
	memset(h, 0, sizeof(*h));
	remember((void **)hosts, HOSTS, h);
	snprintf(fabric, sizeof(fabric), "engine-test-%d", getpid());
	h->w = wire_open(fabric);
	cr_assert_not_null(h->w);
	cr_assert_eq(hca_init(&h->hca, wire_slot(h->w)), 0);
	make_gid(&h->hca.port, wire_slot(h->w));
	h->hca.vhcas = wire_vhcas(h->w);
	h->hca.present = is_present;
	hca_vhca_publish(&h->hca, RIG_ADAPTER);
	h->pd = hca_pd_new(&h->hca);
	h->uar = hca_uar_new(&h->hca);
	h->mkey = hca_mkey_new(&h->hca);
	h->mkey->variant = 0x42;
	h->mkey->pd = h->pd;
	h->mkey->access = HCA_LOCAL_READ | HCA_LOCAL_WRITE | HCA_REMOTE_READ |
			  HCA_REMOTE_WRITE | HCA_REMOTE_ATOMIC;
	h->mkey->start = RIG_VA;
	h->mkey->len = RIG_BUF;
	h->buf = pages(h, &h->mkey->pages, RIG_BUF);
	h->hca.clock_khz = 1000000;
	h->net = net_open(&h->hca, h->w);
	h->e = engine_start(&h->hca, h->w, h->net);
	cr_assert_not_null(h->e);
	engine_pause(h->e);
}

void host_close(struct host *h)
{
	for (unsigned int i = 0; i < SIDES; i++)
		if (sides[i] && sides[i]->h == h)
			sides[i] = NULL;
	for (unsigned int i = 0; i < HOSTS; i++)
		if (hosts[i] == h)
			hosts[i] = NULL;
	cr_expect(core_list_empty(&h->hca.sending),
		  "an SQ without work is among those that send");
	engine_stop(h->e);
	hca_fini(&h->hca);
	net_close(h->net);
	wire_close(h->w);
	while (h->blocks) {
		struct block *b = h->blocks;

		h->blocks = b->next;
		free(b->mem);
		free(b);
	}
}

void side_open(struct side *s, struct host *h)
{
	struct hca_qp *qp = hca_qp_new(&h->hca);
	struct hca_cq *cq = hca_cq_new(&h->hca);

	memset(s, 0, sizeof(*s));
	*s = (struct side){ .h = h, .peer = s, .qp = qp, .cq = cq };
	remember((void **)sides, SIDES, s);
	s->rec = block(h, 64, 64);
	s->cq_rec = block(h, 64, 64);
	s->cqes = pages(h, &cq->ring, RIG_CQE * 64);
	memset(s->cqes, 0xff, RIG_CQE * 64);
	cq->log_size = 7;
	cq->cqe_size_log = 6;
	cq->dbrec = (uintptr_t)s->cq_rec;
	cq->uar = h->uar;
	cq->arm_last = s->cq_rec[1] = UINT32_MAX;
	s->queues = pages(h, &qp->rq.ring, 8192);
	qp->rq.cnt = RIG_RQ;
	qp->rq.log_stride = 6;
	qp->sq.ring = qp->rq.ring;
	qp->sq.offset = RIG_RQ * 64;
	qp->sq.cnt = RIG_SQ;
	qp->sq.log_stride = 6;
	qp->dbrec = (uintptr_t)s->rec;
	qp->pd = h->pd;
	qp->scq = qp->rcq = cq;
	qp->uar = h->uar;
	qp->user_index = 0x70 + (qp->qpn & 0xff);
	core_list_add(&h->uar->queues, &qp->on_uar);
}

static void connect_to(struct side *s, const struct side *peer, uint32_t mtu, uint32_t psn)
{
	struct hca_qp *qp = s->qp;

	memcpy(qp->path.dgid, peer->h->hca.port.gid[0].raw, 16);
	memcpy(qp->path.dmac, peer->h->hca.port.gid[0].mac, 6);
	qp->path.hop_limit = 64;
	qp->path.udp_sport = 0xc000;
	s->peer = peer;
	qp->remote_qpn = peer->qp->qpn;
	qp->mtu = mtu;
	qp->log_msg_max = 30;
	qp->ack_timeout = 14;
	qp->retry_count = 7;
	qp->rnr_retry = 7;
	qp->min_rnr_nak = 1;
	qp->log_ack_req_freq = 8;
	qp->max_rd_atomic = qp->max_dest_rd_atomic = 16;
	qp->rre = qp->rwe = qp->rae = true;
	qp->req.psn = qp->resp.epsn = psn;
	qp->state = PRM_QPC_STATE_RTS;
}

void connect_sides(struct side *one, struct side *other, uint32_t mtu, uint32_t psn)
{
	connect_to(one, other, mtu, psn);
	connect_to(other, one, mtu, psn);
}

static void fill(uint8_t *at, unsigned int len)
{
	for (unsigned int i = 0; i < len; i++)
		at[i] = (uint8_t)(i * 7 + 3);
}

void pair_open(void)
{
	host_open(&near);
	side_open(&a, &near);
	side_open(&b, &near);
	connect_sides(&a, &b, 1024, 0x100);
	fill(near.buf, 4096);
}

void far_pair_open_with(uint32_t mtu, uint32_t psn)
{
	host_open(&near);
	host_open(&far);
	side_open(&a, &near);
	side_open(&b, &far);
	connect_sides(&a, &b, mtu, psn);
	fill(near.buf, 4096);
}

void far_pair_open(void)
{
	far_pair_open_with(1024, 0x100);
}

void rig_close(void)
{
	expect_no_finding();
	for (unsigned int i = 0; i < HOSTS; i++)
		if (hosts[i])
			host_close(hosts[i]);
	cr_expect_eq(steps.allocations, 0, "%s: %ld are left", row_name, steps.allocations);
	cr_expect_lt(core_own_next(0), 0, "%s: a descriptor is left", row_name);
}

void rig_close_read(void)
{
	for (unsigned int i = 0; i < SIDES; i++)
		if (sides[i])
			expect_none(sides[i]);
	rig_close();
}

void put_packet(struct host *from, const struct side *to, struct wire_packet p)
{
	const struct hca_gid *src = &from->hca.port.gid[0], *dst = &to->h->hca.port.gid[0];
	uint8_t slot = to->h->hca.slot;

	memcpy(p.sgid, src->raw, 16);
	memcpy(p.dgid, dst->raw, 16);
	memcpy(p.smac, src->mac, 6);
	memcpy(p.dmac, dst->mac, 6);
	p.hop_limit = 64;
	p.pkey = 0xffff;
	p.dqpn = to->qp->qpn;
	cr_assert(wire_has_space(from->w, slot));
	wire_send(from->w, slot, &p);
}

unsigned int lose(struct host *to, unsigned int n)
{
	unsigned int lost = 0;
	uint8_t from;
	size_t len;

	while (lost < n && wire_next(to->w, &len, &from))
		lost++;
	return lost;
}

struct engine_counters counters_of(const struct host *h)
{
	struct engine_counters c;

	engine_counters(h->e, &c);
	return c;
}

void post_bytes(struct side *s, const void *wqe, unsigned int ds)
{
	for (unsigned int i = 0; i < ds; i++)
		memcpy(s->queues + RIG_RQ * 64 + (s->pi * 64 + i * 16) % (RIG_SQ * 64),
		       (const uint8_t *)wqe + i * 16, 16);
	s->pi += (ds + 3) / 4;
	s->rec[1] = htobe32(s->pi);
}

void ring(struct side *s)
{
	uint64_t value = htobe64((uint64_t)s->qp->qpn << 8 | 1);

	memcpy(s->h->uar->page + 0x800, &value, sizeof(value));
}

static void put32(uint8_t *at, uint32_t v)
{
	v = htobe32(v);
	memcpy(at, &v, sizeof(v));
}

/* ---- text ---- */

static uint32_t key_of(const struct host *h)
{
	return (uint32_t)h->hca.slot << 24 | 0x142;
}

static void post_one(struct side *s, const char *text)
{
	struct wqe_context c = { .qpn = s->qp->qpn,
				 .index = s->pi,
				 .lkey = key_of(s->h),
				 .rkey = key_of(s->peer->h),
				 .va = RIG_VA,
				 .head = s->head,
				 .head_units = s->head_units };
	uint8_t wqe[WQE_TEXT_MAX];

	if (strncmp(text, "recv", 4) != 0) {
		post_bytes(s, wqe, wqe_from_text(wqe, text, &c));
		return;
	}
	recv_from_text(wqe, text, &c);
	memcpy(s->queues + s->rq_pi % RIG_RQ * 64, wqe, 64);
	s->rec[0] = htobe32(++s->rq_pi);
}

/* One after the other of what ";" separates. */
static void each(struct side *s, const char *text, va_list args,
		 void (*act)(struct side *s, const char *text))
{
	char all[512], *rest = NULL;

	cr_assert_lt(vsnprintf(all, sizeof(all), text, args), (int)sizeof(all));
	for (char *one = strtok_r(all, ";", &rest); one; one = strtok_r(NULL, ";", &rest))
		act(s, one + strspn(one, " "));
}

void work(struct side *s)
{
	ring(s);
	settle();
}

void post(struct side *s, const char *text, ...)
{
	va_list args;

	va_start(args, text);
	each(s, text, args, post_one);
	va_end(args);
}

void post_shared(struct shared *s, const char *text, ...)
{
	struct wqe_context c = { .lkey = key_of(s->h), .va = RIG_VA };
	uint8_t wqe[WQE_TEXT_MAX];
	char all[512];
	va_list args;

	va_start(args, text);
	vsnprintf(all, sizeof(all), text, args);
	va_end(args);
	recv_from_text(wqe, all, &c);
	memcpy(s->wqes + s->posted * 3 % RIG_RQ * 64 + 16, wqe, 48);
	s->rec[0] = htobe32(++s->posted);
}

static void expect_one(struct side *s, const char *text)
{
	struct cqe_context c = { .qpn = s->qp->qpn, .user_index = s->qp->user_index };
	const uint8_t *cqe = next_cqe(s);
	int at;

	cr_assert_not_null(cqe, "%s: no CQE: %s", row_name, text);
	at = cqe_mismatch(cqe, text, &c);
	cr_assert_lt(at, 0, "%s: %s: byte %d is %02x; op_own %02x, syndrome %02x", row_name,
		     text, at, cqe[at & 63], cqe[63], cqe[55]);
}

void expect_cqe(struct side *s, const char *text, ...)
{
	va_list args;

	va_start(args, text);
	each(s, text, args, expect_one);
	va_end(args);
}

void be_service(struct side *a, struct side *b, uint8_t st)
{
	a->qp->st = b->qp->st = st;
	a->qp->qkey = b->qp->qkey = RIG_QKEY;
}

void address(struct side *s, const struct side *to, uint32_t qkey)
{
	const struct hca_gid *gid = &to->h->hca.port.gid[0];

	memset(s->head, 0, sizeof(s->head));
	s->head_units = 3;
	put32(s->head, qkey);
	put32(s->head + 8, 1u << 31 | to->qp->qpn);
	put32(s->head + 12, 0xc001);
	memcpy(s->head + 20, gid->mac, 6);
	s->head[27] = 64;
	memcpy(s->head + 32, gid->raw, 16);
}

static void ipv6_gid(struct hca_gid *g, uint8_t last)
{
	*g = (struct hca_gid){ .valid = true,
			       .version = 2,
			       .l3_type = 1,
			       .raw = { 0xfe, 0x80, [15] = last },
			       .mac = { 2, [5] = last } };
}

void address_in_full(struct side *s, struct host *to)
{
	ipv6_gid(&s->h->hca.port.gid[3], 0x33);
	ipv6_gid(&to->hca.port.gid[4], 0x44);
	put32(s->head + 12, 0xd234);	 /* UDP's source port */
	s->head[25] = 0x55;		 /* of the MAC */
	s->head[26] = 0xba;		 /* traffic class */
	s->head[27] = 33;		 /* hop limit */
	put32(s->head + 28, 0x40354321); /* GRH, GID index, flow label */
	memcpy(s->head + 32, to->hca.port.gid[4].raw, 16);
}

void address_srq(struct side *s, uint32_t srqn)
{
	memset(s->head, 0, sizeof(s->head));
	s->head_units = 1;
	put32(s->head, srqn);
}

/* 3 and RIG_RQ have no common divisor: the list contains all WQEs. */
void shared_open(struct shared *s, struct host *h)
{
	struct hca_srq *srq = hca_srq_new(&h->hca);

	*s = (struct shared){ .h = h, .srq = srq };
	s->rec = block(h, 64, 64);
	s->wqes = pages(h, &srq->wq.ring, 4096);
	srq->wq.cnt = RIG_RQ;
	srq->wq.log_stride = 6;
	srq->dbrec = (uintptr_t)s->rec;
	srq->pd = h->pd;
	for (unsigned int i = 0; i < RIG_RQ; i++)
		put32(s->wqes + i * 64, (i + 3) % RIG_RQ);
}

struct hca_dct *target_open(const struct side *s, const struct shared *srq, uint64_t key,
			    uint32_t mtu)
{
	struct hca_dct *target = hca_dct_new(&srq->h->hca);
	struct hca_qp *m = target->model;

	target->key = key;
	m->st = 6;
	m->pd = srq->h->pd;
	m->rcq = s->cq;
	m->srq = srq->srq;
	m->user_index = 0xabcd00 + (target->dctn & 0xff);
	m->mtu = mtu;
	m->log_msg_max = 30;
	m->max_dest_rd_atomic = 16;
	m->min_rnr_nak = 1;
	m->rre = m->rwe = m->rae = true;
	m->path.hop_limit = 64;
	return target;
}

void write_read_and_add(struct side *s)
{
	uint64_t word = 100;

	execute(s, "write 3000 remote=0x10000 sig");
	execute(s, "read 3000 local=0x20000 remote=0x10000 sig");
	memcpy(near.buf + 0x10000, &word, 8);
	cr_expect_arr_eq(near.buf + 0x20000, near.buf, 3000);
	execute(s, "fetch_add 8 local=0x20000 remote=0x10000 add=5 sig");
	expect_cqe(s, "sent; sent; sent");
	memcpy(&word, near.buf + 0x10000, 8);
	cr_expect_eq(word, 105);
	memcpy(&word, near.buf + 0x20000, 8);
	cr_expect_eq(word, 100);
}

struct hca_eq *events_open(struct host *h)
{
	struct hca_eq *eq = hca_eq_new(&h->hca);

	h->eqes = pages(h, &eq->ring, 4096);
	eq->log_size = 6;
	eq->events = ~0ull;
	return eq;
}

void expect_event(struct hca_eq *eq, uint8_t type, uint32_t obj)
{
	uint8_t eqe[64];
	uint32_t got;

	cr_assert(event_eq_next(eq, eqe), "no event");
	memcpy(&got, eqe + 32 + 24, sizeof(got));
	cr_expect_eq(eqe[1], type, "type 0x%x", eqe[1]);
	cr_expect_eq(be32toh(got), obj, "object 0x%x", be32toh(got));
}

void expect_no_event(struct hca_eq *eq)
{
	uint8_t eqe[64];
	bool any = event_eq_next(eq, eqe);

	cr_expect_not(any, "event of type 0x%x", eqe[1]);
}

static bool step_all(void)
{
	bool moved = false;

	for (unsigned int i = 0; i < HOSTS; i++)
		moved |= hosts[i] && engine_step(hosts[i]->e);
	return moved;
}

void settle(void)
{
	while (step_all())
		;
}

void settle_only(struct host *h)
{
	while (engine_step(h->e))
		;
}

void wait_cqe(struct side *s, unsigned int ms)
{
	clock_t end = clock() + ms * (CLOCKS_PER_SEC / 1000);
	uint32_t had = s->cq->pi;

	while (s->cq->pi == had && clock() < end)
		step_all();
	cr_assert_neq(s->cq->pi, had, "no CQE within %u ms", ms);
}

/* The XOR of a CQE and of its index is 0xff. */
static void check_signature(const uint8_t cqe[64], uint32_t index)
{
	uint8_t sum = (uint8_t)(index ^ index >> 8 ^ index >> 16);

	for (int i = 0; i < 64; i++)
		sum ^= cqe[i];
	cr_expect_eq(sum, 0xff, "signature 0x%02x of CQE %u", cqe[62], index);
}

/* The time of a CQE without an error is between that of the one before and now. */
static void check_time(struct side *s, const uint8_t cqe[64])
{
	uint64_t time, now = hca_ticks(&s->h->hca, core_now_ns());

	memcpy(&time, cqe + 48, sizeof(time));
	time = be64toh(time);
	if (cqe[63] >> 4 > 12)
		return;
	cr_expect(s->time <= time && time && time <= now, "%lu, %lu, %lu", s->time, time, now);
	s->time = time;
}

const uint8_t *next_cqe(struct side *s)
{
	const uint8_t *cqe = s->cqes + (uint64_t)(s->ci % RIG_CQE) * 64;

	if (cqe[63] >> 4 == 15 || (cqe[63] & 1) != (s->ci / RIG_CQE & 1))
		return NULL;
	check_signature(cqe, s->ci);
	check_time(s, cqe);
	s->cq_rec[0] = htobe32(++s->ci & 0xffffff);
	return cqe;
}

void expect_none(struct side *s)
{
	const uint8_t *cqe = next_cqe(s);

	cr_expect_null(cqe, "unexpected CQE, op_own 0x%x", cqe ? cqe[63] : 0);
}
