/* SPDX-License-Identifier: BSD-2-Clause */
/* Doorbells: the register triggers, the record has the producer index. */
#include <endian.h>
#include <string.h>

#include "rig.h"

PAIR_SUITE(doorbell);

Test(doorbell, record_alone_starts_nothing)
{
	post(&a, "write 64 remote=0x1000 sig");
	cr_expect_not(engine_step(near.e));
	expect_none(&a);
	cr_expect_eq(near.buf[0x1000], 0);
	work(&a);
	expect_cqe(&a, "sent");
	cr_expect_eq(near.buf[0x1000], near.buf[0]);
}

Test(doorbell, ring_without_a_record_starts_nothing)
{
	post(&a, "write 64 remote=0x1000 sig");
	a.rec[1] = 0;
	work(&a);
	expect_none(&a);
	cr_expect_eq(counters_of(&near).doorbells, 1);
	cr_expect_eq(counters_of(&near).empty_rings, 1);
	cr_expect_eq(counters_of(&near).wqes, 0);
	cr_expect_eq(*(uint64_t *)(near.uar->page + 0x800), 0);
}

Test(doorbell, every_half_of_every_register_rings)
{
	static const uint16_t at[] = { 0x800, 0x900, 0xa00, 0xb00, 0xc00, 0xd00, 0xe00, 0xf00 };

	for (int i = 0; i < 8; i++) {
		uint64_t value = htobe64((uint64_t)a.qp->qpn << 8 | 3);

		post(&a, "write 64 remote=0x1000 sig");
		memcpy(near.uar->page + at[i], &value, sizeof(value));
		settle();
		expect_cqe(&a, "sent wqe=%d", i);
	}
}

Test(doorbell, one_ring_serves_all_queues_of_the_page)
{
	post(&a, "write 64 remote=0x1000 sig");
	execute(&b, "write 64 remote=0x2000");
	expect_cqe(&a, "sent");
	cr_expect_eq(near.buf[0x2000], near.buf[0]);
	cr_expect_eq(counters_of(&near).doorbells, 1);
	cr_expect_eq(counters_of(&near).shared_rings, 1);
	cr_expect_eq(counters_of(&near).wqes, 2);
	expect_finding("QP 0x10001: served by a doorbell that named another QP");
}

Test(doorbell, record_too_far_ahead_is_an_overrun)
{
	a.rec[1] = htobe32(RIG_SQ + 1);
	work(&a);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_ERR);
	cr_expect_eq(counters_of(&near).wqes, 0);
	expect_finding("QP 0x10001: record 0x41 is more than 64 blocks ahead of 0x0");
}

Test(doorbell, ring_is_filled_and_wraps_many_times)
{
	char bytes[125] = { 0 };

	/* A WQE has 10 units: 3 blocks do not divide 64, so WQEs wrap at the end. */
	for (int n = 0; n < 1000; n++) {
		memset(bytes, 'A' + n % 50, 124);
		succeed(&a, "write inline=%s remote=0x1000 sig", bytes);
		cr_assert_arr_eq(near.buf + 0x1000, bytes, 124);
	}
	cr_expect_eq(counters_of(&near).wqes, 1000);
}

Test(doorbell, doorbell_before_rts_is_ignored)
{
	a.qp->state = PRM_QPC_STATE_RTR;
	execute(&a, "write 64 remote=0x1000 sig");
	a.qp->state = PRM_QPC_STATE_RTS;
	engine_kick(&near.hca, a.qp);
	settle();
	expect_none(&a);
	work(&a);
	expect_cqe(&a, "sent");
	cr_expect_eq(near.buf[0x1000], near.buf[0]);
}

/* A queue that was reset: its ring is empty, and its record is the one of before until
 * something is posted. */
Test(doorbell, another_queue_does_not_start_what_is_not_there)
{
	a.rec[1] = htobe32(37);
	succeed(&b, "write 64 remote=0x1000 sig");
	expect_none(&a);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_RTS);
	cr_expect_eq(a.qp->req.pi, 0);

	/* Beyond its ring, too. */
	a.rec[1] = htobe32(RIG_SQ + 1);
	work(&b);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_RTS);

	succeed(&a, "write 64 remote=0x1000 sig");
	expect_none(&a);
}

/* The ring of an earlier WQE at the same place. */
Test(doorbell, another_queue_does_not_start_a_wqe_of_another_index)
{
	succeed(&a, "write 64 remote=0x1000 sig");
	a.rec[1] = htobe32(3);
	work(&b);
	expect_none(&a);
	work(&a);
	expect_cqe(&a, "req_err local_qp_op wqe=1");
}
