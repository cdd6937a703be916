/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvperf mmio with several threads, whose registers are memory. No thread ever finds parts of
 * two 64-byte stores to one register under its lock, in neither half; each of several registers
 * has what its thread stores; and rates are of all threads.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mmio/team.h"

enum { THREADS = 4, HALF = 256, BYTES = DV_WQE_BB };

static uint8_t regs[THREADS][2 * HALF] __attribute__((aligned(HALF)));
static uint8_t wqes[THREADS][BYTES] __attribute__((aligned(BYTES)));
static struct team_slot slots[THREADS];
static struct store_lock lock;
static store_loop *stores;
static unsigned long checks; /* under the lock */

static void expect(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "%s\n", what);
	exit(1);
}

/* All bytes of a block are those of one thread. */
static int is_whole(const uint8_t *block)
{
	for (int i = 1; i < BYTES; i++)
		if (block[i] != block[0])
			return 0;
	return 1;
}

static void store_and_look(struct dv_sq *sq, struct store_lock *l, unsigned int n)
{
	for (; n; n--) {
		stores(sq, l, 1);
		pthread_spin_lock(&l->spin);
		checks++;
		expect(is_whole(regs[0]) && is_whole(regs[0] + HALF),
		       "parts of two stores are in the register");
		pthread_spin_unlock(&l->spin);
	}
}

static void prepare(int registers)
{
	memset(regs, 0, sizeof(regs));
	for (int i = 0; i < THREADS; i++) {
		memset(wqes[i], i + 1, BYTES);
		memset(&slots[i], 0, sizeof(slots[i]));
		slots[i].lock = &lock;
		slots[i].sq.bf_reg = (char *)regs[i % registers];
		slots[i].sq.bf_size = HALF;
		slots[i].sq.last = wqes[i];
	}
}

static void measure(store_loop *loop, bool alone)
{
	struct options o = { .numa = -1 };
	struct team_work work = { &o, slots, THREADS, loop, alone, 200 };
	struct team_times t = team_measure(&work);

	expect(alone ? isnan(t.rate) : t.rate > 0, "rate");
	expect(alone || fabs(t.ticks * t.rate / THREADS - 1) < 0.5, "rate and time");
	expect(t.slowest > 0 || alone, "slowest");
	expect(t.overlap >= 0 && t.overlap <= 1, "overlap");
}

int main(void)
{
	pthread_spin_init(&lock.spin, PTHREAD_PROCESS_PRIVATE);
	for (int fence = FENCE_STORE; fence < FENCES; fence++)
		for (int alone = 0; alone < 2; alone++) {
			prepare(1);
			stores = store_find(STORE_BLOCK, (enum fence)fence, MAPPING_WC, true);
			measure(store_and_look, alone);
		}
	expect(checks >= 6 * 11 * 101, "looked often enough");
	expect(regs[0][HALF], "dv alternates the halves of the register");
	prepare(THREADS);
	measure(store_find(STORE_BLOCK, FENCE_STORE, MAPPING_WC, false), false);
	for (int i = 0; i < THREADS; i++)
		expect(regs[i][0] == i + 1 && is_whole(regs[i]), "a register of each thread");
	prepare(1);
	measure(store_find(STORE_WORD, FENCE_NONE, MAPPING_NC, false), false);
	expect(regs[0][0] && regs[0][8] == 0, "8 bytes of one of them");
	return 0;
}
