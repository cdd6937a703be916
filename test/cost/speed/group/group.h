/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A group of processes that WRITE to one another, each with an emulator; or one process that
 * WRITEs to itself over many QPs. They share a file: QP numbers, barriers, results.
 *
 *	pattern		links (one pair of RC QPs each, RDMA WRITE in one direction), times --qps
 *	self		0 -> 0
 *	ring		each -> the next one
 *	all		each -> every other one
 *	incast		each but 0 -> 0
 */
#ifndef TEST_GROUP_H
#define TEST_GROUP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <infiniband/verbs.h>

#include "lib/clock.h"

enum {
	MEMBERS = 128,
	LINKS = 16384,
	BARRIERS = 64,
	MAX_BATCH = 32,
};

struct plan {
	const char *pattern;
	unsigned int rank, ranks, qps, bytes;
	double seconds; /* of traffic; 0: count messages */
	unsigned int count;
	unsigned int batch;  /* WRITEs per doorbell, the last one with a CQE */
	unsigned int depth;  /* batches under way per link */
	unsigned int rounds; /* of @count messages */
	unsigned int
		allowed; /* KiB more after the last round than after the first one; 0: any number */
	unsigned int timeout; /* of the QPs, as in ibv_qp_attr; 0: they wait for ever */
	unsigned int idle; /* seconds in which nothing is sent, before and after the traffic */
	bool paused;	   /* the engine does not run until all is posted */
	unsigned int nlinks;
	struct {
		uint16_t from, to;
		uint32_t place; /* of its block in the memory of @to */
	} links[LINKS];
};

/* When memory is read: before and after the first round of traffic, and after the last one; of
 * traffic for a time some seconds after it. */
enum when { BEFORE, AFTER, LATER, TIMES };

struct member {
	union ibv_gid gid;
	uint64_t addr;
	uint32_t rkey;
	uint64_t retransmits;
	long pss[TIMES], peak; /* KiB; peak: of the resident set */
	double idle[2];	       /* processor time per time, before and after the traffic */
};

/* The file. */
struct group {
	atomic_bool failed;
	atomic_uint arrived[BARRIERS];
	_Atomic uint64_t start; /* of the traffic, CLOCK_MONOTONIC */
	atomic_bool finished;	/* one link has sent its last message */
	struct member members[MEMBERS];
	struct {
		uint32_t from_qpn, to_qpn;
		_Atomic uint64_t done; /* messages that completed */
		uint64_t then;	       /* those of them when the first link finished */
	} links[LINKS];
};

/* One direction of the traffic, in the process that sends. */
struct out {
	unsigned int link;
	struct ibv_qp *qp;
	uint8_t *bytes;
	unsigned int left; /* messages to post; UINT_MAX: until the time is over */
};

struct end {
	const struct plan *plan;
	struct group *group;
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *src_mr, *dst_mr;
	uint8_t *src, *dst;
	uint8_t gid_index;
	enum ibv_mtu mtu;
	unsigned int nouts, nins;
	struct out *outs;
	struct ibv_qp **ins; /* by link; NULL: not here */
};

/* Ends the process, and with it the group, if not @ok. */
void need(bool ok, const char *what);
void rest_ms(unsigned int ms);

/* plan.c */
void plan_links(struct plan *p);
/* The bytes that each link has at both ends: a cache line at least. */
size_t plan_block(const struct plan *p);
struct group *group_open(const char *path);
/* Until all of @plan->ranks have called it as often. */
void group_wait(const struct end *e);

/* end.c */
void end_open(struct end *e);
void end_connect(struct end *e);
void end_close(struct end *e);

/* traffic.c */
void traffic_run(struct end *e);
/* One more message for each link, with other bytes; then those that arrived are compared. */
void traffic_verify(struct end *e);

#endif
