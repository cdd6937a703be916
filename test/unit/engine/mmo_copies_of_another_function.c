/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MMO DMA through an alias: two functions in one process, each with its engine, as two
 * processes have them. The WQE is on near; far has the bytes that the alias names.
 *
 *	own buffer: opaque buffer at 0x40, bytes from 0x1000 on	  alias: of the buffer of far
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "engine/loop.h"
#include "engine/vhca.h"
#include "rig.h"

#define OPAQUE 0x40
#define FAR    0x200000 /* in the buffer of far */
#define NEAR   0x1000

static const uint8_t access_key[HCA_ACCESS_KEY_BYTES] = { 1, 2, 3 };

static uint32_t alias;

/* An alias on near of what @owner allows. */
static struct hca_mkey *alias_of(struct host *owner)
{
	struct hca_mkey *m = hca_mkey_new(&near.hca);

	cr_assert(hca_allow(&owner->hca, owner->mkey, access_key));
	m->pd = near.pd;
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
	far_pair_open();
	a.qp->mmo = true;
	memset(near.buf + OPAQUE, 0, 64);
	alias = alias_of(&far)->index << 8;
	for (unsigned int i = 0; i < 0x100000; i++) {
		near.buf[NEAR + i] = (uint8_t)(i * 7 + (i >> 8));
		far.buf[FAR + i] = (uint8_t)(i * 5 + (i >> 9));
	}
}

/* Posts a copy from @from of key @from_key to @to of @to_key. */
static void post_copy(uint32_t bytes, uint32_t from_key, uint32_t from, uint32_t to_key,
		      uint32_t to)
{
	post(&a, "dma opaque=0x40 %u local=0x%x lkey=0x%x %u local=0x%x lkey=0x%x sig", bytes,
	     from, from_key, bytes, to, to_key);
}

static void execute_copy(uint32_t bytes, uint32_t from_key, uint32_t from, uint32_t to_key,
			 uint32_t to)
{
	post_copy(bytes, from_key, from, to_key, to);
	work(&a);
	expect_cqe(&a, "sent");
	expect_none(&a);
}

/* The posted WQE ends in @syndrome, and copies nothing. */
static void expect_posted_refused(const char *syndrome)
{
	work(&a);
	expect_cqe(&a, "req_err %s wqe=0", syndrome);
	expect_none(&a);
	cr_expect_eq(near.buf[OPAQUE + 11], 0);
}

TestSuite(mmo_far, .init = setup, .fini = rig_close);

Test(mmo_far, source_of_another_function)
{
	static const uint8_t opaque[16] = { [9] = 0, [10] = 0x27, 0x11, [14] = 0x27, 0x11 };

	memset(near.buf + OPAQUE, 0xff, 64);
	record_frames();
	execute_copy(10001, alias, FAR, RIG_KEY, NEAR);
	cr_expect_arr_eq(near.buf + NEAR, far.buf + FAR, 10001);
	cr_expect_eq(near.buf[NEAR + 10001], (uint8_t)(10001 * 7 + (10001 >> 8)));
	cr_expect_arr_eq(near.buf + OPAQUE, opaque, 16);
	cr_expect_eq(frames, 0, "no frame is sent");
}

Test(mmo_far, destination_of_another_function)
{
	execute_copy(10001, RIG_KEY, NEAR, alias, FAR);
	cr_expect_arr_eq(far.buf + FAR, near.buf + NEAR, 10001);
	cr_expect_eq(far.buf[FAR + 10001], (uint8_t)(10001 * 5 + (10001 >> 9)));
}

Test(mmo_far, both_of_another_function)
{
	execute_copy(0x80001, alias, FAR, alias, 0x100001);
	cr_expect_arr_eq(far.buf + 0x100001, far.buf + FAR, 0x80001);
}

Test(mmo_far, alias_of_the_own_function)
{
	uint32_t own = alias_of(&near)->index << 8;

	execute_copy(0x12345, own, NEAR, alias, FAR);
	cr_expect_arr_eq(far.buf + FAR, near.buf + NEAR, 0x12345);
}

Test(mmo_far, random_sizes_and_offsets)
{
	static uint8_t here[RIG_BUF], there[RIG_BUF];

	memcpy(here, near.buf, RIG_BUF);
	memcpy(there, far.buf, RIG_BUF);
	srand(7);
	for (int i = 0; i < 200; i++) {
		uint32_t len = 1 + (uint32_t)rand() % (i % 4 ? 20000 : 300000);
		uint32_t n = NEAR + (uint32_t)rand() % 0x200000,
			 f = (uint32_t)rand() % 0x300000;

		if (i % 2) {
			execute_copy(len, alias, f, RIG_KEY, n);
			memcpy(here + n, there + f, len);
		} else {
			execute_copy(len, RIG_KEY, n, alias, f);
			memcpy(there + f, here + n, len);
		}
	}
	cr_expect_arr_eq(near.buf + NEAR, here + NEAR, RIG_BUF - NEAR);
	cr_expect_arr_eq(far.buf, there, RIG_BUF);
}

Test(mmo_far, waits_for_an_engine_that_does_not_run)
{
	post_copy(100000, alias, FAR, RIG_KEY, NEAR);
	ring(&a);
	for (int i = 0; i < 1000; i++)
		engine_step(near.e);
	expect_none(&a);
	settle();
	expect_cqe(&a, "sent");
	expect_none(&a);
	cr_expect_arr_eq(near.buf + NEAR, far.buf + FAR, 100000);
}

Test(mmo_far, several_queues_at_a_time)
{
	static struct side more[4];

	for (int i = 0; i < 4; i++) {
		side_open(&more[i], &near);
		connect_sides(&more[i], &more[i], 1024, 0x100);
		more[i].qp->mmo = true;
		post(&more[i],
		     "dma opaque=0x40 0x40000 local=0x200000 lkey=0x%x "
		     "0x40000 local=0x%x sig",
		     alias, NEAR + 0x50000 * i);
		ring(&more[i]);
	}
	settle();
	for (int i = 0; i < 4; i++) {
		expect_cqe(&more[i], "sent");
		cr_expect_arr_eq(near.buf + NEAR + 0x50000 * i, far.buf + FAR, 0x40000);
	}
	expect_finding("served by a doorbell|served by a doorbell|served by a doorbell");
}

/* ---- refusals ---- */

Test(mmo_far, range_that_the_mkey_does_not_cover)
{
	post_copy(0x2000, RIG_KEY, NEAR, alias, RIG_BUF - 0x1fff);
	expect_posted_refused("rem_access");
	cr_expect_eq(far.buf[RIG_BUF - 0x1fff], 0, "nothing is copied");
	expect_finding("the key covers|VHCA 2 says that it does not cover all bytes");
}

Test(mmo_far, memory_that_is_not_mapped)
{
	far.mkey->pages.pas[FAR >> 12] = 0x1000;
	far.mkey->pages.followed = true;
	post_copy(8, alias, FAR, RIG_KEY, NEAR);
	expect_posted_refused("rem_access");
	expect_finding("the memory of the key is not mapped|VHCA 2 has unmapped its memory");
}

enum change { NONE, REVOKE, ALLOW_AGAIN, NEVER, OTHER_PD };

static void make(enum change change)
{
	struct hca_mkey *m = core_ids_get(&near.hca.mkeys, alias >> 8);

	if (change == REVOKE || change == ALLOW_AGAIN)
		hca_revoke(&far.hca, far.mkey);
	if (change == ALLOW_AGAIN)
		cr_assert(hca_allow(&far.hca, far.mkey, access_key));
	if (change == NEVER)
		m->target.serial = 0;
	if (change == OTHER_PD)
		m->pd = hca_pd_new(&near.hca);
}

Test(mmo_far, aliases_that_are_refused)
{
	static const uint8_t all =
		HCA_LOCAL_READ | HCA_LOCAL_WRITE | HCA_REMOTE_READ | HCA_REMOTE_WRITE;
	static const struct {
		const char *what;
		uint8_t lacks;
		enum change change;
		uint32_t other, to;
		const char *syndrome, *finding;
	} rows[] = {
		{ "source without the right", HCA_LOCAL_READ, NONE, 0, NEAR, "rem_access",
		  "the key lacks|VHCA 2 does not give the right" },
		{ "destroyed", 0, REVOKE, 0, NEAR, "rem_access",
		  "VHCA 2 has destroyed or never allowed it" },
		{ "allowed again", 0, ALLOW_AGAIN, 0, NEAR, "rem_access",
		  "VHCA 2 has destroyed or never allowed it" },
		{ "never allowed", 0, NEVER, 0, NEAR, "rem_access", "VHCA 2 never allowed it" },
		{ "of another PD", 0, OTHER_PD, 0, NEAR, "local_prot",
		  "the key is of PD 0x10002, not 0x10001" },
		{ "not there", 0, NONE, 0x100, NEAR, "local_prot", "there is no such key" },
		{ "other low bits", 0, NONE, 1, NEAR, "local_prot",
		  "the low 8 bits of the key are 0x00, not 0x01" },
		{ "own side that ends", 0, NONE, 0, RIG_BUF, "local_prot",
		  "the key covers 4194304 bytes" },
	};

	FOR_EACH_ROW(row, rows, setup) {
		far.mkey->access = all & ~row->lacks;
		make(row->change);
		post_copy(8, alias + row->other, FAR, RIG_KEY, row->to);
		expect_posted_refused(row->syndrome);
		expect_finding("%s", row->finding);
	}
	rig_close();
	setup();
	far.mkey->access = all & ~HCA_LOCAL_WRITE;
	post_copy(8, RIG_KEY, NEAR, alias, FAR);
	expect_posted_refused("rem_access");
	expect_finding("the key lacks|VHCA 2 does not give the right");
}

Test(mmo_far, another_process_in_the_slot)
{
	atomic_fetch_add(&far.hca.vhcas[2].epoch, 1);
	post_copy(8, alias, FAR, RIG_KEY, NEAR);
	expect_posted_refused("rem_op");
	expect_finding("VHCA 2 is not there any more (its mkey 0x20001)");
}

Test(mmo_far, alias_in_the_data_segment_of_a_write)
{
	post(&a, "write 8 lkey=0x%x sig", alias);
	expect_posted_refused("local_prot");
	expect_finding("the key is of bytes of VHCA 2");
}

Test(mmo_far, alias_in_a_list_of_keys)
{
	struct hca_mkey *m = hca_mkey_new(&near.hca);

	m->pd = near.pd;
	m->access = HCA_LOCAL_READ | HCA_LOCAL_WRITE;
	m->start = RIG_VA;
	m->len = RIG_BUF;
	m->list = calloc(1, sizeof(*m->list));
	m->entries = m->capacity = 1;
	m->list[0] = (struct hca_klm){ .len = RIG_BUF, .key = alias, .addr = RIG_VA };
	post_copy(8, m->index << 8, FAR, RIG_KEY, NEAR);
	expect_posted_refused("local_prot");
	expect_finding("through key 0x1000300: the key is of bytes of VHCA 2");
}

/* ---- a key without permission, of a function that this one controls ---- */

static uint32_t crossing_key(uint8_t access, uint64_t len)
{
	struct hca_mkey *m = hca_mkey_new(&near.hca);

	m->pd = near.pd;
	m->access = access;
	m->start = RIG_VA;
	m->len = len;
	m->target = (struct hca_target){ .kind = HCA_TARGET_CROSSING,
					 .vhca_id = 2,
					 .key = RIG_FAR_KEY,
					 .epoch = atomic_load(&far.hca.vhcas[2].epoch) };
	return m->index << 8;
}

static void control(void)
{
	near.hca.role = HCA_ROLE_DPU;
	hca_vhca_publish(&near.hca, RIG_ADAPTER);
}

Test(mmo_far, crossing_mkey)
{
	control();
	execute_copy(100000, crossing_key(HCA_LOCAL_READ, RIG_BUF), FAR, RIG_KEY, NEAR);
	cr_expect_arr_eq(near.buf + NEAR, far.buf + FAR, 100000);
}

Test(mmo_far, crossing_mkey_of_a_function_that_does_not_control)
{
	post_copy(8, crossing_key(HCA_LOCAL_READ, RIG_BUF), FAR, RIG_KEY, NEAR);
	expect_posted_refused("rem_access");
	expect_finding("VHCA 2 has destroyed or never allowed it (its mkey 0x2000142)");
}

Test(mmo_far, crossing_mkey_of_a_key_that_is_not_there)
{
	uint32_t key = crossing_key(HCA_LOCAL_READ, RIG_BUF);

	control();
	((struct hca_mkey *)core_ids_get(&near.hca.mkeys, key >> 8))->target.key++;
	post_copy(8, key, FAR, RIG_KEY, NEAR);
	expect_posted_refused("rem_access");
	expect_finding("VHCA 2 has destroyed or never allowed it (its mkey 0x2000143)");
}

Test(mmo_far, crossing_mkey_without_the_right)
{
	control();
	post_copy(8, RIG_KEY, NEAR, crossing_key(HCA_LOCAL_READ, RIG_BUF), FAR);
	expect_posted_refused("local_prot");
	expect_finding("the key lacks IBV_ACCESS_LOCAL_WRITE");
}

Test(mmo_far, crossing_mkey_that_ends_before)
{
	control();
	post_copy(8, crossing_key(HCA_LOCAL_READ, FAR + 7), FAR, RIG_KEY, NEAR);
	expect_posted_refused("local_prot");
	expect_finding("the key covers 2097159 bytes");
}

/* ---- in the middle of a copy ---- */

/* The copy has begun: @steps times both engines. */
static void begin_copy(uint32_t bytes, uint32_t from_key, uint32_t from, uint32_t to_key,
		       uint32_t to, int steps)
{
	post_copy(bytes, from_key, from, to_key, to);
	ring(&a);
	while (steps--) {
		engine_step(near.e);
		engine_step(far.e);
	}
	expect_none(&a);
}

Test(mmo_far, owner_that_ends)
{
	for (unsigned int to = 0; to < 2; to++, rig_close(), setup()) {
		begin_copy(0x100000, to ? RIG_KEY : alias, to ? NEAR : FAR,
			   to ? alias : RIG_KEY, to ? FAR : NEAR, 3);
		post_copy(8, alias, FAR, RIG_KEY, NEAR);
		ring(&a);
		atomic_fetch_add(&far.hca.vhcas[2].epoch, 1);
		for (int i = 0; i < 1000000 && a.cq->pi == a.ci; i++)
			engine_step(near.e);
		settle_only(&near);
		expect_cqe(&a, "req_err rem_op wqe=0; req_err flushed wqe=1");
		expect_none(&a);
		settle();
		expect_none(&a);
		expect_finding("VHCA 2 is not there any more");
	}
}

Test(mmo_far, alias_that_is_destroyed)
{
	begin_copy(0x100000, alias, FAR, RIG_KEY, NEAR, 3);
	hca_mkey_free(&near.hca, core_ids_get(&near.hca.mkeys, alias >> 8));
	settle();
	expect_cqe(&a, "req_err local_prot wqe=0");
	expect_finding("local read of 4096 bytes at 0xa0240000: the key was deregistered");
}

/* Answers that come after the QP was reset change nothing. */
Test(mmo_far, queue_that_is_reset)
{
	begin_copy(0x80000, alias, FAR, RIG_KEY, NEAR, 2);
	engine_step(near.e); /* READs are under way */
	hca_qp_reset(a.qp);
	a.qp->state = PRM_QPC_STATE_RST;
	memset(near.buf + NEAR, 0, 0x80000);
	settle();
	for (unsigned int i = 0; i < 0x80000; i++)
		cr_assert_eq(near.buf[NEAR + i], 0);
	expect_none(&a);
}

Test(mmo_far, queue_that_is_drained_ends_its_copy)
{
	begin_copy(0x80000, alias, FAR, RIG_KEY, NEAR, 2);
	a.qp->state = PRM_QPC_STATE_SQD;
	settle();
	expect_cqe(&a, "sent");
	cr_expect_arr_eq(near.buf + NEAR, far.buf + FAR, 0x80000);
}

/* The answer that the first piece waits for, with @len bytes. */
static void answer(uint8_t kind, uint8_t status, size_t len)
{
	struct {
		struct wire_message m;
		uint8_t data[8];
	} bytes = { .m = { .from = atomic_load(&near.hca.vhcas[1].epoch),
			   .qpn = a.qp->qpn,
			   .serial = a.qp->req.mmo.piece[0].serial,
			   .kind = kind | WIRE_ANSWER,
			   .status = status } };

	vhca_take(near.e, (const uint8_t *)&bytes, sizeof(bytes.m) + len, 2);
}

Test(mmo_far, answers_that_no_engine_here_gives)
{
	static const char *const why[] = { "cannot use it in this state", "refuses it" };

	for (unsigned int i = 0; i < 2; i++, rig_close(), setup()) {
		post_copy(8, alias, FAR, RIG_KEY, NEAR);
		ring(&a);
		engine_step(near.e);
		answer(WIRE_CHECK, (uint8_t)(WIRE_UNUSABLE + i), 0);
		settle();
		expect_cqe(&a, "req_err rem_access wqe=0");
		expect_finding("VHCA 2 %s", why[i]);
	}
}

Test(mmo_far, bytes_of_another_length_are_asked_for_again)
{
	begin_copy(8, alias, FAR, RIG_KEY, NEAR, 2);
	cr_assert_eq(lose(&near, 9), 1);
	answer(WIRE_READ, 0, 7);
	settle();
	expect_cqe(&a, "sent");
	cr_expect_arr_eq(near.buf + NEAR, far.buf + FAR, 8);
}

/* The bytes have come, and there is no space to send them on. */
Test(mmo_far, bytes_without_space_are_asked_for_again)
{
	struct wire_packet p = { .opcode = WIRE_RC | WIRE_ACK };

	begin_copy(8, alias, FAR, alias, 0x100001, 2);
	while (wire_has_space(near.w, 2))
		wire_send(near.w, 2, &p);
	wire_flush(near.w);
	engine_step(near.e);
	cr_expect_eq(a.qp->req.mmo.done, 0);
	cr_expect(near.e->blocked, "it does not sleep until it is woken");
	settle();
	expect_cqe(&a, "sent");
	cr_expect_arr_eq(far.buf + 0x100001, far.buf + FAR, 8);
}

/* Once it is late, and the other function has read what it was sent. */
Test(mmo_far, a_lost_answer_is_asked_for_again)
{
	struct hca_mmo_piece *piece = &a.qp->req.mmo.piece[0];

	begin_copy(100, alias, FAR, RIG_KEY, NEAR, 0);
	for (unsigned int i = 0; i < 2; i++) { /* CHECK, READ */
		uint32_t serial;
		uint64_t sent;

		engine_step(near.e);
		serial = piece->serial;
		sent = piece->sent;
		piece->sent = 0;
		engine_step(near.e);
		cr_expect_eq(piece->serial, serial, "it is not read");
		piece->sent = sent;
		engine_step(far.e);
		cr_assert_eq(lose(&near, 9), 1);
		engine_step(near.e);
		cr_expect_eq(piece->serial, serial, "it is not late");
		piece->sent = 0;
		engine_step(near.e);
		cr_expect_neq(piece->serial, serial);
		engine_step(far.e);
	}
	settle();
	expect_cqe(&a, "sent");
	cr_expect_arr_eq(near.buf + NEAR, far.buf + FAR, 100);
}

/* Bytes that no engine sends: too short, too long, unknown. */
Test(mmo_far, malformed_messages_are_dropped)
{
	static uint8_t data[4096];
	struct wire_message m = { .to = atomic_load(&far.hca.vhcas[2].epoch),
				  .grant = far.mkey->grant,
				  .key = far.mkey->index,
				  .addr = RIG_VA + FAR,
				  .len = 8,
				  .kind = WIRE_WRITE,
				  .rights = HCA_LOCAL_WRITE };

	for (int i = 0; i < 6; i++) {
		struct wire_message bad = m;

		bad.kind = i == 1 ? 9 : i == 2 ? WIRE_READ : WIRE_WRITE;
		bad.rights = i == 3 ? HCA_LOCAL_READ : i == 4 ? 0xff : HCA_LOCAL_WRITE;
		bad.to += i == 5;
		cr_assert(wire_has_space(near.w, 2));
		wire_send_message(near.w, 2, &bad, data, i ? 8 : 7);
	}
	wire_flush(near.w);
	settle();
	cr_expect_eq(far.buf[FAR + 1], 5);
	cr_assert(wire_has_space(near.w, 2));
	wire_send_message(near.w, 2, &m, data, 8);
	wire_flush(near.w);
	settle();
	cr_expect_eq(far.buf[FAR + 1], 0, "the same without a mistake");
}

/* A WRITE of 8 bytes @value from near arrives at far. */
static void deliver_write(uint8_t value, uint32_t serial)
{
	struct {
		struct wire_message m;
		uint8_t data[8];
	} bytes = { .m = { .to = atomic_load(&far.hca.vhcas[2].epoch),
			   .grant = far.mkey->grant,
			   .key = far.mkey->index,
			   .addr = RIG_VA + FAR,
			   .len = 8,
			   .serial = serial,
			   .kind = WIRE_WRITE,
			   .rights = HCA_LOCAL_WRITE } };

	memset(bytes.data, value, sizeof(bytes.data));
	vhca_take(far.e, (const uint8_t *)&bytes, sizeof(bytes), 1);
}

static void fill_ring_to_near(void)
{
	struct wire_packet p = { .opcode = WIRE_RC | WIRE_ACK };

	while (wire_has_space(far.w, 1))
		wire_send(far.w, 1, &p);
	wire_flush(far.w);
}

/* The serials of the answers that near has, in their order. */
static unsigned int take_answers(uint32_t *serials)
{
	struct wire_message m;
	const uint8_t *bytes;
	unsigned int n = 0;
	uint8_t from;
	size_t len;

	while ((bytes = wire_next(near.w, &len, &from)))
		if (wire_is_message(near.w)) {
			memcpy(&m, bytes, sizeof(m));
			serials[n++ % 4] = m.serial;
		}
	return n;
}

/* A request that waits for space is older than one that arrives when there is some. */
Test(mmo_far, requests_of_a_function_are_executed_in_order)
{
	uint32_t serials[4] = { 0 };

	fill_ring_to_near();
	deliver_write(0x11, 1);
	cr_expect_eq(take_answers(serials), 0);
	deliver_write(0x22, 2);
	deliver_write(0x33, 3);
	engine_step(far.e);
	cr_expect_eq(far.buf[FAR], 0x33, "0x%02x is what an older request wrote", far.buf[FAR]);
	cr_assert_eq(take_answers(serials), 3);
	for (uint32_t i = 0; i < 3; i++)
		cr_expect_eq(serials[i], i + 1);

	deliver_write(0x44, 4);
	cr_expect_eq(far.buf[FAR], 0x44, "none waits any more: at once");
}
