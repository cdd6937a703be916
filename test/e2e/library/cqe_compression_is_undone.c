/* SPDX-License-Identifier: BSD-2-Clause */
/* CQs that compress: bursts of sends and receives come back as whole CQEs, in order, pass after
 * pass, in both layouts and all formats that the device offers. */
#include "devx_fixture.h"

TestSuite(compressed, .init = devx_start, .fini = devx_stop);

enum {
	LOG_CQES = 6,
	BURST = 20,
};

static struct devx_own_cq own;
static struct dv_mini_attr attr;
static struct dv_mini mini;
static unsigned int sessions;

static void compresses(uint8_t *cqc)
{
	PRM_SET(cqc, cqc, cqe_comp_en, 1);
	PRM_SET(cqc, cqc, mini_cqe_res_format, attr.format % DV_MINI_L34H_STRIDX);
	PRM_SET(cqc, cqc, mini_cqe_res_format_ext, attr.format / DV_MINI_L34H_STRIDX);
	PRM_SET(cqc, cqc, cqe_compression_layout, attr.enhanced);
}

/* x.a and x.b, created again on the CQ. */
static void move_qps(uint32_t cqn)
{
	struct devx_qp_attr qp = devx_rc();

	devx_ok(devx_qp_destroy(&x.a));
	devx_ok(devx_qp_destroy(&x.b));
	qp.recv_cqn = cqn;
	qp.send_cqn = x.cq.obj.id;
	devx_ok(devx_qp_create(&x.b, x.ctx, &qp));
	qp.send_cqn = cqn;
	qp.recv_cqn = x.cq.obj.id;
	devx_ok(devx_qp_create(&x.a, x.ctx, &qp));
	devx_connect(&x.a, &x.b);
	devx_connect(&x.b, &x.a);
}

/* Whether the device has written @raw, the next slot. */
static bool came(const struct mlx5_cqe64 *raw)
{
	const volatile uint8_t *last = (const volatile uint8_t *)&raw->signature;
	uint32_t ci = mini.cq.ci;
	bool owner = ci & mini.cq.cqe_cnt;

	if (mini.enhanced)
		return last[0] == (uint8_t)(ci >> mini.log_cqe_cnt);
	return last[1] < MLX5_CQE_INVALID << 4 && (last[1] & MLX5_CQE_OWNER_MASK) == owner;
}

/* Polling writes a session out: its format is looked at before. */
static const struct mlx5_cqe64 *next(void)
{
	const struct mlx5_cqe64 *cqe, *raw = dv_cq_at(&mini.cq, mini.cq.ci);

	while (!came(raw))
		;
	sessions += (raw->op_own & DV_CQE_FORMAT_MASK) == DV_CQE_FORMAT_MASK;
	cqe = dv_mini_poll(&mini);
	cr_assert_not_null(cqe);
	return cqe;
}

static void burst(uint32_t len)
{
	struct ibv_sge from = { (uintptr_t)x.src, len, x.mkey.key };
	struct ibv_sge to = { (uintptr_t)x.dst, 4096, x.mkey.key };
	uint16_t sent = x.a.sq.pi, received = x.b.rq.pi;
	unsigned int sends = 0, receives = 0;
	const struct mlx5_cqe64 *cqe;

	for (int i = 0; i < BURST; i++)
		cr_assert_eq(dv_rq_post(&x.b.rq, &to, 1), 0);
	dv_rq_doorbell(&x.b.rq);
	for (int i = 0; i < BURST; i++)
		cr_assert_eq(dv_sq_send(&x.a.sq, X_SIGNALLED, &from, 1), 0);
	dv_sq_doorbell(&x.a.sq);
	while (sends + receives < 2 * BURST) {
		cqe = next();
		if (dv_cqe_opcode(cqe) == MLX5_CQE_REQ) {
			cr_assert_eq(dv_cqe_wqe_counter(cqe), (uint16_t)(sent + sends++));
			cr_assert_eq(dv_cqe_send_opcode(cqe), MLX5_OPCODE_SEND);
			cr_assert_eq(dv_cqe_qpn(cqe), x.a.obj.id);
			dv_sq_retire(&x.a.sq, cqe);
		} else {
			cr_assert_eq(dv_cqe_opcode(cqe), MLX5_CQE_RESP_SEND);
			cr_assert_eq(dv_cqe_wqe_counter(cqe),
				     (uint16_t)(received + receives++));
			cr_assert_eq(dv_cqe_qpn(cqe), x.b.obj.id);
			if (mini.format != DV_MINI_FTAG_STRIDX)
				cr_assert_eq(dv_cqe_byte_cnt(cqe), len);
			dv_rq_retire(&x.b.rq, cqe);
		}
		dv_cq_release(&mini.cq);
	}
}

static void bursts(enum dv_mini_format format, bool enhanced)
{
	sessions = 0;
	attr = (struct dv_mini_attr){ .format = format, .enhanced = enhanced };
	if (!devx_own_cq_create(&own, LOG_CQES, compresses))
		cr_skip_test("no such compression");
	cr_assert_eq(dv_mini_init(&mini, &own.cq, &attr), 0);
	move_qps(own.obj.id);
	for (uint32_t i = 0; i < 30; i++)
		burst(100 + i);
	cr_assert_gt(sessions, 0);
	move_qps(x.cq.obj.id);
	devx_own_cq_destroy(&own);
}

Test(compressed, basic_hash)
{
	bursts(DV_MINI_HASH, false);
}

Test(compressed, basic_csum)
{
	bursts(DV_MINI_CSUM, false);
}

Test(compressed, basic_csum_stridx)
{
	bursts(DV_MINI_CSUM_STRIDX, false);
}

Test(compressed, enhanced_hash)
{
	bursts(DV_MINI_HASH, true);
}

Test(compressed, enhanced_csum_stridx)
{
	bursts(DV_MINI_CSUM_STRIDX, true);
}
