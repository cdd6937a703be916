/* SPDX-License-Identifier: BSD-2-Clause */
/* Work queues, tables of them and QPs that spread over these, made by libmlx5; dv takes a work
 * queue over as a receive queue. */
#include <errno.h>

#include "fixture.h"

TestSuite(work_queues, .init = fixture_start, .fini = fixture_stop);

#define WQS 4

struct spread {
	struct ibv_cq *cq;
	struct ibv_wq *wq[WQS];
	struct ibv_rwq_ind_table *table;
};

static struct ibv_wq *new_wq(struct ibv_cq *cq)
{
	struct ibv_wq_init_attr attr = {
		.wq_type = IBV_WQT_RQ, .max_wr = 16, .max_sge = 3, .pd = f.pd, .cq = cq
	};

	return ibv_create_wq(f.ctx, &attr);
}

static int move(struct ibv_wq *wq, enum ibv_wq_state state)
{
	struct ibv_wq_attr attr = { .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = state };

	return ibv_modify_wq(wq, &attr);
}

static void up(struct spread *s)
{
	struct ibv_rwq_ind_table_init_attr attr = { .log_ind_tbl_size = 2, .ind_tbl = s->wq };

	s->cq = ibv_create_cq(f.ctx, 63, NULL, NULL, 0);
	for (int i = 0; i < WQS; i++) {
		s->wq[i] = new_wq(s->cq);
		if (!s->wq[i] && (errno == EOPNOTSUPP || errno == EPERM))
			cr_skip_test("no work queues");
		cr_assert_not_null(s->wq[i]);
	}
	s->table = ibv_create_rwq_ind_table(f.ctx, &attr);
	cr_assert_not_null(s->table);
}

static void down(struct spread *s)
{
	cr_assert_eq(ibv_destroy_rwq_ind_table(s->table), 0);
	for (int i = 0; i < WQS; i++)
		cr_assert_eq(ibv_destroy_wq(s->wq[i]), 0);
	cr_assert_eq(ibv_destroy_cq(s->cq), 0);
}

static struct ibv_qp *new_qp(struct spread *s, uint8_t key_len, uint64_t fields)
{
	static uint8_t key[40] = { 0x2c, 0xc6, 0x81, 0xd1 };
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE |
			     IBV_QP_INIT_ATTR_RX_HASH,
		.pd = f.pd,
		.rwq_ind_tbl = s->table,
		.rx_hash_conf = { .rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ,
				  .rx_hash_key_len = key_len,
				  .rx_hash_key = key,
				  .rx_hash_fields_mask = fields },
	};

	return ibv_create_qp_ex(f.ctx, &attr);
}

Test(work_queues, are_spread_over)
{
	struct spread s;
	struct ibv_qp *qp;

	up(&s);
	for (int i = 0; i < WQS; i++)
		cr_assert_eq(move(s.wq[i], IBV_WQS_RDY), 0);
	qp = new_qp(&s, 40, IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4);
	if (!qp && errno == EPERM)
		cr_skip_test("CAP_NET_RAW is needed");
	cr_assert_not_null(qp);
	cr_assert_eq(ibv_destroy_rwq_ind_table(s.table), EBUSY);
	cr_assert_eq(ibv_destroy_wq(s.wq[0]), EBUSY);
	cr_assert_eq(ibv_destroy_qp(qp), 0);
	down(&s);
}

Test(work_queues, hash_is_checked)
{
	struct spread s;

	up(&s);
	cr_assert_null(new_qp(&s, 16, IBV_RX_HASH_SRC_IPV4));
	cr_assert_eq(errno, EINVAL);
	cr_assert_null(new_qp(&s, 40, IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_SRC_IPV6));
	cr_assert_eq(errno, EINVAL);
	cr_assert_null(new_qp(&s, 40, 0));
	cr_assert_eq(errno, EINVAL);
	down(&s);
}

Test(work_queues, are_receive_queues_of_dv)
{
	struct ibv_cq *cq = ibv_create_cq(f.ctx, 63, NULL, NULL, 0);
	struct ibv_sge to[3] = { dst_sge(0, 10), dst_sge(10, 10), dst_sge(20, 10) };
	struct ibv_wq *wq = new_wq(cq);
	struct dv_rq rq;

	if (!wq && (errno == EOPNOTSUPP || errno == EPERM))
		cr_skip_test("no work queues");
	cr_assert_not_null(wq);
	cr_assert_eq(move(wq, IBV_WQS_RDY), 0);
	cr_assert_eq(dv_rq_map_wq(&rq, wq), 0);
	cr_assert_eq(rq.wqe_cnt, 16);
	cr_assert_eq(dv_rq_post(&rq, to, 3), 0);
	cr_assert_eq(move(wq, IBV_WQS_ERR), 0);
	cr_assert_neq(move(wq, IBV_WQS_RDY), 0);
	cr_assert_eq(move(wq, IBV_WQS_RESET), 0);
	cr_assert_eq(ibv_destroy_wq(wq), 0);
	cr_assert_eq(ibv_destroy_cq(cq), 0);
}

Test(work_queues, device_says_how_many)
{
	struct ibv_device_attr_ex attr = { 0 };

	cr_assert_eq(ibv_query_device_ex(f.ctx, NULL, &attr), 0);
	if (!attr.max_wq_type_rq)
		cr_skip_test("no work queues");
	cr_assert_eq(attr.rss_caps.supported_qpts, 1u << IBV_QPT_RAW_PACKET);
	cr_assert_geq(attr.rss_caps.max_rwq_indirection_table_size, WQS);
	cr_assert_geq(attr.rss_caps.max_rwq_indirection_tables, 1);
}
