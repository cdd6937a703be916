/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DC: one initiator's operations on two alternating targets (loss.h), over a wire that also
 * repeats old frames.
 */
#include <endian.h>
#include <string.h>

#include "loss.h"

#define DC_KEY 0x99u
#define KEPT   64

static struct host h[2];
static struct side a, t;
static struct shared s;
static uint8_t av[2][48];

static struct {
	uint8_t bytes[WIRE_MAX_FRAME];
	size_t len;
} kept[KEPT]; /* frames for the host of the targets, to be repeated */
static unsigned int kept_next;

static void open_target(uint8_t at[48])
{
	struct hca_dct *dct = hca_dct_new(&h[1].hca);
	struct hca_qp *m = dct->model;
	uint32_t number = htobe32(1u << 31 | dct->dctn);

	dct->key = DC_KEY;
	m->st = 6;
	m->pd = h[1].pd;
	m->rcq = t.cq;
	m->srq = s.srq;
	m->mtu = 256;
	m->log_msg_max = 30;
	m->max_dest_rd_atomic = 16;
	m->min_rnr_nak = 1;
	m->rre = m->rwe = m->rae = true;
	m->path.hop_limit = 64;
	put_av(at, &t, 0);
	at[7] = DC_KEY;
	memcpy(at + 8, &number, sizeof(number));
}

/* Repeats an old request: of this connection, or of an earlier one. */
static void repeat_old(void)
{
	unsigned int i = loss_dice(KEPT);
	struct wire_packet p;

	if (!kept[i].len || !wire_has_space(h[0].w, 2) ||
	    !wire_unpack(&p, kept[i].bytes, kept[i].len))
		return;
	wire_send(h[0].w, 2, &p);
	wire_flush(h[0].w);
}

static void sink(const struct core_trace *c)
{
	if (c->kind != TRACE_WIRE_TX || c->obj != 2 || loss_dice(8))
		return;
	memcpy(kept[kept_next % KEPT].bytes, c->in, c->in_len);
	kept[kept_next++ % KEPT].len = c->in_len;
}

static void repeat_sometimes(void)
{
	if (!loss_dice(6))
		repeat_old();
}

static void receive(uint64_t va, uint32_t len)
{
	shared_post(&s, va, len, RIG_FAR_KEY);
}

static void address(struct wr *wr)
{
	wr->head = av[loss_dice(2)];
	wr->head_units = 3;
}

static const struct loss loss = { .h = h,
				  .from = &a,
				  .to = &t,
				  .longest = 6000,
				  .blocks = 2,
				  .receive = receive,
				  .address = address,
				  .meanwhile = repeat_sometimes };

static void setup(void)
{
	far_pair_open(h, &a, &t, 256, 0xffff00);
	shared_open(&s, &h[1]);
	a.qp->st = 5;
	a.qp->ack_timeout = 7;
	a.qp->retry_count = 255; /* exceeded retries are another test */
	open_target(av[0]);
	open_target(av[1]);
	loss_begin(&loss);
}

static void teardown(void)
{
	hosts_close(h);
}

TestSuite(dc_loss, .init = setup, .fini = teardown, .timeout = 60);

Test(dc_loss, each_operation_is_executed_once)
{
	core_trace_to = sink;
	core_trace_mask = 1u << TRACE_WIRE_TX;
	loss_run(&loss);
	cr_expect_gt(kept_next, 100);
}
