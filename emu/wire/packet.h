/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets and frames: opcodes, headers, checksums.
 *
 *	+----------+-----------+-----+-----+-----------------------+---------+------+
 *	| Ethernet | IPv4/IPv6 | UDP | BTH | extension headers     | payload | ICRC |
 *	|    14    |  20 / 40  |  8  |  12 | DETH 8 XRCETH 4       | pad to 4|   4  |
 *	+----------+-----------+-----+-----+ RETH 16 AtomicETH 28  +---------+------+
 *	                                     AETH 4 AtomicAckETH 8
 *	                                     ImmDt 4 IETH 4
 *	                                     masks 20   DCETH 20   CNP 16
 * (InfiniBand specification, volume 1, chapters 5 and 9; annex A14 for XRC, A17 for RoCEv2.)
 */
#ifndef EMU_WIRE_PACKET_H
#define EMU_WIRE_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_UDP_PORT	    4791
#define WIRE_ETHERTYPE_ROCE 0x8915 /* of RoCE v1 (IBA, annex A16) */
#define WIRE_MAX_PAYLOAD    4096
#define WIRE_MAX_FRAME \
	(14 + 40 + 8 + 12 + 40 + WIRE_MAX_PAYLOAD + 4) /* with masks is not a payload */

/* Ethernet frames without FCS: the header alone; and the largest MTU of a ConnectX, 9978
 * (mlx5_core's netdev), with header and two VLAN tags. */
#define WIRE_MIN_ETHERNET 14
#define WIRE_MAX_ETHERNET (14 + 2 * 4 + 9978)

/* A BTH opcode is service | operation: IBA table "OpCode field", annex A14 for XRC. */
enum wire_service {
	WIRE_RC = 0x00,
	WIRE_UC = 0x20,
	WIRE_UD = 0x60,
	WIRE_XRC = 0xa0,
	/* assumed(dc_has_no_public_frame): requests of the dynamically connected service use
	 * BTH opcodes that the InfiniBand specification leaves to manufacturers, 0xc0 |
	 * operation, with a private header before the others; each request contains its
	 * connection, and there are no packets to connect and disconnect. The frames of
	 * adapters were never published. */
	WIRE_DC = 0xc0,
	WIRE_SERVICE_MASK = 0xe0,
};

/* The congestion notification packet of any service (annex A17): BECN set, and 16 reserved
 * bytes. */
#define WIRE_CNP 0x81

/* Together with service 0, the opcodes of RC. */
enum wire_operation {
	WIRE_SEND_FIRST = 0x00,
	WIRE_SEND_MIDDLE = 0x01,
	WIRE_SEND_LAST = 0x02,
	WIRE_SEND_LAST_IMM = 0x03,
	WIRE_SEND_ONLY = 0x04,
	WIRE_SEND_ONLY_IMM = 0x05,
	WIRE_WRITE_FIRST = 0x06,
	WIRE_WRITE_MIDDLE = 0x07,
	WIRE_WRITE_LAST = 0x08,
	WIRE_WRITE_LAST_IMM = 0x09,
	WIRE_WRITE_ONLY = 0x0a,
	WIRE_WRITE_ONLY_IMM = 0x0b,
	WIRE_READ_REQUEST = 0x0c,
	WIRE_READ_RESPONSE_FIRST = 0x0d,
	WIRE_READ_RESPONSE_MIDDLE = 0x0e,
	WIRE_READ_RESPONSE_LAST = 0x0f,
	WIRE_READ_RESPONSE_ONLY = 0x10,
	WIRE_ACK = 0x11,
	WIRE_ATOMIC_ACK = 0x12,
	WIRE_CMP_SWAP = 0x13,
	WIRE_FETCH_ADD = 0x14,
	WIRE_SEND_LAST_INVAL = 0x16,
	WIRE_SEND_ONLY_INVAL = 0x17,
	/* assumed(masked_atomics_have_no_public_frame): the requests of masked atomics use BTH
	 * opcodes that the InfiniBand specification reserves, 0x1e and 0x1f, with a private
	 * header; their response is an ordinary atomic acknowledge. The frames of adapters for
	 * them were never published. */
	WIRE_MASKED_CMP_SWAP = 0x1e,
	WIRE_MASKED_FETCH_ADD = 0x1f,
	WIRE_OPERATION_MASK = 0x1f,
};

/* The extension headers and payload of an opcode. */
enum wire_part {
	WIRE_HAS_RETH = 1,
	WIRE_HAS_ATOMIC = 2,
	WIRE_HAS_AETH = 4,
	WIRE_HAS_ATOMIC_ACK = 8,
	WIRE_HAS_IMM = 16,
	WIRE_HAS_PAYLOAD = 32,
	WIRE_HAS_DETH = 64,
	WIRE_HAS_XRCETH = 128,
	WIRE_HAS_IETH = 256,
	WIRE_HAS_MASKS = 512,
	WIRE_HAS_DCETH = 1024,
	WIRE_HAS_RESERVED = 2048,
};

struct wire_opcode_info {
	const char *name; /* NULL: no such opcode */
	uint16_t parts;	  /* enum wire_part */
	uint8_t len;	  /* bytes of the extension headers */
};

extern const struct wire_opcode_info wire_opcodes[256];

static inline const struct wire_opcode_info *wire_opcode_info(uint8_t opcode)
{
	return &wire_opcodes[opcode];
}

/* AETH syndrome: bits 6:5 the kind, 4:0 credit count, RNR timer or NAK code. */
enum wire_aeth {
	WIRE_AETH_ACK = 0x00, /* | credits */
	WIRE_AETH_RNR = 0x20, /* | timer */
	WIRE_AETH_NAK = 0x60, /* | enum wire_nak */
	WIRE_NO_CREDITS = 31, /* the responder has no end-to-end credits */
};

enum wire_nak {
	WIRE_NAK_SEQUENCE = 0,
	WIRE_NAK_INVALID_REQUEST = 1,
	WIRE_NAK_REMOTE_ACCESS = 2,
	WIRE_NAK_REMOTE_OP = 3,
};

/* One packet, in host byte order, except for imm, which has the bytes of the WQE: the immediate
 * data, or the key to invalidate. */
struct wire_packet {
	uint8_t sgid[16], dgid[16], smac[6], dmac[6];
	bool v1; /* RoCE v1: a GRH in place of IP and UDP */
	uint8_t tclass, hop_limit;
	bool becn;
	uint32_t flow_label;
	uint16_t udp_sport, pkey;
	uint32_t dqpn;
	uint32_t srqn;	  /* XRCETH */
	uint32_t msn;	  /* AETH */
	uint8_t syndrome; /* AETH */

	/* the same in all packets of a message: all above; and per packet */
	uint8_t opcode; /* enum wire_service | enum wire_operation */
	bool solicited, ack_req;
	uint32_t psn;

	uint64_t va; /* RETH, AtomicETH */
	uint32_t rkey, dma_len;
	uint64_t swap_add, compare;
	/* masked atomics; an addition has its field boundary in compare_mask */
	uint64_t swap_mask, compare_mask;
	uint32_t operand; /* their bytes: 4 or 8 */
	uint64_t orig;	  /* AtomicAckETH: the value before */
	uint8_t imm[4];
	uint32_t qkey, src_qpn; /* DETH; of DCETH: src_qpn */
	uint64_t dc_key;	/* DCETH: of the target */
	uint32_t dc_serial;	/* the sender's connection, counted */
	uint32_t dc_start;	/* PSN of its first packet */

	const uint8_t *payload; /* unpacked: points into the frame */
	uint32_t payload_len;	/* without padding */
	const uint8_t *ip; /* unpacked: the IPv4 or IPv6 header, or the GRH; else not used */
};

/* Headers and payload -> frame in @buf (WIRE_MAX_FRAME bytes); returns its length. RoCE v2 is
 * IPv4 when both GIDs are IPv4-mapped, else IPv6. @p: a known opcode, at most 4096 bytes of
 * payload. The ICRC is computed only with @icrc (for trace and capture); otherwise it is 0, not
 * checked. */
size_t wire_pack(const struct wire_packet *p, uint8_t *buf, bool icrc);
/* Length of that frame. */
size_t wire_frame_len(const struct wire_packet *p);
/* Where in @buf wire_pack() puts the payload of @p, whose opcode, addresses and v1 are set. It
 * is not copied if p->payload points there. */
uint8_t *wire_payload_in(const struct wire_packet *p, uint8_t *buf);
/* False: not a well-formed RoCE frame of a known opcode. */
bool wire_unpack(struct wire_packet *p, const uint8_t *frame, size_t len);
/* ICRC of a RoCE frame of @len bytes, of which the last 4, the ICRC itself, are not read; in
 * the byte order of the wire. */
uint32_t wire_icrc(const uint8_t *frame, size_t len);
/* Frame check sequence of an Ethernet frame, in the byte order of the wire (IEEE 802.3,
 * 3.2.9). */
uint32_t wire_fcs(const uint8_t *frame, size_t len);

/* Writes the checksum of an IPv4 header of 20 bytes (RFC 791). */
void wire_ipv4_checksum(uint8_t *header);

#endif
