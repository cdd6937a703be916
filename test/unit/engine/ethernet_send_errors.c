/* SPDX-License-Identifier: BSD-2-Clause */
/* WQEs of SQs that cannot be executed: the first ends in an error, and the rest is flushed. */
#include "ethernet.h"

/* An opcode that is not executed, of @ds units. */
static void post_wait(unsigned int ds)
{
	uint8_t wqe[128];

	start_wqe(wqe, 0x0f, ds);
	post(&s, wqe, ds);
}

Test(ethernet_send, first_wqe_ends_in_an_error_and_the_rest_is_flushed)
{
	post_wait(6); /* two blocks */
	post_wait(3);
	ring(&s);
	settle(h, 1);
	cr_expect_eq(sq->state, PRM_SQC_STATE_ERR);
	cr_expect_eq(checks, 1);
	expect_error(&s, 13, 0x02, 0);
	expect_error(&s, 13, 0x05, 2);
	expect_none(&s);
	post_wait(3);
	ring(&s);
	settle(h, 1);
	expect_error(&s, 13, 0x05, 3);
	expect_none(&s);
	cr_expect_eq(checks, 1);
}

Test(ethernet_send, cqe_has_the_sqn)
{
	const uint8_t *cqe;
	uint32_t word;

	post_wait(3);
	ring(&s);
	settle(h, 1);
	cqe = next_cqe(&s);
	cr_assert_not_null(cqe);
	memcpy(&word, cqe + 32, 4);
	cr_expect_eq(be32toh(word), 0x123);
	memcpy(&word, cqe + 56, 4);
	cr_expect_eq(be32toh(word), 0x0f000000u | sq->sqn);
}

Test(ethernet_send, without_flush_there_is_one_error)
{
	sq->flush = false;
	post_wait(3);
	post_wait(3);
	ring(&s);
	settle(h, 1);
	expect_error(&s, 13, 0x02, 0);
	expect_none(&s);
}

Test(ethernet_send, wqe_longer_than_the_posted_blocks_ends_there)
{
	post_wait(7);
	s.rec[1] = htobe32(1);
	ring(&s);
	settle(h, 1);
	expect_error(&s, 13, 0x02, 0);
	expect_none(&s);
	cr_expect_eq(sq->pi, 1);
}

Test(ethernet_send, overrun_is_reported_and_ends_within_the_ring)
{
	s.rec[1] = htobe32(RIG_SQ + 8);
	ring(&s);
	settle(h, 1);
	cr_expect_eq(checks, 1);
	cr_expect_eq(sq->state, PRM_SQC_STATE_ERR);
	cr_expect_eq(sq->pi, RIG_SQ + 8);
	expect_error(&s, 13, 0x02, 8);
}

Test(ethernet_send, nothing_happens_before_rdy_or_without_a_doorbell)
{
	sq->state = PRM_SQC_STATE_RST;
	post_wait(3);
	ring(&s);
	settle(h, 1);
	expect_none(&s);
	sq->state = PRM_SQC_STATE_RDY;
	settle(h, 1);
	expect_none(&s);
	engine_unfinished(&h[0].hca);
	cr_expect_eq(checks, 1);
}

/* What is wrong with a packet, and the syndrome. */
static void expect_syndrome(const struct seg *segs, unsigned int n, uint8_t opcode,
			    const char *eth, unsigned int syndrome)
{
	post_eth(opcode, eth, segs, n);
	ring(&s);
	settle(h, 1);
	expect_error(&s, 13, syndrome, 0);
	cr_expect_eq(sq->state, PRM_SQC_STATE_ERR);
	expect_no_wire();
}

Test(ethernet_send, key_that_is_not_known)
{
	expect_syndrome(&(struct seg){ 60, RIG_KEY + 1, 0 }, 1, 0x0a, NO_OFFLOAD, 0x04);
}

Test(ethernet_send, shorter_than_an_ethernet_header)
{
	expect_syndrome(&(struct seg){ 13, RIG_KEY, 0 }, 1, 0x0a, NO_OFFLOAD, 0x01);
}

Test(ethernet_send, longer_than_the_port_sends)
{
	expect_syndrome(&(struct seg){ 10001, RIG_KEY, 0 }, 1, 0x0a, NO_OFFLOAD, 0x01);
}

Test(ethernet_send, tso_without_mss)
{
	expect_syndrome(
		&(struct seg){ 60, RIG_KEY, 0 }, 1, 0x0e,
		"00000000 00000000 00000000 000e0102 03040506 0708090a 0b0c0d0e 00000000",
		0x01);
}

Test(ethernet_send, multi_packet_send_that_the_sq_does_not_allow)
{
	expect_syndrome(&(struct seg){ 60, RIG_KEY, 0 }, 1, 0x29, NO_OFFLOAD, 0x02);
}
