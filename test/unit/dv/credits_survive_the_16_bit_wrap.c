/* SPDX-License-Identifier: BSD-2-Clause */
/* Small rings driven twice around the 16-bit counters, against a model that counts without
 * wrapping: which reserve succeeds, where it lands, which index the WQE gets. */
#include "queue.h"

/* The expected contents of the ring, counted in 64 bits. */
struct model {
	uint64_t pi, ci;
	struct {
		uint64_t end;
		uint16_t idx;
	} posted[MEMORY_BLOCKS]; /* WQEs without padding, oldest first */
	unsigned int n;
};

static bool model_post(struct model *o, uint32_t wqe_cnt, unsigned int nbb)
{
	uint64_t edge = wqe_cnt - o->pi % wqe_cnt;
	uint64_t pad = nbb > edge ? edge : 0;

	if (o->pi - o->ci + pad + nbb > wqe_cnt)
		return false;
	o->pi += pad;
	o->posted[o->n].idx = (uint16_t)o->pi;
	o->pi += nbb;
	o->posted[o->n++].end = o->pi;
	return true;
}

static void model_retire(struct model *o, unsigned int n)
{
	o->ci = o->posted[n - 1].end;
	o->n -= n;
	memmove(o->posted, o->posted + n, o->n * sizeof(o->posted[0]));
}

static void post(struct model *o, uint32_t wqe_cnt, unsigned int nbb)
{
	uint8_t *body = dv_sq_reserve(&m.sq, nbb), *wqe;
	bool fits = model_post(o, wqe_cnt, nbb);
	uint16_t idx;

	cr_assert_eq(body != NULL, fits, "ring %u, pi %lu, ci %lu, nbb %u", wqe_cnt, o->pi,
		     o->ci, nbb);
	if (!body)
		return;
	wqe = body - 16;
	idx = o->posted[o->n - 1].idx;
	cr_assert_eq(wqe, m.ring + idx % wqe_cnt * 64);
	cr_assert(wqe + nbb * 64 <= m.ring + wqe_cnt * 64, "wraps");
	dv_sq_commit(&m.sq, wqe + nbb * 64 - 16 * (idx % 3), MLX5_OPCODE_SEND, 0, 0, 0);
	cr_assert_eq(wqe[1] << 8 | wqe[2], idx);
	cr_assert_eq(m.sq.pi, (uint16_t)o->pi);
}

/* Retires the oldest @n WQEs by the CQE of the last of them: the others are unsignalled. */
static void retire(struct model *o, unsigned int n)
{
	struct mlx5_cqe64 cqe = memory_cqe(o->posted[n - 1].idx);

	dv_sq_retire(&m.sq, &cqe);
	model_retire(o, n);
	cr_assert_eq(m.sq.ci, (uint16_t)o->ci);
}

static void drive(uint32_t wqe_cnt, unsigned int seed)
{
	struct model o = { 0 };
	unsigned int max;

	memory_start(&m, wqe_cnt, 64);
	max = m.sq.max_nbb;
	while (o.pi < 2 * 65536 + 2 * wqe_cnt) {
		seed = seed * 1103515245 + 12345;
		if ((seed >> 16 & 3) && o.n < MEMORY_BLOCKS)
			post(&o, wqe_cnt, 1 + (seed >> 20) % max);
		else if (o.n)
			retire(&o, 1 + (seed >> 20) % o.n);
	}
	/* Never stuck: all retired, the longest fits. */
	if (o.n)
		retire(&o, o.n);
	cr_assert_not_null(dv_sq_reserve(&m.sq, max));
}

Test(credits, survive_the_16_bit_wrap)
{
	uint32_t wqe_cnt;

	for (wqe_cnt = 1; wqe_cnt <= MEMORY_BLOCKS; wqe_cnt *= 2) {
		drive(wqe_cnt, 1);
		drive(wqe_cnt, 4711);
	}
}

/* Every start value of the counters: full after exactly wqe_cnt blocks, empty after a
 * retire. */
Test(credits, tell_full_from_empty_at_every_count)
{
	uint32_t start, wqe_cnt, i;
	struct mlx5_cqe64 cqe;

	for (wqe_cnt = 1; wqe_cnt <= 4; wqe_cnt *= 2) {
		memory_start(&m, wqe_cnt, 64);
		for (start = 0; start < 65536; start++) {
			m.sq.pi = m.sq.ci = (uint16_t)start;
			for (i = 0; i < wqe_cnt; i++)
				cr_assert_eq(dv_sq_nop(&m.sq, 0), 0, "%u + %u", start, i);
			cr_assert_eq(dv_sq_nop(&m.sq, 0), ENOMEM, "%u", start);
			cqe = memory_cqe((uint16_t)(start + wqe_cnt - 1));
			dv_sq_retire(&m.sq, &cqe);
			cr_assert_eq(m.sq.ci, m.sq.pi);
		}
	}
}

/* The largest ring: 32768 blocks; full is 32768 of 65536, which differs from empty. */
Test(credits, hold_in_the_largest_ring)
{
	static uint8_t ring[32768 * 64] __attribute__((aligned(64)));
	static __be32 dbrec[2];
	static uint64_t reg[64];
	struct mlx5dv_qp qp = { .dbrec = dbrec, .sq = { ring, 32768, 64 }, .bf = { reg, 256 } };
	struct mlx5_cqe64 cqe = memory_cqe(32767);
	struct dv_sq sq;
	int i;

	cr_assert_eq(dv_sq_init(&sq, &qp, 1), 0);
	for (i = 0; i < 32768; i++)
		cr_assert_eq(dv_sq_nop(&sq, 0), 0);
	cr_assert_eq(dv_sq_nop(&sq, 0), ENOMEM);
	dv_sq_retire(&sq, &cqe);
	cr_assert_eq(dv_sq_nop(&sq, 0), 0);
}
