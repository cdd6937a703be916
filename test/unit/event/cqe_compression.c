/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compressed CQEs, byte by byte: a CQ of 32 entries, and requester and responder CQEs as the
 * engine makes them.
 */
#include "queues.h"

#define SLOTS 32
#define QPN   0x123456

static uint8_t slots[2 * SLOTS][64] __attribute__((aligned(4096)));
static uint32_t wide; /* 1: entries of 128 bytes */

static void compressing(bool enhanced, uint8_t format)
{
	setup();
	free(cq->ring.pas);
	cq->ring = ring_of(slots);
	cq->log_size = 5;
	cq->session = calloc(1, sizeof(*cq->session));
	cq->session->cq = cq;
	cq->session->enhanced = enhanced;
	cq->session->format = format;
	memset(slots, 0xff, sizeof(slots));
	wide = 0;
}

static void basic(void)
{
	compressing(false, PRM_CQC_MINI_CQE_HASH);
}

static void enhanced(void)
{
	compressing(true, PRM_CQC_MINI_CQE_HASH);
}

TestSuite(compressed_basic, .init = basic, .fini = teardown);
TestSuite(compressed_enhanced, .init = enhanced, .fini = teardown);

static bool complete(uint8_t op_own, uint8_t opcode, uint16_t counter, uint32_t bytes)
{
	uint8_t entry[128] = { 0 }, *cqe = entry + 64;

	cqe[33] = 0x77; /* user index */
	cqe[46] = bytes >> 8;
	cqe[47] = (uint8_t)bytes;
	cqe[56] = opcode;
	cqe[57] = QPN >> 16;
	cqe[58] = (uint8_t)(QPN >> 8);
	cqe[59] = (uint8_t)QPN;
	cqe[60] = counter >> 8;
	cqe[61] = (uint8_t)counter;
	cqe[63] = op_own;
	return event_cqe(&hca, cq, entry, op_own & 2);
}

static bool sent(uint16_t counter)
{
	return complete(0x00, 0x08, counter, 0);
}

static bool received(uint16_t counter, uint32_t bytes)
{
	return complete(0x20, 0, counter, bytes);
}

static const uint8_t *slot(uint32_t i)
{
	return slots[(i % SLOTS << wide) + wide];
}

static void untouched(uint32_t i)
{
	static const uint8_t empty[64] = { [0 ... 63] = 0xff };

	cr_expect_arr_eq(slot(i), empty, 64, "slot %u", i);
}

/* Mini @i of the array at slot @at. */
static void mini(uint32_t at, unsigned int i, const uint8_t golden[8])
{
	cr_expect_arr_eq(slot(at) + i * 8, golden, 8, "mini %u of slot %u", i, at);
}

Test(compressed_basic, nothing_is_written_before_the_end_of_the_iteration)
{
	cr_assert(sent(1));
	cr_assert(sent(2));
	untouched(0);
	cr_expect_eq(cq->pi, 0);
	event_sessions_end(&hca);
	cr_expect_eq(cq->pi, 2);
}

Test(compressed_basic, single_cqe_is_not_compressed)
{
	received(5, 100);
	event_sessions_end(&hca);
	cr_expect_eq(slot(0)[63], 0x20);
	cr_expect_eq(slot(0)[47], 100);
	cr_expect_eq(slot(0)[61], 5);
	untouched(1);
	cr_expect_eq(cq->pi, 1);
}

Test(compressed_basic, title_has_the_count_and_minis_follow_it)
{
	static const uint8_t first[8] = { 0x01, 0x02, 0x08 }, second[8] = { 0x01, 0x04, 0x08 };

	sent(0x102);
	sent(0x104);
	event_sessions_end(&hca);
	cr_expect_eq(slot(0)[63], 0x0c, "format 3, owner 0");
	cr_expect_arr_eq(slot(0) + 44, ((const uint8_t[]){ 0, 0, 0, 2 }), 4);
	cr_expect_arr_eq(slot(0) + 56, ((const uint8_t[]){ 0x08, 0x12, 0x34, 0x56, 1, 2 }), 6);
	mini(1, 0, first);
	mini(1, 1, second);
	untouched(2);
}

/* A mini of a responder has nothing of that of a requester at its place before. */
Test(compressed_basic, minis_begin_with_zeros)
{
	sent(0x0a0b);
	sent(0x0a0c);
	received(1, 100);
	received(2, 200);
	event_sessions_end(&hca);
	mini(3, 0, (uint8_t[]){ 0, 0, 0, 0, 0, 0, 0, 100 });
	mini(3, 1, (uint8_t[]){ 0, 0, 0, 0, 0, 0, 0, 200 });
}

Test(compressed_basic, seventeen_need_three_arrays)
{
	for (uint16_t i = 0; i < 17; i++)
		received(i, 1000 + i);
	event_sessions_end(&hca);
	cr_expect_eq(cq->pi, 17);
	cr_expect_eq(slot(0)[47], 17);
	cr_expect_eq(slot(0)[63], 0x2c);
	for (uint32_t i = 0; i < 17; i++) {
		const uint8_t golden[8] = { 0, 0, 0, 0, 0, 0, 0x03, (uint8_t)(0xe8 + i) };

		mini(i < 8 ? 1 : i & ~7u, i & 7, golden);
	}
	untouched(2);
	untouched(7);
	untouched(9);
	untouched(17);
}

Test(compressed_basic, a_session_ends_at_a_cqe_that_differs)
{
	sent(1);
	sent(2);
	received(1, 8);
	received(2, 8);
	received(4, 8); /* not the next receive WQE */
	event_sessions_end(&hca);
	cr_expect_eq(slot(0)[63], 0x0c);
	cr_expect_eq(slot(2)[63], 0x2c);
	cr_expect_eq(slot(4)[63], 0x20);
	cr_expect_eq(cq->pi, 5);
}

Test(compressed_basic, errors_and_solicited_cqes_are_not_compressed)
{
	sent(1);
	sent(2);
	complete(0xd0, 0x08, 3, 0);
	cr_expect_eq(cq->pi, 3, "what waited came before");
	cr_expect_eq(slot(0)[63], 0x0c);
	cr_expect_eq(slot(2)[63], 0xd0);
	received(1, 8);
	complete(0x22, 0, 2, 8);
	cr_expect_eq(slot(3)[63], 0x20);
	cr_expect_eq(slot(4)[63], 0x22);
	complete(0x24, 0, 3, 8);
	cr_expect_eq(slot(5)[63], 0x24, "data inside of it");
}

/* A ring of 32: of ten CQEs from index 30 on, two are a session, and eight the next one. */
Test(compressed_basic, a_session_ends_with_the_ring)
{
	for (uint16_t i = 0; i < 30; i++) {
		received(i * 2, 8); /* never the next one */
		event_sessions_end(&hca);
	}
	consume(30);
	for (uint16_t i = 0; i < 10; i++)
		received(i, 8);
	event_sessions_end(&hca);
	cr_expect_eq(slot(30)[63], 0x2c);
	cr_expect_eq(slot(30)[47], 2);
	cr_expect_eq(slot(31)[7], 8, "minis 0, 1 at index 31");
	cr_expect_eq(slot(32)[63], 0x2d);
	cr_expect_eq(slot(32)[47], 8);
	cr_expect_eq(slot(33)[7], 8, "minis 0 … 7 at index 33");
	cr_expect_eq(cq->pi, 40);
	received(0, 8);
	event_sessions_end(&hca);
	cr_expect_eq(slot(40)[63], 0x21);
}

/* The last CQE of the ring is not compressed. */
Test(compressed_basic, a_session_of_one_is_a_cqe)
{
	for (uint16_t i = 0; i < 31; i++) {
		received(i * 2, 8);
		event_sessions_end(&hca);
	}
	consume(31);
	received(0, 8);
	received(1, 8);
	event_sessions_end(&hca);
	cr_expect_eq(slot(31)[63], 0x20);
	cr_expect_eq(slot(32)[63], 0x21);
	cr_expect_eq(cq->pi, 33);
}

Test(compressed_basic, unwritten_cqes_count_for_the_overrun)
{
	for (uint16_t i = 0; i < 32; i++)
		cr_assert(received(i, 8));
	cr_expect_not(received(32, 8));
	event_sessions_end(&hca);
	cr_expect_eq(cq->pi, 32);
}

Test(compressed_basic, a_session_has_sixty_four_at_most)
{
	cq->overrun_ignore = true;
	for (uint16_t i = 0; i < 65; i++)
		received(i, 8);
	cr_expect_eq(cq->pi, 64);
	event_sessions_end(&hca);
	cr_expect_eq(cq->pi, 65);
}

Test(compressed_basic, one_event_for_a_session)
{
	arm(0, PLAIN, 0);
	sent(1);
	cr_expect_eq(irqs, 0);
	sent(2);
	event_sessions_end(&hca);
	cr_expect_eq(irqs, 1);
}

Test(compressed_basic, wide_entries_have_titles_and_arrays_in_their_second_half)
{
	cq->cqe_size_log = 7;
	wide = 1;
	sent(1);
	sent(2);
	event_sessions_end(&hca);
	cr_expect_eq(slot(0)[63], 0x0c);
	cr_expect_eq(slot(1)[9], 2);
	cr_expect_eq(slots[2][0], 0xff, "first half of the second entry");
}

Test(compressed_basic, formats_with_stride_index_have_the_wqe_counter)
{
	static const uint8_t golden[8] = { 0, 0, 0x12, 0x34, 0, 0, 0, 9 };

	for (uint8_t f = PRM_CQC_MINI_CQE_FLOW_TAG_STRIDX; f <= PRM_CQC_MINI_CQE_L34H_STRIDX;
	     f++) {
		cq->session->format = f;
		cq->pi = 0;
		received(7, 8);
		received(0x1234, 9);
		event_sessions_end(&hca);
		mini(1, 1, golden);
		cr_expect_eq(cq->pi, 2);
	}
}

static uint8_t rss_type = 0x84;

/* A packet of an Ethernet RQ: user index, checks and headers as for UDP in IPv4; @tag of 24
 * bits. */
static void packet(uint16_t counter, uint32_t hash, uint16_t sum, uint32_t tag, uint32_t count)
{
	uint8_t entry[128] = { 0 }, *cqe = entry + 64;
	uint32_t words[2] = { htobe32(tag), htobe32((uint32_t)counter << 16) };

	hash = htobe32(hash);
	count = htobe32(count);
	sum = htobe16(sum);
	memcpy(cqe + 12, &hash, 4);
	cqe[16] = rss_type;
	memcpy(cqe + 20, &sum, 2);
	cqe[28] = 0x07;
	cqe[29] = 0x28;
	cqe[33] = 0x77;
	memcpy(cqe + 44, &count, 4);
	memcpy(cqe + 56, words, 8);
	cqe[63] = 0x20;
	event_cqe(&hca, cq, entry, false);
}

/* Two packets in a session of @format, of which @golden are the minis. */
static void expect_minis(uint8_t format, const uint8_t golden[2][8])
{
	cq->session->format = format;
	packet(3, 0x11223344, 0xabcd, 0x123456, 60);
	if (format != PRM_CQC_MINI_CQE_HASH)
		rss_type = 0x44; /* which no mini of these has */
	packet(4, 0x55667788, 0xef01, 0x123456, 1500);
	event_sessions_end(&hca);
	cr_expect_eq(cq->pi, 2);
	cr_expect_eq(slot(0)[63], 0x2c);
	mini(1, 0, golden[0]);
	mini(1, 1, golden[1]);
}

Test(compressed_basic, packets_have_their_hash)
{
	expect_minis(PRM_CQC_MINI_CQE_HASH,
		     (const uint8_t[2][8]){ { 0x11, 0x22, 0x33, 0x44, 0, 0, 0, 60 },
					    { 0x55, 0x66, 0x77, 0x88, 0, 0, 5, 0xdc } });
}

Test(compressed_basic, packets_have_their_checksum)
{
	expect_minis(PRM_CQC_MINI_CQE_CSUM,
		     (const uint8_t[2][8]){ { 0xab, 0xcd, 0, 0, 0, 0, 0, 60 },
					    { 0xef, 0x01, 0, 0, 0, 0, 5, 0xdc } });
}

Test(compressed_basic, packets_have_their_checksum_and_stride)
{
	expect_minis(PRM_CQC_MINI_CQE_CSUM_STRIDX,
		     (const uint8_t[2][8]){ { 0xab, 0xcd, 0, 3, 0, 0, 0, 60 },
					    { 0xef, 0x01, 0, 4, 0, 0, 5, 0xdc } });
}

/* DPDK, mlx5_prm.h, struct mlx5_mini_cqe8: the kinds of headers are the second byte. */
Test(compressed_basic, packets_have_their_headers_and_stride)
{
	expect_minis(PRM_CQC_MINI_CQE_L34H_STRIDX,
		     (const uint8_t[2][8]){ { 0, 0x28, 0, 3, 0, 0, 0, 60 },
					    { 0, 0x28, 0, 4, 0, 0, 5, 0xdc } });
}

/* The high byte of the tag is in front of a length of 24 bits, and the strides are left out. */
Test(compressed_basic, packets_have_their_tag_and_stride)
{
	cq->session->format = PRM_CQC_MINI_CQE_FLOW_TAG_STRIDX;
	packet(0, 0, 0, 0x123456, 0x0001003c);
	packet(1, 0, 0, 0xabcdef, 0x000205dc);
	event_sessions_end(&hca);
	cr_expect_eq(cq->pi, 2);
	mini(1, 0, (const uint8_t[8]){ 0x34, 0x56, 0, 0, 0x12, 0, 0, 60 });
	mini(1, 1, (const uint8_t[8]){ 0xcd, 0xef, 0, 1, 0xab, 0, 5, 0xdc });
}

Test(compressed_basic, without_stride_index_strides_follow_each_other)
{
	packet(0, 1, 0, 0, 0x00020080);
	packet(2, 2, 0, 0, 0x00010040);
	packet(3, 3, 0, 0, 0x00010040);
	packet(5, 4, 0, 0, 0x00010040);
	event_sessions_end(&hca);
	cr_expect_eq(slot(0)[63], 0x2c);
	cr_expect_eq(slot(0)[47], 3);
	cr_expect_eq(slot(3)[63], 0x20);
}

Test(compressed_basic, packets_with_another_tag_end_a_session_that_has_no_tags)
{
	packet(0, 1, 0, 0x111111, 60);
	packet(1, 2, 0, 0x111111, 60);
	packet(2, 3, 0, 0x222222, 60);
	event_sessions_end(&hca);
	cr_expect_eq(slot(0)[47], 2);
	cr_expect_eq(slot(2)[63], 0x20);
}

Test(compressed_enhanced, first_cqe_is_complete_and_arrays_have_seven_minis)
{
	static const uint8_t golden[8] = { 0, 0, 0, 0, 0, 0, 0, 100 };

	for (uint16_t i = 0; i < 10; i++)
		received(i, 100);
	event_sessions_end(&hca);
	cr_expect_eq(slot(0)[63], 0x20);
	cr_expect_eq(slot(0)[62], 0);
	cr_expect_eq(slot(1)[63], 0x6c, "seven, format 3");
	cr_expect_eq(slot(1)[62], 0);
	for (unsigned int i = 0; i < 7; i++)
		mini(1, i, golden);
	cr_expect_eq(slot(8)[63], 0x1c, "two");
	cr_expect_eq(slot(8)[62], 0);
	untouched(2);
	untouched(9);
	cr_expect_eq(cq->pi, 10);
}

Test(compressed_enhanced, iteration_count_makes_an_entry_valid)
{
	for (uint32_t i = 0; i < 3 * SLOTS; i++) {
		received(0, 8);
		event_sessions_end(&hca);
		cr_expect_eq(slot(i)[62], i / SLOTS);
		cr_expect_eq(slot(i)[63], 0x20 | (i / SLOTS & 1));
		consume(i + 1);
	}
	for (uint16_t i = 0; i < 3; i++)
		received(i, 8);
	event_sessions_end(&hca);
	cr_expect_eq(slot(1)[62], 3);
	cr_expect_eq(slot(1)[63], 0x1d);
}

TestSuite(collapsed_cq, .init = setup, .fini = teardown);

Test(collapsed_cq, every_cqe_goes_into_entry_0)
{
	static const uint8_t before[64];

	memset(ring, 0, sizeof(ring));
	cq->collapsed = cq->overrun_ignore = true;
	for (uint16_t i = 0; i < 9; i++) {
		cr_assert(sent(i));
		cr_expect_eq(ring[0][61], i);
		cr_expect_eq(ring[0][63], i >> 2 & 1);
	}
	cr_expect_arr_eq(ring[1], before, 64);
	cr_expect_eq(cq->pi, 9);
}
