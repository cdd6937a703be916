/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies by a queue of dv/dma.h: the bytes arrive, also of copies that are longer than the
 * ring; what an error leaves, and that the queue works again afterwards. Skipped on devices
 * without DMA. */
#include <errno.h>
#include <dv/dma.h>
#include <dv/reason.h>

#include "fixture.h"

enum { CHUNK = 10000 };

static struct dv_dma *dma;
static struct dv_dma_done done[16];

static int create(struct dv_dma_attr attr)
{
	attr.pd = f.pd;
	return dv_dma_create(&dma, &attr);
}

static void start(void)
{
	fixture_start();
	if (create((struct dv_dma_attr){ .chunk = CHUNK, .depth = 8, .copies = 16 }))
		cr_skip_test("%s", dv_reason());
}

static void stop(void)
{
	cr_assert_eq(dv_dma_destroy(dma), 0);
	dma = NULL;
	fixture_stop();
}

TestSuite(dma, .init = start, .fini = stop);
TestSuite(dma_anywhere, .init = fixture_start, .fini = fixture_stop);

/* Whatever the device is: it works, or the reason says why not. */
Test(dma_anywhere, or_a_reason)
{
	struct mlx5dv_context dv = { .comp_mask = MLX5DV_CONTEXT_MASK_WR_MEMCPY_LENGTH };
	int err = create((struct dv_dma_attr){ .depth = 4 });

	cr_assert_eq(mlx5dv_query_device(f.ctx, &dv), 0);
	if (dv.max_wr_memcpy_length) {
		cr_assert_eq(err, 0, "%s", dv_reason());
		cr_assert_eq(dv_dma_destroy(dma), 0);
		cr_assert_eq(create((struct dv_dma_attr){ .port = 99 }), EINVAL);
		cr_assert_not_null(strstr(dv_reason(), "ibv_query_port"));
		return;
	}
	cr_assert_eq(err, EOPNOTSUPP);
	cr_assert_not_null(strstr(dv_reason(), "max_wr_memcpy_length"));
}

static struct dv_laddr at(const uint8_t *p)
{
	return (struct dv_laddr){ (uintptr_t)p, f.mr->lkey };
}

/* @n finished copies, within 10 seconds. */
static void finish(unsigned int n)
{
	time_t end = time(NULL) + 10;
	unsigned int have = 0;

	while (have < n) {
		have += dv_dma_poll(dma, done + have, n - have);
		if (time(NULL) > end)
			cr_assert_fail("%u of %u copies within 10 s", have, n);
	}
}

static void ok(const struct dv_dma_done *d, uint64_t id)
{
	cr_assert_eq(d->id, id);
	cr_assert_eq(d->status, 0, "%s", dv_syndrome_str(d->syndrome));
	cr_assert_eq(d->copied, d->len);
}

Test(dma, of_one_chunk)
{
	cr_assert_eq(dv_dma_copy(dma, 7, at(f.dst + 3), at(f.src + 100), 5000, 0), 0);
	dv_dma_doorbell(dma);
	finish(1);
	ok(&done[0], 7);
	cr_assert_arr_eq(f.dst + 3, f.src + 100, 5000);
}

/* 105 chunks through a ring of 8. */
Test(dma, longer_than_the_ring)
{
	struct dv_dma_counters n;

	cr_assert_eq(dv_dma_copy(dma, 1, at(f.dst), at(f.src), SIZE, 0), 0);
	finish(1);
	ok(&done[0], 1);
	cr_assert_arr_eq(f.dst, f.src, SIZE);
	dv_dma_query_counters(dma, &n);
	cr_assert_eq(n.chunks, SIZE / CHUNK + 1);
	cr_assert_eq(n.ok, n.chunks);
	cr_assert_eq(n.bytes, (uint64_t)SIZE);
}

/* Each copy reads what the one before it wrote. */
Test(dma, one_after_another_by_fences)
{
	const uint32_t step = 40000;

	for (uint32_t i = 0; i < 10; i++) {
		uint8_t *from = i ? f.dst + (i - 1) * step : f.src;

		cr_assert_eq(
			dv_dma_copy(dma, i, at(f.dst + i * step), at(from), step, DV_DMA_FENCE),
			0);
	}
	finish(10);
	for (uint32_t i = 0; i < 10; i++) {
		ok(&done[i], i);
		cr_assert_arr_eq(f.dst + i * step, f.src, step);
	}
}

/* The second chunk of copy 2 ends after the MR. */
Test(dma, error_and_recovery)
{
	struct dv_laddr outside = { (uintptr_t)f.dst + SIZE - CHUNK, f.mr->lkey };

	for (int round = 0; round < 3; round++) {
		cr_assert_eq(dv_dma_copy(dma, 1, at(f.dst), at(f.src), 3 * CHUNK, 0), 0);
		cr_assert_eq(dv_dma_copy(dma, 2, outside, at(f.src), 3 * CHUNK, 0), 0);
		cr_assert_eq(dv_dma_copy(dma, 3, at(f.dst), at(f.src), CHUNK, 0), 0);
		finish(3);
		ok(&done[0], 1);
		cr_assert_eq(done[1].status, EIO);
		cr_assert_eq(done[1].syndrome, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
		cr_assert_eq(done[1].copied, CHUNK);
		cr_assert_eq(done[1].chunks_error, 2, "a CQE for each chunk in flight");
		cr_assert_eq(done[2].status, ECANCELED);
		cr_assert_eq(done[2].syndrome, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
		cr_assert_eq(dv_dma_copy(dma, 4, at(f.dst), at(f.src), CHUNK, 0), EIO);
		cr_assert_eq(dv_dma_recover(dma), 0, "%s", dv_reason());
	}
	cr_assert_eq(dv_dma_copy(dma, 5, at(f.dst), at(f.src + 1), CHUNK, 0), 0);
	finish(1);
	ok(&done[0], 5);
	cr_assert_arr_eq(f.dst, f.src + 1, CHUNK);
}

/* In the middle of copies: each of them is reported, and the next one works. */
Test(dma, recovery_without_an_error)
{
	cr_assert_eq(dv_dma_copy(dma, 1, at(f.dst), at(f.src), SIZE, 0), 0);
	dv_dma_doorbell(dma);
	cr_assert_eq(dv_dma_recover(dma), 0, "%s", dv_reason());
	finish(1);
	cr_assert_eq(done[0].id, 1);
	cr_assert_eq(done[0].status, ECANCELED, "92 chunks were not even posted");
	cr_assert_arr_eq(f.dst, f.src, done[0].copied);
	cr_assert_eq(dv_dma_copy(dma, 2, at(f.dst), at(f.src + 5), CHUNK, 0), 0);
	finish(1);
	ok(&done[0], 2);
	cr_assert_arr_eq(f.dst, f.src + 5, CHUNK);
}

Test(dma, destroyed_in_the_middle)
{
	cr_assert_eq(dv_dma_copy(dma, 1, at(f.dst), at(f.src), SIZE, 0), 0);
	dv_dma_doorbell(dma);
	cr_assert_eq(dv_dma_destroy(dma), 0);
	cr_assert_eq(create((struct dv_dma_attr){ 0 }), 0);
	cr_assert_eq(dv_dma_copy(dma, 2, at(f.dst), at(f.src), 100, 0), 0);
	finish(1);
	ok(&done[0], 2);
}
