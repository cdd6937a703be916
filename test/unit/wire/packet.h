/* SPDX-License-Identifier: BSD-2-Clause */
/* For the tests of wire: a packet whose every field differs from every other, and a fabric
 * that no other test run uses. */
#ifndef TEST_UNIT_WIRE_PACKET_H
#define TEST_UNIT_WIRE_PACKET_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "lib/hex.h"
#include "wire/wire.h"

static inline void expect_bytes(const uint8_t *got, size_t len, const char *text)
{
	uint8_t want[2 * WIRE_MAX_FRAME];
	size_t want_len = from_hex(want, text);

	cr_expect_eq(len, want_len, "%zu bytes, not %zu: %s", len, want_len, text);
	for (size_t i = 0; i < len && i < want_len; i++)
		cr_expect_eq(got[i], want[i], "byte %zu is %02x in: %s", i, got[i], text);
}

/* 10.0.0.1 -> 10.0.0.2; extension fields are set whether @opcode has them or not. */
static inline struct wire_packet sample_packet(uint8_t opcode)
{
	static const uint8_t payload[] = { 0xd0, 0xd1, 0xd2, 0xd3, 0xd4 };
	struct wire_packet p = {
		.tclass = 0x68,
		.hop_limit = 64,
		.udp_sport = 0xc123,
		.opcode = opcode,
		.pkey = 0xffff,
		.dqpn = 0x020041,
		.psn = 0xabcdef,
		.va = 0x1122334455667788,
		.rkey = 0x99aabbcc,
		.dma_len = 0x00001005,
		.swap_add = 0x0102030405060708,
		.compare = 0x1112131415161718,
		.swap_mask = 0x3132333435363738,
		.compare_mask = 0x4142434445464748,
		.operand = 4,
		.syndrome = 0x1f,
		.msn = 0x654321,
		.orig = 0x2122232425262728,
		.imm = { 0xca, 0xfe, 0xba, 0xbe },
		.qkey = 0x81920304,
		.src_qpn = 0x314159,
		.srqn = 0x271828,
		.dc_key = 0x5152535455565758,
		.dc_serial = 0x61626364,
		.dc_start = 0x717273,
		.payload = payload,
		.payload_len = sizeof(payload),
	};

	from_hex(p.sgid, "00000000 00000000 0000ffff 0a000001");
	from_hex(p.dgid, "00000000 00000000 0000ffff 0a000002");
	from_hex(p.smac, "02 00 00 00 00 01");
	from_hex(p.dmac, "02 00 00 00 00 02");
	return p;
}

/* That of test process @pid; NULL: it cannot be joined. */
static inline struct wire *join_test_fabric_of(pid_t pid)
{
	char fabric[32];

	snprintf(fabric, sizeof(fabric), "test-%d", (int)pid);
	return wire_open(fabric);
}

static inline struct wire *join_test_fabric(void)
{
	struct wire *w = join_test_fabric_of(getpid());

	cr_assert_not_null(w, "no slot: %m");
	return w;
}

static inline void send_packet(struct wire *w, uint8_t slot, const struct wire_packet *p)
{
	cr_assert(wire_has_space(w, slot));
	wire_send(w, slot, p);
}

/* The next frame at @w, unpacked, and the slot of its sender; false: there is none. */
static inline bool next_packet(struct wire *w, struct wire_packet *p, uint8_t *from)
{
	size_t len;
	const uint8_t *frame = wire_next(w, &len, from);

	cr_assert(!frame || wire_unpack(p, frame, len));
	return frame;
}

#endif
