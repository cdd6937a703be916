/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FLOW_TBL_ACCESS of an SQ: an STE of an RTC (opmod 0), an argument (opmod 1). An STE that
 * finds no place has a CQE with bit 31 of byte_cnt, also where none was asked for.
 */
#include "ethernet.h"
#include "prm/prm.h"

static struct hca_general *argument;
static struct hca_rtc *rtc;
static const uint8_t places[] = { 0, 3, 5, 6, 7 }; /* of the STCs */

static void setup(void)
{
	ethernet_open();
	PRM_SET(sqc, sq->sqc, non_wire, 1);
	argument = hca_object_new(&near.hca, HCA_KIND_general, 1);
	argument->type = PRM_OBJ_MODIFY_HEADER_ARG;
	argument->pd = near.pd;
	argument->memory.size = 64;
	argument->memory.bytes = calloc(1, 64);
	rtc = hca_rtc_new(&near.hca);
	rtc->pd = near.pd;
	rtc->definer = rtc->hashed = HCA_DEFINER_ALWAYS;
	rtc->stes = hca_ste_range_new(&near.hca);
	cr_assert(hca_ste_range_place(&near.hca, rtc->stes));
	rtc->stcs = hca_stc_range_new(&near.hca);
	rtc->stcs->log_size = 3;
	rtc->stcs->stc = calloc(8, sizeof(*rtc->stcs->stc));
	for (uint32_t i = 0; i < 5; i++)
		rtc->stcs->stc[i] = (struct hca_stc){ .set = true, .at = places[i] };
}

TestSuite(ste, .init = setup, .fini = rig_close);

static void post_access(uint8_t opmod, uint32_t number, const uint8_t *rest, uint8_t ce)
{
	uint8_t wqe[128];

	start_wqe(wqe, 0x2c, 8);
	wqe[0] = opmod;
	wqe[11] = ce;
	core_put_be32(wqe + 12, number);
	memcpy(wqe + 16, rest, 112);
	post_bytes(&s, wqe, 8);
	work(&s);
}

/* An STE with all five STCs; the first byte of its tag is @tag. */
static void post_ste(uint32_t op, uint8_t tag, uint8_t ce)
{
	uint8_t rest[112] = { 0 };

	core_put_be32(rest, op << 28);
	for (uint32_t i = 0; i < 5; i++)
		core_put_be32(rest + 4 + 4 * i, i ? i : 4u << 29);
	rest[48 + 32] = tag;
	post_access(0, rtc->id, rest, ce);
}

Test(ste, is_written_and_taken_away)
{
	post_ste(0, 1, SIGNALED);
	cr_assert_eq(word_at(next_cqe(&s), 44) >> 31, 0);
	cr_assert_eq(rtc->stes->bytes[0], 4);
	post_ste(1, 1, SIGNALED);
	cr_assert_eq(word_at(next_cqe(&s), 44) >> 31, 0);
	cr_assert_eq(rtc->stes->bytes[0], 0);
	ring(&s); /* again, which DPDK does where it polls: no finding */
	settle();
	expect_none(&s);
}

Test(ste, without_a_place_has_a_cqe)
{
	post_ste(0, 1, 0);
	post_ste(0, 2, 0);
	cr_assert_eq(word_at(next_cqe(&s), 44) >> 31, 1);
	cr_assert_eq(rtc->stes->bytes[32], 1, "the first one is there");
	cr_assert_eq(sq->state, PRM_SQC_STATE_RDY);
}

Test(ste, argument_of_the_pd_is_written)
{
	uint8_t rest[112] = { 0 };

	memset(rest + 48, 0x5a, 64);
	post_access(1, argument->id, rest, SIGNALED);
	expect_cqe(&s, "sent");
	for (int i = 0; i < 64; i++)
		cr_assert_eq(argument->memory.bytes[i], 0x5a);
}

Test(ste, wqes_that_do_not_fit_end_the_queue)
{
	static const struct {
		const char *what, *finding;
		uint8_t opmod, ds;
		bool wire, other;
	} rows[] = {
		{ "no RTC", "no RTC of that number", 0, 8, false, true },
		{ "no argument", "no argument of that number", 1, 8, false, true },
		{ "another modifier", "its modifier", 2, 8, false, false },
		{ "too short", "its length (ds) is not 8", 1, 7, false, false },
		{ "too long", "its length (ds) is not 8", 1, 9, false, false },
		{ "a queue of packets", "of queues for steering", 1, 8, true, false },
	};

	FOR_EACH_ROW(row, rows, setup) {
		uint8_t wqe[192];

		if (row->wire)
			PRM_SET(sqc, sq->sqc, non_wire, 0);
		start_wqe(wqe, 0x2c, row->ds);
		wqe[0] = row->opmod;
		core_put_be32(wqe + 12, (row->opmod ? argument->id : rtc->id) + row->other);
		post_bytes(&s, wqe, row->ds);
		work(&s);
		expect_cqe(&s, "req_err local_qp_op wqe=0");
		expect_finding("%s", row->finding);
		cr_expect_eq(sq->state, PRM_SQC_STATE_ERR, "%s", row->what);
	}
}

/* As DPDK does before the first WQE; on a page of other queues it is a mistake. */
Test(ste, zeros_ring_for_nothing)
{
	const struct engine_store zeros = {
		.uar = near.uar->index, .offset = 0x800, .len = 8, .thread = 1
	};

	engine_store(near.e, &zeros);
	expect_no_finding();
	PRM_SET(sqc, sq->sqc, non_wire, 0);
	engine_store(near.e, &zeros);
	expect_finding("there is no queue of this number");
}
