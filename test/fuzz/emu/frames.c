/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames from a peer that is not an emulator: a socket in the next slot of the fabric.
 *
 *	for a QP that has its peer there: any packet, with a PSN and a key that could be right
 *	-> wire_pack, or a segment -> a byte changed, cut off, put together wrongly -> ring
 *	the ring itself: lengths that are wrong, random bytes, and an end that is nowhere
 *
 * Some leave from a slot that no QP is connected to.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "wire/inside.h"

struct peer {
	struct wire *here, *elsewhere; /* slots PEER_SLOT and one more */
};

struct peer *peer_up(void)
{
	struct peer *p = calloc(1, sizeof(*p));

	FUZZ_CHECK(p, "out of memory");
	p->here = wire_open(adapter_fabric());
	p->elsewhere = wire_open(adapter_fabric());
	FUZZ_CHECK(p->here && p->elsewhere, "no slot");
	FUZZ_CHECK(wire_slot(p->here) == PEER_SLOT, "the peer's slot is %u",
		   wire_slot(p->here));
	return p;
}

void peer_down(struct peer *p)
{
	wire_close(p->here);
	wire_close(p->elsewhere);
	free(p);
}

void peer_drain(struct peer *p)
{
	uint8_t from;
	size_t len;

	while (wire_next(p->here, &len, &from) || wire_next(p->elsewhere, &len, &from))
		;
}

/* Mostly of the QP's own service. */
static uint8_t some_opcode(const struct hca_qp *qp)
{
	static const uint8_t services[] = { WIRE_RC, WIRE_UC, WIRE_UD, WIRE_XRC,
					    WIRE_DC, WIRE_DC, WIRE_DC, WIRE_DC };

	for (;;) {
		uint8_t opcode = one_in(8) ? chance() : services[qp->st & 7] | below(0x18);

		if (wire_opcode_info(opcode) && wire_opcode_info(opcode)->name)
			return opcode;
	}
}

/* The PSN that the QP expects, or not far from it. */
static uint32_t some_psn(const struct hca_qp *qp)
{
	uint32_t psn = one_in(2) ? qp->resp.epsn : one_in(2) ? qp->req.una_psn : qp->req.psn;

	if (one_in(3))
		psn += below(9) - 4;
	return (one_in(32) ? chance() : psn) & 0xffffff;
}

static uint32_t some_length(void)
{
	return one_in(2) ? 1u << below(13) : one_in(2) ? below(4097) : odd_number();
}

/* A request for the DCT, of one of few initiators, on one of few connections. */
static void to_target(struct wire_packet *p, const struct app *app)
{
	uint32_t first = below(8) << 4;

	p->opcode = WIRE_DC | below(WIRE_READ_REQUEST + 1);
	p->dqpn = app->dctn;
	p->src_qpn = PEER_SLOT << 16 | below(4);
	p->dc_key = one_in(16) ? odd_number() : APP_DCKEY;
	p->dc_serial = one_in(32) ? chance() : below(4);
	p->dc_start = first;
	p->psn = first + below(3);
	p->payload_len = one_in(3) ? below(1024) : 1024;
}

static void fill(struct wire_packet *p, const struct app *app, const struct hca_qp *qp,
		 const uint8_t *payload)
{
	const struct hca_gid *gid = &app->a->hca.port.gid[FUZZ_GID];

	memset(p, 0, sizeof(*p));
	memcpy(p->sgid, gid->raw, 16);
	memcpy(p->dgid, gid->raw, 16);
	memcpy(p->smac, gid->mac, 6);
	memcpy(p->dmac, gid->mac, 6);
	p->hop_limit = 64;
	p->udp_sport = 0xc000 | below(0x4000);
	p->opcode = some_opcode(qp);
	p->solicited = one_in(2);
	p->ack_req = one_in(2);
	p->pkey = one_in(16) ? odd_number() : 0xffff;
	p->dqpn = one_in(32) ? odd_number() & 0xffffff : qp->qpn;
	p->psn = some_psn(qp);
	p->va = (uintptr_t)app->buf + (one_in(8) ? odd_number() : below(APP_BUF));
	p->rkey = one_in(8) ? odd_number() : app->mkey;
	p->dma_len = some_length();
	p->swap_add = chance();
	p->compare = odd_number();
	p->syndrome = one_in(2) ? below(32) : one_in(2) ? 0x60 | below(6) : chance();
	p->msn = one_in(2) ? below(16) : odd_number() & 0xffffff;
	p->orig = chance();
	p->qkey = one_in(16) ? odd_number() : APP_QKEY;
	p->src_qpn = odd_number() & 0xffffff;
	p->srqn = one_in(4) ? odd_number() & 0xffffff : app->srqn;
	p->payload = payload;
	p->payload_len = one_in(2) ? qp->mtu : some_length() % 4097;
	if (app->dctn && one_in(3))
		to_target(p, app);
	if (p->payload_len > 4096 || !(wire_opcode_info(p->opcode)->parts & WIRE_HAS_PAYLOAD))
		p->payload_len = 0;
}

static void add_entry(struct ring *r, const void *frame, size_t len, uint32_t flags)
{
	uint32_t said = one_in(64) ? odd_number() : flags | (uint32_t)len;
	uint8_t *at = ring_reserve(r, len);

	if (!at)
		return;
	memcpy(at, frame, len);
	ring_commit(r, len, flags);
	memcpy(at - RING_PREFIX, &said, sizeof(said));
}

/* @p, and perhaps more packets of the same length. */
static void add_segment(struct ring *r, const struct wire_packet *p)
{
	static struct {
		struct segment s;
		uint8_t payload[8 * WIRE_MAX_PAYLOAD];
	} whole;
	size_t len;

	segment_start(&whole.s, p);
	if (one_in(2)) {
		whole.s.n = 1 + below(8);
		whole.s.last_opcode = one_in(2) ? p->opcode + below(3) : chance();
		whole.s.ack_req = odd_number();
	}
	len = whole.s.last_len + (size_t)(whole.s.n - 1) * whole.s.first.payload_len;
	if (one_in(4))
		spoil((uint8_t *)&whole.s, sizeof(whole.s));
	add_entry(r, &whole, sizeof(whole.s) + len, SEGMENT);
}

/* Not what a sender does. */
static void spoil_ring(struct ring *r)
{
	if (one_in(64))
		chance_bytes(r->data + below(RING_BYTES - 64), 64);
	if (one_in(256))
		atomic_store(&r->memory->head, chance());
	if (one_in(256))
		atomic_store(&r->memory->head, r->head + (below(64) - 32) * RING_ALIGN);
	if (one_in(256))
		atomic_store(&r->memory->tail, odd_number());
}

void peer_frames(struct peer *p, const struct app *app, const struct hca_qp *qp)
{
	static const uint8_t payload[4096] = "what a peer says";
	struct wire *w = one_in(24) ? p->elsewhere : p->here;
	struct ring *r = socket_ring(w, 1);
	uint8_t frame[WIRE_MAX_FRAME + 64];
	struct wire_packet packet;

	for (uint32_t n = 1 + below(6); n && r; n--) {
		size_t len;

		fill(&packet, app, qp, payload);
		if (one_in(2) && segment_carries(packet.opcode)) {
			add_segment(r, &packet);
			continue;
		}
		len = wire_pack(&packet, frame, one_in(2));
		if (one_in(4))
			spoil(frame, one_in(2) && len > 60 ? 60 : len);
		if (one_in(16))
			len = below(len + 1);
		add_entry(r, frame, len, 0);
	}
	if (!r)
		return;
	socket_flush(w, 1);
	if (r->memory)
		spoil_ring(r);
}
