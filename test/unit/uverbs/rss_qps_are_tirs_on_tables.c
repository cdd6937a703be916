/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of work queues, and QPs that spread frames over them: what the device sees, what is
 * refused and how, who cannot be destroyed. */
#include "ethernet.h"

#define SUITE rss_qps_are_tirs_on_tables

struct spread {
	struct rig r;
	struct ib_uverbs_ex_create_wq_resp wq[2];
	struct ib_uverbs_ex_create_rwq_ind_table_resp table;
};

static void up_with(struct spread *s, void (*change)(struct hca *))
{
	uint32_t handles[4];

	if (!has_cap(CAP_NET_RAW))
		cr_skip_test("CAP_NET_RAW is needed");
	rig_up_with(&s->r, change);
	for (int i = 0; i < 2; i++)
		s->wq[i] = new_wq(&s->r);
	for (int i = 0; i < 4; i++)
		handles[i] = s->wq[i % 2].wq_handle;
	cr_assert_eq(create_table(&s->r, 2, handles, 4, &s->table), 0);
}

static void up(struct spread *s)
{
	up_with(s, NULL);
}

static int rss(struct spread *s, const struct mlx5_ib_create_qp_rss *a)
{
	struct rss_qp qp;

	return create_rss(&s->r, s->table.ind_tbl_handle, a, 0, &qp);
}

Test(SUITE, a_table_is_an_rqt)
{
	struct hca_rqt *rqt;
	struct spread s;

	up(&s);
	rqt = core_ids_get(&s.r.b.hca.rqts, s.table.ind_tbl_num);
	cr_assert_not_null(rqt);
	cr_assert_eq(rqt->cnt, 4);
	for (int i = 0; i < 4; i++)
		cr_assert_eq(rqt->rq[i]->rqn, s.wq[i % 2].wqn);
	cr_assert_eq(PRM_GET(rqtc, rqt->rqtc, rqt_max_size), 4);
	rig_down(&s.r);
}

Test(SUITE, tables_are_checked)
{
	struct ib_uverbs_ex_create_rwq_ind_table_resp resp;
	uint32_t handles[4];
	struct spread s;

	up(&s);
	for (int i = 0; i < 4; i++)
		handles[i] = s.wq[0].wq_handle;
	cr_assert_eq(create_table(&s.r, 14, handles, 4, &resp), -EINVAL);
	cr_assert_eq(create_table(&s.r, 3, handles, 4, &resp), -ENOSPC, "handles are missing");
	handles[3] = s.r.cq.handle;
	cr_assert_eq(create_table(&s.r, 2, handles, 4, &resp), -EINVAL);
	cr_assert_eq(create_table(&s.r, 0, handles, 1, &resp), 0);
	cr_assert_eq(destroy_table(&s.r, s.wq[0].wq_handle), -EINVAL);
	rig_down(&s.r);
}

static void one_bit(struct hca *hca)
{
	PRM_SET(cmd_hca_cap, hca->caps[0], log_max_rqt_size, 2);
}

Test(SUITE, the_adapter_limits_a_table)
{
	struct ib_uverbs_ex_create_rwq_ind_table_resp resp;
	uint32_t handles[8];
	struct spread s;

	up_with(&s, one_bit);
	for (int i = 0; i < 8; i++)
		handles[i] = s.wq[0].wq_handle;
	cr_assert_eq(create_table(&s.r, 3, handles, 8, &resp), -EINVAL);
	rig_down(&s.r);
}

Test(SUITE, a_qp_is_a_tir)
{
	struct mlx5_ib_create_qp_rss a = rss_attr();
	const struct hca_tir *tir;
	struct rss_qp qp;
	struct spread s;
	const uint8_t *sel;

	up(&s);
	a.rx_hash_fields_mask =
		MLX5_RX_HASH_SRC_IPV6 | MLX5_RX_HASH_DST_IPV6 | MLX5_RX_HASH_DST_PORT_UDP;
	a.flags = MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_MC;
	cr_assert_eq(create_rss(&s.r, s.table.ind_tbl_handle, &a, 0, &qp), 0);
	cr_assert_eq(qp.qpn, 0);
	cr_assert_eq(qp.uhw.comp_mask, MLX5_IB_CREATE_QP_RESP_MASK_TIRN);
	tir = core_ids_get(&s.r.b.hca.tirs, qp.uhw.tirn);
	cr_assert_not_null(tir);
	cr_assert_eq(tir->rqt->rqtn, s.table.ind_tbl_num);
	cr_assert_eq(PRM_GET(tirc, tir->tirc, disp_type), 1);
	cr_assert_eq(PRM_GET(tirc, tir->tirc, rx_hash_fn), 2, "Toeplitz");
	cr_assert_eq(PRM_GET(tirc, tir->tirc, rx_hash_symmetric), 0);
	cr_assert_eq(PRM_GET(tirc, tir->tirc, self_lb_block), 2);
	cr_assert_arr_eq(PRM_ADDR(tirc, tir->tirc, rx_hash_toeplitz_key), a.rx_hash_key, 40);
	sel = PRM_ADDR(tirc, tir->tirc, rx_hash_field_selector_outer);
	/* IPv6, UDP; source and destination address, destination port */
	cr_assert_arr_eq(sel, ((uint8_t[]){ 0xc0, 0, 0, 1 | 2 | 8 }), 4);
	cr_assert_neq(PRM_GET(tirc, tir->tirc, transport_domain), 0);
	rig_down(&s.r);
}

Test(SUITE, the_hash_is_checked_in_order)
{
	struct mlx5_ib_create_qp_rss a = rss_attr();
	struct spread s;

	up(&s);
	a.rx_key_len = 39;
	cr_assert_eq(rss(&s, &a), -EINVAL);
	a.rx_hash_function = 0;
	cr_assert_eq(rss(&s, &a), -EOPNOTSUPP, "before the key");
	a = rss_attr();
	a.comp_mask = 1;
	cr_assert_eq(rss(&s, &a), -EOPNOTSUPP);
	a = rss_attr();
	a.rx_hash_fields_mask |= MLX5_RX_HASH_INNER;
	cr_assert_eq(rss(&s, &a), -EOPNOTSUPP);
	a = rss_attr();
	a.rx_hash_fields_mask |= MLX5_RX_HASH_DST_IPV6;
	cr_assert_eq(rss(&s, &a), -EINVAL);
	a = rss_attr();
	a.rx_hash_fields_mask |= MLX5_RX_HASH_SRC_PORT_TCP | MLX5_RX_HASH_SRC_PORT_UDP;
	cr_assert_eq(rss(&s, &a), -EINVAL);
	a.rx_hash_fields_mask = MLX5_RX_HASH_SRC_PORT_TCP | MLX5_RX_HASH_IPSEC_SPI;
	cr_assert_eq(rss(&s, &a), -EINVAL);
	a.rx_hash_fields_mask = 0;
	cr_assert_eq(rss(&s, &a), -EINVAL, "four queues and nothing to choose by");
	a = rss_attr();
	a.flags = MLX5_QP_FLAG_SIGNATURE;
	a.comp_mask = 1;
	cr_assert_eq(rss(&s, &a), -EINVAL, "flags come first");
	cr_assert_eq(s.r.b.hca.tirs.used, 0);
	rig_down(&s.r);
}

Test(SUITE, no_fields_need_a_table_of_one)
{
	struct ib_uverbs_ex_create_rwq_ind_table_resp one;
	struct mlx5_ib_create_qp_rss a = rss_attr();
	struct rss_qp qp;
	struct spread s;

	up(&s);
	a.rx_hash_fields_mask = 0;
	cr_assert_eq(create_table(&s.r, 0, &s.wq[1].wq_handle, 1, &one), 0);
	cr_assert_eq(create_rss(&s.r, one.ind_tbl_handle, &a, 0, &qp), 0);
	rig_down(&s.r);
}

Test(SUITE, it_has_no_flags_no_states_and_no_attributes)
{
	struct mlx5_ib_create_qp_rss a = rss_attr();
	struct ib_uverbs_query_qp_resp resp;
	struct ib_uverbs_query_qp q = { 0 };
	struct ib_uverbs_modify_qp m;
	struct rss_qp qp;
	struct spread s;

	up(&s);
	cr_assert_eq(create_rss(&s.r, s.table.ind_tbl_handle, &a,
				IB_UVERBS_QP_CREATE_SCATTER_FCS, &qp),
		     -EINVAL);
	cr_assert_eq(create_rss(&s.r, s.table.ind_tbl_handle, &a, 0, &qp), 0);
	s.r.qp.handle = qp.handle;
	m = to_state(&s.r, IBV_QPS_INIT);
	cr_assert_eq(modify(&s.r, &m), -ENOSYS);
	q.qp_handle = qp.handle;
	cr_assert_eq(write_cmd(&s.r.b, IB_USER_VERBS_CMD_QUERY_QP, &q, sizeof(q), &resp,
			       sizeof(resp)),
		     -ENOSYS);
	rig_down(&s.r);
}

Test(SUITE, who_is_used_stays)
{
	struct mlx5_ib_create_qp_rss a = rss_attr();
	struct ib_uverbs_destroy_qp_resp resp;
	struct rss_qp qp;
	struct spread s;

	up(&s);
	cr_assert_eq(create_rss(&s.r, s.table.ind_tbl_handle, &a, 0, &qp), 0);
	cr_assert_eq(destroy_table(&s.r, s.table.ind_tbl_handle), -EBUSY);
	cr_assert_eq(destroy_wq(&s.r, s.wq[0].wq_handle), -EBUSY);
	cr_assert_eq(destroy_qp(&s.r.b, qp.handle, &resp), 0);
	cr_assert_eq(destroy_wq(&s.r, s.wq[0].wq_handle), -EBUSY, "still in the table");
	cr_assert_eq(destroy_table(&s.r, s.table.ind_tbl_handle), 0);
	cr_assert_eq(destroy_wq(&s.r, s.wq[0].wq_handle), 0);
	rig_down(&s.r);
}

Test(SUITE, release_takes_all)
{
	struct mlx5_ib_create_qp_rss a = rss_attr();
	struct spread s;

	up(&s);
	cr_assert_eq(rss(&s, &a), 0);
	uverbs_release(s.r.b.f);
	s.r.b.f = NULL;
	cr_assert_eq(s.r.b.hca.tirs.used + s.r.b.hca.rqts.used + s.r.b.hca.rqs.used, 0);
	rig_down(&s.r);
}

Test(SUITE, without_cap_net_raw_it_is_eperm)
{
	struct mlx5_ib_create_qp_rss a = rss_attr();
	struct spread s;

	up(&s);
	drop_cap(CAP_NET_RAW);
	cr_assert_eq(rss(&s, &a), -EPERM);
	rig_down(&s.r);
}
