/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared receive queues taken over by dv: two QPs take their buffers from one list; data inside
 * the CQE finds its buffer; a list that verbs had begun goes on. */
#include "fixture.h"
#include "lib/connect.h"

TestSuite(srq, .init = fixture_start, .fini = fixture_stop);

enum {
	SLOTS = 15,
	PIECE = 256,
};

static struct ibv_srq *ibsrq;
static struct dv_srq srq;
static struct ibv_cq *ibcq;
static struct dv_cq cq;
static struct ibv_qp *receivers[2];
static struct end senders[2];

static struct ibv_qp *qp_on_srq(void)
{
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC,
					 .send_cq = ibcq,
					 .recv_cq = ibcq,
					 .srq = ibsrq,
					 .cap = { .max_send_wr = 1, .max_send_sge = 1 } };
	struct ibv_qp *qp = ibv_create_qp(f.pd, &attr);

	cr_assert_not_null(qp);
	return qp;
}

static void sender(struct end *e, struct ibv_qp *peer)
{
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC,
					 .cap = { .max_send_wr = 16,
						  .max_recv_wr = 1,
						  .max_send_sge = 1,
						  .max_recv_sge = 1 } };

	e->ibcq = ibv_create_cq(f.ctx, 63, NULL, NULL, 0);
	attr.send_cq = attr.recv_cq = e->ibcq;
	e->qp = ibv_create_qp(f.pd, &attr);
	cr_assert_not_null(e->qp);
	fixture_qp_to_rts(e->qp, peer->qp_num);
	fixture_qp_to_rts(peer, e->qp->qp_num);
	cr_assert_eq(dv_sq_map(&e->sq, e->qp), 0);
	cr_assert_eq(dv_cq_map(&e->cq, e->ibcq), 0);
}

static void start(void)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = SLOTS, .max_sge = 2 } };

	ibsrq = ibv_create_srq(f.pd, &attr);
	cr_assert_not_null(ibsrq);
	ibcq = ibv_create_cq(f.ctx, 63, NULL, NULL, 0);
	for (int i = 0; i < 2; i++) {
		receivers[i] = qp_on_srq();
		sender(&senders[i], receivers[i]);
	}
}

static void stop(void)
{
	for (int i = 0; i < 2; i++) {
		fixture_destroy(&senders[i]);
		cr_assert_eq(ibv_destroy_qp(receivers[i]), 0);
	}
	cr_assert_eq(ibv_destroy_srq(ibsrq), 0);
	cr_assert_eq(ibv_destroy_cq(ibcq), 0);
}

static void post(void)
{
	struct ibv_sge to = dst_sge(dv_srq_next(&srq) * PIECE, PIECE);

	cr_assert_eq(dv_srq_post(&srq, &to, 1), 0);
	dv_srq_doorbell(&srq);
}

static void send_one(int from, uint32_t at, uint32_t len)
{
	struct ibv_sge sge = src_sge(at, len);

	cr_assert_eq(dv_sq_send(&senders[from].sq, SIGNALLED, &sge, 1), 0);
	dv_sq_doorbell(&senders[from].sq);
	success(&senders[from], MLX5_CQE_REQ);
}

/* The next CQE: a message of @len bytes from src + @at, for receiver @of. */
static void received(int of, uint32_t at, uint32_t len)
{
	const struct mlx5_cqe64 *cqe;

	while (!(cqe = dv_cq_poll(&cq)))
		;
	cr_assert_eq(dv_cqe_opcode(cqe), MLX5_CQE_RESP_SEND, "syndrome 0x%x",
		     dv_cqe_syndrome(cqe));
	cr_assert_eq(dv_cqe_qpn(cqe), receivers[of]->qp_num);
	cr_assert_eq(dv_cqe_byte_cnt(cqe), len);
	cr_assert_eq(dv_srq_retire(&srq, cqe), 0);
	cr_assert_arr_eq(f.dst + dv_cqe_wqe_counter(cqe) * PIECE, f.src + at, len);
	dv_cq_release(&cq);
}

Test(srq, two_qps_share_its_buffers)
{
	start();
	cr_assert_eq(dv_srq_map(&srq, ibsrq), 0);
	cr_assert_eq(dv_cq_map(&cq, ibcq), 0);
	cr_assert_neq(srq.srqn, 0);
	for (int i = 0; i < SLOTS; i++)
		post();
	for (uint32_t i = 0; i < 200; i++) {
		send_one(i % 3 == 0, i * 8, 1 + i);
		received(i % 3 == 0, i * 8, 1 + i);
		post();
	}
	stop();
}

/* Three were posted and one was received by verbs. */
Test(srq, goes_on_where_verbs_stopped)
{
	struct ibv_sge to;
	struct ibv_recv_wr wr = { .sg_list = &to, .num_sge = 1 }, *bad;
	struct ibv_wc wc;
	int n;

	start();
	for (uint32_t i = 0; i < 3; i++) {
		to = dst_sge(i * PIECE, PIECE);
		cr_assert_eq(ibv_post_srq_recv(ibsrq, &wr, &bad), 0);
	}
	send_one(0, 0, 100);
	while (!(n = ibv_poll_cq(ibcq, 1, &wc)))
		;
	cr_assert_eq(n, 1);
	cr_assert_eq(wc.status, IBV_WC_SUCCESS);
	cr_assert_eq(dv_srq_map(&srq, ibsrq), 0);
	cr_assert_eq(dv_cq_map(&cq, ibcq), 0);
	cr_assert_eq(cq.ci, 1);
	cr_assert_eq(srq.pi, 3);
	for (uint32_t i = 0; i < 100; i++) {
		send_one(1, i, 33 + i);
		received(1, i, 33 + i);
		post();
	}
	stop();
}
