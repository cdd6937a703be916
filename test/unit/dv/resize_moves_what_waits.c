/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* Another ring for a CQ: what waits in the old one is found in the new one, at its index plus
 * one; then what the device writes there, after the index of the RESIZE CQE. */
#include "memory.h"

enum {
	OLD_SLOTS = 8,
	MOST = 32,
};

static uint8_t old_ring[OLD_SLOTS * 128] __attribute__((aligned(64)));
static uint8_t new_ring[MOST * 128] __attribute__((aligned(64)));
static __be32 dbrec[2];
static struct dv_cq cq;

static void start(uint32_t cqe_size, uint32_t ci)
{
	struct mlx5dv_cq plain = { .buf = old_ring, .cqe_cnt = OLD_SLOTS, .cqe_size = cqe_size,
				   .dbrec = dbrec };

	dv_cq_blank(old_ring, OLD_SLOTS, cqe_size);
	dbrec[0] = 0;
	cr_assert_eq(dv_cq_init(&cq, &plain), 0);
	cq.ci = ci;
}

/* The device writes the CQE with index @ci to a ring; its byte_cnt is @value, and so is the
 * first byte of its slot. */
static void device(uint8_t *ring, uint32_t slots, uint32_t size, uint32_t ci, uint8_t opcode,
		   uint32_t value)
{
	uint8_t *slot = ring + ci % slots * size;
	struct mlx5_cqe64 *cqe = (struct mlx5_cqe64 *)(slot + size) - 1;

	memset(slot, 0, size);
	slot[0] = (uint8_t)value;
	cqe->byte_cnt = htobe32(value);
	cqe->op_own = (uint8_t)(opcode << 4 | !!(ci & slots));
}

static int resize(uint32_t cqe_cnt, uint32_t cqe_size)
{
	struct mlx5dv_cq ring = { .buf = new_ring, .cqe_cnt = cqe_cnt, .cqe_size = cqe_size };

	memset(new_ring, OLD, sizeof(new_ring));
	if (cqe_size == 64 || cqe_size == 128)
		dv_cq_blank(new_ring, cqe_cnt < MOST ? cqe_cnt : MOST, cqe_size);
	return dv_cq_resize(&cq, &ring);
}

/* @waiting CQEs in the old ring from @ci, then RESIZE; 3 more in the new one. */
static void moves(uint32_t size, uint32_t new_size, uint32_t new_slots, uint32_t ci, uint32_t waiting)
{
	const struct mlx5_cqe64 *cqe;
	uint32_t i;

	start(size, ci);
	for (i = 0; i < waiting; i++)
		device(old_ring, OLD_SLOTS, size, ci + i, MLX5_CQE_RESP_SEND, 100 + i);
	device(old_ring, OLD_SLOTS, size, ci + waiting, MLX5_CQE_RESIZE_CQ, 0);
	cr_assert_eq(resize(new_slots, new_size), 0);
	cr_assert_eq(be32toh(dbrec[0]), (ci + 1) & 0xffffff);
	for (; i < waiting + 3 && i < new_slots; i++)
		device(new_ring, new_slots, new_size, ci + 1 + i, MLX5_CQE_RESP_SEND, 100 + i);
	for (uint32_t found = 0; found < i; found++) {
		cqe = dv_cq_poll(&cq);
		cr_assert_not_null(cqe, "%u to %u, ci %u, CQE %u", size, new_slots, ci, found);
		cr_assert_eq(dv_cqe_byte_cnt(cqe), 100 + found);
		if (size == 128)
			cr_assert_eq(*((const uint8_t *)(cqe + 1) - 128), 100 + found, "the half before");
	}
	cr_assert_null(dv_cq_poll(&cq));
}

Test(resize, moves_what_waits_at_every_index)
{
	for (uint32_t new_slots = 8; new_slots <= MOST; new_slots *= 2)
		for (uint32_t ci = 0; ci < 4 * MOST; ci++)
			for (uint32_t waiting = 0; waiting < OLD_SLOTS; waiting++) {
				moves(64, 64, new_slots, ci, waiting);
				moves(128, 128, new_slots, ci, waiting);
				moves(64, 128, new_slots, ci, waiting);
			}
}

Test(resize, may_make_the_ring_smaller)
{
	for (uint32_t ci = 0; ci < 64; ci++)
		for (uint32_t waiting = 0; waiting < 4; waiting++)
			moves(64, 64, 4, ci, waiting);
}

Test(resize, waits_for_the_device)
{
	struct dv_cq before;

	start(64, 5);
	device(old_ring, OLD_SLOTS, 64, 5, MLX5_CQE_RESP_SEND, 1);
	before = cq;
	cr_assert_eq(resize(16, 64), EAGAIN);
	cr_assert_arr_eq((uint8_t *)&cq, (uint8_t *)&before, sizeof(cq), "nothing happened");
	for (uint32_t i = 0; i < OLD_SLOTS; i++)
		device(old_ring, OLD_SLOTS, 64, 5 + i, MLX5_CQE_RESP_SEND, 1);
	cr_assert_eq(resize(16, 64), EAGAIN, "a full ring without RESIZE");
}

Test(resize, refuses)
{
	start(64, 0);
	for (uint32_t i = 0; i < 4; i++)
		device(old_ring, OLD_SLOTS, 64, i, MLX5_CQE_RESP_SEND, 1);
	device(old_ring, OLD_SLOTS, 64, 4, MLX5_CQE_RESIZE_CQ, 0);
	cr_assert_eq(resize(4, 64), ENOSPC);
	cr_assert_eq(resize(0, 64), EINVAL);
	cr_assert_eq(resize(12, 64), EOPNOTSUPP);
	cr_assert_eq(resize(16, 32), EOPNOTSUPP);
	dv_cq_poll(&cq);
	cr_assert_eq(resize(4, 64), 0, "one less");
	start(128, 0);
	device(old_ring, OLD_SLOTS, 128, 0, MLX5_CQE_RESIZE_CQ, 0);
	cr_assert_eq(resize(16, 64), EOPNOTSUPP, "the half before would be lost");
}
