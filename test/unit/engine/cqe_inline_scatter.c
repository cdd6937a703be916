/* SPDX-License-Identifier: BSD-2-Clause */
/* Inline scatter: cs_req and cs_res of the QP context. */
#include <string.h>

#include "prm/prm.h"
#include "rig.h"

static void setup(void)
{
	pair_open();
	for (int i = 0; i < 256; i++)
		near.buf[i] = (uint8_t)(i + 1);
	PRM_SET(qpc, a.qp->qpc, cs_req, 0x11);
	PRM_SET(qpc, b.qp->qpc, cs_res, 1);
}

TestSuite(inline_scatter, .init = setup, .fini = rig_close);

Test(inline_scatter, of_a_send_up_to_32_bytes)
{
	post(&b, "recv 64 local=0x1000");
	execute(&a, "send 32 sig");
	expect_cqe(&b, "received 32 inline32");
	cr_expect_arr_eq(b.cqes, near.buf, 32);
	cr_expect_eq(near.buf[0x1000], 0, "the buffer is the library's to fill");
}

Test(inline_scatter, of_33_bytes_is_written_to_the_buffer)
{
	post(&b, "recv 64 local=0x1000");
	execute(&a, "send 33 sig");
	expect_cqe(&b, "received 33");
	cr_expect_arr_eq(near.buf + 0x1000, near.buf, 33);
}

Test(inline_scatter, longer_than_the_receive_is_still_an_error)
{
	post(&b, "recv 31 local=0x1000");
	finish(&a, "send 32 sig", "req_err rem_inv_req wqe=0");
	expect_cqe(&b, "resp_err local_length wqe=0");
}

Test(inline_scatter, of_a_read_and_of_an_atomic)
{
	static const uint8_t big_endian[8] = { 8, 7, 6, 5, 4, 3, 2, 1 };

	execute(&a, "read 20 local=0x1000 sig; fetch_add 8 local=0x1000 add=0 sig");
	expect_cqe(&a, "sent read 20 inline32; sent fetch_add 8 inline32");
	cr_expect_arr_eq(a.cqes, near.buf, 20);
	cr_expect_arr_eq(a.cqes + 64, big_endian, 8);
	cr_expect_eq(near.buf[0x1000], 0);
}

Test(inline_scatter, of_an_unsignaled_read_is_written_to_the_buffer)
{
	execute(&a, "read 20 local=0x1000");
	cr_expect_arr_eq(near.buf + 0x1000, near.buf, 20);
}

Test(inline_scatter, of_64_bytes_is_in_front_of_a_128_byte_cqe)
{
	const uint8_t *cqe = b.cqes + 64;

	b.cq->cqe_size_log = 7;
	b.cq->log_size = 6;
	PRM_SET(qpc, b.qp->qpc, cs_res, 2);
	post(&b, "recv 64 local=0x1000");
	execute(&a, "send 50 sig");
	cr_expect_eq(cqe[63], 0x28);
	cr_expect_arr_eq(b.cqes, near.buf, 50);
}
