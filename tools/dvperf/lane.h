/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A lane: one QP with its CQs and its memory, and what is under way on it.
 *
 *	src   what is sent, or where a READ lands      slots of stride bytes, one per WQE of a batch
 *	land  where the peer writes, reads, sends      likewise
 *
 * Three APIs post on it, each with functions of its own (struct poster); nothing else in dvperf
 * differs between them. A lane belongs to one thread, unless its lock is set; the register behind it
 * may belong to several, then ring_lock is.
 */
#ifndef DVPERF_LANE_H
#define DVPERF_LANE_H

#include <pthread.h>

#include <dv/map.h>

#include "device.h"
#include "options.h"

enum {
	GRH = 40,      /* bytes in front of every UD message that is received */
	LANE_WCS = 16, /* of one ibv_poll_cq() */
	LANE_QKEY = 0x11111111,
};

/* How direct rings. */
enum ring { RING_DB, RING_BF, RING_AUTO, RING_PRE, RING_NONE };

/* Signalled WQEs whose CQE is to come: each covers those before it. */
struct pending {
	uint64_t since; /* ticks: when it was, or should have been, begun */
	uint32_t ops;
};

struct lane {
	struct dv_sq sq; /* of direct only, as are the next two and rq */
	struct dv_cq cq, recv_dcq;
	const struct poster *poster;

	/* one operation, the same for all: read at run time, none known to the compiler */
	struct dv_raddr to;
	struct ibv_sge sge;
	uint64_t stride;
	bool is_inline;
	enum op op;
	enum atomic atomic;
	enum ring ring;
	struct mlx5_wqe_av av;
	struct ibv_ah *ah;
	uint32_t remote_qpn;
	struct ibv_send_wr *wr; /* as many as a batch has */
	struct ibv_sge *wr_sge;

	struct pending *pending;
	uint32_t head, tail, pending_mask;
	uint32_t outstanding, unsignalled;
	uint64_t left;	/* operations still to post */
	uint64_t begun; /* batches of a paced run */

	struct dv_rq rq;
	struct ibv_qp *qp;
	struct ibv_qp_ex *qpx;
	struct ibv_cq *send_cq, *recv_cq;
	struct ibv_mr *mr;
	char *src, *land;
	size_t bytes;	   /* of src and land together */
	uint32_t nbb;	   /* blocks of a WQE */
	uint32_t recv_len; /* bytes of a receive; 0: it receives nothing */
	pthread_spinlock_t *lock, *ring_lock;
	const char *reg;       /* the doorbell register, if known */
	struct ibv_qp **other; /* QPs that keep other registers busy (--uar=shared) */
	unsigned int others;
	const struct options *o;
};

/* Where a lane is found. */
struct address {
	union ibv_gid gid;
	uint64_t raddr;
	uint32_t rkey, qpn, psn;
	uint16_t lid;
	uint8_t mtu;
};

/*
 * Posts @n WQEs and rings once; that with number @sig is signalled, and every @every-th after it.
 * Returns how many were posted: fewer where the ring was full; those were rung.
 * poll: takes up to @most CQEs, frees what they complete; how many. It ends the program when one
 * tells of an error. _marked: the same between the marks of step.h.
 */
struct poster {
	unsigned int (*post)(struct lane *l, unsigned int n, unsigned int sig,
			     unsigned int every);
	unsigned int (*post_marked)(struct lane *l, unsigned int n, unsigned int sig,
				    unsigned int every);
	unsigned int (*poll)(struct lane *l, unsigned int most);
	unsigned int (*poll_marked)(struct lane *l, unsigned int most);
};

const struct poster *poster_direct(const struct lane *l);
const struct poster *poster_verbs(void);
const struct poster *poster_wr(const struct lane *l);

/* Opens a lane whose QP is of @pd; @receives: the peer sends to it; @reg: on this doorbell register,
 * if the device gives it (NULL: any). */
void lane_open(struct lane *l, const struct device *dev, struct ibv_pd *pd,
	       const struct options *o, bool receives, const char *reg);
void lane_close(struct lane *l);

/* A lane whose rings stand in memory, with no device: for post. */
void lane_open_memory(struct lane *l, const struct options *o);

/* The QP of a lane that has its CQs; @reg as in lane_open(). */
void lane_create_qp(struct lane *l, const struct device *dev, struct ibv_pd *pd,
		    const char *reg);

struct address lane_address(const struct lane *l, const struct device *dev);
void lane_connect(struct lane *l, const struct device *dev, const struct address *peer);

/* Receives: fills the queue; takes the CQEs that are there and posts as many anew; how many. */
void lane_fill_recvs(struct lane *l);
unsigned int lane_take_recvs(struct lane *l);

/* WQE blocks that were committed so far, NOPs at the edge of the ring too (direct, 16 bits). */
static inline uint16_t lane_blocks(const struct lane *l)
{
	return l->sq.pi;
}

_Noreturn void lane_failed(const struct lane *l, unsigned int status, const char *why);

#endif
