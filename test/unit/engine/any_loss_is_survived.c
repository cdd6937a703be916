/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random operations over a wire that loses random frames in both directions. Whatever is
 * lost, each operation happens once, in order, with the right bytes. The seed is fixed.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "rig.h"

#define OPS	400
#define SLOT	0x10000 /* bytes of the buffer that one operation uses */
#define FAR_KEY 0x02000142u

static struct host h[2];
static struct side a, b;
static unsigned int seed = 12345;

static unsigned int dice(unsigned int n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % n;
}

static void setup(void)
{
	host_open(&h[0]);
	host_open(&h[1]);
	side_open(&a, &h[0]);
	side_open(&b, &h[1]);
	connect_sides(&a, &b, 256, 0xffff00);
	a.qp->ack_timeout = 5;
	a.qp->retry_count = 255; /* giving up is another test's subject */
	for (size_t i = 0; i < RIG_BUF / 2; i++)
		h[0].buf[i] = h[1].buf[i] = (uint8_t)(i * 29 + (i >> 8) * 3 + (i >> 16));
}

static void teardown(void)
{
	host_close(&h[0]);
	host_close(&h[1]);
}

TestSuite(any_loss, .init = setup, .fini = teardown, .timeout = 60);

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
	op->len = op->opcode == 0x12 ? 8 : 1 + dice(20000);
	op->at = at;
	memset(h[0].buf + RIG_BUF / 2 + at, 0, SLOT);
	memset(h[1].buf + RIG_BUF / 2 + at, 0, SLOT);
	if (op->opcode == 0x0a)
		post_recv(&b, RIG_VA + RIG_BUF / 2 + at, SLOT, FAR_KEY);
	post_wr(&a, &(struct wr){ .opcode = op->opcode,
				  .fm_ce_se = SIGNALED,
				  .len = op->len,
				  .local = op->opcode >= 0x10 ? RIG_BUF / 2 + at : at,
				  .remote = op->opcode == 0x10 ? at : RIG_BUF / 2 + at,
				  .rkey = FAR_KEY,
				  .swap_add = 7 });
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

Test(any_loss, of_any_frame_of_any_operation)
{
	unsigned int posted = 0, done = 0, received = 0, sends = 0;
	struct engine_counters c;
	struct op ops[16];

	while (done < OPS) {
		const uint8_t *cqe;

		if (posted < OPS && posted - done < 8 && !dice(3))
			start(ops, posted++);
		step_with_losses();
		while ((cqe = next_cqe(&b)))
			received += cqe[63] >> 4 == 2;
		while ((cqe = next_cqe(&a))) {
			cr_assert_eq(cqe[63] >> 4, 0, "operation %u: syndrome 0x%x", done,
				     cqe[55]);
			cr_assert_eq(cqe[60] << 8 | cqe[61], (int)done);
			sends += ops[done % 16].opcode == 0x0a;
			check(&ops[done % 16], done);
			done++;
		}
	}
	cr_expect_eq(received, sends);
	engine_counters(h[0].e, &c);
	cr_expect_gt(c.retransmits, OPS, "only %lu frames were repeated", c.retransmits);
}
