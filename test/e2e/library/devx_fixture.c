/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <time.h>
#include <dv/print.h>
#include "devx_fixture.h"
#include "lib/device.h"

struct devx_fixture x;

void devx_ok(int err)
{
	char line[256];

	cr_assert_eq(err, 0, "%s", devx_error_str(devx_last_error(), line, sizeof(line)));
}

struct devx_qp_attr devx_rc(void)
{
	return (struct devx_qp_attr){ .st = PRM_QPC_ST_RC,
				      .pdn = x.pdn,
				      .uar = &x.uar,
				      .send_cqn = x.cq.obj.id,
				      .recv_cqn = x.cq.obj.id,
				      .sq_wqe_cnt = 64,
				      .rq_wqe_cnt = 64,
				      .rq_max_sge = 4 };
}

struct dv_endpoint devx_endpoint(const struct devx_qp *qp)
{
	struct dv_endpoint ep;

	cr_assert_eq(dv_endpoint_fill(&ep, x.ctx, IBV_QPT_RC, qp->obj.id, 1, x.gid_index), 0);
	ep.psn = 0xfffff0;
	ep.rd_atomic = ep.init_rd_atomic = 4;
	return ep;
}

void devx_connect(struct devx_qp *qp, const struct devx_qp *peer)
{
	struct dv_endpoint ours = devx_endpoint(qp), theirs = devx_endpoint(peer);
	struct dv_qp_conn conn;

	dv_qp_conn_init(&conn);
	conn.min_rnr_timer = 1;
	devx_ok(devx_qp_connect(qp, x.pd, &ours, &theirs, &conn));
}

static void connect_qps(void)
{
	struct devx_qp_attr attr = devx_rc();

	devx_ok(devx_qp_create(&x.a, x.ctx, &attr));
	devx_ok(devx_qp_create(&x.b, x.ctx, &attr));
	devx_connect(&x.a, &x.b);
	devx_connect(&x.b, &x.a);
}

static void make_key(void)
{
	struct devx_mkey_attr attr = { .pdn = x.pdn,
				       .access = IBV_ACCESS_LOCAL_WRITE |
						 IBV_ACCESS_REMOTE_WRITE |
						 IBV_ACCESS_REMOTE_READ |
						 IBV_ACCESS_REMOTE_ATOMIC,
				       .len = 2 * X_SIZE };

	x.src = aligned_alloc(4096, 2 * X_SIZE);
	x.dst = x.src + X_SIZE;
	for (size_t i = 0; i < X_SIZE; i++)
		x.src[i] = (uint8_t)(i * 7 + (i >> 8));
	memset(x.dst, 0xdd, X_SIZE);
	devx_ok(devx_umem_reg(&x.umem, x.ctx, x.src, 2 * X_SIZE,
			      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				      IBV_ACCESS_REMOTE_READ));
	attr.start_addr = (uintptr_t)x.src;
	attr.umem_id = x.umem.id;
	devx_ok(devx_mkey_create(&x.mkey, x.ctx, &attr));
}

void devx_start(void)
{
	struct ibv_device *device = device_find();
	struct devx_cq_attr attr = { .cqe_cnt = 512, .uar = &x.uar };

	if (!device)
		cr_skip_test("no mlx5 device: run under dvkit-emu, or set DVKIT_DEVICE");
	devx_ok(devx_open(&x.ctx, ibv_get_device_name(device)));
	cr_assert_eq(ibv_query_port(x.ctx, 1, &x.port), 0);
	x.gid_index = device_gid_index(x.ctx, &x.port);
	x.pd = ibv_alloc_pd(x.ctx);
	devx_ok(devx_pdn_query(&x.pdn, x.pd));
	devx_ok(devx_eqn_query(&x.eqn, x.ctx, 0));
	devx_ok(devx_uar_alloc(&x.uar, x.ctx, DEVX_UAR_ANY));
	make_key();
	attr.eqn = x.eqn;
	devx_ok(devx_cq_create(&x.cq, x.ctx, &attr));
	connect_qps();
}

void devx_stop(void)
{
	if (!x.ctx)
		return;
	devx_ok(devx_qp_destroy(&x.a));
	devx_ok(devx_qp_destroy(&x.b));
	devx_ok(devx_cq_destroy(&x.cq));
	devx_ok(devx_mkey_destroy(&x.mkey));
	devx_ok(devx_umem_dereg(&x.umem));
	devx_uar_free(&x.uar);
	cr_assert_eq(ibv_dealloc_pd(x.pd), 0);
	cr_assert_eq(ibv_close_device(x.ctx), 0);
	free(x.src);
}

struct mlx5_cqe64 devx_completion(void)
{
	const struct mlx5_cqe64 *cqe;
	time_t end = time(NULL) + 10;
	struct mlx5_cqe64 copy;
	struct devx_qp *qp;

	while (!(cqe = dv_cq_poll(&x.cq.cq)))
		if (time(NULL) > end)
			cr_assert_fail("no completion within 10 s");
	copy = *cqe;
	qp = dv_cqe_qpn(cqe) == x.a.obj.id ? &x.a : &x.b;
	if (dv_cqe_opcode(cqe) == MLX5_CQE_REQ || dv_cqe_opcode(cqe) == MLX5_CQE_REQ_ERR)
		dv_sq_retire(&qp->sq, cqe);
	else
		dv_rq_retire(&qp->rq, cqe);
	dv_cq_release(&x.cq.cq);
	return copy;
}

bool devx_own_cq_create(struct devx_own_cq *c, uint8_t log_cqes, void (*set)(uint8_t *cqc))
{
	uint8_t in[PRM_SZ(create_cq_in)] = { 0 }, out[PRM_SZ(create_cq_out)];
	uint8_t *cqc = PRM_ADDR(create_cq_in, in, cq_context);
	uint32_t record = 64 << log_cqes;
	size_t size = (record + 4096) & ~4095ul;
	struct mlx5dv_cq shown = { .cqe_cnt = 1 << log_cqes, .cqe_size = 64 };

	shown.buf = aligned_alloc(4096, size);
	memset(shown.buf, 0, size);
	dv_cq_blank(shown.buf, shown.cqe_cnt, 64);
	shown.dbrec = (__be32 *)((char *)shown.buf + record);
	devx_ok(devx_umem_reg(&c->umem, x.ctx, shown.buf, size, IBV_ACCESS_LOCAL_WRITE));
	PRM_SET(create_cq_in, in, opcode, PRM_OP_CREATE_CQ);
	PRM_SET(create_cq_in, in, cq_umem_valid, 1);
	PRM_SET(create_cq_in, in, cq_umem_id, c->umem.id);
	PRM_SET(cqc, cqc, dbr_umem_valid, 1);
	PRM_SET(cqc, cqc, dbr_umem_id, c->umem.id);
	PRM_SET(cqc, cqc, dbr_addr, record);
	PRM_SET(cqc, cqc, log_cq_size, log_cqes);
	PRM_SET(cqc, cqc, uar_page, x.uar.page_id);
	PRM_SET(cqc, cqc, c_eqn_or_apu_element, x.eqn);
	set(cqc);
	if (devx_obj_create(&c->obj, x.ctx, in, sizeof(in), out, sizeof(out)))
		return false;
	cr_assert_eq(dv_cq_init(&c->cq, &shown), 0);
	return true;
}

void devx_own_cq_destroy(struct devx_own_cq *c)
{
	devx_ok(devx_obj_destroy(&c->obj));
	devx_ok(devx_umem_dereg(&c->umem));
	free(c->cq.cqe64);
}
