/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The other side, over TCP, as in perftest: the server waits, the client connects. They compare
 * their options, exchange addresses, and synchronize.
 *
 *	client                                   server
 *	  {"dvperf":"0.1.0","run":{…},"options":{…}}  <-->
 *	  addresses of the QPs              <-->
 *	  here                              <-->        both have reached the same point
 *	  … the run …
 *	  here; {"mops":…} of each side     <-->
 *
 * Every message begins with a letter: data, here, interrupted, or end, which carries the line
 * that the other side printed. The last two may arrive at any time: ^C on one side ends both,
 * with what was measured; a side that ends for another reason ends the other too, with the same
 * exit status.
 *
 * All points of a program use one connection. A side may have to leave points out (it has fewer
 * CPUs, for example): peer_point() asks both sides before each point.
 *
 * Options are compared by value, those that option.def marks EQUAL. A difference ends both
 * sides with one line and status 2.
 */
#ifndef DVPERF_PEER_H
#define DVPERF_PEER_H

#include <stddef.h>

#include "options/options.h"
#include "ranks.h"

struct cm;
struct ibv_qp;

struct peer {
	int fd; /* of TCP; not used with ranks */
	bool server;
	bool ranks;    /* the others of an MPI job (pattern.h) */
	struct cm *cm; /* -R; else NULL */
};

/* Waits for the client, or connects to o->host, unless connected already; compares the
 * options. The connection stays open for other points. With -R it finds the device:
 * o->device, o->port. */
void peer_open(struct peer *p, struct options *o);

/* NULL, or what this machine lacks to connect as @o says. The text is static. */
const char *peer_check(const struct options *o);

/* -R: takes @n QPs to RTS together with the other side; closes these connections. */
void peer_connect_qps(struct peer *p, struct ibv_qp *const *qps, unsigned int n);
void peer_close_qps(struct peer *p);

/* Before each of the @points points of a command @run ("sweep"): NULL if both sides can measure
 * it, or why not: @bad of this side, or that the other side leaves it out. The first call
 * connects. Sets base_interrupted if the other side was interrupted. */
const char *peer_point(const struct options *o, const char *run, unsigned int points,
		       const char *bad);

/* After the last point, or when this side was interrupted and asks for no more: notifies the
 * other. */
void peer_part(void);

void peer_exchange(struct peer *p, const void *ours, void *theirs, size_t size);

/* Whether both sides say so. */
bool peer_both(struct peer *p, bool ours);

/* Announces that this side has reached this point; waits until the peer has; does both. */
void peer_announce(struct peer *p);
void peer_await(struct peer *p);
void peer_sync(struct peer *p);

/* Whether the peer's next message has arrived, announcement or data: does not wait. */
bool peer_is_waiting(struct peer *p);

/* During a run, now and then: notifies the peer when this side was interrupted, sets
 * interrupted when that one was, and ends the program when the connection is closed. */
void peer_look(struct peer *p);

#endif
