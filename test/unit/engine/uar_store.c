/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stores to a UAR page, as engine_store() gets them: which queue is served, and the checks of
 * BlueFlame copies. Register 0 has its halves at 0x800 and 0x900, register 1 at 0xa00 and
 * 0xb00.
 */
#include <endian.h>
#include <string.h>

#include "rig.h"

#define ME    100
#define OTHER 200

TestSuite(uar_store, .init = pair_open, .fini = rig_close);
TestSuite(blueflame, .init = pair_open, .fini = rig_close);

static void store_by(int thread, uint16_t offset, const void *bytes, uint8_t len)
{
	struct engine_store s = {
		.uar = near.uar->index, .offset = offset, .len = len, .thread = thread
	};

	memcpy(s.bytes, bytes, len);
	engine_store(near.e, &s);
}

static void store(uint16_t offset, const void *bytes, uint8_t len)
{
	store_by(ME, offset, bytes, len);
}

/* @n bytes from @bytes, 8 at a time, to the half at @offset. */
static void copy(uint16_t offset, const uint8_t *bytes, unsigned int n)
{
	for (unsigned int i = 0; i < n; i += 8)
		store((uint16_t)(offset + i), bytes + i, 8);
}

static const uint8_t *wqe_at(const struct side *s, uint16_t index)
{
	return s->queues + RIG_RQ * 64 + index % RIG_SQ * 64;
}

/* Posts a WQE of one block; returns it, as it is in the ring. */
static const uint8_t *post_write(struct side *s)
{
	post(s, "write 64 remote=0x1000 sig");
	return wqe_at(s, s->pi - 1);
}

static void expect_done(struct side *s)
{
	settle();
	expect_cqe(s, "sent");
}

Test(uar_store, of_8_bytes_rings)
{
	store(0x800, post_write(&a), 8);
	expect_done(&a);
	store(0x800, post_write(&a), 8);
	expect_done(&a);
	store(0xb00, post_write(&a), 8);
	expect_done(&a);
	expect_no_finding();
	cr_assert_eq(counters_of(&near).doorbells, 3);
	cr_assert_eq(*(uint64_t *)(near.uar->page + 0x800), 0);
}

/* NVIDIA/nvshmem, ibgda_ring_db: the index of the next WQE, and no ds. */
Test(uar_store, of_8_bytes_has_only_the_queue_number)
{
	uint8_t value[8] = { 0, 0, 1, 0, 0x01, 0x00, 0x01, 0 };

	post_write(&a);
	store(0x800, value, 8);
	expect_done(&a);
}

Test(uar_store, serves_no_other_queue)
{
	const uint8_t *wqe = post_write(&a);

	post_write(&b);
	store(0x800, wqe, 8);
	expect_done(&a);
	expect_none(&b);
}

Test(uar_store, before_the_record_is_reported_and_polled)
{
	const uint8_t *wqe = post_write(&a);

	a.rec[1] = 0;
	store(0x800, wqe, 8);
	expect_finding(
		"QP 0x10001: its register was rung, and the record, 0x0, announces no new WQE");
	a.rec[1] = htobe32(1);
	expect_done(&a);
}

/* Rings by the index after the next WQE of @s, before the record has it. */
static const uint8_t *ring_early(struct side *s, uint16_t offset)
{
	static uint8_t word[8];
	uint64_t value;

	post_write(s);
	value = htobe64((uint64_t)s->pi << 40 | (uint64_t)s->qp->qpn << 8);
	memcpy(word, &value, sizeof(word));
	s->rec[1] = htobe32(s->pi - 1);
	store(offset, word, 8);
	expect_no_finding();
	s->rec[1] = htobe32(s->pi);
	return word;
}

Test(uar_store, of_an_index_that_the_record_had_before_is_reported)
{
	store(0x800, post_write(&a), 8);
	expect_done(&a);
	store(0x800, (uint8_t[8]){ 0, 0, 1, 0, 0x01, 0x00, 0x01, 0 }, 8);
	expect_finding("the record, 0x1, announces no new WQE");
}

Test(uar_store, of_an_index_before_the_record_is_reported_at_the_next_ring)
{
	ring_early(&a, 0x800);
	expect_done(&a);
	expect_no_finding();
	store(0x900, post_write(&a), 8);
	expect_finding(
		"QP 0x10001: its register was rung, and the record, 0x0, announces no new WQE");
	expect_done(&a);
}

Test(uar_store, of_an_index_before_the_record_is_reported_at_exit)
{
	ring_early(&a, 0x800);
	engine_unfinished(&near.hca);
	expect_finding("the record, 0x0, announces no new WQE");
}

/* NVIDIA-DOCA/gpunetio, doca_gpu_dev_verbs_submit_db: register, record, register, also if the
 * first one was served already. */
Test(uar_store, before_and_after_the_record_is_right)
{
	const uint8_t *wqe = ring_early(&a, 0x800);

	store(0x800, wqe, 8);
	expect_done(&a);
	wqe = ring_early(&a, 0x800);
	expect_done(&a);
	store(0x800, wqe, 8);
	engine_unfinished(&near.hca);
	expect_no_finding();
	store(0x800, wqe, 8);
	expect_finding("the record, 0x2, announces no new WQE");
}

Test(uar_store, before_the_record_by_one_thread_and_after_it_by_another_is_reported)
{
	const uint8_t *wqe = ring_early(&a, 0x800);

	store_by(OTHER, 0x800, wqe, 8);
	expect_finding("the record, 0x0, announces no new WQE");
}

Test(uar_store, before_the_record_of_another_queue_is_reported)
{
	ring_early(&a, 0x800);
	store(0x800, post_write(&b), 8);
	expect_finding("QP 0x10001: its register was rung, and the record, 0x0");
}

Test(uar_store, without_new_wqes_is_reported)
{
	const uint8_t *wqe = post_write(&a);

	store(0x800, wqe, 8);
	expect_done(&a);
	store(0x900, wqe, 8);
	expect_finding("the record, 0x1, announces no new WQE");
}

Test(uar_store, before_rts_is_reported)
{
	static const char *const names[] = { "in RESET", "in INIT", "in RTR" };

	for (uint8_t i = PRM_QPC_STATE_RST; i < PRM_QPC_STATE_RTS; i++) {
		a.qp->state = i;
		store(i & 1 ? 0x900 : 0x800, post_write(&a), 8);
		expect_finding("%s", names[i]);
		settle();
		expect_none(&a);
	}
}

/* As memcpy with registers of 64 bytes: the same store twice. By 16 bytes it is a second
 * copy. */
Test(uar_store, of_a_vector_is_repeated_by_memcpy)
{
	const uint8_t *wqe = post_write(&a);

	store(0x800, wqe, 64);
	store(0x800, wqe, 64);
	expect_done(&a);
	wqe = post_write(&a);
	store(0x900, wqe, 64);
	store(0x900, wqe, 64);
	expect_done(&a);
	expect_no_finding();
	for (unsigned int i = 0; i < 64; i += 16)
		store((uint16_t)(0x900 + i), wqe + i, 16);
	expect_finding("and the doorbell before it used the same half");
}

Test(uar_store, in_another_page_is_reported)
{
	struct hca_uar *other = hca_uar_new(&near.hca);
	struct engine_store s = {
		.uar = other->index, .offset = 0x800, .len = 8, .thread = ME
	};

	memcpy(s.bytes, post_write(&a), 8);
	engine_store(near.e, &s);
	expect_finding("rung in UAR page 2, and qpc.uar_page is 1");
	settle();
	expect_none(&a);
}

Test(uar_store, for_an_unknown_queue_is_reported)
{
	uint8_t value[8] = { 0, 0, 0, 8, 0x12, 0x34, 0x56, 3 };

	store(0x800, value, 8);
	expect_finding(
		"QP 0x123456: UAR page 1 was rung for it, and there is no queue of this number");
}

/* @s is not 8 bytes at a register: it reaches the page, and nothing is done. */
static void store_beside(uint16_t offset, const uint8_t *bytes, uint8_t len, const char *what)
{
	store(offset, bytes, len);
	expect_finding("%s", what);
	cr_assert_arr_eq(near.uar->page + offset, bytes, len);
	memset(near.uar->page + offset, 0, len);
	settle();
	cr_assert_not(a.cq->armed);
	expect_none(&a);
	cr_assert_eq(counters_of(&near).doorbells, 0);
}

Test(uar_store, of_another_size_or_place_arms_and_rings_nothing)
{
	uint8_t word[16] = { 0, 0, 0, 0, 0, 0x01, 0x00, 0x01, 0xff, 0xff, 0xff, 0xff };

	a.cq_rec[1] = 0;
	store_beside(0x20, word, 4,
		     "4 bytes at +0x20, where there is no register of this size");
	store_beside(0x20, word, 16, "16 bytes at +0x20");
	store_beside(0x24, word, 8, "8 bytes at +0x24");
	store_beside(0x24, word, 4, "4 bytes at +0x24");
	memcpy(word, post_write(&a), 8);
	a.rec[1] = 0;
	a.qp->no_send_record = true;
	store_beside(0x600, word, 4, "4 bytes at +0x600");
	store_beside(0x600, word, 16, "16 bytes at +0x600");
	store_beside(0x604, word, 8, "8 bytes at +0x604");
	store_beside(0x800, word, 4, "4 bytes at +0x800");
	store_beside(0x804, word, 8, "8 bytes at +0x804");
}

Test(uar_store, outside_of_the_registers_has_these_edges)
{
	static const struct {
		uint16_t offset;
		const char *what;
	} rows[] = {
		{ 0x18, "+0x18" },   { 0x28, "+0x28" },	  { 0x38, "+0x38" },
		{ 0x40, NULL },	     { 0x48, NULL },	  { 0x50, "+0x50" },
		{ 0x5f8, "+0x5f8" }, { 0x608, "+0x608" }, { 0x7f8, "+0x7f8" },
	};
	static const uint8_t word[8] = { 1 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		store(rows[i].offset, word, 8);
		if (rows[i].what)
			expect_finding("%s", rows[i].what);
		else
			expect_no_finding();
	}
	store(0xf00, (uint8_t[8]){ 0, 0, 0, 8, 0x12, 0x34, 0x56, 3 }, 8);
	expect_finding("there is no queue of this number"); /* the last register */
}

/* rdma-core, tests/mlx5_base.py: the doorbell of send_dbr_mode 1. */
Test(uar_store, at_0x600_rings_queues_without_a_record)
{
	const uint8_t *wqe = post_write(&a);

	post_write(&b);
	a.rec[1] = b.rec[1] = 0;
	a.qp->no_send_record = b.qp->no_send_record = true;
	store(0x600, wqe, 8);
	store(0x600, wqe_at(&b, 0), 8); /* of two in a row none is lost */
	expect_done(&a);
	expect_done(&b);
	expect_no_finding();
	store(0x800, post_write(&a), 8);
	expect_finding("QP 0x10001: rung at +0x800, and its qpc.send_dbr_mode is NO_DBR_EXT");
	settle();
	expect_none(&a);
	a.qp->state = PRM_QPC_STATE_RTR;
	store(0x600, wqe_at(&a, 1), 8);
	expect_finding("QP 0x10001: rung before RTS");
	a.qp->no_send_record = false;
	store(0x600, wqe_at(&a, 1), 8);
	expect_finding(
		"QP 0x10001: rung at +0x600, and its qpc.send_dbr_mode is not NO_DBR_EXT");
	store(0x600, (uint8_t[8]){ 0, 0, 0, 8, 0x12, 0x34, 0x56, 3 }, 8);
	expect_finding(
		"QP 0x123456: UAR page 1 was rung for it, and there is no queue of this number");
}

/* ---- BlueFlame ---- */

Test(blueflame, of_a_whole_wqe_is_not_reported)
{
	copy(0x800, post_write(&a), 64);
	expect_done(&a);
	copy(0x900, post_write(&a), 64);
	expect_done(&a);
	store(0x800, post_write(&a), 64);
	expect_done(&a);
	store(0x900, post_write(&a), 8);
	expect_done(&a);
	copy(0x800, post_write(&a), 64);
	expect_done(&a);
	engine_unfinished(&near.hca);
}

Test(blueflame, of_other_bytes_is_reported)
{
	uint8_t wqe[64];

	memcpy(wqe, post_write(&a), 64);
	wqe[37] ^= 0xff;
	copy(0x800, wqe, 64);
	expect_finding(
		"QP 0x10001: BlueFlame copy that differs from the WQE at 0x0 in the ring: byte 37");
}

Test(blueflame, of_other_first_bytes_is_reported)
{
	uint8_t wqe[64];

	memcpy(wqe, post_write(&a), 64);
	wqe[3] = 0x0a;
	copy(0x800, wqe, 64);
	expect_finding("first 8 bytes are not those of the WQE at 0x0");
}

Test(blueflame, of_an_old_wqe_is_reported)
{
	const uint8_t *old = post_write(&a);

	copy(0x800, old, 64);
	expect_done(&a);
	post_write(&a);
	copy(0x900, old, 64);
	expect_finding(
		"BlueFlame copy of the WQE at 0x0, which is not among those that the record newly announces");
}

Test(blueflame, of_a_part_is_reported_at_the_next_store)
{
	copy(0x800, post_write(&a), 32);
	expect_done(&a);
	expect_no_finding();
	store(0x900, post_write(&a), 8);
	expect_finding("BlueFlame copy of a part of the WQE at 0x0, which has 64 bytes");
}

Test(blueflame, of_a_part_is_reported_at_exit)
{
	copy(0x800, post_write(&a), 56);
	expect_done(&a);
	engine_unfinished(&near.hca);
	expect_finding("BlueFlame copy of a part");
}

Test(blueflame, of_too_many_blocks_is_reported)
{
	copy(0x800, post_write(&a), 128);
	expect_finding("BlueFlame copy of more than the WQE at 0x0, which has 64 bytes");
}

/* The WQE starts in the last block of the ring and wraps. */
Test(blueflame, of_two_blocks_may_wrap)
{
	uint8_t wqe[128];

	for (int i = 0; i < RIG_SQ - 1; i++) {
		store(0x800, post_write(&a), 8);
		expect_done(&a);
	}
	post(&a, "write inline=%060d remote=0x1000 sig", 7);
	memcpy(wqe, wqe_at(&a, RIG_SQ - 1), 64);
	memcpy(wqe + 64, wqe_at(&a, 0), 64);
	copy(0x900, wqe, 128);
	expect_done(&a);
	engine_unfinished(&near.hca);
	expect_no_finding();
	cr_assert_eq(near.buf[0x1000 + 59], '7');
}

Test(blueflame, twice_to_one_half_is_reported)
{
	copy(0x800, post_write(&a), 64);
	copy(0x800, post_write(&a), 64);
	expect_finding(
		"BlueFlame copy in half 0 of a register, and the doorbell before it used the same half");
	store(0x800, post_write(&a), 8);
	expect_finding("BlueFlame copy in half 0");
	copy(0x800, post_write(&a), 64);
	expect_finding("BlueFlame copy in half 0");
	copy(0xa00, post_write(&a), 64);
}

/* Two threads write one copy. */
Test(blueflame, of_two_threads_is_reported)
{
	const uint8_t *one = post_write(&a), *two = post_write(&b);

	store_by(ME, 0x800, one, 8);
	store_by(OTHER, 0x900, two, 8);
	store_by(ME, 0x808, one + 8, 8);
	expect_finding("threads 200 and 100 write one register at the same time");
}

Test(blueflame, without_the_first_8_bytes_is_reported)
{
	store(0x808, post_write(&a) + 8, 8);
	expect_finding(
		"bytes from 0x8 on in half 0 of a register, whose first 8 were not written");
}

/* ---- arms ---- */

static void arm_register(uint32_t word, uint32_t cqn)
{
	uint64_t value = htobe64((uint64_t)word << 32 | cqn);

	store(0x20, &value, 8);
}

Test(uar_store, arms_the_cq_that_it_names)
{
	struct hca_eq *eq = events_open(&near);
	uint8_t eqe[64];

	a.cq->eq = b.cq->eq = eq;
	a.cq_rec[1] = b.cq_rec[1] = 0;
	arm_register(0, a.cq->cqn);
	store(0x800, post_write(&b), 8);
	expect_done(&b);
	cr_assert_not(event_eq_next(eq, eqe), "b's register was not written");
	store(0x900, post_write(&a), 8);
	expect_done(&a);
	cr_assert(event_eq_next(eq, eqe));
}

Test(uar_store, that_arms_before_the_record_is_reported)
{
	a.cq_rec[1] = htobe32(0x00000003);
	arm_register(0x10000004, a.cq->cqn);
	expect_finding(
		"CQ 0x10001: armed by 0x10000004 in the register, which is not the word in the arm record");
}

/* Downgraded before a poll: both stores are seen here. */
Test(uar_store, that_arms_for_solicited_keeps_the_arm_for_all)
{
	struct hca_eq *eq = events_open(&near);
	uint8_t eqe[64];

	a.cq->eq = eq;
	a.cq_rec[1] = 0;
	arm_register(0, a.cq->cqn);
	a.cq_rec[1] = htobe32(1u << 24);
	arm_register(1u << 24, a.cq->cqn);
	store(0x800, post_write(&a), 8);
	expect_done(&a);
	cr_assert(event_eq_next(eq, eqe));
}
