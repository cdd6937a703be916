/* SPDX-License-Identifier: BSD-2-Clause */
/* What perftest takes where nothing was said, and what cannot be together. */
#include <stdio.h>

#include "peer/cm.h"
#include "options.h"
#include "lane/ring.h"
#include "lane/walk.h"

enum {
	LARGE = 8192,
	CQE_POLL = 16,
	MAX_SAMPLES = 10000000,
};

struct options options_new(enum mode mode)
{
	return (struct options){ .mode = mode,
				 .port = 1,
				 .gid_index = -1,
				 .tcp_port = 18515,
				 .numa = -1,
				 .size = UINT32_MAX,
				 .inline_size = UINT32_MAX,
				 .qp_timeout = 14,
				 .hop_limit = 64,
				 .margin = -1 };
}

/* Whether the WQE says or has what is sent. */
static bool carries(const struct options *o)
{
	return o->op == OP_WRITE || o->op == OP_WRITE_IMM || o->op == OP_SEND;
}

/* perftest's, of ib_write_lat, ib_send_lat, and ib_send_lat -c UD. */
static uint32_t default_inline(const struct options *o)
{
	if (!carries(o))
		return 0;
	if (o->mode == MODE_POST)
		return 28;
	if (o->mode == MODE_BW)
		return 0;
	if (o->op != OP_SEND)
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
	if (o->size == UINT32_MAX)
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
	if (o->remote != REMOTE_FIXED)
		o->remote_size = walk_bytes(o->size, o->remote_size);
	/* as ib_write_lat: the last byte must not be seen before those in front of it */
	if (o->mode == MODE_LAT && o->op == OP_WRITE)
		o->strict_order = true;
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
	if (o->adaptive) /* whatever has room is posted: what is left is never too little */
		most = options_depth(o);
	if (want == o->batch || most < 1)
		return want;
	return want < 1 ? 1 : want > most ? most : want;
}

/* One more for the last WQE of all, one where the window begins. */
uint32_t options_cqes(const struct options *o)
{
	uint32_t most = options_depth(o) / options_signal_interval(o) + 2;

	/* post leaves all of a batch in the CQ */
	if (o->adaptive || o->mode == MODE_POST || most > options_depth(o))
		return options_depth(o);
	return most;
}

bool options_receives(const struct options *o)
{
	return o->op == OP_SEND || o->op == OP_WRITE_IMM;
}

bool options_is_inline(const struct options *o)
{
	return o->size <= o->inline_size && carries(o);
}

static const char *check_service(const struct options *o)
{
	if (o->service == SERVICE_UC && (o->op == OP_READ || o->op == OP_ATOMIC))
		return "UC knows no READ and no atomics";
	if (o->service == SERVICE_DC && o->api == API_VERBS)
		return "ibv_post_send() has no DC: --api=wr or direct";
	if (o->service == SERVICE_UD && o->op != OP_SEND && o->op != OP_NOP)
		return "UD knows only SEND: --op=send";
	if (o->service == SERVICE_UD && o->op == OP_SEND && o->size > 4096 && !o->all)
		return "a UD message fits one packet: at most 4096 bytes (-s)";
	if (!o->size && o->op == OP_WRITE && o->mode == MODE_LAT)
		return "lat of write waits for the last byte: -s 0 has none; --op=write_imm has a CQE";
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
	if (o->uar == UAR_NC && o->doorbell > DOORBELL_DB)
		return "BlueFlame needs a write-combining register: not with --uar=nc";
	if (o->barriers != BARRIERS_DEFAULT && o->doorbell > DOORBELL_DB)
		return "--barriers are those of 8 bytes to the register: --doorbell=db";
	if (o->barriers != BARRIERS_DEFAULT && o->mode != MODE_POST && !o->loopback)
		return "wrong barriers are for this machine's eyes only: --loopback, or post";
	if (o->layout == LAYOUT_PER_DOORBELL && o->uar != UAR_THREAD)
		return "--layout=per-doorbell is --uar=thread";
	if (o->layout != LAYOUT_PER_QP && o->layout != LAYOUT_PER_DOORBELL &&
	    o->uar == UAR_THREAD)
		return "--uar=thread takes locks away: not where threads share a QP";
	return ring_check(o->doorbell);
}

/* Registers without a lock break WQEs, and a shared QP or CQ without one breaks this program: libmlx5
 * calls abort() when it notices. */
static const char *check_locks(const struct options *o)
{
	if (!o->no_locks || o->threads == 1)
		return NULL;
	if (o->layout != LAYOUT_PER_QP && o->layout != LAYOUT_PER_DOORBELL)
		return "--locks=off: not where threads share a QP";
	if (o->cqs == CQ_ONE)
		return "--locks=off: not where threads share a CQ";
	if (o->uar != UAR_THREAD && o->mode != MODE_POST && !o->loopback)
		return "--locks=off where threads may share a register is for this machine's eyes "
		       "only: --loopback, or post";
	return NULL;
}

static bool threads_share_a_cq(const struct options *o)
{
	return o->threads > 1 && (o->cqs == CQ_ONE || (o->layout != LAYOUT_PER_QP &&
						       o->layout != LAYOUT_PER_DOORBELL));
}

static const char *check_collapsed(const struct options *o)
{
	if (!o->collapsed)
		return NULL;
	if (o->api != API_DIRECT || o->mode != MODE_BW)
		return "--collapsed is for bw by --api=direct: nobody else can poll such a CQ";
	if (o->cqs || o->cqe_comp || o->events)
		return "--collapsed is a CQ for each QP, and polled: no --cq, --cqe-compression, -e";
	if (o->service == SERVICE_XRC || o->service == SERVICE_DC || o->rdma_cm)
		return "--collapsed is a QP without verbs: of RC, UC and UD, without -R";
	if (o->uar != UAR_DEFAULT || o->pages != PAGES_4K)
		return "--collapsed is a QP without verbs, with a register of its own and 4k pages: "
		       "no --uar, --pages";
	return NULL;
}

static const char *check_completions(const struct options *o)
{
	if (o->mode == MODE_POST && (o->cqs || o->cqe_comp || o->events))
		return "post polls a CQ of each QP: no --cq, --cqe-compression, -e";
	if (o->mode == MODE_LAT && o->cqs)
		return "lat has one QP: no --cq";
	if (o->mode == MODE_LAT && o->events && o->op == OP_WRITE)
		return "lat of write waits for the last byte, not for a CQE: no -e";
	if (o->events && threads_share_a_cq(o))
		return "an event wakes one thread: no -e where threads share a CQ";
	if (o->cqs && (o->service == SERVICE_XRC || o->service == SERVICE_DC))
		return "CQEs of an SRQ go to no QP of ours: no --cq with XRC and DC";
	if (o->cqe_comp && o->api != API_DIRECT)
		return "libmlx5 cannot poll compressed CQEs: --api=direct";
	if (o->cqe_comp && o->cqe_size == 128)
		return "compressed CQEs have 64 bytes: no --cqe-size=128";
	return check_collapsed(o);
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
	if (o->adaptive && o->mode != MODE_BW)
		return "-l adaptive takes what has room or is due: of bw only";
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

static const char *check_cm(const struct options *o)
{
	if (!o->rdma_cm)
		return NULL;
	if (o->mode == MODE_POST || o->loopback || o->pattern)
		return "rdma_cm (-R) connects two processes: no --loopback, no --pattern, not post";
	if (o->service != SERVICE_RC)
		return "rdma_cm (-R) connects RC here: no -c UC, UD, XRC, DC";
	return cm_check();
}

/* perftest's ways to report. */
static const char *check_report(const struct options *o)
{
	if ((o->histogram || o->unsorted || o->in_cycles) && o->mode != MODE_LAT)
		return "-C, -H and -U are for lat";
	if ((o->histogram || o->unsorted) && (o->json || o->csv))
		return "-H and -U print text: no --json, --csv";
	if ((o->histogram || o->unsorted) && (double)o->iters * o->repeats > MAX_SAMPLES)
		return "-H and -U keep every sample: at most 1e7 (-n times --repeat)";
	if ((o->limit_bw > 0 || o->limit_msgrate > 0 || o->warm_up) && o->mode != MODE_BW)
		return "-w, -y and --perform_warm_up are for bw";
	if (o->out_json && o->mode == MODE_POST)
		return "--out_json is for bw and lat";
	if ((o->limit_bw > 0 || o->limit_msgrate > 0 || o->out_json) && o->pattern)
		return "-w, -y and --out_json are not for --pattern";
	return NULL;
}

static const char *check_memory(const struct options *o)
{
	static char text[160];

	if (o->collapsed && o->pages != PAGES_4K)
		return "--collapsed: DevX has its rings in pages of 4k: no --pages";
	if (o->op == OP_NOP && (o->dm || o->remote))
		return "a NOP has no data: no --dm, --remote";
	if (o->remote == REMOTE_FIXED && o->remote_size)
		return "--remote-size is for --remote=sequential and random";
	if (o->remote && o->op == OP_SEND)
		return "SEND lands where the peer's receive says: no --remote";
	if (o->remote && o->op == OP_WRITE && o->mode == MODE_LAT)
		return "lat of write waits for a byte in one place: no --remote";
	if (!o->remote || o->remote_size >= walk_slot(o->size))
		return NULL;
	snprintf(text, sizeof(text),
		 "%llu bytes (--remote-size) have no place for one of %u (-s)",
		 (unsigned long long)o->remote_size, o->size);
	return text;
}

const char *options_check(const struct options *o)
{
	const char *bad = check_mode(o);

	if (!bad)
		bad = check_memory(o);
	if (!bad)
		bad = check_cm(o);
	if (!bad)
		bad = check_report(o);
	if (!bad)
		bad = check_service(o);
	if (!bad)
		bad = check_doorbell(o);
	if (!bad)
		bad = check_completions(o);
	if (!bad)
		bad = check_locks(o);
	return bad ? bad : check_sizes(o);
}
