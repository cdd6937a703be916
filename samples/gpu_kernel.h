/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread of the GPU in gpu_write: the same source as C, CUDA and HIP, without libc. Each
 * thread writes its own 8 bytes from source to target, one WQE each, through one queue.
 */
#ifndef SAMPLES_GPU_KERNEL_H
#define SAMPLES_GPU_KERNEL_H

#include <dv/many.h>

/* By the addresses of the GPU, but raddr and laddr, which the adapter has. */
struct gpu_job {
	struct dv_many *q;
	uint64_t *source;
	uint64_t laddr, raddr; /* of source and target */
	uint32_t key;
	uint32_t proxy; /* 1: the CPU rings */
};

/* 0 or an errno value. Every thread that finds the queue full polls. */
DV_INLINE int gpu_thread(const struct gpu_job *j, uint32_t thread)
{
	struct ibv_sge sge = { j->laddr + 8ull * thread, 8, j->key };
	struct dv_raddr to = { j->raddr + 8ull * thread, j->key };
	struct dv_turn turn;
	struct dv_sq sq;
	int err;

	j->source[thread] = 0x6770750000000000ull | thread; /* "gpu" */
	do {
		err = dv_many_reserve(j->q, 1, &turn);
		if (err == ENOMEM)
			DV_RELAX();
	} while (err == ENOMEM);
	if (err)
		return err;
	sq = dv_many_window(j->q, &turn, 0);
	err = dv_sq_write(&sq, MLX5_WQE_CTRL_CQ_UPDATE, to, &sge, 1);
	if (err)
		dv_sq_nop(&sq, 0); /* a turn that was reserved is published */
	return dv_many_publish(j->q, &turn, &sq, DV_DOORBELL_NC,
			       j->proxy ? DV_PUBLISH_ONLY : DV_PUBLISH_RING);
}

#endif
