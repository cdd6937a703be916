/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * No-DBR queues (qpc.send_dbr_mode NO_DBR_EXT): 8 bytes at 0x600 of the UAR page contain the
 * last WQE (rdma-core, tests/mlx5_base.py), {opmod, index[2], opcode, qpn[3], ds}.
 */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "rig.h"

#define RECORD 0xdeadbeef /* the value of no record */

static void setup(void)
{
	pair_open();
	a.qp->no_send_record = true;
}

TestSuite(no_dbr, .init = setup, .fini = rig_close);

/* A WRITE without a doorbell record. */
static void post_write(struct side *s)
{
	post(s, "write 64 remote=0x1000 sig");
	s->rec[1] = RECORD;
}

static void ring_bytes(uint16_t at, const uint8_t bytes[8])
{
	memcpy(near.uar->page + at, bytes, 8);
}

/* QP 0x10001; the WQE has 3 units. */
static void ring_for_index(uint16_t at, uint16_t index)
{
	ring_bytes(at, (uint8_t[8]){ 0, index >> 8, (uint8_t)index, 8, 0x01, 0x00, 0x01, 3 });
}

/* How many CQEs are written until nothing is left to do. */
static unsigned int completions(struct side *s)
{
	unsigned int n = 0;

	settle();
	while (next_cqe(s))
		n++;
	return n;
}

Test(no_dbr, doorbell_has_the_index_of_the_last_wqe)
{
	for (int i = 0; i < 3; i++)
		post_write(&a);
	ring_for_index(0x600, 1);
	cr_expect_eq(completions(&a), 2);
	cr_expect_eq(near.buf[0x1000], near.buf[0]);
	cr_expect_eq(*(uint64_t *)(near.uar->page + 0x600), 0);
	ring_for_index(0x600, 2);
	cr_expect_eq(completions(&a), 1);
	cr_expect_eq(counters_of(&near).doorbells, 2);
	cr_expect_eq(counters_of(&near).wqes, 3);
	cr_expect_eq(counters_of(&near).empty_rings, 0);
}

/* DOCA GPUNetIO: the index of the next WQE, and no size. */
Test(no_dbr, doorbell_may_have_the_index_of_the_next_wqe)
{
	post_write(&a);
	post_write(&a);
	ring_bytes(0x600, (uint8_t[8]){ 0, 0, 2, 0, 0x01, 0x00, 0x01, 0 });
	cr_expect_eq(completions(&a), 2);
}

/* 5 units are two blocks. */
Test(no_dbr, ds_is_that_of_the_last_wqe)
{
	post(&a, "nop 1 1 1 1 sig");
	a.rec[1] = RECORD;
	post_write(&a);
	ring_bytes(0x600, (uint8_t[8]){ 0, 0, 0, 0, 0x01, 0x00, 0x01, 5 });
	cr_expect_eq(completions(&a), 1);
	ring_for_index(0x600, 2);
	cr_expect_eq(completions(&a), 1);
}

Test(no_dbr, doorbell_record_is_not_read)
{
	post(&a, "write 64 remote=0x1000 sig");
	cr_expect_eq(completions(&a), 0);
	ring_for_index(0x800, 0);
	cr_expect_eq(completions(&a), 0);
	a.qp->dbrec = 0;
	ring_for_index(0x600, 0);
	cr_expect_eq(completions(&a), 1);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_RTS);
}

Test(no_dbr, queues_with_a_record_are_not_served)
{
	a.qp->no_send_record = false;
	post(&a, "write 64 remote=0x1000 sig");
	ring_for_index(0x600, 0);
	cr_expect_eq(completions(&a), 0);
	expect_finding("rung at +0x600, and its qpc.send_dbr_mode is not NO_DBR_EXT");
}

Test(no_dbr, queues_of_other_uar_pages_are_not_served)
{
	struct hca_uar *other = hca_uar_new(&near.hca);

	post_write(&a);
	memcpy(other->page + 0x600, (uint8_t[8]){ 0, 0, 0, 8, 0x01, 0x00, 0x01, 3 }, 8);
	cr_expect_eq(completions(&a), 0);
	expect_finding("rung in UAR page 2, and qpc.uar_page is 1");
}

Test(no_dbr, the_ring_is_filled_and_wraps_with_the_index)
{
	for (uint32_t i = 0; i < 0x10000 + 2 * RIG_SQ; i += RIG_SQ / 2) {
		for (unsigned int j = 0; j < RIG_SQ / 2; j++)
			post_write(&a);
		ring_for_index(0x600, (uint16_t)(a.pi - 1));
		cr_assert_eq(completions(&a), RIG_SQ / 2, "0x%x", i);
	}
	for (unsigned int j = 0; j < RIG_SQ; j++)
		post_write(&a);
	ring_for_index(0x600, (uint16_t)(a.pi - 1));
	cr_assert_eq(completions(&a), RIG_SQ);
}

Test(no_dbr, an_older_doorbell_is_ignored)
{
	for (int i = 0; i < 3; i++)
		post_write(&a);
	ring_for_index(0x600, 2);
	cr_expect_eq(completions(&a), 3);
	ring_for_index(0x600, 1);
	cr_expect_eq(completions(&a), 0);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_RTS);
	cr_expect_eq(counters_of(&near).empty_rings, 1);
}

Test(no_dbr, a_doorbell_too_far_ahead_is_an_overrun)
{
	ring_for_index(0x600, RIG_SQ);
	cr_expect_eq(completions(&a), 0);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_ERR);
	expect_finding("record 0x41 is more than 64 blocks ahead of 0x0");
}

Test(no_dbr, a_doorbell_before_rts_is_ignored)
{
	a.qp->state = PRM_QPC_STATE_RTR;
	post_write(&a);
	ring_for_index(0x600, 0);
	cr_expect_eq(completions(&a), 0);
	a.qp->state = PRM_QPC_STATE_RTS;
	engine_kick(&near.hca, a.qp);
	cr_expect_eq(completions(&a), 0);
	post_write(&a);
	ring_for_index(0x600, 1);
	cr_expect_eq(completions(&a), 2);
	expect_finding("QP 0x10001: rung before RTS");
}

Test(no_dbr, wqes_posted_in_err_are_flushed)
{
	a.qp->state = PRM_QPC_STATE_ERR;
	post_write(&a);
	ring_for_index(0x600, 0);
	settle();
	expect_cqe(&a, "req_err flushed wqe=0");
}

Test(no_dbr, retire_takes_the_last_doorbell)
{
	post_write(&a);
	cr_assert_eq(engine_retire(near.e, a.qp->qpn), EINVAL);
	post_write(&a);
	ring_for_index(0x600, 1);
	cr_assert_eq(engine_retire(near.e, a.qp->qpn), 0);
	cr_expect_eq(completions(&a), 1);
	cr_expect_eq(near.buf[0x1000], 0);
}
