/* SPDX-License-Identifier: BSD-2-Clause */
/* A WQ as dv_rq, and a striding one as dv_mp: what mlx5dv shows, and what it does not. */
#include <errno.h>
#include "fake.h"

TestSuite(work_queues, .init = fake_start);

static struct dv_rq rq;
static struct dv_mp mp;
static const struct mlx5dv_striding_rq_init_attr strides = { 6, 9, 1 };

Test(work_queues, as_receive_queues)
{
	static const uint8_t posted[32] = { 0, 0, 0,	8, 0, 0, 0, 7, 0, 0, 0, 0,
					    0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 1, 0 };
	struct ibv_sge sge = { 0x1000, 8, 7 };

	cr_assert_eq(dv_rq_map_wq(&rq, &fake.wq), 0);
	cr_assert_eq(rq.wqe_cnt, 64);
	cr_assert_eq(rq.stride, 32);
	cr_assert_eq(rq.max_sge, 2);
	cr_assert_not(rq.sign);
	cr_assert_eq(dv_rq_post(&rq, &sge, 1), 0);
	cr_assert_arr_eq(fake.ring, posted, 32);
	dv_rq_doorbell(&rq);
	cr_assert_eq(fake.dbrec[0], htobe32(1));
	fails_with(dv_rq_map_wq(&rq, &fake.wq), EBUSY, "record is 0x1");
}

Test(work_queues, with_signatures_as_libmlx5_makes_them)
{
	setenv("MLX5_RWQ_SIGNATURE", "1", 1);
	cr_assert_eq(dv_rq_map_wq(&rq, &fake.wq), 0);
	cr_assert(rq.sign);
	cr_assert_eq(rq.qpn, 0x77);
	cr_assert_eq(rq.max_sge, 1);
	fails_with(dv_mp_map(&mp, &fake.wq, &strides), EOPNOTSUPP, "MLX5_RWQ_SIGNATURE");
}

Test(work_queues, with_strides)
{
	static const uint8_t posted[32] = { [17] = 1, [18] = 0, [23] = 7, [30] = 0x10 };
	struct ibv_sge sge = { 0x1000, 64 << 9, 7 };

	cr_assert_eq(dv_mp_map(&mp, &fake.wq, &strides), 0);
	cr_assert_eq(mp.slot, 32);
	cr_assert_eq(mp.stride_size, 64);
	cr_assert_eq(mp.strides, 512);
	cr_assert_eq(mp.shift, 2);
	sge.length--;
	cr_assert_eq(dv_mp_post(&mp, &sge), EINVAL);
	sge.length = 0x10000;
	cr_assert_eq(dv_mp_post(&mp, &sge), 0);
	cr_assert_arr_eq(fake.ring, posted, 32);
	dv_mp_doorbell(&mp);
	cr_assert_eq(fake.dbrec[0], htobe32(1));
}

Test(work_queues, with_strides_too_long_or_slots_too_small)
{
	struct mlx5dv_striding_rq_init_attr attr = { 14, 9, 0 };

	fails_with(dv_mp_map(&mp, &fake.wq, &attr), EOPNOTSUPP,
		   "32 bytes, 1 << 9 strides of 1 << 14 bytes");
	attr.single_stride_log_num_of_bytes = 13;
	attr.single_wqe_log_num_of_strides = 17;
	fails_with(dv_mp_map(&mp, &fake.wq, &attr), EOPNOTSUPP, "1 << 17 strides of 1 << 13");
	attr.single_wqe_log_num_of_strides = 16;
	cr_assert_eq(dv_mp_map(&mp, &fake.wq, &attr), 0);
	fake.stride = 16;
	fails_with(dv_mp_map(&mp, &fake.wq, &attr), EOPNOTSUPP,
		   "slots of 16 bytes, 1 << 16 strides");
}

Test(work_queues, of_other_providers_are_not)
{
	struct ibv_context other = { 0 };

	fake.wq.context = &other;
	fails_with(dv_rq_map_wq(&rq, &fake.wq), EOPNOTSUPP, "not an mlx5");
	fails_with(dv_mp_map(&mp, &fake.wq, &strides), EOPNOTSUPP, "not an mlx5");
}

Test(work_queues, start_again_after_a_reset)
{
	struct ibv_sge sge = { 0x1000, 0x10000, 7 };

	cr_assert_eq(dv_mp_map(&mp, &fake.wq, &strides), 0);
	cr_assert_eq(dv_mp_post(&mp, &sge), 0);
	dv_mp_doorbell(&mp);
	mp.used = 5;
	mp.ci = 1;
	dv_mp_restart(&mp);
	cr_assert_eq(mp.pi, 0);
	cr_assert_eq(mp.ci, 0);
	cr_assert_eq(mp.used, 0);
	cr_assert_eq(fake.dbrec[0], 0);
	cr_assert_eq(mp.strides, 512);
}
