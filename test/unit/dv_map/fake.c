/* SPDX-License-Identifier: BSD-2-Clause */
#include "fake.h"

/* libdvkit has to see it. */
#define INSTEAD __attribute__((visibility("default")))

enum { SLOTS = 64 };

struct fake fake;

static int poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	(void)cq, (void)wc;
	fake.cqes += n;
	return 0;
}

void fake_start(void)
{
	static struct ibv_device device;

	memset(&fake, 0, sizeof(fake));
	fake.stride = 32;
	fake.state = IBV_QPS_RESET;
	fake.ctx.device = &device;
	fake.ctx.ops.poll_cq = poll_cq;
	fake.qp = (struct ibv_qp){ .context = &fake.ctx,
				   .qp_type = IBV_QPT_RC,
				   .qp_num = 0x123456,
				   .state = IBV_QPS_RESET };
	fake.wq = (struct ibv_wq){ .context = &fake.ctx, .wq_num = 0x77 };
	fake.cq = (struct ibv_cq){ .context = &fake.ctx };
	dv_cq_blank(fake.ring, 0, 64);
	unsetenv("MLX5_QP_SIGNATURE");
	unsetenv("MLX5_RWQ_SIGNATURE");
}

INSTEAD bool mlx5dv_is_supported(struct ibv_device *device)
{
	return device == fake.ctx.device;
}

INSTEAD int mlx5dv_init_obj(struct mlx5dv_obj *obj, uint64_t type)
{
	if (type == MLX5DV_OBJ_QP)
		*obj->qp.out = (struct mlx5dv_qp){ .dbrec = fake.dbrec,
						   .sq = { fake.ring, SLOTS, 64 },
						   .rq = { fake.ring, SLOTS, fake.stride },
						   .bf = { fake.reg, 256 } };
	if (type == MLX5DV_OBJ_RWQ)
		*obj->rwq.out = (struct mlx5dv_rwq){ .buf = fake.ring,
						     .dbrec = fake.dbrec,
						     .wqe_cnt = SLOTS,
						     .stride = fake.stride };
	if (type == MLX5DV_OBJ_CQ)
		*obj->cq.out = (struct mlx5dv_cq){ .buf = fake.ring,
						   .dbrec = fake.dbrec,
						   .cqe_cnt = SLOTS,
						   .cqe_size = 64,
						   .cq_uar = fake.reg,
						   .cqn = 0x55 };
	return 0;
}

INSTEAD int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
			 struct ibv_qp_init_attr *init)
{
	(void)qp, (void)mask;
	attr->qp_state = fake.state;
	init->sq_sig_all = fake.sig_all;
	return fake.query_err;
}
