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

#define MASKED_CAS8 "masked_cas8 8 local=0x200 remote=0x100 sig "
#define MASKED_CAS4 "masked_cas4 4 local=0x200 remote=0x100 sig "
#define MASKED_ADD8 "masked_add8 8 local=0x200 remote=0x100 sig "
#define MASKED_ADD4 "masked_add4 4 local=0x200 remote=0x100 sig "

static void setup(void)
{
	pair_open();
	b.qp->atomic_mode = 3;
}

TestSuite(masked_atomic, .init = setup, .fini = rig_close);

static uint64_t word8(unsigned int at)
{
	uint64_t v;

	memcpy(&v, near.buf + at, sizeof(v));
	return v;
}

static uint32_t word4(unsigned int at)
{
	uint32_t v;

	memcpy(&v, near.buf + at, sizeof(v));
	return v;
}

/* The operand. */
static void set_word(uint64_t v)
{
	memcpy(near.buf + WORD, &v, sizeof(v));
}

Test(masked_atomic, swap_if_the_compared_bits_are_equal)
{
	set_word(0x1122334455667788);
	finish(&a,
	       MASKED_CAS8 "swap=0xaaaaaaaaaaaaaaaa compare=0xff22ffffff66ff88 "
			   "swap_mask=0x00ff00000000ff00 compare_mask=0x00ff000000ff00ff",
	       "sent masked_cas8 8");
	cr_expect_eq(word8(WORD), 0x11aa33445566aa88);
	cr_expect_eq(word8(ANSWER), 0x1122334455667788);
}

Test(masked_atomic, no_swap_if_they_differ)
{
	set_word(0x1122334455667788);
	finish(&a,
	       MASKED_CAS8 "swap=0xaaaaaaaaaaaaaaaa compare=0x1122334455667789 "
			   "swap_mask=0xffffffffffffffff compare_mask=1",
	       "sent masked_cas8 8");
	cr_expect_eq(word8(WORD), 0x1122334455667788);
	cr_expect_eq(word8(ANSWER), 0x1122334455667788);
}

Test(masked_atomic, add_carries_to_the_end_of_its_field)
{
	set_word(0x00ff00ff00ff00ff);
	finish(&a, MASKED_ADD8 "add=0x0001000100010001 boundary=0", "sent masked_add8 8");
	cr_expect_eq(word8(WORD), 0x0100010001000100);
	cr_expect_eq(word8(ANSWER), 0x00ff00ff00ff00ff);
	set_word(0x00ff00ff00ff00ff);
	execute(&a, MASKED_ADD8 "add=0x0001000100010001 boundary=0x0080008000800080");
	expect_cqe(&a, "sent masked_add8 8");
	cr_expect_eq(word8(WORD), 0);
	set_word(0x8080808080808080);
	execute(&a, MASKED_ADD8 "add=0x8080808080808080 boundary=0x8000000000008000");
	expect_cqe(&a, "sent masked_add8 8");
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
		set_word(v[0]);
		execute(&a, MASKED_ADD8 "add=0x%llx boundary=0x%llx", (unsigned long long)v[1],
			(unsigned long long)v[2]);
		expect_cqe(&a, "sent masked_add8 8");
		cr_assert_eq(word8(WORD), sum, "%llx + %llx in %llx", (unsigned long long)v[0],
			     (unsigned long long)v[1], (unsigned long long)v[2]);
	}
}

/* Memory has the byte order of the host, the response has not. */
Test(masked_atomic, four_bytes_swap)
{
	set_word(0xeeeeeeee11223344);
	memset(near.buf + ANSWER, 0x5a, 8);
	finish(&a,
	       MASKED_CAS4
	       "swap=0xaaaaaaaa compare=0x11223344 swap_mask=0x00ff00ff compare_mask=0xffffffff",
	       "sent masked_cas4 4");
	cr_expect_eq(word8(WORD), 0xeeeeeeee11aa33aa);
	cr_expect_arr_eq(near.buf + ANSWER, ((const uint8_t[]){ 0x11, 0x22, 0x33, 0x44, 0x5a }),
			 5);
	finish(&a,
	       MASKED_CAS4
	       "swap=0xbbbbbbbb compare=0x11223344 swap_mask=0xffffffff compare_mask=0xffffffff",
	       "sent masked_cas4 4");
	cr_expect_eq(word4(WORD), 0x11aa33aa);
}

Test(masked_atomic, four_bytes_add)
{
	set_word(0xeeeeeeeeffffffff);
	finish(&a, MASKED_ADD4 "add=1 boundary=0", "sent masked_add4 4");
	cr_expect_eq(word8(WORD), 0xeeeeeeee00000000, "no carry out of the word");
	set_word(0xeeeeeeee00ff00ff);
	finish(&a, MASKED_ADD4 "add=0x00010001 boundary=0x00800080", "sent masked_add4 4");
	cr_expect_eq(word4(WORD), 0);
}

Test(masked_atomic, four_bytes_at_a_multiple_of_four)
{
	set_word(0x0000000500000007);
	finish(&a, "masked_add4 4 local=0x200 remote=0x104 add=3 sig", "sent masked_add4 4");
	cr_expect_eq(word8(WORD), 0x0000000800000007);
}

Test(masked_atomic, eight_bytes_at_a_multiple_of_four_are_refused)
{
	finish(&a, "masked_add8 8 local=0x200 remote=0x104 sig", "req_err rem_inv_req wqe=0");
}

Test(masked_atomic, not_executed_again_if_the_response_is_lost)
{
	uint8_t from;
	size_t len;

	a.qp->ack_timeout = 10;
	set_word(10);
	post_rung(&a, MASKED_ADD8 "add=1");
	engine_step(near.e); /* the request leaves */
	engine_step(near.e); /* and is answered */
	cr_assert_eq(word8(WORD), 11);
	while (wire_next(near.w, &len, &from))
		;
	wait_cqe(&a, 20000);
	expect_cqe(&a, "sent masked_add8 8");
	cr_expect_eq(word8(WORD), 11);
	cr_expect_eq(word8(ANSWER), 10);
}

Test(masked_atomic, refused_by_atomic_mode_ib)
{
	set_word(0);
	b.qp->atomic_mode = 1;
	finish(&a, MASKED_ADD8 "add=1 boundary=0", "req_err rem_inv_req wqe=0");
	cr_expect_eq(word8(WORD), 0);
	expect_finding("a masked atomic of the peer is refused: atomic_mode is 1");
}

Test(masked_atomic, refused_by_a_qp_without_remote_atomic)
{
	b.qp->rae = false;
	finish(&a, MASKED_ADD8 "add=1 boundary=0", "req_err rem_inv_req wqe=0");
	expect_finding("the QP has no IBV_ACCESS_REMOTE_ATOMIC");
}

Test(masked_atomic, refused_by_an_mkey_without_remote_atomic)
{
	near.mkey->access &= ~HCA_REMOTE_ATOMIC;
	finish(&a, MASKED_ADD8 "add=1 boundary=0", "req_err rem_access wqe=0");
	expect_finding(
		"remote atomic of 8 bytes at 0xa0000100: the key lacks IBV_ACCESS_REMOTE_ATOMIC|the peer refuses 8 bytes at 0xa0000100");
}

Test(masked_atomic, buffer_smaller_than_the_response)
{
	finish(&a, "masked_add8 4 local=0x200 remote=0x100 sig", "req_err local_length wqe=0");
}

Test(masked_atomic, sizes_without_an_opmod)
{
	finish(&a, MASKED_ADD8 "opmod=10", "req_err local_qp_op wqe=0");
}

Test(masked_atomic, opmod_of_plain_atomics)
{
	finish(&a, MASKED_ADD8 "opmod=0", "req_err local_qp_op wqe=0");
}

Test(masked_atomic, golden_frame)
{
	record_frames();
	execute(&a, MASKED_ADD4 "add=1 boundary=0");
	expect_frames(0, "masked_add atomic_ack");
}
