/* SPDX-License-Identifier: BSD-2-Clause */
/* Cut, stretched and damaged frames: each is refused, none is read beyond its end. */
#include <stdlib.h>

#include "unit/wire/packet.h"

/* In memory of exactly @len bytes, so that a sanitizer notices reads after its end. */
static bool unpacks(const uint8_t *frame, size_t len)
{
	uint8_t *copy = malloc(len + !len);
	struct wire_packet p;
	bool ok;

	memcpy(copy, frame, len);
	ok = wire_unpack(&p, copy, len);
	free(copy);
	return ok;
}

static void expect_only_whole(struct wire_packet p)
{
	uint8_t frame[WIRE_MAX_FRAME + 8] = { 0 };
	size_t whole = wire_pack(&p, frame, true);

	for (size_t len = 0; len < whole + 8; len++)
		cr_expect_eq(unpacks(frame, len), len == whole, "opcode %#x: %zu of %zu",
			     p.opcode, len, whole);
}

Test(wire, truncated_frames_are_refused_at_every_length)
{
	for (unsigned int opcode = 0; opcode < 0x100; opcode++) {
		struct wire_packet p = sample_packet(opcode);

		if (!wire_opcode_info(opcode)->name)
			continue;
		expect_only_whole(p);
		p.sgid[0] = 0xfe;
		expect_only_whole(p);
		p.v1 = true;
		expect_only_whole(p);
	}
}

/* A frame of @opcode with @payload bytes, of which the last @cut bytes are missing; the lengths
 * in its headers agree with that. */
static bool unpacks_shortened(uint8_t opcode, uint32_t payload, bool v1, size_t cut)
{
	struct wire_packet p = sample_packet(opcode);
	uint8_t frame[WIRE_MAX_FRAME];
	size_t len;

	p.v1 = v1;
	p.sgid[0] = 0xfe; /* IPv6: no checksum to correct */
	p.payload_len = payload;
	len = wire_pack(&p, frame, false) - cut;
	frame[14 + 5] -= cut;
	if (!v1)
		frame[14 + 40 + 5] -= cut;
	return unpacks(frame, len);
}

/* Without payload: all that is left is too short for the headers and the ICRC. */
Test(wire, headers_cut_off_with_matching_lengths_are_refused)
{
	for (unsigned int opcode = 0; opcode < 0x100; opcode++) {
		size_t headers = 12 + wire_opcode_info(opcode)->len + 4;

		if (!wire_opcode_info(opcode)->name)
			continue;
		for (int v1 = 0; v1 < 2; v1++)
			for (size_t cut = 0; cut <= headers; cut++)
				cr_expect_eq(unpacks_shortened(opcode, 0, v1, cut), !cut,
					     "opcode %#x, cut %zu", opcode, cut);
	}
	cr_expect_not(unpacks_shortened(WIRE_SEND_ONLY, 5, false, 8)); /* only padding */
	cr_expect(unpacks_shortened(WIRE_SEND_ONLY, 5, false, 4));
	cr_expect_not(unpacks_shortened(WIRE_SEND_ONLY, 5, false, 1)); /* no multiple of 4 */
}

static const struct {
	size_t at;
	uint8_t value;
	const char *what;
} damage[] = {
	{ 12, 0x08, "Ethernet type" },
	{ 14, 0x46, "IP version" },
	{ 14 + 4, 0x01, "IPv6 length" },
	{ 14 + 6, 6, "TCP" },
	{ 14 + 40 + 2, 0, "UDP port" },
	{ 14 + 40 + 4, 0x01, "UDP length" },
	{ 14 + 40 + 8, 0x44, "opcode of the RD service" },
	{ 14 + 40 + 8, WIRE_ACK, "payload after an ACK" },
	{ 14 + 40 + 9, 0x41, "transport version" },
};

Test(wire, damaged_headers_are_refused)
{
	struct wire_packet p = sample_packet(WIRE_SEND_ONLY);
	uint8_t frame[WIRE_MAX_FRAME];
	size_t len;

	p.sgid[0] = 0xfe;
	len = wire_pack(&p, frame, false);
	cr_assert(unpacks(frame, len));
	for (size_t i = 0; i < sizeof(damage) / sizeof(damage[0]); i++) {
		uint8_t was = frame[damage[i].at];

		frame[damage[i].at] = damage[i].value;
		cr_expect_not(unpacks(frame, len), "%s", damage[i].what);
		frame[damage[i].at] = was;
	}
}

Test(wire, an_ipv4_header_with_a_wrong_checksum_is_refused)
{
	struct wire_packet p = sample_packet(WIRE_SEND_ONLY);
	uint8_t frame[WIRE_MAX_FRAME];
	size_t len = wire_pack(&p, frame, false);

	cr_expect(unpacks(frame, len));
	for (size_t at = 14; at < 14 + 20; at++) {
		frame[at] ^= 0x10;
		cr_expect_not(unpacks(frame, len), "byte %zu", at);
		frame[at] ^= 0x10;
	}
}

/* The UDP length is that of the frame, and the checksum is right. */
Test(wire, an_ipv4_header_that_ends_before_the_frame_is_refused)
{
	struct wire_packet p = sample_packet(WIRE_SEND_ONLY);
	uint8_t frame[WIRE_MAX_FRAME];
	size_t len = wire_pack(&p, frame, false);

	cr_assert(unpacks(frame, len));
	cr_assert_geq(frame[14 + 3], 4);
	cr_assert_lt(frame[14 + 11], 0xfc);
	frame[14 + 3] -= 4;
	frame[14 + 11] += 4; /* one's complement of the sum of the words */
	cr_expect_not(unpacks(frame, len));
}

Test(wire, more_payload_than_the_largest_mtu_is_refused)
{
	static uint8_t payload[4096], frame[WIRE_MAX_FRAME + 4];
	struct wire_packet p = sample_packet(WIRE_SEND_ONLY);
	uint16_t ip_len;
	size_t len;

	p.sgid[0] = 0xfe; /* IPv6: no checksum to correct */
	p.payload = payload;
	p.payload_len = sizeof(payload);
	len = wire_pack(&p, frame, false);
	cr_assert(unpacks(frame, len));
	for (size_t at = 14 + 4; at <= 14 + 40 + 4; at += 40) { /* of IPv6, of UDP */
		ip_len = (uint16_t)(frame[at] << 8 | frame[at + 1]) + 4;
		frame[at] = ip_len >> 8;
		frame[at + 1] = (uint8_t)ip_len;
	}
	cr_expect_not(unpacks(frame, len + 4));
}
