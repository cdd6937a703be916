/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A ring: frames from one process to one other, in memory that both map.
 *
 *	memory	| head | tail | flags |  entries: | prefix 8 | frame | to a multiple of 8 | …
 *
 *	sender		ring_reserve -> fills in -> ring_commit …   ring_publish: head
 *	receiver	ring_next -> uses it …                      ring_release: tail
 *
 * head and tail count bytes, modulo 2^32; each is written by one of the two. An entry does not
 * wrap: if the rest up to the end is too short, an entry of length 0 says so. So that little
 * traffic uses little memory, the sender starts again at the beginning when the ring is empty
 * at the end of a chunk.
 *
 * The memory is a memfd that can neither shrink nor grow, without a name. The other process may
 * write what it likes: of what is in the memory each number is read once and checked, and a
 * ring in which one is wrong is not read any more.
 *
 * Sleeping. The side that announces it stores a flag and then looks once more; the other one
 * stores head or tail and then looks at the flag. All four are sequentially consistent, so one
 * of them sees what the other did.
 */
#ifndef EMU_WIRE_RING_H
#define EMU_WIRE_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RING_BYTES  (512u * 1024)
#define RING_CHUNK  (32u * 1024)
#define RING_DATA   4096 /* where the entries begin */
#define RING_PREFIX 8	 /* of which 4 are used: the frame is aligned */
#define RING_ALIGN  8u
#define RING_LENGTH 0xffffffu /* of a prefix; the other bits are flags */

/* The state of the receiver. */
enum ring_reader {
	RING_AWAKE,  /* it looks at head */
	RING_ASLEEP, /* and wants a datagram when head changes */
	RING_PARKED, /* the same, and does not look at this ring even if it is awake */
};

/* On lines that only one side writes, often; the flags are written rarely. */
struct ring_memory {
	_Alignas(64) _Atomic uint32_t head;   /* of the sender */
	_Alignas(64) _Atomic uint32_t tail;   /* of the receiver */
	_Alignas(64) _Atomic uint32_t reader; /* enum ring_reader */
	_Atomic uint32_t waiting;   /* the sender sleeps, until half of the ring is free */
	_Atomic uint32_t attached;  /* by the receiver; once */
	_Atomic uint32_t abandoned; /* the receiver does not read any more */
	_Atomic uint32_t closed;    /* the sender has left: nothing follows */
};

/* One end, or both if the process sends to itself. */
struct ring {
	struct ring_memory *memory; /* NULL: none */
	uint8_t *data;
	/* the sender's */
	uint32_t head, published, tail_seen, chunk;
	uint32_t last, last_prefix; /* the last entry: where it begins */
	/* the receiver's */
	uint32_t tail, released, head_seen;
	bool broken; /* the memory has an invalid state */
	bool freed;  /* the sender waits for space, and there is some: wake it */
};

/* A new ring; its memfd, or -1 with errno. */
int ring_create(struct ring *r);
/* The one of memfd @fd, which is not closed; 0 or a positive errno value (EEXIST: it was
 * attached before). */
int ring_attach(struct ring *r, int fd);
/* Memory of this process alone; 0 or a positive errno value. */
int ring_private(struct ring *r);
void ring_unmap(struct ring *r);

/* ---- sender ---- */

/* Size of an entry of @len bytes in the ring. */
static inline uint32_t ring_entry(size_t len)
{
	return ((uint32_t)(RING_PREFIX + len) + RING_ALIGN - 1) & ~(RING_ALIGN - 1);
}

/* Where the next @len bytes may be written; NULL: there is no space. */
uint8_t *ring_reserve(struct ring *r, size_t len);
/* They are the next entry, with @flags in its prefix. @len: at most what was reserved. */
void ring_commit(struct ring *r, size_t len, uint32_t flags);
/* The place of @more bytes after the last entry, which they can be added to. NULL: it is
 * published, or there is no space. */
uint8_t *ring_after(const struct ring *r, size_t more);
/* They are a part of it now. */
void ring_add(struct ring *r, size_t more);
/* Makes all entries readable; returns the receiver's state: wake it if it was not awake. */
enum ring_reader ring_publish(struct ring *r);
/* Has the receiver read all that is published? */
bool ring_is_read(const struct ring *r);
/* The sender sleeps until half of the ring is free. False: it is. */
bool ring_wait(struct ring *r);
/* Gives the pages of the entries back, if the ring is empty; false: it is not. */
bool ring_discard(struct ring *r);

/* ---- receiver ---- */

/* The next entry, valid until the next call; its length and its prefix's flags. NULL: there is
 * none, or the ring is broken. */
uint8_t *ring_next(struct ring *r, size_t *len, uint32_t *flags);
/* Are there entries that ring_next() did not return yet? */
bool ring_has_next(const struct ring *r);
/* All that ring_next() returned is not used any more. */
void ring_release(struct ring *r);
/* Has the sender left, and is nothing more to be read? */
bool ring_is_over(const struct ring *r);
/* Announces what the receiver does now. */
void ring_set_reader(struct ring *r, enum ring_reader doing);

#endif
