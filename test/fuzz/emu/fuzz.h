/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fuzzer: what its files share.
 *
 *	main.c     rounds: a seed, a kind, a fresh adapter, some hundred cases, the end
 *	calls.c    ioctls: built from the methods' own specs, then spoilt    content.c  what is in them
 *	           content_devx.c: in those of DevX
 *	boxes.c    firmware commands: those that worked before, with one field spoilt
 *	frames.c   frames from a made-up peer                                wqes.c     queues, doorbells
 *	app.c      an adapter, and an application that behaves
 *	chance.c   numbers and bytes         arena.c  the memory that pointers lead to
 *
 * Nothing here lists methods or commands: they come from uverbs_method(), fw_command() and
 * prm, so what is added there is fuzzed too.
 *
 * Requirements for any input: no sanitizer finding, no hang, no answer that the kernel
 * (firmware) would not give; the adapter still moves bytes for an application that behaves;
 * after the last close nothing is left: no object, no descriptor, no memory.
 *
 * One thread, apart from the engines', which are paused and stepped.
 */
#ifndef TEST_FUZZ_H
#define TEST_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fuzz/chance.h"
#include "fuzz/round.h"
#include "engine/engine.h"
#include "fw/fw.h"
#include "uverbs/uverbs.h"

/* ---- arena.c ---- */

/*
 * [ queues, buffers, records: writable | one page read-only | one page writable | nothing ]
 *
 * The start is a multiple of 4 GiB and there is as much memory, if wanted: a queue of any page
 * size that firmware allows begins and ends in it, if its page list says ARENA.
 */
#define ARENA	   0x150000000000ull
#define ARENA_SIZE (8ull << 30)

void arena_map(void);
/* Begins a round: zeroes all. With @far there is memory for large queues. */
void arena_reset(bool far);
uint8_t *arena_scratch(size_t len); /* bytes for one call; valid for some calls */
uint8_t *arena_at_end(size_t len);  /* bytes before the read-only page */
uint8_t *arena_at_edge(size_t len); /* bytes before unmapped memory; a page at most */
uint64_t arena_page(void);	    /* any page of the writable part near its start */
uint64_t arena_wild(void);	    /* where there is nothing, or nothing to write */
/* Spoilt numbers that would lead into other memory of the process lead to nothing instead. */
uint64_t arena_tame(uint64_t va);
void arena_tame_words(uint8_t *at, size_t len);
bool arena_holds(uint64_t va, size_t len); /* writable in all rounds */
bool arena_has(uint64_t va);		   /* in the writable part */

/* ---- app.c ---- */

struct adapter {
	struct hca hca;
	struct wire *w;
	struct net *net;
	struct engine *e;
	struct uverbs *u; /* NULL: no driver, only firmware */
};

#define FUZZ_GID 3 /* index of the IPv4-mapped RoCE v2 GID */

void adapter_up(struct adapter *a, bool driver);
void adapter_down(struct adapter *a);
/* Steps until nothing happens, @n times at most. */
void adapter_step(struct adapter *a, unsigned int n);
const char *adapter_fabric(void);
/* A WRITE between two QPs made for it arrives. With and without a driver. */
void adapter_works(struct adapter *a);
/* How many objects of each kind there are, in words; valid until the next call. */
const char *adapter_objects(const struct adapter *a);

/* Objects for QPs of a well-behaved application, and the QPs. */
#define APP_RQ	16 /* WQEs of 64 bytes */
#define APP_SQ	64 /* basic blocks */
#define APP_CQE 128
#define APP_SRQ 64 /* WQEs of 64 bytes */
#define APP_BUF 65536
#define APP_QPS 10

struct app_qp {
	uint8_t st;  /* qpc.st */
	bool shared; /* receives from the SRQ */
	uint32_t qpn, pi, rq_pi;
	uint8_t *queues, *sq; /* RQ, if not shared, and SQ; where the SQ is in there */
	volatile uint32_t *rec;
};

struct app {
	struct adapter *a;
	uint32_t pd, uar, eq, cqn, mkey, srqn, srq_pi;
	uint32_t dctn; /* if mixed: a DCT on the SRQ */
	uint8_t *buf, *cqes, *eqes, *srq;
	volatile uint32_t *cq_rec, *srq_rec;
	struct app_qp qp[APP_QPS];
};

#define APP_QKEY  0x11111111u
#define APP_DCKEY 0x2222u

/* All through firmware: PD, UAR, EQ, CQ, SRQ, an mkey with all rights on buf, and @qps QPs in
 * RESET, of all services if @mixed, else RC: pairs 0 and 1, 2 and 3, … are alike. */
void app_up(struct app *app, struct adapter *a, unsigned int qps, bool mixed);
void app_down(struct app *app);
/* From whatever state to RTS; @remote is a QPN. PSNs start at @psn. */
void app_connect(struct app *app, struct app_qp *qp, uint32_t remote, uint32_t psn);
/* Makes firmware execute @in: its status. */
uint8_t app_fw(struct adapter *a, const void *in, size_t in_len, void *out, size_t out_len);
void app_ring(struct app *app);

/* ---- the kinds of rounds: each runs @cases ---- */

void fuzz_calls(unsigned int cases);
void fuzz_boxes(unsigned int cases);
void fuzz_traffic(unsigned int cases);
/* Records the commands of some applications that behave; boxes.c starts from them. */
void boxes_learn(void);

/* ---- traffic ---- */

struct peer; /* the other end: a ring from slot PEER_SLOT, and nothing else */
#define PEER_SLOT 2
struct peer *peer_up(void);
void peer_down(struct peer *p);
/* Throws away what arrived. */
void peer_drain(struct peer *p);
/* Sends frames that could come from the peer of @qp, one of them maybe spoilt. */
void peer_frames(struct peer *p, const struct app *app, const struct hca_qp *qp);
/* WQEs, records, rings, doorbells. */
void fuzz_queues(struct app *app, struct app_qp *qp);

#endif
