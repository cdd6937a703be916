/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two connected RC QPs of one device, their queues mapped by dv, and memory to move: what
 * every test of this folder starts with. The device is $DVKIT_DEVICE, or the first mlx5
 * device there is (under dvkit-emu, the software one); without any, the test is skipped.
 *
 *	a: qp sq rq cq  <----- connected ----->  b: qp sq rq cq
 *	src, dst: SIZE bytes each, one MR with all rights
 *	channel: the completion channel of all CQs, non-blocking
 */
#ifndef TEST_E2E_LIBRARY_FIXTURE_H
#define TEST_E2E_LIBRARY_FIXTURE_H

#include <criterion/criterion.h>
#include <dv/map.h>
#include <dv/mini.h>
#include <dv/post.h>
#include <dv/print.h>

enum {
	SIZE = 1 << 20,
	MAX_SGE = 30,
	MAX_INLINE = 400,
	SIGNALLED = MLX5_WQE_CTRL_CQ_UPDATE,
};

struct end {
	struct ibv_qp *qp;
	struct ibv_cq *ibcq;
	struct dv_sq sq;
	struct dv_rq rq;
	struct dv_cq cq;
};

struct fixture {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_port_attr port;
	int gid_index;
	union ibv_gid gid;
	struct ibv_mr *mr;
	struct ibv_comp_channel *channel;
	uint8_t *src, *dst;
	uint32_t mtu; /* bytes */
	struct end a, b;
};

extern struct fixture f;

/* .init and .fini of the suites. */
void fixture_start(void);
void fixture_stop(void);

/* A connected pair more, on the same device and memory. */
void fixture_connect(struct end *a, struct end *b);
void fixture_destroy(struct end *e);
/* Connects two that are in RESET. */
void fixture_to_rts(struct end *a, struct end *b);
/* One of them, to the QP of number @peer. */
void fixture_qp_to_rts(struct ibv_qp *qp, uint32_t peer);

/* An SGE of @len bytes in src or dst. */
struct ibv_sge src_sge(uint32_t offset, uint32_t len);
struct ibv_sge dst_sge(uint32_t offset, uint32_t len);
struct dv_raddr dst_at(uint32_t offset);
struct dv_raddr src_at(uint32_t offset);

/* A post to a queue was accepted, @err 0; its doorbell is rung. */
void sq_posted(struct dv_sq *sq, int err);
void rq_posted(struct dv_rq *rq, int err);
/* Posts a receive of one SGE and shows it. */
void receive(struct end *e, struct ibv_sge sge);

/* Seconds that a CQE may take: 10, if the test does not set it. */
extern int patience;

/* The next CQE of @e; its slot is released and its WQE retired. */
struct mlx5_cqe64 completion(struct end *e);
/* The same, and it is a success with @opcode. */
struct mlx5_cqe64 success(struct end *e, uint8_t opcode);
/* Rings the doorbell of the SQ; the next CQE is its success. */
struct mlx5_cqe64 ring(struct end *e);

/* Whether @e has no CQE, now and 50 ms later. */
bool stays_quiet(struct end *e);

#endif
