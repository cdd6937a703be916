/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --pages=2m, as /proc/self/smaps shows it: data, send queue, receive queue and CQ.
 */
#include <stdio.h>

#include <criterion/criterion.h>

#include "run/rig.h"

enum { WANTED = 12 };

/* Kilobytes of the pages that @at is in. */
static unsigned long page_of(const void *at)
{
	unsigned long low, high, kilobytes = 0, here = (unsigned long)at;
	FILE *f = fopen("/proc/self/smaps", "re");
	bool inside = false;
	char line[512];

	cr_assert(f);
	while (!kilobytes && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx ", &low, &high) == 2)
			inside = low <= here && here < high;
		else if (!inside || sscanf(line, "KernelPageSize: %lu", &kilobytes) != 1)
			kilobytes = 0;
	}
	fclose(f);
	return kilobytes;
}

static void all_are_in(const struct lane *l, unsigned long kilobytes)
{
	struct mlx5dv_qp qp = { 0 };
	struct mlx5dv_cq cq = { 0 };
	struct mlx5dv_obj obj = { .qp = { .in = l->verbs.qp, .out = &qp },
				  .cq = { .in = l->cqs.send->ibcq, .out = &cq } };

	cr_assert_eq(mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP | MLX5DV_OBJ_CQ), 0);
	cr_assert_eq(page_of(qp.sq.buf), kilobytes, "send queue: %lu kB", page_of(qp.sq.buf));
	cr_assert_eq(page_of(qp.rq.buf), kilobytes, "receive queue: %lu kB",
		     page_of(qp.rq.buf));
	cr_assert_eq(page_of(cq.buf), kilobytes, "CQ: %lu kB", page_of(cq.buf));
	cr_assert_eq(page_of(l->mem.recv ? l->mem.recv : l->mem.send), kilobytes,
		     "data: %lu kB", page_of(l->mem.recv ? l->mem.recv : l->mem.send));
}

static void opened_in(enum pages pages, unsigned long kilobytes)
{
	for (enum api api = API_DIRECT; api <= API_VERBS; api++) {
		struct options o = options_new(MODE_BW);
		struct rig rig;

		o.loopback = true;
		o.api = api;
		o.pages = pages;
		options_defaults(&o);
		rig_open(&rig, &o);
		all_are_in(&rig.near[0], kilobytes);
		all_are_in(&rig.far[0], kilobytes);
		rig_close(&rig);
	}
}

Test(pages, two_megabytes)
{
	if (pages_left(PAGES_2M) < WANTED)
		cr_skip_test("no %d huge pages, and we may not allow them", WANTED);
	opened_in(PAGES_2M, 2048);
}

Test(pages, four_kilobytes)
{
	opened_in(PAGES_4K, 4);
}
