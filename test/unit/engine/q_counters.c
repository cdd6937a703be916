/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two adapters: requester and responder count in the set of the QP and in the sum; every frame
 * counts at the port that it passes.
 */
#include <string.h>

#include "rig.h"

#define LOST 20000 /* ms */
#define IP   20	   /* header of the rig's GIDs: IPv4 */

static struct host h[2];
static struct side a, b;
static struct hca_q_counter set_of_a; /* host 0 */

/* What each end has counted. */
#define MINE  (set_of_a.own)
#define THEIR (h[1].hca.counted->no_set)

static void setup(void)
{
	far_pair_open(h, &a, &b, 1024, 0xfffff8);
	a.qp->ack_timeout = b.qp->ack_timeout = 10;
	memset(&set_of_a, 0, sizeof(set_of_a));
	set_of_a.n = &set_of_a.own;
	a.qp->counter = &set_of_a;
}

static void teardown(void)
{
	hosts_close(h);
}

TestSuite(q_counters, .init = setup, .fini = teardown);

static void go(uint8_t opcode, uint32_t len, uint32_t rkey)
{
	post_wr(&a, &(struct wr){ .opcode = opcode,
				  .fm_ce_se = SIGNALED,
				  .len = len,
				  .local = 0x1000,
				  .remote = 0x200000,
				  .rkey = rkey });
	ring(&a);
}

enum { WRITE = 0x08, SEND = 0x0a, READ = 0x10, FETCH_ADD = 0x12 };

Test(q_counters, requests_of_each_kind)
{
	go(WRITE, 5000, RIG_FAR_KEY); /* five packets, one request */
	go(READ, 3000, RIG_FAR_KEY);
	go(FETCH_ADD, 8, RIG_FAR_KEY);
	settle(h, 2);
	for (unsigned int i = 0; i < 3; i++)
		cr_assert_eq(next_cqe(&a)[63] >> 4, 0);
	cr_expect_eq(THEIR.rx_write_requests, 1);
	cr_expect_eq(THEIR.rx_read_requests, 1);
	cr_expect_eq(THEIR.rx_atomic_requests, 1);
	cr_expect_eq(THEIR.duplicate_request, 0);
	cr_expect_eq(THEIR.out_of_sequence, 0);
	cr_expect_eq(MINE.req_cqe_error, 0);
	cr_expect_eq(MINE.rx_read_requests, 0, "the requester takes no request");
}

Test(q_counters, a_lost_packet)
{
	a.qp->ack_timeout = 0; /* only the NAK can help */
	go(WRITE, 5000, RIG_FAR_KEY);
	engine_step(h[0].e);
	cr_assert_eq(lose(&h[1], 2), 2);
	wait_cqe(h, 2, &a, LOST);
	cr_assert_not_null(next_cqe(&a));
	cr_expect_eq(THEIR.out_of_sequence, 3, "packets 2, 3 and 4");
	cr_expect_eq(MINE.packet_seq_err, 1, "one NAK");
	cr_expect_eq(MINE.local_ack_timeout_err, 0);
	cr_expect_eq(h[0].hca.counted->all_sets.packet_seq_err, 1);
	cr_expect_eq(h[0].hca.counted->no_set.packet_seq_err, 0);
}

Test(q_counters, a_lost_ack)
{
	go(WRITE, 100, RIG_FAR_KEY);
	engine_step(h[0].e);
	engine_step(h[1].e);
	cr_assert_eq(lose(&h[0], 1), 1);
	wait_cqe(h, 2, &a, LOST);
	cr_assert_not_null(next_cqe(&a));
	cr_expect_eq(MINE.local_ack_timeout_err, 1);
	cr_expect_eq(THEIR.duplicate_request, 1);
	cr_expect_eq(THEIR.rx_write_requests, 1, "it was one request");
}

Test(q_counters, a_lost_response)
{
	a.qp->ack_timeout = 0;
	go(READ, 5000, RIG_FAR_KEY);
	engine_step(h[0].e);
	engine_step(h[1].e);
	cr_assert_eq(lose(&h[0], 2), 2);
	wait_cqe(h, 2, &a, LOST);
	cr_assert_not_null(next_cqe(&a));
	cr_expect_eq(MINE.implied_nak_seq_err, 1);
	cr_expect_eq(MINE.packet_seq_err, 0);
}

Test(q_counters, no_receive_for_a_send)
{
	b.qp->min_rnr_nak = 1;
	a.qp->rnr_retry = 2;
	go(SEND, 100, 0);
	wait_cqe(h, 2, &a, LOST);
	expect_error(&a, 13, 0x16, 0);
	cr_expect_eq(THEIR.out_of_buffer, 3);
	cr_expect_eq(MINE.rnr_nak_retry_err, 2, "the third exceeds the limit");
	cr_expect_eq(MINE.req_rnr_retries_exceeded, 1);
	cr_expect_eq(MINE.req_cqe_error, 1);
}

Test(q_counters, retries_exceeded)
{
	a.qp->retry_count = 2;
	go(WRITE, 100, RIG_FAR_KEY);
	for (unsigned int i = 0; i < 1000 && !MINE.req_transport_retries_exceeded; i++) {
		engine_step(h[0].e);
		lose(&h[1], 10);
		nanosleep(&(struct timespec){ .tv_nsec = 300000 }, NULL);
	}
	expect_error(&a, 13, 0x15, 0);
	cr_expect_eq(MINE.local_ack_timeout_err, 2);
	cr_expect_eq(MINE.req_transport_retries_exceeded, 1);
}

Test(q_counters, missing_rights)
{
	go(WRITE, 100, RIG_FAR_KEY + 1); /* no such key */
	go(WRITE, 100, RIG_FAR_KEY);	 /* flushed */
	post_recv(&b, RIG_VA, 100, RIG_FAR_KEY);
	wait_cqe(h, 2, &a, LOST);
	expect_error(&a, 13, 0x13, 0);
	settle(h, 2);
	cr_expect_eq(MINE.req_remote_access_errors, 1);
	cr_expect_eq(MINE.req_cqe_flush_error, 1);
	cr_expect_eq(MINE.req_cqe_error, 2);
	cr_expect_eq(THEIR.resp_remote_access_errors, 1);
	cr_expect_eq(THEIR.resp_cqe_flush_error, 1);
	cr_expect_eq(THEIR.resp_cqe_error, 1);
}

Test(q_counters, a_message_that_does_not_fit)
{
	post_recv(&b, RIG_VA, 10, RIG_FAR_KEY);
	go(SEND, 100, 0);
	wait_cqe(h, 2, &a, LOST);
	expect_error(&a, 13, 0x12, 0);
	cr_expect_eq(THEIR.resp_local_length_error, 1);
	cr_expect_eq(MINE.req_remote_invalid_request, 1);
}

/* Ethernet 14, IPv4 20, UDP 8, BTH 12, RETH 16, payload 100, ICRC 4; the ACK: AETH 4. The port
 * counts the FCS, too. */
#define FCS 4
Test(q_counters, frames_at_vport_and_port)
{
	const struct hca_port_counts *here = &h[0].hca.counted->port,
				     *there = &h[1].hca.counted->port;
	const struct hca_vport_counts *vport = &h[0].hca.counted->vport;

	go(WRITE, 100, RIG_FAR_KEY);
	wait_cqe(h, 2, &a, LOST);
	cr_expect_eq(hca_port_frames(&here->tx), 1);
	cr_expect_eq(here->tx.octets, 14 + IP + 8 + 12 + 16 + 100 + 4 + FCS);
	cr_expect_eq(hca_port_frames(&here->rx), 1);
	cr_expect_eq(here->rx.octets, 14 + IP + 8 + 12 + 4 + 4 + FCS);
	cr_expect_eq(there->rx.octets, here->tx.octets);
	cr_expect_eq(there->tx.octets, here->rx.octets);
	cr_expect_eq(vport->tx.of[HCA_IB_UNICAST].octets, here->tx.octets - FCS);
	cr_expect_eq(vport->rx.of[HCA_IB_UNICAST].octets, here->rx.octets - FCS);
}

/* Frames of a function to itself pass its vport, both ways, and no port. */
Test(q_counters, loopback_passes_no_port)
{
	static struct side c, e;

	side_open(&c, &h[0]);
	side_open(&e, &h[0]);
	connect_sides(&c, &e, 1024, 0x100);
	post_wr(&c, &(struct wr){ .opcode = WRITE,
				  .fm_ce_se = SIGNALED,
				  .len = 100,
				  .remote = 0x200000 });
	ring(&c);
	wait_cqe(h, 1, &c, LOST);
	cr_assert_not_null(next_cqe(&c));
	cr_expect_eq(hca_port_frames(&h[0].hca.counted->port.tx), 0);
	cr_expect_eq(hca_port_frames(&h[0].hca.counted->port.rx), 0);
	cr_expect_eq(h[0].hca.counted->vport.tx.of[HCA_IB_UNICAST].packets, 2);
	cr_expect_eq(h[0].hca.counted->vport.rx.of[HCA_IB_UNICAST].packets, 2);
	cr_expect_eq(h[0].hca.counted->vport.tx.of[HCA_IB_UNICAST].octets,
		     h[0].hca.counted->vport.rx.of[HCA_IB_UNICAST].octets);
}

/* The register PAOS: what is sent until the retries are exceeded is lost, and on no wire. */
Test(q_counters, frames_without_a_link)
{
	const struct hca_counted *here = h[0].hca.counted;

	atomic_store(&h[0].hca.adapter->admin, 1);
	a.qp->retry_count = 2;
	go(WRITE, 100, RIG_FAR_KEY);
	for (unsigned int i = 0; i < 1000 && !MINE.req_transport_retries_exceeded; i++) {
		settle(h, 2);
		nanosleep(&(struct timespec){ .tv_nsec = 300000 }, NULL);
	}
	expect_error(&a, 13, 0x15, 0);
	cr_expect(h[0].hca.port.down);
	cr_expect_eq(h[0].hca.counts.no_link, 3, "not once, and twice again");
	cr_expect_eq(hca_port_frames(&h[0].hca.counted->port.tx), 0);
	cr_expect_eq(here->vport.tx.of[HCA_IB_UNICAST].packets, 0);
	cr_expect_eq(hca_port_frames(&h[1].hca.counted->port.rx), 0);
}

/* A full CQ: the QP goes to ERR, and the vnic counts the CQ once. */
Test(q_counters, a_cq_in_overrun)
{
	for (unsigned int i = 0; i < RIG_CQE + 2; i++) {
		go(WRITE, 1, RIG_FAR_KEY);
		settle(h, 2);
	}
	cr_expect_eq(h[0].hca.counts.cq_overrun, 1);
	cr_expect_eq(MINE.cq_overflow, 1);
}
