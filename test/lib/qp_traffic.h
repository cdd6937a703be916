/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traffic of the tests: they post, and state the expected result. r.a asks, r.b answers.
 *
 *	op_ends_in(IBV_WR_RDMA_WRITE, src_sge(0, 100), LEN - 99, r.dst_mr->rkey,
 *		   IBV_WC_REM_ACCESS_ERR);
 */
#ifndef TEST_LIB_QP_TRAFFIC_H
#define TEST_LIB_QP_TRAFFIC_H

#include "lib/qp_pair.h"

/* SGEs into r.src and r.dst, @off from the start of their MRs. */
struct ibv_sge src_sge(int off, uint32_t len);
struct ibv_sge dst_sge(int off, uint32_t len);

/* A signaled WR: @op from or to @sge at @raddr, @rkey (atomics add 1 or put 1 for 0). */
struct ibv_send_wr wr(enum ibv_wr_opcode op, struct ibv_sge *sge, uint64_t raddr,
		      uint32_t rkey);
/* Posts @w as the next wr_id; posts are 0 or errno. */
int post(struct end *e, struct ibv_send_wr *w);
int post_recv(struct end *e, struct ibv_sge sge);
/* The usual ones, from r.a, at @off of r.dst: they must be accepted. */
void do_op(enum ibv_wr_opcode op, struct ibv_sge sge, int off, uint32_t rkey);
/* The way to the own port, for UD; and a datagram of @sge that goes it. */
struct ibv_ah *own_address(void);
void send_datagram(struct end *from, const struct end *to, struct ibv_sge sge);

/* The next completion of @e, within 10 s; the second: it has @status. */
struct ibv_wc completion(struct end *e);
struct ibv_wc ends_in(struct end *e, enum ibv_wc_status status);
/* do_op(), or a post of @w to r.a; it ends in @status there. */
struct ibv_wc op_ends_in(enum ibv_wr_opcode op, struct ibv_sge sge, int off, uint32_t rkey,
			 enum ibv_wc_status status);
struct ibv_wc wr_ends_in(struct ibv_send_wr *w, enum ibv_wc_status status);
/* No completion of @e for @ms milliseconds. */
void stays_quiet(struct end *e, int ms);
/* The next asynchronous event, within 5 s, is @type. */
void event_comes(enum ibv_event_type type);

/* From here on @e sends and polls by dv. */
void map_by_dv(struct end *e);
/* The next CQE of a mapped end, within 10 s. */
struct mlx5_cqe64 next_cqe(struct end *e);

#endif
