/* SPDX-License-Identifier: BSD-2-Clause */
/* Contents of the register and of the doorbell record, for a ring in memory. */
#include <criterion/criterion.h>
#include <string.h>

#include "lane/lane.h"
#include "lane/ring.h"

enum { HALF = 256, UNTOUCHED = 0xee };

static struct options o;
static struct lane *l;

static void untouch(void)
{
	memset((char *)l->doorbell.reg, UNTOUCHED, 2 * HALF);
}

static void open_ring(const char *how, const char *size)
{
	o = options_new(MODE_POST);
	cr_assert_null(options_take_name(&o, "doorbell", how));
	cr_assert_null(options_take_name(&o, "size", size));
	cr_assert_null(options_take_name(&o, "inline_size", "1000"));
	options_defaults(&o);
	l = aligned_alloc(64, sizeof(*l));
	lane_open_memory(l, &o);
	untouch();
}

static void close_ring(void)
{
	lane_close(l);
	free(l);
}

static void post(unsigned int n)
{
	cr_assert_eq(l->poster->post(l, n, n - 1, n), n);
	cr_assert_eq(be32toh(*l->sq.dbrec), l->sq.pi);
}

/* Bytes of half @half of the register that are those of the last WQE. */
static size_t shown(unsigned int half)
{
	const char *reg = l->doorbell.reg + half * HALF, *wqe = (const char *)l->sq.last;
	size_t n = 0;

	while (n < HALF && n < dv_wqe_nbb(dv_wqe_ds(wqe) * 16) * 64 && reg[n] == wqe[n])
		n++;
	for (size_t i = n; i < HALF; i++)
		cr_assert_eq((uint8_t)reg[i], UNTOUCHED, "after byte %zu", n);
	return n;
}

static void is_shown(const char *how, const char *size, unsigned int batch, size_t bytes)
{
	open_ring(how, size);
	memset(l->mem.send, 0x5a, o.size);
	post(batch);
	cr_assert_eq(shown(0), bytes, "%s, %s bytes, %u: %zu", how, size, batch, shown(0));
	/* the halves take turns */
	untouch();
	post(batch);
	cr_assert_eq(shown(1), bytes);
	cr_assert_eq((uint8_t)l->doorbell.reg[0], UNTOUCHED);
	close_ring();
}

Test(ring, of_one_wqe)
{
	is_shown("db", "28", 1, 8);
	is_shown("bf", "28", 1, 64);
	is_shown("bf", "220", 1, 256);
	is_shown("bf-last", "28", 1, 64);
	is_shown("bf-last", "220", 1, 256);
}

Test(ring, of_a_batch)
{
	is_shown("bf", "28", 3, 8);
	is_shown("bf-last", "28", 3, 64);
	is_shown("bf-last", "220", 3, 256);
}

/* Longer than the register, or of a single segment: 8 bytes. */
Test(ring, of_what_does_not_fit)
{
	is_shown("bf-last", "221", 1, 8);
	is_shown("bf-last", "221", 3, 8);
	open_ring("bf-last", "0");
	l->op.kind = OP_NOP;
	l->poster = poster_direct(l);
	post(2);
	cr_assert_eq(shown(0), 8);
	close_ring();
}

static void by_one_store(const char *how, enum doorbell doorbell)
{
	if (lane_check(&(struct options){ .doorbell = doorbell }))
		return;
	is_shown(how, "28", 1, 64);
	is_shown(how, "60", 1, 128);
	is_shown(how, "220", 1, 256);
	is_shown(how, "221", 1, 8);
	is_shown(how, "28", 3, 8);
}

Test(ring, by_one_store_of_64_bytes)
{
	by_one_store("zmm", DOORBELL_ZMM);
	by_one_store("movdir64b", DOORBELL_MOVDIR64B);
}

/* A ring of 3-block WQEs: at its end NOPs take the place of those that would cross it. */
Test(ring, at_the_end_of_the_ring)
{
	unsigned int laps = 0;

	open_ring("bf-last", "150");
	cr_assert_eq(l->op.blocks, 3);
	while (laps < 3) {
		uint16_t before = l->sq.pi;

		untouch();
		post(1);
		laps += (l->sq.pi & l->sq.mask) < (before & l->sq.mask);
		cr_assert_eq(shown(l->sq.bf_offset ? 0 : 1), 192);
		l->sq.ci = l->sq.pi;
	}
	close_ring();
}
