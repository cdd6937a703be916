/* SPDX-License-Identifier: BSD-2-Clause */
/* See ethernet.h. */
#include <stdarg.h>
#include <stdio.h>

#include "ethernet.h"
#include "prm/prm.h"

struct side s;
struct hca_sq *sq;

struct side r;
struct hca_rq *rq;
struct hca_tir *tir;

static struct hca_tis *tis;

/* Ring @wq as a separate one: that of the side is freed with its QP. */
static struct hca_wq ring_of(const struct hca_wq *wq)
{
	struct hca_wq copy = *wq;

	copy.ring.pas = calloc(wq->ring.npas, sizeof(uint64_t));
	memcpy(copy.ring.pas, wq->ring.pas, wq->ring.npas * sizeof(uint64_t));
	return copy;
}

/* NIC_RX: all packets to the TIR. */
static void make_rule(struct hca *hca)
{
	static const uint8_t any[HCA_MATCH_SIZE];
	struct hca_flow_table *t = hca_flow_table_new(hca);
	struct hca_flow_group *g = hca_flow_group_new(hca);
	struct hca_fte_do act = { .action = PRM_FLOW_CONTEXT_ACTION_FWD_DEST, .dests = 1 };

	t->type = PRM_FT_TYPE_NIC_RX;
	t->size = 1;
	g->table = t;
	cr_assert(hca_flow_group_join(g));
	act.tag = 0x123456;
	act.dest = calloc(1, sizeof(*act.dest));
	act.dest->type = PRM_DEST_TYPE_TIR;
	act.dest->tir = tir;
	cr_assert_not_null(hca_fte_new(g, 0, any, &act));
	hca->roots[PRM_FT_TYPE_NIC_RX] = t;
}

static void make_rq(void)
{
	side_open(&r, &far);
	rq = hca_rq_new(&far.hca);
	rq->state = PRM_RQC_STATE_RDY;
	rq->pd = far.pd;
	rq->cq = r.cq;
	rq->counter = &far.hca.counts.no_set;
	rq->user_index = 0x456;
	rq->dbrec = (uintptr_t)r.rec;
	rq->wq = ring_of(&r.qp->rq);
	PRM_SET(rqc, rq->rqc, vsd, 1);
	PRM_SET(rqc, rq->rqc, flush_in_error_en, 1);
	tir = hca_tir_new(&far.hca);
	tir->rq = rq;
	make_rule(&far.hca);
}

static void make_port(struct host *host, uint8_t mac)
{
	memset(host->hca.port.mac, 0, 6);
	host->hca.port.mac[0] = 2;
	host->hca.port.mac[5] = mac;
	hca_port_publish(&host->hca);
}

/* 2^18 bytes of TSO. */
static void make_caps(struct hca *hca)
{
	uint8_t *caps = hca->caps[PRM_CAP_ETHERNET_OFFLOADS];

	PRM_SET(per_protocol_networking_offload_caps, caps, max_lso_cap, 18);
}

void ethernet_open(void)
{
	static uint8_t caps[256];

	host_open(&near);
	host_open(&far);
	make_port(&near, 1);
	make_port(&far, 2);
	side_open(&s, &near);
	core_list_del(&s.qp->on_uar);
	memset(caps, 0, sizeof(caps));
	near.hca.caps[PRM_CAP_ETHERNET_OFFLOADS] = caps;
	make_caps(&near.hca);
	tis = hca_tis_new(&near.hca);
	tis->td = hca_td_new(&near.hca);
	sq = hca_sq_new(&near.hca);
	sq->state = PRM_SQC_STATE_RDY;
	sq->flush = true;
	sq->tis = tis;
	sq->pd = near.pd;
	sq->cq = s.cq;
	sq->user_index = 0x123;
	sq->dbrec = (uintptr_t)s.rec;
	sq->wq = ring_of(&s.qp->sq);
	core_list_add(&near.uar->sqs, &sq->on_uar);
	make_rq();
}

void start_wqe(uint8_t *wqe, uint8_t opcode, unsigned int ds)
{
	memset(wqe, 0, ds * 16);
	wqe[1] = s.pi >> 8;
	wqe[2] = (uint8_t)s.pi;
	wqe[3] = opcode;
	wqe[4] = sq->sqn >> 16;
	wqe[5] = sq->sqn >> 8 & 0xff;
	wqe[6] = sq->sqn & 0xff;
	wqe[7] = (uint8_t)ds;
	wqe[11] = SIGNALED;
}

void post_eth(const char *eth, const char *text, ...)
{
	uint8_t wqe[WQE_TEXT_MAX], head[WQE_TEXT_MAX];
	struct wqe_context c = { .qpn = sq->sqn,
				 .index = s.pi,
				 .lkey = RIG_KEY,
				 .va = RIG_VA,
				 .head = head,
				 .head_units = (unsigned int)from_hex(head, eth) / 16 };
	char all[256];
	va_list args;

	va_start(args, text);
	vsnprintf(all, sizeof(all), text, args);
	va_end(args);
	post_bytes(&s, wqe, wqe_from_text(wqe, all, &c));
}

size_t fill(uint64_t offset, const char *text)
{
	return from_hex(near.buf + offset, text);
}

void send_to_rq(const char *text)
{
	size_t len = fill(0, text);

	post_eth(NO_OFFLOAD, "send %zu sig", len);
	work(&s);
}

const uint8_t *next_packet(void)
{
	const uint8_t *cqe = r.cqes + r.ci % RIG_CQE * 64;

	expect_cqe(&r, "received");
	return cqe;
}

uint32_t word_at(const uint8_t *cqe, unsigned int at)
{
	uint32_t word;

	memcpy(&word, cqe + at, sizeof(word));
	return be32toh(word);
}

void expect_wire(const char *text)
{
	uint8_t want[2048] = { 0 }, from;
	size_t want_len = from_hex(want, text), len;
	const uint8_t *frame = wire_next(far.w, &len, &from);

	cr_assert_not_null(frame, "no frame: %s", text);
	cr_assert_not_null(wire_ethernet(far.w));
	if (want_len < 60)
		want_len = 60;
	cr_expect_eq(len, want_len, "%zu bytes, not %zu: %s", len, want_len, text);
	for (size_t i = 0; i < len && i < want_len; i++)
		cr_expect_eq(frame[i], want[i], "byte %zu is %02x: %s", i, frame[i], text);
}

void expect_no_wire(void)
{
	uint8_t from;
	size_t len;

	cr_expect_null(wire_next(far.w, &len, &from));
}

TestSuite(ethernet_send, .init = ethernet_open, .fini = rig_close);
TestSuite(ethernet_receive, .init = ethernet_open, .fini = rig_close);
