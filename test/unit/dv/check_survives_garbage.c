/* SPDX-License-Identifier: BSD-2-Clause */
/* Rings and facts that are anything: the check ends, counts, and reads only what it was given
 * (copied to the end of a heap block, so that a sanitizer sees more). */
#include <dv/check.h>
#include <stdlib.h>
#include "valid.h"

enum {
	FOUND = 3,
	ROUNDS = 20000,
	FLIPS = 50000,
};

static void expect_texts(const struct dv_finding *found, size_t n)
{
	size_t i;

	for (i = 0; i < n && i < FOUND; i++) {
		cr_assert_lt(found[i].fault, DV_FAULTS);
		cr_assert_lt(strnlen(found[i].text, sizeof(found[i].text)),
			     sizeof(found[i].text) - 1, "cut: %s", found[i].text);
	}
}

static void fill(uint8_t *bytes, size_t len, uint64_t *seed)
{
	size_t i;

	for (i = 0; i < len; i++)
		bytes[i] = (uint8_t)valid_random(seed);
}

static struct dv_queue_facts any_facts(uint64_t *seed)
{
	struct dv_queue_facts q;

	memset(&q, 0, sizeof(q));
	q.transport = valid_between(seed, DV_RC, DV_ETH);
	q.qpn = (uint32_t)valid_random(seed) & 0xffffff;
	q.max_ds = (uint16_t)valid_between(seed, 0, 63);
	q.max_sge = (uint16_t)valid_between(seed, 0, 3);
	q.min_inline_hdr = (uint16_t)valid_between(seed, 0, 18);
	q.max_inline = valid_between(seed, 0, 64);
	q.max_message = (uint32_t)valid_random(seed);
	q.compact_av = valid_between(seed, 0, 1);
	q.signature = valid_between(seed, 0, 1);
	q.all_signalled = valid_between(seed, 0, 1);
	q.padded = valid_between(seed, 0, 1);
	q.ci = (uint16_t)valid_random(seed);
	q.pi = (uint16_t)valid_random(seed);
	return q;
}

Test(check, survives_random_wqes)
{
	struct dv_finding found[FOUND];
	uint64_t seed = 7;
	size_t len;
	int round;

	for (len = 0; len <= 200; len++) {
		uint8_t *wqe = malloc(len ? len : 1);

		for (round = 0; round < 200; round++) {
			struct dv_queue_facts q = any_facts(&seed);

			fill(wqe, len, &seed);
			if (len > 3)
				wqe[3] = (uint8_t)round;
			expect_texts(found, dv_wqe_check(&q, wqe, len, q.ci, found, FOUND));
		}
		free(wqe);
	}
}

Test(check, survives_random_rings)
{
	struct dv_finding found[FOUND];
	uint64_t seed = 11, rung;
	uint16_t rung_pi;
	__be32 dbrec;
	int round;

	for (round = 0; round < ROUNDS; round++) {
		struct dv_queue_facts q = any_facts(&seed);
		uint8_t *ring;

		q.wqe_cnt = 1u << valid_between(&seed, 0, 6);
		if (round % 8)
			q.pi = (uint16_t)(q.ci + valid_between(&seed, 0, q.wqe_cnt));
		ring = malloc(q.wqe_cnt * DV_WQE_BB);
		fill(ring, q.wqe_cnt * DV_WQE_BB, &seed);
		rung = valid_random(&seed);
		dbrec = (__be32)valid_random(&seed);
		rung_pi = (uint16_t)valid_random(&seed);
		q.ring = ring;
		q.dbrec = &dbrec;
		q.rung = round & 1 ? &rung : NULL;
		q.rung_pi = &rung_pi;
		expect_texts(found, dv_ring_check(&q, found, FOUND));
		free(ring);
	}
}

Test(check, survives_facts_without_a_ring)
{
	struct dv_queue_facts q = { .pi = 9 };
	struct dv_finding found[FOUND];
	uint8_t ring[3 * DV_WQE_BB] = { 0 };

	cr_expect_eq(dv_ring_check(&q, found, FOUND), 0);
	q.ring = ring;
	q.wqe_cnt = 3;
	cr_expect_eq(dv_ring_check(&q, found, FOUND), 0);
}

/* One byte of a valid ring is another: printed and checked all the same. */
Test(check, survives_flipped_bytes, .timeout = 100)
{
	static char text[16384];
	struct dv_finding found[FOUND];
	struct dv_queue_facts q;
	uint64_t seed = 13;
	struct memory m;
	int round;

	for (round = 0; round < FLIPS; round++) {
		enum dv_transport transport = valid_between(&seed, 0, 1) ? DV_RC : DV_ETH;
		uint32_t at;

		if (round % 16 == 0) {
			memory_start(&m, MEMORY_BLOCKS, 16);
			while (!valid_post(&m.sq, transport, &seed))
				;
			q = dv_sq_facts(&m.sq, transport);
		}
		at = valid_between(&seed, 0, MEMORY_BLOCKS * DV_WQE_BB - 1);
		m.ring[at] ^= (uint8_t)valid_between(&seed, 1, 255);
		expect_texts(found, dv_ring_check(&q, found, FOUND));
		at &= ~63u;
		cr_assert_gt(dv_wqe_format(text, sizeof(text), m.ring + at, sizeof(m.ring) - at,
					   q.transport, DV_LINE),
			     0);
	}
}
