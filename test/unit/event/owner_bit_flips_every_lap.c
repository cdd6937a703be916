/* SPDX-License-Identifier: BSD-2-Clause */
/* CQEs: place, owner bit, overrun; arming; EQEs. */
#include <criterion/criterion.h>
#include <endian.h>
#include <string.h>

#include "event/event.h"

static struct dev d;
static struct dev_cq *cq;
static struct dev_eq *eq;
static uint8_t ring[4][64] __attribute__((aligned(64))), eq_ring[4][64];
static uint32_t record[2];
static int irqs;

static void count_irq(struct dev *dev, struct dev_eq *q)
{
	(void)dev;
	cr_assert_eq(q, eq);
	irqs++;
}

static struct dev_ring ring_of(void *buf)
{
	struct dev_ring r = { .pas = malloc(sizeof(uint64_t)), .npas = 1, .log_page = 12 };

	r.pas[0] = (uintptr_t)buf;
	return r;
}

static void setup(void)
{
	irqs = 0;
	cr_assert_eq(dev_init(&d, 1), 0);
	d.irq = count_irq;
	eq = dev_eq_new(&d);
	eq->ring = ring_of(eq_ring);
	eq->log_size = 2;
	eq->events = 1u << EVENT_CQ_ERROR | 1u << EVENT_WQ_CATAS_ERROR;
	cq = dev_cq_new(&d);
	cq->ring = ring_of(ring);
	cq->log_size = 2;
	cq->cqe_size_log = 6;
	cq->eq = eq;
	cq->dbrec = (uintptr_t)record;
	record[0] = 0;
	record[1] = UINT32_MAX;
	cq->arm_last = UINT32_MAX;
}

static void teardown(void)
{
	dev_fini(&d);
}

TestSuite(event, .init = setup, .fini = teardown);

static bool put(uint8_t op, bool solicited)
{
	uint8_t entry[128] = { 0 };

	entry[64] = 0x11;
	entry[127] = op << 4;
	return event_cqe(&d, cq, entry, solicited);
}

static void consume(uint32_t ci)
{
	record[0] = htobe32(ci);
}

static void arm(uint32_t sn, bool solicited, uint32_t ci)
{
	record[1] = htobe32(sn << 28 | (uint32_t)solicited << 24 | ci);
	event_cq_arm(&d, cq);
}

Test(event, owner_bit_flips_every_lap)
{
	for (uint32_t i = 0; i < 12; i++) {
		cr_assert(put(2, false));
		cr_assert_eq(ring[i & 3][63], 0x20 | (i >> 2 & 1), "entry %u", i);
		cr_assert_eq(ring[i & 3][0], 0x11);
		consume(i + 1);
	}
}

Test(event, a_full_ring_is_an_overrun_and_loses_the_cqe)
{
	for (int i = 0; i < 4; i++)
		cr_assert(put(2, false));
	cr_assert_not(event_cq_room(cq));
	cr_assert_not(put(3, false));
	cr_assert_eq(ring[0][63], 0x20, "nothing was overwritten");
	cr_assert_eq(eq_ring[0][1], EVENT_CQ_ERROR);
	cr_assert_eq(eq_ring[0][32 + 11], EVENT_CQ_OVERRUN);
	cr_assert_eq(be32toh(*(uint32_t *)&eq_ring[0][32]), cq->cqn);
	cr_assert_eq(irqs, 1);
	cr_assert_not(put(3, false));
	cr_assert_eq(irqs, 1, "told once");
}

Test(event, overrun_ignored_wraps)
{
	cq->overrun_ignore = true;
	for (int i = 0; i < 5; i++)
		cr_assert(put(2, false));
	cr_assert_eq(ring[0][63], 0x21);
	cr_assert_eq(irqs, 0);
}

Test(event, an_armed_cq_raises_one_event)
{
	uint8_t eqe[64];

	put(2, false);
	cr_assert_eq(irqs, 0, "not armed");
	consume(1);
	arm(0, false, 1);
	cr_assert_eq(irqs, 0, "nothing new yet");
	put(2, false);
	put(2, false);
	cr_assert_eq(irqs, 1);
	cr_assert(event_eq_next(eq, eqe));
	cr_assert_eq(eqe[1], EVENT_COMP);
	cr_assert_eq(be32toh(*(uint32_t *)&eqe[32 + 24]), cq->cqn);
	cr_assert_not(event_eq_next(eq, eqe));
}

Test(event, arming_late_raises_at_once)
{
	put(2, false);
	arm(0, false, 0);
	cr_assert_eq(irqs, 1);
}

Test(event, solicited_only_waits_for_a_solicited_one_or_an_error)
{
	arm(0, true, 0);
	put(2, false);
	cr_assert_eq(irqs, 0);
	put(2, true);
	cr_assert_eq(irqs, 1);
	consume(2);
	arm(1, true, 2);
	put(13, false);
	cr_assert_eq(irqs, 2);
}

Test(event, the_first_arm_of_a_fresh_cq_is_seen)
{
	arm(0, false, 0); /* all zero: told from "never armed" by what creation wrote there */
	put(2, false);
	cr_assert_eq(irqs, 1);
}

Test(event, wide_entries_carry_the_cqe_in_their_second_half)
{
	uint8_t entry[128];

	for (int i = 0; i < 128; i++)
		entry[i] = (uint8_t)i;
	entry[127] = 0x20;
	cq->cqe_size_log = 7;
	cq->log_size = 1;
	cr_assert(event_cqe(&d, cq, entry, false));
	cr_assert_arr_eq(&ring[0][0], entry, 128);
}

Test(event, async_events_go_where_they_are_routed)
{
	event_async(&d, EVENT_WQ_CATAS_ERROR, 0x10007, 0);
	cr_assert_eq(irqs, 1);
	cr_assert_eq(eq_ring[0][1], EVENT_WQ_CATAS_ERROR);
	cr_assert_eq(be32toh(*(uint32_t *)&eq_ring[0][32 + 24]), 0x10007);
	event_async(&d, EVENT_COMM_EST, 0x10007, 0);
	cr_assert_eq(irqs, 1, "nobody asked for it");
}
