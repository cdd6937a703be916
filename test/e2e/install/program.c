/* SPDX-License-Identifier: BSD-2-Clause */
/* A program of a user of the installed library: a NOP on a QP that is connected to itself. */
#include <err.h>
#include <stdio.h>
#include <dv/post.h>
#include <devx/cq.h>
#include <devx/eq.h>
#include <devx/pd.h>
#include <devx/qp.h>
#include <prm/value.h>

int main(void)
{
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct devx_uar uar;
	struct devx_cq cq;
	struct devx_qp qp;
	struct devx_cq_attr cq_attr = { .cqe_cnt = 64, .uar = &uar };
	struct devx_qp_attr qp_attr = { .st = PRM_QPC_ST_RC, .uar = &uar, .sq_wqe_cnt = 64 };
	const struct mlx5_cqe64 *cqe;

	if (devx_open(&ctx, NULL) || !(pd = ibv_alloc_pd(ctx)))
		errx(1, "no device");
	if (devx_uar_alloc(&uar, ctx, DEVX_UAR_ANY) || devx_eqn_query(&cq_attr.eqn, ctx, 0) ||
	    devx_cq_create(&cq, ctx, &cq_attr) || devx_pdn_query(&qp_attr.pdn, pd))
		errx(1, "no CQ");
	qp_attr.send_cqn = qp_attr.recv_cqn = cq.obj.id;
	if (devx_qp_create(&qp, ctx, &qp_attr) || devx_qp_connect_self(&qp, pd, 1, 0))
		errx(1, "no QP");
	dv_sq_nop(&qp.sq, MLX5_WQE_CTRL_CQ_UPDATE);
	dv_sq_doorbell(&qp.sq);
	while (!(cqe = dv_cq_poll(&cq.cq)))
		;
	printf("opcode %d\n", mlx5dv_get_cqe_opcode((struct mlx5_cqe64 *)cqe));
	return 0;
}
