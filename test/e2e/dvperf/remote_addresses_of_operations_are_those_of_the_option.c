/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --remote and --dm, byte by byte: which slots of the far side's memory have changed after so
 * many WRITEs. One engine, paused and stepped; both ends are in this process.
 */
#include <string.h>

#include <criterion/criterion.h>
#include <dvkit/emu.h>

#include "run/rig.h"

enum {
	SIZE = 64,
	SLOTS = 256,
	MARK = 0x11,
};

static struct options options(enum api api, enum op op, uint32_t batch)
{
	struct options o = options_new(MODE_BW);

	o.loopback = true;
	o.api = api;
	o.op = op;
	o.batch = batch;
	o.size = op == OP_ATOMIC ? 8 : SIZE;
	o.tx_depth = 64;
	return o;
}

static void post(struct rig *rig, unsigned int ops)
{
	struct lane *l = &rig->near[0];
	uint32_t n = rig->o.batch;

	for (unsigned int done = 0; done < ops; done += n) {
		cr_assert_eq(l->poster->post(l, n, n - 1, n), n);
		while (dvkit_emu_step())
			;
		cr_assert_eq(l->poster->poll(l, 1), 1);
	}
}

static uint32_t word(const char *at)
{
	return *(const volatile uint32_t *)(const void *)at;
}

static unsigned int changed(const struct rig *rig)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < SLOTS; i++)
		n += word(rig->far[0].mem.recv + i * SIZE) != MEMORY_FILL * 0x01010101u;
	return n;
}

static void open_paused(struct rig *rig, struct options *o)
{
	options_defaults(o);
	cr_assert_null(options_check(o), "%s", options_check(o));
	rig_open(rig, o);
	rig_connect(rig, NULL);
	cr_assert_eq(dvkit_emu_pause(), 0);
	for (size_t i = 0; i < SIZE && !o->dm; i++)
		rig->near[0].mem.send[i] = MARK;
}

static void close_paused(struct rig *rig)
{
	cr_assert_eq(dvkit_emu_resume(), 0);
	rig_close(rig);
}

static void walks(enum remote remote, enum api api, enum op op, uint32_t batch)
{
	struct options o = options(api, op, batch);
	struct rig rig;

	o.remote = remote;
	o.remote_size = SLOTS * SIZE;
	open_paused(&rig, &o);
	for (uint32_t b = 0; b < batch && op == OP_WRITE; b++)
		memset(rig.near[0].mem.send + b * SIZE, MARK, SIZE);
	cr_assert_eq(changed(&rig), 0);
	post(&rig, SLOTS / 2);
	cr_assert_eq(changed(&rig), SLOTS / 2, "%s, %s by %u: %u", remote_word(remote),
		     api_word(api), batch, changed(&rig));
	if (remote == REMOTE_SEQUENTIAL)
		cr_assert_eq(word(rig.far[0].mem.recv + SLOTS / 2 * SIZE),
			     MEMORY_FILL * 0x01010101u);
	post(&rig, SLOTS / 2);
	cr_assert_eq(changed(&rig), SLOTS);
	close_paused(&rig);
}

/* One by one, and by lists. */
static void each_api(enum remote remote, enum op op)
{
	for (enum api api = API_DIRECT; api <= API_VERBS; api++) {
		walks(remote, api, op, 1);
		walks(remote, api, op, 16);
	}
}

Test(remote, sequential_writes_go_on_and_on)
{
	each_api(REMOTE_SEQUENTIAL, OP_WRITE);
}

Test(remote, random_writes_reach_every_slot_once)
{
	each_api(REMOTE_RANDOM, OP_WRITE);
}

/* Fetch and add: one is added to each. */
Test(remote, atomics_walk_too)
{
	each_api(REMOTE_RANDOM, OP_ATOMIC);
}

Test(remote, fixed_reaches_the_slots_of_a_batch)
{
	for (enum api api = API_DIRECT; api <= API_VERBS; api++) {
		struct options o = options(api, OP_ATOMIC, 4);
		struct rig rig;

		open_paused(&rig, &o);
		post(&rig, 32);
		for (int i = 0; i < 4; i++)
			cr_assert_eq(word(rig.far[0].mem.recv + i * SIZE),
				     MEMORY_FILL * 0x01010101u + 8);
		close_paused(&rig);
	}
}

Test(dm, data_come_from_and_go_to_the_device)
{
	static const enum mrs mrs[] = { MR_ONE, MR_PER_QP };

	for (enum api api = API_DIRECT; api <= API_VERBS; api++) {
		struct options o = options(api, OP_WRITE, 1);
		struct rig rig;

		o.dm = true;
		o.mrs = mrs[api % 2];
		o.qps = 2;
		open_paused(&rig, &o);
		cr_assert(rig.near[0].mem.memory->dm);
		cr_assert_lt(rig.near[0].op.sge.addr, 4 * SIZE, "addresses begin at 0");
		cr_assert_lt(rig.near[0].op.remote.raddr, 4 * SIZE);
		lane_mark(&rig.near[0], MARK);
		lane_clear_mark(&rig.far[0]);
		cr_assert_not(lane_has_mark(&rig.far[0], MARK));
		post(&rig, 1);
		cr_assert(lane_has_mark(&rig.far[0], MARK));
		cr_assert_eq(word(rig.far[0].mem.recv), MEMORY_FILL * 0x01010101u);
		cr_assert_eq(word(rig.far[0].mem.recv + SIZE - 4),
			     (MEMORY_FILL * 0x010101u) | (uint32_t)MARK << 24);
		close_paused(&rig);
	}
}

Test(mr, one_is_shared_or_each_has_its_own)
{
	struct options o = options(API_DIRECT, OP_WRITE, 1);
	struct rig rig;

	o.qps = 3;
	open_paused(&rig, &o);
	cr_assert_eq(rig.near[0].mem.mr, rig.near[2].mem.mr);
	cr_assert_eq(rig.near[0].mem.mr, rig.far[1].mem.mr);
	close_paused(&rig);
	o.mrs = MR_PER_QP;
	open_paused(&rig, &o);
	cr_assert_neq(rig.near[0].mem.mr, rig.near[2].mem.mr);
	cr_assert_neq(rig.near[0].mem.mr, rig.far[0].mem.mr);
	close_paused(&rig);
}
