/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two adapters: requester and responder count in the set of the QP and in the sum; every frame
 * counts at the port that it passes.
 */
#include <string.h>

#include "rig.h"

#define LOST_MS 20000
#define IP	20 /* header of the rig's GIDs: IPv4 */

static struct hca_q_counter set_of_a; /* host 0 */

/* Counters of each end. */
#define MINE  (set_of_a.own)
#define THEIR (far.hca.counted->no_set)

static void setup(void)
{
	far_pair_open_with(1024, 0xfffff8);
	a.qp->ack_timeout = b.qp->ack_timeout = 10;
	memset(&set_of_a, 0, sizeof(set_of_a));
	set_of_a.n = &set_of_a.own;
	a.qp->counter = &set_of_a;
}

TestSuite(q_counters, .init = setup, .fini = rig_close);

Test(q_counters, requests_of_each_kind)
{
	/* five packets, one request */
	post(&a, "write 5000 remote=0x200000 sig; read 3000 local=0x1000 remote=0x200000 sig");
	finish(&a, "fetch_add 8 local=0x1000 remote=0x200000 sig", "sent; sent; sent");
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
	post_rung(&a, "write 5000 remote=0x200000 sig");
	engine_step(near.e);
	cr_assert_eq(lose(&far, 2), 2);
	wait_cqe(&a, LOST_MS);
	expect_cqe(&a, "sent");
	cr_expect_eq(THEIR.out_of_sequence, 3, "packets 2, 3 and 4");
	cr_expect_eq(MINE.packet_seq_err, 1, "one NAK");
	cr_expect_eq(MINE.local_ack_timeout_err, 0);
	cr_expect_eq(near.hca.counted->all_sets.packet_seq_err, 1);
	cr_expect_eq(near.hca.counted->no_set.packet_seq_err, 0);
}

Test(q_counters, a_lost_ack)
{
	post_rung(&a, "write 100 remote=0x200000 sig");
	engine_step(near.e);
	engine_step(far.e);
	cr_assert_eq(lose(&near, 1), 1);
	wait_cqe(&a, LOST_MS);
	expect_cqe(&a, "sent");
	cr_expect_eq(MINE.local_ack_timeout_err, 1);
	cr_expect_eq(THEIR.duplicate_request, 1);
	cr_expect_eq(THEIR.rx_write_requests, 1, "it was one request");
}

Test(q_counters, a_lost_response)
{
	a.qp->ack_timeout = 0;
	post_rung(&a, "read 5000 local=0x1000 remote=0x200000 sig");
	engine_step(near.e);
	engine_step(far.e);
	cr_assert_eq(lose(&near, 2), 2);
	wait_cqe(&a, LOST_MS);
	expect_cqe(&a, "sent");
	cr_expect_eq(MINE.implied_nak_seq_err, 1);
	cr_expect_eq(MINE.packet_seq_err, 0);
}

Test(q_counters, no_receive_for_a_send)
{
	b.qp->min_rnr_nak = 1;
	a.qp->rnr_retry = 2;
	post_rung(&a, "send 100 sig");
	wait_cqe(&a, LOST_MS);
	expect_cqe(&a, "req_err rnr_retry_exc wqe=0");
	cr_expect_eq(THEIR.out_of_buffer, 3);
	cr_expect_eq(MINE.rnr_nak_retry_err, 2, "the third exceeds the limit");
	cr_expect_eq(MINE.req_rnr_retries_exceeded, 1);
	cr_expect_eq(MINE.req_cqe_error, 1);
}

Test(q_counters, retries_exceeded)
{
	a.qp->retry_count = 2;
	post_rung(&a, "write 100 remote=0x200000 sig");
	for (unsigned int i = 0; i < 1000 && !MINE.req_transport_retries_exceeded; i++) {
		engine_step(near.e);
		lose(&far, 10);
		nanosleep(&(struct timespec){ .tv_nsec = 300000 }, NULL);
	}
	expect_cqe(&a, "req_err retry_exc wqe=0");
	cr_expect_eq(MINE.local_ack_timeout_err, 2);
	cr_expect_eq(MINE.req_transport_retries_exceeded, 1);
}

Test(q_counters, missing_rights)
{
	post_rung(&a, "write 100 remote=0x200000 rkey=wrong sig; write 100 sig");
	post(&b, "recv 100");
	wait_cqe(&a, LOST_MS);
	expect_cqe(&a, "req_err rem_access wqe=0");
	settle();
	cr_expect_eq(MINE.req_remote_access_errors, 1);
	cr_expect_eq(MINE.req_cqe_flush_error, 1);
	cr_expect_eq(MINE.req_cqe_error, 2);
	cr_expect_eq(THEIR.resp_remote_access_errors, 1);
	cr_expect_eq(THEIR.resp_cqe_flush_error, 1);
	cr_expect_eq(THEIR.resp_cqe_error, 1);
	expect_finding(
		"remote write of 100 bytes at 0xa0200000: the low 8 bits|the peer refuses 100 bytes");
}

Test(q_counters, a_message_that_does_not_fit)
{
	post(&b, "recv 10");
	post_rung(&a, "send 100 sig");
	wait_cqe(&a, LOST_MS);
	expect_cqe(&a, "req_err rem_inv_req wqe=0");
	cr_expect_eq(THEIR.resp_local_length_error, 1);
	cr_expect_eq(MINE.req_remote_invalid_request, 1);
}

/* Ethernet 14, IPv4 20, UDP 8, BTH 12, RETH 16, payload 100, ICRC 4; the ACK: AETH 4. The port
 * counts the FCS, too. */
#define FCS 4
Test(q_counters, frames_at_vport_and_port)
{
	const struct hca_port_counts *here = &near.hca.counted->port,
				     *there = &far.hca.counted->port;
	const struct hca_vport_counts *vport = &near.hca.counted->vport;

	post_rung(&a, "write 100 remote=0x200000 sig");
	wait_cqe(&a, LOST_MS);
	cr_expect_eq(hca_port_frames(&here->tx), 1);
	cr_expect_eq(here->tx.octets, 14 + IP + 8 + 12 + 16 + 100 + 4 + FCS);
	cr_expect_eq(hca_port_frames(&here->rx), 1);
	cr_expect_eq(here->rx.octets, 14 + IP + 8 + 12 + 4 + 4 + FCS);
	cr_expect_eq(there->rx.octets, here->tx.octets);
	cr_expect_eq(there->tx.octets, here->rx.octets);
	cr_expect_eq(vport->tx.of[HCA_IB_UNICAST].octets, here->tx.octets - FCS);
	cr_expect_eq(vport->rx.of[HCA_IB_UNICAST].octets, here->rx.octets - FCS);
}

/* A damaged frame has arrived at the port, although no QP gets it. */
Test(q_counters, damaged_frames)
{
	struct options_fault faults[OPTIONS_FAULTS];
	const struct hca_counted *there = far.hca.counted;

	a.qp->ack_timeout = 0;
	cr_assert_eq(wire_faults(near.w, faults, options_faults("corrupt=1", faults)), 0);
	execute(&a, "write 100 remote=0x200000 sig");
	expect_none(&a);
	cr_expect_eq(hca_port_frames(&there->port.rx), 1);
	cr_expect_eq(there->vport.rx.of[HCA_IB_UNICAST].packets, 1);
	cr_expect_eq(counters_of(&far).rx_frames, 1);
	cr_expect_eq(counters_of(&far).rx_dropped, 1);
}

/* Frames of a function to itself pass its vport, both ways, and no port. */
Test(q_counters, loopback_passes_no_port)
{
	static struct side c, e;

	side_open(&c, &near);
	side_open(&e, &near);
	connect_sides(&c, &e, 1024, 0x100);
	post_rung(&c, "write 100 remote=0x200000 sig");
	wait_cqe(&c, LOST_MS);
	expect_cqe(&c, "sent");
	cr_expect_eq(hca_port_frames(&near.hca.counted->port.tx), 0);
	cr_expect_eq(hca_port_frames(&near.hca.counted->port.rx), 0);
	cr_expect_eq(near.hca.counted->vport.tx.of[HCA_IB_UNICAST].packets, 2);
	cr_expect_eq(near.hca.counted->vport.rx.of[HCA_IB_UNICAST].packets, 2);
	cr_expect_eq(near.hca.counted->vport.tx.of[HCA_IB_UNICAST].octets,
		     near.hca.counted->vport.rx.of[HCA_IB_UNICAST].octets);
}

/* The register PAOS: what is sent until the retries are exceeded is lost, and on no wire. */
Test(q_counters, frames_without_a_link)
{
	const struct hca_counted *here = near.hca.counted;

	atomic_store(&near.hca.adapter->admin, 1);
	a.qp->retry_count = 2;
	post_rung(&a, "write 100 remote=0x200000 sig");
	for (unsigned int i = 0; i < 1000 && !MINE.req_transport_retries_exceeded; i++) {
		settle();
		nanosleep(&(struct timespec){ .tv_nsec = 300000 }, NULL);
	}
	expect_cqe(&a, "req_err retry_exc wqe=0");
	cr_expect(near.hca.port.down);
	cr_expect_eq(near.hca.counts.no_link, 3, "not once, and twice again");
	cr_expect_eq(hca_port_frames(&near.hca.counted->port.tx), 0);
	cr_expect_eq(here->vport.tx.of[HCA_IB_UNICAST].packets, 0);
	cr_expect_eq(hca_port_frames(&far.hca.counted->port.rx), 0);
}

/* A full CQ: the QP goes to ERR, and the vnic counts the CQ once. */
Test(q_counters, a_cq_in_overrun)
{
	for (unsigned int i = 0; i < RIG_CQE + 2; i++) {
		execute(&a, "write 1 remote=0x200000 sig");
	}
	cr_expect_eq(near.hca.counts.cq_overrun, 1);
	cr_expect_eq(MINE.cq_overflow, 1);
	expect_finding("128 CQEs were not released, and the ring has 128");
}
