/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvkit_emu_flow_trace(): the steps of a packet, by hand; nothing is delivered and no counter
 * changes.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <criterion/criterion.h>
#include <dvkit/emu.h>
#include <flow/list.h>

#include "ethernet.h"

TestSuite(trace_reports_the_way, .init = ethernet_open, .fini = ethernet_close);

/* The steps that are about tables of @only, 0: all. */
static struct reported {
	unsigned int n;
	struct dvkit_emu_flow_step step[64];
	uint8_t last[256]; /* the bytes of the last step */
} reported;

static void take(void *ctx, const struct dvkit_emu_flow_step *step)
{
	cr_assert_eq(ctx, &reported);
	cr_assert_lt(reported.n, 64);
	reported.step[reported.n++] = *step;
	if (step->len <= sizeof(reported.last))
		memcpy(reported.last, step->bytes, step->len);
}

static int ask(struct dvkit_emu_flow_packet *p)
{
	memset(&reported, 0, sizeof(reported));
	return dvkit_emu_flow_trace(p, sizeof(*p), take, sizeof(struct dvkit_emu_flow_step),
				    &reported);
}

/* UDP, 10.0.0.1:99 > 10.0.0.2:@port, TTL 64, to the MAC of the port. */
static struct dvkit_emu_flow_packet udp(uint16_t port)
{
	static uint8_t frame[60];

	memcpy(frame, eth.mac, 6);
	memcpy(frame + 6,
	       "\2\0\0\0\0\1\x8\0\x45\0\0\x2e\0\0\0\0\x40\x11\0\0\xa\0\0\1\xa\0\0\2\0\x63", 30);
	frame[36] = (uint8_t)(port >> 8);
	frame[37] = (uint8_t)port;
	frame[39] = 26;
	return (struct dvkit_emu_flow_packet){ .bytes = frame, .len = sizeof(frame) };
}

static bool on_emulator(void)
{
	if (dvkit_emu_flow_trace)
		return true;
	cr_skip_test("only the emulator reports the way of a packet");
	return false;
}

/* The place of @f is that of the step. */
static void is_place(const struct dvkit_emu_flow_step *step, const struct dv_flow *f)
{
	struct dv_flow_place place;

	dv_flow_place_of(&place, f);
	cr_assert_eq(step->table_type, place.type);
	cr_assert_eq(step->table_id, place.table_id);
	cr_assert_eq(step->group_id, place.group_id);
	cr_assert_eq(step->index, place.index);
}

/*
 * root table of the kernel -> table of group 0 -> table of group 1: one entry that does not
 * match, one that counts, sets a tag and the TTL.
 */
Test(trace_reports_the_way, entry_by_entry)
{
	struct dv_flow *jump, *no, *yes;
	struct dvkit_emu_flow_packet p = udp(2000);
	const struct dvkit_emu_flow_step *s = reported.step;
	struct devx_flow_count count;

	if (!on_emulator())
		return;
	ethernet_rules("devx");
	jump = rule("ingress pattern eth / ipv4 / end actions jump group 1 / end");
	no = rule(
		"ingress group 1 pattern eth / ipv4 / udp dst is 2001 / end actions drop / end");
	yes = rule(
		"ingress group 1 pattern eth / ipv4 / udp dst is 2000 / end "
		"actions count / tag value 0x123 / set_ttl ttl_value 9 / queue index 1 / end");
	p.others = 8;
	cr_assert_eq(ask(&p), 0);
	cr_assert_eq(reported.n, 10);

	cr_assert_eq(s[0].did, DVKIT_EMU_FLOW_ROOT);
	cr_assert_eq(s[0].table_type, PRM_FT_TYPE_NIC_RX);
	cr_assert_eq(s[1].did, DVKIT_EMU_FLOW_HIT);
	cr_assert_eq(s[1].table_id, s[0].table_id);
	cr_assert_eq(s[2].did, DVKIT_EMU_FLOW_DEST);
	cr_assert_eq(s[2].dest_type, PRM_DEST_TYPE_FLOW_TABLE);

	cr_assert_eq(s[3].did, DVKIT_EMU_FLOW_HIT);
	is_place(&s[3], jump);
	cr_assert_eq(s[2].dest_id, s[3].table_id);
	cr_assert_eq(s[3].entries, 1);
	cr_assert_eq(s[4].did, DVKIT_EMU_FLOW_DEST);

	cr_assert_eq(s[5].did, DVKIT_EMU_FLOW_OTHER);
	is_place(&s[5], no);
	cr_assert_eq(s[5].action, PRM_FLOW_CONTEXT_ACTION_DROP);
	cr_assert_eq(s[6].did, DVKIT_EMU_FLOW_HIT);
	is_place(&s[6], yes);
	cr_assert_eq(s[4].dest_id, s[6].table_id);
	cr_assert_eq(s[6].level, s[3].level + 1);
	cr_assert_eq(s[6].entries, 2);
	cr_assert_eq(s[6].flow_tag, 0x123);
	cr_assert_neq(s[6].counter_id, 0);
	cr_assert_neq(s[6].modify_header_id, 0);
	cr_assert_eq(s[6].action, PRM_FLOW_CONTEXT_ACTION_FWD_DEST |
					  PRM_FLOW_CONTEXT_ACTION_COUNT |
					  PRM_FLOW_CONTEXT_ACTION_MOD_HDR);
	cr_assert_eq(s[7].did, DVKIT_EMU_FLOW_CHANGED);
	cr_assert_eq(s[8].did, DVKIT_EMU_FLOW_DEST);
	cr_assert_eq(s[8].dest_type, PRM_DEST_TYPE_TIR);
	cr_assert_eq(s[9].did, DVKIT_EMU_FLOW_QUEUE);
	cr_assert_eq(s[9].dest_id, s[8].dest_id);
	cr_assert_eq(s[9].rqn, queue_rqn(1));
	cr_assert_eq(s[9].rq_state, PRM_RQC_STATE_RDY);
	cr_assert_eq(s[9].hash_type, 0);
	cr_assert_eq(reported.last[14 + 8], 9, "the TTL of the last step");
	cr_assert_eq(((const uint8_t *)p.bytes)[14 + 8], 64, "the packet of the caller");

	cr_assert_eq(dv_flow_query(yes, &count), 0);
	cr_assert_eq(count.packets, 0);
	cr_assert(queue_is_empty(0) && queue_is_empty(1));
}

static struct {
	uint8_t mask[512], value[512], match[512];
	unsigned int n;
} other;

static void take_other(void *ctx, const struct dvkit_emu_flow_step *step)
{
	(void)ctx;
	if (step->did != DVKIT_EMU_FLOW_OTHER)
		return;
	other.n++;
	memcpy(other.mask, step->mask, 512);
	memcpy(other.value, step->value, 512);
	memcpy(other.match, step->match, 512);
}

/* fte_match_set_lyr_2_4: udp_dport is in bytes 0x1e and 0x1f, ip_protocol in 0x10. */
Test(trace_reports_the_way, what_is_compared)
{
	struct dvkit_emu_flow_packet p = udp(0x1234);

	if (!on_emulator())
		return;
	ethernet_rules("kernel");
	rule("ingress pattern eth / ipv4 / udp dst spec 0x1200 dst mask 0xff01 / end actions drop / end");
	p.others = 8;
	cr_assert_eq(ask(&p), 0);
	cr_assert_eq(reported.step[reported.n - 1].did, DVKIT_EMU_FLOW_DROP);
	cr_assert_neq(reported.step[reported.n - 1].table_id, 0, "by the entry");
	p = udp(0x1235);
	p.others = 8;
	cr_assert_eq(dvkit_emu_flow_trace(&p, sizeof(p), take_other,
					  sizeof(struct dvkit_emu_flow_step), NULL),
		     0);
	cr_assert_eq(other.n, 1);
	cr_assert_arr_eq(other.mask + 0x1e, ((uint8_t[]){ 0xff, 0x01 }), 2);
	cr_assert_arr_eq(other.value + 0x1e, ((uint8_t[]){ 0x12, 0x00 }), 2);
	cr_assert_arr_eq(other.match + 0x1e, ((uint8_t[]){ 0x12, 0x35 }), 2);
	cr_assert_eq(other.match[0x10], 17);
}

/* As many as are asked for, those of lowest index. */
Test(trace_reports_the_way, entries_that_do_not_match)
{
	struct dvkit_emu_flow_packet p = udp(2000);

	if (!on_emulator())
		return;
	ethernet_rules("devx");
	rule("ingress pattern eth / ipv4 / end actions jump group 1 / end");
	for (int i = 0; i < 8; i++) {
		char text[128];

		snprintf(
			text, sizeof(text),
			"ingress group 1 pattern eth / ipv4 / udp dst is %d / end actions drop / end",
			3000 + i);
		rule(text);
	}
	cr_assert_eq(ask(&p), 0);
	for (unsigned int i = 0; i < reported.n; i++)
		cr_assert_neq(reported.step[i].did, DVKIT_EMU_FLOW_OTHER);
	cr_assert_eq(reported.step[reported.n - 2].did, DVKIT_EMU_FLOW_MISS);
	cr_assert_eq(reported.step[reported.n - 2].entries, 8);
	cr_assert_eq(reported.step[reported.n - 1].did, DVKIT_EMU_FLOW_DROP);
	cr_assert_eq(reported.step[reported.n - 1].table_id, 0, "the default of NIC_RX");
	p.others = 3;
	cr_assert_eq(ask(&p), 0);
	cr_assert_eq(reported.step[reported.n - 2].did, DVKIT_EMU_FLOW_MISS);
	for (unsigned int i = 0; i < 3; i++) {
		cr_assert_eq(reported.step[reported.n - 5 + i].did, DVKIT_EMU_FLOW_OTHER);
		cr_assert_eq(reported.step[reported.n - 5 + i].index, i);
	}
	cr_assert_neq(reported.step[reported.n - 6].did, DVKIT_EMU_FLOW_OTHER);
}

/* The steps of more than 128 entries take more than 32 KiB, which are mapped. */
Test(trace_reports_the_way, without_memory)
{
	struct dvkit_emu_flow_packet p = udp(2000);
	struct rlimit was;

	if (!on_emulator())
		return;
	ethernet_rules("devx");
	for (int i = 0; i < 200; i++) {
		char text[128];

		snprintf(text, sizeof(text),
			 "ingress pattern eth / ipv4 / udp dst is %d / end actions drop / end",
			 3000 + i);
		rule(text);
	}
	p.others = 200;
	cr_assert_eq(getrlimit(RLIMIT_AS, &was), 0);
	cr_assert_eq(setrlimit(RLIMIT_AS, &(struct rlimit){ 4096, was.rlim_max }), 0);
	cr_assert_eq(ask(&p), ENOMEM);
	cr_assert_eq(setrlimit(RLIMIT_AS, &was), 0);
	cr_assert_eq(reported.n, 0);
}

/* Before the tables: the MAC. Without tables of NIC_TX a packet leaves. */
Test(trace_reports_the_way, port_and_wire)
{
	struct dvkit_emu_flow_packet p = udp(2000);

	if (!on_emulator())
		return;
	ethernet_rules("kernel");
	rule("ingress pattern eth / end actions queue index 0 / end");
	((uint8_t *)p.bytes)[5] ^= 1;
	cr_assert_eq(ask(&p), 0);
	cr_assert_eq(reported.n, 1);
	cr_assert_eq(reported.step[0].did, DVKIT_EMU_FLOW_REFUSED);
	p.any_mac = true;
	cr_assert_eq(ask(&p), 0);
	cr_assert_eq(reported.step[reported.n - 1].did, DVKIT_EMU_FLOW_QUEUE);
	p.send = true;
	cr_assert_eq(ask(&p), 0);
	cr_assert_eq(reported.n, 2);
	cr_assert_eq(reported.step[0].did, DVKIT_EMU_FLOW_PASS);
	cr_assert_eq(reported.step[0].table_type, PRM_FT_TYPE_NIC_TX);
	cr_assert_eq(reported.step[1].did, DVKIT_EMU_FLOW_WIRE);
}

/* The entry of software that compares @name, as asked. */
struct compared {
	const char *name;
	uint32_t did;
	struct dvkit_emu_flow_bits bits;
};

/* Bits of a hit are equal; of a miss one differs. */
static void compare(void *ctx, const struct dvkit_emu_flow_step *step)
{
	struct compared *c = ctx;
	uint32_t others = 0;

	for (const struct dvkit_emu_flow_bits *b = step->bits; b < step->bits + step->n_bits;
	     b++) {
		others += b->packet != b->value;
		if (!b->name || strcmp(b->name, c->name) != 0)
			continue;
		c->bits = *b;
		c->did = step->did;
	}
	if (!step->n_bits)
		return;
	cr_assert(step->icm_address && step->lookup && step->ste);
	cr_assert_eq(others != 0, step->did == DVKIT_EMU_FLOW_STE_MISS);
}

static struct compared ask_for(const char *name, uint16_t port)
{
	struct dvkit_emu_flow_packet p = udp(port);
	struct compared c = { .name = name };

	cr_assert_eq(dvkit_emu_flow_trace(&p, sizeof(p), compare,
					  sizeof(struct dvkit_emu_flow_step), &c),
		     0);
	return c;
}

Test(trace_reports_the_way, dr_entry_by_entry)
{
	struct compared c;

	if (!on_emulator())
		return;
	ethernet_rules("dr");
	rule("ingress pattern eth / end actions jump group 1 / end");
	rule("ingress group 1 pattern eth / ipv4 dst spec 10.0.0.0 dst mask 255.0.0.0 / udp "
	     "dst is 2000 / end actions queue index 0 / end");
	c = ask_for("l4_dport", 2000);
	cr_assert_eq(c.did, DVKIT_EMU_FLOW_STE_HIT);
	cr_assert_eq(c.bits.packet, 2000);
	cr_assert_eq(c.bits.width, 16);
	cr_assert_eq(c.bits.mask, 0xffff);
	c = ask_for("dst_ipv4_dst_ipv6", 2000);
	cr_assert_eq(c.bits.value, 0x0a000000);
	cr_assert_eq(c.bits.packet, 0x0a000000, "under its mask");
	cr_assert_eq(c.bits.mask, 0xff000000);
	c = ask_for("l4_dport", 2001);
	cr_assert_eq(c.did, DVKIT_EMU_FLOW_STE_MISS);
	cr_assert_eq(c.bits.packet, 2001);
	cr_assert_eq(c.bits.value, 2000);
}

/* A caller with an older header, with a newer one; wrong questions. */
Test(trace_reports_the_way, sizes_and_errors)
{
	struct dvkit_emu_flow_packet p = udp(2000);
	struct {
		struct dvkit_emu_flow_packet p;
		uint64_t later[4];
	} newer = { .p = p, .later = { 1, 2, 3, 4 } };
	const size_t old = offsetof(struct dvkit_emu_flow_packet, device);
	static uint8_t long_packet[10001];

	if (!on_emulator())
		return;
	memset(&reported, 0, sizeof(reported));
	cr_assert_eq(dvkit_emu_flow_trace(&p, old, take, sizeof(struct dvkit_emu_flow_step),
					  &reported),
		     0);
	cr_assert_eq(reported.step[reported.n - 1].did, DVKIT_EMU_FLOW_DROP);
	memset(&reported, 0, sizeof(reported));
	cr_assert_eq(dvkit_emu_flow_trace(&newer.p, sizeof(newer), take,
					  sizeof(struct dvkit_emu_flow_step) + 100, &reported),
		     0);
	cr_assert_eq(reported.step[reported.n - 1].did, DVKIT_EMU_FLOW_DROP);
	p.bytes = long_packet;
	for (unsigned int i = 0; i < 4; i++) { /* a header; and MTU 9978, two VLAN tags */
		static const uint32_t lengths[] = { 13, 14, 10000, 10001 };

		p.len = lengths[i];
		cr_assert_eq(ask(&p), i == 1 || i == 2 ? 0 : EINVAL, "%zu bytes", p.len);
	}
	p = udp(2000);
	p.sqn = 0xfffff0;
	cr_assert_eq(ask(&p), ENOENT);
	p = udp(2000);
	p.device = 1;
	cr_assert_eq(ask(&p), ENODEV);
	p.device = UINT32_MAX;
	cr_assert_eq(ask(&p), ENODEV);
	cr_assert_eq(reported.n, 0);
}
