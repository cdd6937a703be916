/* SPDX-License-Identifier: BSD-2-Clause */
/* See ethernet.h. */
#include <stdio.h>

#include "ethernet.h"
#include "prm/prm.h"

struct host h[2];
struct side s;
struct hca_sq *sq;
unsigned int checks;

struct side r;
struct hca_rq *rq;
struct hca_tir *tir;

static struct hca_tis *tis;

static void count(const struct core_trace *t)
{
	checks += t->kind == TRACE_CHECK;
}

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
	side_open(&r, &h[1]);
	rq = hca_rq_new(&h[1].hca);
	rq->state = PRM_RQC_STATE_RDY;
	rq->pd = h[1].pd;
	rq->cq = r.cq;
	rq->counter = &h[1].hca.counts.no_set;
	rq->user_index = 0x456;
	rq->dbrec = (uintptr_t)r.rec;
	rq->wq = ring_of(&r.qp->rq);
	PRM_SET(rqc, rq->rqc, vsd, 1);
	PRM_SET(rqc, rq->rqc, flush_in_error_en, 1);
	tir = hca_tir_new(&h[1].hca);
	tir->rq = rq;
	make_rule(&h[1].hca);
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

	host_open(&h[0]);
	host_open(&h[1]);
	make_port(&h[0], 1);
	make_port(&h[1], 2);
	side_open(&s, &h[0]);
	core_list_del(&s.qp->on_uar);
	memset(caps, 0, sizeof(caps));
	h[0].hca.caps[PRM_CAP_ETHERNET_OFFLOADS] = caps;
	make_caps(&h[0].hca);
	tis = hca_tis_new(&h[0].hca);
	tis->td = hca_td_new(&h[0].hca);
	sq = hca_sq_new(&h[0].hca);
	sq->state = PRM_SQC_STATE_RDY;
	sq->flush = true;
	sq->tis = tis;
	sq->pd = h[0].pd;
	sq->cq = s.cq;
	sq->user_index = 0x123;
	sq->dbrec = (uintptr_t)s.rec;
	sq->wq = ring_of(&s.qp->sq);
	core_list_add(&h[0].uar->sqs, &sq->on_uar);
	make_rq();
	core_trace_to = count;
	core_trace_mask = 1u << TRACE_CHECK;
	checks = 0;
}

void ethernet_close(void)
{
	core_trace_to = NULL;
	hosts_close(h);
}

size_t hex(uint8_t *to, const char *text)
{
	size_t len = 0;
	int used;

	while (sscanf(text, " %2hhx%n", &to[len], &used) == 1) {
		text += used;
		len++;
	}
	return len;
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

void post_eth(uint8_t opcode, const char *eth, const struct seg *segs, unsigned int n)
{
	uint8_t wqe[1024];
	size_t at = 16 + hex(wqe + 16, eth);
	unsigned int ds = (unsigned int)at / 16 + n;

	cr_assert_eq(at % 16, 0);
	start_wqe(wqe, opcode, ds);
	hex(wqe + 16, eth);
	for (unsigned int i = 0; i < n; i++, at += 16) {
		uint32_t words[2] = { htobe32(segs[i].len), htobe32(segs[i].key) };
		uint64_t va = htobe64(RIG_VA + segs[i].offset);

		memcpy(wqe + at, words, 8);
		memcpy(wqe + at + 8, &va, 8);
	}
	post(&s, wqe, ds);
}

size_t fill(uint64_t offset, const char *text)
{
	return hex(h[0].buf + offset, text);
}

void send_to_rq(const char *text)
{
	size_t len = fill(0, text);

	post_eth(0x0a, NO_OFFLOAD, (struct seg[]){ { (uint32_t)len, RIG_KEY, 0 } }, 1);
	ring(&s);
	settle(h, 2);
}

const uint8_t *next_packet(void)
{
	const uint8_t *cqe = next_cqe(&r);

	cr_assert_not_null(cqe, "no CQE");
	cr_assert_eq(cqe[63] >> 4, 2, "opcode %u, syndrome 0x%02x", cqe[63] >> 4, cqe[55]);
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
	size_t want_len = hex(want, text), len;
	const uint8_t *frame = wire_next(h[1].w, &len, &from);

	cr_assert_not_null(frame, "no frame: %s", text);
	cr_assert_not_null(wire_ethernet(h[1].w));
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

	cr_expect_null(wire_next(h[1].w, &len, &from));
}

TestSuite(ethernet_send, .init = ethernet_open, .fini = ethernet_close);
TestSuite(ethernet_receive, .init = ethernet_open, .fini = ethernet_close);
