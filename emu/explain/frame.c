/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A frame as a line, what travels in it by the names of the InfiniBand specification:
 *
 *	→ 2   WRITE_FIRST          10.0.0.1 → 10.0.0.2  qp 0x20041 psn 17 ack_req va 0x7f00
 *	      rkey 0x1a00 len 4096 | payload 1024                       (all on one line)
 *	← 2   ACK                  10.0.0.2 → 10.0.0.1  qp 0x10041 psn 17 ACK credits 31 msn 4
 *
 *	← 2   ETHERNET             02:c5:c0:a8:00:02 → ff:ff:ff:ff:ff:ff  type 0x0806, 60 bytes
 *
 * The arrow in front says where it goes, or comes from: the slot of the peer.
 */
#include <arpa/inet.h>
#include <string.h>

#include "explain/lines.h"
#include "wire/wire.h"

/* A GID as people write it: ::ffff:10.0.0.1 is the IPv4 address. */
static const char *gid_text(const uint8_t gid[16], char *text)
{
	if (hca_gid_is_ipv4(gid))
		return inet_ntop(AF_INET, gid + HCA_GID_IPV4, text, INET6_ADDRSTRLEN);
	return inet_ntop(AF_INET6, gid, text, INET6_ADDRSTRLEN);
}

/* InfiniBand specification, chapter 9, "AETH Syndrome field". */
static void put_aeth(struct line *l, const struct wire_packet *p)
{
	static const char *const naks[] = {
		[WIRE_NAK_SEQUENCE] = "PSN sequence error",
		[WIRE_NAK_INVALID_REQUEST] = "invalid request",
		[WIRE_NAK_REMOTE_ACCESS] = "remote access error",
		[WIRE_NAK_REMOTE_OP] = "remote operational error",
	};
	uint8_t kind = p->syndrome & 0xe0, value = p->syndrome & 0x1f;

	if (kind == WIRE_AETH_ACK)
		line_put(l, " credits %u", value);
	else if (kind == WIRE_AETH_RNR)
		line_put(l, " RNR NAK timer %u", value);
	else if (kind == WIRE_AETH_NAK && value <= WIRE_NAK_REMOTE_OP)
		line_put(l, " NAK %s", naks[value]);
	else
		line_put(l, " syndrome 0x%02x", p->syndrome);
	line_put(l, " msn %u", p->msn);
}

static void put_masks(struct line *l, const struct wire_packet *p, bool swap)
{
	if (swap)
		line_put(l, " swap mask 0x%llx", (unsigned long long)p->swap_mask);
	line_put(l, swap ? " compare mask 0x%llx" : " boundary 0x%llx",
		 (unsigned long long)p->compare_mask);
	line_put(l, " of %u bytes", p->operand);
}

static void put_extensions(struct line *l, const struct wire_packet *p, uint16_t parts)
{
	uint8_t operation = p->opcode & WIRE_OPERATION_MASK;
	bool swap = operation == WIRE_CMP_SWAP || operation == WIRE_MASKED_CMP_SWAP;

	if (parts & WIRE_HAS_DETH)
		line_put(l, " qkey 0x%x src qp 0x%x", p->qkey, p->src_qpn);
	if (parts & WIRE_HAS_XRCETH)
		line_put(l, " srq 0x%x", p->srqn);
	if (parts & WIRE_HAS_DCETH)
		line_put(l, " dc_key 0x%llx src qp 0x%x connection 0x%x from psn %u",
			 (unsigned long long)p->dc_key, p->src_qpn, p->dc_serial, p->dc_start);
	if (parts & (WIRE_HAS_RETH | WIRE_HAS_ATOMIC))
		line_put(l, " va 0x%llx rkey 0x%x", (unsigned long long)p->va, p->rkey);
	if (parts & WIRE_HAS_RETH)
		line_put(l, " len %u", p->dma_len);
	if (parts & WIRE_HAS_ATOMIC)
		line_put(l, swap ? " swap 0x%llx" : " add 0x%llx",
			 (unsigned long long)p->swap_add);
	if (parts & WIRE_HAS_ATOMIC && swap)
		line_put(l, " compare 0x%llx", (unsigned long long)p->compare);
	if (parts & WIRE_HAS_MASKS)
		put_masks(l, p, swap);
	if (parts & WIRE_HAS_AETH)
		put_aeth(l, p);
	if (parts & WIRE_HAS_ATOMIC_ACK)
		line_put(l, " orig 0x%llx", (unsigned long long)p->orig);
	if (parts & (WIRE_HAS_IMM | WIRE_HAS_IETH))
		line_put(l, " %s 0x%02x%02x%02x%02x",
			 parts & WIRE_HAS_IMM ? "imm" : "inval rkey", p->imm[0], p->imm[1],
			 p->imm[2], p->imm[3]);
	if (parts & WIRE_HAS_PAYLOAD)
		line_put(l, " | payload %u", p->payload_len);
}

/* Prints a frame that is not RoCE v2 with a known opcode. */
static void put_ethernet(struct line *l, const uint8_t *frame, size_t len)
{
	const uint8_t *to = frame, *from = frame + 6;

	if (len < WIRE_MIN_ETHERNET) {
		line_put(l, "not a frame, %zu bytes", len);
		return;
	}
	line_put(l,
		 "%-20s %02x:%02x:%02x:%02x:%02x:%02x → %02x:%02x:%02x:%02x:%02x:%02x  "
		 "type 0x%04x, %zu bytes",
		 "ETHERNET", from[0], from[1], from[2], from[3], from[4], from[5], to[0], to[1],
		 to[2], to[3], to[4], to[5], core_be16(frame + 12), len);
}

static void put_frame(struct line *l, const struct core_trace *t)
{
	char from[INET6_ADDRSTRLEN], to[INET6_ADDRSTRLEN];
	const struct wire_opcode_info *info;
	struct wire_packet p;

	if (!wire_unpack(&p, t->in, t->in_len)) {
		put_ethernet(l, t->in, t->in_len);
		return;
	}
	info = wire_opcode_info(p.opcode);
	line_put(l, "%-20s %s → %s  qp 0x%x psn %u%s%s", info->name, gid_text(p.sgid, from),
		 gid_text(p.dgid, to), p.dqpn, p.psn, p.ack_req ? " ack_req" : "",
		 p.solicited ? " solicited" : "");
	put_extensions(l, &p, info->parts);
}

void line_frame_sent(struct line *l, const struct core_trace *t)
{
	line_put(l, "→ %-3u ", t->obj);
	put_frame(l, t);
}

void line_frame_received(struct line *l, const struct core_trace *t)
{
	line_put(l, "← %-3u ", t->obj);
	put_frame(l, t);
}
