/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "loss.h"

#define SLOT 0x10000 /* bytes of the buffer that one operation uses */
#define OPEN 16	     /* slots */

struct op {
	uint8_t opcode;
	uint32_t len, at;
};

unsigned int loss_dice(unsigned int n)
{
	static unsigned int seed = 12345;

	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % n;
}

void loss_begin(const struct loss *l)
{
	for (size_t i = 0; i < RIG_BUF / 2; i++)
		l->h[0].buf[i] = l->h[1].buf[i] = (uint8_t)(i * 29 + (i >> 8) * 3 + (i >> 16));
}

static void step_with_losses(const struct loss *l)
{
	for (int i = 0; i < 2; i++) {
		lose(&l->h[i], loss_dice(4) ? 0 : 1 + loss_dice(3));
		engine_step(l->h[i].e);
	}
	if (l->meanwhile)
		l->meanwhile();
}

/* @at: SLOT of the lower half to read from, in the upper half to write to. */
static void start(const struct loss *l, struct op *op, uint32_t at)
{
	static const uint8_t opcodes[] = { 0x08, 0x0a, 0x10, 0x12 };
	struct wr wr = { .fm_ce_se = SIGNALED, .rkey = RIG_FAR_KEY, .swap_add = 7 };

	op->opcode = opcodes[loss_dice(4)];
	op->len = op->opcode == 0x12 ? 8 : 1 + loss_dice(l->longest);
	op->at = at;
	memset(l->h[0].buf + RIG_BUF / 2 + at, 0, SLOT);
	memset(l->h[1].buf + RIG_BUF / 2 + at, 0, SLOT);
	if (op->opcode == 0x0a)
		l->receive(RIG_VA + RIG_BUF / 2 + at, SLOT);
	wr.opcode = op->opcode;
	wr.len = op->len;
	wr.local = op->opcode >= 0x10 ? RIG_BUF / 2 + at : at;
	wr.remote = op->opcode == 0x10 ? at : RIG_BUF / 2 + at;
	if (l->address)
		l->address(&wr);
	post_wr(l->from, &wr);
	ring(l->from);
}

static void check(const struct loss *l, const struct op *op, unsigned int n)
{
	const uint8_t *here = l->h[0].buf + RIG_BUF / 2 + op->at;
	const uint8_t *there = l->h[1].buf + RIG_BUF / 2 + op->at;
	uint64_t sum;

	switch (op->opcode) {
	case 0x12:
		memcpy(&sum, there, sizeof(sum));
		cr_assert_eq(sum, 7, "operation %u: added more than once", n);
		break;
	case 0x10:
		cr_assert_eq(memcmp(here, l->h[1].buf + op->at, op->len), 0, "READ %u", n);
		break;
	default:
		cr_assert_eq(memcmp(there, l->h[0].buf + op->at, op->len), 0, "operation %u",
			     n);
		cr_assert_eq(there[op->len], 0);
	}
}

void loss_run(const struct loss *l)
{
	unsigned int posted = 0, done = 0, received = 0, sends = 0;
	struct op ops[OPEN];
	const uint8_t *cqe;

	while (done < LOSS_OPS) {
		if (posted < LOSS_OPS && posted - done < OPEN / 2 && !loss_dice(3)) {
			start(l, &ops[posted % OPEN], posted % OPEN * SLOT);
			posted++;
		}
		step_with_losses(l);
		while ((cqe = next_cqe(l->to)))
			received += cqe[63] >> 4 == 2;
		for (; (cqe = next_cqe(l->from)); done++) {
			cr_assert_eq(cqe[63] >> 4, 0, "operation %u: syndrome 0x%x", done,
				     cqe[55]);
			cr_assert_eq(cqe[60] << 8 | cqe[61], (int)(done * l->blocks));
			sends += ops[done % OPEN].opcode == 0x0a;
			check(l, &ops[done % OPEN], done);
		}
	}
	cr_expect_eq(received, sends);
	cr_expect_gt(counters_of(&l->h[0]).retransmits, LOSS_OPS / 2,
		     "only %lu frames were repeated", counters_of(&l->h[0]).retransmits);
}
