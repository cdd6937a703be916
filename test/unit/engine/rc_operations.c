/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One WQE of each operation, written by hand, and the resulting memory and CQEs.
 * Requester QPN 0x10001 (user index 0x71), responder 0x10002 (0x72).
 */
#include <string.h>

#include "rig.h"

static struct host h;
static struct side a, b;

static void fill(uint8_t *at, size_t len)
{
	for (size_t i = 0; i < len; i++)
		at[i] = (uint8_t)(i * 7 + 3);
}

static void setup(void)
{
	pair_open(&h, &a, &b);
	fill(h.buf, 4096);
}

static void run(const uint8_t *wqe, unsigned int ds)
{
	post(&a, wqe, ds);
	ring(&a);
	settle(&h, 1);
}

static void teardown(void)
{
	expect_none(&a);
	expect_none(&b);
	host_close(&h);
}

TestSuite(rc_operation, .init = setup, .fini = teardown);

/* The bytes of the WQEs and CQEs, sixteen a line. */
/* clang-format off */
Test(rc_operation, send)
{
	static const uint8_t wqe[] = {
		0, 0, 0, 0x0a, 0x01, 0x00, 0x01, 2, 0, 0, 0, 0x08, 0, 0, 0, 0,
		0, 0, 0, 100, 0x01, 0x00, 0x01, 0x42, 0, 0, 0, 0, 0xa0, 0, 0, 0x10,
	};
	static const uint8_t sent[32] = {
		[3] = 0x71, [24] = 0x0a, 0x01, 0x00, 0x01, 0, 0, 0, 0x00,
	};
	static const uint8_t received[32] = {
		[3] = 0x72, [15] = 100, [24] = 0, 0x01, 0x00, 0x02, 0, 0, 0, 0x20,
	};

	post_recv(&b, RIG_VA + 0x2000, 128, RIG_KEY);
	run(wqe, 2);
	cr_expect_arr_eq(h.buf + 0x2000, h.buf + 0x10, 100);
	cr_expect_eq(h.buf[0x2000 + 100], 0);
	expect_cqe(&a, sent);
	expect_cqe(&b, received);
}

Test(rc_operation, send_with_immediate_solicited_and_inline)
{
	static const uint8_t wqe[] = {
		0,    0,   0, 0x0b, 0x01, 0x00, 0x01, 3,   0,   0,   0,   0x0a, 0xde, 0xad, 0xbe, 0xef,
		0x80, 0,   0, 18,   'h',  'e',  'l',  'l', 'o', ' ', 'o', 'n',  'e',  ' ',  'l',  'e',
		'v',  'e', 'l', ' ', '!', '!',
	};
	static const uint8_t padded[48];
	static const uint8_t received[32] = {
		[3] = 0x72, 0xde, 0xad, 0xbe, 0xef, [15] = 18,
		[24] = 0, 0x01, 0x00, 0x02, 0, 0, 0, 0x32,
	};
	uint8_t bytes[48];

	memcpy(bytes, padded, sizeof(bytes));
	memcpy(bytes, wqe, sizeof(wqe));
	post_recv(&b, RIG_VA + 0x2000, 128, RIG_KEY);
	run(bytes, 3);
	cr_expect_arr_eq(h.buf + 0x2000, "hello one level !!", 18);
	cr_expect_not_null(next_cqe(&a));
	expect_cqe(&b, received);
}

Test(rc_operation, write_of_two_segments)
{
	static const uint8_t wqe[] = {
		0, 0, 0, 0x08, 0x01, 0x00, 0x01, 4, 0, 0, 0, 0x08, 0, 0, 0, 0,
		0, 0, 0, 0, 0xa0, 0, 0x30, 0, 0x01, 0x00, 0x01, 0x42, 0, 0, 0, 0,
		0, 0, 0, 7, 0x01, 0x00, 0x01, 0x42, 0, 0, 0, 0, 0xa0, 0, 0, 0,
		0, 0, 0x08, 0, 0x01, 0x00, 0x01, 0x42, 0, 0, 0, 0, 0xa0, 0, 0x01, 0,
	};
	static const uint8_t sent[32] = {
		[3] = 0x71, [24] = 0x08, 0x01, 0x00, 0x01, 0, 0, 0, 0x00,
	};

	run(wqe, 4);
	cr_expect_arr_eq(h.buf + 0x3000, h.buf, 7);
	cr_expect_arr_eq(h.buf + 0x3007, h.buf + 0x100, 2048);
	expect_cqe(&a, sent);
}

Test(rc_operation, write_with_immediate_uses_a_receive)
{
	static const uint8_t wqe[] = {
		0, 0, 0, 0x09, 0x01, 0x00, 0x01, 3, 0, 0, 0, 0x08, 1, 2, 3, 4,
		0, 0, 0, 0, 0xa0, 0, 0x30, 0, 0x01, 0x00, 0x01, 0x42, 0, 0, 0, 0,
		0, 0, 0x05, 0xdc, 0x01, 0x00, 0x01, 0x42, 0, 0, 0, 0, 0xa0, 0, 0, 0,
	};
	static const uint8_t received[32] = {
		[3] = 0x72, 1, 2, 3, 4, [14] = 0x05, 0xdc, [24] = 0, 0x01, 0x00, 0x02, 0, 0, 0, 0x10,
	};

	post_recv(&b, RIG_VA, 0, 0x100);
	run(wqe, 3);
	cr_expect_arr_eq(h.buf + 0x3000, h.buf, 1500);
	cr_expect_not_null(next_cqe(&a));
	expect_cqe(&b, received);
}

Test(rc_operation, read_scatters_over_two_segments)
{
	static const uint8_t wqe[] = {
		0, 0, 0, 0x10, 0x01, 0x00, 0x01, 4, 0, 0, 0, 0x08, 0, 0, 0, 0,
		0, 0, 0, 0, 0xa0, 0, 0, 0x20, 0x01, 0x00, 0x01, 0x42, 0, 0, 0, 0,
		0, 0, 0x04, 0x01, 0x01, 0x00, 0x01, 0x42, 0, 0, 0, 0, 0xa0, 0, 0x40, 0,
		0, 0, 0x05, 0xff, 0x01, 0x00, 0x01, 0x42, 0, 0, 0, 0, 0xa0, 0, 0x60, 0,
	};
	static const uint8_t sent[32] = {
		[3] = 0x71, [14] = 0x0a, 0x00, [24] = 0x10, 0x01, 0x00, 0x01, 0, 0, 0, 0x00,
	};

	run(wqe, 4);
	cr_expect_arr_eq(h.buf + 0x4000, h.buf + 0x20, 1025);
	cr_expect_arr_eq(h.buf + 0x6000, h.buf + 0x20 + 1025, 1535);
	expect_cqe(&a, sent);
}

Test(rc_operation, atomics_return_the_original_value)
{
	static const uint8_t fetch_add[] = {
		0, 0, 0, 0x12, 0x01, 0x00, 0x01, 4, 0, 0, 0, 0x08, 0, 0, 0, 0,
		0, 0, 0, 0, 0xa0, 0, 0x20, 0, 0x01, 0x00, 0x01, 0x42, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 8, 0x01, 0x00, 0x01, 0x42, 0, 0, 0, 0, 0xa0, 0, 0x30, 0,
	};
	static const uint8_t compare_swap[] = {
		0, 0, 1, 0x11, 0x01, 0x00, 0x01, 4, 0, 0, 0, 0x08, 0, 0, 0, 0,
		0, 0, 0, 0, 0xa0, 0, 0x20, 0, 0x01, 0x00, 0x01, 0x42, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 77, 0, 0, 0, 0, 0, 0, 0, 42,
		0, 0, 0, 8, 0x01, 0x00, 0x01, 0x42, 0, 0, 0, 0, 0xa0, 0, 0x30, 8,
	};
	static const uint8_t added[32] = {
		[3] = 0x71, [15] = 8, [24] = 0x12, 0x01, 0x00, 0x01, 0, 0, 0, 0x00,
	};
	static const uint8_t swapped[32] = {
		[3] = 0x71, [15] = 8, [24] = 0x11, 0x01, 0x00, 0x01, 0, 1, 0, 0x00,
	};
	uint64_t *target = (uint64_t *)(h.buf + 0x2000);
	uint64_t *result = (uint64_t *)(h.buf + 0x3000);

	*target = 37;
	run(fetch_add, 4);
	cr_expect_eq(*target, 42);
	cr_expect_eq(result[0], 37);
	run(compare_swap, 4);
	cr_expect_eq(*target, 77);
	cr_expect_eq(result[1], 42);
	expect_cqe(&a, added);
	expect_cqe(&a, swapped);
}

Test(rc_operation, compare_that_fails_swaps_nothing)
{
	static const uint8_t wqe[] = {
		0, 0, 0, 0x11, 0x01, 0x00, 0x01, 4, 0, 0, 0, 0x08, 0, 0, 0, 0,
		0, 0, 0, 0, 0xa0, 0, 0x20, 0, 0x01, 0x00, 0x01, 0x42, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 77, 0, 0, 0, 0, 0, 0, 0, 42,
		0, 0, 0, 8, 0x01, 0x00, 0x01, 0x42, 0, 0, 0, 0, 0xa0, 0, 0x30, 0,
	};
	uint64_t *target = (uint64_t *)(h.buf + 0x2000);

	*target = 41;
	run(wqe, 4);
	cr_expect_eq(*target, 41);
	cr_expect_eq(*(uint64_t *)(h.buf + 0x3000), 41);
	cr_expect_not_null(next_cqe(&a));
}

Test(rc_operation, nop_only_completes)
{
	static const uint8_t wqe[] = { 0, 0, 0, 0, 0x01, 0x00, 0x01, 1, 0, 0, 0, 0x08, 0, 0, 0, 0 };
	static const uint8_t sent[32] = { [3] = 0x71, [24] = 0x00, 0x01, 0x00, 0x01, 0, 0, 0, 0 };

	run(wqe, 1);
	expect_cqe(&a, sent);
}

Test(rc_operation, unsignaled_writes_no_cqe)
{
	static const uint8_t wqe[] = {
		0, 0, 0, 0x08, 0x01, 0x00, 0x01, 3, 0, 0, 0, 0x00, 0, 0, 0, 0,
		0, 0, 0, 0, 0xa0, 0, 0x30, 0, 0x01, 0x00, 0x01, 0x42, 0, 0, 0, 0,
		0, 0, 0, 9, 0x01, 0x00, 0x01, 0x42, 0, 0, 0, 0, 0xa0, 0, 0, 0,
	};

	run(wqe, 3);
	cr_expect_arr_eq(h.buf + 0x3000, h.buf, 9);
	cr_expect_eq(a.qp->req.una, 1);
}
