/* SPDX-License-Identifier: BSD-2-Clause */
/* A payload that is where its frame will have it makes the same frame as one that is copied. */
#include "unit/wire/fabric.h"
#include "wire/inside.h"

TWO_PROCESSES(payload);

#define LEN 1021 /* with padding */

/* The payload of @p, copied and in place; a frame of any network header. */
static void compare(struct wire_packet *p, const char *what)
{
	static uint8_t payload[LEN], copied[WIRE_MAX_FRAME], in_place[WIRE_MAX_FRAME];
	uint8_t *at = wire_payload_in(p, in_place);
	size_t len;

	for (size_t i = 0; i < LEN; i++)
		payload[i] = 3 + i * 5;
	p->payload = payload;
	p->payload_len = LEN;
	len = wire_pack(p, copied, true);
	memcpy(at, payload, LEN);
	p->payload = at;
	cr_assert_eq(wire_pack(p, in_place, true), len);
	cr_expect_arr_eq(in_place, copied, len, "opcode %#x, %s", p->opcode, what);
}

Test(wire, payload_in_its_place_is_not_copied)
{
	for (unsigned int opcode = 0; opcode < 256; opcode++) {
		const struct wire_opcode_info *info = wire_opcode_info(opcode);
		struct wire_packet p = sample_packet(opcode);

		if (!info->name || !(info->parts & WIRE_HAS_PAYLOAD))
			continue;
		compare(&p, "as it is");
		p.v1 = true;
		compare(&p, "RoCE v1");
		p.v1 = false;
		p.sgid[0] = 0xfd;
		compare(&p, "IPv6");
	}
}

Test(payload, the_next_frame_has_its_payload_there)
{
	struct wire_packet p = sample_packet(WIRE_WRITE_ONLY), got;
	uint8_t *at, from;

	for (uint8_t i = 0; i < 200; i++) {
		uint8_t to = wire_slot(i % 2 ? a : b);

		cr_assert(wire_has_space(a, to));
		at = wire_payload_of_next(a, to, &p);
		cr_assert_eq(at, a->space + sizeof(struct segment));
		memset(at, i, LEN);
		p.payload = at;
		p.payload_len = LEN;
		wire_send(a, to, &p);
		wire_flush(a);
		cr_assert(next_packet(i % 2 ? a : b, &got, &from));
		cr_assert_eq(got.payload_len, LEN);
		cr_assert_eq(got.payload[0], i);
		cr_assert_eq(got.payload[LEN - 1], i);
	}
}
