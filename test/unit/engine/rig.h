/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A test bench for the engine: adapters without firmware, kernel and library, on plain memory,
 * with a real wire and an engine that is stepped.
 *
 *	host: hca, wire, engine, one PD, one UAR page, one mkey over a buffer
 *	side: a QP with its CQ, on a host; two sides are connected
 *	shared: an SRQ with the list 0, 3, 6, … 13: never the next WQE in memory
 *
 * Criterion runs each test in a separate process, alone on its fabric: the first host has slot
 * 1, so all numbers are known when a test is written.
 *
 *	QPN 0x10001, 0x10002 …   CQN the same   key 0x01000142   buffer at RIG_VA
 */
#ifndef RIG_H
#define RIG_H

#include <criterion/criterion.h>

#include "engine/engine.h"
#include "event/event.h"

#define RIG_VA	    0xa0000000ull /* the buffer's address in the mkey */
#define RIG_KEY	    0x01000142u	  /* of host 0 */
#define RIG_FAR_KEY 0x02000142u	  /* of host 1 */
#define RIG_ADAPTER 0x0a000001u	  /* of all hosts */
#define RIG_BUF	    (4u << 20)
#define RIG_SQ	    64 /* basic blocks */
#define RIG_RQ	    16 /* WQEs of 64 bytes */
#define RIG_CQE	    128
#define RIG_FRAMES  4096
#define SIGNALED    0x08 /* wr.fm_ce_se */

struct host {
	struct hca hca;
	struct wire *w;
	struct net *net;
	struct engine *e;
	struct hca_pd *pd;
	struct hca_uar *uar;
	struct hca_mkey *mkey;
	uint8_t *buf, *eqes;
	struct block *blocks; /* memory of its queues, until host_close() */
};

struct side {
	struct host *h;
	struct hca_qp *qp;
	struct hca_cq *cq;
	uint8_t *queues; /* RQ, then SQ at RIG_RQ * 64 */
	uint8_t *cqes;
	uint32_t *rec, *cq_rec; /* doorbell records */
	uint16_t pi, rq_pi;
	uint32_t ci;
};

struct shared {
	struct host *h;
	struct hca_srq *srq;
	uint8_t *wqes;
	uint32_t *rec; /* doorbell record */
	uint16_t posted;
};

void host_open(struct host *h);
void host_close(struct host *h);
/* Makes a QP on @h that is not connected, and connects two: RTS, PSN @psn both ways. */
void side_open(struct side *s, struct host *h);
void connect_sides(struct side *a, struct side *b, uint32_t mtu, uint32_t psn);
/* One host, two sides, MTU 1024, PSN 0x100. */
void pair_open(struct host *h, struct side *a, struct side *b);
/* Two hosts: @a on h[0] is connected with @b on h[1]. */
void far_pair_open(struct host h[2], struct side *a, struct side *b, uint32_t mtu,
		   uint32_t psn);
/* Closes two hosts. */
void hosts_close(struct host h[2]);

/* The service of both (qpc.st), and of UD the Q_Key of both. */
enum { RIG_RC, RIG_UC, RIG_UD, RIG_XRC };
void be_service(struct side *a, struct side *b, uint8_t st);
#define RIG_QKEY 0x11223344u

void shared_open(struct shared *s, struct host *h);
/* A receive WQE of one data segment; it is number @s->posted * 3 % RIG_RQ. */
void shared_post(struct shared *s, uint64_t va, uint32_t len, uint32_t key);

/* Makes an event queue on @h that takes all asynchronous events. */
struct hca_eq *events_open(struct host *h);
/* The next event is @type about @obj. */
void expect_event(struct hca_eq *eq, uint8_t type, uint32_t obj);
void expect_no_event(struct hca_eq *eq);

/* Puts @ds units of @wqe at the producer index and writes the record. */
void post(struct side *s, const void *wqe, unsigned int ds);
void ring(struct side *s);
/* A send WQE of one data segment. Keys of 0 mean RIG_KEY. */
struct wr {
	uint8_t opcode, fm_ce_se;
	uint32_t len, lkey, rkey;
	uint64_t local, remote; /* offsets in the buffer */
	uint64_t swap_add, compare;
	const uint8_t *head; /* @head_units after the control segment */
	unsigned int head_units;
};
/* An address vector to @to on its host's first GID, and an XRC segment. */
void put_av(uint8_t av[48], const struct side *to, uint32_t qkey);
void put_xrc(uint8_t seg[16], uint32_t srqn);
void post_wr(struct side *s, const struct wr *wr);
/* A receive WQE of one data segment. */
void post_recv(struct side *s, uint64_t va, uint32_t len, uint32_t key);

/* Puts a packet on the wire that no engine made: from @from's first GID to that of @to's
 * host. */
void put_packet(struct host *from, const struct side *to, struct wire_packet p);

/* Takes up to @n frames from the wire before @to receives them; returns how many there were. */
unsigned int lose(struct host *to, unsigned int n);
struct engine_counters counters_of(const struct host *h);

/* Steps all engines until none finds work. */
void settle(struct host *h, unsigned int hosts);
/* Like settle(), but for up to @ms milliseconds of processor time, which a busy machine does
 * not shorten, or until @s has a CQE. */
void wait_cqe(struct host *h, unsigned int hosts, struct side *s, unsigned int ms);

/* The next CQE, or NULL. */
const uint8_t *next_cqe(struct side *s);
/* The next CQE's bytes 32 … 63 are @golden, except for the timestamp, the signature, which
 * next_cqe() checks, and the owner bit. */
void expect_cqe(struct side *s, const uint8_t golden[32]);
/* The next CQE has this opcode (op_own 7:4), syndrome and wqe_counter. */
void expect_error(struct side *s, unsigned int opcode, unsigned int syndrome,
		  unsigned int counter);
void expect_none(struct side *s);

/* Base transport headers of the frames sent so far, oldest first. */
extern uint8_t frame_bth[RIG_FRAMES][12];
extern unsigned int frames;
void record_frames(void);
/* Frames from @at on have these opcodes. */
void expect_opcodes(unsigned int at, const uint8_t *opcodes, unsigned int n);

#endif
