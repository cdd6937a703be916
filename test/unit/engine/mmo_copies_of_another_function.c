/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MMO DMA through an alias: two functions in one process, each with its engine, as two
 * processes have them. The WQE is on h[0]; h[1] has the bytes that the alias names.
 *
 *	own buffer: opaque buffer at 0x40, bytes from 0x1000 on	  alias: of the buffer of h[1]
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "engine/loop.h"
#include "engine/vhca.h"
#include "rig.h"

#define OPAQUE 0x40
#define FAR    0x200000 /* in the buffer of h[1] */
#define NEAR   0x1000

static const uint8_t access_key[HCA_ACCESS_KEY_BYTES] = { 1, 2, 3 };

static struct host h[2];
static struct side a, b;
static uint8_t wqe[64];
static uint32_t alias;

static void put32(uint8_t *at, uint32_t v)
{
	v = htobe32(v);
	memcpy(at, &v, sizeof(v));
}

static void put_segment(uint8_t *at, uint32_t first, uint32_t key, uint64_t off)
{
	put32(at, first);
	put32(at + 4, key);
	put32(at + 8, 0);
	put32(at + 12, (uint32_t)(RIG_VA + off));
}

/* A copy from @from of key @from_key to @to of @to_key. */
static void make(uint32_t bytes, uint32_t from_key, uint64_t from, uint32_t to_key, uint64_t to)
{
	memset(wqe, 0, sizeof(wqe));
	put32(wqe, 1u << 24 | (uint32_t)a.pi << 8 | 0x2f);
	put32(wqe + 4, a.qp->qpn << 8 | 4);
	wqe[11] = SIGNALED;
	put_segment(wqe + 16, 0, RIG_KEY, OPAQUE);
	put_segment(wqe + 32, bytes, from_key, from);
	put_segment(wqe + 48, bytes, to_key, to);
	post(&a, wqe, 4);
}

/* An alias on h[0] of what @owner allows. */
static struct hca_mkey *alias_of(struct host *owner)
{
	struct hca_mkey *m = hca_mkey_new(&h[0].hca);

	cr_assert(hca_allow(&owner->hca, owner->mkey, access_key));
	m->pd = h[0].pd;
	m->target = (struct hca_target){
		.kind = HCA_TARGET_ALIAS,
		.vhca_id = owner->hca.slot,
		.key = owner->mkey->index,
		.epoch = atomic_load(&owner->hca.vhcas[owner->hca.slot].epoch),
		.serial = owner->mkey->grant,
	};
	return m;
}

static void setup(void)
{
	far_pair_open(h, &a, &b, 1024, 0x100);
	a.qp->mmo = true;
	alias = alias_of(&h[1])->index << 8;
	for (unsigned int i = 0; i < 0x100000; i++) {
		h[0].buf[NEAR + i] = (uint8_t)(i * 7 + (i >> 8));
		h[1].buf[FAR + i] = (uint8_t)(i * 5 + (i >> 9));
	}
}

static void teardown(void)
{
	hosts_close(h);
}

TestSuite(mmo_far, .init = setup, .fini = teardown);

static void run(void)
{
	ring(&a);
	settle(h, 2);
}

static void completes(void)
{
	const uint8_t *cqe = next_cqe(&a);

	cr_assert_not_null(cqe, "no CQE");
	cr_expect_eq(cqe[63] >> 4, 0, "opcode %d, syndrome 0x%x", cqe[63] >> 4, cqe[55]);
	expect_none(&a);
}

static void ends_in(unsigned int syndrome)
{
	run();
	expect_error(&a, 13, syndrome, 0);
	expect_none(&a);
	cr_expect_eq(h[0].buf[OPAQUE + 11], 0);
}

Test(mmo_far, source_of_another_function)
{
	static const uint8_t opaque[16] = { [9] = 0, [10] = 0x27, 0x11, [14] = 0x27, 0x11 };

	memset(h[0].buf + OPAQUE, 0xff, 64);
	record_frames();
	make(10001, alias, FAR, RIG_KEY, NEAR);
	run();
	completes();
	cr_expect_arr_eq(h[0].buf + NEAR, h[1].buf + FAR, 10001);
	cr_expect_eq(h[0].buf[NEAR + 10001], (uint8_t)(10001 * 7 + (10001 >> 8)));
	cr_expect_arr_eq(h[0].buf + OPAQUE, opaque, 16);
	cr_expect_eq(frames, 0, "no frame is sent");
}

Test(mmo_far, destination_of_another_function)
{
	make(10001, RIG_KEY, NEAR, alias, FAR);
	run();
	completes();
	cr_expect_arr_eq(h[1].buf + FAR, h[0].buf + NEAR, 10001);
	cr_expect_eq(h[1].buf[FAR + 10001], (uint8_t)(10001 * 5 + (10001 >> 9)));
}

Test(mmo_far, both_of_another_function)
{
	make(0x80001, alias, FAR, alias, 0x100001);
	run();
	completes();
	cr_expect_arr_eq(h[1].buf + 0x100001, h[1].buf + FAR, 0x80001);
}

Test(mmo_far, alias_of_the_own_function)
{
	uint32_t own = alias_of(&h[0])->index << 8;

	make(0x12345, own, NEAR, alias, FAR);
	run();
	completes();
	cr_expect_arr_eq(h[1].buf + FAR, h[0].buf + NEAR, 0x12345);
}

Test(mmo_far, random_sizes_and_offsets)
{
	static uint8_t near[RIG_BUF], far[RIG_BUF];

	memcpy(near, h[0].buf, RIG_BUF);
	memcpy(far, h[1].buf, RIG_BUF);
	srand(7);
	for (int i = 0; i < 200; i++) {
		uint32_t len = 1 + (uint32_t)rand() % (i % 4 ? 20000 : 300000);
		uint32_t n = NEAR + (uint32_t)rand() % 0x200000,
			 f = (uint32_t)rand() % 0x300000;

		if (i % 2) {
			make(len, alias, f, RIG_KEY, n);
			memcpy(near + n, far + f, len);
		} else {
			make(len, RIG_KEY, n, alias, f);
			memcpy(far + f, near + n, len);
		}
		run();
		completes();
	}
	cr_expect_arr_eq(h[0].buf + NEAR, near + NEAR, RIG_BUF - NEAR);
	cr_expect_arr_eq(h[1].buf, far, RIG_BUF);
}

Test(mmo_far, waits_for_an_engine_that_does_not_run)
{
	make(100000, alias, FAR, RIG_KEY, NEAR);
	ring(&a);
	for (int i = 0; i < 1000; i++)
		engine_step(h[0].e);
	expect_none(&a);
	settle(h, 2);
	completes();
	cr_expect_arr_eq(h[0].buf + NEAR, h[1].buf + FAR, 100000);
}

Test(mmo_far, several_queues_at_a_time)
{
	static struct side more[4];

	for (int i = 0; i < 4; i++) {
		side_open(&more[i], &h[0]);
		connect_sides(&more[i], &more[i], 1024, 0x100);
		more[i].qp->mmo = true;
		make(0x40000, alias, FAR, RIG_KEY, NEAR + 0x50000 * i);
		a.pi--;
		put32(wqe, 1u << 24 | 0x2f);
		put32(wqe + 4, more[i].qp->qpn << 8 | 4);
		post(&more[i], wqe, 4);
		ring(&more[i]);
	}
	a.rec[1] = 0;
	settle(h, 2);
	for (int i = 0; i < 4; i++) {
		const uint8_t *cqe = next_cqe(&more[i]);

		cr_assert_not_null(cqe);
		cr_expect_eq(cqe[63] >> 4, 0);
		cr_expect_arr_eq(h[0].buf + NEAR + 0x50000 * i, h[1].buf + FAR, 0x40000);
	}
}

/* ---- refusals ---- */

Test(mmo_far, range_that_the_mkey_does_not_cover)
{
	make(0x2000, RIG_KEY, NEAR, alias, RIG_BUF - 0x1fff);
	ends_in(0x13);
	cr_expect_eq(h[1].buf[RIG_BUF - 0x1fff], 0, "nothing is copied");
}

Test(mmo_far, source_without_the_right)
{
	h[1].mkey->access = HCA_LOCAL_WRITE | HCA_REMOTE_READ | HCA_REMOTE_WRITE;
	make(8, alias, FAR, RIG_KEY, NEAR);
	ends_in(0x13);
}

Test(mmo_far, destination_without_the_right)
{
	h[1].mkey->access = HCA_LOCAL_READ | HCA_REMOTE_READ | HCA_REMOTE_WRITE;
	make(8, RIG_KEY, NEAR, alias, FAR);
	ends_in(0x13);
}

Test(mmo_far, mkey_that_was_destroyed)
{
	hca_revoke(&h[1].hca, h[1].mkey);
	make(8, alias, FAR, RIG_KEY, NEAR);
	ends_in(0x13);
}

Test(mmo_far, mkey_that_was_allowed_again)
{
	hca_revoke(&h[1].hca, h[1].mkey);
	cr_assert(hca_allow(&h[1].hca, h[1].mkey, access_key));
	make(8, alias, FAR, RIG_KEY, NEAR);
	ends_in(0x13);
}

Test(mmo_far, mkey_that_was_never_allowed)
{
	core_ids_get(&h[0].hca.mkeys, alias >> 8);
	((struct hca_mkey *)core_ids_get(&h[0].hca.mkeys, alias >> 8))->target.serial = 0;
	make(8, alias, FAR, RIG_KEY, NEAR);
	ends_in(0x13);
}

Test(mmo_far, memory_that_is_not_mapped)
{
	h[1].mkey->pages.pas[FAR >> 12] = 0x1000;
	h[1].mkey->pages.followed = true;
	make(8, alias, FAR, RIG_KEY, NEAR);
	ends_in(0x13);
}

Test(mmo_far, alias_of_another_pd)
{
	((struct hca_mkey *)core_ids_get(&h[0].hca.mkeys, alias >> 8))->pd =
		hca_pd_new(&h[0].hca);
	make(8, alias, FAR, RIG_KEY, NEAR);
	ends_in(0x04);
}

Test(mmo_far, alias_that_does_not_exist)
{
	make(8, alias + 0x100, FAR, RIG_KEY, NEAR);
	ends_in(0x04);
}

Test(mmo_far, alias_with_other_low_bits)
{
	make(8, alias + 1, FAR, RIG_KEY, NEAR);
	ends_in(0x04);
}

Test(mmo_far, own_side_that_may_not_be_written)
{
	h[0].mkey->access = HCA_LOCAL_READ | HCA_LOCAL_WRITE;
	make(8, alias, FAR, RIG_KEY, RIG_BUF);
	ends_in(0x04);
}

Test(mmo_far, another_process_in_the_slot)
{
	atomic_fetch_add(&h[1].hca.vhcas[2].epoch, 1);
	make(8, alias, FAR, RIG_KEY, NEAR);
	ends_in(0x14);
}

Test(mmo_far, alias_in_the_data_segment_of_a_write)
{
	post_wr(&a, &(struct wr){ .opcode = 0x08,
				  .len = 8,
				  .lkey = alias,
				  .rkey = RIG_FAR_KEY,
				  .fm_ce_se = SIGNALED });
	ends_in(0x04);
}

Test(mmo_far, alias_in_a_list_of_keys)
{
	struct hca_mkey *m = hca_mkey_new(&h[0].hca);

	m->pd = h[0].pd;
	m->access = HCA_LOCAL_READ | HCA_LOCAL_WRITE;
	m->start = RIG_VA;
	m->len = RIG_BUF;
	m->list = calloc(1, sizeof(*m->list));
	m->entries = m->room = 1;
	m->list[0] = (struct hca_klm){ .len = RIG_BUF, .key = alias, .addr = RIG_VA };
	make(8, m->index << 8, FAR, RIG_KEY, NEAR);
	ends_in(0x04);
}

/* ---- a key without permission, of a function that this one controls ---- */

static uint32_t crossing_key(uint8_t access, uint64_t len)
{
	struct hca_mkey *m = hca_mkey_new(&h[0].hca);

	m->pd = h[0].pd;
	m->access = access;
	m->start = RIG_VA;
	m->len = len;
	m->target = (struct hca_target){ .kind = HCA_TARGET_CROSSING,
					 .vhca_id = 2,
					 .key = RIG_FAR_KEY,
					 .epoch = atomic_load(&h[1].hca.vhcas[2].epoch) };
	return m->index << 8;
}

static void control(void)
{
	h[0].hca.role = HCA_ROLE_DPU;
	hca_vhca_publish(&h[0].hca, RIG_ADAPTER);
}

Test(mmo_far, crossing_mkey)
{
	control();
	make(100000, crossing_key(HCA_LOCAL_READ, RIG_BUF), FAR, RIG_KEY, NEAR);
	run();
	completes();
	cr_expect_arr_eq(h[0].buf + NEAR, h[1].buf + FAR, 100000);
}

Test(mmo_far, crossing_mkey_of_a_function_that_does_not_control)
{
	make(8, crossing_key(HCA_LOCAL_READ, RIG_BUF), FAR, RIG_KEY, NEAR);
	ends_in(0x13);
}

Test(mmo_far, crossing_mkey_of_a_key_that_is_not_there)
{
	uint32_t key = crossing_key(HCA_LOCAL_READ, RIG_BUF);

	control();
	((struct hca_mkey *)core_ids_get(&h[0].hca.mkeys, key >> 8))->target.key++;
	make(8, key, FAR, RIG_KEY, NEAR);
	ends_in(0x13);
}

Test(mmo_far, crossing_mkey_without_the_right)
{
	control();
	make(8, RIG_KEY, NEAR, crossing_key(HCA_LOCAL_READ, RIG_BUF), FAR);
	ends_in(0x04);
}

Test(mmo_far, crossing_mkey_that_ends_before)
{
	control();
	make(8, crossing_key(HCA_LOCAL_READ, FAR + 7), FAR, RIG_KEY, NEAR);
	ends_in(0x04);
}

/* ---- ends in the middle ---- */

Test(mmo_far, owner_that_ends_in_the_middle)
{
	make(0x100000, alias, FAR, RIG_KEY, NEAR);
	make(8, alias, FAR, RIG_KEY, NEAR);
	ring(&a);
	for (int i = 0; i < 3; i++) {
		engine_step(h[0].e);
		engine_step(h[1].e);
	}
	expect_none(&a);
	atomic_fetch_add(&h[1].hca.vhcas[2].epoch, 1);
	wait_cqe(h, 1, &a, 5000);
	settle(h, 1);
	expect_error(&a, 13, 0x14, 0);
	expect_error(&a, 13, 0x05, 1);
	expect_none(&a);
	settle(h, 2);
	expect_none(&a);
}

Test(mmo_far, alias_that_is_destroyed_in_the_middle)
{
	make(0x100000, alias, FAR, RIG_KEY, NEAR);
	ring(&a);
	for (int i = 0; i < 3; i++) {
		engine_step(h[0].e);
		engine_step(h[1].e);
	}
	hca_mkey_free(&h[0].hca, core_ids_get(&h[0].hca.mkeys, alias >> 8));
	settle(h, 2);
	expect_error(&a, 13, 0x04, 0);
}

/* Answers that come after the QP was reset change nothing. */
Test(mmo_far, queue_that_is_reset_in_the_middle)
{
	make(0x80000, alias, FAR, RIG_KEY, NEAR);
	ring(&a);
	for (int i = 0; i < 2; i++) {
		engine_step(h[0].e);
		engine_step(h[1].e);
	}
	engine_step(h[0].e); /* READs are under way */
	hca_qp_reset(a.qp);
	a.qp->state = PRM_QPC_STATE_RST;
	memset(h[0].buf + NEAR, 0, 0x80000);
	settle(h, 2);
	for (unsigned int i = 0; i < 0x80000; i++)
		cr_assert_eq(h[0].buf[NEAR + i], 0);
	expect_none(&a);
}

/* Bytes that no engine sends: too short, too long, unknown. */
Test(mmo_far, malformed_messages_are_dropped)
{
	static uint8_t data[4096];
	struct wire_message m = { .to = atomic_load(&h[1].hca.vhcas[2].epoch),
				  .grant = h[1].mkey->grant,
				  .key = h[1].mkey->index,
				  .addr = RIG_VA + FAR,
				  .len = 8,
				  .kind = WIRE_WRITE,
				  .rights = HCA_LOCAL_WRITE };

	for (int i = 0; i < 6; i++) {
		struct wire_message bad = m;

		bad.kind = i == 1 ? 9 : i == 2 ? WIRE_READ : WIRE_WRITE;
		bad.rights = i == 3 ? HCA_LOCAL_READ : i == 4 ? 0xff : HCA_LOCAL_WRITE;
		bad.to += i == 5;
		cr_assert(wire_has_space(h[0].w, 2));
		wire_send_message(h[0].w, 2, &bad, data, i ? 8 : 7);
	}
	wire_flush(h[0].w);
	settle(h, 2);
	cr_expect_eq(h[1].buf[FAR + 1], 5);
	cr_assert(wire_has_space(h[0].w, 2));
	wire_send_message(h[0].w, 2, &m, data, 8);
	wire_flush(h[0].w);
	settle(h, 2);
	cr_expect_eq(h[1].buf[FAR + 1], 0, "the same without a mistake");
}

/* A WRITE of 8 bytes @value from h[0] arrives at h[1]. */
static void arrives(uint8_t value, uint32_t serial)
{
	struct {
		struct wire_message m;
		uint8_t data[8];
	} bytes = { .m = { .to = atomic_load(&h[1].hca.vhcas[2].epoch),
			   .grant = h[1].mkey->grant,
			   .key = h[1].mkey->index,
			   .addr = RIG_VA + FAR,
			   .len = 8,
			   .serial = serial,
			   .kind = WIRE_WRITE,
			   .rights = HCA_LOCAL_WRITE } };

	memset(bytes.data, value, sizeof(bytes.data));
	vhca_take(h[1].e, (const uint8_t *)&bytes, sizeof(bytes), 1);
}

static void fill_ring(void)
{
	struct wire_packet p = { .opcode = WIRE_RC | WIRE_ACK };

	while (wire_has_space(h[1].w, 1))
		wire_send(h[1].w, 1, &p);
	wire_flush(h[1].w);
}

/* The serials of the answers that h[0] has, in their order. */
static unsigned int answers(uint32_t *serials)
{
	struct wire_message m;
	const uint8_t *bytes;
	unsigned int n = 0;
	uint8_t from;
	size_t len;

	while ((bytes = wire_next(h[0].w, &len, &from)))
		if (wire_is_message(h[0].w)) {
			memcpy(&m, bytes, sizeof(m));
			serials[n++ % 4] = m.serial;
		}
	return n;
}

/* A request that waits for space is older than one that arrives when there is some. */
Test(mmo_far, requests_of_a_function_are_executed_in_order)
{
	uint32_t serials[4] = { 0 };

	fill_ring();
	arrives(0x11, 1);
	cr_expect_eq(answers(serials), 0);
	arrives(0x22, 2);
	arrives(0x33, 3);
	engine_step(h[1].e);
	cr_expect_eq(h[1].buf[FAR], 0x33, "0x%02x is what an older request wrote",
		     h[1].buf[FAR]);
	cr_assert_eq(answers(serials), 3);
	for (uint32_t i = 0; i < 3; i++)
		cr_expect_eq(serials[i], i + 1);

	arrives(0x44, 4);
	cr_expect_eq(h[1].buf[FAR], 0x44, "none waits any more: at once");
}
