/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The queues that are compared: one QP of each kind, on a device that does not move, and beside
 * it a dv_sq on plain memory that is kept at the same index.
 *
 *	libmlx5    ring, record, register of the QP, as mlx5dv shows them
 *	dv         ring, record, register of the same sizes in plain memory
 *
 * Kinds that the device does not make are left out: queue_open() says why.
 */
#ifndef TEST_ORACLE_WQE_QUEUE_H
#define TEST_ORACLE_WQE_QUEUE_H

#include <dv/map.h>
#include <dv/av.h>
#include <dv/batch.h>
#include <dv/post.h>
#include <dv/post_umr.h>

#include "common.h"

enum {
	QUEUE_WRS = 64,
	QUEUE_SGES = 30,
	QUEUE_INLINE = 508,
	QUEUE_MKEYS = 4,
	QUEUE_TSO_HDR = 128,
	QUEUE_REG = 2 * 256,
	QUEUE_SCRATCH = 128, /* blocks */
};

enum kind { KIND_RC, KIND_UC, KIND_UD, KIND_XRC, KIND_DCI, KIND_ETH, KINDS };

extern const char *const kind_name[KINDS];

/* An indirect key. */
struct oracle_mkey {
	struct mlx5dv_mkey *mkey; /* NULL: the device does not make it */
	bool signs, takes_tags, encrypts;
	struct dv_psv psv;
	const char *why; /* not */
};

/* State that libmlx5 keeps from one request to the next, and does not export. */
struct past {
	bool small_fence;	   /* goes on the next WQE of the queue */
	bool sig_set[QUEUE_MKEYS]; /* the key has a signature */
};

struct queue {
	enum kind kind;
	const char *why; /* NULL, or why there is none */
	struct ibv_qp *qp;
	struct ibv_qp_ex *qpx;
	struct mlx5dv_qp_ex *dvx;
	struct ibv_cq *cq;
	struct mlx5dv_qp their;
	struct dv_sq sq;      /* ours */
	struct dv_sq scratch; /* a third ring, to see how long a batch is */
	__be32 dbrec[2], scratch_dbrec[2];
	uint8_t reg[QUEUE_REG] __attribute__((aligned(64)));
	uint8_t scratch_ring[QUEUE_SCRATCH * DV_WQE_BB] __attribute__((aligned(64)));
	struct past past;
	bool tso, csum;
	uint32_t memcpy; /* bytes of one, at most; 0: there is none */
	uint32_t max_tso;
	uint16_t retired; /* pi up to which the device says it is done */
	unsigned int wrs; /* posted since */
};

struct oracle {
	struct device dev;
	struct ibv_mr *mr;
	char *mem;
	struct ibv_ah *ah;
	struct mlx5_wqe_av av;
	struct ibv_mw *mw[2];	/* of type 1 and 2 */
	struct dv_laddr opaque; /* libmlx5's, of its memcpy */
	struct oracle_mkey mkey[QUEUE_MKEYS];
	struct mlx5dv_dek *dek;
	struct queue q[KINDS];
	uint16_t
		inline_hdr; /* bytes that libmlx5 takes from each packet into the Ethernet segment */
};

enum {
	ORACLE_BYTES = 65536,
};

/* Opens the device, all queues and keys, and pauses the device. Exit status 77: no emulator. */
void oracle_open(struct oracle *o, bool no_inline_headers);

/* Completes all that was posted on @q: its ring is empty. */
void queue_retire(struct oracle *o, struct queue *q);

static inline uint8_t *queue_their_block(const struct queue *q, uint16_t idx)
{
	return (uint8_t *)q->their.sq.buf + (size_t)(idx & q->sq.mask) * DV_WQE_BB;
}

#endif
