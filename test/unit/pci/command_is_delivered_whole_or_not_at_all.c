/* SPDX-License-Identifier: BSD-2-Clause */
/* The command queue: what is delivered, and each form of an entry or a mailbox that is not. */
#include <string.h>

#include "guest.h"

#define QUERY_HCA_CAP 0x100
#define MAX_GENERAL   0 /* op_mod */
#define CAP_OUT	      (16u + 4096u)
#define MAILBOXES     8u /* of it */
#define SET_HCA_CAP   0x109
#define CHECKSUM      (16u + 0x42u) /* byte of the inbox with cmdif_checksum, bits 7:6 */

static uint8_t out[CAP_OUT];

static void enable(void)
{
	uint8_t o[16];

	cr_assert_eq(guest_simple(&g, 0x104, 0, 0, 0, o), 0);
}

static void open_it(void)
{
	guest_open(&g);
	guest_boot(&g);
	enable();
	memset(out, 0, sizeof(out));
}

TestSuite(cmdq, .init = open_it, .fini = guest_close_g);

static const uint8_t query[16] = { QUERY_HCA_CAP >> 8, (uint8_t)QUERY_HCA_CAP };

/* Slot 0 has a query; the delivery's status when it is rung. */
static uint8_t ring(void)
{
	guest_ring(&g, 1);
	return guest_take(&g, 0, out, CAP_OUT);
}

Test(cmdq, segment_says_how_large_the_queue_is)
{
	uint32_t fw = guest_read32(&g, 0), cmdif = guest_read32(&g, 4);

	cr_assert_eq(fw, 35u << 16 | 16, "minor, major");
	cr_assert_eq(cmdif, 5u << 16 | 2000, "revision of the interface, subminor");
	cr_assert_eq(guest_read32(&g, 0x10), GUEST_BASE >> 32);
	cr_assert_eq(guest_read32(&g, 0x14), 5u << 4 | 6, "32 entries of 64 bytes");
	cr_assert_eq(guest_read32(&g, 0x1fc) >> 31, 0, "initialised");
	cr_assert_eq(guest_read32(&g, 0x200 + 0x3c), 0, "healthy");
}

Test(cmdq, clocks_move)
{
	uint32_t health = guest_read32(&g, 0x1010);
	uint8_t a[8], b[8];

	guest_read(&g, BAR0, 0x1000, a, 8);
	do
		guest_read(&g, BAR0, 0x1000, b, 8);
	while (!memcmp(a, b, 8));
	cr_assert_lt(memcmp(a, b, 8), 0, "big-endian, forward");
	while (guest_read32(&g, 0x1010) == health)
		;
	cr_assert_eq(guest_read32(&g, 0x1010) >> 24, 0);
}

/* 4096 bytes of capabilities come back in eight mailboxes; log_max_qp is in the first. */
Test(cmdq, long_outbox_is_in_mailboxes)
{
	guest_fill(&g, 0, query, sizeof(query), CAP_OUT);
	memset(guest_out(&g, MAILBOXES - 1), 0xee, 512);
	cr_assert_eq(ring(), 0);
	cr_assert_eq(out[0], 0);
	cr_assert_eq(out[16 + 0x13] & 0x1f, 15, "log_max_qp is %u", out[16 + 0x13] & 0x1f);
	cr_assert_eq(out[CAP_OUT - 1], 0, "the last mailbox was written");
}

Test(cmdq, every_slot_of_the_vector_is_executed_and_no_other)
{
	guest_fill(&g, 31, query, sizeof(query), 16);
	guest_fill(&g, 3, query, sizeof(query), 16);
	guest_fill(&g, 4, query, sizeof(query), 16);
	guest_ring(&g, 1u << 31 | 1u << 3);
	cr_assert_eq(guest_entry(&g, 31)[63], 0);
	cr_assert_eq(guest_entry(&g, 3)[63], 0);
	cr_assert_eq(guest_entry(&g, 4)[63], 1, "it was not rung");
}

Test(cmdq, entry_of_software_stays)
{
	guest_fill(&g, 0, query, sizeof(query), 16);
	guest_entry(&g, 0)[63] = 0;
	guest_entry(&g, 0)[32] = 0xaa;
	guest_ring(&g, 1);
	cr_assert_eq(guest_entry(&g, 0)[32], 0xaa);
}

/* The last entry is at 31 * 64: with a queue at the end of memory it is beyond it. */
Test(cmdq, entry_beyond_memory_is_not_read)
{
	uint64_t refused = core_bus_refused();

	guest_write32(&g, 0x14, (uint32_t)(GUEST_BASE + GUEST_BYTES));
	guest_ring(&g, 1);
	cr_assert_gt(core_bus_refused(), refused);
	cr_assert_eq(guest_read32(&g, 0x1fc) >> 31, 0, "the function goes on");
}

Test(cmdq, queue_needs_bus_mastering)
{
	const uint8_t off[2] = { 2, 0 };

	guest_write(&g, CONFIG, 4, off, 2);
	guest_fill(&g, 0, query, sizeof(query), 16);
	guest_ring(&g, 1);
	cr_assert_eq(guest_entry(&g, 0)[63], 1);
}

/* ---- what is wrong ---- */

static void wrong(void)
{
	guest_fill(&g, 0, query, sizeof(query), CAP_OUT);
	memset(guest_entry(&g, 0) + 32, 0xaa, 16);
}

static void not_executed(uint8_t status)
{
	cr_assert_eq(ring(), status, "it is %#x", guest_entry(&g, 0)[63] >> 1);
	cr_assert_eq(out[0], 0xaa, "the outbox is as it was");
}

/* A bit of the entry, or of a mailbox of the outbox. */
Test(cmdq, each_mistake_is_refused)
{
	enum { ENTRY = MAILBOXES };
	static const struct {
		uint16_t of, at;
		uint8_t bit, status;
	} rows[] = {
		{ ENTRY, 0, 1, 0x10 },	      /* transport */
		{ MAILBOXES - 1, 573, 1, 2 }, /* token */
		{ MAILBOXES - 1, 568, 1, 3 }, /* block number, the high byte of four */
		{ ENTRY, 48 + 2, 1, 6 },      /* not mapped; the same low half */
		{ ENTRY, 54, 1, 4 },	      /* misaligned */
		{ ENTRY, 4, 0x80, 7 },	      /* input_length above 1 MiB */
		{ ENTRY, 56, 0x80, 8 },	      /* output_length */
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		wrong();
		(rows[i].of == ENTRY ? guest_entry(&g, 0)
				     : guest_out(&g, rows[i].of))[rows[i].at] ^= rows[i].bit;
		not_executed(rows[i].status);
	}
}

/* Mailbox 1 is followed by mailbox 0. */
Test(cmdq, loop_of_mailboxes_is_refused)
{
	wrong();
	memcpy(guest_out(&g, 1) + 560, guest_entry(&g, 0) + 48, 8);
	not_executed(3);
}

Test(cmdq, list_that_ends_early_is_refused)
{
	uint64_t refused = core_bus_refused();

	wrong();
	memset(guest_out(&g, MAILBOXES - 2) + 560, 0, 8);
	not_executed(6);
	cr_assert_eq(core_bus_refused(), refused + 1);
}

Test(cmdq, misaligned_inbox_is_refused)
{
	uint8_t in[16 + 512] = { QUERY_HCA_CAP >> 8, (uint8_t)QUERY_HCA_CAP };

	guest_fill(&g, 0, in, sizeof(in), 16);
	guest_entry(&g, 0)[15] |= 0x80;
	guest_ring(&g, 1);
	cr_assert_eq(guest_entry(&g, 0)[63] >> 1, 5);
}

/* ---- signatures ---- */

/* SET_HCA_CAP: checks and makes them. */
static void turn_checksums_on(void)
{
	static uint8_t in[CAP_OUT];
	uint8_t o[16];

	guest_fill(&g, 0, query, sizeof(query), CAP_OUT);
	guest_entry(&g, 0)[23] = 1; /* op_mod: current */
	guest_sign(guest_entry(&g, 0), 64, 61);
	cr_assert_eq(ring(), 0);
	memcpy(in, out, sizeof(in));
	memset(in, 0, 16);
	in[0] = SET_HCA_CAP >> 8;
	in[1] = (uint8_t)SET_HCA_CAP;
	in[CHECKSUM] |= 0xc0;
	cr_assert_eq(guest_cmd(&g, in, sizeof(in), o, 16), 0);
	cr_assert_eq(o[0], 0, "status %#x", o[0]);
}

static uint8_t xor_of(const uint8_t *at, size_t len)
{
	uint8_t x = 0;

	while (len)
		x ^= at[--len];
	return x;
}

Test(cmdq, signatures_are_checked_when_they_are_on)
{
	uint8_t in[16 + 512] = { 0x0d, 0x05 };

	turn_checksums_on();
	guest_fill(&g, 0, query, sizeof(query), CAP_OUT);
	guest_entry(&g, 0)[61] ^= 1;
	cr_assert_eq(ring(), 1, "of the entry");
	guest_fill(&g, 0, in, sizeof(in), 16);
	guest_in(&g, 0)[511] ^= 1;
	guest_ring(&g, 1);
	cr_assert_eq(guest_entry(&g, 0)[63] >> 1, 1, "of the mailbox");
}

Test(cmdq, signatures_are_made_when_they_are_on)
{
	turn_checksums_on();
	guest_fill(&g, 0, query, sizeof(query), CAP_OUT);
	cr_assert_eq(ring(), 0);
	cr_assert_eq(xor_of(guest_entry(&g, 0), 64), 0xff);
	for (unsigned int i = 0; i < MAILBOXES; i++) {
		cr_assert_eq(xor_of(guest_out(&g, i), 576), 0xff, "mailbox %u", i);
		cr_assert_eq(xor_of(guest_out(&g, i) + 512, 63), 0xff, "control of mailbox %u",
			     i);
	}
}

Test(cmdq, signatures_do_not_matter_when_they_are_off)
{
	guest_fill(&g, 0, query, sizeof(query), 16);
	guest_entry(&g, 0)[61] ^= 1;
	guest_ring(&g, 1);
	cr_assert_eq(guest_entry(&g, 0)[63], 0);
}
