/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Three threads: one sends frames over the fabric, the engine's takes them through the flow
 * tables, and this one makes, changes and destroys an entry before the one that counts all.
 * Each frame is counted once, by one of them; if one is lost, the sum is never reached, and
 * SIGALRM ends the program.
 *
 * A plain program with an exit status, since Criterion does not start under ThreadSanitizer
 * (DVKIT_SANITIZE=thread).
 */
#include <err.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/engine.h"
#include "fw/fw.h"
#include "prm/prm.h"

enum { FRAMES = 20000, BYTES = 100, ENTRY_MAX = 1024, SECONDS = 100 };

static struct hca hca;
static struct wire *here, *there;
static uint32_t table_id, counter[2];

static void check(bool ok, const char *what)
{
	if (!ok)
		errx(1, "%s", what);
}

static void run(const uint8_t *in, size_t len, uint8_t out[64])
{
	memset(out, 0, 64);
	hca_lock(&hca);
	fw_exec(&hca, in, len, out, 64);
	hca_unlock(&hca);
	if (out[0])
		errx(1, "command %#x: status %u", (unsigned int)PRM_GET(mbox_in, in, opcode),
		     out[0]);
}

static uint32_t new_counter(void)
{
	uint8_t in[PRM_SZ(alloc_flow_counter_in)] = { 0 }, out[64];

	PRM_SET(alloc_flow_counter_in, in, opcode, PRM_OP_ALLOC_FLOW_COUNTER);
	run(in, sizeof(in), out);
	return (uint32_t)PRM_GET(alloc_flow_counter_out, out, flow_counter_id);
}

static void make_root(void)
{
	uint8_t in[PRM_SZ(create_flow_table_in)] = { 0 }, out[64];

	PRM_SET(create_flow_table_in, in, opcode, PRM_OP_CREATE_FLOW_TABLE);
	PRM_SET(flow_table_context, PRM_ADDR(create_flow_table_in, in, flow_table_context),
		log_size, 1);
	run(in, sizeof(in), out);
	table_id = (uint32_t)PRM_GET(create_flow_table_out, out, table_id);
	memset(in, 0, sizeof(in));
	PRM_SET(set_flow_table_root_in, in, opcode, PRM_OP_SET_FLOW_TABLE_ROOT);
	PRM_SET(set_flow_table_root_in, in, table_id, table_id);
	run(in, PRM_SZ(set_flow_table_root_in), out);
}

/* A group of one entry that matches everything. */
static uint32_t new_group(uint32_t index)
{
	uint8_t in[PRM_SZ(create_flow_group_in)] = { 0 }, out[64];

	PRM_SET(create_flow_group_in, in, opcode, PRM_OP_CREATE_FLOW_GROUP);
	PRM_SET(create_flow_group_in, in, table_id, table_id);
	PRM_SET(create_flow_group_in, in, start_flow_index, index);
	PRM_SET(create_flow_group_in, in, end_flow_index, index);
	run(in, sizeof(in), out);
	return (uint32_t)PRM_GET(create_flow_group_out, out, group_id);
}

/* Counts and drops; @change: an entry that is there. */
static void set_entry(uint32_t index, uint32_t group, bool change)
{
	uint8_t in[ENTRY_MAX] = { 0 }, out[64];
	uint8_t *ctx = PRM_ADDR(set_fte_in, in, flow_context);

	PRM_SET(set_fte_in, in, opcode, PRM_OP_SET_FLOW_TABLE_ENTRY);
	PRM_SET(set_fte_in, in, op_mod, change);
	PRM_SET(set_fte_in, in, modify_enable_mask,
		change << PRM_SET_FTE_MODIFY_ENABLE_MASK_FLOW_COUNTERS);
	PRM_SET(set_fte_in, in, table_id, table_id);
	PRM_SET(set_fte_in, in, flow_index, index);
	PRM_SET(flow_context, ctx, group_id, group);
	PRM_SET(flow_context, ctx, action,
		PRM_FLOW_CONTEXT_ACTION_DROP | PRM_FLOW_CONTEXT_ACTION_COUNT);
	PRM_SET(flow_context, ctx, flow_counter_list_size, 1);
	PRM_SET(flow_counter_list, in + PRM_SZ(set_fte_in), flow_counter_id, counter[index]);
	run(in, PRM_SZ(set_fte_in) + PRM_SZ(flow_counter_list), out);
}

static void delete_entry(uint32_t index)
{
	uint8_t in[PRM_SZ(delete_fte_in)] = { 0 }, out[64];

	PRM_SET(delete_fte_in, in, opcode, PRM_OP_DELETE_FLOW_TABLE_ENTRY);
	PRM_SET(delete_fte_in, in, table_id, table_id);
	PRM_SET(delete_fte_in, in, flow_index, index);
	run(in, sizeof(in), out);
}

static uint64_t packets(uint32_t id)
{
	uint64_t n;

	hca_lock(&hca);
	n = ((struct hca_flow_counter *)hca_object_find(&hca, HCA_KIND_flow_counter, id))
		    ->traffic[0]
		    .packets;
	hca_unlock(&hca);
	return n;
}

static void *send_frames(void *unused)
{
	const struct wire_ethernet how = { 0 };
	uint8_t frame[BYTES] = { 0 };

	memcpy(frame, hca.port.mac, 6);
	frame[6] = 2;
	frame[12] = 8;
	for (int i = 0; i < FRAMES; i++)
		while (!wire_send_ethernet(there, hca.slot, &how, frame, sizeof(frame))) {
			wire_flush(there);
			sched_yield();
		}
	while (wire_flush(there))
		sched_yield();
	return unused;
}

static uint64_t change_rules(void)
{
	uint32_t group = new_group(0);
	uint64_t changes = 0;

	for (; packets(counter[0]) + packets(counter[1]) < FRAMES; changes++) {
		set_entry(0, group, false);
		set_entry(0, group, true);
		delete_entry(0);
	}
	return changes;
}

int main(void)
{
	static const uint8_t mac[6] = { 2, 0, 0, 0, 0, 1 };
	struct engine *e;
	char fabric[32];
	struct net *n;
	pthread_t sender;
	uint64_t changes;

	alarm(SECONDS);
	snprintf(fabric, sizeof(fabric), "stress-%d", (int)getpid());
	here = wire_open(fabric);
	there = wire_open(fabric);
	check(here && there && !hca_init(&hca, wire_slot(here)), "device");
	memcpy(hca.port.mac, mac, sizeof(mac));
	fw_init(&hca, fw_device_find("cx7"));
	make_root();
	for (int i = 0; i < 2; i++)
		counter[i] = new_counter();
	set_entry(1, new_group(1), false);
	n = net_open(&hca, here);
	check(n, "network");
	e = engine_start(&hca, here, n);
	check(e, "engine");
	check(!pthread_create(&sender, NULL, send_frames, NULL), "thread");
	changes = change_rules();
	pthread_join(sender, NULL);
	engine_stop(e);
	printf("%d frames, entry 0 made %llu times: %llu for it, %llu for entry 1\n", FRAMES,
	       (unsigned long long)changes, (unsigned long long)packets(counter[0]),
	       (unsigned long long)packets(counter[1]));
	check(packets(counter[0]) + packets(counter[1]) == FRAMES, "frames are counted twice");
	hca_fini(&hca);
	net_close(n);
	wire_close(there);
	wire_close(here);
	return 0;
}
