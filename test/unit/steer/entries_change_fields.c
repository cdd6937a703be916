/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * entry_changes: each word of the device that an STE can change, by hand, and the bits of the
 * packet that it is. Words: rdma-core, providers/mlx5/dr_ste_v0.c, dr_ste_v1.c, dr_ste_v2.c.
 */
#include "stes.h"

TestSuite(entry_changes, .init = start, .fini = stop);

enum opcode { COPY = 1, SET, ADD };

#define DATA 0xa5c3965bu
#define TCP  "eth:8100 0005 0800 v4:6 tcp"
#define TCP6 "eth:86dd v6:6 tcp"
#define UDP  "eth:800 v4:11 udp:35"
#define UDP6 "eth:86dd v6:11 udp:35"

/* @bit: of the packet. */
static const struct row {
	uint8_t format, word, shift, bits;
	const char *packet;
	uint16_t bit;
} rows[] = {
	{ 0, 0x00, 16, 32, TCP, 0 },	      { 0, 0x00, 0, 16, TCP, 8 * 4 },
	{ 0, 0x01, 16, 32, TCP, 8 * 6 },      { 0, 0x01, 0, 16, TCP, 8 * 10 },
	{ 0, 0x02, 32, 16, TCP, 8 * 16 },     { 0, 0x02, 0, 12, TCP, 8 * 14 + 4 },
	{ 0, 0x03, 0, 32, UDP, 8 * 26 },      { 0, 0x03, 32, 32, UDP, 8 * 30 },
	{ 0, 0x03, 32, 32, UDP6, 8 * 38 },    { 0, 0x03, 0, 32, UDP6, 8 * 42 },
	{ 0, 0x04, 0, 6, UDP, 8 * 15 },	      { 0, 0x04, 0, 6, UDP6, 8 * 14 + 4 },
	{ 0, 0x04, 8, 8, UDP, 8 * 22 },	      { 0, 0x04, 8, 8, UDP6, 8 * 21 },
	{ 0, 0x05, 32, 32, UDP6, 8 * 46 },    { 0, 0x05, 0, 32, UDP6, 8 * 50 },
	{ 0, 0x06, 32, 32, UDP6, 8 * 22 },    { 0, 0x06, 0, 32, UDP6, 8 * 26 },
	{ 0, 0x07, 32, 32, UDP6, 8 * 30 },    { 0, 0x07, 0, 32, UDP6, 8 * 34 },
	{ 0, 0x08, 0, 16, UDP, 8 * 34 },      { 0, 0x08, 16, 16, UDP, 8 * 36 },
	{ 0, 0x08, 0, 16, TCP6, 8 * 54 },     { 0, 0x08, 16, 16, TCP6, 8 * 56 },
	{ 0, 0x08, 48, 9, TCP6, 8 * 66 + 7 }, { 0, 0x09, 32, 32, TCP6, 8 * 58 },
	{ 0, 0x09, 0, 32, TCP6, 8 * 62 },     { 1, 0x00, 0, 32, TCP, 0 },
	{ 1, 0x01, 16, 16, TCP, 8 * 4 },      { 1, 0x01, 0, 16, TCP, 8 * 16 },
	{ 1, 0x02, 0, 12, TCP, 8 * 14 + 4 },  { 1, 0x08, 0, 32, TCP, 8 * 6 },
	{ 1, 0x09, 16, 16, TCP, 8 * 10 },     { 1, 0x0e, 18, 6, UDP, 8 * 15 },
	{ 1, 0x0e, 18, 6, UDP6, 8 * 14 + 4 }, { 1, 0x0e, 8, 8, UDP, 8 * 22 },
	{ 1, 0x0e, 8, 8, UDP6, 8 * 21 },      { 1, 0x18, 16, 16, UDP6, 8 * 54 },
	{ 1, 0x18, 0, 16, UDP6, 8 * 56 },     { 1, 0x18, 16, 16, TCP, 8 * 38 },
	{ 1, 0x18, 0, 16, TCP, 8 * 40 },      { 1, 0x19, 16, 9, TCP, 8 * 50 + 7 },
	{ 1, 0x40, 0, 32, UDP, 8 * 26 },      { 1, 0x41, 0, 32, UDP, 8 * 30 },
	{ 1, 0x44, 0, 32, UDP6, 8 * 38 },     { 1, 0x45, 0, 32, UDP6, 8 * 42 },
	{ 1, 0x46, 0, 32, UDP6, 8 * 46 },     { 1, 0x47, 0, 32, UDP6, 8 * 50 },
	{ 1, 0x4c, 0, 32, UDP6, 8 * 22 },     { 1, 0x4d, 0, 32, UDP6, 8 * 26 },
	{ 1, 0x4e, 0, 32, UDP6, 8 * 30 },     { 1, 0x4f, 0, 32, UDP6, 8 * 34 },
	{ 1, 0x5e, 0, 32, TCP, 8 * 42 },      { 1, 0x5f, 0, 32, TCP, 8 * 46 },
};

/* Words that are registers, with their shifts in format 0: c_0 to c_7, a. */
#define C(n)  (n)
#define REG_A 8
static const struct {
	uint8_t format, word, shift, reg;
} registers[] = {
	{ 0, 0x0c, 32, C(0) }, { 0, 0x0c, 0, C(1) },  { 0, 0x0d, 32, C(2) },
	{ 0, 0x0d, 0, C(3) },  { 0, 0x0e, 32, C(4) }, { 0, 0x0e, 0, C(5) },
	{ 0, 0x16, 0, REG_A }, { 1, 0x90, 0, C(0) },  { 1, 0x91, 0, C(1) },
	{ 1, 0x8e, 0, C(2) },  { 1, 0x8f, 0, C(3) },  { 1, 0x8c, 0, C(4) },
	{ 1, 0x8d, 0, C(5) },  { 1, 0x7c, 0, REG_A }, { 2, 0x94, 0, C(0) },
	{ 2, 0x95, 0, C(1) },  { 2, 0x92, 0, C(2) },  { 2, 0x93, 0, C(3) },
	{ 2, 0x90, 0, C(4) },  { 2, 0x91, 0, C(5) },  { 2, 0x7c, 0, REG_A },
	{ 3, 0x94, 0, C(0) },  { 3, 0x91, 0, C(5) },
};

static uint32_t reg(uint8_t n)
{
	return n == REG_A ? got.meta.reg_a : got.meta.reg_c[n];
}

/* A packet on its way through an STE with one change; how many TIRs get it. In format 1 a shift
 * has 0x20 added, and an opcode 4; 32 bits are 0 in the 5 bits of format 0. */
static unsigned int change(uint8_t format, enum opcode opcode, uint8_t word, uint8_t shift,
			   uint8_t bits, uint32_t second)
{
	uint32_t first = (uint32_t)opcode << 24 | (uint32_t)word << 16;
	uint8_t *s;

	if (!format) {
		s = ste_0(0, 0x0f, tir_address(), DROP);
		s[0] = 0x60;
		put32(s + 12, 1 << 16);
		put32(list->memory.bytes, first | (uint32_t)shift << 8 | (bits & 0x1f));
		put32(list->memory.bytes + 4, second);
	} else {
		s = ste_1(0, 0x000f, tir_address(), DROP);
		put32(s + 24, (first + 0x04000000) | (shift + 0x20u) << 8 | bits);
		put32(s + 28, second);
	}
	receive_registers();
	return got.tirs;
}

/* @bits bits of the packet at @bit become the lowest of @data. */
static void put_bits(uint8_t *packet, uint32_t bit, uint32_t bits, uint32_t data)
{
	for (uint32_t i = 0; i < bits; i++) {
		uint8_t *byte = packet + (bit + i) / 8, m = 0x80 >> (bit + i) % 8;

		*byte = data >> (bits - 1 - i) & 1 ? *byte | m : *byte & ~m;
	}
}

/* All of the packet but its checksums, which change with it. */
static void expect_packet(const struct row *r, const char *how, const uint8_t *wanted)
{
	uint8_t all[2][128];

	cr_assert(got.tirs == 1 && got.len == len, "format %u, word %x, %s", r->format, r->word,
		  how);
	memcpy(all[0], got.bytes, len);
	memcpy(all[1], wanted, len);
	steer_parse(&h, wanted, len);
	for (int i = 0; i < 2; i++) {
		if (h.outer.version == 4)
			memset(all[i] + h.outer.l3 + 10, 0, 2);
		memset(all[i] + h.outer.l4 + (h.outer.protocol == 6 ? 16 : 6), 0, 2);
	}
	cr_expect_arr_eq(all[0], all[1], len, "format %u, word %x, shift %u of %s: %s",
			 r->format, r->word, r->shift, r->packet, how);
}

static void each_change(const struct row *r)
{
	uint8_t copy = r->format ? 0x90 : 0x0c, at = r->format ? 0x20 : 32, wanted[128];
	uint32_t was = 0;

	memcpy(wanted, bytes, len);
	put_bits(wanted, r->bit, r->bits, DATA);
	change(r->format, SET, r->word, r->shift, r->bits, DATA);
	expect_packet(r, "set", wanted);

	memcpy(wanted, bytes, len);
	put_bits(wanted, r->bit + r->bits - 4, 3, 5);
	change(r->format, SET, r->word, r->shift + 1, 3, 5);
	expect_packet(r, "three bits", wanted);

	memcpy(wanted, bytes, len);
	put_bits(wanted, r->bit, r->bits, 0xc0c0c0c0);
	change(r->format, COPY, r->word, r->shift, r->bits,
	       (uint32_t)copy << 16 | (uint32_t)at << 8);
	expect_packet(r, "copied", wanted);

	for (uint32_t i = 0; i < r->bits; i++)
		was = was << 1 | (bytes[(r->bit + i) / 8] >> (7 - (r->bit + i) % 8) & 1);
	memcpy(wanted, bytes, len);
	put_bits(wanted, r->bit, r->bits, was + 3);
	change(r->format, ADD, r->word, r->shift, r->bits, 3);
	expect_packet(r, "added", wanted);
}

Test(entry_changes, are_of_these_bits)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *r = &rows[i];

		start();
		begin(r->format);
		build(r->packet);
		each_change(r);
		cr_expect_eq(findings, 0);
		cr_expect_eq(change(r->format, SET, r->word, r->shift + 1, r->bits, DATA), 0,
			     "format %u, word %x: a bit too far", r->format, r->word);
		stop();
	}
	start();
}

Test(entry_changes, set_registers)
{
	for (size_t i = 0; i < ARRAY_SIZE(registers); i++) {
		uint32_t n = registers[i].reg;

		start();
		begin(registers[i].format);
		build(UDP);
		change(registers[i].format, SET, registers[i].word, registers[i].shift, 32,
		       DATA);
		cr_expect_eq(reg(n), DATA, "format %u, word %x: %x", registers[i].format,
			     registers[i].word, reg(n));
		for (uint8_t k = 0; k <= REG_A; k++)
			cr_expect(k == n ||
					  reg(k) == (k == REG_A ? 0x0a0a0a0a
								: 0xc0c0c0c0 + 0x01010101u * k),
				  "format %u, word %x: register %u", registers[i].format,
				  registers[i].word, k);
		stop();
	}
	start();
}

Test(entry_changes, of_no_field_drop)
{
	static const struct {
		uint8_t format, opcode, word, shift, bits;
		uint32_t second;
	} refused[] = {
		{ 0, 4, 0x00, 0, 8, 0 },    { 1, 0, 0x00, 0, 8, 0 },
		{ 0, SET, 0x17, 0, 8, 0 },  { 1, SET, 0x92, 0, 8, 0 },
		{ 2, SET, 0x96, 0, 8, 0 },  { 2, SET, 0x8f, 0, 8, 0 },
		{ 1, SET, 0x01, 8, 16, 0 }, { 0, COPY, 0x00, 0, 8, 0x170000 },
		{ 1, SET, 0x40, 0, 33, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		start();
		begin(refused[i].format);
		build(UDP);
		cr_expect_eq(change(refused[i].format, refused[i].opcode, refused[i].word,
				    refused[i].shift, refused[i].bits, refused[i].second),
			     0, "row %zu", i);
		cr_expect_eq(findings, 1, "row %zu", i);
		stop();
	}
	start();
}

/* ---- actions of firmware commands ---- */

/* Rows without an entry are refused. Anchors: 0 start, 2 first tag, 7 IP, 13 inner MAC, 19
 * inner IP; formats 1 and 3 have them, and an offset, at other bits. */
static const struct {
	uint8_t format;
	const char *action, *entry;
} made[] = {
	{ 1, "100a0008 0000002a", "060e2808 0000002a" }, /* SET the TTL */
	{ 1, "100a0404 0000000b", "060e2c04 0000000b" }, /* four bits of it */
	{ 1, "10010000 01020304", "06082020 01020304" }, /* 32 bits */
	{ 1, "10ff0000 00000000", NULL },
	{ 1, "100a0108 00000000", NULL },		 /* a bit too far */
	{ 1, "200a0000 000000ff", "070e2808 000000ff" }, /* ADD */
	{ 1, "20ff0000 00000000", NULL },
	{ 1, "300a0008 00510000", "05902008 000e2800" }, /* COPY the TTL to C 0 */
	{ 2, "300a0008 00510000", "05942008 000e2800" },
	{ 3, "300a0008 00510000", "05942008 000e2800" },
	{ 1, "300a0204 00510c00", "05902c04 000e2a00" }, /* four bits to others */
	{ 1, "30ff0008 00510000", NULL },
	{ 1, "300a0008 00ff0000", NULL },
	{ 1, "50001300 00000000", "09001300 00000000" }, /* REMOVE up to the inner MAC */
	{ 1, "58021900 00000000", "09021908 00000000" }, /* … with decap */
	{ 3, "58021900 00000000", "09046408 00000000" },
	{ 1, "50011300 00000000", NULL },
	{ 1, "50000100 00000000", NULL },
	{ 1, "70020102 00000000", "08020082 00000000" }, /* REMOVE_WORDS */
	{ 3, "70020102 00000000", "08040202 00000000" },
	{ 1, "70010002 00000000", NULL },
	{ 1, "44020602 81000064", "0a020c00 81000064" }, /* INSERT inline */
	{ 3, "44020602 81000064", "0a040c00 81000064" },
	{ 1, "44000601 81000064", NULL }, /* one word */
	{ 1, "44000603 81000064", NULL },
	{ 1, "4c000602 81000064", NULL }, /* encap */
	{ 1, "42000602 00000005", NULL }, /* ESP */
	{ 1, "40010602 00000005", NULL },
	{ 1, "40000000 00000005", NULL },		 /* nothing */
	{ 1, "4007013f 00000005", "0b0703f8 80000005" }, /* of an argument, 63 words */
	{ 1, "48000001 00000005", "0b000009 80000005" },
	{ 3, "4807013f 00000005", "0b0e03f9 80000005" },
	{ 1, "40070140 00000005", NULL },		 /* 64 */
	{ 1, "60000000 00000000", "00000000 00000000" }, /* nothing */
	{ 1, "80000000 00000000", NULL },
};

Test(entry_changes, are_made_of_actions)
{
	for (size_t i = 0; i < ARRAY_SIZE(made); i++) {
		uint8_t action[8], wanted[8] = { 0 }, change[8];
		bool is;

		PRM_SET(cmd_hca_cap, caps, steering_format_version, made[i].format);
		hca.caps[PRM_CAP_GENERAL] = caps;
		cr_assert_eq(from_hex(action, made[i].action), 8);
		is = steer_ste_change(&hca, action, change);
		cr_expect_eq(is, made[i].entry != NULL, "format %u: %s", made[i].format,
			     made[i].action);
		if (!is || !made[i].entry)
			continue;
		from_hex(wanted, made[i].entry);
		cr_expect_arr_eq(change, wanted, 8, "format %u: %s: %08x %08x", made[i].format,
				 made[i].action, core_be32(change), core_be32(change + 4));
	}
}
