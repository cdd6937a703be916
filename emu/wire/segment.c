/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Segments: RoCE packets between processes of the machine, without the bytes of their headers.
 *
 *	message		FIRST psn 5 | MIDDLE 6 | MIDDLE 7 | LAST 8
 *	in a ring	| struct segment: first, n 4, last | payloads of all, one after the other |
 *
 * The packets of a segment follow one another in a message, all but the last one are equally
 * long, and their headers differ only in what follows from that. The engines make and get each
 * packet, or a run of them, in the middle of a message, for which nothing has to be decided one
 * by one; so PSNs, ACKs, counters and errors are those of packets. An end that needs the bytes
 * (capture, trace, faults, flow tables) has frames, those that wire_pack() makes.
 *
 * Headers that another process wrote are checked after they were copied.
 */
#include <string.h>

#include "wire/inside.h"

#define PACKETS_MAX 64 /* bits of ack_req */
#define NO_MIDDLE   0xff

/* The operation between the first packet of a message and its last one. */
static uint8_t middle_of(uint8_t opcode)
{
	switch (opcode & WIRE_OPERATION_MASK) {
	case WIRE_SEND_FIRST:
	case WIRE_SEND_MIDDLE:
		return WIRE_SEND_MIDDLE;
	case WIRE_WRITE_FIRST:
	case WIRE_WRITE_MIDDLE:
		return WIRE_WRITE_MIDDLE;
	case WIRE_READ_RESPONSE_FIRST:
	case WIRE_READ_RESPONSE_MIDDLE:
		return WIRE_READ_RESPONSE_MIDDLE;
	default:
		return NO_MIDDLE;
	}
}

/* Can a packet of @opcode follow one of @before? */
static bool follows(uint8_t opcode, uint8_t before)
{
	uint8_t middle = middle_of(before);

	if ((opcode ^ before) & WIRE_SERVICE_MASK)
		return false;
	switch (opcode & WIRE_OPERATION_MASK) {
	case WIRE_SEND_MIDDLE:
	case WIRE_SEND_LAST:
	case WIRE_SEND_LAST_IMM:
	case WIRE_SEND_LAST_INVAL:
		return middle == WIRE_SEND_MIDDLE;
	case WIRE_WRITE_MIDDLE:
	case WIRE_WRITE_LAST:
	case WIRE_WRITE_LAST_IMM:
		return middle == WIRE_WRITE_MIDDLE;
	case WIRE_READ_RESPONSE_MIDDLE:
	case WIRE_READ_RESPONSE_LAST:
		return middle == WIRE_READ_RESPONSE_MIDDLE;
	default:
		return false;
	}
}

bool segment_continues(uint8_t opcode)
{
	return middle_of(opcode) != NO_MIDDLE;
}

void segment_start(struct segment *s, const struct wire_packet *p)
{
	bool data = wire_opcode_info(p->opcode)->parts & WIRE_HAS_PAYLOAD;

	s->first = *p;
	s->first.dqpn &= 0xffffff;
	s->first.psn &= 0xffffff;
	s->first.srqn &= 0xffffff;
	s->first.msn &= 0xffffff;
	s->first.payload_len = s->last_len = data ? p->payload_len : 0;
	s->n = 1;
	s->ack_req = p->ack_req;
	s->last_opcode = p->opcode;
	s->last_solicited = p->solicited;
	memcpy(s->last_imm, p->imm, sizeof(p->imm));
}

unsigned int segment_room(const struct segment *s, const struct wire_packet *p,
			  unsigned int most)
{
	const struct wire_packet *f = &s->first;

	if (p->psn != ((f->psn + s->n) & 0xffffff) || !follows(p->opcode, s->last_opcode) ||
	    s->last_len != f->payload_len || s->last_solicited ||
	    p->payload_len > f->payload_len || memcmp(p, f, SAME_BYTES))
		return 0;
	if (most > PACKETS_MAX - s->n)
		most = PACKETS_MAX - s->n;
	while (most && (s->n + most) * f->payload_len > SEGMENT_BYTES)
		most--;
	return most;
}

void segment_add(struct segment *s, const struct wire_packet *p, struct wire_run run)
{
	s->ack_req |= run.ack_req << s->n;
	s->n += run.n;
	s->last_len = p->payload_len;
	s->last_opcode = p->opcode;
	s->last_solicited = p->solicited;
	memcpy(s->last_imm, p->imm, sizeof(p->imm));
}

/* A bool has no values but 0 and 1. */
static bool is_bool(const bool *b)
{
	uint8_t byte;

	memcpy(&byte, b, 1);
	return byte <= 1;
}

/* Are the lengths and opcodes those of one packet, or of several that follow one another? */
static bool is_sequence(const struct segment *s)
{
	const struct wire_packet *f = &s->first;
	uint8_t before = (f->opcode & WIRE_SERVICE_MASK) | middle_of(f->opcode);

	if (s->n == 1)
		return s->last_opcode == f->opcode && s->last_len == f->payload_len;
	return s->n && s->n <= PACKETS_MAX && s->last_len <= f->payload_len &&
	       middle_of(f->opcode) != NO_MIDDLE && follows(s->last_opcode, before);
}

static bool is_valid(const struct segment *s, size_t len)
{
	const struct wire_packet *f = &s->first;
	const struct wire_opcode_info *info = wire_opcode_info(f->opcode);

	return info->name && segment_carries(f->opcode) && is_bool(&f->v1) &&
	       is_bool(&f->solicited) && is_bool(&f->becn) && is_bool(&f->ack_req) &&
	       is_bool(&s->last_solicited) && f->payload_len <= WIRE_MAX_PAYLOAD &&
	       (info->parts & WIRE_HAS_PAYLOAD || !f->payload_len) && is_sequence(s) &&
	       len == sizeof(*s) + (s->n - 1) * f->payload_len + s->last_len &&
	       !((f->dqpn | f->psn | f->srqn | f->msn) >> 24);
}

bool segment_read(struct segment_reader *r, const uint8_t *at, size_t len, bool own)
{
	struct wire_packet *f = &r->s.first;

	r->i = r->s.n = 0;
	if (len < sizeof(r->s))
		return false;
	memcpy(&r->s, at, sizeof(r->s));
	if (!own && !is_valid(&r->s, len)) {
		r->s.n = 0;
		return false;
	}
	f->payload = at + sizeof(r->s);
	r->mtu = f->payload_len;
	r->middle = (f->opcode & WIRE_SERVICE_MASK) | middle_of(f->opcode);
	return true;
}

const struct wire_packet *segment_next(struct segment_reader *r)
{
	struct segment *s = &r->s;
	struct wire_packet *p = &s->first;
	bool last = r->i + 1 == s->n;

	p->ack_req = s->ack_req >> r->i & 1;
	p->solicited = last && s->last_solicited;
	if (r->i++) {
		p->opcode = last ? s->last_opcode : r->middle;
		p->psn = (p->psn + 1) & 0xffffff;
		p->payload += r->mtu;
	}
	if (last) {
		p->payload_len = s->last_len;
		memcpy(p->imm, s->last_imm, sizeof(p->imm));
	}
	return p;
}

struct wire_run segment_run(const struct segment_reader *r)
{
	const struct segment *s = &r->s;
	unsigned int at = r->i - 1, end = s->n, n = 1;

	if (s->last_opcode != r->middle || s->last_len != r->mtu)
		end--;
	if (s->first.opcode == r->middle && end > at)
		n = end - at;
	return (struct wire_run){ .n = n,
				  .ack_req = s->ack_req >> at & UINT64_MAX >> (64 - n) };
}

void segment_skip(struct segment_reader *r, unsigned int n)
{
	struct wire_packet *p = &r->s.first;

	r->i += n;
	p->psn = (p->psn + n) & 0xffffff;
	p->payload += (size_t)n * r->mtu;
}
