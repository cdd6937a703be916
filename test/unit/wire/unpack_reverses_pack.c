/* SPDX-License-Identifier: BSD-2-Clause */
/* Random packets of every opcode are the same after packing and unpacking. */
#include <stdlib.h>

#include "unit/wire/packet.h"

static uint64_t random64(void)
{
	return (uint64_t)random() << 42 ^ (uint64_t)random() << 21 ^ random();
}

static void fill(void *dst, size_t len)
{
	for (size_t i = 0; i < len; i++)
		((uint8_t *)dst)[i] = random();
}

/* Ethernet and IP. */
static void random_path(struct wire_packet *p)
{
	bool v4 = random() & 1;

	fill(p->smac, 6);
	fill(p->dmac, 6);
	fill(p->sgid, 16);
	fill(p->dgid, 16);
	if (v4) {
		from_hex(p->sgid, "00000000000000000000ffff");
		memcpy(p->dgid, p->sgid, 12);
	}
	fill(&p->tclass, 1);
	fill(&p->hop_limit, 1);
	fill(&p->udp_sport, 2);
	p->flow_label = v4 ? 0 : random() & 0xfffff;
}

/* Sets only fields that @opcode carries: the others are 0 after unpacking. */
static void random_packet(struct wire_packet *p, uint8_t opcode, const uint8_t *payload)
{
	uint16_t parts = wire_opcode_info(opcode)->parts;

	memset(p, 0, sizeof(*p));
	random_path(p);
	p->opcode = opcode;
	p->solicited = random() & 1;
	p->ack_req = random() & 1;
	fill(&p->pkey, 2);
	p->dqpn = random() & 0xffffff;
	p->psn = random() & 0xffffff;
	if (parts & (WIRE_HAS_RETH | WIRE_HAS_ATOMIC)) {
		p->va = random64();
		p->rkey = random64();
	}
	if (parts & WIRE_HAS_RETH)
		p->dma_len = random64();
	if (parts & WIRE_HAS_ATOMIC) {
		p->swap_add = random64();
		p->compare = random64();
	}
	if (parts & WIRE_HAS_MASKS) {
		p->swap_mask = random64();
		p->compare_mask = random64();
		p->operand = random64();
	}
	if (parts & WIRE_HAS_AETH) {
		fill(&p->syndrome, 1);
		p->msn = random() & 0xffffff;
	}
	if (parts & WIRE_HAS_ATOMIC_ACK)
		p->orig = random64();
	if (parts & (WIRE_HAS_IMM | WIRE_HAS_IETH))
		fill(p->imm, 4);
	if (parts & WIRE_HAS_DETH) {
		fill(&p->qkey, 4);
		p->src_qpn = random() & 0xffffff;
	}
	if (parts & WIRE_HAS_XRCETH)
		p->srqn = random() & 0xffffff;
	if (parts & WIRE_HAS_DCETH) {
		p->dc_key = random64();
		p->src_qpn = random() & 0xffffff;
		p->dc_serial = random64();
		p->dc_start = random() & 0xffffff;
	}
	if (parts & WIRE_HAS_PAYLOAD)
		p->payload_len = random() % 4097;
	p->payload = payload;
}

Test(wire, unpack_reverses_pack)
{
	uint8_t payload[4096], frame[WIRE_MAX_FRAME];
	struct wire_packet p, q;

	srandom(1);
	fill(payload, sizeof(payload));
	for (int round = 0; round < 200; round++)
		for (unsigned int opcode = 0; opcode < 0x100; opcode++) {
			size_t len;

			if (!wire_opcode_info(opcode)->name)
				continue;
			random_packet(&p, opcode, payload);
			len = wire_pack(&p, frame, round & 1);
			cr_assert_leq(len, WIRE_MAX_FRAME);
			cr_assert(wire_unpack(&q, frame, len));
			cr_assert_arr_eq(q.payload, payload, p.payload_len);
			q.payload = payload;
			cr_assert_eq(q.ip, frame + 14);
			q.ip = NULL;
			/* Both were zeroed, padding included. */
			cr_assert_arr_eq(&p, &q, sizeof(p), "%s, round %d",
					 wire_opcode_info(opcode)->name, round);
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
