/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A packet as bytes: headers, payload, padding, and the table of the headers of each opcode.
 *
 *	BTH   0         1               2       4          5       8          9
 *	      +---------+-+-+---+------+-------+----------+-------+-+--------+------+
 *	      | opcode  |S|M|pad| TVer | P_Key | reserved | DestQP|A|  rsvd  | PSN  |
 *	      +---------+-+-+---+------+-------+----------+-------+-+--------+------+
 *	byte 4: FECN 80, BECN 40; set in a CNP only
 *
 *	DETH  Q_Key 4, reserved 1, source QP 3     AETH         syndrome 1, msn 3
 *	XRCETH  reserved 1, SRQ 3                  AtomicAckETH orig 8
 *	RETH  va 8, rkey 4, dma_len 4              ImmDt        imm 4
 *	AtomicETH  va 8, rkey 4, swap_add 8,       IETH         rkey 4
 *	           compare 8                       masks        swap 8, compare 8, operand bytes 4
 *	DCETH  access key 8, reserved 1, source QP 3, connection 4, reserved 1, its first PSN 3
 *
 * (InfiniBand specification, volume 1, chapter 9, "Transport packet fields"; annex A14 for XRC,
 * annex A16 for RoCE v1, which has a GRH in place of IP and UDP, annex A17 for IP and UDP.)
 * Stateless: any thread. The ICRC is in icrc.c.
 */
#include <endian.h>
#include <string.h>

#include "wire/wire.h"

#define ETHERTYPE_V4 0x0800
#define ETHERTYPE_V6 0x86dd
#define ETHERNET_LEN 14
#define IPV4_LEN     20
#define IPV4_SRC     12
#define IPV4_DST     16
#define IPV6_LEN     40
#define UDP_LEN	     8
#define BTH_LEN	     12
#define ICRC_LEN     4
#define PROTO_UDP    17
#define PROTO_IBA    0x1b /* IBA, GRH NxtHdr: a transport of InfiniBand */

#define BTH_SOLICITED 0x80
#define BTH_MIGRATED  0x40
#define BTH_BECN      0x40
#define BTH_ACK_REQ   0x80

#define DETH	   WIRE_HAS_DETH
#define XRCETH	   WIRE_HAS_XRCETH
#define DCETH	   WIRE_HAS_DCETH
#define RETH	   WIRE_HAS_RETH
#define ATOMIC	   WIRE_HAS_ATOMIC
#define AETH	   WIRE_HAS_AETH
#define ATOMIC_ACK WIRE_HAS_ATOMIC_ACK
#define IMM	   WIRE_HAS_IMM
#define IETH	   WIRE_HAS_IETH
#define MASKS	   WIRE_HAS_MASKS
#define DATA	   WIRE_HAS_PAYLOAD
#define RESERVED   WIRE_HAS_RESERVED

#define BYTES(parts, part, len) ((parts) & (part) ? (len) : 0)
#define EXTENSIONS(parts)                                                                      \
	(BYTES(parts, DETH, 8) + BYTES(parts, XRCETH, 4) + BYTES(parts, RETH, 16) +            \
	 BYTES(parts, DCETH, 20) + BYTES(parts, ATOMIC, 28) + BYTES(parts, AETH, 4) +          \
	 BYTES(parts, ATOMIC_ACK, 8) + BYTES(parts, IMM | IETH, 4) + BYTES(parts, MASKS, 20) + \
	 BYTES(parts, RESERVED, 16))
#define ROW(service, prefix, operation, parts) \
	[(service) | WIRE_##operation] = { prefix #operation, (parts), EXTENSIONS(parts) }

/* The opcodes of all services with messages of several packets; @eth is the first extension
 * header of requests. */
#define MESSAGES(service, prefix, eth)                                    \
	ROW(service, prefix, SEND_FIRST, (eth) | DATA),                   \
		ROW(service, prefix, SEND_MIDDLE, (eth) | DATA),          \
		ROW(service, prefix, SEND_LAST, (eth) | DATA),            \
		ROW(service, prefix, SEND_LAST_IMM, (eth) | IMM | DATA),  \
		ROW(service, prefix, SEND_ONLY, (eth) | DATA),            \
		ROW(service, prefix, SEND_ONLY_IMM, (eth) | IMM | DATA),  \
		ROW(service, prefix, WRITE_FIRST, (eth) | RETH | DATA),   \
		ROW(service, prefix, WRITE_MIDDLE, (eth) | DATA),         \
		ROW(service, prefix, WRITE_LAST, (eth) | DATA),           \
		ROW(service, prefix, WRITE_LAST_IMM, (eth) | IMM | DATA), \
		ROW(service, prefix, WRITE_ONLY, (eth) | RETH | DATA),    \
		ROW(service, prefix, WRITE_ONLY_IMM, (eth) | RETH | IMM | DATA)

/* The further opcodes of reliable services. */
#define RELIABLE(service, prefix, eth)                                         \
	ROW(service, prefix, READ_REQUEST, (eth) | RETH),                      \
		ROW(service, prefix, READ_RESPONSE_FIRST, AETH | DATA),        \
		ROW(service, prefix, READ_RESPONSE_MIDDLE, DATA),              \
		ROW(service, prefix, READ_RESPONSE_LAST, AETH | DATA),         \
		ROW(service, prefix, READ_RESPONSE_ONLY, AETH | DATA),         \
		ROW(service, prefix, ACK, AETH),                               \
		ROW(service, prefix, ATOMIC_ACK, AETH | ATOMIC_ACK),           \
		ROW(service, prefix, CMP_SWAP, (eth) | ATOMIC),                \
		ROW(service, prefix, FETCH_ADD, (eth) | ATOMIC),               \
		ROW(service, prefix, SEND_LAST_INVAL, (eth) | IETH | DATA),    \
		ROW(service, prefix, SEND_ONLY_INVAL, (eth) | IETH | DATA),    \
		ROW(service, prefix, MASKED_CMP_SWAP, (eth) | ATOMIC | MASKS), \
		ROW(service, prefix, MASKED_FETCH_ADD, (eth) | ATOMIC | MASKS)

/* IBA chapter 9, table "OpCode field"; annex A14, "XRC opcodes". */
const struct wire_opcode_info wire_opcodes[256] = {
	MESSAGES(WIRE_RC, "", 0),
	RELIABLE(WIRE_RC, "", 0),
	MESSAGES(WIRE_UC, "UC_", 0),
	ROW(WIRE_UD, "UD_", SEND_ONLY, DETH | DATA),
	ROW(WIRE_UD, "UD_", SEND_ONLY_IMM, DETH | IMM | DATA),
	MESSAGES(WIRE_XRC, "XRC_", XRCETH),
	RELIABLE(WIRE_XRC, "XRC_", XRCETH),
	MESSAGES(WIRE_DC, "DC_", DCETH),
	RELIABLE(WIRE_DC, "DC_", DCETH),
	[WIRE_CNP] = { "CNP", RESERVED, EXTENSIONS(RESERVED) },
};

/* ---- cursors: each put returns the next address, each get advances ---- */

/* @bytes is a constant, and one branch is left: a frame has some thirty fields. */
static inline __attribute__((always_inline)) uint8_t *put(uint8_t *at, uint64_t value,
							  unsigned int bytes)
{
	uint64_t word = htobe64(value << (64 - 8 * bytes));

	memcpy(at, &word, bytes);
	return at + bytes;
}

static uint8_t *put_zeros(uint8_t *at, uint32_t len)
{
	memset(at, 0, len);
	return at + len;
}

static uint8_t *put_bytes(uint8_t *at, const void *src, size_t len)
{
	if (len)
		memcpy(at, src, len);
	return at + len;
}

static inline __attribute__((always_inline)) uint64_t get(const uint8_t **at,
							  unsigned int bytes)
{
	uint64_t word = 0;

	memcpy(&word, *at, bytes);
	*at += bytes;
	return be64toh(word) >> (64 - 8 * bytes);
}

static void get_bytes(const uint8_t **at, void *dst, size_t len)
{
	memcpy(dst, *at, len);
	*at += len;
}

/* ---- IP ---- */

/* One's complement sum over an IPv4 header (RFC 791): 0 when its checksum is right. A sum of
 * longer words, in the byte order of memory, is folded (RFC 1071, 2). */
static uint16_t ipv4_checksum(const uint8_t *header)
{
	uint64_t sum = 0;

	for (int i = 0; i < IPV4_LEN; i += 4) {
		uint32_t word;

		memcpy(&word, header + i, sizeof(word));
		sum += word;
	}
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return be16toh(~sum);
}

void wire_ipv4_checksum(uint8_t *header)
{
	put(header + 10, 0, 2);
	put(header + 10, ipv4_checksum(header), 2);
}

static uint8_t *put_ipv4(uint8_t *ip, const struct wire_packet *p, size_t udp_len)
{
	uint8_t *at = ip;

	*at++ = 0x45;
	*at++ = p->tclass;
	at = put(at, IPV4_LEN + udp_len, 2);
	at = put(at, 0, 2);
	at = put(at, 0x4000, 2); /* don't fragment: annex A17 has no fragments */
	*at++ = p->hop_limit;
	*at++ = PROTO_UDP;
	at = put(at, 0, 2);
	at = put_bytes(at, p->sgid + 12, 4);
	at = put_bytes(at, p->dgid + 12, 4);
	wire_ipv4_checksum(ip);
	return at;
}

/* Or the GRH of RoCE v1, which has its format. */
static uint8_t *put_ipv6(uint8_t *at, const struct wire_packet *p, uint8_t proto, size_t len)
{
	at = put(at, 6u << 28 | (uint32_t)p->tclass << 20 | (p->flow_label & 0xfffff), 4);
	at = put(at, len, 2);
	*at++ = proto;
	*at++ = p->hop_limit;
	at = put_bytes(at, p->sgid, 16);
	return put_bytes(at, p->dgid, 16);
}

/* Length of the UDP datagram after the header; 0: not an IPv4 header that carries UDP. */
static size_t get_ipv4(struct wire_packet *p, const uint8_t *ip, size_t len)
{
	const uint8_t *at = ip;
	size_t total;

	if (len < IPV4_LEN || ip[0] != 0x45 || ip[9] != PROTO_UDP || ipv4_checksum(ip))
		return 0;
	at += 1;
	p->tclass = get(&at, 1);
	total = get(&at, 2);
	at += 4; /* identification, flags, offset */
	p->hop_limit = get(&at, 1);
	hca_gid_set_ipv4(p->sgid, ip + IPV4_SRC);
	hca_gid_set_ipv4(p->dgid, ip + IPV4_DST);
	return total == len ? len - IPV4_LEN : 0;
}

static size_t get_ipv6(struct wire_packet *p, const uint8_t *ip, uint8_t proto, size_t len)
{
	const uint8_t *at = ip;
	uint32_t word;
	size_t rest;

	if (len < IPV6_LEN || ip[0] >> 4 != 6 || ip[6] != proto)
		return 0;
	word = get(&at, 4);
	p->tclass = word >> 20;
	p->flow_label = word & 0xfffff;
	rest = get(&at, 2);
	at += 1;
	p->hop_limit = get(&at, 1);
	get_bytes(&at, p->sgid, 16);
	get_bytes(&at, p->dgid, 16);
	return rest == len - IPV6_LEN ? rest : 0;
}

/* ---- transport ---- */

static uint8_t *put_bth(uint8_t *at, const struct wire_packet *p, uint32_t pad)
{
	*at++ = p->opcode;
	/* IBA, BTH MigReq: set while the path is in state Migrated, as it is without APM. */
	*at++ = (p->solicited ? BTH_SOLICITED : 0) | BTH_MIGRATED | pad << 4;
	at = put(at, p->pkey, 2);
	*at++ = p->becn ? BTH_BECN : 0;
	at = put(at, p->dqpn, 3);
	*at++ = p->ack_req ? BTH_ACK_REQ : 0;
	return put(at, p->psn, 3);
}

static uint8_t *put_extensions(uint8_t *at, const struct wire_packet *p, uint16_t parts)
{
	if (parts & DETH) {
		at = put(at, p->qkey, 4);
		at = put(at, p->src_qpn & 0xffffff, 4);
	}
	if (parts & XRCETH)
		at = put(at, p->srqn & 0xffffff, 4);
	if (parts & DCETH) {
		at = put(at, p->dc_key, 8);
		at = put(at, p->src_qpn & 0xffffff, 4);
		at = put(at, p->dc_serial, 4);
		at = put(at, p->dc_start & 0xffffff, 4);
	}
	if (parts & (RETH | ATOMIC)) {
		at = put(at, p->va, 8);
		at = put(at, p->rkey, 4);
	}
	if (parts & RETH)
		at = put(at, p->dma_len, 4);
	if (parts & ATOMIC) {
		at = put(at, p->swap_add, 8);
		at = put(at, p->compare, 8);
	}
	if (parts & MASKS) {
		at = put(at, p->swap_mask, 8);
		at = put(at, p->compare_mask, 8);
		at = put(at, p->operand, 4);
	}
	if (parts & AETH) {
		*at++ = p->syndrome;
		at = put(at, p->msn, 3);
	}
	if (parts & ATOMIC_ACK)
		at = put(at, p->orig, 8);
	if (parts & (IMM | IETH))
		at = put_bytes(at, p->imm, 4);
	if (parts & RESERVED) {
		memset(at, 0, 16);
		at += 16;
	}
	return at;
}

static void get_extensions(struct wire_packet *p, const uint8_t **at, uint16_t parts)
{
	if (parts & DETH) {
		p->qkey = get(at, 4);
		p->src_qpn = get(at, 4) & 0xffffff;
	}
	if (parts & XRCETH)
		p->srqn = get(at, 4) & 0xffffff;
	if (parts & DCETH) {
		p->dc_key = get(at, 8);
		p->src_qpn = get(at, 4) & 0xffffff;
		p->dc_serial = get(at, 4);
		p->dc_start = get(at, 4) & 0xffffff;
	}
	if (parts & (RETH | ATOMIC)) {
		p->va = get(at, 8);
		p->rkey = get(at, 4);
	}
	if (parts & RETH)
		p->dma_len = get(at, 4);
	if (parts & ATOMIC) {
		p->swap_add = get(at, 8);
		p->compare = get(at, 8);
	}
	if (parts & MASKS) {
		p->swap_mask = get(at, 8);
		p->compare_mask = get(at, 8);
		p->operand = get(at, 4);
	}
	if (parts & AETH) {
		p->syndrome = get(at, 1);
		p->msn = get(at, 3);
	}
	if (parts & ATOMIC_ACK)
		p->orig = get(at, 8);
	if (parts & (IMM | IETH))
		get_bytes(at, p->imm, 4);
	if (parts & RESERVED)
		*at += 16;
}

/* @bth: BTH, extensions, payload, padding, ICRC: @len bytes. */
static bool get_transport(struct wire_packet *p, const uint8_t *bth, size_t len)
{
	const struct wire_opcode_info *info;
	const uint8_t *at = bth;
	size_t headers, pad;
	uint8_t flags;

	if (len < BTH_LEN + ICRC_LEN)
		return false;
	p->opcode = get(&at, 1);
	flags = get(&at, 1);
	pad = flags >> 4 & 3;
	info = wire_opcode_info(p->opcode);
	headers = BTH_LEN + info->len;
	if (!info->name || flags & 0xf || len < headers + pad + ICRC_LEN || len % 4)
		return false; /* unknown opcode or transport version, or cut off */
	p->payload_len = len - headers - pad - ICRC_LEN;
	if (p->payload_len > WIRE_MAX_PAYLOAD ||
	    (!(info->parts & DATA) && p->payload_len + pad))
		return false;
	p->solicited = flags & BTH_SOLICITED;
	p->pkey = get(&at, 2);
	p->becn = get(&at, 1) & BTH_BECN;
	p->dqpn = get(&at, 3);
	p->ack_req = get(&at, 1) & BTH_ACK_REQ;
	p->psn = get(&at, 3);
	get_extensions(p, &at, info->parts);
	p->payload = at;
	return true;
}

/* ---- the whole frame ---- */

static uint8_t *put_udp(uint8_t *at, const struct wire_packet *p, size_t udp_len)
{
	at = put(at, p->udp_sport, 2);
	at = put(at, WIRE_UDP_PORT, 2);
	at = put(at, udp_len, 2);
	return put(at, 0, 2); /* annex A17: the ICRC replaces the UDP checksum */
}

static bool is_v4(const struct wire_packet *p)
{
	return !p->v1 && hca_gid_is_ipv4(p->sgid) && hca_gid_is_ipv4(p->dgid);
}

/* The headers before the BTH, from which on there are @len bytes. */
static uint8_t *put_network(uint8_t *at, const struct wire_packet *p, size_t len)
{
	bool v4 = is_v4(p);

	at = put_bytes(at, p->dmac, 6);
	at = put_bytes(at, p->smac, 6);
	at = put(at, p->v1 ? WIRE_ETHERTYPE_ROCE : v4 ? ETHERTYPE_V4 : ETHERTYPE_V6, 2);
	if (p->v1)
		return put_ipv6(at, p, PROTO_IBA, len);
	len += UDP_LEN;
	at = v4 ? put_ipv4(at, p, len) : put_ipv6(at, p, PROTO_UDP, len);
	return put_udp(at, p, len);
}

/* Bytes before the payload of @p. */
static size_t headers_len(const struct wire_packet *p)
{
	size_t bth = BTH_LEN + wire_opcode_info(p->opcode)->len;

	if (p->v1)
		return ETHERNET_LEN + IPV6_LEN + bth;
	return ETHERNET_LEN + (is_v4(p) ? IPV4_LEN : IPV6_LEN) + UDP_LEN + bth;
}

size_t wire_frame_len(const struct wire_packet *p)
{
	bool data = wire_opcode_info(p->opcode)->parts & DATA;

	return headers_len(p) + (data ? (p->payload_len + 3) & ~3u : 0) + ICRC_LEN;
}

uint8_t *wire_payload_in(const struct wire_packet *p, uint8_t *buf)
{
	return buf + headers_len(p);
}

size_t wire_pack(const struct wire_packet *p, uint8_t *buf, bool icrc)
{
	const struct wire_opcode_info *info = wire_opcode_info(p->opcode);
	uint32_t payload = info->parts & DATA ? p->payload_len : 0;
	uint32_t pad = -payload & 3;
	uint8_t *at = buf;
	uint32_t crc = 0;

	at = put_network(at, p, BTH_LEN + info->len + payload + pad + ICRC_LEN);
	at = put_bth(at, p, pad);
	at = put_extensions(at, p, info->parts);
	at = p->payload == at ? at + payload : put_bytes(at, p->payload, payload);
	at = put_zeros(at, pad);
	if (icrc)
		crc = wire_icrc(buf, at + ICRC_LEN - buf);
	at = put_bytes(at, &crc, ICRC_LEN);
	return at - buf;
}

/* Reads the UDP header at @at, of @len bytes; returns the number of bytes after it, 0: not
 * RoCE. */
static size_t get_udp(struct wire_packet *p, const uint8_t **at, size_t len)
{
	if (len < UDP_LEN)
		return 0;
	p->udp_sport = get(at, 2);
	if (get(at, 2) != WIRE_UDP_PORT || get(at, 2) != len)
		return 0;
	*at += 2; /* the UDP checksum: 0, or ignored (annex A17) */
	return len - UDP_LEN;
}

/* How many bytes there are from the BTH on; 0: not of RoCE. @len: from the Ethernet header
 * on. */
static size_t get_network(struct wire_packet *p, const uint8_t **at, size_t len)
{
	const uint8_t *ip;
	uint16_t type;

	get_bytes(at, p->dmac, 6);
	get_bytes(at, p->smac, 6);
	type = get(at, 2);
	len -= ETHERNET_LEN;
	p->ip = ip = *at;
	p->v1 = type == WIRE_ETHERTYPE_ROCE;
	*at += type == ETHERTYPE_V4 ? IPV4_LEN : IPV6_LEN;
	if (type == ETHERTYPE_V4)
		return get_udp(p, at, get_ipv4(p, ip, len));
	if (type == ETHERTYPE_V6)
		return get_udp(p, at, get_ipv6(p, ip, PROTO_UDP, len));
	return p->v1 ? get_ipv6(p, ip, PROTO_IBA, len) : 0;
}

bool wire_unpack(struct wire_packet *p, const uint8_t *frame, size_t len)
{
	const uint8_t *at = frame;

	memset(p, 0, sizeof(*p));
	if (len < ETHERNET_LEN)
		return false;
	len = get_network(p, &at, len);
	return len && get_transport(p, at, len);
}
