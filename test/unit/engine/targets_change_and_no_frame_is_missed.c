/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random operations of one initiator on two targets in turn, over a wire that loses random frames
 * in both directions and repeats old ones. Each operation happens once, in order, with the right
 * bytes. The seed is fixed.
 */
#include <endian.h>
#include <string.h>

#include "rig.h"

#define OPS	400
#define SLOT	0x10000 /* bytes of the buffer that one operation uses */
#define FAR_KEY 0x02000142u
#define DC_KEY	0x99u
#define KEPT	64

static struct host h[2];
static struct side a, t;
static struct shared s;
static uint8_t av[2][48];
static unsigned int seed = 4711;

static struct {
	uint8_t bytes[WIRE_MAX_FRAME];
	size_t len;
} kept[KEPT]; /* frames for the targets' host, to come once more */
static unsigned int kept_next;

static unsigned int dice(unsigned int n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % n;
}

static void open_target(uint8_t at[48])
{
	struct dev_dct *dct = dev_dct_new(&h[1].d);
	struct dev_qp *m = dct->model;
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

static void setup(void)
{
	host_open(&h[0]);
	host_open(&h[1]);
	side_open(&a, &h[0]);
	side_open(&t, &h[1]);
	connect_sides(&a, &t, 256, 0xffff00);
	shared_open(&s, &h[1]);
	a.qp->st = 5;
	a.qp->ack_timeout = 5;
	a.qp->retry_count = 255; /* giving up is another test's subject */
	open_target(av[0]);
	open_target(av[1]);
	for (size_t i = 0; i < RIG_BUF / 2; i++)
		h[0].buf[i] = h[1].buf[i] = (uint8_t)(i * 29 + (i >> 8) * 3 + (i >> 16));
}

static void teardown(void)
{
	host_close(&h[0]);
	host_close(&h[1]);
}

TestSuite(dc_loss, .init = setup, .fini = teardown, .timeout = 60);

/* An old request once more: of this connection, or of one that is long over. */
static void repeat_old(void)
{
	unsigned int i = dice(KEPT);
	struct wire_packet p;

	if (!kept[i].len || !wire_room(h[0].w, 2) ||
	    !wire_unpack(&p, kept[i].bytes, kept[i].len))
		return;
	wire_send(h[0].w, 2, &p);
	wire_flush(h[0].w);
}

static void sink(const struct core_trace *c)
{
	if (c->kind != TRACE_WIRE_TX || c->obj != 2 || dice(8))
		return;
	memcpy(kept[kept_next % KEPT].bytes, c->in, c->in_len);
	kept[kept_next++ % KEPT].len = c->in_len;
}

static void step_with_losses(void)
{
	for (int i = 0; i < 2; i++) {
		unsigned int n = dice(4) ? 0 : 1 + dice(3);
		uint8_t from;
		size_t len;

		while (n-- && wire_next(h[i].w, &len, &from))
			;
		engine_step(h[i].e);
	}
	if (!dice(6))
		repeat_old();
}

struct op {
	uint8_t opcode;
	uint32_t len, at;
};

/* @at: SLOT of the lower half to read from, in the upper half to write to. */
static void start(struct op *ops, unsigned int n)
{
	static const uint8_t opcodes[] = { 0x08, 0x0a, 0x10, 0x12 };
	struct op *op = &ops[n % 16];
	uint32_t at = n % 16 * SLOT;

	op->opcode = opcodes[dice(4)];
	op->len = op->opcode == 0x12 ? 8 : 1 + dice(6000);
	op->at = at;
	memset(h[0].buf + RIG_BUF / 2 + at, 0, SLOT);
	memset(h[1].buf + RIG_BUF / 2 + at, 0, SLOT);
	if (op->opcode == 0x0a)
		shared_post(&s, RIG_VA + RIG_BUF / 2 + at, SLOT, FAR_KEY);
	post_wr(&a, &(struct wr){ .opcode = op->opcode,
				  .fm_ce_se = SIGNALED,
				  .len = op->len,
				  .local = op->opcode >= 0x10 ? RIG_BUF / 2 + at : at,
				  .remote = op->opcode == 0x10 ? at : RIG_BUF / 2 + at,
				  .rkey = FAR_KEY,
				  .swap_add = 7,
				  .head = av[dice(2)],
				  .head_units = 3 });
	ring(&a);
}

static void check(const struct op *op, unsigned int n)
{
	const uint8_t *here = h[0].buf + RIG_BUF / 2 + op->at;
	const uint8_t *there = h[1].buf + RIG_BUF / 2 + op->at;
	uint64_t sum;

	switch (op->opcode) {
	case 0x12:
		memcpy(&sum, there, sizeof(sum));
		cr_assert_eq(sum, 7, "operation %u: added more than once", n);
		break;
	case 0x10:
		cr_assert_eq(memcmp(here, h[1].buf + op->at, op->len), 0, "READ %u", n);
		break;
	default:
		cr_assert_eq(memcmp(there, h[0].buf + op->at, op->len), 0, "operation %u", n);
		cr_assert_eq(there[op->len], 0);
	}
}

Test(dc_loss, whatever_happens_each_happens_once)
{
	unsigned int posted = 0, done = 0, received = 0, sends = 0;
	struct engine_counters c;
	struct op ops[16];

	core_trace_to = sink;
	core_trace_mask = 1u << TRACE_WIRE_TX;
	while (done < OPS) {
		const uint8_t *cqe;

		if (posted < OPS && posted - done < 8 && !dice(3))
			start(ops, posted++);
		step_with_losses();
		while ((cqe = next_cqe(&t)))
			received += cqe[63] >> 4 == 2;
		while ((cqe = next_cqe(&a))) {
			cr_assert_eq(cqe[63] >> 4, 0, "operation %u: syndrome 0x%x", done,
				     cqe[55]);
			sends += ops[done % 16].opcode == 0x0a;
			check(&ops[done % 16], done);
			done++;
		}
	}
	cr_expect_eq(received, sends);
	cr_expect_gt(kept_next, 100);
	engine_counters(h[0].e, &c);
	cr_expect_gt(c.retransmits, OPS, "only %lu frames were repeated", c.retransmits);
}
