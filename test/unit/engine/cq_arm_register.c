/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arm register of a UAR page: 8 bytes, {sn 29:28, solicited 24, ci 23:0 | cqn}, big-endian.
 * An arm is taken if it names a CQ whose cqc.uar_page is this page, with a sequence number that
 * is not that of the last event.
 */
#include <endian.h>
#include <string.h>

#include "rig.h"

static struct hca_uar *other;
static struct hca_eq *eq;
static bool unread;

static bool is_unread(struct hca *hca, const struct hca_cq *cq)
{
	cr_assert_eq(hca, &near.hca);
	cr_assert_eq(cq, a.cq);
	return unread;
}

static void setup(void)
{
	pair_open();
	other = hca_uar_new(&near.hca);
	eq = events_open(&near);
	a.cq->eq = b.cq->eq = eq;
	near.hca.unread = is_unread;
	unread = false;
}

TestSuite(cq_arm_register, .init = setup, .fini = rig_close);

static void ring_at(struct hca_uar *uar, uint32_t word, uint32_t cqn)
{
	uint64_t value = htobe64((uint64_t)word << 32 | cqn);

	memcpy(uar->page + 0x20, &value, sizeof(value));
}

static void look(void)
{
	cr_assert(engine_step(near.e));
}

/* The event of @s, if there is one. */
static bool event_of(const struct side *s)
{
	uint8_t eqe[64];

	if (!event_eq_next(eq, eqe))
		return false;
	cr_assert_eq(eqe[1], PRM_EVENT_COMP);
	cr_assert_eq((uint32_t)eqe[57] << 16 | eqe[58] << 8 | eqe[59], s->cq->cqn);
	return true;
}

static void complete(struct side *s)
{
	finish(s, "write 64 remote=0x1000 sig", "sent");
}

/* The record and the register, as libmlx5 writes them. */
static void arm(const struct side *s, uint32_t word)
{
	s->cq_rec[1] = htobe32(word);
	ring_at(near.uar, word, s->cq->cqn);
}

Test(cq_arm_register, through_the_page_of_the_cq)
{
	arm(&a, 0);
	look();
	complete(&a);
	cr_assert(event_of(&a));
}

Test(cq_arm_register, through_another_page_is_not_armed)
{
	a.cq_rec[1] = 0;
	ring_at(other, 0, a.cq->cqn);
	look();
	expect_finding("CQ 0x10001: armed through UAR page 2, and cqc.uar_page is 1");
	complete(&a);
	cr_assert_not(event_of(&a));
}

Test(cq_arm_register, unknown_cqn_is_not_armed)
{
	a.cq_rec[1] = 0;
	ring_at(near.uar, 0, 0xabcdef);
	look();
	expect_finding(
		"CQ 0xabcdef: armed through UAR page 1, and there is no CQ of this number");
	complete(&a);
	cr_assert_not(event_of(&a));
}

Test(cq_arm_register, sn_of_the_last_event_is_not_armed)
{
	arm(&a, 0);
	look();
	complete(&a);
	cr_assert(event_of(&a));
	arm(&a, 1);
	look();
	expect_finding("CQ 0x10001: armed with sn 0, that of its last event");
	complete(&a);
	cr_assert_not(event_of(&a));
	arm(&a, 1u << 28 | 2);
	look();
	complete(&a);
	cr_assert(event_of(&a));
}

/* It arms again before it reads the event, which will wake it. */
Test(cq_arm_register, repeated_before_the_event_is_read_is_not_reported)
{
	unread = true;
	arm(&a, 0);
	look();
	complete(&a);
	arm(&a, 1);
	look();
	cr_assert(event_of(&a));
	complete(&a);
	cr_assert_not(event_of(&a));
}

/* ibv_req_notify_cq() once more, with a later index. */
Test(cq_arm_register, twice_before_the_event_is_armed)
{
	arm(&a, 0);
	look();
	arm(&a, 0);
	look();
	arm(&a, 1u << 24);
	look();
	complete(&a);
	cr_assert(event_of(&a));
	cr_assert_not(event_of(&a));
}

/* Both arm before the device polls: the register has the second. */
Test(cq_arm_register, overwritten_by_another_arm_is_armed)
{
	arm(&a, 0);
	arm(&b, 0);
	look();
	complete(&a);
	cr_assert(event_of(&a));
	complete(&b);
	cr_assert(event_of(&b));
}

/* … the third arm of b changes nothing, and is not reported. */
Test(cq_arm_register, overwritten_by_a_repeated_arm_is_armed)
{
	arm(&b, 0);
	look();
	arm(&a, 0);
	arm(&b, 0);
	look();
	complete(&a);
	cr_assert(event_of(&a));
}

Test(cq_arm_register, overwritten_by_a_wrong_arm_is_not_armed)
{
	arm(&a, 0);
	ring_at(near.uar, 0, 0xabcdef);
	look();
	expect_finding("there is no CQ");
	complete(&a);
	cr_assert_not(event_of(&a));
}

Test(cq_arm_register, arms_of_other_pages_are_not_looked_up)
{
	b.cq->uar = other;
	b.cq_rec[1] = 0;
	arm(&a, 0);
	look();
	complete(&b);
	cr_assert_not(event_of(&b));
}
