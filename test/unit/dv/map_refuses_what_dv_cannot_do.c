/* SPDX-License-Identifier: BSD-2-Clause */
#include "memory.h"

static uint8_t ring[64 * 64] __attribute__((aligned(64)));
static __be32 dbrec[2];
static uint64_t reg[64];

static struct mlx5dv_qp good_qp(void)
{
	dbrec[0] = dbrec[1] = 0;
	return (struct mlx5dv_qp){ .dbrec = dbrec,
				   .sq = { ring, 64, 64 },
				   .rq = { ring, 64, 16 },
				   .bf = { reg, 256 } };
}

Test(map, takes_a_good_queue)
{
	struct mlx5dv_qp qp = good_qp();
	struct dv_sq sq;
	struct dv_rq rq;

	cr_assert_eq(dv_sq_init(&sq, &qp, 5), 0);
	cr_assert_eq(sq.qpn, 5);
	cr_assert_eq(dv_rq_init(&rq, &qp), 0);
	cr_assert_eq(rq.max_sge, 1);
}

Test(map, refuses_send_rings_of_wrong_sizes)
{
	struct mlx5dv_qp qp = good_qp();
	struct dv_sq sq;

	qp.sq.stride = 128;
	cr_assert_eq(dv_sq_init(&sq, &qp, 5), EOPNOTSUPP);
	qp = good_qp();
	qp.sq.wqe_cnt = 48;
	cr_assert_eq(dv_sq_init(&sq, &qp, 5), EOPNOTSUPP);
	qp.sq.wqe_cnt = 65536;
	cr_assert_eq(dv_sq_init(&sq, &qp, 5), EOPNOTSUPP);
	qp.sq.wqe_cnt = 0;
	cr_assert_eq(dv_sq_init(&sq, &qp, 5), EINVAL);
	qp = good_qp();
	qp.bf.size = 200;
	cr_assert_eq(dv_sq_init(&sq, &qp, 5), EOPNOTSUPP);
	qp = good_qp();
	qp.bf.reg = NULL;
	cr_assert_eq(dv_sq_init(&sq, &qp, 5), EINVAL);
}

Test(map, refuses_receive_rings_of_wrong_sizes)
{
	struct mlx5dv_qp qp = good_qp();
	struct dv_rq rq;

	qp.rq.stride = 48;
	cr_assert_eq(dv_rq_init(&rq, &qp), EOPNOTSUPP);
	qp.rq.stride = 8;
	cr_assert_eq(dv_rq_init(&rq, &qp), EOPNOTSUPP);
	qp = good_qp();
	qp.rq.wqe_cnt = 3;
	cr_assert_eq(dv_rq_init(&rq, &qp), EOPNOTSUPP);
	qp.rq.wqe_cnt = 0;
	cr_assert_eq(dv_rq_init(&rq, &qp), EINVAL);
}

Test(map, refuses_queues_that_were_used)
{
	struct mlx5dv_qp qp = good_qp();
	struct mlx5dv_cq dvcq = { .buf = ring, .dbrec = dbrec, .cqe_cnt = 8, .cqe_size = 64 };
	struct dv_sq sq;
	struct dv_rq rq;
	struct dv_cq cq;

	dbrec[1] = htobe32(1);
	cr_assert_eq(dv_sq_init(&sq, &qp, 5), EBUSY);
	cr_assert_eq(dv_rq_init(&rq, &qp), 0, "the other half is fresh");
	dbrec[0] = htobe32(1);
	cr_assert_eq(dv_rq_init(&rq, &qp), EBUSY);
	cr_assert_eq(dv_cq_init(&cq, &dvcq), EBUSY);
}

Test(map, refuses_completion_queues_of_wrong_sizes)
{
	struct mlx5dv_cq dvcq = { .buf = ring, .dbrec = dbrec, .cqe_cnt = 8, .cqe_size = 32 };
	struct dv_cq cq;

	dbrec[0] = 0;
	cr_assert_eq(dv_cq_init(&cq, &dvcq), EOPNOTSUPP);
	dvcq.cqe_size = 128;
	dvcq.cqe_cnt = 6;
	cr_assert_eq(dv_cq_init(&cq, &dvcq), EOPNOTSUPP);
	dvcq.cqe_cnt = 0;
	cr_assert_eq(dv_cq_init(&cq, &dvcq), EINVAL);
	dvcq.cqe_cnt = 8;
	cr_assert_eq(dv_cq_init(&cq, &dvcq), 0);
}

/* A device of another provider: libibverbs' struct, without the part of libmlx5 after it. */
Test(map, refuses_other_providers_devices)
{
	static union {
		struct ibv_device device;
		uint8_t bytes[4096];
	} other;
	struct ibv_context context = { .device = &other.device };
	struct ibv_qp qp = { .context = &context, .qp_type = IBV_QPT_RC };
	struct ibv_cq ibcq = { .context = &context };
	struct dv_sq sq;
	struct dv_rq rq;
	struct dv_cq cq;

	cr_assert_eq(dv_sq_map(&sq, &qp), EOPNOTSUPP);
	cr_assert_eq(dv_rq_map(&rq, &qp), EOPNOTSUPP);
	cr_assert_eq(dv_cq_map(&cq, &ibcq), EOPNOTSUPP);
}
