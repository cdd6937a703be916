/* SPDX-License-Identifier: BSD-2-Clause */
/* WQEs of several blocks: 30 pieces with holes between them, of different lengths. */
#include "fixture.h"

TestSuite(sges, .init = fixture_start, .fini = fixture_stop);

enum {
	GAP = 1000,
};

/* Piece i: 11 * i + 1 bytes at GAP * i. Returns the sum. */
static uint32_t pieces(struct ibv_sge *list, struct ibv_sge (*at)(uint32_t, uint32_t))
{
	uint32_t i, sum = 0;

	for (i = 0; i < MAX_SGE; i++) {
		list[i] = at(GAP * i, 11 * i + 1);
		sum += list[i].length;
	}
	return sum;
}

/* The pieces of @scattered hold what @whole holds in one. */
static void check(const uint8_t *scattered, const uint8_t *whole)
{
	uint32_t i, at = 0;

	for (i = 0; i < MAX_SGE; i++) {
		cr_assert_eq(memcmp(scattered + GAP * i, whole + at, 11 * i + 1), 0, "SGE %u",
			     i);
		at += 11 * i + 1;
	}
}

Test(sges, are_gathered_by_write)
{
	struct ibv_sge list[MAX_SGE];
	uint32_t sum = pieces(list, src_sge);

	cr_assert_eq(dv_sq_write(&f.a.sq, SIGNALLED, dst_at(0), list, MAX_SGE), 0);
	ring(&f.a);
	check(f.src, f.dst);
	cr_assert_eq(f.dst[sum], 0xdd);
}

Test(sges, are_scattered_to_by_read)
{
	struct ibv_sge list[MAX_SGE];

	pieces(list, dst_sge);
	cr_assert_eq(dv_sq_read(&f.a.sq, SIGNALLED, src_at(0), list, MAX_SGE), 0);
	ring(&f.a);
	check(f.dst, f.src);
	cr_assert_eq(f.dst[1], 0xdd, "the gap");
}

Test(sges, are_gathered_by_send_and_scattered_by_receive)
{
	struct ibv_sge list[MAX_SGE],
		into[3] = { dst_sge(0, 10), dst_sge(500, 1000), dst_sge(5000, 60000) };
	uint32_t sum = pieces(list, src_sge), i, at = 0;
	uint8_t sent[MAX_SGE * 400];
	struct mlx5_cqe64 cqe;

	for (i = 0; i < MAX_SGE; at += list[i++].length)
		memcpy(sent + at, f.src + GAP * i, list[i].length);
	rq_posted(&f.b.rq, dv_rq_post(&f.b.rq, into, 3));
	cr_assert_eq(dv_sq_send(&f.a.sq, SIGNALLED, list, MAX_SGE), 0);
	ring(&f.a);
	cqe = success(&f.b, MLX5_CQE_RESP_SEND);
	cr_assert_eq(dv_cqe_byte_cnt(&cqe), sum);
	cr_assert_eq(memcmp(f.dst, sent, 10), 0);
	cr_assert_eq(memcmp(f.dst + 500, sent + 10, 1000), 0);
	cr_assert_eq(memcmp(f.dst + 5000, sent + 1010, sum - 1010), 0);
	cr_assert_eq(f.dst[10], 0xdd);
	cr_assert_eq(f.dst[5000 + sum - 1010], 0xdd);
}
