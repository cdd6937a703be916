/* SPDX-License-Identifier: BSD-2-Clause */
/* QPs and a CQ that firmware commands made move data by dv as those of verbs do. */
#include <devx/caps.h>
#include <devx/srq.h>
#include "devx_fixture.h"

TestSuite(devx_queues, .init = devx_start, .fini = devx_stop);

static struct ibv_sge sge(const void *at, uint32_t len)
{
	return (struct ibv_sge){ (uintptr_t)at, len, x.mkey.key };
}

static struct dv_raddr remote(const void *at)
{
	return (struct dv_raddr){ (uintptr_t)at, x.mkey.key };
}

static void done(uint8_t opcode, uint32_t qpn)
{
	struct mlx5_cqe64 cqe = devx_completion();

	cr_assert_eq(dv_cqe_opcode(&cqe), opcode, "syndrome 0x%x", dv_cqe_syndrome(&cqe));
	cr_assert_eq(dv_cqe_qpn(&cqe), qpn);
}

/* A QP that is its own peer. */
static void make(struct devx_qp *qp, const struct devx_qp_attr *attr)
{
	devx_ok(devx_qp_create(qp, x.ctx, attr));
	devx_ok(devx_qp_connect_self(qp, x.pd, 1, x.gid_index));
}

/* The next CQE of @cq, which is a success, retires WQEs of @qp. */
static void retired_on(struct dv_cq *cq, struct devx_qp *qp)
{
	const struct mlx5_cqe64 *cqe;
	time_t end = time(NULL) + 10;

	while (!(cqe = dv_cq_poll(cq)))
		cr_assert_leq(time(NULL), end, "no completion within 10 s");
	cr_assert_eq(dv_cqe_opcode(cqe), MLX5_CQE_REQ, "syndrome 0x%x", dv_cqe_syndrome(cqe));
	cr_assert_eq(dv_cqe_qpn(cqe), qp->obj.id);
	dv_sq_retire(&qp->sq, cqe);
	dv_cq_release(cq);
}

static void retired(struct devx_qp *qp)
{
	retired_on(&x.cq.cq, qp);
}

Test(devx_queues, write)
{
	struct ibv_sge from = sge(x.src, X_SIZE);

	cr_assert_eq(dv_sq_write(&x.a.sq, X_SIGNALLED, remote(x.dst), &from, 1), 0);
	dv_sq_doorbell(&x.a.sq);
	done(MLX5_CQE_REQ, x.a.obj.id);
	cr_assert_arr_eq(x.dst, x.src, X_SIZE);
}

Test(devx_queues, read)
{
	struct ibv_sge to = sge(x.dst, 5000);

	cr_assert_eq(dv_sq_read(&x.b.sq, X_SIGNALLED, remote(x.src + 1), &to, 1), 0);
	dv_sq_doorbell(&x.b.sq);
	done(MLX5_CQE_REQ, x.b.obj.id);
	cr_assert_arr_eq(x.dst, x.src + 1, 5000);
	cr_assert_eq(x.dst[5000], 0xdd);
}

Test(devx_queues, send)
{
	struct ibv_sge from = sge(x.src, 3000);
	struct ibv_sge to[2] = { sge(x.dst, 1000), sge(x.dst + 2000, 2500) };

	cr_assert_eq(dv_rq_post(&x.b.rq, to, 2), 0);
	dv_rq_doorbell(&x.b.rq);
	cr_assert_eq(dv_sq_send(&x.a.sq, 0, &from, 1), 0);
	dv_sq_blueflame(&x.a.sq);
	done(MLX5_CQE_RESP_SEND, x.b.obj.id);
	cr_assert_arr_eq(x.dst, x.src, 1000);
	cr_assert_arr_eq(x.dst + 2000, x.src + 1000, 2000);
}

Test(devx_queues, atomics)
{
	struct ibv_sge old = sge(x.dst + 64, 8);
	uint64_t *count = (uint64_t *)x.dst;

	*count = 40;
	cr_assert_eq(dv_sq_fetch_add(&x.a.sq, X_SIGNALLED, remote(count), &old, 2), 0);
	dv_sq_doorbell(&x.a.sq);
	done(MLX5_CQE_REQ, x.a.obj.id);
	cr_assert_eq(*count, 42);
}

/* More than one pass over both rings and the CQ. */
Test(devx_queues, rings_wrap)
{
	struct ibv_sge from = sge(x.src, 64), to = sge(x.dst, 64);

	for (int i = 0; i < 700; i++) {
		cr_assert_eq(dv_rq_post(&x.b.rq, &to, 1), 0);
		dv_rq_doorbell(&x.b.rq);
		cr_assert_eq(dv_sq_send(&x.a.sq, X_SIGNALLED, &from, 1), 0);
		dv_sq_doorbell(&x.a.sq);
		devx_completion();
		devx_completion();
	}
	cr_assert_arr_eq(x.dst, x.src, 64);
}

static uint64_t state(struct devx_qp *qp)
{
	uint8_t qpc[PRM_SZ(qpc)];

	devx_ok(devx_qp_query(qp, qpc));
	return PRM_GET(qpc, qpc, state);
}

Test(devx_queues, qp_goes_through_its_states)
{
	struct devx_qp_attr attr = devx_rc();
	struct ibv_ah_attr path;
	struct dv_endpoint own;
	struct devx_av av;
	uint8_t qpc[PRM_SZ(qpc)];
	struct devx_qp qp;

	devx_ok(devx_qp_create(&qp, x.ctx, &attr));
	own = devx_endpoint(&qp);
	dv_endpoint_path(&path, &own, &own, NULL);
	devx_ok(devx_av_resolve(&av, x.pd, &path));
	cr_assert_eq(state(&qp), PRM_QPC_STATE_RST);
	devx_ok(devx_qp_init(&qp, &own, NULL));
	cr_assert_eq(state(&qp), PRM_QPC_STATE_INIT);
	devx_ok(devx_qp_rtr(&qp, &av, &own, &own, NULL));
	cr_assert_eq(state(&qp), PRM_QPC_STATE_RTR);
	devx_ok(devx_qp_rts(&qp, &own, &own, NULL));
	devx_ok(devx_qp_query(&qp, qpc));
	cr_assert_eq(PRM_GET(qpc, qpc, state), PRM_QPC_STATE_RTS);
	cr_assert_eq(PRM_GET(qpc, qpc, remote_qpn), qp.obj.id);
	cr_assert_eq(PRM_GET(qpc, qpc, pd), x.pdn);
	cr_assert_eq(PRM_GET(qpc, qpc, mtu), x.port.active_mtu);
	cr_assert_eq(PRM_GET(qpc, qpc, log_sra_max), 2);
	devx_ok(devx_qp_err(&qp));
	cr_assert_eq(state(&qp), PRM_QPC_STATE_ERR);
	devx_ok(devx_qp_reset(&qp));
	cr_assert_eq(state(&qp), PRM_QPC_STATE_RST);
	devx_ok(devx_qp_destroy(&qp));
}

/* Posted in error, flushed, forgotten; then the same QP works. */
Test(devx_queues, qp_works_again_after_a_reset)
{
	struct ibv_sge from = sge(x.src, 100);
	struct mlx5_cqe64 cqe;

	devx_ok(devx_qp_err(&x.a));
	cr_assert_eq(dv_sq_write(&x.a.sq, X_SIGNALLED, remote(x.dst), &from, 1), 0);
	dv_sq_doorbell(&x.a.sq);
	cqe = devx_completion();
	cr_assert_eq(dv_cqe_syndrome(&cqe), MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	devx_ok(devx_qp_reset(&x.a));
	dv_cq_clean(&x.cq.cq, x.a.obj.id);
	devx_ok(devx_qp_reset(&x.b));
	devx_connect(&x.a, &x.b);
	devx_connect(&x.b, &x.a);
	cr_assert_eq(dv_sq_write(&x.a.sq, X_SIGNALLED, remote(x.dst), &from, 1), 0);
	dv_sq_doorbell(&x.a.sq);
	done(MLX5_CQE_REQ, x.a.obj.id);
	cr_assert_arr_eq(x.dst, x.src, 100);
}

Test(devx_queues, qp_is_its_own_peer)
{
	struct devx_qp_attr attr = devx_rc();
	struct ibv_sge from = sge(x.src, 300);
	struct devx_qp qp;

	make(&qp, &attr);
	cr_assert_eq(dv_sq_write(&qp.sq, X_SIGNALLED, remote(x.dst), &from, 1), 0);
	dv_sq_doorbell(&qp.sq);
	retired(&qp);
	cr_assert_arr_eq(x.dst, x.src, 300);
	devx_ok(devx_qp_destroy(&qp));
}

Test(devx_queues, uc_and_ud_come_to_rts_too)
{
	struct devx_qp_attr attr = devx_rc();
	struct dv_endpoint peer = devx_endpoint(&x.b), ours;
	struct dv_qp_conn conn;
	struct devx_qp qp;

	dv_qp_conn_init(&conn);

	attr.st = PRM_QPC_ST_UC;
	devx_ok(devx_qp_create(&qp, x.ctx, &attr));
	conn.access = IBV_ACCESS_REMOTE_WRITE;
	ours = devx_endpoint(&qp);
	devx_ok(devx_qp_connect(&qp, x.pd, &ours, &peer, &conn));
	cr_assert_eq(state(&qp), PRM_QPC_STATE_RTS);
	devx_ok(devx_qp_destroy(&qp));
	attr.st = PRM_QPC_ST_UD;
	devx_ok(devx_qp_create(&qp, x.ctx, &attr));
	conn.qkey = 0x1234567;
	ours = devx_endpoint(&qp);
	devx_ok(devx_qp_connect(&qp, x.pd, &ours, NULL, &conn));
	cr_assert_eq(state(&qp), PRM_QPC_STATE_RTS);
	devx_ok(devx_qp_destroy(&qp));
}

Test(devx_queues, cq_shows_its_context_and_takes_moderation)
{
	uint8_t cqc[PRM_SZ(cqc)];

	devx_ok(devx_cq_moderate(&x.cq, 16, 100));
	devx_ok(devx_cq_query(&x.cq, cqc));
	cr_assert_eq(PRM_GET(cqc, cqc, log_cq_size), 9);
	cr_assert_eq(PRM_GET(cqc, cqc, uar_page), x.uar.page_id);
	cr_assert_eq(PRM_GET(cqc, cqc, c_eqn_or_apu_element), x.eqn);
	cr_assert_eq(PRM_GET(cqc, cqc, cq_max_count), 16);
	cr_assert_eq(PRM_GET(cqc, cqc, cq_period), 100);
}

/* Small data comes inside 128-byte CQEs only if asked for; here they are just bigger. */
Test(devx_queues, cqes_may_have_128_bytes)
{
	struct devx_cq_attr cq_attr = {
		.cqe_cnt = 16, .cqe_size = 128, .uar = &x.uar, .eqn = x.eqn
	};
	struct devx_qp_attr attr = devx_rc();
	struct ibv_sge from = sge(x.src, 20);
	struct devx_cq cq;
	struct devx_qp qp;

	devx_ok(devx_cq_create(&cq, x.ctx, &cq_attr));
	attr.send_cqn = cq.obj.id;
	make(&qp, &attr);
	for (int i = 0; i < 40; i++) {
		cr_assert_eq(dv_sq_write(&qp.sq, X_SIGNALLED, remote(x.dst), &from, 1), 0);
		dv_sq_doorbell(&qp.sq);
		retired_on(&cq.cq, &qp);
	}
	devx_ok(devx_qp_destroy(&qp));
	devx_ok(devx_cq_destroy(&cq));
}

Test(devx_queues, xrc_initiator_comes_to_rts)
{
	struct ibv_srq_init_attr one = { .attr = { .max_wr = 1, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(x.pd, &one);
	struct mlx5dv_srq number = { .comp_mask = MLX5DV_SRQ_MASK_SRQN };
	struct mlx5dv_obj obj = { .srq = { .in = srq, .out = &number } };
	struct devx_qp_attr attr = devx_rc();
	struct devx_obj xrcd;
	struct devx_qp qp;

	cr_assert_not_null(srq);
	cr_assert_eq(mlx5dv_init_obj(&obj, MLX5DV_OBJ_SRQ), 0);
	devx_ok(devx_xrcd_create(&xrcd, x.ctx));
	attr.st = PRM_QPC_ST_XRC;
	attr.rq_wqe_cnt = 0;
	attr.srqn = number.srqn;
	attr.xrcd = xrcd.id;
	make(&qp, &attr);
	cr_assert_eq(state(&qp), PRM_QPC_STATE_RTS);
	devx_ok(devx_qp_destroy(&qp));
	devx_ok(devx_xrcd_destroy(&xrcd));
	cr_assert_eq(ibv_destroy_srq(srq), 0);
}

/* A register that is not cached: 8 bytes at a time, and no second half. */
Test(devx_queues, ring_a_register_without_blue_flame)
{
	struct devx_qp_attr attr = devx_rc();
	struct ibv_sge from = sge(x.src, 32);
	struct devx_uar uar;
	struct devx_qp qp;

	devx_ok(devx_uar_alloc(&uar, x.ctx, DEVX_UAR_NC));
	cr_assert_eq(uar.bf_size, 0);
	attr.uar = &uar;
	make(&qp, &attr);
	for (int i = 0; i < 3; i++) {
		cr_assert_eq(dv_sq_write(&qp.sq, X_SIGNALLED, remote(x.dst), &from, 1), 0);
		dv_sq_blueflame(&qp.sq);
		retired(&qp);
	}
	cr_assert_arr_eq(x.dst, x.src, 32);
	devx_ok(devx_qp_destroy(&qp));
	devx_uar_free(&uar);
}

/* Current capabilities never exceed the maximum ones. */
Test(devx_queues, capabilities_now_are_within_the_maximum)
{
	static uint8_t cur[DEVX_CAPS_BYTES], max[DEVX_CAPS_BYTES];

	devx_ok(devx_caps_query(cur, x.ctx, PRM_CAP_GENERAL, PRM_CAP_CUR));
	devx_ok(devx_caps_query(max, x.ctx, PRM_CAP_GENERAL, PRM_CAP_MAX));
	cr_assert_geq(DEVX_CAP(GENERAL, cur, log_max_qp), 1);
	cr_assert_leq(DEVX_CAP(GENERAL, cur, log_max_qp), DEVX_CAP(GENERAL, max, log_max_qp));
	cr_assert_leq(DEVX_CAP(GENERAL, cur, log_max_umem),
		      DEVX_CAP(GENERAL, max, log_max_umem));
	cr_assert_geq(DEVX_CAP(GENERAL, cur, log_max_uctx), 1, "or there would be no DevX");
}

/* The kernel and libmlx5 know the RoCE version of a GID; version 1 has no UDP port. */
Test(devx_queues, addresses_have_the_version_of_their_gid)
{
	struct ibv_ah_attr attr = { .port_num = 1, .is_global = 1, .grh = { .hop_limit = 1 } };
	struct ibv_gid_entry gid;
	unsigned int seen = 0;
	struct devx_av av;
	int i;

	if (x.port.link_layer != IBV_LINK_LAYER_ETHERNET)
		cr_skip_test("no RoCE");
	for (i = 0; i < x.port.gid_tbl_len; i++) {
		if (ibv_query_gid_ex(x.ctx, 1, (uint32_t)i, &gid, 0))
			continue;
		attr.grh.sgid_index = (uint8_t)i;
		attr.grh.dgid = gid.gid;
		devx_ok(devx_av_resolve(&av, x.pd, &attr));
		cr_assert_eq(av.roce_v1, gid.gid_type == IBV_GID_TYPE_ROCE_V1, "GID %d", i);
		cr_assert_eq(av.udp_sport == 0, av.roce_v1, "GID %d: UDP port 0x%x", i,
			     av.udp_sport);
		cr_assert_eq(av.path_bits, 0);
		seen |= av.roce_v1 ? 1 : 2;
	}
	cr_assert(seen);
}

static void write_100(struct devx_qp *qp, uint8_t fm_ce_se, uint32_t at)
{
	struct ibv_sge from = sge(x.src, 100);

	cr_assert_eq(dv_sq_write(&qp->sq, fm_ce_se, remote(x.dst + at), &from, 1), 0);
}

/* Several WQEs a ring, until the producer index has wrapped. */
static void batches_wrap(struct devx_qp *qp)
{
	int n = qp->sq.wqe_cnt / 2;

	for (int total = 0; total < 70000; total += n) {
		memset(x.dst, 0, 200 * n);
		for (int i = 0; i < n; i++)
			write_100(qp, i < n - 1 ? 0 : X_SIGNALLED, 200 * i);
		dv_sq_ring_by(&qp->sq, DV_NO_DBR);
		retired(qp);
		cr_assert_eq(dv_sq_space(&qp->sq), qp->sq.wqe_cnt);
		for (int i = 0; i < n; i++)
			cr_assert_arr_eq(x.dst + 200 * i, x.src, 100);
	}
}

/* The doorbell record includes a WQE, and what is executed is only the one that was rung for.
 * The rings of x.a, on the same page, do not change that. */
static void record_is_not_read(struct devx_qp *qp)
{
	memset(x.dst, 0, 1000);
	write_100(qp, X_SIGNALLED, 0);
	dv_sq_ring_by(&qp->sq, DV_NO_DBR);
	write_100(qp, X_SIGNALLED, 200);
	dv_sq_record(&qp->sq);
	retired(qp);
	for (int i = 0; i < 3; i++) {
		write_100(&x.a, X_SIGNALLED, 400);
		dv_sq_doorbell(&x.a.sq);
		retired(&x.a);
	}
	cr_assert_arr_eq(x.dst, x.src, 100);
	cr_assert_eq(x.dst[200], 0);
	dv_sq_ring_by(&qp->sq, DV_NO_DBR);
	retired(qp);
	cr_assert_arr_eq(x.dst + 200, x.src, 100);
}

/* On a ConnectX-8 (devx/qp.h); all others refuse. */
Test(devx_queues, without_a_send_record)
{
	struct devx_qp_attr attr = devx_rc();
	uint8_t caps[DEVX_CAPS_BYTES];
	struct devx_qp qp;

	devx_ok(devx_caps_query(caps, x.ctx, PRM_CAP_GENERAL_2, PRM_CAP_CUR));
	attr.send_dbr_mode = PRM_QPC_SEND_DBR_MODE_NO_DBR_EXT;
	if (!DEVX_CAP(GENERAL_2, caps, send_dbr_mode_no_dbr_ext)) {
		cr_assert_eq(devx_qp_create(&qp, x.ctx, &attr), EOPNOTSUPP);
		return;
	}
	make(&qp, &attr);
	for (int i = 0; i < 200; i++) {
		write_100(&qp, X_SIGNALLED, i);
		dv_sq_ring_by(&qp.sq, DV_NO_DBR);
		retired(&qp);
	}
	cr_assert_arr_eq(x.dst + 199, x.src, 100);
	batches_wrap(&qp);
	cr_assert_eq(*qp.sq.dbrec, 0);
	record_is_not_read(&qp);
	devx_ok(devx_qp_destroy(&qp));
}
