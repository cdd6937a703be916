/* SPDX-License-Identifier: BSD-2-Clause */
/* Only the register starts the device: WQE, record, register. On the emulator its counters tell
 * too; on an adapter, time and a later WQE do. */
#include <dvkit/emu.h>

#include "fixture.h"

TestSuite(ring, .init = fixture_start, .fini = fixture_stop);

static struct dvkit_emu_counters counters(void)
{
	struct dvkit_emu_counters c = { 0 };

	if (dvkit_emu_present())
		cr_assert_eq(dvkit_emu_query_counters(&c, sizeof(c)), 0);
	return c;
}

static void add_one(struct end *e, uint8_t flags)
{
	struct ibv_sge old = dst_sge(64, 8);

	cr_assert_eq(dv_sq_fetch_add(&e->sq, flags, dst_at(0), &old, 1), 0);
}

Test(ring, wqe_without_a_ring_does_nothing)
{
	uint64_t *count = (uint64_t *)f.dst;
	uint64_t wqes = counters().wqes;

	*count = 0;
	add_one(&f.a, SIGNALLED);
	cr_assert(stays_quiet(&f.a));
	cr_assert_eq(*count, 0);
	dv_sq_record(&f.a.sq);
	cr_assert(stays_quiet(&f.a), "nor does the record");
	cr_assert_eq(*count, 0);
	cr_assert_eq(counters().wqes, wqes);
	ring(&f.a);
	cr_assert_eq(*count, 1);
}

/* The register rung again with the value it had: the WQE is not executed again. */
Test(ring, doorbell_with_no_new_record_does_nothing)
{
	uint64_t *count = (uint64_t *)f.dst;
	struct dvkit_emu_counters before;
	struct mlx5_cqe64 cqe;

	*count = 0;
	add_one(&f.a, SIGNALLED);
	ring(&f.a);
	before = counters();
	dv_sq_ring(&f.a.sq, 0);
	cr_assert(stays_quiet(&f.a));
	cr_assert_eq(*count, 1);
	if (dvkit_emu_present()) {
		cr_assert_eq(counters().empty_rings, before.empty_rings + 1);
		cr_assert_eq(counters().wqes, before.wqes);
	}
	cr_assert_eq(dv_sq_nop(&f.a.sq, SIGNALLED | MLX5_WQE_CTRL_FENCE), 0);
	cqe = ring(&f.a);
	cr_assert_eq(dv_cqe_wqe_counter(&cqe), 1, "the NOP, and nothing before it");
	cr_assert_eq(*count, 1);
}

/* A paused engine leaves the ring as posted; step by step it works it off. */
Test(ring, paused_engine_moves_by_steps)
{
	uint64_t *count = (uint64_t *)f.dst;
	int i;

	if (!dvkit_emu_present())
		cr_skip_test("only the emulator can be paused");
	*count = 0;
	cr_assert_eq(dvkit_emu_pause(), 0);
	for (i = 0; i < 5; i++)
		add_one(&f.a, i == 4 ? SIGNALLED : 0);
	dv_sq_doorbell(&f.a.sq);
	cr_assert(stays_quiet(&f.a));
	cr_assert_eq(*count, 0);
	while (dvkit_emu_step())
		;
	success(&f.a, MLX5_CQE_REQ);
	cr_assert_eq(*count, 5);
	cr_assert_eq(dvkit_emu_resume(), 0);
}
