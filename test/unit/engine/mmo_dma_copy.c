/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MMO DMA on a QP that was enabled for it: mlx5dv_wr_memcpy() as bytes.
 *
 *	buffer: source at 0x1000, destination at 0x200000, opaque buffer at 0x40
 */
#include <endian.h>
#include <string.h>

#include "rig.h"

#define SOURCE 0x1000
#define DEST   0x200000
#define OPAQUE 0x40

static struct host h;
static struct side a, b;
static uint8_t wqe[64];

static void put32(uint8_t *at, uint32_t v)
{
	v = htobe32(v);
	memcpy(at, &v, sizeof(v));
}

static void put_segment(uint8_t *at, uint32_t first, uint64_t off)
{
	put32(at, first);
	put32(at + 4, RIG_KEY);
	put32(at + 8, 0);
	put32(at + 12, (uint32_t)(RIG_VA + off));
}

static void make(uint32_t bytes)
{
	memset(wqe, 0, sizeof(wqe));
	put32(wqe, 1u << 24 | (uint32_t)a.pi << 8 | 0x2f);
	put32(wqe + 4, a.qp->qpn << 8 | 4);
	wqe[11] = SIGNALED;
	put_segment(wqe + 16, 0, OPAQUE);
	put_segment(wqe + 32, bytes, SOURCE);
	put_segment(wqe + 48, bytes, DEST);
}

static void setup(void)
{
	pair_open(&h, &a, &b);
	a.qp->mmo = true;
	for (unsigned int i = 0; i < 0x100000; i++)
		h.buf[SOURCE + i] = (uint8_t)(i * 7 + (i >> 8));
	make(0);
}

static void teardown(void)
{
	host_close(&h);
}

TestSuite(mmo, .init = setup, .fini = teardown);

static void run(void)
{
	post(&a, wqe, 4);
	ring(&a);
	settle(&h, 1);
}

static void ends_in(unsigned int syndrome)
{
	run();
	expect_error(&a, 13, syndrome, 0);
	cr_expect_eq(h.buf[DEST], 0);
	cr_expect_eq(h.buf[OPAQUE + 11], 0);
}

Test(mmo, bytes_are_copied_and_both_lengths_reported)
{
	static const uint8_t golden[32] = { 0, 0, 0, 0x71, [24] = 0x2f, 1, 0, 1 };
	static const uint8_t opaque[16] = { [9] = 0, [10] = 0x03, 0xe9, [14] = 0x03, 0xe9 };

	memset(h.buf + OPAQUE, 0xff, 64);
	record_frames();
	make(1001);
	run();
	expect_cqe(&a, golden);
	cr_expect_arr_eq(h.buf + DEST, h.buf + SOURCE, 1001);
	cr_expect_eq(h.buf[DEST + 1001], 0);
	cr_expect_arr_eq(h.buf + OPAQUE, opaque, 16);
	cr_expect_eq(h.buf[OPAQUE + 63], 0);
	cr_expect_eq(frames, 0, "no packet leaves");
}

Test(mmo, a_long_copy_takes_several_iterations)
{
	make(0x100000);
	h.mkey->len = RIG_BUF;
	post(&a, wqe, 4);
	ring(&a);
	cr_assert(engine_step(h.e));
	settle(&h, 1);
	cr_assert_not_null(next_cqe(&a));
	cr_expect_arr_eq(h.buf + DEST, h.buf + SOURCE, 0x100000);
}

Test(mmo, the_longest_copy_is_done)
{
	h.hca.dma_max = 1000;
	make(1000);
	run();
	cr_expect_arr_eq(h.buf + DEST, h.buf + SOURCE, 1000);
}

Test(mmo, a_longer_one_is_refused)
{
	h.hca.dma_max = 1000;
	make(1001);
	ends_in(0x01);
}

Test(mmo, other_queues_are_served_meanwhile)
{
	static struct side c, e;

	side_open(&c, &h);
	side_open(&e, &h);
	connect_sides(&c, &e, 1024, 0x100);
	h.mkey->length64 = true; /* the copy fails at its end, after the pages of the buffer */
	make(0);
	put32(wqe + 44, (uint32_t)(RIG_VA + SOURCE));
	post(&a, wqe, 4);
	ring(&a);
	engine_step(h.e);
	post_wr(&c,
		&(struct wr){
			.opcode = 0x08, .fm_ce_se = SIGNALED, .len = 8, .remote = 0x3f0000 });
	ring(&c);
	for (int i = 0; i < 8; i++)
		engine_step(h.e);
	cr_assert_not_null(next_cqe(&c));
}

Test(mmo, runs_in_the_order_of_its_queue)
{
	make(8);
	post_wr(&a,
		&(struct wr){ .opcode = 0x08, .len = 8, .local = 0x3000, .remote = SOURCE });
	wqe[2] = (uint8_t)a.pi;
	wqe[11] = 0x80 | SIGNALED;
	post(&a, wqe, 4);
	ring(&a);
	settle(&h, 1);
	cr_assert_eq(next_cqe(&a)[56], 0x2f);
}

Test(mmo, a_qp_that_was_not_enabled)
{
	a.qp->mmo = false;
	make(8);
	ends_in(0x02);
}

Test(mmo, other_memory_to_memory_operations)
{
	make(8);
	wqe[0] = 2; /* compress */
	ends_in(0x02);
}

Test(mmo, control_bits)
{
	make(8);
	wqe[19] = 1;
	ends_in(0x02);
}

Test(mmo, source_that_may_not_be_read)
{
	make(8);
	h.mkey->access &= ~HCA_LOCAL_READ;
	ends_in(0x04);
}

Test(mmo, destination_that_may_not_be_written)
{
	struct hca_mkey *m = hca_mkey_new(&h.hca);

	m->pd = h.pd;
	m->access = HCA_LOCAL_READ;
	m->start = RIG_VA;
	m->len = RIG_BUF;
	make(8);
	put32(wqe + 52, m->index << 8);
	ends_in(0x04);
}

Test(mmo, nothing_is_copied_if_the_last_byte_cannot_be)
{
	make(0x3ff000 + 1);
	put32(wqe + 60, (uint32_t)RIG_VA + 0x1000);
	put32(wqe + 44, (uint32_t)RIG_VA);
	run();
	expect_error(&a, 13, 0x04, 0);
	cr_expect_eq(h.buf[0x1000 + 0x1000], h.buf[SOURCE + 0x1000]);
}

Test(mmo, lengths_that_differ)
{
	make(8);
	wqe[48 + 3] = 9;
	ends_in(0x01);
}

Test(mmo, opaque_buffer_that_is_not_aligned)
{
	make(8);
	wqe[31] = 0x20;
	ends_in(0x02);
}

Test(mmo, opaque_buffer_without_a_valid_key)
{
	make(8);
	wqe[20] = 0x77;
	ends_in(0x04);
}
