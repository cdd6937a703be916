/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of a run: one struct, filled from the command line, from the axes of a sweep and
 * from presets, and written into every result.
 *
 *	-s 8              --.
 *	sweep size=8,64   --+--> option.def: a row per option --> struct options --> options_check()
 *	--preset connectx7 -'
 *
 * Letters, names and defaults are perftest's where perftest has the option. Numbers for which 0
 * makes no sense are 0 until options_defaults() sets perftest's default.
 */
#ifndef DVPERF_OPTIONS_H
#define DVPERF_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include <json-c/json.h>

enum mode { MODE_POST, MODE_BW, MODE_LAT };
enum op { OP_WRITE, OP_READ, OP_SEND, OP_ATOMIC, OP_NOP, OP_WRITE_IMM, OP_MMO };
enum service { SERVICE_RC, SERVICE_UC, SERVICE_UD, SERVICE_XRC, SERVICE_DC };
enum atomic { ATOMIC_FETCH_AND_ADD, ATOMIC_CMP_AND_SWAP };
enum api { API_DIRECT, API_WR, API_VERBS, API_MANY };
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
enum remote_vhca { REMOTE_VHCA_NONE, REMOTE_VHCA_READ, REMOTE_VHCA_WRITE };
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
	MAX_OPTIONS = 160,
};

/* The C type for "type" of OPTION_NUMBER. */
typedef int option_INT;
typedef uint32_t option_U32;
typedef uint64_t option_U64;
typedef double option_REAL;

/* A member of each row of option.def, and what no option has alone. */
struct options {
	enum mode mode;
	const char *host; /* NULL: the server, or --loopback */
	bool adaptive;	  /* -l adaptive: batch is the largest */
	bool api_given;
	bool given[MAX_OPTIONS]; /* by the command line, in the order of option.def */
#define OPTION_FLAG(member, ...)	 bool member;
#define OPTION_TEXT(member, ...)	 const char *member;
#define OPTION_WORD(member, ...)	 enum member member;
#define OPTION_NUMBER(member, type, ...) option_##type member;
#define OPTION_FORM(member, type, ...)	 type member;
#include "option.def"
};

/* No option given. */
struct options options_new(enum mode mode);

/* Fills in what was not given, as perftest does. */
void options_defaults(struct options *o);

/* Takes a value of the option with this long name or JSON key, or of "mode". NULL, or what is
 * wrong with the value; the text is static. A flag takes on and off. */
const char *options_take_name(struct options *o, const char *name, const char *value);

/* The JSON key of the option @name; the text is static. */
const char *options_json_key(const char *name);

/* How the command line calls the option with this JSON key: "-s", "--remote". The text is
 * static. */
const char *options_flag(const char *json_key);

/* Whether both sides of a run must have the same value of this JSON key. */
bool options_must_be_equal(const char *json_key);

/* NULL, or why these options cannot be combined. The text is static. */
const char *options_check(const struct options *o);

/* Offers the long names of all options, or the names of a sweep's axes. */
struct near;
void options_near(struct near *near, bool axes);

/* Refuses the first long option of a command line that does not exist. */
void options_refuse_unknown(int argc, char **argv);

/* Refuses an axis of a sweep that the command line also gives as an option. */
void options_refuse_given(const struct options *o, const char *axis);

/* For argp: all options; the input is a struct options. */
extern const struct argp options_parser;

/* The values as they are written. */
const char *op_word(enum op op);
const char *service_word(enum service service);
const char *api_word(enum api api);
const char *atomic_word(enum atomic atomic);
const char *doorbell_word(enum doorbell doorbell);
const char *uar_word(enum uar uar);
const char *layout_word(enum layout layout);
const char *cqs_word(enum cqs cqs);
const char *cqe_comp_word(enum cqe_comp comp);
const char *mrs_word(enum mrs mrs);
const char *remote_word(enum remote remote);
const char *remote_vhca_word(enum remote_vhca way);
const char *pages_word(enum pages pages);
const char *barriers_word(enum barriers barriers);
const char *pattern_word(enum pattern pattern);
const char *mode_word(enum mode mode);

/* The options of a run by their JSON keys, as every result reports them. The caller owns it. */
struct json_object *options_json(const struct options *o);

/* Every how many WQEs one is signaled. */
uint32_t options_signal_interval(const struct options *o);

/* Outstanding WQEs and CQEs of a QP, at most; whether the peer's operations consume
 * receives. */
uint32_t options_depth(const struct options *o);
uint32_t options_cqes(const struct options *o);
bool options_receives(const struct options *o);

/* --remote: bytes of a slot for messages of @size; the memory of a QP, which slots divide:
 * @wanted bytes or the next power of two; 0: the default. */
uint64_t options_remote_slot(uint32_t size);
uint64_t options_remote_bytes(uint32_t size, uint64_t wanted);

/* Whether the data of an operation is inline. */
bool options_is_inline(const struct options *o);

/* Whether this side copies (mmo): of --remote-vhca the server does not. */
bool options_copies(const struct options *o);

/* For mmo: WQEs of an operation of @size bytes, where one copies at most @chunk. Others: 1. */
uint32_t options_wqes(const struct options *o, uint32_t chunk);

#endif
