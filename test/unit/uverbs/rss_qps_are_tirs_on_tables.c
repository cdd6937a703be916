/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of work queues, and QPs that spread frames over them: what the device sees, what is
 * refused and how, who cannot be destroyed. */
#include "ethernet.h"

#define SUITE rss_qps_are_tirs_on_tables

/* A table of four entries, the WQs in turn. */
static struct ib_uverbs_ex_create_wq_resp wq[2];
static struct ib_uverbs_ex_create_rwq_ind_table_resp table;

static void table_open_with(void (*change)(struct hca *))
{
	uint32_t handles[4];

	if (!has_cap(CAP_NET_RAW))
		cr_skip_test("CAP_NET_RAW is needed");
	rig_up_with(&r, change);
	for (int i = 0; i < 2; i++)
		wq[i] = new_wq(&r);
	for (int i = 0; i < 4; i++)
		handles[i] = wq[i % 2].wq_handle;
	cr_assert_eq(create_table(&r, 2, handles, 4, &table), 0);
}

static void table_open(void)
{
	table_open_with(NULL);
}

TestSuite(SUITE, .init = table_open, .fini = qp_close);

static int rss(const struct mlx5_ib_create_qp_rss *a)
{
	struct rss_qp qp;

	return create_rss(&r, table.ind_tbl_handle, a, 0, &qp);
}

Test(SUITE, a_table_is_an_rqt)
{
	struct hca_rqt *rqt;

	rqt = core_ids_get(&r.b.hca.rqts, table.ind_tbl_num);
	cr_assert_not_null(rqt);
	cr_assert_eq(rqt->cnt, 4);
	for (int i = 0; i < 4; i++)
		cr_assert_eq(rqt->rq[i]->rqn, wq[i % 2].wqn);
	cr_assert_eq(PRM_GET(rqtc, rqt->rqtc, rqt_max_size), 4);
}

Test(SUITE, tables_are_checked)
{
	struct ib_uverbs_ex_create_rwq_ind_table_resp resp;
	uint32_t handles[4];

	for (int i = 0; i < 4; i++)
		handles[i] = wq[0].wq_handle;
	cr_assert_eq(create_table(&r, 14, handles, 4, &resp), -EINVAL);
	cr_assert_eq(create_table(&r, 3, handles, 4, &resp), -ENOSPC, "handles are missing");
	handles[3] = r.cq.handle;
	cr_assert_eq(create_table(&r, 2, handles, 4, &resp), -EINVAL);
	cr_assert_eq(create_table(&r, 0, handles, 1, &resp), 0);
	cr_assert_eq(destroy_table(&r, wq[0].wq_handle), -EINVAL);
}

static void one_bit(struct hca *hca)
{
	PRM_SET(cmd_hca_cap, hca->caps[0], log_max_rqt_size, 2);
}

Test(SUITE, the_adapter_limits_a_table)
{
	struct ib_uverbs_ex_create_rwq_ind_table_resp resp;
	uint32_t handles[8];

	qp_close();
	table_open_with(one_bit);
	for (int i = 0; i < 8; i++)
		handles[i] = wq[0].wq_handle;
	cr_assert_eq(create_table(&r, 3, handles, 8, &resp), -EINVAL);
}

Test(SUITE, a_qp_is_a_tir)
{
	struct mlx5_ib_create_qp_rss a = rss_attr();
	const struct hca_tir *tir;
	struct rss_qp qp;
	const uint8_t *sel;

	a.rx_hash_fields_mask =
		MLX5_RX_HASH_SRC_IPV6 | MLX5_RX_HASH_DST_IPV6 | MLX5_RX_HASH_DST_PORT_UDP;
	a.flags = MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_MC;
	cr_assert_eq(create_rss(&r, table.ind_tbl_handle, &a, 0, &qp), 0);
	cr_assert_eq(qp.qpn, 0);
	cr_assert_eq(qp.uhw.bfreg_index, 0, "it rings nothing");
	cr_assert_eq(qp.uhw.comp_mask, MLX5_IB_CREATE_QP_RESP_MASK_TIRN |
					       MLX5_IB_CREATE_QP_RESP_MASK_TIR_ICM_ADDR);
	cr_assert_eq(qp.uhw.tir_icm_addr, 0x2000000000 + 64ull * qp.uhw.tirn);
	tir = core_ids_get(&r.b.hca.tirs, qp.uhw.tirn);
	cr_assert_not_null(tir);
	cr_assert_eq(tir->rqt->rqtn, table.ind_tbl_num);
	cr_assert_eq(PRM_GET(tirc, tir->tirc, disp_type), 1);
	cr_assert_eq(PRM_GET(tirc, tir->tirc, rx_hash_fn), 2, "Toeplitz");
	cr_assert_eq(PRM_GET(tirc, tir->tirc, rx_hash_symmetric), 0);
	cr_assert_eq(PRM_GET(tirc, tir->tirc, self_lb_block), 2);
	cr_assert_arr_eq(PRM_ADDR(tirc, tir->tirc, rx_hash_toeplitz_key), a.rx_hash_key, 40);
	sel = PRM_ADDR(tirc, tir->tirc, rx_hash_field_selector_outer);
	/* IPv6, UDP; source and destination address, destination port */
	cr_assert_arr_eq(sel, ((uint8_t[]){ 0xc0, 0, 0, 1 | 2 | 8 }), 4);
	cr_assert_neq(PRM_GET(tirc, tir->tirc, transport_domain), 0);
}

/* Selector: bit 31 IPv6, bit 30 UDP; source and destination address, ports, SPI. */
Test(SUITE, each_hash_field_is_selected)
{
	static const struct {
		uint64_t fields;
		uint32_t selector;
	} rows[] = {
		{ MLX5_RX_HASH_SRC_IPV4, 1 },
		{ MLX5_RX_HASH_DST_IPV4, 2 },
		{ MLX5_RX_HASH_SRC_IPV6, 1u << 31 | 1 },
		{ MLX5_RX_HASH_DST_IPV6, 1u << 31 | 2 },
		{ MLX5_RX_HASH_SRC_PORT_TCP, 4 },
		{ MLX5_RX_HASH_DST_PORT_TCP, 8 },
		{ MLX5_RX_HASH_SRC_PORT_UDP, 1u << 30 | 4 },
		{ MLX5_RX_HASH_DST_PORT_UDP, 1u << 30 | 8 },
		{ MLX5_RX_HASH_IPSEC_SPI, 16 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct mlx5_ib_create_qp_rss a = rss_attr();
		const struct hca_tir *tir;
		struct rss_qp qp;

		a.rx_hash_fields_mask = rows[i].fields;
		cr_assert_eq(create_rss(&r, table.ind_tbl_handle, &a, 0, &qp), 0, "%zu", i);
		tir = core_ids_get(&r.b.hca.tirs, qp.uhw.tirn);
		cr_expect_eq(core_be32(PRM_ADDR(tirc, tir->tirc, rx_hash_field_selector_outer)),
			     rows[i].selector, "%zu", i);
	}
}

Test(SUITE, the_hash_is_checked_in_order)
{
	struct mlx5_ib_create_qp_rss a = rss_attr();

	rss_cap.max_recv_wr = 1;
	cr_assert_eq(rss(&a), -EINVAL, "it has no RQ");
	rss_cap = (struct ib_uverbs_qp_cap){ .max_recv_sge = 1 };
	cr_assert_eq(rss(&a), -EINVAL);
	rss_cap.max_recv_sge = 0;
	a.rx_key_len = 39;
	cr_assert_eq(rss(&a), -EINVAL);
	a.rx_hash_function = 0;
	cr_assert_eq(rss(&a), -EOPNOTSUPP, "before the key");
	WITH(a, rss_attr(), a.comp_mask = 1, rss(&a), -EOPNOTSUPP);
	cr_assert_eq(rss(WILD), -EFAULT);
	WITH(a, rss_attr(), a.rx_hash_fields_mask |= MLX5_RX_HASH_INNER, rss(&a), -EOPNOTSUPP);
	WITH(a, rss_attr(), a.rx_hash_fields_mask |= MLX5_RX_HASH_DST_IPV6, rss(&a), -EINVAL);
	a = rss_attr();
	a.rx_hash_fields_mask |= MLX5_RX_HASH_SRC_PORT_TCP | MLX5_RX_HASH_SRC_PORT_UDP;
	cr_assert_eq(rss(&a), -EINVAL);
	a.rx_hash_fields_mask = MLX5_RX_HASH_SRC_PORT_TCP | MLX5_RX_HASH_IPSEC_SPI;
	cr_assert_eq(rss(&a), -EINVAL);
	a.rx_hash_fields_mask = 0;
	cr_assert_eq(rss(&a), -EINVAL, "four queues and nothing to choose by");
	a = rss_attr();
	a.flags = MLX5_QP_FLAG_SIGNATURE;
	a.comp_mask = 1;
	cr_assert_eq(rss(&a), -EINVAL, "flags come first");
	cr_assert_eq(r.b.hca.tirs.used, 0);
}

/* mlx5_ib, qp.c, create_rss_raw_qp_tir: mlx5_ib_enable_lb() if a flag asks for it */
Test(SUITE, own_packets_are_asked_for)
{
	static const uint32_t flags[] = { 0, MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_UC,
					  MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_MC };
	struct mlx5_ib_create_qp_rss a = rss_attr();
	struct ib_uverbs_destroy_qp_resp resp;
	struct rss_qp qp;

	for (int i = 0; i < 3; i++) {
		a.flags = flags[i];
		cr_assert_eq(create_rss(&r, table.ind_tbl_handle, &a, 0, &qp), 0);
		cr_expect_eq(r.b.hca.loops, i > 0, "flags 0x%x", flags[i]);
		cr_assert_eq(destroy_qp(&r.b, qp.handle, &resp), 0);
		cr_expect_eq(r.b.hca.loops, 0);
	}
}

/* struct mlx5_ib_create_rwq_ind_tbl_resp */
Test(SUITE, answer_of_mlx5_has_space_or_is_absent)
{
	static const int len[][2] = { { 0, 0 }, { 7, -EINVAL }, { 8, 0 }, { 12, 0 } };
	uint32_t cmd[4] = { 0, 0, wq[0].wq_handle }, uhw[3];
	struct ib_uverbs_ex_create_rwq_ind_table_resp resp;

	for (size_t i = 0; i < sizeof(len) / sizeof(len[0]); i++) {
		uhw[0] = 0;
		cr_expect_eq(write_uhw(&r.b, EX(IB_USER_VERBS_EX_CMD_CREATE_RWQ_IND_TBL),
				       (struct buf){ cmd, 16, &resp, sizeof(resp) },
				       (struct buf){ .out = uhw, .out_len = len[i][0] }),
			     len[i][1], "%d bytes", len[i][0]);
		cr_expect_eq(uhw[0], len[i][0] < 8 ? 0 : 8, "response_length");
	}
}

Test(SUITE, no_fields_need_a_table_of_one)
{
	struct ib_uverbs_ex_create_rwq_ind_table_resp one;
	struct mlx5_ib_create_qp_rss a = rss_attr();
	struct rss_qp qp;

	a.rx_hash_fields_mask = 0;
	cr_assert_eq(create_table(&r, 0, &wq[1].wq_handle, 1, &one), 0);
	cr_assert_eq(create_rss(&r, one.ind_tbl_handle, &a, 0, &qp), 0);
}

Test(SUITE, it_has_no_flags_no_states_and_no_attributes)
{
	struct mlx5_ib_create_qp_rss a = rss_attr();
	struct ib_uverbs_query_qp_resp resp;
	struct ib_uverbs_query_qp q = { 0 };
	struct ib_uverbs_modify_qp m;
	struct rss_qp qp;

	cr_assert_eq(
		create_rss(&r, table.ind_tbl_handle, &a, IB_UVERBS_QP_CREATE_SCATTER_FCS, &qp),
		-EINVAL);
	cr_assert_eq(create_rss(&r, table.ind_tbl_handle, &a, 0, &qp), 0);
	r.qp.handle = qp.handle;
	m = to_state(&r, IBV_QPS_INIT);
	cr_assert_eq(modify(&r, &m), -ENOSYS);
	q.qp_handle = qp.handle;
	cr_assert_eq(
		write_cmd(&r.b, IB_USER_VERBS_CMD_QUERY_QP, &q, sizeof(q), &resp, sizeof(resp)),
		-ENOSYS);
}

Test(SUITE, who_is_used_stays)
{
	struct mlx5_ib_create_qp_rss a = rss_attr();
	struct ib_uverbs_destroy_qp_resp resp;
	struct rss_qp qp;

	cr_assert_eq(create_rss(&r, table.ind_tbl_handle, &a, 0, &qp), 0);
	cr_assert_eq(destroy_table(&r, table.ind_tbl_handle), -EBUSY);
	cr_assert_eq(destroy_wq(&r, wq[0].wq_handle), -EBUSY);
	cr_assert_eq(destroy_qp(&r.b, qp.handle, &resp), 0);
	cr_assert_eq(destroy_wq(&r, wq[0].wq_handle), -EBUSY, "still in the table");
	cr_assert_eq(destroy_table(&r, table.ind_tbl_handle), 0);
	cr_assert_eq(destroy_wq(&r, wq[0].wq_handle), 0);
}

Test(SUITE, without_cap_net_raw_it_is_eperm)
{
	struct mlx5_ib_create_qp_rss a = rss_attr();

	drop_cap(CAP_NET_RAW);
	cr_assert_eq(rss(&a), -EPERM);
}
