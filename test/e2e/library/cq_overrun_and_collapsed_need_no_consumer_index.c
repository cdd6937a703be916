/* SPDX-License-Identifier: BSD-2-Clause */
/* CQs without dv_cq_release(): one that ignores overrun, and one that is collapsed to a
 * slot. */
#include "devx_fixture.h"

TestSuite(no_consumer, .init = devx_start, .fini = devx_stop);

enum {
	LOG_CQES = 4,
	CQES = 1 << LOG_CQES,
	RECORD = 4096 - 64,
};

static struct devx_umem umem;
static struct devx_obj obj;
static struct dv_cq cq;

static void create(bool collapsed)
{
	uint8_t in[PRM_SZ(create_cq_in)] = { 0 }, out[PRM_SZ(create_cq_out)];
	uint8_t *cqc = PRM_ADDR(create_cq_in, in, cq_context);
	struct mlx5dv_cq shown = { .cqe_cnt = CQES, .cqe_size = 64 };

	shown.buf = aligned_alloc(4096, 4096);
	memset(shown.buf, 0, 4096);
	dv_cq_blank(shown.buf, CQES, 64);
	shown.dbrec = (__be32 *)((char *)shown.buf + RECORD);
	devx_ok(devx_umem_reg(&umem, x.ctx, shown.buf, 4096, IBV_ACCESS_LOCAL_WRITE));
	PRM_SET(create_cq_in, in, opcode, PRM_OP_CREATE_CQ);
	PRM_SET(create_cq_in, in, cq_umem_valid, 1);
	PRM_SET(create_cq_in, in, cq_umem_id, umem.id);
	PRM_SET(cqc, cqc, dbr_umem_valid, 1);
	PRM_SET(cqc, cqc, dbr_umem_id, umem.id);
	PRM_SET(cqc, cqc, dbr_addr, RECORD);
	PRM_SET(cqc, cqc, log_cq_size, LOG_CQES);
	PRM_SET(cqc, cqc, uar_page, x.uar.page_id);
	PRM_SET(cqc, cqc, c_eqn_or_apu_element, x.eqn);
	PRM_SET(cqc, cqc, cc, collapsed);
	PRM_SET(cqc, cqc, oi, 1);
	if (devx_obj_create(&obj, x.ctx, in, sizeof(in), out, sizeof(out)))
		cr_skip_test("no such CQs");
	cr_assert_eq(dv_cq_init(&cq, &shown), 0);
}

/* x.a, created again, sends to itself and completes to the CQ. */
static void move_a(uint32_t cqn)
{
	struct devx_qp_attr attr = devx_rc();

	devx_ok(devx_qp_destroy(&x.a));
	attr.send_cqn = cqn;
	devx_ok(devx_qp_create(&x.a, x.ctx, &attr));
	devx_connect(&x.a, &x.a);
}

static void stop(void)
{
	move_a(x.cq.obj.id);
	devx_ok(devx_obj_destroy(&obj));
	devx_ok(devx_umem_dereg(&umem));
	free(cq.cqe64);
}

static void write_one(void)
{
	struct ibv_sge from = { (uintptr_t)x.src, 8, x.mkey.key };
	struct dv_raddr to = { (uintptr_t)x.dst, x.mkey.key };

	cr_assert_eq(dv_sq_write(&x.a.sq, X_SIGNALLED, to, &from, 1), 0);
	dv_sq_doorbell(&x.a.sq);
}

Test(no_consumer, overrun_ignored)
{
	const struct mlx5_cqe64 *cqe;

	create(false);
	move_a(obj.id);
	for (uint16_t i = 0; i < 10 * CQES + 3; i++) {
		write_one();
		while (!(cqe = dv_cq_poll(&cq)))
			;
		cr_assert_eq(dv_cqe_wqe_counter(cqe), i);
		dv_sq_retire(&x.a.sq, cqe);
	}
	cr_assert_eq(cq.dbrec[0], 0, "never released");
	stop();
}

Test(no_consumer, collapsed)
{
	struct dv_collapsed newest;

	create(true);
	move_a(obj.id);
	cr_assert_eq(dv_cq_collapsed(&cq).opcode, MLX5_CQE_INVALID);
	for (uint16_t i = 0; i < 10 * CQES + 3; i++) {
		write_one();
		if (i % 5 != 4)
			continue;
		do
			newest = dv_cq_collapsed(&cq);
		while (newest.opcode == MLX5_CQE_INVALID || newest.wqe_counter != i);
		cr_assert_eq(newest.opcode, MLX5_CQE_REQ);
		dv_sq_retire(&x.a.sq, dv_cq_at(&cq, 0));
		cr_assert_eq(dv_sq_space(&x.a.sq), x.a.sq.wqe_cnt);
	}
	stop();
}
