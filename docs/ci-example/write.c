/* SPDX-License-Identifier: BSD-2-Clause */
/* A QP that is connected to itself writes a text into memory, by one WQE and one doorbell. */
#include <stdio.h>
#include <dvkit/dvkit.h>

int main(void)
{
	char memory[16] = "";
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = list && *list ? ibv_open_device(*list) : NULL;
	struct ibv_pd *pd = ctx ? ibv_alloc_pd(ctx) : NULL;
	struct ibv_cq *verbs_cq = pd ? ibv_create_cq(ctx, 16, NULL, NULL, 0) : NULL;
	struct ibv_qp_init_attr attr = { .send_cq = verbs_cq,
					 .recv_cq = verbs_cq,
					 .qp_type = IBV_QPT_RC,
					 .cap = { .max_send_wr = 16, .max_send_sge = 1 } };
	struct ibv_qp *qp = verbs_cq ? ibv_create_qp(pd, &attr) : NULL;
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
	struct ibv_mr *mr = qp ? ibv_reg_mr(pd, memory, sizeof(memory), access) : NULL;
	const struct mlx5_cqe64 *cqe;
	struct dv_endpoint self;
	struct dv_sq sq;
	struct dv_cq cq;

	if (!mr || dv_endpoint_init(&self, qp, 1, DV_GID_DEFAULT) ||
	    dv_qp_connect(qp, &self, &self, NULL) || dv_sq_map(&sq, qp) ||
	    dv_cq_map(&cq, verbs_cq))
		return 1;

	struct dv_raddr to = { (uintptr_t)memory, mr->rkey };
	dv_sq_write_inline(&sq, MLX5_WQE_CTRL_CQ_UPDATE, to, "hello", 6);
	dv_sq_blueflame(&sq); /* the whole WQE into the doorbell register */
	while (!(cqe = dv_cq_poll(&cq)))
		;
	dv_cqe_print(stdout, cqe);
	dv_sq_retire(&sq, cqe);
	dv_cq_release(&cq);
	puts(memory);
	return 0;
}
