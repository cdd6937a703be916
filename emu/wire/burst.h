/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside wire: what its files share. A burst is one datagram's worth of frames:
 *
 *	bytes: | len 2 | frame | len 2 | frame | … |      len in host order, one machine
 *	       0                 ^pos              ^len
 *
 * A message to another function (wire_send_message) is like a frame, with MESSAGE set in its length; so is
 * an Ethernet frame, with ETHERNET set and a struct wire_ethernet in front of it.
 *
 *	burst.c   free space, send, flush, next: bursts filled and emptied, the own slot's queue
 *	socket.c  open, close, and bursts as datagrams
 *	fabric.c  the processes of the fabric, and the names that they hold
 *	network.c frames for the network, in place of a socket
 *	fault.c   frames that are lost, late, damaged …
 *	pcap.c    a record per frame
 *
 * The 2 bytes in front of 14 bytes of Ethernet put the IP header on a 4-byte boundary; what follows a
 * frame begins at a multiple of 4 again.
 */
#ifndef EMU_WIRE_BURST_H
#define EMU_WIRE_BURST_H

#include "wire/fabric.h"
#include "wire/wire.h"

/* Large, because the kernel bounds a socket's queue in datagrams (net.unix.max_dgram_qlen,
 * 10 by default), and below 64 KiB. */
struct network;

#define BURST_BYTES (60 * 1024)
#define MESSAGE	    0x8000 /* in the length */
#define ETHERNET    0x4000 /* the same */
#define LOOP_DEPTH  8	   /* bursts to the own slot that may wait to be read */

struct burst {
	struct burst *next; /* in wire.loop or wire.spare */
	uint32_t len, pos;  /* filled, read */
	uint8_t from;	    /* slot of the sender */
	bool stuck;	    /* the peer refused it: wait for a flush */
	uint8_t bytes[BURST_BYTES];
};

/* At the start of every datagram. */
struct burst_header {
	uint8_t key[FABRIC_KEY_BYTES]; /* of the receiver */
	uint8_t from;		       /* slot of the sender */
};

/* The socket that sends to one slot. */
struct wire_peer {
	int fd;		 /* -1: no process has the slot */
	uint64_t socket; /* its fabric_entry.socket; 0: not read yet */
	uint8_t key[FABRIC_KEY_BYTES];
};

struct wire {
	int fd, pcap_fd; /* pcap_fd -1: none */
	uint8_t slot;
	struct fabric fabric;
	uint8_t key[FABRIC_KEY_BYTES]; /* datagrams for this process start with it */
	struct wire_peer peers[SLOTS];
	struct burst *out[SLOTS]; /* being filled, by destination; NULL: never used */
	uint8_t dirty[SLOTS];	  /* slots that have something to flush, oldest first */
	bool is_dirty[SLOTS];	  /* is the slot in dirty? */
	unsigned int ndirty;
	struct burst *in;  /* received datagram that is being read */
	struct burst *own; /* own burst that is being read; NULL: none */
	struct burst *loop, **loop_end, *spare;
	unsigned int loop_len;		      /* bursts in own and loop */
	bool is_message;		      /* of what wire_next() returned last */
	const struct wire_ethernet *ethernet; /* the same */
	bool own_next; /* the next burst is read from the own slot, not from the socket */
	struct network *network; /* NULL: none */
	int poll_fd;		 /* with a network: its socket and fd; else -1 */
	bool network_first;	 /* the next frame is taken from the network if it has one */
	struct faults *faults;	 /* NULL: none */
	bool down;		 /* there is no link */
};

/* burst.c: the frame or message at *@pos, which becomes the place of the next one; NULL: the end. */
uint8_t *burst_at(struct burst *b, uint32_t *pos, size_t *len);

/* socket.c: false if the peer cannot take it now. True: sent, or no process has the slot. */
bool socket_send(struct wire *w, uint8_t slot, const struct burst *b);
/* Fills @b with the next datagram of this fabric; false when there is none. */
bool socket_receive(struct wire *w, struct burst *b);

/* A frame on the link. */
struct crossing {
	bool tx;
	uint8_t slot; /* to which, or from which */
	bool is_ethernet;
	struct wire_ethernet how; /* if it is */
	uint8_t *frame;
	size_t len; /* without how */
};

/* fault.c, all with w->faults: what happens to @c. False: it does not arrive now; perhaps later, from
 * fault_next(). True: it does, and its bytes may have changed. */
bool fault_act(struct wire *w, struct crossing *c);
/* Of a frame for all: is it not lost? */
bool fault_spares(struct wire *w, uint8_t *frame, size_t len);
/* The next frame of that direction whose time has come, valid until the next call for the direction;
 * NULL: there is none. */
const struct crossing *fault_next(struct wire *w, bool tx);

/* With or without: is there any frame whose time has not come? */
bool fault_holds(const struct wire *w);
void fault_close(struct wire *w);

/* pcap.c: writes one record; a RoCE frame with its ICRC if it has none. Closes the file on error. */
void pcap_roce(struct wire *w, const uint8_t *frame, size_t len);
void pcap_frame(struct wire *w, const uint8_t *frame, size_t len);

#endif
