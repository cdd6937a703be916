/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* dv_sq_signal_last(): 0x08 in byte 11 of the last WQE of a batch, other flags stay; nothing
 * once it was rung. */
#include "queue.h"

Test(signal_last, is_of_the_last_wqe_before_the_doorbell)
{
	queue_start();
	dv_sq_signal_last(&m.sq);
	cr_assert(is_old(m.ring, sizeof(m.ring)), "nothing was committed");
	cr_assert_eq(dv_sq_nop(&m.sq, 0), 0);
	cr_assert_eq(dv_sq_nop(&m.sq, 0x80), 0);
	dv_sq_signal_last(&m.sq);
	cr_assert_eq(m.ring[11], 0);
	cr_assert_eq(m.ring[64 + 11], 0x88);
	m.ring[64 + 11] = 0x80;
	dv_sq_doorbell(&m.sq);
	dv_sq_signal_last(&m.sq);
	cr_assert_eq(m.ring[64 + 11], 0x80, "the device has it");
}
