/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The other side, over TCP, as in perftest: the server waits, the client connects; they compare what
 * they were asked to do, exchange addresses, and wait for each other.
 *
 *	client                                   server
 *	  {"dvperf":"0.1.0","options":{…}}  --->
 *	                                    <---  the same
 *	  addresses of the QPs              <-->
 *	  sync                              <-->
 *	  … the run …
 *	  sync; {"mops":…} of each side     <-->
 *
 * Options are compared by value: those that must be equal on both sides are all of options_json()
 * but what only concerns the side that posts. A difference ends both with one line and status 2.
 */
#ifndef DVPERF_PEER_H
#define DVPERF_PEER_H

#include <stddef.h>

#include "options.h"

struct peer {
	int fd; /* of no use with ranks */
	bool server;
	bool ranks; /* the others of an MPI job (pattern.h) */
};

/* Waits for the client, or connects to o->host; then compares the options. */
void peer_open(struct peer *p, const struct options *o);
void peer_close(struct peer *p);

void peer_exchange(struct peer *p, const void *ours, void *theirs, size_t size);

/* Whether both sides say so. */
bool peer_both(struct peer *p, bool ours);

/* Tells the peer that we have come here; waits until it has; both. */
void peer_announce(struct peer *p);
void peer_await(struct peer *p);
void peer_sync(struct peer *p);

/* Whether the peer has come to its next peer_announce(): does not wait. */
bool peer_is_waiting(const struct peer *p);

#endif
