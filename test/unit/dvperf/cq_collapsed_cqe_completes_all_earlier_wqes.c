/* SPDX-License-Identifier: BSD-2-Clause */
/* One CQE in the place of many: signalled WQEs up to its wqe_counter are done, and no more. */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "lane/devx.h"

enum { BLOCKS = 64, DS = 5 /* of each WQE: two blocks */ };

static struct mlx5_cqe64 ring[2] __attribute__((aligned(64)));
static char blocks[BLOCKS * DV_WQE_BB] __attribute__((aligned(64)));
static struct pending pending[8];
static __be32 records[2];
static struct poster poster;
static struct lane *l;

/* Signaled WQEs at 0, 8, 16 and 24. Their places are those that worker.c gives: not after
 * them. */
static void start(void)
{
	struct mlx5dv_cq dv = { .buf = ring, .dbrec = records, .cqe_cnt = 2, .cqe_size = 64 };
	static const uint16_t at[] = { 0, 7, 16, 23 };

	l = aligned_alloc(64, sizeof(*l));
	memset(l, 0, sizeof(*l));
	dv_cq_blank(ring, 2, 64);
	cr_assert_eq(dv_cq_init(&l->cqs.send_ring, &dv), 0);
	l->sq.buf = blocks;
	l->sq.mask = BLOCKS - 1;
	for (int i = 0; i < BLOCKS; i++)
		blocks[i * DV_WQE_BB + 7] = DS;
	l->queue.pending = pending;
	l->queue.mask = 7;
	for (int i = 0; i < 4; i++)
		pending[l->queue.tail++].at = at[i];
	lane_devx_poll(&poster);
}

static void stop(void)
{
	free(l);
}

TestSuite(collapsed, .init = start, .fini = stop);

static void completed(uint16_t counter)
{
	ring[0].wqe_counter = htobe16(counter);
	ring[0].op_own = MLX5_CQE_REQ << 4;
}

Test(collapsed, nothing_yet)
{
	cr_assert_eq(poster.poll(l, 16), 0);
	cr_assert_eq(l->sq.ci, 0);
}

Test(collapsed, the_first_alone)
{
	completed(0);
	cr_assert_eq(poster.poll(l, 16), 1);
	cr_assert_eq(l->sq.ci, 2);
	l->queue.head++;
	cr_assert_eq(poster.poll(l, 16), 0, "the same CQE completes nothing again");
}

Test(collapsed, those_that_were_overwritten)
{
	completed(16);
	cr_assert_eq(poster.poll(l, 16), 3);
	cr_assert_eq(l->sq.ci, 18);
}

Test(collapsed, no_more_than_asked_for)
{
	completed(24);
	cr_assert_eq(poster.poll(l, 3), 3);
	l->queue.head += 3;
	cr_assert_eq(poster.poll(l, 3), 1);
}

Test(collapsed, around_the_end_of_the_counter)
{
	pending[0].at = 0xfff0;
	pending[1].at = 0xfffe;
	pending[2].at = 4;
	pending[3].at = 0x10;
	completed(4);
	cr_assert_eq(poster.poll(l, 16), 3);
	cr_assert_eq(l->sq.ci, 6);
	completed(0x7ffe);
	l->queue.head = l->queue.tail;
	cr_assert_eq(poster.poll(l, 16), 0, "nothing is under way");
}

Test(collapsed, an_error_ends_the_program, .exit_code = 1)
{
	ring[0].op_own = (uint8_t)(MLX5_CQE_REQ_ERR << 4);
	poster.poll(l, 16);
}
