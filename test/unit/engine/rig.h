/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A test bench for the engine: adapters without firmware, kernel and library, on plain memory,
 * with a real wire and an engine that is stepped.
 *
 *	host: hca, wire, engine, one PD, one UAR page, one mkey over a buffer
 *	side: a QP with its CQ, on a host; two sides are connected
 *	shared: an SRQ with the list 0, 3, 6, … 13: never the next WQE in memory
 *
 * Most suites are a pair: a and b on the host near, or a on near and b on far. WQEs and CQEs
 * are text (lib/wqe_text.h); addresses in it are offsets in the buffer of the host.
 *
 *	PAIR_SUITE(name);
 *	Test(name, what) { post(&b, "recv 128 local=0x2000");
 *			   finish(&a, "send 100 sig", "sent send wqe=0"); }
 *
 * Criterion runs each test in a separate process, alone on its fabric: near has slot 1, so all
 * numbers are known when a test is written.
 *
 *	QPN 0x10001, 0x10002 …   CQN the same   key 0x01000142   buffer at RIG_VA
 *	user index 0x70 + the low byte of the QPN
 */
#ifndef RIG_H
#define RIG_H

#include <criterion/criterion.h>

#include "engine/engine.h"
#include "event/event.h"
#include "lib/wqe_text.h"

#define RIG_VA	    0xa0000000ull /* the buffer's address in the mkey */
#define RIG_KEY	    0x01000142u	  /* of near */
#define RIG_FAR_KEY 0x02000142u	  /* of far */
#define RIG_ADAPTER 0x0a000001u	  /* of all hosts */
#define RIG_BUF	    (4u << 20)
#define RIG_SQ	    64 /* basic blocks */
#define RIG_RQ	    16 /* WQEs of 64 bytes */
#define RIG_CQE	    128
#define RIG_FRAMES  4096
#define RIG_QKEY    0x11223344u
#define SIGNALED    0x08 /* byte 11 of a WQE */

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
	const struct side *peer; /* whose key is the rkey, unless the text has one */
	struct hca_qp *qp;
	struct hca_cq *cq;
	uint8_t *queues; /* RQ, then SQ at RIG_RQ * 64 */
	uint8_t *cqes;
	uint32_t *rec, *cq_rec; /* doorbell records */
	uint16_t pi, rq_pi;
	uint32_t ci;
	uint64_t time;	  /* of the last CQE */
	uint8_t head[48]; /* address vector or XRC segment of its WQEs */
	unsigned int head_units;
};

struct shared {
	struct host *h;
	struct hca_srq *srq;
	uint8_t *wqes;
	uint32_t *rec; /* doorbell record */
	uint16_t posted;
};

extern struct host near, far;
extern struct side a, b;

/* ---- suites ---- */

/* a and b on near. */
void pair_open(void);
/* a on near, b on far. */
void far_pair_open(void);
void far_pair_open_with(uint32_t mtu, uint32_t psn);
/* All findings were expected; closes all hosts. rig_close_read(): and all CQEs were read. */
void rig_close(void);
void rig_close_read(void);
/* The first 4096 bytes of near are 3, 10, 17 …; MTU 1024, PSN 0x100. */
#define PAIR_SUITE(name)     TestSuite(name, .init = pair_open, .fini = rig_close)
#define FAR_PAIR_SUITE(name) TestSuite(name, .init = far_pair_open, .fini = rig_close)

void host_open(struct host *h);
void host_close(struct host *h);
/* Makes a QP on @h that is not connected, and connects two: RTS, PSN @psn both ways. */
void side_open(struct side *s, struct host *h);
void connect_sides(struct side *one, struct side *other, uint32_t mtu, uint32_t psn);

/* The service of both (qpc.st), and of UD the Q_Key of both. */
enum { RIG_RC, RIG_UC, RIG_UD, RIG_XRC, RIG_DCI = 5 };
void be_service(struct side *one, struct side *other, uint8_t st);

void shared_open(struct shared *s, struct host *h);

/* Makes a DC target that receives by @srq, on its host, and completes to the CQ of @s. */
struct hca_dct *target_open(const struct side *s, const struct shared *srq, uint64_t key,
			    uint32_t mtu);

/* @s WRITEs 3000 bytes, READs them and adds to the first 8, all by its peer's memory. */
void write_read_and_add(struct side *s);

/* Makes an event queue on @h that takes all asynchronous events. */
struct hca_eq *events_open(struct host *h);
/* The next event is @type about @obj. */
void expect_event(struct hca_eq *eq, uint8_t type, uint32_t obj);
void expect_no_event(struct hca_eq *eq);

/* ---- WQEs and CQEs ---- */

#define TEXT(fmt, args) __attribute__((format(printf, fmt, args)))

/* WQEs of text, separated by ";": to the RQ those that begin with recv. */
void post(struct side *s, const char *text, ...) TEXT(2, 3);
/* Rings, and all engines work until nothing is left. */
void work(struct side *s);
/* post(), and rings; post(), and work(); the same, and its CQE has no error, or the CQEs are
 * those of a text. */
#define post_rung(s, ...)               \
	do {                            \
		post((s), __VA_ARGS__); \
		ring(s);                \
	} while (0)
#define execute(s, ...)                 \
	do {                            \
		post((s), __VA_ARGS__); \
		work(s);                \
	} while (0)
#define succeed(s, ...)                    \
	do {                               \
		execute((s), __VA_ARGS__); \
		expect_cqe((s), "sent");   \
	} while (0)
#define finish(s, wqes, cqes)          \
	do {                           \
		execute((s), wqes);    \
		expect_cqe((s), cqes); \
	} while (0)
/* "recv …"; it is number @s->posted * 3 % RIG_RQ. */
void post_shared(struct shared *s, const char *text, ...) TEXT(2, 3);
/* Puts @ds units of @wqe at the producer index and writes the record. */
void post_bytes(struct side *s, const void *wqe, unsigned int ds);
void ring(struct side *s);

/* The address vector of the next WQEs of @s: @to, on its host's first GID. */
void address(struct side *s, const struct side *to, uint32_t qkey);
/* The XRC segment of the next WQEs of @s. */
void address_srq(struct side *s, uint32_t srqn);

/* The next CQEs are those of the text, separated by ";". */
void expect_cqe(struct side *s, const char *text, ...) TEXT(2, 3);
void expect_none(struct side *s);
/* The next CQE, or NULL. */
const uint8_t *next_cqe(struct side *s);

/* A row of refusals: each begins with what the suite opens, again. Failures name it. */
#define FOR_EACH_ROW(row, rows, open)                                                      \
	for (typeof(&(rows)[0]) row = rows; row < rows + sizeof(rows) / sizeof(rows[0]) && \
					    (rig_close(), open(), row_name = row->what);   \
	     row++)
extern const char *row_name;

/* Puts a packet on the wire that no engine made: from @from's first GID to that of @to's
 * host. */
void put_packet(struct host *from, const struct side *to, struct wire_packet p);

/* Takes up to @n frames from the wire before @to receives them; returns how many there were. */
unsigned int lose(struct host *to, unsigned int n);
struct engine_counters counters_of(const struct host *h);

/* Steps all engines, or one, until none finds work. */
void settle(void);
void settle_only(struct host *h);
/* Like settle(), but for up to @ms milliseconds of processor time, which a busy machine does
 * not shorten, or until @s has a CQE. */
void wait_cqe(struct side *s, unsigned int ms);

/* ---- the trace ---- */

/* Sees also these kinds (1 << TRACE_…); findings always. */
void see(uint32_t kinds);
/* The next findings contain the texts, separated by "|"; there are no others. */
void expect_finding(const char *text, ...) TEXT(1, 2);
void expect_no_finding(void);

/* All else that was seen is @n lines, as seen.c has them. */
void expect_traced(const char *const *lines, unsigned int n);

/* Base transport headers of the frames sent so far, oldest first. */
extern uint8_t frame_bth[RIG_FRAMES][12];
extern unsigned int frames;
void record_frames(void);
/* Other values in all fields of the address vector of @s: from GID 3 of its host to GID 4 of
 * @to. The first frame that is recorded then has these addresses. */
void address_in_full(struct side *s, struct host *to);
void expect_full_address(void);
/* Frames from @at on are those of the text: "send_first send_last ack". */
void expect_frames(unsigned int at, const char *text);
/* They are those of the text, and there are no others. */
void expect_only_frames(const char *text);
uint32_t psn_of(unsigned int frame);

#endif
