/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wire: RoCEv2 frames between processes, and between QPs of one process; Ethernet frames
 * between processes.
 *
 *	process A, slot 1                          process B, slot 2
 *	engine -> ring for slot 2, memory that both map -> engine
 *
 * A slot is the address of a process on a fabric, held until the process ends (the kernel frees
 * it, also if the process is killed). A fabric belongs to one user: its processes find each
 * other by a file that only that user can open. Frames for one slot are made in a ring that
 * only its process reads, and are there at a flush; a datagram wakes the process if it sleeps,
 * and no system call is made if it does not. While a ring is full, wire_has_space() is false
 * for its slot. Frames to a process that has ended are lost, as in a network. Frames to the own
 * slot are in a ring, too. In a ring, packets of connections are without the bytes of the
 * frame's headers, and several of one message are one entry (segment.c).
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
#ifndef EMU_WIRE_H
#define EMU_WIRE_H

#include "hca/hca.h"
#include "options/options.h"

#define WIRE_UDP_PORT	 4791
#define WIRE_MAX_PAYLOAD 4096
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

struct wire;

/* Ethernet type of RoCE v1 (IBA, annex A16). */
#define WIRE_ETHERTYPE_ROCE 0x8915

/* As a slot: no process of the fabric, but the network; without one what is sent there is
 * lost. */
#define WIRE_NETWORK 0

/* Joins @fabric (NULL: "0") in the lowest free slot; NULL with errno (EUSERS: 255 in use). */
struct wire *wire_open(const char *fabric);
void wire_close(struct wire *w);
uint8_t wire_slot(const struct wire *w);
/* Is no other process on the fabric at this moment? */
bool wire_alone(const struct wire *w);
/* Were more than @n processes on the fabric at the same time? The lowest free slot is taken. */
bool wire_has_more_than(const struct wire *w, unsigned int n);
/* For poll(), between wire_may_sleep() and wire_awake(): readable when there are frames to
 * read, or space again. */
int wire_fd(const struct wire *w);
/* Announces that nothing is read until wire_awake(), so that senders wake this process. False:
 * there are frames, or there is space again where there was none; do not sleep. */
bool wire_may_sleep(struct wire *w);
/* The end of the sleep, also if wire_may_sleep() said no. */
void wire_awake(struct wire *w);

/*
 * Connects the network: frames to other addresses than the @nown of @own leave the machine by
 * its IP stack, and those that other hosts send to these addresses arrive, if they are for a QP
 * of this process, for QP 1 or for a group. @o: the interface that has the addresses. Sockets
 * of the kernel need CAP_NET_RAW. 0 or a positive errno value (EPERM; EADDRINUSE: UDP port 4791
 * is in use by another user, or by Soft-RoCE).
 */
int wire_network(struct wire *w, const struct options_wire *o, const uint8_t (*own)[16],
		 unsigned int nown);
bool wire_has_network(const struct wire *w);
/* The interface of the network lets in frames for group @gid, and reports that to its
 * neighbours (IGMP, MLD), until wire_leave(). Once for a group. 0 or a positive errno value;
 * without a network there is nothing to do. */
int wire_join(struct wire *w, const uint8_t gid[16]);
void wire_leave(struct wire *w, const uint8_t gid[16]);
/* Where a frame to @dgid is sent: to @slot, or to WIRE_NETWORK. */
uint8_t wire_route(const struct wire *w, const uint8_t dgid[16], uint8_t slot);
/* With a network: the address from which @dgid is reached, in @sgid. 0 or -errno
 * (ENETUNREACH). */
int wire_source(const struct wire *w, const uint8_t dgid[16], uint8_t sgid[16]);

/* With a network: the MAC of a host on the interface's own link, from the kernel's table of
 * neighbours. 0 or
 * -EHOSTUNREACH: it has none, or the address is not an IPv4 one. */
int wire_neighbour(const struct wire *w, const uint8_t gid[16], uint8_t mac[6]);

/* Can a frame for @slot be sent now? If not, the caller tries again later. */
bool wire_has_space(struct wire *w, uint8_t slot);
/* Are there frames for @slot, another process, that it has not read? */
bool wire_unread(const struct wire *w, uint8_t slot);
/* Packs @p for @slot; the bytes of its frame. Only after wire_has_space()
 * returned true. */
uint16_t wire_send(struct wire *w, uint8_t slot, const struct wire_packet *p);
/* The place in the ring to @slot of the payload of @p, the packet that is sent next, whose
 * other members are set: wire_send() does not copy a payload that was written there. NULL:
 * there is no such place. Only after wire_has_space() returned true. */
uint8_t *wire_payload_of_next(struct wire *w, uint8_t slot, const struct wire_packet *p);
/* Packs @p for every process of the fabric; the bytes of its frame. It is lost for
 * processes without free space. */
uint16_t wire_send_all(struct wire *w, const struct wire_packet *p);
/* Sends the packed frames. True while some frames still have to wait, or those of the own slot
 * for wire_next(): without wire_may_sleep() wire_fd() does not report those. */
bool wire_flush(struct wire *w);

/* Metadata of an Ethernet frame between processes. */
struct wire_ethernet {
	uint32_t tdn;  /* transport domain that sent it; 0: none */
	uint8_t local; /* by a process of the same port */
	uint8_t unused[3];
};

/* Sends an Ethernet frame of @len bytes to @slot; it is not in the capture. False: there is no
 * space now. One whose length is not possible is lost. */
bool wire_send_ethernet(struct wire *w, uint8_t slot, const struct wire_ethernet *how,
			const uint8_t *frame, size_t len);
/* Metadata of the frame that wire_next() returned last; NULL: a RoCE frame or a message. */
const struct wire_ethernet *wire_ethernet(const struct wire *w);
/* Writes an Ethernet frame that was sent into the capture. */
void wire_capture(struct wire *w, const uint8_t *frame, size_t len);

/*
 * Messages between functions of one adapter: requests to read or write bytes of the other one,
 * and the answers. Within an adapter nothing of this is on the network: they are in no capture,
 * and no trace of frames.
 */
enum wire_message_kind {
	WIRE_CHECK = 1, /* may the range be read or written? */
	WIRE_READ = 2,	/* the answer is followed by the bytes */
	WIRE_WRITE = 3, /* followed by them */
	WIRE_ANSWER = 0x80,
};

enum wire_message_status {
	WIRE_DONE,
	WIRE_GONE,	/* it was for another process, which had the slot before */
	WIRE_NO_KEY,	/* the key does not exist any more, or was never allowed */
	WIRE_NO_RIGHT,	/* a right is missing */
	WIRE_OUTSIDE,	/* a byte is not within the key */
	WIRE_NO_MEMORY, /* pages that are not mapped any more */
	WIRE_UNUSABLE,	/* any other reason for which the key cannot be used */
};

struct wire_message {
	uint64_t to, from; /* epochs of the function that has the bytes, and of the other one */
	uint64_t grant;	   /* serial; 0: the key of a crossing mkey */
	uint64_t addr;
	uint32_t len;	 /* bytes of the range */
	uint32_t key;	 /* number of an mkey that is allowed; without grant, a key */
	uint32_t qpn;	 /* whose work request it is */
	uint32_t serial; /* for the answer to repeat */
	uint8_t kind, status, rights, unused[5];
};

/* Sends @m, and the @len bytes that follow it. Only after wire_has_space() returned true. */
void wire_send_message(struct wire *w, uint8_t slot, const struct wire_message *m,
		       const uint8_t *data, size_t len);
/* Is what wire_next() returned last a struct wire_message? */
bool wire_is_message(const struct wire *w);

/* The next frame or message that arrived, valid until the next call; NULL when there is
 * none. */
const uint8_t *wire_next(struct wire *w, size_t *len, uint8_t *from);
/* Packets of connections pass without the bytes of their headers where these are not needed
 * (segment.c). May wire_next() return them so, from now on? At first it may not, and makes
 * frames. */
void wire_want_packets(struct wire *w, bool want);
/* The packet that wire_next() returned last, with the length of its frame; NULL: that was a
 * frame, or no RoCE. */
const struct wire_packet *wire_packet(const struct wire *w);
/* Are frames sent in any case, from now on? For tests, which compare both. */
void wire_send_frames(struct wire *w, bool always);

/* Counts the NULLs of wire_next(). Frames of several processes do not arrive in the order in
 * which they were sent; but when this number has changed, all frames sent before one that has
 * arrived have arrived, too. */
uint64_t wire_drained(const struct wire *w);

/* In the child of a fork: closes the parent's sockets and its file of the fabric. Frames that
 * are sent after it are lost. */
void wire_abandon(struct wire *w);

/* Names on the fabric: at most one process holds a name, until it disclaims it or ends. 0 or
 * -errno (EADDRINUSE: another process holds it). */
int wire_claim(struct wire *w, const char *name);
void wire_disclaim(struct wire *w, const char *name);
/* Does any process hold it, this one included? */
bool wire_claimed(const struct wire *w, const char *name);
/* Registers this process for the host with address @ipv4, until it ends: 0 or -errno. */
int wire_host(struct wire *w, uint32_t ipv4);
/* Is there any process of that host, this one included? */
bool wire_host_there(const struct wire *w, uint32_t ipv4);
/* The table of the functions on the fabric, for hca.vhcas. */
struct hca_vhca *wire_vhcas(const struct wire *w);
/* hca_table_counted() of a fabric that the caller is not on; 0 if it cannot be read. */
void wire_counted(const char *fabric, uint32_t adapter, enum hca_role role,
		  struct hca_counted *sum);
/* The table of the adapters, for hca.adapters. */
struct hca_adapter *wire_adapters(const struct wire *w);
/* Does any process have slot @slot? */
bool wire_present(const struct wire *w, uint8_t slot);

/*
 * Faults of the link between this process and the network, in place of those before; @n 0:
 * none. A frame to the own slot crosses it once, and counts as sent. Messages between functions
 * do not cross it. The copies of a frame for all (wire_send_all) are lost together, and have no
 * other fault where they are sent. 0 or ENOMEM.
 */
int wire_faults(struct wire *w, const struct options_fault *faults, unsigned int n);

/* Without a link all frames are lost, those to the own slot too. It is up at first. */
void wire_link(struct wire *w, bool up);

/* The frames that had a fault since wire_open(), by kind. */
struct wire_fault_counts {
	uint64_t frames[OPTIONS_FAULT_KINDS];
};
struct wire_fault_counts wire_fault_counts(const struct wire *w);

/* Does the RoCE frame, which wire_unpack() accepts, have a wrong ICRC? Within the fabric it may
 * have none. */
bool wire_is_corrupt(const uint8_t *frame, size_t len, uint8_t from);

/* Writes every frame sent and received to a libpcap file, RoCE frames with their ICRC; frames
 * to the own slot once. 0 or a positive errno value. */
int wire_pcap(struct wire *w, const char *path);

#endif
