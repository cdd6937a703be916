/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DC: two initiators (sides a and b, QPNs 0x10001 and 0x10002) and two targets on one host,
 * which share an SRQ and complete to the CQs of sides t[0] and t[1]. Each WQE has its target.
 */
#include <endian.h>
#include <string.h>

#include "rig.h"

#define KEY	 0x1122334455667788ull
#define TARGET_0 0x0001a001u
#define TARGET_1 0x0001a002u

static struct host h;
static struct side a, b, t[2];
static struct hca_dct *dct[2];
static struct shared s;
static struct hca_eq *eq;
static uint8_t av[2][48];

static struct hca_dct *open_target(const struct side *cq)
{
	struct hca_dct *target = hca_dct_new(&h.hca);
	struct hca_qp *m = target->model;

	target->key = KEY;
	m->st = 6;
	m->pd = h.pd;
	m->rcq = cq->cq;
	m->srq = s.srq;
	m->user_index = 0xabcd00 + (target->dctn & 0xff);
	m->mtu = 1024;
	m->log_msg_max = 30;
	m->max_dest_rd_atomic = 16;
	m->min_rnr_nak = 1;
	m->rre = m->rwe = m->rae = true;
	m->path.hop_limit = 64;
	return target;
}

static void put_target(uint8_t at[48], uint32_t dctn, uint64_t key)
{
	uint32_t word = htobe32(1u << 31 | dctn);

	put_av(at, &a, 0);
	key = htobe64(key);
	memcpy(at, &key, sizeof(key));
	memcpy(at + 8, &word, sizeof(word));
}

static void setup(void)
{
	pair_open(&h, &a, &b);
	side_open(&t[0], &h);
	side_open(&t[1], &h);
	shared_open(&s, &h);
	be_service(&a, &b, 5);
	a.qp->ack_timeout = b.qp->ack_timeout = 15; /* 134 ms: no timeout on a busy machine */
	a.qp->retry_count = b.qp->retry_count = 2;
	eq = events_open(&h);
	for (int i = 0; i < 2; i++)
		dct[i] = open_target(&t[i]);
	put_target(av[0], TARGET_0, KEY);
	put_target(av[1], TARGET_1, KEY);
	for (int i = 0; i < 4096; i++)
		h.buf[i] = (uint8_t)(i * 7 + 3);
}

static void teardown(void)
{
	expect_none(&a);
	expect_none(&b);
	expect_none(&t[0]);
	expect_none(&t[1]);
	expect_no_event(eq);
	host_close(&h);
}

TestSuite(dc, .init = setup, .fini = teardown);

static void post_to(struct side *from, int target, uint8_t opcode, uint32_t len)
{
	post_wr(from, &(struct wr){ .opcode = opcode,
				    .fm_ce_se = SIGNALED,
				    .len = len,
				    .remote = 0x10000,
				    .local = opcode >= 0x10 ? 0x20000 : 0,
				    .swap_add = 5,
				    .head = av[target],
				    .head_units = 3 });
	ring(from);
}

static void expect_sent(struct side *from)
{
	const uint8_t *cqe = next_cqe(from);

	cr_assert_not_null(cqe);
	cr_expect_eq(cqe[63] >> 4, 0, "syndrome 0x%x", cqe[55]);
}

static uint32_t word_at(const uint8_t *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return be32toh(word);
}

static uint32_t dqpn(unsigned int frame)
{
	return word_at(frame_bth[frame] + 4) & 0xffffff;
}

/* A packet as initiator b sends it. */
static struct wire_packet packet(uint8_t opcode, uint32_t serial, uint32_t psn)
{
	struct wire_packet p = { .opcode = opcode,
				 .pkey = 0xffff,
				 .hop_limit = 64,
				 .dqpn = TARGET_0,
				 .psn = psn,
				 .dc_key = KEY,
				 .src_qpn = 0x10002,
				 .dc_serial = serial,
				 .dc_start = psn,
				 .payload = h.buf,
				 .payload_len = opcode == 0xc0 ? 1024 : 4,
				 .va = RIG_VA + 0x10000,
				 .rkey = RIG_KEY,
				 .dma_len = 4 };

	memcpy(p.sgid, h.hca.port.gid[0].raw, 16);
	memcpy(p.dgid, p.sgid, 16);
	return p;
}

static void arrives(struct wire_packet p)
{
	cr_assert(wire_has_space(h.w, 1));
	wire_send(h.w, 1, &p);
	wire_flush(h.w);
	settle(&h, 1);
}

Test(dc, send_completes_on_the_cq_of_the_target_under_its_index)
{
	static const uint8_t wqe[] = {
		0,    0,    0,	  0x0b, 0x01, 0x00, 0x01, 5,	/* SEND_IMM, QPN, ds */
		0,    0,    0,	  0x08, 0xde, 0xad, 0xbe, 0xef, /* CQE; immediate */
		0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, /* access key */
		0x80, 0x01, 0xa0, 0x01, 0,    0,    0xc0, 0x01, /* long, DCT; UDP port */
		0,    0,    0,	  0,	2,    0,    0,	  0,	/* MAC of the next hop */
		0,    1,    0,	  64,	0x40, 0,    0,	  0,	/* hop limit, GRH */
		0,    0,    0,	  0,	0,    0,    0,	  0,	/* GID */
		0,    0,    0xff, 0xff, 10,   0,    0,	  1,	/* ::ffff:10.0.0.1 */
		0,    0,    0,	  100,	0x01, 0x00, 0x01, 0x42, /* 100 bytes */
		0,    0,    0,	  0,	0xa0, 0,    0,	  0,
	};
	static const uint8_t received[32] = {
		[1] = 0xab, 0xcd, 0x01, 0xde, 0xad, 0xbe, 0xef, [15] = 100,
		[24] = 0,   0x01, 0xa0, 0x01, 0,    0,	  0,	0x30,
	};
	static const uint8_t opcodes[] = { 0xc5, 0xd1 };

	cr_assert_eq(dct[0]->dctn, TARGET_0);
	record_frames();
	shared_post(&s, RIG_VA + 0x2000, 256, RIG_KEY);
	post(&a, wqe, 5);
	ring(&a);
	settle(&h, 1);
	expect_sent(&a);
	cr_expect_eq(word_at(t[0].cqes + 24) & 0xffffff, 0x10001, "from whom");
	expect_cqe(&t[0], received);
	cr_expect_arr_eq(h.buf + 0x2000, h.buf, 100);
	cr_expect_eq(frames, 2);
	expect_opcodes(0, opcodes, 2);
}

Test(dc, writes_reads_and_atomics_have_the_rights_of_the_target)
{
	static const uint8_t opcodes[] = { 0xc6, 0xc7, 0xc8, 0xd1, 0xcc,
					   0xcd, 0xce, 0xcf, 0xd4, 0xd2 };
	uint64_t word = 100;

	record_frames();
	post_to(&a, 0, 0x08, 3000);
	settle(&h, 1);
	post_to(&a, 0, 0x10, 3000);
	settle(&h, 1);
	memcpy(h.buf + 0x10000, &word, 8);
	cr_expect_arr_eq(h.buf + 0x20000, h.buf, 3000);
	post_to(&a, 0, 0x12, 8);
	settle(&h, 1);
	for (int i = 0; i < 3; i++)
		expect_sent(&a);
	memcpy(&word, h.buf + 0x10000, 8);
	cr_expect_eq(word, 105);
	memcpy(&word, h.buf + 0x20000, 8);
	cr_expect_eq(word, 100);
	cr_expect_eq(s.srq->taken, 0);
	cr_expect_eq(frames, 10);
	expect_opcodes(0, opcodes, 10);
}

Test(dc, another_target_waits_until_all_is_complete)
{
	static const uint8_t opcodes[] = { 0xc0, 0xc1, 0xc2, 0xd1, 0xc4, 0xd1, 0xc4, 0xd1 };
	static const uint32_t to[] = { TARGET_0, TARGET_0, TARGET_0, 0x10001,
				       TARGET_1, 0x10001,  TARGET_0, 0x10001 };

	record_frames();
	for (unsigned int i = 0; i < 3; i++)
		shared_post(&s, RIG_VA + 0x2000 + i * 0x1000, 4096, RIG_KEY);
	post_to(&a, 0, 0x0a, 3000);
	post_to(&a, 1, 0x0a, 500);
	post_to(&a, 0, 0x0a, 10);
	settle(&h, 1);
	for (int i = 0; i < 3; i++)
		expect_sent(&a);
	cr_expect_not_null(next_cqe(&t[0]));
	cr_expect_not_null(next_cqe(&t[1]));
	cr_expect_not_null(next_cqe(&t[0]));
	cr_assert_eq(frames, 8);
	expect_opcodes(0, opcodes, 8);
	for (unsigned int i = 0; i < 8; i++)
		cr_expect_eq(dqpn(i), to[i], "frame %u to 0x%x", i, dqpn(i));
	cr_expect_arr_eq(h.buf + 0x2000, h.buf, 3000);
	cr_expect_arr_eq(h.buf + 0x3000, h.buf, 500);
}

Test(dc, a_target_serves_several_initiators)
{
	b.qp->req.psn = 0x777777;
	for (unsigned int i = 0; i < 4; i++)
		shared_post(&s, RIG_VA + 0x2000 + i * 0x1000, 4096, RIG_KEY);
	for (int i = 0; i < 2; i++) {
		post_to(&a, 0, 0x0a, 3000);
		post_to(&b, 0, 0x0a, 3000);
	}
	settle(&h, 1);
	for (unsigned int i = 0; i < 4; i++) {
		expect_sent(i % 2 ? &b : &a);
		cr_expect_not_null(next_cqe(&t[0]));
		cr_expect_arr_eq(h.buf + 0x2000 + i * 0x1000, h.buf, 3000);
	}
	cr_expect_eq(dct[0]->count, 2, "connections");
	cr_expect_eq(dct[1]->count, 0);
}

Test(dc, idle_dci_connects_again)
{
	uint32_t serial;

	post_to(&a, 0, 0x08, 4);
	post_to(&a, 0, 0x08, 4);
	settle(&h, 1);
	serial = a.qp->dc.serial;
	cr_expect_eq(a.qp->dc.start, 0x100, "one connection for both");
	/* The target is destroyed and created again with the same number, without
	 * connections. */
	hca_dct_forget_all(dct[0]);
	post_to(&a, 0, 0x08, 4);
	settle(&h, 1);
	cr_expect_eq(a.qp->dc.serial, serial + 1);
	cr_expect_eq(a.qp->dc.start, 0x102);
	for (int i = 0; i < 3; i++)
		expect_sent(&a);
}

Test(dc, empty_srq_is_receiver_not_ready)
{
	post_to(&a, 0, 0x0a, 100);
	settle(&h, 1);
	expect_none(&a);
	shared_post(&s, RIG_VA + 0x2000, 256, RIG_KEY);
	wait_cqe(&h, 1, &a, 2000);
	expect_sent(&a);
	cr_expect_not_null(next_cqe(&t[0]));
}

Test(dc, wrong_access_key_is_counted_and_not_answered)
{
	put_target(av[0], TARGET_0, KEY + 1);
	dct[0]->armed = true;
	post_to(&a, 0, 0x08, 4);
	wait_cqe(&h, 1, &a, 2000);
	expect_error(&a, 13, 0x15, 0);
	cr_expect_eq(dct[0]->violations, 3, "one packet, two retries");
	cr_expect_eq(dct[0]->count, 0);
	expect_event(eq, PRM_EVENT_DCT_KEY_VIOLATION, TARGET_0);
	cr_expect_eq(h.buf[0x10000], 0);
}

Test(dc, drained_target_does_not_answer)
{
	dct[0]->state = PRM_DCTC_STATE_DRAINED;
	post_to(&a, 0, 0x08, 4);
	wait_cqe(&h, 1, &a, 2000);
	expect_error(&a, 13, 0x15, 0);
}

/* Refused requests end the connection, not the target. */
Test(dc, target_survives_errors_of_its_initiators)
{
	uint8_t eqe[64];

	post_wr(&a, &(struct wr){ .opcode = 0x08,
				  .fm_ce_se = SIGNALED,
				  .len = 4,
				  .rkey = 0x99999999,
				  .head = av[0],
				  .head_units = 3 });
	ring(&a);
	settle(&h, 1);
	expect_error(&a, 13, 0x13, 0);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_ERR);
	cr_assert(event_eq_next(eq, eqe));
	cr_expect_eq(eqe[1], PRM_EVENT_WQ_ACCESS_ERROR);
	cr_expect_eq(eqe[32 + 20], 6, "of a DCT");
	cr_expect_eq(word_at(eqe + 32 + 24), TARGET_0);
	post_to(&b, 0, 0x08, 4);
	settle(&h, 1);
	expect_sent(&b);
	hca_qp_reset(a.qp);
	a.qp->req.psn = 0x500;
	a.qp->state = PRM_QPC_STATE_RTS;
	a.pi = 0;
	post_to(&a, 0, 0x08, 4);
	settle(&h, 1);
	expect_sent(&a);
	cr_expect_eq(dct[0]->count, 2);
}

Test(dc, operation_that_the_target_does_not_allow_is_refused)
{
	dct[0]->model->rre = false;
	post_to(&a, 0, 0x10, 4);
	settle(&h, 1);
	expect_error(&a, 13, 0x12, 0);
	expect_event(eq, PRM_EVENT_WQ_INVAL_REQ_ERROR, TARGET_0);
}

Test(dc, late_packet_of_an_older_connection_is_dropped)
{
	arrives(packet(0xca, 0x1000, 0x300)); /* WRITE_ONLY */
	cr_expect_arr_eq(h.buf + 0x10000, h.buf, 4);
	arrives(packet(0xca, 0x1001, 0x301));
	memset(h.buf + 0x10000, 0, 4);
	arrives(packet(0xca, 0x1000, 0x300));
	cr_expect_eq(h.buf[0x10000], 0);
	cr_expect_eq(dct[0]->count, 1);
}

Test(dc, unfinished_message_flushes_its_wqe)
{
	shared_post(&s, RIG_VA + 0x2000, 4096, RIG_KEY);
	arrives(packet(0xc0, 0x1000, 0x300)); /* SEND_FIRST, and nothing more */
	cr_expect_eq(s.srq->taken, 1);
	expect_none(&t[0]);
	arrives(packet(0xca, 0x1001, 0x400));
	expect_error(&t[0], 14, 0x05, 0);
	cr_expect_arr_eq(h.buf + 0x10000, h.buf, 4);
}

Test(dc, number_of_connections_is_limited)
{
	struct wire_packet p = packet(0xca, 7, 0x300);

	for (uint32_t i = 0; i < HCA_DCT_CONNECTIONS + 5; i++) {
		p.src_qpn = 0x10100 + i;
		arrives(p);
	}
	cr_expect_eq(dct[0]->count, HCA_DCT_CONNECTIONS);
	cr_expect_arr_eq(h.buf + 0x10000, h.buf, 4);
}

Test(dc, source_qpn_of_another_process_is_dropped)
{
	struct wire_packet p = packet(0xca, 7, 0x300);

	p.src_qpn = 0x20002;
	arrives(p);
	cr_expect_eq(h.buf[0x10000], 0);
	cr_expect_eq(dct[0]->count, 0);
}

Test(dc, bad_address_is_a_qp_operation_error)
{
	av[0][8] = 0; /* the short form */
	post_to(&a, 0, 0x08, 4);
	settle(&h, 1);
	expect_error(&a, 13, 0x02, 0);
	av[1][29] = 0x10; /* GID 1 is empty */
	post_to(&b, 1, 0x08, 4);
	settle(&h, 1);
	expect_error(&b, 13, 0x02, 0);
}

Test(dc, nop_needs_no_target)
{
	post_wr(&a, &(struct wr){ .opcode = 0x00, .fm_ce_se = SIGNALED });
	ring(&a);
	settle(&h, 1);
	expect_sent(&a);
}

/* mlx5dv_wr_memcpy(): no address vector either. */
Test(dc, mmo_needs_no_target)
{
	static const uint8_t wqe[] = {
		1, 0, 0, 0x2f, 0x01, 0x00, 0x01, 4,    /* DMA, MMO, QPN, ds */
		0, 0, 0, 0x08, 0,    0,	   0,	 0,    /* CQE */
		0, 0, 0, 0,    0x01, 0x00, 0x01, 0x42, /* lkey of the opaque buffer */
		0, 0, 0, 0,    0xa0, 0x00, 0x80, 0x00, /* its address */
		0, 0, 0, 100,  0x01, 0x00, 0x01, 0x42, /* from */
		0, 0, 0, 0,    0xa0, 0x00, 0x00, 0x00, /* … */
		0, 0, 0, 100,  0x01, 0x00, 0x01, 0x42, /* to */
		0, 0, 0, 0,    0xa0, 0x00, 0x40, 0x00, /* … */
	};

	a.qp->mmo = true;
	post(&a, wqe, 4);
	ring(&a);
	settle(&h, 1);
	expect_sent(&a);
	cr_expect_arr_eq(h.buf + 0x4000, h.buf, 100);
}

Test(dc, umr_is_refused)
{
	post_to(&a, 0, 0x25, 4);
	settle(&h, 1);
	expect_error(&a, 13, 0x02, 0);
}
