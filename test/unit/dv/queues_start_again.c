/* SPDX-License-Identifier: BSD-2-Clause */
/* dv_sq_restart() and dv_rq_restart() leave a queue as it was mapped, on the same register. */
#include "queue.h"

static const struct ibv_sge sge = { .addr = 0x1000, .length = 16, .lkey = 7 };

QUEUE_SUITE(restart);

Test(restart, of_a_send_queue)
{
	static const uint8_t first[8] = { 0x00, 0x00, 0x00, 0x0a, 0x12, 0x34, 0x56, 0x02 };
	int i;

	for (i = 0; i < 5; i++)
		cr_assert_eq(dv_sq_send(&m.sq, 0, &sge, 1), 0);
	dv_sq_doorbell(&m.sq);
	dv_sq_restart(&m.sq);
	cr_assert_eq(m.dbrec[1], 0);
	cr_assert_eq(dv_sq_space(&m.sq), MEMORY_BLOCKS);
	memset(m.reg, OLD, sizeof(m.reg));
	dv_sq_doorbell(&m.sq);
	cr_assert(is_old(m.reg, sizeof(m.reg)), "no doorbell is pending");
	cr_assert_eq(dv_sq_send(&m.sq, 0, &sge, 1), 0);
	dv_sq_blueflame(&m.sq);
	cr_assert_eq(be32toh(m.dbrec[1]), 1);
	cr_assert_arr_eq(m.reg + MEMORY_BF, first, 8, "the other half of the register");
	cr_assert_arr_eq(m.reg + MEMORY_BF, m.ring, 64);
}

Test(restart, of_a_receive_queue)
{
	dv_rq_sign(&m.rq, MEMORY_QPN);
	cr_assert_eq(dv_rq_post(&m.rq, &sge, 1), 0);
	cr_assert_eq(dv_rq_post(&m.rq, &sge, 1), 0);
	dv_rq_doorbell(&m.rq);
	m.rq.ci = 1;
	dv_rq_restart(&m.rq);
	cr_assert_eq(m.dbrec[0], 0);
	cr_assert_eq(m.rq.pi, 0);
	cr_assert_eq(m.rq.ci, 0);
	cr_assert(m.rq.sign);
	cr_assert_eq(m.rq.qpn, MEMORY_QPN);
}
