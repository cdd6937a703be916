/* SPDX-License-Identifier: BSD-2-Clause */
/* What perftest takes where nothing was said, and what cannot be together. */
#include <stdio.h>

#include "options.h"

enum {
	LARGE = 8192,
	CQE_POLL = 16,
	REMOTE_SIZE = 16 << 20,
};

struct options options_new(enum mode mode)
{
	return (struct options){ .mode = mode,
				 .port = 1,
				 .gid_index = -1,
				 .tcp_port = 18515,
				 .numa = -1,
				 .inline_size = UINT32_MAX,
				 .qp_timeout = 14,
				 .hop_limit = 64,
				 .margin = -1 };
}

/* perftest's, of ib_write_lat, ib_send_lat, and ib_send_lat -c UD. */
static uint32_t default_inline(const struct options *o)
{
	if (o->op != OP_WRITE && o->op != OP_SEND)
		return 0;
	if (o->mode == MODE_POST)
		return 28;
	if (o->mode == MODE_BW)
		return 0;
	if (o->op == OP_WRITE)
		return 220;
	return o->service == SERVICE_UD ? 188 : 236;
}

static uint32_t default_size(const struct options *o)
{
	if (o->op == OP_ATOMIC || o->mode == MODE_POST)
		return 8;
	return o->mode == MODE_BW ? 65536 : 2;
}

/* post has long laps: nothing is under way there. */
static uint32_t default_depth(const struct options *o)
{
	uint32_t depth = o->mode == MODE_LAT ? 1 : o->mode == MODE_BW ? 128 : 1024;

	return o->batch > depth ? o->batch : depth;
}

/* perftest's: a large message brings its own CQE. It looks at the size once, -a has none yet. */
static uint32_t default_cq_mod(const struct options *o)
{
	return o->mode == MODE_BW && !o->all && o->size > LARGE ? 1 : 100;
}

void options_defaults(struct options *o)
{
	bool list = o->batch || o->adaptive;

	if (!o->batch && !o->adaptive)
		o->batch = 1;
	if (!o->size)
		o->size = default_size(o);
	if (!o->iters)
		o->iters = o->mode == MODE_BW && o->op == OP_WRITE ? 5000 : 1000;
	if (!o->tx_depth)
		o->tx_depth = default_depth(o);
	if (o->adaptive) /* some complete while others are posted */
		o->batch = options_depth(o) > 1 ? options_depth(o) / 2 : 1;
	if (!o->rx_depth)
		o->rx_depth = 512;
	if (!o->qps)
		o->qps = 1;
	if (!o->cq_mod)
		o->cq_mod = list ? o->batch : default_cq_mod(o);
	if (o->inline_size == UINT32_MAX)
		o->inline_size = default_inline(o);
	if (!o->cqe_poll)
		o->cqe_poll = CQE_POLL;
	if (!o->remote_size && o->remote != REMOTE_FIXED)
		o->remote_size = REMOTE_SIZE;
	if (!o->threads)
		o->threads = 1;
	if (!o->repeats)
		o->repeats = o->mode == MODE_POST ? 5 : 3;
	if (o->margin < 0)
		o->margin = o->duration / 4;
	if (o->layout == LAYOUT_PER_DOORBELL)
		o->uar = UAR_THREAD;
}

uint32_t options_depth(const struct options *o)
{
	return o->outstanding ? o->outstanding : o->tx_depth;
}

/* A batch waits for room of its size; the WQEs that are not covered by a CQE yet must leave it. */
uint32_t options_signal_interval(const struct options *o)
{
	uint32_t most = options_depth(o) - o->batch + 1, want = o->cq_mod;

	if (o->signal == SIGNAL_BATCH)
		want = o->batch;
	else if (o->signal == SIGNAL_HALF)
		want = options_depth(o) / 2;
	else if (o->signal > 0)
		want = (uint32_t)o->signal;
	/* every batch's last WQE, so that a batch of the whole depth does not wait for ever */
	if (want == o->batch || most < 1)
		return want;
	return want < 1 ? 1 : want > most ? most : want;
}

bool options_is_inline(const struct options *o)
{
	return o->size <= o->inline_size && (o->op == OP_WRITE || o->op == OP_SEND);
}

static const char *check_service(const struct options *o)
{
	if (o->service == SERVICE_UC && (o->op == OP_READ || o->op == OP_ATOMIC))
		return "UC knows no READ and no atomics";
	if (o->service == SERVICE_UD && o->op != OP_SEND && o->op != OP_NOP)
		return "UD knows only SEND: --op=send";
	if (o->service == SERVICE_UD && o->size > 4096)
		return "a UD message fits one packet: at most 4096 bytes (-s)";
	if (o->op == OP_NOP && o->api != API_DIRECT)
		return "a NOP can only be posted directly: --api=direct";
	if (o->op == OP_NOP && o->mode == MODE_LAT)
		return "a NOP goes nowhere: no latency to measure; see bw and post";
	if (o->op == OP_ATOMIC && o->size != 8)
		return "atomics have 8 bytes: no other -s";
	if (o->bidirectional && o->mode != MODE_BW)
		return "-b is for bw";
	return NULL;
}

static const char *check_doorbell(const struct options *o)
{
	if (o->api != API_DIRECT && o->doorbell != DOORBELL_AUTO)
		return "--doorbell is for --api=direct: libmlx5 decides by itself";
	if (o->api != API_DIRECT && o->barriers != BARRIERS_DEFAULT)
		return "--barriers is for --api=direct: those of libmlx5 are compiled in";
	if (o->uar == UAR_NC && o->doorbell == DOORBELL_BF)
		return "BlueFlame needs a write-combining register: not with --uar=nc";
	if (o->barriers != BARRIERS_DEFAULT && o->mode != MODE_POST && !o->loopback)
		return "wrong barriers are for this machine's eyes only: --loopback, or post";
	if (o->layout == LAYOUT_PER_DOORBELL && o->uar != UAR_THREAD)
		return "--layout=per-doorbell is --uar=thread";
	if (o->layout != LAYOUT_PER_QP && o->layout != LAYOUT_PER_DOORBELL &&
	    o->uar == UAR_THREAD)
		return "--uar=thread takes locks away: not where threads share a QP";
	return NULL;
}

static const char *check_sizes(const struct options *o)
{
	static char text[160];

	if (o->batch > options_depth(o))
		snprintf(text, sizeof(text),
			 "a batch of %u (-l) does not fit a depth of %u (-t, --outstanding)",
			 o->batch, options_depth(o));
	else if (o->outstanding > o->tx_depth)
		snprintf(text, sizeof(text),
			 "%u under way (--outstanding) in a queue of %u (-t)", o->outstanding,
			 o->tx_depth);
	else if (o->duration && o->margin * 2 >= o->duration)
		snprintf(text, sizeof(text), "margins of %g s (-f) leave nothing of %g s (-D)",
			 o->margin, o->duration);
	else if ((uint64_t)o->qps * (unsigned int)o->threads > MAX_QPS)
		snprintf(text, sizeof(text), "%u QPs of %d threads are more than %d", o->qps,
			 o->threads, MAX_QPS);
	else if (o->signal > (int)options_depth(o))
		snprintf(text, sizeof(text), "a signal every %d WQEs, at a depth of %u",
			 o->signal, options_depth(o));
	else
		return NULL;
	return text;
}

static const char *check_mode(const struct options *o)
{
	if (o->mode == MODE_POST && (o->host || o->rate > 0 || o->duration > 0))
		return "post has no peer and no pace: no HOST, --rate, -D";
	if (o->mode == MODE_POST && o->op == OP_SEND && o->service == SERVICE_UC)
		return "post knows RC and UD";
	if (o->host && o->loopback)
		return "either HOST or --loopback";
	if (o->mode == MODE_LAT &&
	    (o->batch > 1 || o->threads > 1 || o->qps > 1 || o->rate > 0))
		return "lat is one operation of one QP at a time: no -l, -q, --threads, --rate";
	if (o->mode == MODE_LAT && o->service == SERVICE_UD)
		return "lat knows RC and UC";
	if (o->mode == MODE_LAT && o->no_peak)
		return "lat is time stamps: no -N";
	if (o->rate > 0 && o->no_peak)
		return "--rate is about latency, which -N leaves out";
	if (o->all && o->mode == MODE_POST)
		return "-a is for bw and lat; see sweep";
	if (o->json && o->csv)
		return "either --json or --csv";
	return NULL;
}

/* What the options have words for and nobody has built yet. */
static const char *check_missing(const struct options *o)
{
	if (o->rdma_cm)
		return "connections by rdma_cm (-R) are not there: addresses go over TCP";
	if (o->events)
		return "completion events (-e) are not there: dvperf polls";
	if (o->service == SERVICE_XRC || o->service == SERVICE_DC)
		return "XRC and DC are not there";
	if (o->op == OP_WRITE_IMM)
		return "write_imm is not there";
	if (o->doorbell > DOORBELL_BF)
		return "bf-last, zmm and movdir64b are not there";
	if (o->adaptive)
		return "-l adaptive is not there";
	if (o->no_locks)
		return "--locks=off is not there";
	if (o->cqs || o->cq_size || o->cqe_size || o->cqe_comp || o->collapsed)
		return "--cq, --cq-size, --cqe-size, --cqe-compression, --collapsed are not there";
	if (o->dm || o->remote)
		return "--dm and --remote are not there";
	if (o->histogram || o->unsorted || o->in_cycles || o->limit_bw > 0 ||
	    o->limit_msgrate > 0 || o->gbits || o->warm_up)
		return "-C, -H, -U, -w, -y, --report_gbits, --perform_warm_up are not there";
	return NULL;
}

const char *options_check(const struct options *o)
{
	const char *bad = check_mode(o);

	if (!bad)
		bad = check_missing(o);
	if (!bad)
		bad = check_service(o);
	if (!bad)
		bad = check_doorbell(o);
	return bad ? bad : check_sizes(o);
}
