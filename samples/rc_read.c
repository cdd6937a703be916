/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An RDMA READ, then an atomic: fetch a text from the peer's memory, then increment a number
 * next to it. The peer does nothing. Neither WQE waits for the other by itself; the fence makes
 * the atomic start only when the READ is done. One doorbell, one completion.
 *
 *	RDMA_READ                      ---- request ----> the peer's memory
 *	                               <--- the text ----
 *	ATOMIC_FA  fence, signalled    ---- add 1 ------>
 *	                               <--- what was there
 *
 * Last line when all is well: "read: RDMA read operation, count 41 -> 42".
 */
#include "common.h"

int main(int argc, char **argv)
{
	struct device dev =
		device_open(options_parse(argc, argv, "RDMA READ, then a fenced FETCH_ADD"));
	static const char text[] = "RDMA read operation";
	struct {
		uint64_t count; /* atomics want 8 aligned bytes */
		char text[64];
	} peer_memory = { 41, "RDMA read operation" }, local = { 0, "" };

	struct ibv_mr *peer_mr = made(ibv_reg_mr(
		dev.pd, &peer_memory, sizeof(peer_memory),
		IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC));
	struct ibv_mr *mr =
		made(ibv_reg_mr(dev.pd, &local, sizeof(local), IBV_ACCESS_LOCAL_WRITE));
	struct pair qps = pair_create(&dev);

	struct dv_sq sq;
	struct dv_cq cq;

	must(dv_sq_map(&sq, qps.a));
	must(dv_cq_map(&cq, qps.a_cq));

	struct dv_raddr text_at_peer = { (uintptr_t)peer_memory.text, peer_mr->rkey };
	struct ibv_sge dst = { (uintptr_t)local.text, sizeof(text), mr->lkey };

	must(dv_sq_read(&sq, 0, text_at_peer, &dst, 1));
	show_wqe("the READ, unsignalled", &sq);

	struct dv_raddr count_at_peer = { (uintptr_t)&peer_memory.count, peer_mr->rkey };
	struct ibv_sge old = { (uintptr_t)&local.count, 8, mr->lkey };

	must(dv_sq_fetch_add(&sq, MLX5_WQE_CTRL_FENCE | MLX5_WQE_CTRL_CQ_UPDATE, count_at_peer,
			     &old, 1));
	show_wqe("the FETCH_ADD, fenced", &sq);
	dv_sq_doorbell(&sq);

	const struct mlx5_cqe64 *cqe;

	deadline(10, "the completion of the FETCH_ADD");
	while (!(cqe = dv_cq_poll(&cq)))
		;
	show_cqe("CQE", cqe);
	dv_sq_retire(&sq, cqe);
	dv_cq_release(&cq);
	printf("-- one CQE, and both WQEs are free: pi %u, ci %u\n", sq.pi, sq.ci);

	if (strcmp(local.text, text) || local.count != 41 || peer_memory.count != 42)
		errx(1, "read '%.60s', the count was %lu and is %lu", local.text,
		     (unsigned long)local.count, (unsigned long)peer_memory.count);
	printf("read: %s, count %lu -> %lu\n", local.text, (unsigned long)local.count,
	       (unsigned long)peer_memory.count);

	pair_destroy(&qps);
	ok(ibv_dereg_mr(mr));
	ok(ibv_dereg_mr(peer_mr));
	device_close(&dev);
	return 0;
}
