/* SPDX-License-Identifier: BSD-2-Clause */
/* Inline scatter: cs_req and cs_res of the QP context. */
#include <string.h>

#include "prm/prm.h"
#include "rig.h"

static struct host h;
static struct side a, b;

static void setup(void)
{
	pair_open(&h, &a, &b);
	for (int i = 0; i < 256; i++)
		h.buf[i] = (uint8_t)(i + 1);
	PRM_SET(qpc, a.qp->qpc, cs_req, 0x11);
	PRM_SET(qpc, b.qp->qpc, cs_res, 1);
}

static void teardown(void)
{
	host_close(&h);
}

TestSuite(inline_scatter, .init = setup, .fini = teardown);

static void send_len(uint32_t len, uint32_t room)
{
	post_recv(&b, RIG_VA + 0x1000, room, RIG_KEY);
	post_wr(&a, &(struct wr){ .opcode = 0x0a, .fm_ce_se = SIGNALED, .len = len });
	ring(&a);
	settle(&h, 1);
}

Test(inline_scatter, of_a_send_up_to_32_bytes)
{
	const uint8_t *cqe;

	send_len(32, 64);
	cqe = next_cqe(&b);
	cr_assert_not_null(cqe);
	cr_expect_eq(cqe[63] & 0xfe, 0x24);
	cr_expect_eq(cqe[47], 32);
	cr_expect_arr_eq(cqe, h.buf, 32);
	cr_expect_eq(h.buf[0x1000], 0, "the buffer is the library's to fill");
}

Test(inline_scatter, of_33_bytes_is_written_to_the_buffer)
{
	const uint8_t *cqe;

	send_len(33, 64);
	cqe = next_cqe(&b);
	cr_assert_not_null(cqe);
	cr_expect_eq(cqe[63] & 0xfe, 0x20);
	cr_expect_arr_eq(h.buf + 0x1000, h.buf, 33);
}

Test(inline_scatter, longer_than_the_receive_is_still_an_error)
{
	send_len(32, 31);
	expect_error(&a, 13, 0x12, 0);
	expect_error(&b, 14, 0x01, 0);
}

Test(inline_scatter, of_a_read_and_of_an_atomic)
{
	static const uint8_t big_endian[8] = { 8, 7, 6, 5, 4, 3, 2, 1 };
	const uint8_t *cqe;

	post_wr(&a, &(struct wr){
			    .opcode = 0x10, .fm_ce_se = SIGNALED, .len = 20, .local = 0x1000 });
	post_wr(&a, &(struct wr){ .opcode = 0x12,
				  .fm_ce_se = SIGNALED,
				  .len = 8,
				  .local = 0x1000,
				  .swap_add = 0 });
	ring(&a);
	settle(&h, 1);
	cqe = next_cqe(&a);
	cr_assert_not_null(cqe);
	cr_expect_eq(cqe[63] & 0xfe, 0x04);
	cr_expect_arr_eq(cqe, h.buf, 20);
	cqe = next_cqe(&a);
	cr_assert_not_null(cqe);
	cr_expect_eq(cqe[63] & 0xfe, 0x04);
	cr_expect_arr_eq(cqe, big_endian, 8);
	cr_expect_eq(h.buf[0x1000], 0);
}

Test(inline_scatter, of_an_unsignaled_read_is_written_to_the_buffer)
{
	post_wr(&a, &(struct wr){ .opcode = 0x10, .len = 20, .local = 0x1000 });
	ring(&a);
	settle(&h, 1);
	cr_expect_arr_eq(h.buf + 0x1000, h.buf, 20);
}

Test(inline_scatter, of_64_bytes_is_in_front_of_a_128_byte_cqe)
{
	const uint8_t *cqe = b.cqes + 64;

	b.cq->cqe_size_log = 7;
	b.cq->log_size = 6;
	PRM_SET(qpc, b.qp->qpc, cs_res, 2);
	send_len(50, 64);
	cr_expect_eq(cqe[63], 0x28);
	cr_expect_arr_eq(b.cqes, h.buf, 50);
}
