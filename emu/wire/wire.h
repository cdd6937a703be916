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
 */
#ifndef EMU_WIRE_H
#define EMU_WIRE_H

#include "hca/hca.h"
#include "options/options.h"
#include "wire/packet.h"

struct wire;

/* As a slot: no process of the fabric, but the network; without one what is sent there is
 * lost. */
#define WIRE_NETWORK 0

/* Joins @fabric (NULL: "0") in the lowest free slot; NULL with errno (EUSERS: 255 in use;
 * EPROTO: processes of another version are on it). */
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

/* A run: packets in the middle of a message that follow one another. They are equally long and
 * differ in PSN and AckReq only; their payloads are one piece. */
struct wire_run {
	unsigned int n;
	uint64_t ack_req; /* bit per packet */
};

/* The place in the ring to @slot of the payloads of a run of *@n packets, which begins with @p
 * and continues what was sent last; *@n becomes less where there is not enough space. NULL:
 * there is no such place, and the next packet is sent alone. */
uint8_t *wire_payload_of_run(struct wire *w, uint8_t slot, const struct wire_packet *p,
			     unsigned int *n);
/* Sends the run whose payloads were written there. */
void wire_send_run(struct wire *w, const struct wire_packet *p, struct wire_run run);

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
/* The run that begins with that packet, most often it alone; and takes all of it: wire_next()
 * returns what follows. */
struct wire_run wire_run(const struct wire *w);
void wire_take_run(struct wire *w, struct wire_run run);
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
