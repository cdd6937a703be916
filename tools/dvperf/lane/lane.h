/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A lane: one QP with its CQs and its memory, and what is outstanding on it.
 *
 *	op       what a WQE is                    queue    what is outstanding
 *	mem      buffers: of this side's WQEs,    cqs      the CQs, each with the way to poll it
 *	         and for the peer's               doorbell the register, and how it is rung
 *
 * Four APIs post on it, each with its own functions (struct poster); nothing else in dvperf
 * differs between them. A lane belongs to one thread, unless its lock is set; its register may
 * belong to several, then the lock of doorbell is set.
 */
#ifndef DVPERF_LANE_H
#define DVPERF_LANE_H

#include <pthread.h>

#include <dv/av.h>
#include <dv/endpoint.h>
#include <dv/map.h>
#include <dv/post.h>

#include "options/options.h"
#include "machine/machine.h"
#include "cq.h"
#include "walk.h"

enum {
	GRH = 40, /* bytes before every received UD message */
	LANE_QKEY = 0x11111111,
	LANE_DC_KEY = 0x22222222,
	LANE_IMM = 0x33333333,
};

/* How direct rings; from RING_LAST on by ring.h. */
enum ring { RING_DB, RING_BF, RING_LAST, RING_ZMM, RING_MOVDIR64B, RING_PRE, RING_NONE };

/* The kind of a WQE, and its address: not needed (the QP is connected), a UD QP, an XRC SRQ, a
 * DC target. */
enum wqe_kind {
	WQE_WRITE,
	WQE_WRITE_INLINE,
	WQE_WRITE_IMM,
	WQE_WRITE_IMM_INLINE,
	WQE_READ,
	WQE_SEND,
	WQE_SEND_INLINE,
	WQE_FETCH_ADD,
	WQE_CMP_SWAP,
	WQE_NOP,
	WQE_MMO,
	WQE_MMO_CHUNKS, /* several WQEs */
	WQE_MMO_READ,	/* from what remote names, not to it */
	WQE_MMO_READ_CHUNKS,
	WQE_KINDS
};
enum wqe_to { TO_CONNECTED, TO_UD, TO_XRC, TO_DC, WQE_TOS };

/* Signaled WQEs whose CQE has not arrived: each covers those before it. */
struct pending {
	uint64_t since; /* ticks: when it was, or should have been, begun */
	uint32_t ops;
	uint16_t at; /* a block between the previous signaled WQE and this one (direct) */
};

struct lane;
struct lane_devx;
struct lane_alias;

/*
 * Posts @n WQEs and rings once; that with number @sig is signaled, and every @every-th after
 * it. Returns how many were posted: fewer where the ring was full; those were rung. poll: takes
 * up to @most CQEs, frees what they complete; how many. It ends the program when one reports an
 * error. _marked: the same between the marks of step.h.
 */
struct poster {
	unsigned int (*post)(struct lane *l, unsigned int n, unsigned int sig,
			     unsigned int every);
	unsigned int (*post_marked)(struct lane *l, unsigned int n, unsigned int sig,
				    unsigned int every);
	unsigned int (*poll)(struct lane *l, unsigned int most);
	unsigned int (*poll_marked)(struct lane *l, unsigned int most);
};

/* One operation, the same for all WQEs: read at run time, not known to the compiler. */
struct lane_op {
	enum op kind;
	enum atomic atomic;
	bool is_inline;
	uint32_t blocks;	/* of all its WQEs */
	uint32_t wqes;		/* 1; of mmo: one for each chunk */
	uint32_t chunk;		/* of mmo: bytes that a WQE copies, at most */
	struct dv_laddr opaque; /* of mmo by direct: a buffer that the device writes */
	struct dv_raddr remote; /* of the first WQE of a batch; of mmo: the destination */
	struct ibv_sge sge;	/* of the first WQE of a batch */
	uint64_t stride;	/* from one WQE of a batch to the next */
	struct walk walk;	/* through the peer's memory; mask 0: none */
	struct mlx5_wqe_av av;
	struct dv_dest destination; /* of direct: XRC, DC */
	struct ibv_ah *ah;
	uint32_t remote_qpn;	 /* UD QP or DC target */
	uint32_t remote_srqn;	 /* XRC */
	struct ibv_send_wr *wrs; /* of verbs: a list as long as a batch */
	struct ibv_sge *sges;
};

/* Outstanding WQEs of the send queue. */
struct lane_queue {
	struct pending *pending; /* a ring */
	uint32_t head, tail, mask;
	uint32_t outstanding, unsignaled;
	uint64_t left;	/* operations still to post */
	uint64_t begun; /* operations of a paced run */
};

/* Buffers as the CPU reaches them; NULL: not needed. */
struct lane_memory {
	struct memory *memory, own; /* of all lanes, or own: --mr=qp */
	struct ibv_mr *mr;
	char *send, *recv;
	uint64_t recv_addr; /* the address of recv for the peer and in receives */
	uint32_t recv_len;  /* bytes of a receive; 0: it receives nothing */
	char *host_send;    /* send, where it is not a part of memory */
	char *host_rings;   /* of a lane without a device */
	size_t host_rings_bytes;
};

/* The CQs of both queues, by each way to poll them. */
struct lane_cqs {
	struct dv_cq send_ring, recv_ring; /* of direct */
	struct ibv_cq *send_ibcq, *recv_ibcq;
	struct lane_cq *send, *recv; /* those, and what they share with other lanes */
	struct arrivals sent, received;
};

/* How direct rings. */
struct lane_doorbell {
	enum ring kind;
	void (*ring)(struct lane *l); /* NULL: the loop itself does, RING_DB or RING_BF */
	pthread_spinlock_t *lock;     /* NULL: the register belongs to one thread */
	const char *reg;	      /* the register, if known */
};

/* The objects of libibverbs and libmlx5. */
struct lane_verbs {
	struct ibv_qp *qp;
	struct ibv_qp_ex *qpx;
	struct mlx5dv_qp_ex *dv_qpx; /* DC, mmo */
	/* XRC, DC: where the peer's operations arrive */
	struct ibv_qp *target;
	struct ibv_srq *srq;
	struct ibv_qp **spare_qps; /* they keep other registers busy (--uar=shared) */
	unsigned int n_spare_qps;
};

struct lane {
	struct dv_sq sq; /* of direct only, as are rq and srq */
	struct dv_rq rq;
	struct dv_srq srq;
	const struct poster *poster;
	struct lane_op op;
	struct lane_queue queue;
	struct lane_cqs cqs;
	struct lane_doorbell doorbell;
	struct lane_memory mem;
	struct lane_verbs verbs;
	struct lane_devx *devx;	  /* --collapsed: in place of verbs.qp and the CQs */
	struct lane_alias *alias; /* --remote-vhca, of the client */
	struct poster own_poster; /* poster, if its CQ is shared, compressed or collapsed */
	pthread_spinlock_t *lock; /* of a lane that several threads post on; NULL */
	const struct options *o;
};

/* The address of a lane, as it is sent to its peer: records of dv/endpoint.h and devx/vhca.h,
 * and its memory, in network order. */
struct address {
	uint8_t endpoint[DV_ENDPOINT_BYTES]; /* where the peer's operations arrive */
	uint8_t sender[DV_ENDPOINT_BYTES];   /* XRC, DC: of the QP that posts; else the same */
	__be64 raddr;
	__be32 rkey, srqn;		     /* srqn: XRC */
	uint8_t exported[DEVX_EXPORT_BYTES]; /* --remote-vhca, of the server; else 0 */
};

/* Kind of all WQEs of @l. */
enum wqe_kind lane_wqe_kind(const struct lane *l);
enum wqe_to lane_wqe_to(const struct options *o);

const struct poster *poster_direct(const struct lane *l);
const struct poster *poster_verbs(const struct lane *l);
const struct poster *poster_wr(const struct lane *l);
const struct poster *poster_many(const struct lane *l);

/* Purposes of a lane: it posts; the peer's WQEs name its memory; the peer sends to it. */
enum { LANE_POSTS = 1, LANE_IS_REACHED = 2, LANE_RECEIVES = 4 };

/* Where a lane is opened. */
struct lane_place {
	struct ibv_pd *pd;     /* of its QP */
	unsigned int role;     /* LANE_POSTS | … */
	struct memory *memory; /* of several lanes; NULL: its own */
	const char *reg;       /* its doorbell register, if the device gives it; NULL: any */
	/* CQs of several lanes, which the first one makes; NULL: its own */
	struct lane_cq **send, **recv;
	unsigned int sharing;		  /* lanes of them */
	bool many;			  /* threads of them */
	struct ibv_comp_channel *channel; /* -e */
};

void lane_open(struct lane *l, const struct device *dev, const struct options *o,
	       const struct lane_place *place);
void lane_close(struct lane *l);

/* A lane whose rings are in memory, without a device: for post. */
void lane_open_memory(struct lane *l, const struct options *o);

/* The memory of a lane of @role: planned as a part of @m; taken, or registered for it alone;
 * without @dev only what it sends from. */
void lane_plan_memory(struct memory *m, unsigned int role);
void lane_take_memory(struct lane *l, const struct device *dev, const struct lane_place *place);
void lane_drop_memory(struct lane *l);

/* The last byte of the send buffer: set; of the receive buffer: cleared, and whether it is
 * @mark. */
void lane_mark(struct lane *l, uint8_t mark);
void lane_clear_mark(struct lane *l);
bool lane_has_mark(const struct lane *l, uint8_t mark);

/* The QP of a lane that has its CQs; @reg as in lane_open(). */
void lane_create_qp(struct lane *l, const struct device *dev, struct ibv_pd *pd,
		    const char *reg);

/* XRC, DC: the other half of a lane that has its CQs, where the peer's operations arrive. */
void lane_create_target(struct lane *l, const struct device *dev);
void lane_destroy_target(struct lane *l);
uint32_t lane_srqn(const struct lane *l);

uint32_t lane_qpn(const struct lane *l);
struct address lane_address(const struct lane *l, const struct device *dev);
void lane_connect(struct lane *l, const struct device *dev, const struct address *peer);

/* --remote-vhca, of the client, after lane_connect(): makes an alias of what the peer exports,
 * which is the remote address from then on; reuses the alias of @before (may be NULL) when both
 * export the same memory. Refuses what the device does. lane_drop_alias(): before the peer ends
 * its export, without copies under way. */
void lane_import(struct lane *l, const struct device *dev, const struct address *peer,
		 const struct lane *before);
void lane_drop_alias(struct lane *l);

/* Receives: fills the queue; takes the CQEs that are there and posts as many again; how
 * many. */
void lane_fill_recvs(struct lane *l);
unsigned int lane_take_recvs(struct lane *l);

/* WQE blocks that were committed so far, NOPs at the end of the ring too (direct, 16 bits). */
static inline uint16_t lane_blocks(const struct lane *l)
{
	return l->sq.pi;
}

/* Blocks that @n WQEs took, posted when @before were committed. */
static inline uint16_t lane_blocks_since(const struct lane *l, uint16_t before, unsigned int n)
{
	uint16_t blocks = (uint16_t)(lane_blocks(l) - before);

	/* libmlx5 does not show its producer index */
	return blocks ? blocks : (uint16_t)(n * l->op.blocks);
}

/* WQEs that @n operations and the NOPs among their @blocks are; a NOP is one block. */
static inline uint32_t lane_wqes(const struct lane *l, unsigned int n, uint16_t blocks)
{
	return n * l->op.wqes + (uint16_t)(blocks - n * l->op.blocks);
}

/* From now on @l rings under @lock. */
void lane_lock_register(struct lane *l, pthread_spinlock_t *lock);

/* NULL, or why this CPU cannot post so. The text is static. */
const char *lane_check(const struct options *o);

_Noreturn void lane_failed(const struct lane *l, unsigned int status, const char *why);

#endif
