/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The other side, over TCP, as in perftest: the server waits, the client connects; they compare what
 * they were asked to do, exchange addresses, and wait for each other.
 *
 *	client                                   server
 *	  {"dvperf":"0.1.0","run":{…},"options":{…}}  <-->
 *	  addresses of the QPs              <-->
 *	  here                              <-->        both come to the same place
 *	  … the run …
 *	  here; {"mops":…} of each side     <-->
 *
 * Every word has a letter before it: data, here, interrupted, or the end, with the line that the
 * other side printed. The latter two may come at any time: ^C on one side ends both, with what was
 * measured; a side that ends for another reason takes the other along, with its exit status.
 *
 * All points of a program go over one connection. Of several, each side may have to leave some out
 * (it has fewer CPUs, say): peer_point() asks both before each.
 *
 * Options are compared by value: those that must be equal on both sides are all of options_json()
 * but what only concerns the side that posts. A difference ends both with one line and status 2.
 */
#ifndef DVPERF_PEER_H
#define DVPERF_PEER_H

#include <stddef.h>

#include "options/options.h"
#include "ranks.h"

struct cm;
struct ibv_qp;

struct peer {
	int fd; /* of no use with ranks */
	bool server;
	bool ranks;    /* the others of an MPI job (pattern.h) */
	struct cm *cm; /* -R; else NULL */
};

/* Waits for the client, or connects to o->host, if that was not yet done; compares the options. The
 * connection stays: other points may come. With -R it finds the device: o->device, o->port. */
void peer_open(struct peer *p, struct options *o);

/* NULL, or what is missing here for the way to the other side. The text is static. */
const char *peer_check(const struct options *o);

/* -R: takes @n QPs to RTS together with the other side; afterwards ends these connections. */
void peer_connect_qps(struct peer *p, struct ibv_qp *const *qps, unsigned int n);
void peer_close_qps(struct peer *p);

/* Before each of @points points of a command @run ("sweep"): NULL where both sides can measure it, or
 * why not: @bad of this side, or that the other one leaves it out. The first one connects. Sets
 * interrupted where the other side was. */
const char *peer_point(const struct options *o, const char *run, unsigned int points,
		       const char *bad);

/* After the last point, or when this side was interrupted and asks for no more: notifies the other. */
void peer_part(void);

void peer_exchange(struct peer *p, const void *ours, void *theirs, size_t size);

/* Whether both sides say so. */
bool peer_both(struct peer *p, bool ours);

/* Announces that this side has come here; waits until the peer has; both. */
void peer_announce(struct peer *p);
void peer_await(struct peer *p);
void peer_sync(struct peer *p);

/* Whether the peer's next word is there, announcement or data: does not wait. */
bool peer_is_waiting(struct peer *p);

/* During a run, now and then: notifies the peer when this side was interrupted, sets interrupted when
 * that one was, and ends the program when the connection is closed. */
void peer_look(struct peer *p);

#endif
