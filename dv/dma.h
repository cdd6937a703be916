/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside dv: a queue of copies. dma.c posts and polls, dma_create.c makes the queue. */
#ifndef DV_DMA_INSIDE_H
#define DV_DMA_INSIDE_H

#include <dv/dma.h>
#include <dv/endpoint.h>

#include "refuse.h"

/* A copy that was accepted. Its chunks are numbered from 0; chunk n starts at n * chunk. */
struct dma_copy {
	uint64_t id, len;
	struct dv_laddr dst, src;
	uint32_t chunks;
	uint32_t posted, completed; /* chunks */
	uint32_t ok, failed;	    /* of those completed; the ok ones come first */
	uint32_t flags;
	uint8_t syndrome, vendor_syndrome; /* of the first chunk in error */
	uint16_t hw_syndrome;
};

struct dv_dma {
	struct dv_sq sq;
	struct dv_cq cq;
	struct dv_laddr opaque;
	struct dma_copy *copy; /* a ring */
	/* Free-running indices: reported <= completing <= posting <= accepted. */
	uint32_t reported;   /* the oldest copy that is not reported */
	uint32_t completing; /* the oldest one with chunks that are not completed */
	uint32_t posting;    /* the oldest one with chunks that are not posted */
	uint32_t accepted;
	uint32_t mask; /* of copy */
	uint32_t copies, chunk, batch;
	uint16_t depth; /* chunks in flight */
	bool failed;	/* a chunk completed in error: nothing is posted any more */
	struct dv_dma_counters count;
	uint64_t max_wr;

	/* Created by dv_dma_create(). */
	struct ibv_cq *ibcq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	void *buffer;
	uint8_t port;
};

#endif
