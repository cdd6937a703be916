/* SPDX-License-Identifier: BSD-2-Clause */
/* Options that cannot be combined, with the reason. run_check() checks this machine and this
 * build. */
#include <stdio.h>

#include "options.h"

enum { MAX_SAMPLES = 10000000 };

static const char *check_service(const struct options *o)
{
	if (o->service == SERVICE_UC && (o->op == OP_READ || o->op == OP_ATOMIC))
		return "UC has no READ and no atomics";
	if (o->service == SERVICE_DC && o->api == API_VERBS)
		return "ibv_post_send() has no DC: --api=wr or direct";
	if (o->service == SERVICE_UD && o->op != OP_SEND && o->op != OP_NOP)
		return "UD has only SEND: --op=send";
	if (o->service == SERVICE_UD && o->op == OP_SEND && o->size > 4096 && !o->all)
		return "a UD message must fit in one packet: at most 4096 bytes (-s)";
	if (!o->size && o->op == OP_WRITE && o->mode == MODE_LAT)
		return "lat of write waits for the last byte: -s 0 has none; --op=write_imm has a CQE";
	if (o->op == OP_NOP && o->api != API_DIRECT && o->api != API_MANY)
		return "a NOP can only be posted directly: --api=direct or many";
	if (o->op == OP_NOP && o->mode == MODE_LAT)
		return "a NOP sends nothing: there is no latency; see bw and post";
	if (o->op == OP_ATOMIC && o->size != 8)
		return "atomics have 8 bytes: no other -s";
	if (o->bidirectional && o->mode != MODE_BW)
		return "-b is for bw";
	return NULL;
}

/* A copy by the device: mlx5dv_wr_memcpy() and dv_sq_memcpy(). */
static const char *check_mmo(const struct options *o)
{
	if (o->op != OP_MMO && o->remote_vhca)
		return "--remote-vhca is for --op=mmo; other operations reach any peer";
	if (o->op != OP_MMO)
		return o->chunk ? "--chunk is for --op=mmo: other messages are one WQE" : NULL;
	if ((o->host && !o->remote_vhca) || o->pattern || o->rdma_cm)
		return "mmo copies memory of this machine: no HOST, -R, --pattern; of another "
		       "function of the adapter: --remote-vhca=read or write";
	if (o->remote_vhca && o->mode == MODE_POST)
		return "post has no peer, and posts the same WQEs without --remote-vhca";
	if (o->service != SERVICE_RC)
		return "mmo is posted on an RC QP that is connected to itself: no -c";
	if (o->api == API_VERBS)
		return "ibv_post_send() has no copy: --api=wr (mlx5dv_wr_memcpy) or direct";
	if (!o->size)
		return "a copy has at least one byte: -s 1";
	if (o->inline_size)
		return "the data of a copy is never inline: no -I";
	if (o->bidirectional)
		return "a copy has no other end: no -b";
	if (o->dm)
		return "mmo copies memory of the machine: no --dm";
	if (o->collapsed)
		return "--collapsed is a QP that cannot copy: no --op=mmo";
	return NULL;
}

static const char *check_doorbell(const struct options *o)
{
	if (o->api != API_DIRECT && o->doorbell != DOORBELL_AUTO)
		return "--doorbell is for --api=direct: libmlx5 decides by itself, many rings 8 bytes";
	if (o->api != API_DIRECT && o->barriers != BARRIERS_DEFAULT)
		return "--barriers is for --api=direct: those of libmlx5 are compiled in";
	if (o->uar == UAR_NC && o->doorbell > DOORBELL_DB)
		return "BlueFlame needs a write-combining register: not with --uar=nc";
	if (o->barriers != BARRIERS_DEFAULT && o->doorbell > DOORBELL_DB)
		return "--barriers are those of 8 bytes to the register: --doorbell=db";
	if (o->barriers != BARRIERS_DEFAULT && o->mode != MODE_POST && !o->loopback)
		return "wrong barriers are only for measurements within this machine: --loopback, "
		       "or post";
	if (o->layout == LAYOUT_PER_DOORBELL && o->uar != UAR_THREAD)
		return "--layout=per-doorbell is --uar=thread";
	if (o->layout != LAYOUT_PER_QP && o->layout != LAYOUT_PER_DOORBELL &&
	    o->uar == UAR_THREAD)
		return "--uar=thread removes locks: not where threads share a QP";
	return NULL;
}

/* Registers without a lock break WQEs, and a shared QP or CQ without one breaks this program:
 * libmlx5 calls abort() when it notices. */
static const char *check_locks(const struct options *o)
{
	if (!o->no_locks || o->threads == 1)
		return NULL;
	if (o->layout != LAYOUT_PER_QP && o->layout != LAYOUT_PER_DOORBELL)
		return "--locks=off: not where threads share a QP";
	if (o->cqs == CQ_ONE)
		return "--locks=off: not where threads share a CQ";
	if (o->uar != UAR_THREAD && o->mode != MODE_POST && !o->loopback)
		return "--locks=off where threads may share a register is only for measurements "
		       "within this machine: --loopback, or post";
	return NULL;
}

static bool threads_share_a_cq(const struct options *o)
{
	return o->threads > 1 && (o->cqs == CQ_ONE || (o->layout != LAYOUT_PER_QP &&
						       o->layout != LAYOUT_PER_DOORBELL));
}

/* dv/many.h */
static const char *check_many(const struct options *o)
{
	if (o->api != API_MANY)
		return NULL;
	if (o->mode != MODE_POST)
		return "--api=many is for post: a thread does not know which operations of the "
		       "others have ended";
	if (o->service != SERVICE_RC && o->service != SERVICE_UC)
		return "--api=many posts on connected QPs: of RC and UC";
	if (o->remote)
		return "--api=many writes to fixed places: no --remote";
	return NULL;
}

static const char *check_collapsed(const struct options *o)
{
	bool fits = o->api == API_MANY || (o->api == API_DIRECT && o->mode == MODE_BW);

	if (!o->collapsed)
		return NULL;
	if (!fits)
		return "--collapsed is for bw by --api=direct: no other API can poll such a CQ";
	if (o->cqs || o->cqe_comp || o->events)
		return "--collapsed is a CQ for each QP, and polled: no --cq, --cqe-compression, -e";
	if (o->service == SERVICE_XRC || o->service == SERVICE_DC || o->rdma_cm)
		return "--collapsed is a QP without verbs: of RC, UC and UD, without -R";
	if (o->uar != UAR_DEFAULT || o->pages != PAGES_4K)
		return "--collapsed is a QP without verbs, with its own register and 4k pages: "
		       "no --uar, --pages";
	return NULL;
}

static const char *check_completions(const struct options *o)
{
	const char *bad;

	if (o->mode == MODE_POST && (o->cqs || o->cqe_comp || o->events))
		return "post polls a CQ of each QP: no --cq, --cqe-compression, -e";
	if (o->mode == MODE_LAT && o->cqs)
		return "lat has one QP: no --cq";
	if (o->mode == MODE_LAT && o->events && o->op == OP_WRITE)
		return "lat of write waits for the last byte, not for a CQE: no -e";
	if (o->events && threads_share_a_cq(o))
		return "an event wakes one thread: no -e where threads share a CQ";
	if (o->cqs && (o->service == SERVICE_XRC || o->service == SERVICE_DC))
		return "CQEs of an SRQ do not name a QP of dvperf: no --cq with XRC and DC";
	if (o->cqe_comp && o->api != API_DIRECT)
		return "libmlx5 cannot poll compressed CQEs: --api=direct";
	if (o->cqe_comp && o->cqe_size == 128)
		return "compressed CQEs have 64 bytes: no --cqe-size=128";
	bad = check_many(o);
	return bad ? bad : check_collapsed(o);
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
			 "%u outstanding WQEs (--outstanding) in a queue of %u (-t)",
			 o->outstanding, o->tx_depth);
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
		return "post has RC and UD";
	if (o->host && o->loopback)
		return "either HOST or --loopback";
	if (o->mode == MODE_LAT &&
	    (o->batch > 1 || o->threads > 1 || o->qps > 1 || o->rate > 0))
		return "lat is one operation of one QP at a time: no -l, -q, --threads, --rate";
	if (o->adaptive && o->mode != MODE_BW)
		return "-l adaptive takes what fits the ring or is due: only for bw";
	if (o->mode == MODE_LAT && o->no_peak)
		return "lat needs time stamps: no -N";
	if (o->rate > 0 && o->no_peak)
		return "--rate is about latency, which -N leaves out";
	if (o->fresh && o->mode != MODE_POST)
		return "--fresh is for post; of bw and lat put several runs into a directory, and see compare";
	if (o->all && o->mode == MODE_POST)
		return "-a is for bw and lat; see sweep";
	if (o->json && o->csv)
		return "either --json or --csv";
	if (o->run_infinitely &&
	    (o->mode != MODE_BW || o->all || o->pattern || !(o->duration > 0)))
		return "--run_infinitely is for bw, with -D SECONDS of a row; no -a, no --pattern";
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
	return NULL;
}

/* perftest's ways to report. */
static const char *check_report(const struct options *o)
{
	if ((o->histogram || o->unsorted || o->in_cycles) && o->mode != MODE_LAT)
		return "-C, -H and -U are for lat";
	if ((o->histogram || o->unsorted) && (o->json || o->csv))
		return "-H and -U print text: no --json, --csv";
	if ((o->histogram || o->unsorted) && o->duration > 0)
		return "-H and -U keep every sample: of -n operations, no -D";
	if ((o->histogram || o->unsorted) && (double)o->iters * o->repeats > MAX_SAMPLES)
		return "-H and -U keep every sample: at most 1e7 (-n times --repeat)";
	if ((o->limit_bw > 0 || o->limit_msgrate > 0 || o->warmup > 0) && o->mode != MODE_BW)
		return "-w, -y and --warmup are for bw";
	if ((o->limit_bw > 0 || o->limit_msgrate > 0) && o->pattern)
		return "-w and -y are not for --pattern";
	return NULL;
}

static const char *check_memory(const struct options *o)
{
	static char text[160];

	if (o->op == OP_NOP && (o->dm || o->remote))
		return "a NOP has no data: no --dm, --remote";
	if (o->remote == REMOTE_FIXED && o->remote_size)
		return "--remote-size is for --remote=sequential and random";
	if (o->remote && o->op == OP_SEND)
		return "SEND goes to the buffer of the peer's receive: no --remote";
	if (o->remote && o->op == OP_WRITE && o->mode == MODE_LAT)
		return "lat of write waits for a byte in one place: no --remote";
	if (!o->remote || o->remote_size >= options_remote_slot(o->size))
		return NULL;
	snprintf(text, sizeof(text),
		 "%llu bytes (--remote-size) have no slot for a message of %u (-s)",
		 (unsigned long long)o->remote_size, o->size);
	return text;
}

const char *options_check(const struct options *o)
{
	const char *bad = check_mode(o);

	if (!bad)
		bad = check_mmo(o);
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
