/* SPDX-License-Identifier: BSD-2-Clause */
/* Stores of each value of enum dv_doorbell, and what it leaves alone. */
#include "queue.h"

static uint8_t page[DV_UAR_BYTES] __attribute__((aligned(DV_UAR_BYTES)));
static const uint8_t first8[8] = { 0x00, 0x00, 0x00, 0x0a, 0x12, 0x34, 0x56, 0x02 };
static const struct ibv_sge sge = { .addr = 0x1000, .length = 8, .lkey = 1 };

enum {
	REG = 0x800,
};

/* A queue whose register is in a page like that of a UAR, with one SEND committed. */
static void start(void)
{
	queue_start();
	memset(page, OLD, sizeof(page));
	m.sq.bf_reg = (char *)page + REG;
	cr_assert_eq(dv_sq_send(&m.sq, 0, &sge, 1), 0);
}

TestSuite(doorbells, .init = start);

/* In the page nothing but @n bytes at @at was written. */
static void only(size_t at, size_t n)
{
	cr_assert(is_old(page, at));
	cr_assert(is_old(page + at + n, sizeof(page) - at - n));
}

Test(doorbells, doorbell_is_8_bytes_and_turns_to_the_other_half)
{
	dv_sq_ring_by(&m.sq, DV_DOORBELL);
	cr_assert_arr_eq(page + REG, first8, 8);
	only(REG, 8);
	cr_assert_eq(m.dbrec[1], htobe32(1));
	cr_assert_eq(m.sq.bf_offset, MEMORY_BF);
}

Test(doorbells, blueflame_is_the_block)
{
	dv_sq_ring_by(&m.sq, DV_BLUEFLAME);
	cr_assert_arr_eq(page + REG, m.ring, 64);
	only(REG, 64);
	cr_assert_eq(m.dbrec[1], htobe32(1));
	cr_assert_eq(m.sq.bf_offset, MEMORY_BF);
}

Test(doorbells, nc_is_8_bytes_at_the_same_place_always)
{
	dv_sq_ring_by(&m.sq, DV_DOORBELL_NC);
	cr_assert_arr_eq(page + REG, first8, 8);
	only(REG, 8);
	cr_assert_eq(m.dbrec[1], htobe32(1));
	cr_assert_eq(m.sq.bf_offset, 0);
}

Test(doorbells, no_record_leaves_the_record)
{
	dv_sq_ring_by(&m.sq, DV_NO_DBR);
	cr_assert_arr_eq(page + 0x600, first8, 8);
	only(0x600, 8);
	cr_assert_eq(m.dbrec[1], 0);
	cr_assert_eq(m.sq.bf_offset, 0);
}

/* The register of a later queue is further on in the page. */
Test(doorbells, no_record_finds_the_start_of_the_page)
{
	m.sq.bf_reg = (char *)page + REG + 512;
	dv_sq_ring_by(&m.sq, DV_NO_DBR);
	cr_assert_arr_eq(page + 0x600, first8, 8);
	only(0x600, 8);
}

Test(doorbells, nothing_committed_rings_nothing)
{
	enum dv_doorbell how;

	dv_sq_ring_by(&m.sq, DV_DOORBELL);
	memset(page, OLD, sizeof(page));
	for (how = DV_DOORBELL; how <= DV_NO_DBR; how++)
		dv_sq_ring_by(&m.sq, how);
	cr_assert(is_old(page, sizeof(page)));
}
