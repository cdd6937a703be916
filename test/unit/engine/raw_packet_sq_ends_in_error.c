/* SPDX-License-Identifier: BSD-2-Clause */
/* SQs of raw packets: their WQEs are not sent yet, and end in an error. */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "rig.h"

static struct host h;
static struct side s; /* its ring, record and CQ are the SQ's, its QP stays in RESET */
static struct hca_sq *sq;
static unsigned int checks;

static void count(const struct core_trace *t)
{
	checks += t->kind == TRACE_CHECK;
}

static void setup(void)
{
	host_open(&h);
	side_open(&s, &h);
	core_list_del(&s.qp->on_uar);
	sq = hca_sq_new(&h.hca);
	sq->state = PRM_SQC_STATE_RDY;
	sq->flush = true;
	sq->cq = s.cq;
	sq->user_index = 0x123;
	sq->dbrec = (uintptr_t)s.rec;
	sq->wq = s.qp->sq;
	/* a separate one: that of the side is freed with its QP */
	sq->wq.ring.pas = calloc(sq->wq.ring.npas, sizeof(uint64_t));
	memcpy(sq->wq.ring.pas, s.qp->sq.ring.pas, sq->wq.ring.npas * sizeof(uint64_t));
	core_list_add(&h.uar->sqs, &sq->on_uar);
	core_trace_to = count;
	core_trace_mask = 1u << TRACE_CHECK;
	checks = 0;
}

static void teardown(void)
{
	core_trace_to = NULL;
	host_close(&h);
}

TestSuite(raw_packet, .init = setup, .fini = teardown);

/* A send of @ds units. */
static void post_send(unsigned int ds)
{
	uint8_t wqe[128] = {
		[1] = s.pi >> 8, [2] = (uint8_t)s.pi, [3] = 0x0a, [7] = (uint8_t)ds
	};

	post(&s, wqe, ds);
}

Test(raw_packet, first_wqe_ends_in_an_error_and_the_rest_is_flushed)
{
	post_send(6); /* two blocks */
	post_send(3);
	ring(&s);
	settle(&h, 1);
	cr_expect_eq(sq->state, PRM_SQC_STATE_ERR);
	cr_expect_eq(checks, 1);
	expect_error(&s, 13, 0x02, 0);
	expect_error(&s, 13, 0x05, 2);
	expect_none(&s);
	post_send(3);
	ring(&s);
	settle(&h, 1);
	expect_error(&s, 13, 0x05, 3);
	expect_none(&s);
	cr_expect_eq(checks, 1);
}

Test(raw_packet, cqe_has_the_sqn)
{
	const uint8_t *cqe;
	uint32_t word;

	post_send(3);
	ring(&s);
	settle(&h, 1);
	cqe = next_cqe(&s);
	cr_assert_not_null(cqe);
	memcpy(&word, cqe + 32, 4);
	cr_expect_eq(be32toh(word), 0x123);
	memcpy(&word, cqe + 56, 4);
	cr_expect_eq(be32toh(word), 0x0a000000 | sq->sqn);
}

Test(raw_packet, without_flush_there_is_one_error)
{
	sq->flush = false;
	post_send(3);
	post_send(3);
	ring(&s);
	settle(&h, 1);
	expect_error(&s, 13, 0x02, 0);
	expect_none(&s);
}

Test(raw_packet, wqe_longer_than_the_posted_blocks_ends_there)
{
	post_send(7);
	s.rec[1] = htobe32(1);
	ring(&s);
	settle(&h, 1);
	expect_error(&s, 13, 0x02, 0);
	expect_none(&s);
	cr_expect_eq(sq->pi, 1);
}

Test(raw_packet, overrun_is_reported_and_ends_within_the_ring)
{
	s.rec[1] = htobe32(RIG_SQ + 8);
	ring(&s);
	settle(&h, 1);
	cr_expect_eq(checks, 2);
	cr_expect_eq(sq->state, PRM_SQC_STATE_ERR);
	cr_expect_eq(sq->pi, RIG_SQ + 8);
	expect_error(&s, 13, 0x02, 8);
}

Test(raw_packet, nothing_happens_before_rdy_or_without_a_doorbell)
{
	sq->state = PRM_SQC_STATE_RST;
	post_send(3);
	ring(&s);
	settle(&h, 1);
	expect_none(&s);
	sq->state = PRM_SQC_STATE_RDY;
	settle(&h, 1);
	expect_none(&s);
	engine_unfinished(&h.hca);
	cr_expect_eq(checks, 1);
}
