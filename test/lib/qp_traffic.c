/* SPDX-License-Identifier: BSD-2-Clause */
#include <poll.h>
#include <time.h>
#include <unistd.h>
#include "lib/connect.h"
#include "lib/qp_traffic.h"

struct ibv_sge src_sge(int off, uint32_t len)
{
	return (struct ibv_sge){ (uintptr_t)r.src + off, len, r.src_mr->lkey };
}

struct ibv_sge dst_sge(int off, uint32_t len)
{
	return (struct ibv_sge){ (uintptr_t)r.dst + off, len, r.dst_mr->lkey };
}

struct ibv_send_wr wr(enum ibv_wr_opcode op, struct ibv_sge *sge, uint64_t raddr, uint32_t rkey)
{
	struct ibv_send_wr w = { .opcode = op,
				 .sg_list = sge,
				 .num_sge = sge ? 1 : 0,
				 .send_flags = IBV_SEND_SIGNALED };

	if (op == IBV_WR_ATOMIC_CMP_AND_SWP || op == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		w.wr.atomic.remote_addr = raddr;
		w.wr.atomic.rkey = rkey;
		w.wr.atomic.compare_add = op == IBV_WR_ATOMIC_FETCH_AND_ADD;
		w.wr.atomic.swap = 1;
	} else {
		w.wr.rdma.remote_addr = raddr;
		w.wr.rdma.rkey = rkey;
	}
	return w;
}

int post(struct end *e, struct ibv_send_wr *w)
{
	struct ibv_send_wr *bad;

	w->wr_id = ++e->posted;
	return ibv_post_send(e->qp, w, &bad);
}

int post_recv(struct end *e, struct ibv_sge sge)
{
	struct ibv_recv_wr w = { .wr_id = ++e->posted, .sg_list = &sge, .num_sge = 1 }, *bad;

	return ibv_post_recv(e->qp, &w, &bad);
}

void do_op(enum ibv_wr_opcode op, struct ibv_sge sge, int off, uint32_t rkey)
{
	struct ibv_send_wr w = wr(op, &sge, (uintptr_t)r.dst + off, rkey);

	cr_assert_eq(post(&r.a, &w), 0);
}

struct ibv_ah *own_address(void)
{
	struct ibv_ah_attr attr = path_by_port(&r.port, r.gid, r.gid_index);
	struct ibv_ah *ah = ibv_create_ah(r.pd, &attr);

	cr_assert_not_null(ah, "%s", strerror(errno));
	return ah;
}

void send_datagram(struct end *from, const struct end *to, struct ibv_sge sge)
{
	struct ibv_send_wr w = wr(IBV_WR_SEND, &sge, 0, 0);

	w.wr.ud.ah = own_address();
	w.wr.ud.remote_qpn = to->qp->qp_num;
	w.wr.ud.remote_qkey = RIG_QKEY;
	cr_assert_eq(post(from, &w), 0);
}

struct ibv_wc completion(struct end *e)
{
	time_t end = time(NULL) + 10;
	struct ibv_wc wc;
	int n;

	while (!(n = ibv_poll_cq(e->ibcq, 1, &wc)))
		if (time(NULL) > end)
			cr_assert_fail("QP 0x%x: no completion within 10 s", e->qp->qp_num);
	cr_assert_eq(n, 1);
	cr_assert_eq(wc.qp_num, e->qp->qp_num);
	return wc;
}

struct ibv_wc ends_in(struct end *e, enum ibv_wc_status status)
{
	struct ibv_wc wc = completion(e);

	cr_assert_eq(wc.status, status, "%s instead of %s", ibv_wc_status_str(wc.status),
		     ibv_wc_status_str(status));
	return wc;
}

struct ibv_wc op_ends_in(enum ibv_wr_opcode op, struct ibv_sge sge, int off, uint32_t rkey,
			 enum ibv_wc_status status)
{
	do_op(op, sge, off, rkey);
	return ends_in(&r.a, status);
}

struct ibv_wc wr_ends_in(struct ibv_send_wr *w, enum ibv_wc_status status)
{
	cr_assert_eq(post(&r.a, w), 0);
	return ends_in(&r.a, status);
}

void stays_quiet(struct end *e, int ms)
{
	struct ibv_wc wc;

	for (; ms > 0; ms--, usleep(1000))
		cr_assert_eq(ibv_poll_cq(e->ibcq, 1, &wc), 0);
}

void event_comes(enum ibv_event_type type)
{
	struct pollfd fd = { .fd = r.ctx->async_fd, .events = POLLIN };
	struct ibv_async_event event;

	cr_assert_eq(poll(&fd, 1, 10000), 1, "no %s", ibv_event_type_str(type));
	cr_assert_eq(ibv_get_async_event(r.ctx, &event), 0);
	ibv_ack_async_event(&event);
	cr_assert_eq(event.event_type, type, "%s instead of %s",
		     ibv_event_type_str(event.event_type), ibv_event_type_str(type));
}

void map_by_dv(struct end *e)
{
	cr_assert_eq(dv_sq_map(&e->sq, e->qp), 0);
	cr_assert_eq(dv_cq_map(&e->cq, e->ibcq), 0);
}

struct mlx5_cqe64 next_cqe(struct end *e)
{
	const struct mlx5_cqe64 *cqe;
	time_t end = time(NULL) + 10;
	struct mlx5_cqe64 copy;

	while (!(cqe = dv_cq_poll(&e->cq)))
		if (time(NULL) > end)
			cr_assert_fail("QP 0x%x: no completion within 10 s", e->qp->qp_num);
	copy = *cqe;
	dv_cq_release(&e->cq);
	return copy;
}
