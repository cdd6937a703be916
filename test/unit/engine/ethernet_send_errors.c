/* SPDX-License-Identifier: BSD-2-Clause */
/* WQEs of SQs that cannot be executed: the first ends in an error, and the rest is flushed. */
#include "ethernet.h"

/* An opcode that is not executed, of @ds units. */
static void post_wait(unsigned int ds)
{
	uint8_t wqe[128];

	start_wqe(wqe, 0x0f, ds);
	post_bytes(&s, wqe, ds);
}

#define WAIT "SQ 0x1c001: the WQE at 0x0 ends in an error: WAIT: "

Test(ethernet_send, first_wqe_ends_in_an_error_and_the_rest_is_flushed)
{
	post_wait(6); /* two blocks */
	post_wait(3);
	ring(&s);
	settle_only(&near);
	cr_expect_eq(sq->state, PRM_SQC_STATE_ERR);
	expect_finding(WAIT);
	expect_cqe(&s, "req_err local_qp_op wqe=0");
	expect_cqe(&s, "req_err flushed wqe=2");
	expect_none(&s);
	post_wait(3);
	ring(&s);
	settle_only(&near);
	expect_cqe(&s, "req_err flushed wqe=3");
	expect_none(&s);
}

Test(ethernet_send, cqe_has_the_sqn)
{
	post_wait(3);
	ring(&s);
	settle_only(&near);
	cr_expect_eq(word_at(s.cqes, 32), 0x123);
	cr_expect_eq(word_at(s.cqes, 56), 0x0f000000u | sq->sqn);
	expect_cqe(&s, "req_err local_qp_op");
	expect_finding(WAIT);
}

Test(ethernet_send, without_flush_there_is_one_error)
{
	sq->flush = false;
	post_wait(3);
	post_wait(3);
	ring(&s);
	settle_only(&near);
	expect_cqe(&s, "req_err local_qp_op wqe=0");
	expect_none(&s);
	expect_finding(WAIT);
}

Test(ethernet_send, wqe_longer_than_the_posted_blocks_ends_there)
{
	post_wait(7);
	s.rec[1] = htobe32(1);
	ring(&s);
	settle_only(&near);
	expect_cqe(&s, "req_err local_qp_op wqe=0");
	expect_none(&s);
	cr_expect_eq(sq->pi, 1);
	expect_finding(WAIT);
}

Test(ethernet_send, overrun_is_reported_and_ends_within_the_ring)
{
	s.rec[1] = htobe32(RIG_SQ + 8);
	ring(&s);
	settle_only(&near);
	expect_finding("SQ 0x1c001: record 0x48 is more than 64 blocks ahead of 0x0");
	cr_expect_eq(sq->state, PRM_SQC_STATE_ERR);
	cr_expect_eq(sq->pi, RIG_SQ + 8);
	expect_cqe(&s, "req_err local_qp_op wqe=8");
}

Test(ethernet_send, nothing_happens_before_rdy_or_without_a_doorbell)
{
	sq->state = PRM_SQC_STATE_RST;
	post_wait(3);
	ring(&s);
	settle_only(&near);
	expect_none(&s);
	sq->state = PRM_SQC_STATE_RDY;
	settle_only(&near);
	expect_none(&s);
	engine_unfinished(&near.hca);
	expect_finding("SQ 0x1c001: the record is 0x1, the last doorbell was for 0x0");
}

/* @wqe ends in @syndrome, and sends nothing. */
static void expect_refused(const char *eth, const char *wqe, const char *syndrome,
			   const char *finding)
{
	post_eth(eth, "%s", wqe);
	ring(&s);
	settle_only(&near);
	expect_cqe(&s, "req_err %s wqe=0", syndrome);
	cr_expect_eq(sq->state, PRM_SQC_STATE_ERR);
	expect_no_wire();
	expect_finding("%s", finding);
}

#define MPSW "0x0 ends in an error: ENHANCED_MPSW: of Ethernet queues that allow it"

Test(ethernet_send, packets_that_are_refused)
{
	static const struct {
		const char *what, *eth, *wqe, *syndrome, *finding;
	} rows[] = {
		{ "key that is not known", NO_OFFLOAD, "send 60 lkey=wrong sig", "local_prot",
		  "local read of 60 bytes at 0xa0000000: the low 8 bits" },
		{ "shorter than an ethernet header", NO_OFFLOAD, "send 13 sig", "local_length",
		  "" },
		{ "longer than the port sends", NO_OFFLOAD, "send 10001 sig", "local_length",
		  "" },
		{ "tso without mss",
		  "00000000 00000000 00000000 000e0102 03040506 0708090a 0b0c0d0e 00000000",
		  "tso 60 sig", "local_length", "" },
		{ "multi packet send that the sq does not allow", NO_OFFLOAD,
		  "enhanced_mpsw 60 sig", "local_qp_op", MPSW },
	};

	FOR_EACH_ROW(row, rows, ethernet_open)
		expect_refused(row->eth, row->wqe, row->syndrome, row->finding);
}

/* Those that a user makes in a function that a driver has started. */
Test(ethernet_send, multi_packet_send_of_a_user_needs_permission)
{
	near.hca.life = HCA_RUNNING;
	sq->uid = 1;
	expect_refused(NO_OFFLOAD, "enhanced_mpsw 60 sig", "local_qp_op", MPSW);
}

/* The register names the SQ: half @half of register 0. */
static void store(unsigned int half)
{
	struct engine_store st = { .uar = near.uar->index,
				   .offset = (uint16_t)(0x800 + half * 0x100),
				   .len = 8,
				   .thread = 100,
				   .bytes = { 0, 0, 0, 0x0a } };
	uint32_t word = htobe32(sq->sqn << 8 | 3);

	memcpy(st.bytes + 4, &word, sizeof(word));
	engine_store(near.e, &st);
}

Test(ethernet_send, ring_without_a_new_wqe_or_in_reset_is_reported)
{
	post_eth(NO_OFFLOAD, "send 60 sig");
	store(0);
	settle_only(&near);
	expect_cqe(&s, "sent");
	store(1);
	expect_finding("its register was rung, and the record, 0x1, announces no new WQE");
	settle_only(&near);
	sq->state = PRM_SQC_STATE_RST;
	post_eth(NO_OFFLOAD, "send 60 sig");
	store(0);
	expect_finding("rung in RST, where nothing is executed");
	settle_only(&near);
	expect_none(&s);
}
