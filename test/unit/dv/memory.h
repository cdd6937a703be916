/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/*
 * Queues in plain memory: ring, record and register are arrays that a test can look at. All
 * of it starts as 0xa5, what an earlier pass left, except the records.
 */
#ifndef TEST_UNIT_DV_MEMORY_H
#define TEST_UNIT_DV_MEMORY_H

#include <criterion/criterion.h>
#include <string.h>
#include <dv/batch.h>
#include <dv/map.h>
#include <dv/mini.h>
#include <dv/post.h>
#include <dv/print.h>
#include "lib/hex.h"

enum {
	MEMORY_BLOCKS = 64,
	MEMORY_BF = 256,
	MEMORY_QPN = 0x123456,
	OLD = 0xa5,
};

struct memory {
	uint8_t ring[MEMORY_BLOCKS * DV_WQE_BB] __attribute__((aligned(64)));
	uint8_t reg[2 * MEMORY_BF] __attribute__((aligned(64)));
	__be32 dbrec[2];
	struct dv_sq sq;
	struct dv_rq rq;
};

/* A send queue of @wqe_cnt blocks and a receive queue with 4 slots of @rq_stride bytes; they
 * share the ring's memory: a test uses one of them. */
static inline void memory_start(struct memory *m, uint32_t wqe_cnt, uint32_t rq_stride)
{
	struct mlx5dv_qp qp = {
		.dbrec = m->dbrec,
		.sq = { m->ring, wqe_cnt, DV_WQE_BB },
		.rq = { m->ring, 4, rq_stride },
		.bf = { m->reg, MEMORY_BF },
	};

	memset(m->ring, OLD, sizeof(m->ring));
	memset(m->reg, OLD, sizeof(m->reg));
	memset(m->dbrec, 0, sizeof(m->dbrec));
	cr_assert_eq(dv_sq_init(&m->sq, &qp, MEMORY_QPN), 0);
	cr_assert_eq(dv_rq_init(&m->rq, &qp), 0);
}

/* A success CQE of the requester for the WQE with index @idx. */
static inline struct mlx5_cqe64 memory_cqe(uint16_t idx)
{
	struct mlx5_cqe64 cqe = { .wqe_counter = htobe16(idx) };

	return cqe;
}

static inline bool is_old(const uint8_t *at, size_t n)
{
	while (n--)
		if (at[n] != OLD)
			return false;
	return true;
}

/* The ring starts with exactly the bytes of @text, and nothing after them was written. @name
 * is in the message. */
static inline void ring_shows(const struct memory *m, const char *text, const char *name)
{
	size_t n = begins_with_hex(m->ring, text, name);

	cr_assert(is_old(m->ring + n, sizeof(m->ring) - n), "%s: more than %s", name, text);
}

static inline void ring_is(const struct memory *m, const char *text)
{
	ring_shows(m, text, "ring");
}

/* A row of a table of WQEs, and a test of that name: @call posts one on queue m.sq, which is
 * @text in the ring then. */
#define POSTS(suite, name, call, text) \
	Test(suite, name)              \
	{                              \
		cr_assert_eq(call, 0); \
		ring_is(&m, text);     \
	}

#endif
