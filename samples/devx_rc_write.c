/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An RDMA WRITE by a QP that no verb made: CQ, QP and memory key are firmware commands (DevX),
 * and the library's queues work on them as on any other. The QP is its own peer.
 *
 *	UAR, EQ number -> CQ -> QP          umem -> key
 *	                        QP: INIT, RTR to itself, RTS
 *	source | target         dv_sq_write() ---- message ----> target
 *
 * Only the device, a protection domain and the path to the peer, which the kernel resolves, are
 * verbs. Last line when all is well: "written by DevX: RDMA write without a verb".
 */
#include "common.h"
#include <devx/cq.h>
#include <devx/eq.h>
#include <devx/mkey.h>
#include <devx/pd.h>
#include <devx/qp.h>
#include <prm/value.h>

/* As ibv_reg_mr() does: memory for the device, and a key to it. */
static void make_key(struct devx_mkey *mkey, struct devx_umem *umem, struct device *dev,
		     void *memory, size_t len)
{
	struct devx_mkey_attr attr = {
		.access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE,
		.start_addr = (uintptr_t)memory,
		.len = len,
	};

	must(devx_pdn_query(&attr.pdn, dev->pd));
	must(devx_umem_reg(umem, dev->ctx, memory, len, attr.access));
	attr.umem_id = umem->id;
	must(devx_mkey_create(mkey, dev->ctx, &attr));
}

int main(int argc, char **argv)
{
	struct device dev =
		device_open(options_parse(argc, argv, "RDMA WRITE by a QP that DevX made"));
	static const char text[] = "RDMA write without a verb";
	static struct {
		char source[64], target[64];
	} memory __attribute__((aligned(4096)));
	struct devx_umem umem;
	struct devx_mkey mkey;

	make_key(&mkey, &umem, &dev, &memory, sizeof(memory));

	/* A register to ring, a CQ, a QP on both, connected to itself. */
	struct devx_uar uar;
	struct devx_cq cq;
	struct devx_qp qp;

	struct devx_cq_attr cq_attr = { .cqe_cnt = 64, .uar = &uar };

	must(devx_uar_alloc(&uar, dev.ctx, DEVX_UAR_ANY));
	must(devx_eqn_query(&cq_attr.eqn, dev.ctx, 0));
	must(devx_cq_create(&cq, dev.ctx, &cq_attr));

	struct devx_qp_attr qp_attr = { .st = PRM_QPC_ST_RC, .uar = &uar, .sq_wqe_cnt = 64 };

	qp_attr.send_cqn = qp_attr.recv_cqn = cq.obj.id;
	must(devx_pdn_query(&qp_attr.pdn, dev.pd));
	must(devx_qp_create(&qp, dev.ctx, &qp_attr));
	must(devx_qp_connect_self(&qp, dev.pd, dev.port, dev.gid_index));
	printf("-- CQ 0x%x, QP 0x%x and key 0x%x made by commands\n", cq.obj.id, qp.obj.id,
	       mkey.key);

	/* From here on: as with queues that verbs made. */
	struct ibv_sge sge = { (uintptr_t)memory.source, sizeof(text), mkey.key };
	struct dv_raddr to = { (uintptr_t)memory.target, mkey.key };
	const struct mlx5_cqe64 *cqe;

	memcpy(memory.source, text, sizeof(text));
	must(dv_sq_write(&qp.sq, MLX5_WQE_CTRL_CQ_UPDATE, to, &sge, 1));
	show_wqe("the WQE in the ring", &qp.sq);
	dv_sq_doorbell(&qp.sq);
	deadline(10, "the completion of the WRITE");
	while (!(cqe = dv_cq_poll(&cq.cq)))
		;
	show_cqe("CQE", cqe);
	dv_sq_retire(&qp.sq, cqe);
	dv_cq_release(&cq.cq);
	if (memcmp(memory.target, text, sizeof(text)) != 0)
		errx(1, "expected '%s' in the target, found '%.60s'", text, memory.target);
	printf("written by DevX: %s\n", memory.target);

	must(devx_qp_destroy(&qp));
	must(devx_cq_destroy(&cq));
	devx_uar_free(&uar);
	must(devx_mkey_destroy(&mkey));
	must(devx_umem_dereg(&umem));
	device_close(&dev);
	return 0;
}
