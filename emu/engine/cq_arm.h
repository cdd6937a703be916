/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The register that arms CQs: {sn | cmd | ci, cqn}, 8 bytes big-endian (rdma-core,
 * providers/mlx5, mlx5_arm_cq in cq.c).
 */
#ifndef EMU_ENGINE_CQ_ARM_H
#define EMU_ENGINE_CQ_ARM_H

#include "hca/hca.h"

#define UAR_ARM 0x20 /* in the UAR page; rdma-core: MLX5_CQ_DOORBELL */

/* The register of @uar was polled: @value was written last. */
void cq_arm_polled(struct hca *hca, struct hca_uar *uar, uint64_t value);
/* The register is not polled, every store to it is seen (--check): @value is stored now. */
void cq_arm_stored(struct hca *hca, struct hca_uar *uar, uint64_t value);

#endif
