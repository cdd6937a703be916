/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device of libmlx5's without libmlx5: mlx5dv_init_obj() shows rings of plain memory, and
 * ibv_query_qp() what the test says. Requests and refusals of the maps can be seen.
 */
#ifndef TEST_UNIT_DV_MAP_FAKE_H
#define TEST_UNIT_DV_MAP_FAKE_H

#include <criterion/criterion.h>
#include <dv/map.h>
#include <dv/post.h>
#include <dv/reason.h>

struct fake {
	uint8_t ring[64 * 64] __attribute__((aligned(64)));
	uint8_t reg[512] __attribute__((aligned(64)));
	__be32 dbrec[2];
	uint32_t stride; /* of receive slots */
	bool sig_all;
	enum ibv_qp_state state;
	int query_err, cqes; /* returned; CQEs that ibv_poll_cq() was asked for */
	struct ibv_context ctx;
	struct ibv_qp qp;
	struct ibv_wq wq;
	struct ibv_cq cq;
};

extern struct fake fake;

/* Criterion's .init: a fresh RC QP in RESET, whose memory is zeroes; a WQ, a CQ. */
void fake_start(void);

/* @call returns @error, and dv_reason() has @word. */
#define fails_with(call, error, word)                                             \
	do {                                                                      \
		cr_assert_eq(call, error);                                        \
		cr_assert_not_null(strstr(dv_reason(), word), "%s", dv_reason()); \
	} while (0)

#endif
