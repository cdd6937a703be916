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

static struct shared s;
static struct hca_dct *dct[2];

static struct {
	uint8_t bytes[WIRE_MAX_FRAME];
	size_t len;
} kept[KEPT]; /* frames for the host of the targets, to be repeated */
static unsigned int kept_next;

/* Repeats an old request: of this connection, or of an earlier one. */
static void repeat_old(void)
{
	unsigned int i = loss_dice(KEPT);
	struct wire_packet p;

	if (!kept[i].len || !wire_has_space(near.w, 2) ||
	    !wire_unpack(&p, kept[i].bytes, kept[i].len))
		return;
	wire_send(near.w, 2, &p);
	wire_flush(near.w);
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

static void post_receive(uint32_t at, uint32_t len)
{
	post_shared(&s, "recv %u local=0x%x", len, at);
}

static void address_any_target(void)
{
	uint32_t number = htobe32(1u << 31 | dct[loss_dice(2)]->dctn);

	address(&a, &b, 0);
	a.head[7] = DC_KEY;
	memcpy(a.head + 8, &number, sizeof(number));
}

static const struct loss loss = { .from = &a,
				  .to = &b,
				  .longest = 6000,
				  .blocks = 2,
				  .receive = post_receive,
				  .address = address_any_target,
				  .meanwhile = repeat_sometimes };

static void setup(void)
{
	far_pair_open_with(256, 0xffff00);
	shared_open(&s, &far);
	a.qp->st = RIG_DCI;
	a.qp->ack_timeout = 7;
	a.qp->retry_count = 255; /* exceeded retries are another test */
	dct[0] = target_open(&b, &s, DC_KEY, 256);
	dct[1] = target_open(&b, &s, DC_KEY, 256);
	loss_begin();
}

TestSuite(dc_loss, .init = setup, .fini = rig_close, .timeout = 60);

Test(dc_loss, each_operation_is_executed_once)
{
	core_trace_to = sink;
	core_trace_mask = 1u << TRACE_WIRE_TX;
	loss_run(&loss);
	cr_expect_gt(kept_next, 100);
}
