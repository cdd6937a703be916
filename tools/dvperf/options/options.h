/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a run is asked to do: one struct, filled from the command line, from the axes of a sweep and
 * from presets by the same function, and written into every result.
 *
 *	-s 8              --.
 *	sweep size=8,64   --+--> options_take(o, key, value) -> struct options -> options_check()
 *	--preset perftest --'
 *
 * Letters, names and defaults are perftest's where perftest has the option. 0 of a number that has no
 * use for it means "not given": options_defaults() knows what perftest takes then.
 */
#ifndef DVPERF_OPTIONS_H
#define DVPERF_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include <json-c/json.h>

enum mode { MODE_POST, MODE_BW, MODE_LAT };
enum op { OP_WRITE, OP_READ, OP_SEND, OP_ATOMIC, OP_NOP, OP_WRITE_IMM };
enum service { SERVICE_RC, SERVICE_UC, SERVICE_UD, SERVICE_XRC, SERVICE_DC };
enum atomic { ATOMIC_FETCH_AND_ADD, ATOMIC_CMP_AND_SWAP };
enum api { API_DIRECT, API_WR, API_VERBS };
enum doorbell {
	DOORBELL_AUTO,
	DOORBELL_DB,
	DOORBELL_BF,
	DOORBELL_BF_LAST, /* the last WQE of a batch, as libmlx5 of old did */
	DOORBELL_ZMM,	  /* BlueFlame by one 64-byte store */
	DOORBELL_MOVDIR64B
};
enum uar { UAR_DEFAULT, UAR_THREAD, UAR_SHARED, UAR_NC };
enum layout {
	LAYOUT_PER_QP,
	LAYOUT_SHARED_QP,
	LAYOUT_MUL_2,
	LAYOUT_MUL_4,
	LAYOUT_PER_DOORBELL
};
enum cqs { CQ_PER_QP, CQ_PER_THREAD, CQ_ONE };
enum cqe_comp { CQE_COMP_OFF, CQE_COMP_HASH, CQE_COMP_CSUM, CQE_COMP_CSUM_STRIDX };
enum mrs { MR_ONE, MR_PER_QP };
enum remote { REMOTE_FIXED, REMOTE_SEQUENTIAL, REMOTE_RANDOM };
enum pages { PAGES_4K, PAGES_2M, PAGES_1G };
enum barriers { BARRIERS_DEFAULT, BARRIERS_PRE, BARRIERS_NONE };
enum pattern { PATTERN_NONE, PATTERN_PAIRS, PATTERN_INCAST, PATTERN_ALL_TO_ALL };

/* --signal: a positive number is an interval. */
enum { SIGNAL_CQ_MOD = 0, SIGNAL_BATCH = -1, SIGNAL_HALF = -2 };

enum {
	MAX_DEPTH = 32768,
	MAX_THREADS = 256,
	MAX_QPS = 16384,
	MAX_SIZE = 1 << 28,
	MAX_ALL = 1 << 23, /* -a goes up to here, as in perftest */
	MAX_REPEATS = 99,
	MAX_CQE_POLL = 256,
};

struct options {
	enum mode mode;
	const char *device; /* NULL: the first mlx5 device */
	const char *host;   /* NULL: the server, or --loopback */
	bool loopback;
	int port, gid_index, tcp_port;
	int mtu; /* bytes; 0: the port's */
	enum op op;
	enum service service;
	enum atomic atomic;
	uint32_t size;
	bool all;
	uint64_t iters;
	double duration, margin; /* seconds; duration 0: iters count */
	uint32_t tx_depth, rx_depth, qps, batch, cq_mod, inline_size, outs;
	bool adaptive; /* -l adaptive: batch is the largest */
	bool bidirectional, no_peak;
	bool events;  /* -e: sleep for CQEs */
	bool rdma_cm; /* -R */
	int sl, tos, qp_timeout, hop_limit;
	double limit_bw, limit_msgrate;	     /* below: exit status 1; 0: none */
	bool histogram, unsorted, in_cycles; /* -H -U -C, of lat */
	bool gbits, warm_up;
	const char *out_json; /* a file in perftest's own form; NULL: none */
	int repeats;
	enum api api;
	bool api_given;
	enum doorbell doorbell;
	enum uar uar;
	bool no_locks; /* --locks=off */
	int threads;
	enum layout layout;
	int signal;
	uint32_t outstanding; /* 0: tx_depth */
	enum cqs cqs;
	uint32_t cq_size;  /* 0: what the queue needs */
	uint32_t cqe_size; /* 64, 128; 0: libmlx5's choice */
	enum cqe_comp cqe_comp;
	uint32_t cqe_poll; /* CQEs of one call, at most */
	bool collapsed;	   /* every CQE in the same place */
	enum pages pages;
	enum mrs mrs;
	bool strict_order; /* no relaxed ordering on PCI Express */
	bool dm;	   /* data in the device's own memory */
	enum remote remote;
	uint64_t remote_size; /* bytes of each QP that a peer reaches; 0: those of a batch */
	const char *pin;      /* CPUs, "auto", or NULL */
	int numa;	      /* -1: wherever */
	double rate;	      /* operations per second of all threads; 0: as fast as it goes */
	enum barriers barriers;
	enum pattern pattern; /* none: one or two processes */
	const char *pcie;     /* GENxWIDTH of the model; NULL: as the device says, or 3x16 */
	bool json, csv;
	const char *preset, *plot, *output;
};

/* Every letter unset. */
struct options options_new(enum mode mode);

/* Fills in what was not given, as perftest does. */
void options_defaults(struct options *o);

/* Takes option @key with @value. NULL, or what is wrong with the value. The text is static. */
const char *options_take(struct options *o, int key, const char *value);

/* The same by the long name or, for a sweep's axes, the short word ("batch"). */
const char *options_take_name(struct options *o, const char *name, const char *value);

/* Whether two names are of the same option, but for the way they are written: tx_depth, tx-depth. */
bool options_same_name(const char *a, const char *b);

/* NULL, or why these options cannot be run together. The text is static. */
const char *options_check(const struct options *o);

/* For argp: rows of the table, and their parser, whose input is a struct options. */
extern const struct argp options_parser;

/* The words of the enums. */
const char *op_word(enum op op);
const char *service_word(enum service service);
const char *api_word(enum api api);
const char *doorbell_word(enum doorbell doorbell);
const char *uar_word(enum uar uar);
const char *layout_word(enum layout layout);
const char *cqs_word(enum cqs cqs);
const char *cqe_comp_word(enum cqe_comp comp);
const char *mrs_word(enum mrs mrs);
const char *remote_word(enum remote remote);
const char *pages_word(enum pages pages);
const char *barriers_word(enum barriers barriers);
const char *pattern_word(enum pattern pattern);
const char *mode_word(enum mode mode);

/* The axes of a run, by name; what both sides have to agree on; who asks owns it. */
struct json_object *options_json(const struct options *o);

/* A signal every so many WQEs. */
uint32_t options_signal_interval(const struct options *o);

/* What may be under way on a QP; CQEs of it; whether a peer's operations take receives. */
uint32_t options_depth(const struct options *o);
uint32_t options_cqes(const struct options *o);
bool options_receives(const struct options *o);

/* Bytes of one operation that go inline. */
bool options_is_inline(const struct options *o);

#endif
