/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of slots in the memory of a new shared receive queue. */
#include <dv/srq.h>

void dv_srq_link(void *buf, uint32_t wqe_cnt, uint32_t stride)
{
	struct mlx5_wqe_srq_next_seg *next;

	for (uint32_t i = 0; i < wqe_cnt; i++) {
		next = (struct mlx5_wqe_srq_next_seg *)((char *)buf + (size_t)i * stride);
		*next = (struct mlx5_wqe_srq_next_seg){
			.next_wqe_index = htobe16((uint16_t)(i + 1)),
		};
	}
}
