/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --op=mmo, of dv and of libmlx5: the WQEs in the ring, as rdma-core documents them (wqe.h,
 * struct mlx5_mmo_metadata_seg; qp.c, mlx5_wr_memcpy), a WQE for each chunk, and the bytes that
 * are copied. One engine, paused and stepped. Needs a device that copies memory (dvkit-emu
 * --device bf3).
 */
#include <string.h>

#include <criterion/criterion.h>
#include <dvkit/emu.h>

#include "run/rig.h"

enum {
	SIZE = 200,
	CHUNK = 64,
	WQES = 4, /* 64, 64, 64 and 8 bytes */
	BATCH = 3,
};

static bool copies(void)
{
	struct mlx5dv_context dv = { .comp_mask = MLX5DV_CONTEXT_MASK_WR_MEMCPY_LENGTH };
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = ibv_open_device(list[0]);

	cr_assert_eq(mlx5dv_query_device(ctx, &dv), 0);
	ibv_close_device(ctx);
	ibv_free_device_list(list);
	return dv.max_wr_memcpy_length;
}

static struct options options(enum api api, uint32_t chunk)
{
	struct options o = options_new(MODE_BW);

	o.op = OP_MMO;
	o.api = api;
	o.size = SIZE;
	o.batch = BATCH;
	o.chunk = chunk;
	o.tx_depth = 16;
	return o;
}

static uint8_t byte_of(size_t i)
{
	return (uint8_t)(i * 7 + 1);
}

static void open_paused(struct rig *rig, struct options *o)
{
	if (!copies())
		cr_skip_test("no MMO DMA");
	options_defaults(o);
	cr_assert_null(options_check(o), "%s", options_check(o));
	rig_open(rig, o);
	rig_connect(rig, NULL);
	cr_assert_null(rig->far);
	cr_assert_eq(dvkit_emu_pause(), 0);
	for (size_t i = 0; i < BATCH * 256; i++)
		rig->near[0].mem.send[i] = (char)byte_of(i);
}

static void post(struct rig *rig)
{
	struct lane *l = &rig->near[0];
	uint32_t n = rig->o.batch;

	cr_assert_eq(l->poster->post(l, n, n - 1, n), n);
}

static void complete(struct rig *rig)
{
	struct lane *l = &rig->near[0];

	while (dvkit_emu_step())
		;
	cr_assert_eq(l->poster->poll(l, 16), 1, "the last WQE of the batch is signaled, only");
}

static void close_paused(struct rig *rig)
{
	cr_assert_eq(dvkit_emu_resume(), 0);
	rig_close(rig);
}

/* ---- the WQEs ---- */

static uint32_t be32_at(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint64_t be64_at(const uint8_t *p)
{
	return (uint64_t)be32_at(p) << 32 | be32_at(p + 4);
}

/* WQE @i of the ring, @at of the whole copy, the last one of a batch @signaled. */
static void is_copy(const uint8_t *wqe, const struct lane *l, uint32_t i, bool signaled)
{
	uint32_t part = i % WQES, op = i / WQES, len = part < 3 ? 64 : 8;
	uint64_t at = op * l->op.stride + part * CHUNK;

	cr_assert_eq(be32_at(wqe), 0x01u << 24 | i << 8 | 0x2f, "opmod 1, index, MMO");
	cr_assert_eq(be32_at(wqe + 4), lane_qpn(l) << 8 | 4);
	cr_assert_eq(be32_at(wqe + 8), signaled ? 8 : 0, "WQE %u", i);
	cr_assert_eq(be32_at(wqe + 12), 0);
	cr_assert_eq(be32_at(wqe + 0x10), 0);
	cr_assert_eq(be64_at(wqe + 0x18) % 64, 0, "the opaque buffer is aligned");
	cr_assert_eq(be32_at(wqe + 0x20), len);
	cr_assert_eq(be32_at(wqe + 0x24), l->mem.mr->lkey);
	cr_assert_eq(be64_at(wqe + 0x28), (uintptr_t)l->mem.send + at);
	cr_assert_eq(be32_at(wqe + 0x30), len);
	cr_assert_eq(be32_at(wqe + 0x34), l->mem.mr->lkey);
	cr_assert_eq(be64_at(wqe + 0x38), (uintptr_t)l->mem.recv + at);
}

static void wqes_of(enum api api)
{
	struct options o = options(api, CHUNK);
	struct mlx5dv_qp dvqp = { 0 };
	struct mlx5dv_obj obj;
	struct rig rig;

	open_paused(&rig, &o);
	obj.qp.in = rig.near[0].verbs.qp;
	obj.qp.out = &dvqp;
	cr_assert_eq(mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP), 0);
	cr_assert_eq(rig.near[0].op.wqes, WQES);
	cr_assert_eq(rig.near[0].op.blocks, WQES);
	post(&rig);
	for (uint32_t i = 0; i < BATCH * WQES; i++)
		is_copy((const uint8_t *)dvqp.sq.buf + i * 64, &rig.near[0], i,
			i == BATCH * WQES - 1);
	complete(&rig);
	close_paused(&rig);
}

Test(mmo, wqes_of_dv_are_these)
{
	wqes_of(API_DIRECT);
}

Test(mmo, wqes_of_libmlx5_are_these)
{
	wqes_of(API_WR);
}

/* ---- the bytes ---- */

static void copy(enum api api, uint32_t chunk, uint32_t batch)
{
	struct options o = options(api, chunk);
	const struct lane *l;
	struct rig rig;

	o.batch = batch;
	open_paused(&rig, &o);
	l = &rig.near[0];
	for (size_t i = 0; i < SIZE; i++)
		cr_assert_eq((uint8_t)l->mem.recv[i], MEMORY_FILL);
	post(&rig);
	complete(&rig);
	for (size_t i = 0; i < batch * l->op.stride; i++)
		cr_assert_eq((uint8_t)l->mem.recv[i],
			     i % l->op.stride < SIZE ? byte_of(i) : MEMORY_FILL,
			     "%s, chunk %u, byte %zu", api_word(api), chunk, i);
	close_paused(&rig);
}

Test(mmo, bytes_are_copied_whole_and_by_chunks)
{
	static const uint32_t chunks[] = { 0, 1 << 20, SIZE, SIZE - 1, CHUNK, 100, 40 };

	for (enum api api = API_DIRECT; api <= API_WR; api++)
		for (size_t i = 0; i < sizeof(chunks) / sizeof(*chunks); i++) {
			copy(api, chunks[i], 1);
			copy(api, chunks[i], BATCH);
		}
}

/* --remote: where the copies go. */
Test(mmo, destinations_walk)
{
	enum { SLOTS = 16, SLOT = 256 };

	for (enum api api = API_DIRECT; api <= API_WR; api++) {
		struct options o = options(api, CHUNK);
		struct rig rig;

		o.remote = REMOTE_RANDOM;
		o.remote_size = SLOTS * SLOT;
		o.batch = 1;
		open_paused(&rig, &o);
		for (unsigned int i = 0; i < SLOTS; i++) {
			post(&rig);
			complete(&rig);
		}
		for (unsigned int i = 0; i < SLOTS; i++)
			cr_assert_eq(memcmp(rig.near[0].mem.recv + i * SLOT,
					    rig.near[0].mem.send, SIZE),
				     0, "slot %u", i);
		close_paused(&rig);
	}
}

/* Twice as many as the ring has: its end is inside of a copy. */
Test(mmo, the_rings_end_may_be_inside_of_a_copy)
{
	for (enum api api = API_DIRECT; api <= API_WR; api++) {
		struct options o = options(api, 40);
		struct rig rig;

		open_paused(&rig, &o);
		for (unsigned int i = 0; i < 100; i++) {
			memset(rig.near[0].mem.recv, 0, SIZE);
			post(&rig);
			complete(&rig);
			cr_assert_eq(memcmp(rig.near[0].mem.recv, rig.near[0].mem.send, SIZE),
				     0);
		}
		close_paused(&rig);
	}
}
