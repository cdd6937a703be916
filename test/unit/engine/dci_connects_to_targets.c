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

enum { DC_SEND_FIRST = 0xc0, DC_WRITE_ONLY = 0xca }; /* BTH opcodes */

static struct side t[2];
static struct hca_dct *dct[2];
static struct shared s;
static struct hca_eq *eq;

/* The target of the next WQEs of @dci. */
static void address_target(struct side *dci, uint32_t dctn, uint64_t key)
{
	uint32_t word = htobe32(1u << 31 | dctn);

	address(dci, &a, 0);
	key = htobe64(key);
	memcpy(dci->head, &key, sizeof(key));
	memcpy(dci->head + 8, &word, sizeof(word));
}

static void setup(void)
{
	pair_open();
	side_open(&t[0], &near);
	side_open(&t[1], &near);
	shared_open(&s, &near);
	be_service(&a, &b, RIG_DCI);
	a.qp->ack_timeout = b.qp->ack_timeout = 15; /* 134 ms: no timeout on a busy machine */
	a.qp->retry_count = b.qp->retry_count = 2;
	eq = events_open(&near);
	for (int i = 0; i < 2; i++)
		dct[i] = target_open(&t[i], &s, KEY, 1024);
	address_target(&a, TARGET_0, KEY);
	address_target(&b, TARGET_0, KEY);
}

static void teardown(void)
{
	expect_no_event(eq);
	rig_close_read();
}

TestSuite(dc, .init = setup, .fini = teardown);

static uint32_t word_at(const uint8_t *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return be32toh(word);
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
				 .payload = near.buf,
				 .payload_len = opcode == DC_SEND_FIRST ? 1024 : 4,
				 .va = RIG_VA + 0x10000,
				 .rkey = RIG_KEY,
				 .dma_len = 4 };

	memcpy(p.sgid, near.hca.port.gid[0].raw, 16);
	memcpy(p.dgid, p.sgid, 16);
	return p;
}

/* @p is on the wire, and all engines work. */
static void deliver(struct wire_packet p)
{
	cr_assert(wire_has_space(near.w, 1));
	wire_send(near.w, 1, &p);
	wire_flush(near.w);
	settle();
}

Test(dc, send_completes_on_the_cq_of_the_target_under_its_index)
{
	cr_assert_eq(dct[0]->dctn, TARGET_0);
	record_frames();
	post_shared(&s, "recv 256 local=0x2000");
	succeed(&a, "send_imm 100 imm=0xdeadbeef sig");
	cr_expect_eq(word_at(t[0].cqes + 24) & 0xffffff, 0x10001, "from whom");
	expect_cqe(&t[0],
		   "received send_imm 100 imm=0xdeadbeef qpn=0x01a001 user=0xabcd01 wqe=0");
	cr_expect_arr_eq(near.buf + 0x2000, near.buf, 100);
	expect_only_frames("dc: send_only_imm ack");
}

Test(dc, writes_reads_and_atomics_have_the_rights_of_the_target)
{
	record_frames();
	write_read_and_add(&a);
	cr_expect_eq(s.srq->taken, 0);
	expect_only_frames("dc: write_first write_middle write_last ack "
			   "read_request read_response_first "
			   "read_response_middle read_response_last fetch_add atomic_ack");
}

Test(dc, another_target_waits_until_all_is_complete)
{
	static const uint32_t to[] = { TARGET_0, TARGET_0, TARGET_0, 0x10001,
				       TARGET_1, 0x10001,  TARGET_0, 0x10001 };

	record_frames();
	for (unsigned int i = 0; i < 3; i++)
		post_shared(&s, "recv 4096 local=0x%x", 0x2000 + i * 0x1000);
	post(&a, "send 3000 sig");
	address_target(&a, TARGET_1, KEY);
	post(&a, "send 500 sig");
	address_target(&a, TARGET_0, KEY);
	finish(&a, "send 10 sig", "sent; sent; sent");
	expect_cqe(&t[0], "received; received");
	expect_cqe(&t[1], "received");
	expect_only_frames(
		"dc: send_first send_middle send_last ack send_only ack send_only ack");
	for (unsigned int i = 0; i < 8; i++) {
		uint32_t dqpn = word_at(frame_bth[i] + 4) & 0xffffff;

		cr_expect_eq(dqpn, to[i], "frame %u to 0x%x", i, dqpn);
	}
	cr_expect_arr_eq(near.buf + 0x2000, near.buf, 3000);
	cr_expect_arr_eq(near.buf + 0x3000, near.buf, 500);
}

Test(dc, a_target_serves_several_initiators)
{
	b.qp->req.psn = 0x777777;
	for (unsigned int i = 0; i < 4; i++)
		post_shared(&s, "recv 4096 local=0x%x", 0x2000 + i * 0x1000);
	for (int i = 0; i < 2; i++) {
		post(&a, "send 3000 sig");
		post(&b, "send 3000 sig");
	}
	ring(&a);
	work(&b);
	for (unsigned int i = 0; i < 4; i++) {
		expect_cqe(i % 2 ? &b : &a, "sent");
		expect_cqe(&t[0], "received");
		cr_expect_arr_eq(near.buf + 0x2000 + i * 0x1000, near.buf, 3000);
	}
	cr_expect_eq(dct[0]->count, 2, "connections");
	cr_expect_eq(dct[1]->count, 0);
	expect_finding("QP 0x10001: served by a doorbell that named another QP");
}

Test(dc, all_fields_of_the_address_are_in_the_packet)
{
	record_frames();
	address_in_full(&a, &near);
	succeed(&a, "write 4 remote=0x10000 sig");
	expect_full_address();
}

/* Each field alone: the second WQE is the first one of another connection. */
Test(dc, target_of_another_key_or_address_waits)
{
	near.hca.port.gid[3] = near.hca.port.gid[4] = near.hca.port.gid[0];
	near.hca.port.gid[4].raw[15] = 0x44;
	execute(&a, "write 4 remote=0x10000 sig; write 4 remote=0x10000 sig");
	cr_expect_eq(a.qp->dc.start, 0x100);
	post(&a, "write 4 remote=0x10000 sig");
	a.head[29] = 0x30; /* the GID of the source */
	execute(&a, "write 4 remote=0x10000 sig");
	cr_expect_eq(a.qp->dc.start, 0x103);
	post(&a, "write 4 remote=0x10000 sig");
	a.head[47] = 0x44; /* the GID of the target */
	execute(&a, "write 4 remote=0x10000 sig");
	cr_expect_eq(a.qp->dc.start, 0x105);
	expect_cqe(&a, "sent; sent; sent; sent; sent; sent");
	post(&a, "write 4 remote=0x10000 sig");
	a.head[7]++; /* the key */
	post_rung(&a, "write 4 remote=0x10000 sig");
	wait_cqe(&a, 2000);
	expect_cqe(&a, "sent");
	wait_cqe(&a, 2000);
	expect_cqe(&a, "req_err retry_exc wqe=14");
}

Test(dc, idle_dci_connects_again)
{
	uint32_t serial;

	execute(&a, "write 4 remote=0x10000 sig; write 4 remote=0x10000 sig");
	serial = a.qp->dc.serial;
	cr_expect_eq(a.qp->dc.start, 0x100, "one connection for both");
	/* The target is destroyed and created again with the same number, without
	 * connections. */
	hca_dct_forget_all(dct[0]);
	execute(&a, "write 4 remote=0x10000 sig");
	cr_expect_eq(a.qp->dc.serial, serial + 1);
	cr_expect_eq(a.qp->dc.start, 0x102);
	expect_cqe(&a, "sent; sent; sent");
}

Test(dc, empty_srq_is_receiver_not_ready)
{
	execute(&a, "send 100 sig");
	expect_none(&a);
	post_shared(&s, "recv 256 local=0x2000");
	wait_cqe(&a, 2000);
	expect_cqe(&a, "sent");
	expect_cqe(&t[0], "received");
}

Test(dc, wrong_access_key_is_counted_and_not_answered)
{
	address_target(&a, TARGET_0, KEY + 1);
	dct[0]->armed = true;
	post_rung(&a, "write 4 remote=0x10000 sig");
	wait_cqe(&a, 2000);
	expect_cqe(&a, "req_err retry_exc wqe=0");
	cr_expect_eq(dct[0]->violations, 3, "one packet, two retries");
	cr_expect_eq(dct[0]->count, 0);
	expect_event(eq, PRM_EVENT_DCT_KEY_VIOLATION, TARGET_0);
	cr_expect_eq(near.buf[0x10000], 0);
}

Test(dc, drained_target_does_not_answer)
{
	dct[0]->state = PRM_DCTC_STATE_DRAINED;
	post_rung(&a, "write 4 remote=0x10000 sig");
	wait_cqe(&a, 2000);
	expect_cqe(&a, "req_err retry_exc wqe=0");
}

/* Refused requests end the connection, not the target. */
Test(dc, target_survives_errors_of_its_initiators)
{
	uint8_t eqe[64];

	finish(&a, "write 4 rkey=0x99999999 sig", "req_err rem_access wqe=0");
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_ERR);
	cr_assert(event_eq_next(eq, eqe));
	cr_expect_eq(eqe[1], PRM_EVENT_WQ_ACCESS_ERROR);
	cr_expect_eq(eqe[32 + 20], 6, "of a DCT");
	cr_expect_eq(word_at(eqe + 32 + 24), TARGET_0);
	succeed(&b, "write 4 remote=0x10000 sig");
	hca_qp_reset(a.qp);
	a.qp->req.psn = 0x500;
	a.qp->state = PRM_QPC_STATE_RTS;
	a.pi = 0;
	succeed(&a, "write 4 remote=0x10000 sig");
	cr_expect_eq(dct[0]->count, 2);
	expect_finding(
		"there is no such key|the peer refuses 4 bytes at 0xa0000000 of rkey 0x99999999");
}

Test(dc, operation_that_the_target_does_not_allow_is_refused)
{
	dct[0]->model->rre = false;
	finish(&a, "read 4 local=0x20000 remote=0x10000 sig", "req_err rem_inv_req wqe=0");
	expect_event(eq, PRM_EVENT_WQ_INVAL_REQ_ERROR, TARGET_0);
	expect_finding("the QP has no IBV_ACCESS_REMOTE_READ");
}

Test(dc, late_packet_of_an_older_connection_is_dropped)
{
	deliver(packet(DC_WRITE_ONLY, 0x1000, 0x300));
	cr_expect_arr_eq(near.buf + 0x10000, near.buf, 4);
	deliver(packet(DC_WRITE_ONLY, 0x1001, 0x301));
	memset(near.buf + 0x10000, 0, 4);
	deliver(packet(DC_WRITE_ONLY, 0x1000, 0x300));
	cr_expect_eq(near.buf[0x10000], 0);
	cr_expect_eq(dct[0]->count, 1);
}

Test(dc, unfinished_message_flushes_its_wqe)
{
	post_shared(&s, "recv 4096 local=0x2000");
	deliver(packet(DC_SEND_FIRST, 0x1000, 0x300)); /* and nothing more */
	cr_expect_eq(s.srq->taken, 1);
	expect_none(&t[0]);
	deliver(packet(DC_WRITE_ONLY, 0x1001, 0x400));
	expect_cqe(&t[0], "resp_err flushed wqe=0");
	cr_expect_arr_eq(near.buf + 0x10000, near.buf, 4);
	post_shared(&s, "recv 256 local=0x3000");
	succeed(&a, "send 100 sig");
	expect_cqe(&t[0], "received 100 qpn=0x01a001 user=0xabcd01 wqe=3");
	cr_expect_arr_eq(near.buf + 0x3000, near.buf, 100);
}

Test(dc, number_of_connections_is_limited)
{
	struct wire_packet p = packet(DC_WRITE_ONLY, 7, 0x300);

	for (uint32_t i = 0; i < HCA_DCT_CONNECTIONS + 5; i++) {
		p.src_qpn = 0x10100 + i;
		deliver(p);
	}
	cr_expect_eq(dct[0]->count, HCA_DCT_CONNECTIONS);
	cr_expect_arr_eq(near.buf + 0x10000, near.buf, 4);
}

Test(dc, source_qpn_of_another_process_is_dropped)
{
	struct wire_packet p = packet(DC_WRITE_ONLY, 7, 0x300);

	p.src_qpn = 0x20002;
	deliver(p);
	cr_expect_eq(near.buf[0x10000], 0);
	cr_expect_eq(dct[0]->count, 0);
}

Test(dc, bad_address_is_a_qp_operation_error)
{
	a.head[8] = 0; /* the short form */
	finish(&a, "write 4 remote=0x10000 sig", "req_err local_qp_op wqe=0");
	address_target(&b, TARGET_1, KEY);
	b.head[29] = 0x10; /* GID 1 is empty */
	finish(&b, "write 4 remote=0x10000 sig", "req_err local_qp_op wqe=0");
}

Test(dc, nop_needs_no_target)
{
	succeed(&a, "nop sig");
}

/* mlx5dv_wr_memcpy(): no address vector either. */
Test(dc, mmo_needs_no_target)
{
	a.qp->mmo = true;
	succeed(&a, "dma opaque=0x8000 100 100 local=0x4000 sig");
	cr_expect_arr_eq(near.buf + 0x4000, near.buf, 100);
}

Test(dc, umr_is_refused)
{
	finish(&a, "umr 4 remote=0x10000 sig", "req_err local_qp_op wqe=0");
}
