/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvperf counts what the device counts. The engine is stepped after each doorbell, so that it
 * takes each one by itself; running free, it may find two batches for one.
 */
#include <criterion/criterion.h>
#include <dvkit/emu.h>

#include "run/rig.h"
#include "run/worker.h"

enum { BATCHES = 30 };

struct seen {
	uint64_t wqes, cqes, doorbells;
};

static struct options options(enum api api, enum op op, uint32_t batch, uint32_t size)
{
	struct options o = options_new(MODE_BW);

	o.loopback = true;
	o.api = api;
	o.op = op;
	o.batch = batch;
	o.size = size;
	o.inline_size = size <= 220 && op != OP_READ ? size : 0;
	o.tx_depth = 64;
	options_defaults(&o);
	return o;
}

static void step_all(void)
{
	while (dvkit_emu_step())
		;
}

/* Posts batch after batch on the first lane, each signalled once. */
static struct seen drive(struct rig *rig)
{
	struct lane *l = &rig->near[0];
	uint32_t n = rig->o.batch;
	struct seen seen = { 0 };

	for (int i = 0; i < BATCHES; i++) {
		uint16_t before = lane_blocks(l), blocks;

		cr_assert_eq(l->poster->post(l, n, n - 1, n), n);
		blocks = (uint16_t)(lane_blocks(l) - before);
		seen.wqes += n + (blocks ? blocks - n * l->op.blocks : 0);
		seen.doorbells++;
		step_all();
		seen.cqes += l->poster->poll(l, 64);
		seen.cqes += rig_receive(rig);
		step_all();
	}
	return seen;
}

static void same_counts(struct options o)
{
	struct dvkit_emu_counters before, after;
	struct seen seen;
	struct rig rig;

	rig_open(&rig, &o);
	rig_connect(&rig, NULL);
	cr_assert_eq(dvkit_emu_pause(), 0);
	step_all();
	cr_assert_eq(dvkit_emu_query_counters(&before, sizeof(before)), 0);
	seen = drive(&rig);
	cr_assert_eq(dvkit_emu_query_counters(&after, sizeof(after)), 0);
	cr_assert_eq(seen.wqes, after.wqes - before.wqes, "%s: %lu WQEs, the device says %lu",
		     api_word(o.api), seen.wqes, after.wqes - before.wqes);
	cr_assert_eq(seen.cqes, after.cqes - before.cqes, "%s: %lu CQEs, the device says %lu",
		     api_word(o.api), seen.cqes, after.cqes - before.cqes);
	cr_assert_eq(seen.doorbells, after.doorbells - before.doorbells,
		     "%s: %lu doorbells, the device says %lu", api_word(o.api), seen.doorbells,
		     after.doorbells - before.doorbells);
	cr_assert_eq(dvkit_emu_resume(), 0);
	rig_close(&rig);
}

/* many: a batch of 16 is several turns, and one doorbell. */
Test(counted, write)
{
	for (enum api api = API_DIRECT; api <= API_MANY; api++)
		for (uint32_t batch = 1; batch <= 32; batch *= 4)
			same_counts(options(api, OP_WRITE, batch, 64));
}

/* Two and four blocks: direct fills the edge of the ring with NOPs, which are WQEs too. */
Test(counted, long_inline_writes)
{
	for (enum api api = API_DIRECT; api <= API_VERBS; api++) {
		same_counts(options(api, OP_WRITE, 3, 150));
		same_counts(options(api, OP_WRITE, 7, 220));
	}
}

Test(counted, read_send_atomic_and_nop)
{
	for (enum api api = API_DIRECT; api <= API_MANY; api++) {
		same_counts(options(api, OP_READ, 4, 256));
		same_counts(options(api, OP_SEND, 4, 28));
		same_counts(options(api, OP_ATOMIC, 4, 8));
	}
	same_counts(options(API_DIRECT, OP_NOP, 8, 8));
	same_counts(options(API_MANY, OP_NOP, 8, 8));
}
