/* SPDX-License-Identifier: BSD-2-Clause */
/* CQs without dv_cq_release(): one that ignores overrun, and one that is collapsed to a
 * slot. */
#include "devx_fixture.h"

TestSuite(no_consumer, .init = devx_start, .fini = devx_stop);

enum {
	LOG_CQES = 4,
	CQES = 1 << LOG_CQES,
};

static struct devx_own_cq own;
static struct dv_cq *const cq = &own.cq;

static void ignores_overrun(uint8_t *cqc)
{
	PRM_SET(cqc, cqc, oi, 1);
}

static void is_collapsed(uint8_t *cqc)
{
	ignores_overrun(cqc);
	PRM_SET(cqc, cqc, cc, 1);
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

static void start(void (*set)(uint8_t *cqc))
{
	if (!devx_own_cq_create(&own, LOG_CQES, set))
		cr_skip_test("no such CQs");
	move_a(own.obj.id);
}

static void stop(void)
{
	move_a(x.cq.obj.id);
	devx_own_cq_destroy(&own);
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

	start(ignores_overrun);
	for (uint16_t i = 0; i < 10 * CQES + 3; i++) {
		write_one();
		while (!(cqe = dv_cq_poll(cq)))
			;
		cr_assert_eq(dv_cqe_wqe_counter(cqe), i);
		dv_sq_retire(&x.a.sq, cqe);
	}
	cr_assert_eq(cq->dbrec[0], 0, "never released");
	stop();
}

Test(no_consumer, collapsed)
{
	struct dv_collapsed newest;

	start(is_collapsed);
	cr_assert_eq(dv_cq_collapsed(cq).opcode, MLX5_CQE_INVALID);
	for (uint16_t i = 0; i < 10 * CQES + 3; i++) {
		write_one();
		if (i % 5 != 4)
			continue;
		do
			newest = dv_cq_collapsed(cq);
		while (newest.opcode == MLX5_CQE_INVALID || newest.wqe_counter != i);
		cr_assert_eq(newest.opcode, MLX5_CQE_REQ);
		dv_sq_retire(&x.a.sq, dv_cq_at(cq, 0));
		cr_assert_eq(dv_sq_space(&x.a.sq), x.a.sq.wqe_cnt);
	}
	stop();
}
