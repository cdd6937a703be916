/* SPDX-License-Identifier: BSD-2-Clause */
/* QPs of each type that dv_qp_connect() connects, on the device: bytes are transferred, and
 * ibv_query_qp() returns the attributes. */
#include <sys/socket.h>
#include <dv/endpoint.h>
#include "fixture.h"

TestSuite(endpoints, .init = fixture_start, .fini = fixture_stop);

static struct ibv_qp *create(enum ibv_qp_type type, struct ibv_cq *cq)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = type, .cap = { 4, 4, 1, 1, 0 }
	};
	struct ibv_qp *qp = ibv_create_qp(f.pd, &init);

	cr_assert_not_null(qp);
	return qp;
}

/* A pair of @type, and a connection over a socket pair. */
struct two {
	struct ibv_cq *cq[2];
	struct ibv_qp *qp[2];
	struct dv_endpoint ep[2];
};

static void connect_two(struct two *t, enum ibv_qp_type type, const struct dv_qp_conn *conn)
{
	struct dv_endpoint theirs[2];
	int fd[2];

	for (int i = 0; i < 2; i++) {
		t->cq[i] = ibv_create_cq(f.ctx, 16, NULL, NULL, 0);
		t->qp[i] = create(type, t->cq[i]);
		cr_assert_eq(dv_endpoint_init(&t->ep[i], t->qp[i], 1, DV_GID_DEFAULT), 0);
	}
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	cr_assert_eq(dv_endpoint_send(fd[0], &t->ep[0]), 0);
	cr_assert_eq(dv_endpoint_exchange(fd[1], &t->ep[1], &theirs[1]), 0);
	cr_assert_eq(dv_endpoint_recv(fd[0], &theirs[0]), 0);
	for (int i = 0; i < 2; i++)
		cr_assert_eq(dv_qp_connect(t->qp[i], &t->ep[i], &theirs[i], conn), 0);
}

static const struct mlx5_cqe64 *await(struct dv_cq *cq)
{
	const struct mlx5_cqe64 *cqe;

	while (!(cqe = dv_cq_poll(cq)))
		;
	if (dv_cqe_is_error(cqe))
		dv_cqe_perror("endpoints", cqe);
	cr_assert_not(dv_cqe_is_error(cqe));
	return cqe;
}

/* A WRITE with immediate from the first to the second: of RC and UC. */
static void transfer(struct two *t)
{
	struct dv_raddr to = { (uintptr_t)f.dst, f.mr->rkey };
	struct ibv_sge sge = { (uintptr_t)f.src, 100, f.mr->lkey };
	static struct dv_sq sq;
	static struct dv_rq rq;
	static struct dv_cq scq, rcq;

	memset(f.src, 0x3c, 100);
	memset(f.dst, 0, 100);
	cr_assert_eq(dv_sq_map(&sq, t->qp[0]), 0);
	cr_assert_eq(dv_rq_map(&rq, t->qp[1]), 0);
	cr_assert_eq(dv_cq_map(&scq, t->cq[0]), 0);
	cr_assert_eq(dv_cq_map(&rcq, t->cq[1]), 0);
	rq_posted(&rq, dv_rq_post(&rq, NULL, 0));
	sq_posted(&sq, dv_sq_write_imm(&sq, SIGNALLED, to, &sge, 1, htobe32(7)));
	await(&scq);
	await(&rcq);
	cr_assert_eq(memcmp(f.src, f.dst, 100), 0);
}

static struct ibv_qp_attr attributes(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	cr_assert_eq(ibv_query_qp(qp, &attr,
				  IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_SQ_PSN |
					  IBV_QP_RQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
					  IBV_QP_DEST_QPN | IBV_QP_MAX_QP_RD_ATOMIC |
					  IBV_QP_MAX_DEST_RD_ATOMIC,
				  &init),
		     0);
	return attr;
}

static void destroy(struct two *t)
{
	for (int i = 0; i < 2; i++) {
		cr_assert_eq(ibv_destroy_qp(t->qp[i]), 0);
		cr_assert_eq(ibv_destroy_cq(t->cq[i]), 0);
	}
}

Test(endpoints, rc_by_default, .timeout = 120)
{
	struct ibv_device_attr device;
	struct ibv_qp_attr attr;
	struct two t;

	connect_two(&t, IBV_QPT_RC, NULL);
	attr = attributes(t.qp[0]);
	cr_assert_eq(ibv_query_device(f.ctx, &device), 0);
	cr_assert_eq(attr.qp_state, IBV_QPS_RTS);
	cr_assert_eq(attr.path_mtu, f.port.active_mtu);
	cr_assert_eq(attr.dest_qp_num, t.qp[1]->qp_num);
	cr_assert_eq(attr.sq_psn, t.ep[0].psn);
	cr_assert_eq(attr.rq_psn, t.ep[1].psn);
	cr_assert_eq(attr.timeout, 14);
	cr_assert_eq(attr.retry_cnt, 7);
	cr_assert_eq(attr.max_dest_rd_atomic, device.max_qp_rd_atom);
	transfer(&t);
	destroy(&t);
}

Test(endpoints, rc_as_chosen, .timeout = 120)
{
	struct dv_qp_conn conn;
	struct ibv_qp_attr attr;
	struct two t;

	dv_qp_conn_init(&conn);
	conn.mtu = IBV_MTU_512;
	conn.timeout = 18;
	conn.max_rd_atomic = 2;
	conn.traffic_class = 0x20;
	connect_two(&t, IBV_QPT_RC, &conn);
	attr = attributes(t.qp[1]);
	cr_assert_eq(attr.path_mtu, IBV_MTU_512);
	cr_assert_eq(attr.timeout, 18);
	cr_assert_eq(attr.max_rd_atomic, 2);
	cr_assert_eq(attr.ah_attr.grh.traffic_class, 0x20);
	transfer(&t);
	destroy(&t);
}

Test(endpoints, uc, .timeout = 120)
{
	struct two t;

	connect_two(&t, IBV_QPT_UC, NULL);
	transfer(&t);
	destroy(&t);
}

/* A datagram, to the peer's path. */
Test(endpoints, ud, .timeout = 120)
{
	struct ibv_sge from = { (uintptr_t)f.src, 64, f.mr->lkey };
	struct ibv_sge to = { (uintptr_t)f.dst, 200, f.mr->lkey };
	struct dv_cq scq, rcq;
	struct mlx5_wqe_av av;
	struct ibv_ah_attr path;
	struct ibv_ah *ah;
	struct dv_dest addr;
	struct dv_sq sq;
	struct dv_rq rq;
	struct two t;
	void *seg;

	connect_two(&t, IBV_QPT_UD, NULL);
	dv_endpoint_path(&path, &t.ep[0], &t.ep[1], NULL);
	ah = ibv_create_ah(f.pd, &path);
	cr_assert_not_null(ah);
	cr_assert_eq(dv_av_from_ah(&av, ah), 0);
	dv_dest_ud(&addr, &av, t.ep[1].qpn, 0x11111111);
	cr_assert_eq(dv_sq_map(&sq, t.qp[0]), 0);
	cr_assert_eq(dv_rq_map(&rq, t.qp[1]), 0);
	cr_assert_eq(dv_cq_map(&scq, t.cq[0]), 0);
	cr_assert_eq(dv_cq_map(&rcq, t.cq[1]), 0);
	memset(f.src, 0x3c, 64);
	rq_posted(&rq, dv_rq_post(&rq, &to, 1));
	seg = dv_set_dest_seg(dv_sq_reserve(&sq, 2), &addr);
	dv_sq_commit(&sq, dv_set_data_seg(seg, &from), MLX5_OPCODE_SEND, 0, SIGNALLED, 0);
	dv_sq_doorbell(&sq);
	await(&scq);
	cr_assert_eq(dv_cqe_byte_cnt(await(&rcq)), 40 + 64u);
	cr_assert_eq(memcmp(f.src, f.dst + 40, 64), 0);
	cr_assert_eq(ibv_destroy_ah(ah), 0);
	destroy(&t);
}

/* A GID of RoCE version 2, and no better one comes later. */
Test(endpoints, default_gid)
{
	static const uint8_t v4[12] = { [10] = 0xff, [11] = 0xff };
	struct ibv_gid_entry chosen, other;
	uint8_t index;

	if (f.port.link_layer != IBV_LINK_LAYER_ETHERNET)
		cr_skip_test("InfiniBand");
	cr_assert_eq(dv_gid_default(&index, f.ctx, 1), 0);
	cr_assert_eq(ibv_query_gid_ex(f.ctx, 1, index, &chosen, 0), 0);
	for (int i = 0; i < f.port.gid_tbl_len; i++) {
		if (ibv_query_gid_ex(f.ctx, 1, (uint32_t)i, &other, 0))
			continue;
		if (other.gid_type == IBV_GID_TYPE_ROCE_V2)
			cr_assert_eq(chosen.gid_type, IBV_GID_TYPE_ROCE_V2);
		if (other.gid_type == IBV_GID_TYPE_ROCE_V2 && !memcmp(other.gid.raw, v4, 12))
			cr_assert_eq(memcmp(chosen.gid.raw, v4, 12), 0);
	}
}

Test(endpoints, port_or_gid_that_is_not_there)
{
	struct dv_endpoint ep;

	cr_assert_eq(dv_endpoint_init(&ep, f.a.qp, 1, 255), ENOENT);
	cr_assert_eq(dv_endpoint_init(&ep, f.a.qp, 1, 256), ENOENT);
	cr_assert_neq(dv_endpoint_init(&ep, f.a.qp, 99, DV_GID_DEFAULT), 0);
}
