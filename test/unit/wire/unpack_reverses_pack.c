/* SPDX-License-Identifier: BSD-2-Clause */
/* Random packets of every opcode are the same after packing and unpacking. */
#include <stdlib.h>

#include "unit/wire/packet.h"

static void fill(void *dst, size_t len)
{
	for (size_t i = 0; i < len; i++)
		((uint8_t *)dst)[i] = random();
}

/* By IPv4, IPv6 or RoCE v1; fields that @opcode does not carry have values, too. */
static void random_packet(struct wire_packet *p, uint8_t opcode, int way)
{
	fill(p, sizeof(*p));
	p->v1 = way == 1;
	p->becn = random() & 1;
	p->solicited = random() & 1;
	p->ack_req = random() & 1;
	p->opcode = opcode;
	p->flow_label &= 0xfffff;
	p->payload_len = random() % 4097;
	if (!way)
		from_hex(p->sgid, "00000000000000000000ffff");
	if (!way)
		memcpy(p->dgid, p->sgid, 12);
}

/* A frame that was unpacked is the same when it is packed again, whatever was there before. */
Test(wire, unpack_reverses_pack)
{
	uint8_t payload[4096], frame[WIRE_MAX_FRAME], again[WIRE_MAX_FRAME];
	struct wire_packet p, q, other;

	srandom(1);
	fill(payload, sizeof(payload));
	for (int round = 0; round < 200 * 0x100; round++) {
		uint8_t opcode = round;
		size_t len;

		if (!wire_opcode_info(opcode)->name)
			continue;
		random_packet(&p, opcode, round / 0x100 % 3);
		p.payload = payload;
		len = wire_pack(&p, frame, round & 0x100);
		cr_assert_leq(len, WIRE_MAX_FRAME);
		memset(&q, 0, sizeof(q));
		memset(&other, 0xff, sizeof(other));
		cr_assert(wire_unpack(&q, frame, len) && wire_unpack(&other, frame, len));
		cr_assert_arr_eq(&q, &other, sizeof(q));
		cr_assert_eq(q.ip, frame + 14);
		cr_assert_eq(wire_pack(&q, again, round & 0x100), len);
		cr_assert_arr_eq(again, frame, len, "%s", wire_opcode_info(opcode)->name);
	}
}

Test(wire, the_largest_packet_fits_the_largest_frame)
{
	uint8_t payload[4096] = { 0 }, frame[WIRE_MAX_FRAME];
	struct wire_packet p = sample_packet(WIRE_DC | WIRE_WRITE_ONLY_IMM), q;
	size_t len;

	p.sgid[0] = 0xfe;
	p.payload = payload;
	p.payload_len = sizeof(payload);
	len = wire_pack(&p, frame, true);
	cr_expect_eq(len, 14 + 40 + 8 + 12 + 20 + 16 + 4 + 4096 + 4);
	cr_expect(wire_unpack(&q, frame, len));
	cr_expect_eq(q.payload_len, 4096);
}
