/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "loss.h"

#define SLOT 0x10000 /* bytes of the buffer that one operation uses */
#define OPEN 16	     /* slots */

enum { WRITE, SEND, READ, ATOMIC };

struct op {
	unsigned int kind;
	uint32_t len, at;
};

unsigned int loss_dice(unsigned int n)
{
	static unsigned int seed = 12345;

	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % n;
}

void loss_begin(void)
{
	for (size_t i = 0; i < RIG_BUF / 2; i++)
		near.buf[i] = far.buf[i] = (uint8_t)(i * 29 + (i >> 8) * 3 + (i >> 16));
}

static void step_with_losses(const struct loss *l)
{
	struct host *const hosts[] = { &near, &far };

	for (int i = 0; i < 2; i++) {
		lose(hosts[i], loss_dice(4) ? 0 : 1 + loss_dice(3));
		engine_step(hosts[i]->e);
	}
	if (l->meanwhile)
		l->meanwhile();
}

/* @at: SLOT of the lower half to read from, in the upper half to write to. */
static void post_random(const struct loss *l, struct op *op, uint32_t at)
{
	static const char *const wqes[] = { "write %u local=0x%x remote=0x%x sig",
					    "send %u local=0x%x sig",
					    "read %u local=0x%x remote=0x%x sig",
					    "fetch_add %u local=0x%x remote=0x%x add=7 sig" };
	uint32_t above = RIG_BUF / 2 + at;

	op->kind = loss_dice(4);
	op->len = op->kind == ATOMIC ? 8 : 1 + loss_dice(l->longest);
	op->at = at;
	memset(near.buf + above, 0, SLOT);
	memset(far.buf + above, 0, SLOT);
	if (op->kind == SEND)
		l->receive(above, SLOT);
	if (l->address)
		l->address();
	post(l->from, wqes[op->kind], op->len, op->kind >= READ ? above : at,
	     op->kind == READ ? at : above);
	ring(l->from);
}

static void expect_executed_once(const struct op *op, unsigned int n)
{
	const uint8_t *here = near.buf + RIG_BUF / 2 + op->at;
	const uint8_t *there = far.buf + RIG_BUF / 2 + op->at;
	uint64_t sum;

	switch (op->kind) {
	case ATOMIC:
		memcpy(&sum, there, sizeof(sum));
		cr_assert_eq(sum, 7, "operation %u: added more than once", n);
		break;
	case READ:
		cr_assert_eq(memcmp(here, far.buf + op->at, op->len), 0, "READ %u", n);
		break;
	default:
		cr_assert_eq(memcmp(there, near.buf + op->at, op->len), 0, "operation %u", n);
		cr_assert_eq(there[op->len], 0);
	}
}

void loss_run(const struct loss *l)
{
	unsigned int posted = 0, done = 0, received = 0, sends = 0;
	struct op ops[OPEN];

	while (done < LOSS_OPS) {
		if (posted < LOSS_OPS && posted - done < OPEN / 2 && !loss_dice(3)) {
			post_random(l, &ops[posted % OPEN], posted % OPEN * SLOT);
			posted++;
		}
		step_with_losses(l);
		for (; l->to->cq->pi != l->to->ci; received++)
			expect_cqe(l->to, "received");
		for (; l->from->cq->pi != l->from->ci; done++) {
			expect_cqe(l->from, "sent wqe=%u", done * l->blocks);
			sends += ops[done % OPEN].kind == SEND;
			expect_executed_once(&ops[done % OPEN], done);
		}
	}
	cr_expect_eq(received, sends);
	cr_expect_gt(counters_of(&near).retransmits, LOSS_OPS / 2,
		     "only %lu frames were repeated", counters_of(&near).retransmits);
}
