/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions of a queue of copies (dv/dma.h), on the rings of an RC QP. */
#ifndef TEST_COST_DMA_H
#define TEST_COST_DMA_H

#include "cost/rig.h"

/* Per copy: @n copies of one chunk each, with one doorbell. */
double dma_post_copies(struct rig *rig, unsigned int n);
/* Per chunk: a copy of @n chunks, with one doorbell. */
double dma_post_chunks(struct rig *rig, unsigned int n);
/* Per copy: one poll of @n copies of one chunk each, with a CQE each. */
double dma_poll_copies(struct rig *rig, unsigned int n);
/* Per WQE: dv_sq_memcpy() @n times, without a queue of copies, and one doorbell. */
double dma_post_wqes(struct rig *rig, unsigned int n);

#endif
