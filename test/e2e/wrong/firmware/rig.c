/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <sys/mman.h>

#include "rig.h"

struct rig r;

static void open_both(void)
{
	const char *name = getenv("DVKIT_DEVICE");

	if (devx_open(&r.ctx, name))
		cr_skip_test("no mlx5 device with DevX");
	cr_assert_eq(devx_open(&r.other, name), 0);
}

/* 2 MiB of the middle of twice as much. */
static uint8_t *aligned(void)
{
	uint8_t *mem =
		mmap(NULL, 2 * LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq(mem, MAP_FAILED);
	mem = (uint8_t *)(((uintptr_t)mem + LEN - 1) & ~(uintptr_t)(LEN - 1));
	/* One page of the adapter, if the system likes. */
	madvise(mem, LEN, MADV_HUGEPAGE);
	memset(mem, 0, LEN);
	return mem;
}

void rig_start(void)
{
	struct devx_cq_attr attr = { .cqe_cnt = 64 };

	open_both();
	cr_assert_eq(devx_pd_create(&r.pd, r.ctx), 0);
	cr_assert_eq(devx_pd_create(&r.other_pd, r.other), 0);
	cr_assert_eq(devx_uar_alloc(&r.uar, r.ctx, DEVX_UAR_ANY), 0);
	cr_assert_eq(devx_uar_alloc(&r.other_uar, r.other, DEVX_UAR_ANY), 0);
	cr_assert_eq(devx_eqn_query(&r.eqn, r.ctx, 0), 0);
	attr.uar = &r.uar;
	attr.eqn = r.eqn;
	cr_assert_eq(devx_cq_create(&r.cq, r.ctx, &attr), 0);
	r.mem = aligned();
	cr_assert_eq(devx_umem_reg(&r.umem, r.ctx, r.mem, LEN, IBV_ACCESS_LOCAL_WRITE), 0);
}

void rig_stop(void)
{
	if (!r.ctx)
		return;
	devx_umem_dereg(&r.umem);
	devx_cq_destroy(&r.cq);
	devx_uar_free(&r.uar);
	devx_uar_free(&r.other_uar);
	devx_obj_destroy(&r.pd);
	devx_obj_destroy(&r.other_pd);
	ibv_close_device(r.ctx);
	ibv_close_device(r.other);
}

void says(int err, int expected, const char *line)
{
	char said[256];
	const char *syndrome = strstr(line, ", syndrome");
	size_t n = getenv("DVKIT_DEVICE") && syndrome ? (size_t)(syndrome - line)
						      : strlen(line) + 1;

	devx_error_str(devx_last_error(), said, sizeof(said));
	cr_assert_eq(err, expected, "errno %d instead of %d: %s", err, expected, said);
	cr_assert(!strncmp(said, line, n), "it says\n\t%s\nand not\n\t%s", said, line);
}
