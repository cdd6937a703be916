/* SPDX-License-Identifier: BSD-2-Clause */
/* libmlx5 gives each of the first QPs its own register and lets later ones share: make QPs
 * until two share, post on both, ring both. */
#include "fixture.h"

TestSuite(shared_register, .init = fixture_start, .fini = fixture_stop);

enum {
	PAIRS = 12,
};

static struct end a[PAIRS], b[PAIRS];

/* Two ends on one register; false: there are none. */
static bool sharing(struct end **one, struct end **other)
{
	int i, j;

	for (i = 0; i < 2 * PAIRS; i++)
		for (j = 0; j < i; j++) {
			*one = i < PAIRS ? &a[i] : &b[i - PAIRS];
			*other = j < PAIRS ? &a[j] : &b[j - PAIRS];
			if ((*one)->sq.bf_reg == (*other)->sq.bf_reg)
				return true;
		}
	return false;
}

static void write_one(struct end *e, uint32_t at)
{
	struct ibv_sge sge = src_sge(0, 100);

	cr_assert_eq(dv_sq_write(&e->sq, SIGNALLED, dst_at(at), &sge, 1), 0);
}

Test(shared_register, queues_on_it_are_all_served)
{
	struct end *one, *other;
	struct dv_reg reg = { 0 };
	int i;

	for (i = 0; i < PAIRS; i++)
		fixture_connect(&a[i], &b[i]);
	if (!sharing(&one, &other))
		cr_skip_test("every QP has its own register");

	for (i = 0; i < 20; i++) {
		memset(f.dst, 0xdd, 4096);
		write_one(one, 0);
		write_one(other, 1024);
		dv_sq_doorbell(&one->sq);
		dv_sq_doorbell(&other->sq);
		success(one, MLX5_CQE_REQ);
		success(other, MLX5_CQE_REQ);
		cr_assert_eq(memcmp(f.dst, f.src, 100), 0);
		cr_assert_eq(memcmp(f.dst + 1024, f.src, 100), 0);
	}
	for (i = 0; i < 20; i++) {
		write_one(i % 3 ? one : other, 0);
		dv_sq_ring_shared(i % 3 ? &one->sq : &other->sq, &reg, DV_BLUEFLAME);
		success(i % 3 ? one : other, MLX5_CQE_REQ);
	}
	for (i = 0; i < PAIRS; i++) {
		fixture_destroy(&a[i]);
		fixture_destroy(&b[i]);
	}
}
