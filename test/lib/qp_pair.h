/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two QPs by plain verbs, wired as a test says, and memory of which only a part is registered:
 *
 *	r.src  |pad|==== LEN: r.src_mr ====|pad|	local rights
 *	r.dst  |pad|==== LEN: r.dst_mr ====|pad|	all rights
 *
 * so that an address just outside of an MR is memory all the same. The device is
 * $DVKIT_DEVICE, or the first mlx5 device there is; without any, the test is skipped.
 * qp_traffic.h moves bytes between them.
 */
#ifndef TEST_LIB_QP_PAIR_H
#define TEST_LIB_QP_PAIR_H

#include <errno.h>
#include <criterion/criterion.h>
#include <dv/map.h>
#include <dv/mini.h>
#include <dv/post.h>
#include <dv/print.h>

enum {
	PAGE = 4096,
	LEN = 4 * PAGE,
	ALL_RIGHTS = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
		     IBV_ACCESS_REMOTE_ATOMIC,
};

struct end {
	struct ibv_qp *qp;
	struct ibv_cq *ibcq;
	uint64_t posted; /* wr_id counts from 1 */
	struct dv_sq sq; /* after map_by_dv() */
	struct dv_cq cq;
};

struct rig {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_port_attr port;
	uint8_t gid_index;
	union ibv_gid gid;
	uint8_t *src, *dst;
	struct ibv_mr *src_mr, *dst_mr;
	struct end a, b;
};

extern struct rig r;

/* How two QPs are created and wired. */
struct wiring {
	enum ibv_qp_type type; /* of both: RC, UC or UD */
	struct ibv_comp_channel *channel;
	struct ibv_srq *srq; /* of b */
	int access;	     /* rights of the peer at both QPs */
	uint8_t timeout, retry_cnt, rnr_retry, rd_atomic, dest_rd_atomic;
	uint32_t psn, wrong_psn; /* a sends from psn + wrong_psn */
	uint32_t dest_qpn;	 /* of a; 0: b */
	const union ibv_gid *dgid;
	struct ibv_pd *pd;		    /* of b */
	enum ibv_qp_state a_state, b_state; /* how far they are moved */
	int cqe;			    /* CQEs that a's CQ holds */
	int sq_sig_all;			    /* of both */
};

#define RIG_QKEY 0x1234567u /* of UD QPs */

/* All rights, few retries, short timeouts (timeout 10: at most 17 ms each). */
struct wiring normal(void);

/* The wiring that a test changes: normal() before each test and after unpair(). */
extern struct wiring with;

/* .init and .fini of the suites. */
void rig_start(void);
void rig_stop(void);

/* r.a and r.b by @w; wired() is pair() with normal(). */
void pair(struct wiring w);
void wired(void);
/* Destroys them, for the next pair. */
void unpair(void);
/* Moves @e to @state step by step, as the end of @w that talks to @dest; XRC QPs too. */
void bring(struct end *e, const struct wiring *w, enum ibv_qp_state state, uint32_t dest);
int to_state(struct ibv_qp *qp, enum ibv_qp_state state); /* RESET or ERR */
enum ibv_qp_state state_of(const struct end *e);

#endif
