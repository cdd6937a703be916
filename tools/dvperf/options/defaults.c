/* SPDX-License-Identifier: BSD-2-Clause */
/* perftest's defaults of options, and values that follow from options. */
#include "options.h"

enum {
	LARGE = 8192,
	CQE_POLL = 16,
	LINE = 64,
	REMOTE_BYTES = 16 << 20,
};

/* Whether the WQE carries or references the data that is sent. */
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

/* post makes long passes over the ring: nothing is executed meanwhile. */
static uint32_t default_depth(const struct options *o)
{
	uint32_t depth = o->mode == MODE_LAT ? 1 : o->mode == MODE_BW ? 128 : 1024;

	return o->batch > depth ? o->batch : depth;
}

/* perftest's: a large message brings its own CQE. It looks at the size once, -a has none
 * yet. */
static uint32_t default_cq_mod(const struct options *o)
{
	return o->mode == MODE_BW && !o->all && o->size > LARGE ? 1 : 100;
}

void options_defaults(struct options *o)
{
	bool list = o->batch || o->adaptive;

	if (o->op == OP_MMO && !o->host && !o->remote_vhca) /* it copies its own memory */
		o->loopback = true;
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
		o->remote_size = options_remote_bytes(o->size, o->remote_size);
	/* as ib_write_lat: the last byte must not be seen before those in front of it */
	if (o->mode == MODE_LAT && o->op == OP_WRITE)
		o->strict_order = true;
	if (!o->threads)
		o->threads = 1;
	if (!o->repeats)
		o->repeats = o->mode == MODE_POST ? 5 : 3;
	if (o->warmup < 0) /* -D has margins */
		o->warmup = o->mode == MODE_BW && !(o->duration > 0);
	if (o->margin < 0)
		o->margin = o->duration / 4;
	if (o->layout == LAYOUT_PER_DOORBELL && o->uar == UAR_DEFAULT)
		o->uar = UAR_THREAD;
	if (o->api == API_MANY)
		o->collapsed = true;
}

uint32_t options_depth(const struct options *o)
{
	return o->outstanding ? o->outstanding : o->tx_depth;
}

/* A batch waits until it fits; WQEs without a CQE after them must leave enough space for it. */
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
	if (o->adaptive) /* only WQEs that fit are posted: there is always space */
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

bool options_copies(const struct options *o)
{
	return o->op == OP_MMO && (!o->remote_vhca || o->host || o->loopback);
}

uint32_t options_wqes(const struct options *o, uint32_t chunk)
{
	return o->op == OP_MMO && o->size > chunk ? (o->size + chunk - 1) / chunk : 1;
}

static uint64_t power_of_two(uint64_t at_least, uint64_t n)
{
	while (n < at_least)
		n *= 2;
	return n;
}

uint64_t options_remote_slot(uint32_t size)
{
	return power_of_two(size, LINE);
}

uint64_t options_remote_bytes(uint32_t size, uint64_t wanted)
{
	if (wanted)
		return power_of_two(wanted, LINE);
	return power_of_two(options_remote_slot(size), REMOTE_BYTES);
}
