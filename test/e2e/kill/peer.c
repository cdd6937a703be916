/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One end of a connection: plain verbs. It streams WRITE, SEND and READ to the other end, each
 * signaled, DEPTH of them under way, until a completion is an error; then it counts how the
 * rest comes back.
 *
 * A newcomer connects in the same way, to the same QP number and PSN as the one whose slot it
 * has, but posts nothing and only looks whether anything reaches it.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include "kill.h"
#include "lib/clock.h"
#include "lib/connect.h"

#define DEPTH	  16
#define SLOT	  4096
#define BUF	  (2 * DEPTH * SLOT)
#define SGID	  3 /* RoCE v2, IPv4-mapped */
#define UNTOUCHED 0x5a
#define PATIENCE  30000000000ull

struct end {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	uint8_t *buf;
	struct card other;
	unsigned int sent,
		pending; /* pending: work requests without a completion, receives too */
};

static void need(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "peer: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void open_end(struct end *e)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC,
					 .sq_sig_all = 1,
					 .cap = { .max_send_wr = DEPTH,
						  .max_recv_wr = DEPTH,
						  .max_send_sge = 1,
						  .max_recv_sge = 1 } };

	need(list && *list, "no device");
	e->ctx = ibv_open_device(*list);
	need(e->ctx, "ibv_open_device");
	ibv_free_device_list(list);
	e->pd = ibv_alloc_pd(e->ctx);
	need(!posix_memalign((void **)&e->buf, SLOT, BUF), "memory");
	memset(e->buf, UNTOUCHED, BUF);
	e->mr = ibv_reg_mr(e->pd, e->buf, BUF,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_REMOTE_WRITE);
	e->cq = ibv_create_cq(e->ctx, 4 * DEPTH, NULL, NULL, 0);
	need(e->mr && e->cq, "objects");
	attr.send_cq = attr.recv_cq = e->cq;
	e->qp = ibv_create_qp(e->pd, &attr);
	need(e->qp, "ibv_create_qp");
}

static void post_recv(struct end *e)
{
	struct ibv_sge sge = { (uintptr_t)e->buf + BUF / 2, SLOT, e->mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	need(!ibv_post_recv(e->qp, &wr, &bad), "ibv_post_recv");
	e->pending++;
}

static void connect_end(struct end *e, unsigned int timeout)
{
	struct ibv_qp_attr a = { .path_mtu = IBV_MTU_1024,
				 .dest_qp_num = e->other.qpn,
				 .rq_psn = KILL_PSN,
				 .sq_psn = KILL_PSN,
				 .max_dest_rd_atomic = 4,
				 .max_rd_atomic = 4,
				 .min_rnr_timer = 1,
				 .timeout = timeout,
				 .retry_cnt = KILL_RETRY,
				 .rnr_retry = 7,
				 .qp_access_flags =
					 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE };
	union ibv_gid gid;

	memcpy(gid.raw, e->other.gid, 16);
	a.ah_attr = path_to(gid, SGID);
	need(!move_qp(e->qp, &a, IBV_QPS_INIT), "INIT");
	for (int i = 0; i < DEPTH; i++)
		post_recv(e);
	need(!move_qp(e->qp, &a, IBV_QPS_RTR), "RTR");
	need(!move_qp(e->qp, &a, IBV_QPS_RTS), "RTS");
}

static void exchange(struct end *e)
{
	struct card me = { .pid = getpid(),
			   .qpn = e->qp->qp_num,
			   .rkey = e->mr->rkey,
			   .addr = (uintptr_t)e->buf };
	union ibv_gid gid;

	need(!ibv_query_gid(e->ctx, 1, SGID, &gid), "ibv_query_gid");
	memcpy(me.gid, gid.raw, 16);
	need(write(STDOUT_FILENO, &me, sizeof(me)) == sizeof(me), "stdout");
	need(read(STDIN_FILENO, &e->other, sizeof(e->other)) == sizeof(e->other), "stdin");
}

static void post_send(struct end *e)
{
	static const enum ibv_wr_opcode operations[] = { IBV_WR_RDMA_WRITE, IBV_WR_SEND,
							 IBV_WR_RDMA_READ };
	struct ibv_sge sge = { (uintptr_t)e->buf + e->sent % DEPTH * SLOT, SLOT, e->mr->lkey };
	struct ibv_send_wr wr = { .wr_id = 1,
				  .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = operations[e->sent % 3],
				  .wr.rdma = { e->other.addr + BUF / 2, e->other.rkey } },
			   *bad;

	need(!ibv_post_send(e->qp, &wr, &bad), "ibv_post_send");
	e->sent++;
	e->pending++;
}

static void take(struct end *e, const struct ibv_wc *wc, struct report *r)
{
	e->pending--;
	if (wc->status == IBV_WC_SUCCESS && !r->first) {
		r->done++;
		if (wc->wr_id)
			post_send(e);
		else
			post_recv(e);
	} else if (!r->first) {
		r->first = wc->status;
		r->ns = now_ns();
	} else if (wc->status == IBV_WC_WR_FLUSH_ERR) {
		r->flushed++;
	} else {
		r->other++;
	}
}

/* Until all has come back, which an error starts. */
static void stream(struct end *e, struct report *r)
{
	uint64_t end = now_ns() + PATIENCE;
	struct ibv_wc wc;

	for (int i = 0; i < DEPTH; i++)
		post_send(e);
	while (e->pending && now_ns() < end)
		if (ibv_poll_cq(e->cq, 1, &wc) > 0)
			take(e, &wc, r);
	r->other += e->pending; /* requests without an answer */
}

static void listen_only(struct end *e, struct report *r)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	struct ibv_wc wc;

	while (!poll(&in, 1, 1))
		if (ibv_poll_cq(e->cq, 1, &wc) > 0)
			r->first = wc.status ? (int)wc.status : -1;
	for (int i = 0; i < BUF; i++)
		r->touched |= e->buf[i] != UNTOUCHED;
}

static void close_end(struct end *e)
{
	need(!ibv_destroy_qp(e->qp) && !ibv_destroy_cq(e->cq) && !ibv_dereg_mr(e->mr) &&
		     !ibv_dealloc_pd(e->pd) && !ibv_close_device(e->ctx),
	     "closing");
	free(e->buf);
}

int peer_main(unsigned int timeout, bool newcomer)
{
	struct end e = { 0 };
	struct report r = { 0 };

	open_end(&e);
	exchange(&e);
	connect_end(&e, timeout);
	if (newcomer)
		listen_only(&e, &r);
	else
		stream(&e, &r);
	need(write(STDOUT_FILENO, &r, sizeof(r)) == sizeof(r), "stdout");
	/* Keeps its slot until the driver is done with it. */
	while (read(STDIN_FILENO, &r, sizeof(r)) > 0)
		;
	close_end(&e);
	return 0;
}
