/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An RDMA WRITE with all its data inside the WQE, and the WQE inside the doorbell: inline data
 * and BlueFlame. The device fetches nothing; the peer does nothing and notices nothing.
 *
 *	WQE: control | raddr, rkey | inline "RDMA write operation"
 *	  |  the whole WQE, 64 bytes
 *	  +-------------------------> register        ---- message ----> the peer's memory
 *
 * Last line when all is well: "peer's memory: RDMA write operation".
 */
#include "common.h"

int main(int argc, char **argv)
{
	struct device dev =
		device_open(options_parse(argc, argv, "RDMA WRITE, inline and by BlueFlame"));
	static const char text[] = "RDMA write operation";
	char memory[64] = { 0 };

	/* The source needs no memory region: it travels in the WQE. The target does. */
	struct ibv_mr *mr = made(ibv_reg_mr(dev.pd, memory, sizeof(memory),
					    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE));
	struct pair qps = pair_create(&dev);

	struct dv_sq sq;
	struct dv_cq cq;

	must(dv_sq_map(&sq, qps.a));
	must(dv_cq_map(&cq, qps.a_cq));

	/* The peer would send this: the address of its memory, and the key to it. */
	struct dv_raddr to = { (uintptr_t)memory, mr->rkey };

	must(dv_sq_write_inline(&sq, MLX5_WQE_CTRL_CQ_UPDATE, to, text, strlen(text)));
	show_wqe("the WQE in the ring", &sq);

	if (sq.bf_size)
		printf("-- BlueFlame: record = %u, then the whole WQE to register +0x%x\n",
		       sq.pi, sq.bf_offset);
	else
		printf("-- this register takes no BlueFlame: 8 bytes, as by dv_sq_doorbell()\n");
	dv_sq_blueflame(&sq);

	const struct mlx5_cqe64 *cqe;

	deadline(10, "the completion of the WRITE");
	while (!(cqe = dv_cq_poll(&cq)))
		;
	show_cqe("CQE", cqe);
	dv_sq_retire(&sq, cqe);
	dv_cq_release(&cq);

	/* The completion says that the peer acknowledged the data: it is there. */
	if (strcmp(memory, text))
		errx(1, "expected '%s' in the peer's memory, found '%.60s'", text, memory);
	printf("peer's memory: %s\n", memory);

	pair_destroy(&qps);
	ok(ibv_dereg_mr(mr));
	device_close(&dev);
	return 0;
}
