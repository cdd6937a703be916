/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assumptions of the emulator about firmware commands, in the form that asks an adapter: see
 * completions.c. The objects are those of verbs; the commands on them are written here and go
 * through DevX.
 *
 *	command without a mistake -> OK; else nothing can be decided
 *	the same with one         -> the status that is assumed
 */
#include <prm/prm.h>
#include "lib/qp_traffic.h"

/* @err is what libmlx5 says, @out begins with the status: was firmware asked at all? */
static uint8_t status_of(int err, const uint8_t *out)
{
	if (err && !out[0])
		cr_skip_test("no DevX commands on verbs objects: %s", strerror(err));
	return out[0];
}

static struct mlx5dv_cq dv_of_cq(struct ibv_cq *ibcq)
{
	struct mlx5dv_cq cq = { 0 };
	struct mlx5dv_obj obj = { .cq = { ibcq, &cq } };

	cr_assert_eq(mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ), 0);
	return cq;
}

static uint32_t pdn_of(struct ibv_pd *ibpd)
{
	struct mlx5dv_pd pd = { 0 };
	struct mlx5dv_obj obj = { .pd = { ibpd, &pd } };

	cr_assert_eq(mlx5dv_init_obj(&obj, MLX5DV_OBJ_PD), 0);
	return pd.pdn;
}

Test(assumed, fresh_cq_reads_as_fired)
{
	uint8_t in[PRM_SZ(query_cq_in)] = { 0 }, out[PRM_SZ(query_cq_out)] = { 0 };
	struct ibv_cq *cq = ibv_create_cq(r.ctx, 10, NULL, NULL, 0);
	int err;

	cr_assert_not_null(cq);
	PRM_SET(query_cq_in, in, opcode, PRM_OP_QUERY_CQ);
	PRM_SET(query_cq_in, in, cqn, dv_of_cq(cq).cqn);
	err = mlx5dv_devx_cq_query(cq, in, sizeof(in), out, sizeof(out));
	cr_assert_eq(status_of(err, out), PRM_STATUS_OK);
	cr_assert_eq(PRM_GET(cqc, PRM_ADDR(query_cq_out, out, cq_context), st),
		     PRM_CQC_ST_FIRED);
}

Test(assumed, lag_state_is_always_reported)
{
	uint8_t in[PRM_SZ(query_lag_in)] = { 0 }, out[PRM_SZ(query_lag_out)] = { 0 };
	int err;

	PRM_SET(query_lag_in, in, opcode, PRM_OP_QUERY_LAG);
	err = mlx5dv_devx_general_cmd(r.ctx, in, sizeof(in), out, sizeof(out));
	cr_assert_eq(status_of(err, out), PRM_STATUS_OK);
}

Test(assumed, hw_sq_counter_is_next_to_send)
{
	uint8_t in[PRM_SZ(query_qp_in)] = { 0 }, out[PRM_SZ(query_qp_out)] = { 0 };
	int err;

	wired();
	map_by_dv(&r.a);
	for (int i = 0; i < 5; i++)
		cr_assert_eq(dv_sq_nop(&r.a.sq, i == 4 ? MLX5_WQE_CTRL_CQ_UPDATE : 0), 0);
	dv_sq_doorbell(&r.a.sq);
	next_cqe(&r.a);
	PRM_SET(query_qp_in, in, opcode, PRM_OP_QUERY_QP);
	PRM_SET(query_qp_in, in, qpn, r.a.qp->qp_num);
	err = mlx5dv_devx_qp_query(r.a.qp, in, sizeof(in), out, sizeof(out));
	cr_assert_eq(status_of(err, out), PRM_STATUS_OK);
	cr_assert_eq(PRM_GET(qpc, PRM_ADDR(query_qp_out, out, qpc), hw_sq_wqebb_counter), 5);
}

/* ---- moving a QP ---- */

static uint8_t inbox[PRM_SZ(init2rtr_qp_in)];
static uint8_t *const qpc = inbox + PRM_OFF(init2rtr_qp_in, qpc) / 8;
static uint8_t *const path =
	inbox + PRM_OFF(init2rtr_qp_in, qpc) / 8 + PRM_OFF(qpc, primary_address_path) / 8;

/* The inbox of a move of r.a; the transitions have one layout. */
static void move(uint16_t opcode, enum ibv_qp_state from)
{
	with.a_state = from;
	pair(with);
	memset(inbox, 0, sizeof(inbox));
	PRM_SET(init2rtr_qp_in, inbox, opcode, opcode);
	PRM_SET(init2rtr_qp_in, inbox, qpn, r.a.qp->qp_num);
	PRM_SET(qpc, qpc, pm_state, PRM_QPC_PM_STATE_MIGRATED);
	PRM_SET(ads, path, vhca_port_num, 1);
}

static uint8_t moved(void)
{
	uint8_t out[PRM_SZ(init2rtr_qp_out)] = { 0 };
	int err = mlx5dv_devx_qp_modify(r.a.qp, inbox, sizeof(inbox), out, sizeof(out));

	return status_of(err, out);
}

/* Without a mistake the command passes, or the test with the mistake shows nothing. */
static void moves(void)
{
	uint8_t status = moved();

	if (status != PRM_STATUS_OK)
		cr_skip_test("the command without a mistake ends in status 0x%x", status);
	unpair();
}

Test(assumed, unknown_opt_param_is_refused)
{
	move(PRM_OP_RST2INIT_QP, IBV_QPS_RESET);
	moves();
	move(PRM_OP_RST2INIT_QP, IBV_QPS_RESET);
	PRM_SET(init2rtr_qp_in, inbox, opt_param_mask, 1u << 31);
	cr_assert_eq(moved(), PRM_STATUS_BAD_PARAM);
}

Test(assumed, modify_repeats_the_creation)
{
	move(PRM_OP_RST2INIT_QP, IBV_QPS_RESET);
	PRM_SET(qpc, qpc, pd, pdn_of(r.pd));
	PRM_SET(qpc, qpc, cqn_snd, dv_of_cq(r.a.ibcq).cqn);
	moves();
	move(PRM_OP_RST2INIT_QP, IBV_QPS_RESET);
	PRM_SET(qpc, qpc, pd, pdn_of(ibv_alloc_pd(r.ctx)));
	cr_expect_eq(moved(), PRM_STATUS_BAD_PARAM, "another PD");
	unpair();
	move(PRM_OP_RST2INIT_QP, IBV_QPS_RESET);
	PRM_SET(qpc, qpc, cqn_snd, dv_of_cq(r.b.ibcq).cqn);
	cr_expect_eq(moved(), PRM_STATUS_BAD_PARAM, "another CQ");
}

/* The index of a GID entry that is not filled; skips if there is none. */
static uint8_t empty_gid(void)
{
	union ibv_gid gid, none = { 0 };

	for (int i = r.port.gid_tbl_len < 256 ? r.port.gid_tbl_len : 256; i--;)
		if (ibv_query_gid(r.ctx, 1, i, &gid) || !memcmp(&gid, &none, sizeof(gid)))
			return (uint8_t)i;
	cr_skip_test("the GID table is full");
	return 0;
}

/* An inbox that takes r.a to RTR, with the GID of @index. */
static void move_to_rtr(const struct mlx5_wqe_av *av, uint8_t index)
{
	move(PRM_OP_INIT2RTR_QP, IBV_QPS_INIT);
	PRM_SET(qpc, qpc, mtu, IBV_MTU_1024);
	PRM_SET(qpc, qpc, log_msg_max, 30);
	PRM_SET(qpc, qpc, remote_qpn, r.b.qp->qp_num);
	PRM_SET(ads, path, hop_limit, 64);
	PRM_SET(ads, path, udp_sport, 0xc000);
	memcpy(PRM_ADDR(ads, path, rgid_rip), r.gid.raw, sizeof(r.gid.raw));
	memcpy(PRM_ADDR(ads, path, rmac_47_32), av->rmac, sizeof(av->rmac));
	PRM_SET(ads, path, src_addr_index, index);
}

Test(assumed, rtr_needs_a_set_gid)
{
	struct ibv_ah_attr attr = {
		.port_num = 1,
		.is_global = 1,
		.grh = { .dgid = r.gid, .sgid_index = r.gid_index, .hop_limit = 64 }
	};
	struct mlx5dv_ah ah = { 0 };
	struct mlx5dv_obj obj = { .ah = { NULL, &ah } };

	if (r.port.link_layer != IBV_LINK_LAYER_ETHERNET)
		cr_skip_test("the port is not RoCE");
	obj.ah.in = ibv_create_ah(r.pd, &attr);
	cr_assert_not_null(obj.ah.in);
	cr_assert_eq(mlx5dv_init_obj(&obj, MLX5DV_OBJ_AH), 0);
	move_to_rtr(ah.av, r.gid_index);
	moves();
	move_to_rtr(ah.av, empty_gid());
	cr_assert_eq(moved(), PRM_STATUS_BAD_PARAM);
}
