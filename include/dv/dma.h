/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies by the device: DMA work requests (mmo.h) on a QP that is connected to itself. Both
 * ends are local memory, or memory of another function of the adapter by an alias
 * (devx/vhca.h). No packet is sent.
 *
 *	struct dv_dma_attr attr = { .pd = pd };
 *	struct dv_dma *dma;
 *
 *	err = dv_dma_create(&dma, &attr);
 *	err = dv_dma_copy(dma, id, dst, src, len, 0);    accepted, or EAGAIN: poll first
 *	dv_dma_doorbell(dma);                            the device learns of it
 *	while (!dv_dma_poll(dma, &done, 1))              done.id, done.status
 *		;
 *
 * A copy may have any length. It is split into chunks of attr.chunk bytes, the last one
 * shorter; each chunk is a work request, 64 bytes of the ring, with a completion:
 *
 *	copies, by dv_dma_copy():   | A               | B | C       | D             |
 *	chunks in the ring:         [A0][A1][A2][A3][B0][C0]            C1, D0 … wait here
 *	                             done             in flight         for space
 *
 * dv_dma_copy() accepts a copy as a whole, also one of more chunks than the ring has: what does
 * not fit waits, and dv_dma_poll() posts it when there is space, in order. Only if attr.copies
 * copies have not been reported yet, it returns EAGAIN, and nothing of the copy is accepted.
 *
 * Without a fence copies may be executed at the same time and in any order; they are reported
 * in the order in which they were accepted. dv_dma_poll() posts what waits and rings for all
 * that was posted, so a program that only polls does not wait forever; attr.batch and
 * dv_dma_doorbell() ring earlier.
 *
 * Errors. The first chunk that fails takes the QP to ERR: all chunks after it complete with
 * WR_FLUSH_ERR, and what waits is not posted. Every copy is still reported, once: the one that
 * failed with EIO, those after it with ECANCELED; copied says how many bytes from its beginning
 * are certainly at their place, of the others nothing is known. From the first error on
 * dv_dma_copy() returns EIO, until dv_dma_recover() takes the QP through RESET to RTS again.
 *
 * Status. The device writes 64 bytes for each work request (mmo.h). For copies the CQE has all
 * that matters, so they are not read, and the queue has one such buffer for all of its work
 * requests, as libmlx5 has one per PD and UCX one per interface.
 *
 * No libibverbs between create and destroy, except in dv_dma_recover(). One queue, one thread:
 * locks are the caller's. The memory of a copy must stay registered until the copy is reported.
 *
 * All return 0 or a positive errno value, unless they say otherwise; dv_reason() (reason.h) has
 * the words.
 */
#ifndef DV_DMA_H
#define DV_DMA_H

#include <dv/map.h>
#include <dv/mmo.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct dv_dma;

struct dv_dma_attr {
	struct ibv_pd *pd; /* of a DevX context; the PD of all keys, aliases too */
	uint32_t chunk;	   /* bytes; 0: 1 MiB. At most what the device can, and 2 GiB */
	uint32_t depth;	   /* chunks in flight at a time; 0: 64 */
	uint32_t copies;   /* that are accepted and not reported; 0: as many as depth */
	uint32_t
		batch; /* rings after so many chunks; 0: dv_dma_doorbell() and dv_dma_poll() only */
	uint8_t port;	      /* 0: port 1 */
	uint8_t reserved[31]; /* 0 */
};

enum {
	DV_DMA_FENCE = 1 << 0, /* starts when all copies before it are complete */
};

/* A copy that is finished. */
struct dv_dma_done {
	uint64_t id;
	uint64_t len;	 /* of the copy */
	uint64_t copied; /* bytes, from the first one on, that are certainly copied */
	uint64_t
		fail_offset; /* of the first chunk that failed or was not executed: equals copied */
	uint64_t fail_len;  /* bytes of that chunk; 0: none */
	uint32_t chunks;    /* of the copy */
	uint32_t chunks_ok; /* completed without an error */
	uint32_t
		chunks_error; /* completed in error, flushed ones included; the others were not posted */
	int status;	      /* 0; EIO: a chunk failed; ECANCELED: flushed, or not posted */
	uint8_t syndrome; /* of the first chunk in error: dv_syndrome_str(); 0: none */
	uint8_t vendor_syndrome;
	uint16_t hw_syndrome;
};

/* Counters of the queue since its creation. */
struct dv_dma_counters {
	uint64_t copies;	      /* accepted */
	uint64_t reported;	      /* by dv_dma_poll() */
	uint64_t chunks;	      /* posted */
	uint64_t ok, failed, flushed; /* chunks that completed, by kind of completion */
	uint64_t bytes;		      /* of chunks that completed without an error */
	uint64_t doorbells;
};

/* The limits in use, as the device allowed. */
struct dv_dma_limits {
	uint64_t max_wr; /* the longest work request of the device */
	uint32_t chunk, depth, copies;
};

/*
 * Creates CQ, QP and status buffer, and connects the QP to itself. EOPNOTSUPP: not an mlx5
 * device, no DMA by work requests (mlx5dv_context.max_wr_memcpy_length 0), or a context without
 * DevX. ENETDOWN: the port is not active, so no QP can be connected; ENOENT: it has no GID.
 * EINVAL: chunk or depth beyond what a work request or a ring can have. Others as
 * ibv_create_cq(), mlx5dv_create_qp(), ibv_modify_qp().
 */
int dv_dma_create(struct dv_dma **dma, const struct dv_dma_attr *attr);

/* A queue that the caller created, say by devx_qp_create() with mmo: empty, in RTS, and used by
 * this only. */
struct dv_dma_queue {
	struct dv_sq *sq;
	struct dv_cq *cq;	/* for this queue only */
	struct dv_laddr opaque; /* 64 bytes at a multiple of 64, writable */
	uint64_t max_wr;	/* the longest work request */
};

/* Like dv_dma_create(), on a queue of the caller, who destroys it after dv_dma_destroy().
 * attr->pd and port are not used. */
int dv_dma_create_on(struct dv_dma **dma, const struct dv_dma_queue *queue,
		     const struct dv_dma_attr *attr);

/* Destroys the queue, NULL: nothing. Copies that were not reported are forgotten: the device
 * writes no more when this has returned (of dv_dma_create_on(): when the caller has destroyed
 * the QP), and what they have written by then is not known. Others as ibv_destroy_qp(),
 * ibv_destroy_cq() and ibv_dereg_mr(): call it again. */
int dv_dma_destroy(struct dv_dma *dma);

/* Accepts a copy of @len bytes. EAGAIN: attr.copies are outstanding, nothing was accepted:
 * poll. EIO: after an error, nothing was accepted: dv_dma_recover(). EINVAL: no bytes, a range
 * beyond 2^64, flags that are not DV_DMA_*. */
int dv_dma_copy(struct dv_dma *dma, uint64_t id, struct dv_laddr dst, struct dv_laddr src,
		uint64_t len, unsigned int flags);

/* Rings for all chunks that are posted. */
void dv_dma_doorbell(struct dv_dma *dma);

/* Takes completions, posts what waits, rings; writes up to @n copies that are finished, in
 * order, and returns how many. */
unsigned int dv_dma_poll(struct dv_dma *dma, struct dv_dma_done *done, unsigned int n);

/* Copies that were accepted and not reported yet. */
unsigned int dv_dma_outstanding(const struct dv_dma *dma);

/*
 * Takes the QP through RESET to RTS, after an error or in the middle of copies. Copies that are
 * outstanding are reported by the next polls: 0 if they were complete, else EIO or ECANCELED.
 * No chunk of theirs writes any more. Works also as a way to give up copies that do not end.
 * Others as ibv_modify_qp() and dv_qp_connect(): call it again. EOPNOTSUPP: of
 * dv_dma_create_on(): dv_dma_restart().
 */
int dv_dma_recover(struct dv_dma *dma);

/* The same for a queue of the caller, who has taken its QP to RESET, and takes it to RTS
 * afterwards. */
void dv_dma_restart(struct dv_dma *dma);

void dv_dma_query_counters(const struct dv_dma *dma, struct dv_dma_counters *counters);
void dv_dma_query_limits(const struct dv_dma *dma, struct dv_dma_limits *limits);

/* The queues, for printers and checks (print.h, check.h). */
const struct dv_sq *dv_dma_sq(const struct dv_dma *dma);
const struct dv_cq *dv_dma_cq(const struct dv_dma *dma);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
