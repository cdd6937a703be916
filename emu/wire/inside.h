/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside wire: shared by its files.
 *
 *	send.c    free space, frames and messages into rings, flush; bursts for the network
 *	next.c    frames and messages out of rings; which one is next
 *	segment.c packets in place of frames, in a ring
 *	ring.c    a ring in shared memory
 *	inbox.c   the rings of those who send to this process; sleeping
 *	socket.c  open, close, and the sockets by which rings are handed over and sleepers are woken
 *	fabric.c  the processes of the fabric, and the names that they hold
 *	network.c frames for the network, in place of a ring
 *	fault.c   frames that are lost, late, damaged …
 *	pcap.c    a record per frame
 *
 * A frame in a ring is preceded by its length. A message to another function
 * (wire_send_message) is like a frame, with MESSAGE set in its length; so is an Ethernet frame,
 * with ETHERNET set and a struct wire_ethernet in front of it, and a segment, with SEGMENT.
 */
#ifndef EMU_WIRE_INSIDE_H
#define EMU_WIRE_INSIDE_H

#include "wire/fabric.h"
#include "wire/ring.h"
#include "wire/wire.h"

struct network;

#define PREFIX	    RING_PREFIX
#define BURST_BYTES (60 * 1024)
#define MESSAGE	    0x80000000 /* in the length */
#define ETHERNET    0x40000000 /* the same */
#define SEGMENT	    0x20000000 /* the same */

/* Frames for the network: | len 2 | frame | to a multiple of 4 | len 2 | … */
struct burst {
	uint32_t len, pos; /* filled, sent */
	bool stuck;	   /* the network could not take it: wait for a flush */
	uint8_t bytes[BURST_BYTES];
};

/* One packet, or several of one message that follow one another: their headers. Their payloads
 * follow. */
struct segment {
	/* that change with each packet that is added */
	uint64_t ack_req; /* bit per packet */
	uint32_t n, last_len;
	uint8_t last_opcode, last_imm[4];
	bool last_solicited;
	struct wire_packet first; /* its payload_len is that of all but the last one */
};

/* A segment that is read packet by packet. */
struct segment_reader {
	struct segment s; /* first: the packet that was taken last */
	unsigned int i;	  /* the next packet */
	uint32_t mtu;	  /* bytes of all payloads but the last */
	uint8_t middle;	  /* opcode between the first and the last one */
};

#define SEGMENT_CHANGES offsetof(struct segment, first)
#define SEGMENT_BYTES	(64u * 1024) /* of payload */
/* Headers of a packet that are those of all packets of a segment. */
#define SAME_BYTES offsetof(struct wire_packet, opcode)
/* The longest entry of one packet. */
#define ENTRY_BYTES (sizeof(struct segment) + WIRE_MAX_PAYLOAD)

/* A datagram, all of it. With a memfd: a ring, and the sender's slot; else only to wake the
 * receiver. */
struct datagram {
	uint8_t key[FABRIC_KEY_BYTES]; /* of the receiver */
	uint8_t from;		       /* slot of the sender */
};

/* The sender's state for one slot. */
struct wire_peer {
	int fd;		 /* -1: no process has the slot */
	uint64_t socket; /* its fabric_entry.socket; 0: not read yet */
	uint8_t key[FABRIC_KEY_BYTES];
	struct ring ring;
	int memory;	     /* its memfd, until the peer has attached it; -1 */
	uint64_t offered_ns; /* when that was sent; 0: not yet */
	bool used, resident; /* since the last tidying; are there pages? */
};

/* A ring that is read. */
struct wire_in {
	struct ring ring;
	uint64_t socket; /* of the sender's entry, when it came */
	uint8_t from;
	bool used; /* since the last tidying */
	bool old;  /* its sender has another ring, or ended */
};

#define RINGS (2 * SLOTS) /* an old one that is not empty, and a new one, of each slot */

/* Slots, oldest first, each once. */
struct slots {
	uint8_t slot[SLOTS];
	bool has[SLOTS];
	unsigned int n;
};

void slots_add(struct slots *s, uint8_t slot);

#define COPY_BYTES (WIRE_MAX_ETHERNET + 64)

struct wire {
	int fd, pcap_fd; /* pcap_fd -1: none */
	uint8_t slot;
	struct fabric fabric;
	uint8_t key[FABRIC_KEY_BYTES]; /* datagrams for this process start with it */
	struct wire_peer peers[SLOTS];
	unsigned int top;      /* the highest slot that was sent to */
	struct slots dirty;    /* that have something to flush */
	struct slots full;     /* without space, when it was asked for last */
	unsigned int refusals; /* how often there was none */
	struct burst *burst;   /* for the network; NULL: never used */
	bool frames;	       /* wire_send_frames() */
	/* the place of the next entry to space_slot, while nothing is added; or NULL */
	uint8_t *space, space_slot;
	struct {
		struct segment s; /* n 0: none can be continued */
		uint8_t slot;
		uint8_t *at;	     /* in the ring */
		const uint8_t *next; /* where the next payload would be; NULL: not asked for */
	} making;

	struct wire_in own; /* both ends; in[0] */
	struct wire_in
		*in[RINGS]; /* first those that are looked at, then those that are parked */
	unsigned int nactive, nin, at;
	unsigned int quota; /* frames of in[at] before the next ring is read */
	uint64_t drained;
	bool look, asleep; /* the socket may have datagrams; wire_may_sleep() said so */
	uint64_t tidied_ns;
	bool is_message;		      /* of what wire_next() returned last */
	const struct wire_ethernet *ethernet; /* the same */
	bool want_packets, is_packet;	      /* the same */
	struct segment_reader reading;
	uint8_t reading_from;
	struct wire_ethernet how;
	struct network *network; /* NULL: none */
	int poll_fd;		 /* with a network: its socket and fd; else -1 */
	bool network_first;	 /* the next frame is taken from the network if it has one */
	struct faults *faults;	 /* NULL: none */
	bool down;		 /* there is no link */
	_Alignas(8) uint8_t lost[COPY_BYTES]; /* frames for no process are made here */
	_Alignas(8)
		uint8_t copy[COPY_BYTES]; /* the last result of wire_next(), if not in place */
};

/* ---- segment.c ---- */

/* Can packets of @opcode be in a segment? The receiver of a datagram, or of a packet of DC,
 * also needs its IP header. */
static inline bool segment_carries(uint8_t opcode)
{
	const unsigned int services = 1 << WIRE_RC | 1 << (WIRE_UC >> 5) | 1 << (WIRE_XRC >> 5);

	return services >> (opcode >> 5) & 1;
}

/* Can a packet follow one of @opcode in its message? */
bool segment_continues(uint8_t opcode);
/* The segment of @p alone. */
void segment_start(struct segment *s, const struct wire_packet *p);
/* How many packets can be added, at most @most: @p and others of the same opcode. */
unsigned int segment_room(const struct segment *s, const struct wire_packet *p,
			  unsigned int most);
/* Adds them. */
void segment_add(struct segment *s, const struct wire_packet *p, struct wire_run run);
/* Reads the @len bytes at @at, with payload, which this process wrote if @own; false: they are
 * no segment. */
bool segment_read(struct segment_reader *r, const uint8_t *at, size_t len, bool own);
/* The next packet, until the next call. */
const struct wire_packet *segment_next(struct segment_reader *r);
/* The run that begins with that packet. */
struct wire_run segment_run(const struct segment_reader *r);
/* The next @n packets are not wanted one by one. */
void segment_skip(struct segment_reader *r, unsigned int n);

/* send.c: the frame at *@pos, which becomes the place of the next one; NULL: the end. */
uint8_t *burst_at(struct burst *b, uint32_t *pos, size_t *len);

/* socket.c: the ring to the process that has @slot now; NULL: there is no process, or no
 * memory, and frames are lost. The ring to a process that had it before is unmapped. */
struct ring *socket_ring(struct wire *w, uint8_t slot);
/* Makes what is in the ring to @slot readable there, and wakes the process if it sleeps. True:
 * it does not know the ring yet, and its socket is full. */
bool socket_flush(struct wire *w, uint8_t slot);
/* Wakes the process in @slot. */
void socket_wake(struct wire *w, uint8_t slot);
/* It has ended, or does not read any more: its ring is dropped. False: it still reads. */
bool socket_is_dead(struct wire *w, uint8_t slot);
/* Are there packets left of the segment that is read? */
static inline bool is_reading(const struct wire *w)
{
	return w->reading.i < w->reading.s.n;
}

/* Reads all datagrams. */
void socket_look(struct wire *w);

/* inbox.c: 0 or a positive errno value. */
int inbox_open(struct wire *w);
/* The ring in memfd @fd, of the process in slot @from. */
void inbox_attach(struct wire *w, uint8_t from, int fd);
/* The next entry of any ring. */
uint8_t *inbox_next(struct wire *w, size_t *len, uint32_t *flags, uint8_t *from);
/* After datagrams: parked rings that have entries are looked at again. */
void inbox_look(struct wire *w);
/* From now on nothing is read, as all senders can see. */
void inbox_leave(struct wire *w);
/* Unmaps all rings. */
void inbox_close(struct wire *w);

/* A frame on the link. */
struct crossing {
	bool tx;
	uint8_t slot; /* to which, or from which */
	bool is_ethernet;
	struct wire_ethernet how; /* if it is */
	uint8_t *frame;
	size_t len; /* without how */
};

/* fault.c, all with w->faults: what happens to @c. False: it does not arrive now; perhaps
 * later, from fault_next(). True: it does, and its bytes may have changed. */
bool fault_act(struct wire *w, struct crossing *c);
/* Is this frame for all not lost? */
bool fault_spares(struct wire *w, uint8_t *frame, size_t len);
/* The next frame of that direction whose time has come, valid until the next call for the
 * direction; NULL: there is none. */
const struct crossing *fault_next(struct wire *w, bool tx);

/* With or without: is there any frame whose time has not come? */
bool fault_holds(const struct wire *w);
void fault_close(struct wire *w);

/* pcap.c: writes one record; a RoCE frame with its ICRC if it has none. Closes the file on
 * error. */
void pcap_roce(struct wire *w, const uint8_t *frame, size_t len);
void pcap_frame(struct wire *w, const uint8_t *frame, size_t len);

#endif
