/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* The striding RQ: slots by hand; packets found in their strides; buffers over when all are
 * used. */
#include "memory.h"

enum {
	SLOTS = 2,
	STRIDES = 4,
	STRIDE = 64,
};

static uint8_t ring[SLOTS][32] __attribute__((aligned(64)));
static char buffer[SLOTS][STRIDES * STRIDE];
static __be32 record;
static struct dv_mp mp;

static void start(bool shift)
{
	struct mlx5dv_rwq wq = { .buf = ring, .dbrec = &record, .wqe_cnt = SLOTS, .stride = 32 };
	struct mlx5dv_striding_rq_init_attr attr = { 6, 2, shift };

	memset(ring, OLD, sizeof(ring));
	record = 0;
	cr_assert_eq(dv_mp_init(&mp, &wq, &attr), 0);
}

static int post(unsigned int i, uint32_t length)
{
	struct ibv_sge sge = { (uintptr_t)buffer[i % SLOTS], length, 0x1234 };

	return dv_mp_post(&mp, &sge);
}

static struct mlx5_cqe64 cqe_of(uint16_t wqe, uint16_t stride, uint32_t byte_cnt)
{
	struct mlx5_cqe64 cqe = { .wqe_id = htobe16(wqe), .wqe_counter = htobe16(stride),
				  .byte_cnt = htobe32(byte_cnt), .op_own = MLX5_CQE_RESP_SEND << 4 };

	return cqe;
}

Test(strides, are_posted_as_one_buffer)
{
	start(false);
	cr_assert_eq(post(0, STRIDES * STRIDE - 1), EINVAL, "too short");
	cr_assert_eq(post(0, STRIDES * STRIDE), 0);
	cr_assert_eq(post(1, STRIDES * STRIDE), 0);
	cr_assert_eq(post(2, STRIDES * STRIDE), ENOMEM);
	cr_assert_eq(record, 0);
	dv_mp_doorbell(&mp);
	cr_assert_eq(be32toh(record), 2);
	for (int i = 0; i < 16; i++)
		cr_assert_eq(ring[0][i], 0, "the head");
	cr_assert_arr_eq(ring[0] + 16, ((uint8_t[8]){ 0, 0, 1, 0, 0, 0, 0x12, 0x34 }), 8);
	cr_assert_eq(be64toh(*(__be64 *)(ring[0] + 24)), (uintptr_t)buffer[0]);
}

/* Whether it was the last of its buffer, which is free then and not before. */
static bool is_over(const struct mlx5_cqe64 *cqe)
{
	bool last = dv_mp_read(&mp, cqe).last;
	uint16_t ci = mp.ci;

	dv_mp_retire(&mp, cqe);
	cr_assert_eq(mp.ci, (uint16_t)(ci + last));
	return last;
}

Test(strides, hold_packets)
{
	struct mlx5_cqe64 cqe;
	struct dv_mp_packet p;

	start(true);
	cr_assert_eq(post(0, STRIDES * STRIDE), 0);
	cr_assert_eq(post(1, STRIDES * STRIDE), 0);
	cqe = cqe_of(0, 0, 1 << 16 | 60);
	p = dv_mp_read(&mp, &cqe);
	cr_assert_eq(p.data, buffer[0] + 2, "shifted by two bytes");
	cr_assert_eq(p.len, 60);
	cr_assert_not(p.filler);
	cr_assert_not(is_over(&cqe));
	cqe = cqe_of(0, 1, 2 << 16 | 100);
	cr_assert_eq(dv_mp_read(&mp, &cqe).data, buffer[0] + STRIDE + 2);
	cr_assert_not(is_over(&cqe));
	cqe = cqe_of(0, 3, 0x80000000 | 1 << 16);
	cr_assert(dv_mp_read(&mp, &cqe).filler);
	cr_assert(is_over(&cqe), "that was the last stride");
	cr_assert_eq(mp.ci, 1);
	cqe = cqe_of(1, 0, 4 << 16 | 250);
	cr_assert_eq(dv_mp_read(&mp, &cqe).data, buffer[1] + 2);
	cr_assert(is_over(&cqe));
	cr_assert_eq(mp.ci, mp.pi);
}

/* Whose session could not tell the count: by the length, with the shift. */
Test(strides, are_counted_by_length_if_need_be)
{
	struct mlx5_cqe64 cqe = cqe_of(0, 0, 2 * STRIDE - 2);

	start(true);
	cr_assert_eq(post(0, STRIDES * STRIDE), 0);
	cr_assert_not(is_over(&cqe));
	cr_assert_eq(mp.used, 2);
	cqe = cqe_of(0, 2, STRIDE - 1);
	cr_assert(is_over(&cqe), "63 + 2 bytes: two strides");
}

Test(strides, of_a_failed_buffer_are_over)
{
	struct mlx5_cqe64 cqe = cqe_of(0, 0, 0);

	start(false);
	cr_assert_eq(post(0, STRIDES * STRIDE), 0);
	cqe.op_own = MLX5_CQE_RESP_ERR << 4;
	cr_assert(is_over(&cqe));
	cr_assert_eq(mp.ci, 1);
}

/* All indices of buffers, twice around. */
Test(strides, survive_the_16_bit_wrap)
{
	struct mlx5_cqe64 cqe;

	start(false);
	for (uint32_t i = 0; i < 2 * 65536 + 3; i++) {
		cr_assert_eq(post(i, STRIDES * STRIDE), 0);
		cqe = cqe_of((uint16_t)i, 3, 1 << 16 | 10);
		cr_assert_eq(dv_mp_read(&mp, &cqe).data, buffer[i % SLOTS] + 3 * STRIDE);
		cqe = cqe_of((uint16_t)i, 0, STRIDES << 16 | 10);
		cr_assert(is_over(&cqe));
		cr_assert_eq(mp.ci, mp.pi);
	}
}

Test(strides, are_refused_where_they_cannot_be)
{
	struct mlx5dv_rwq wq = { .buf = ring, .dbrec = &record, .wqe_cnt = SLOTS, .stride = 16 };
	struct mlx5dv_striding_rq_init_attr attr = { 6, 2, 0 };

	record = 0;
	cr_assert_eq(dv_mp_init(&mp, &wq, &attr), EOPNOTSUPP, "no space for an SGE");
	wq.stride = 32;
	attr.single_stride_log_num_of_bytes = 14;
	cr_assert_eq(dv_mp_init(&mp, &wq, &attr), EOPNOTSUPP);
	record = 1;
	cr_assert_eq(dv_mp_init(&mp, &wq, &attr), EBUSY);
}
