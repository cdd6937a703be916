/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Masked atomics of 4 and 8 bytes: from the bytes of the WQE to the memory of the responder and
 * the response.
 *
 *	the operand: buffer + 0x100		the response: buffer + 0x200
 */
#include <endian.h>
#include <string.h>

#include "rig.h"

#define WORD   0x100
#define ANSWER 0x200

static struct host h;
static struct side a, b;

static void setup(void)
{
	pair_open(&h, &a, &b);
	b.qp->atomic_mode = 3;
}

static void teardown(void)
{
	host_close(&h);
}

TestSuite(masked_atomic, .init = setup, .fini = teardown);

static void put64(uint8_t *at, uint64_t v)
{
	v = htobe64(v);
	memcpy(at, &v, sizeof(v));
}

static void put32(uint8_t *at, uint32_t v)
{
	v = htobe32(v);
	memcpy(at, &v, sizeof(v));
}

static uint8_t wqe[128];

/* Up to the atomic segment; @units of that. The data segment has @bytes. */
static uint8_t *make(uint8_t opcode, uint8_t opmod, unsigned int units, uint32_t bytes)
{
	uint8_t *data = wqe + 32 + units * 16;

	memset(wqe, 0, sizeof(wqe));
	put32(wqe, (uint32_t)opmod << 24 | (uint32_t)a.pi << 8 | opcode);
	put32(wqe + 4, a.qp->qpn << 8 | (3 + units));
	wqe[11] = SIGNALED;
	put64(wqe + 16, RIG_VA + WORD);
	put32(wqe + 24, RIG_KEY);
	put32(data, bytes);
	put32(data + 4, RIG_KEY);
	put64(data + 8, RIG_VA + ANSWER);
	return wqe + 32;
}

static void run(void)
{
	post(&a, wqe, wqe[7]);
	ring(&a);
	settle(&h, 1);
}

static void cas8(uint64_t swap, uint64_t compare, uint64_t swap_mask, uint64_t compare_mask)
{
	uint8_t *seg = make(0x14, 9, 2, 8);

	put64(seg, swap);
	put64(seg + 8, compare);
	put64(seg + 16, swap_mask);
	put64(seg + 24, compare_mask);
	run();
}

static void add8(uint64_t add, uint64_t boundary)
{
	uint8_t *seg = make(0x15, 9, 1, 8);

	put64(seg, add);
	put64(seg + 8, boundary);
	run();
}

static void cas4(uint32_t swap, uint32_t compare, uint32_t swap_mask, uint32_t compare_mask)
{
	uint8_t *seg = make(0x14, 8, 1, 4);

	put32(seg, swap);
	put32(seg + 4, compare);
	put32(seg + 8, swap_mask);
	put32(seg + 12, compare_mask);
	run();
}

static void add4(uint32_t add, uint32_t boundary)
{
	uint8_t *seg = make(0x15, 8, 1, 4);

	put32(seg, add);
	put32(seg + 4, boundary);
	run();
}

static uint64_t word8(unsigned int at)
{
	uint64_t v;

	memcpy(&v, h.buf + at, sizeof(v));
	return v;
}

static uint32_t word4(unsigned int at)
{
	uint32_t v;

	memcpy(&v, h.buf + at, sizeof(v));
	return v;
}

static void set(uint64_t v)
{
	memcpy(h.buf + WORD, &v, sizeof(v));
}

/* It completed without an error; opcode and length are in the CQE. */
static void done(uint8_t opcode, uint8_t bytes)
{
	const uint8_t *cqe = next_cqe(&a);

	cr_assert_not_null(cqe);
	cr_assert_eq(cqe[63] >> 4, 0, "syndrome 0x%x", cqe[55]);
	cr_expect_eq(cqe[56], opcode);
	cr_expect_eq(cqe[47], bytes);
}

Test(masked_atomic, swap_if_the_compared_bits_are_equal)
{
	set(0x1122334455667788);
	cas8(0xaaaaaaaaaaaaaaaa, 0xff22ffffff66ff88, 0x00ff00000000ff00, 0x00ff000000ff00ff);
	done(0x14, 8);
	cr_expect_eq(word8(WORD), 0x11aa33445566aa88);
	cr_expect_eq(word8(ANSWER), 0x1122334455667788);
}

Test(masked_atomic, no_swap_if_they_differ)
{
	set(0x1122334455667788);
	cas8(0xaaaaaaaaaaaaaaaa, 0x1122334455667789, ~0ull, 1);
	done(0x14, 8);
	cr_expect_eq(word8(WORD), 0x1122334455667788);
	cr_expect_eq(word8(ANSWER), 0x1122334455667788);
}

Test(masked_atomic, add_carries_to_the_end_of_its_field)
{
	set(0x00ff00ff00ff00ff);
	add8(0x0001000100010001, 0);
	done(0x15, 8);
	cr_expect_eq(word8(WORD), 0x0100010001000100);
	cr_expect_eq(word8(ANSWER), 0x00ff00ff00ff00ff);
	set(0x00ff00ff00ff00ff);
	add8(0x0001000100010001, 0x0080008000800080);
	done(0x15, 8);
	cr_expect_eq(word8(WORD), 0);
	set(0x8080808080808080);
	add8(0x8080808080808080, 0x8000000000008000);
	done(0x15, 8);
	cr_expect_eq(word8(WORD), 0x0101010101000100);
}

/* Every bit by itself. */
Test(masked_atomic, boundaries_agree_with_an_addition_bit_by_bit)
{
	uint64_t seed = 12345;

	for (int i = 0; i < 200; i++) {
		uint64_t v[3], sum = 0, carry = 0;

		for (int j = 0; j < 3; j++)
			v[j] = seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		for (unsigned int bit = 0; bit < 64; bit++) {
			uint64_t t = (v[0] >> bit & 1) + (v[1] >> bit & 1) + carry;

			sum |= (t & 1) << bit;
			carry = v[2] >> bit & 1 ? 0 : t >> 1;
		}
		set(v[0]);
		add8(v[1], v[2]);
		done(0x15, 8);
		cr_assert_eq(word8(WORD), sum, "%llx + %llx in %llx", (unsigned long long)v[0],
			     (unsigned long long)v[1], (unsigned long long)v[2]);
	}
}

/* Memory has the byte order of the host, the response has not. */
Test(masked_atomic, four_bytes_swap)
{
	set(0xeeeeeeee11223344);
	memset(h.buf + ANSWER, 0x5a, 8);
	cas4(0xaaaaaaaa, 0x11223344, 0x00ff00ff, 0xffffffff);
	done(0x14, 4);
	cr_expect_eq(word8(WORD), 0xeeeeeeee11aa33aa);
	cr_expect_arr_eq(h.buf + ANSWER, ((const uint8_t[]){ 0x11, 0x22, 0x33, 0x44, 0x5a }),
			 5);
	cas4(0xbbbbbbbb, 0x11223344, ~0u, ~0u);
	done(0x14, 4);
	cr_expect_eq(word4(WORD), 0x11aa33aa);
}

Test(masked_atomic, four_bytes_add)
{
	set(0xeeeeeeeeffffffff);
	add4(1, 0);
	done(0x15, 4);
	cr_expect_eq(word8(WORD), 0xeeeeeeee00000000, "no carry out of the word");
	set(0xeeeeeeee00ff00ff);
	add4(0x00010001, 0x00800080);
	done(0x15, 4);
	cr_expect_eq(word4(WORD), 0);
}

Test(masked_atomic, four_bytes_at_a_multiple_of_four)
{
	set(0x0000000500000007);
	make(0x15, 8, 1, 4);
	put64(wqe + 16, RIG_VA + WORD + 4);
	put32(wqe + 32, 3);
	run();
	done(0x15, 4);
	cr_expect_eq(word8(WORD), 0x0000000800000007);
}

Test(masked_atomic, eight_bytes_at_a_multiple_of_four_are_refused)
{
	make(0x15, 9, 1, 8);
	put64(wqe + 16, RIG_VA + WORD + 4);
	run();
	expect_error(&a, 13, 0x12, 0);
}

Test(masked_atomic, not_executed_again_if_the_response_is_lost)
{
	uint8_t from;
	size_t len;

	a.qp->ack_timeout = 10;
	set(10);
	make(0x15, 9, 1, 8);
	put64(wqe + 32, 1);
	post(&a, wqe, wqe[7]);
	ring(&a);
	engine_step(h.e); /* the request leaves */
	engine_step(h.e); /* and is answered */
	cr_assert_eq(word8(WORD), 11);
	while (wire_next(h.w, &len, &from))
		;
	wait_cqe(&h, 1, &a, 20000);
	done(0x15, 8);
	cr_expect_eq(word8(WORD), 11);
	cr_expect_eq(word8(ANSWER), 10);
}

Test(masked_atomic, refused_by_atomic_mode_ib)
{
	b.qp->atomic_mode = 1;
	add8(1, 0);
	expect_error(&a, 13, 0x12, 0);
	cr_expect_eq(word8(WORD), 0);
}

Test(masked_atomic, refused_by_a_qp_without_remote_atomic)
{
	b.qp->rae = false;
	add8(1, 0);
	expect_error(&a, 13, 0x12, 0);
}

Test(masked_atomic, refused_by_an_mkey_without_remote_atomic)
{
	h.mkey->access &= ~HCA_REMOTE_ATOMIC;
	add8(1, 0);
	expect_error(&a, 13, 0x13, 0);
}

Test(masked_atomic, buffer_smaller_than_the_response)
{
	make(0x15, 9, 1, 4);
	run();
	expect_error(&a, 13, 0x01, 0);
}

Test(masked_atomic, sizes_without_an_opmod)
{
	make(0x15, 10, 1, 8);
	run();
	expect_error(&a, 13, 0x02, 0);
}

Test(masked_atomic, opmod_of_plain_atomics)
{
	make(0x15, 0, 1, 8);
	run();
	expect_error(&a, 13, 0x02, 0);
}

Test(masked_atomic, golden_frame)
{
	record_frames();
	add4(1, 0);
	expect_opcodes(0, (uint8_t[]){ 0x1f, 0x12 }, 2);
}
