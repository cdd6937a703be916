/* SPDX-License-Identifier: BSD-2-Clause */
/* Work queues, tables of them, and the QPs that spread packets over a table. */
#include "calls.h"

static struct ibv_wq_init_attr attributes(void)
{
	return (struct ibv_wq_init_attr){
		.wq_type = IBV_WQT_RQ, .max_wr = 4, .max_sge = 1, .pd = bench.pd, .cq = bench.cq
	};
}

static struct ibv_wq *create(struct ibv_wq_init_attr *a, const char *what,
			     unsigned long long value)
{
	struct ibv_wq *wq =
		MADE(ibv_create_wq(bench.ctx, a), "ibv_create_wq %s=%llu", what, value);

	if (wq)
		put("max_wr=%u max_sge=%u state=%u", a->max_wr, a->max_sge, wq->state);
	return wq;
}

static void destroy(struct ibv_wq *wq)
{
	if (wq)
		DONE(ibv_destroy_wq(wq), "ibv_destroy_wq");
}

#define EACH(what, member, ...)                                         \
	do {                                                            \
		const uint32_t each[] = { __VA_ARGS__ };                \
		for (size_t i_ = 0; i_ < COUNT(each); i_++) {           \
			struct ibv_wq_init_attr a = attributes();       \
			memcpy(&a.member, &each[i_], sizeof(a.member)); \
			destroy(create(&a, what, each[i_]));            \
		}                                                       \
	} while (0)

static void creations(void)
{
	struct ibv_wq_init_attr a;

	EACH("type", wq_type, 0, 1, 2);
	EACH("max_wr", max_wr, 0, 1, 2, 3, 64, 100, 8192, 32767, 32768, 32769, 65536,
	     UINT32_MAX);
	EACH("max_sge", max_sge, 0, 1, 2, 3, 4, 16, 31, 32, 33, UINT32_MAX);
	EACH("comp_mask", comp_mask, 0, 1, 2, 3, 4);
	for (unsigned int flags = 0; flags < 32; flags++) {
		a = attributes();
		a.comp_mask = IBV_WQ_INIT_ATTR_FLAGS;
		a.create_flags = flags;
		destroy(create(&a, "create_flags", flags));
	}
	for (unsigned int bytes = 0; bytes <= 20; bytes++)
		for (unsigned int strides = 0; strides <= 18; strides += bytes == 6 ? 1 : 9) {
			struct mlx5dv_wq_init_attr dv = {
				.comp_mask = MLX5DV_WQ_INIT_ATTR_MASK_STRIDING_RQ,
				.striding_rq_attrs = { bytes, strides, (uint8_t)(strides & 1) }
			};

			a = attributes();
			destroy(MADE(mlx5dv_create_wq(bench.ctx, &a, &dv),
				     "mlx5dv_create_wq stride=2^%u strides=2^%u", bytes,
				     strides));
		}
	for (uint64_t mask = 0; mask <= 4; mask++) {
		struct mlx5dv_wq_init_attr dv = { .comp_mask = mask };

		a = attributes();
		destroy(MADE(mlx5dv_create_wq(bench.ctx, &a, &dv),
			     "mlx5dv_create_wq comp_mask=%u", (unsigned int)mask));
	}
}

static void to_state(struct ibv_wq *wq, enum ibv_wq_state state)
{
	struct ibv_wq_attr a = { .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = state };

	if (!DONE(ibv_modify_wq(wq, &a), "ibv_modify_wq to %u", state))
		put("state=%u", wq->state);
}

/* No states that do not exist: after them Linux 6.1 never destroys the WQ
 * (ib_uverbs_ex_modify_wq). */
static void moves(void)
{
	for (unsigned int from = IBV_WQS_RESET; from <= IBV_WQS_ERR; from++)
		for (unsigned int to = IBV_WQS_RESET; to <= IBV_WQS_ERR; to++)
			for (uint32_t mask = 0; mask <= 8; mask++)
				for (unsigned int cur = 0; cur <= (mask & 2 ? 2 : 0); cur++) {
					struct ibv_wq_init_attr init = attributes();
					struct ibv_wq *wq = create(&init, "move", 0);
					struct ibv_wq_attr a = {
						.attr_mask = mask,
						.wq_state = (enum ibv_wq_state)to,
						.curr_wq_state = (enum ibv_wq_state)cur,
						.flags = IBV_WQ_FLAGS_CVLAN_STRIPPING,
						.flags_mask = IBV_WQ_FLAGS_CVLAN_STRIPPING
					};

					NEED(wq);
					if (from)
						to_state(wq, IBV_WQS_RDY);
					if (from == IBV_WQS_ERR)
						to_state(wq, IBV_WQS_ERR);
					DONE(ibv_modify_wq(wq, &a),
					     "ibv_modify_wq %u to %u mask=%u cur=%u", from, to,
					     mask, cur);
					put("state=%u", wq->state);
					destroy(wq);
				}
	for (uint32_t flags = 0; flags <= 32; flags = flags ? flags << 1 : 1)
		for (uint32_t mask = 0; mask <= 32; mask = mask ? mask << 1 : 1) {
			struct ibv_wq_init_attr init = attributes();
			struct ibv_wq *wq = create(&init, "flags", 0);
			struct ibv_wq_attr a = { .attr_mask =
							 IBV_WQ_ATTR_FLAGS | IBV_WQ_ATTR_STATE,
						 .wq_state = IBV_WQS_RDY,
						 .flags = flags,
						 .flags_mask = mask };

			NEED(wq);
			DONE(ibv_modify_wq(wq, &a), "ibv_modify_wq flags=%u flags_mask=%u",
			     flags, mask);
			destroy(wq);
		}
}

static struct ibv_rwq_ind_table *table(struct ibv_wq **wqs, uint32_t log_size,
				       uint32_t comp_mask)
{
	struct ibv_rwq_ind_table_init_attr a = { log_size, wqs, comp_mask };

	return MADE(ibv_create_rwq_ind_table(bench.ctx, &a),
		    "ibv_create_rwq_ind_table log_size=%u comp_mask=%u", log_size, comp_mask);
}

static void spread(struct ibv_rwq_ind_table *t, uint8_t function, uint8_t key_len,
		   uint64_t fields, uint32_t dv_flags, uint32_t send_wr)
{
	static uint8_t key[64] = { 1, 2, 3 };
	struct ibv_qp_init_attr_ex a = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE |
			     IBV_QP_INIT_ATTR_RX_HASH,
		.pd = bench.pd,
		.rwq_ind_tbl = t,
		.send_cq = send_wr ? bench.cq : NULL,
		.cap = { .max_send_wr = send_wr, .max_send_sge = send_wr ? 1 : 0 },
		.rx_hash_conf = { function, key_len, key, fields },
	};
	struct mlx5dv_qp_init_attr dv = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS,
					  .create_flags = dv_flags };
	struct ibv_qp *qp =
		MADE(mlx5dv_create_qp(bench.ctx, &a, &dv),
		     "mlx5dv_create_qp function=%u key=%u fields=%#llx flags=%u send_wr=%u",
		     function, key_len, (unsigned long long)fields, dv_flags, send_wr);
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT, .port_num = 1 };

	if (!qp)
		return;
	query_qp(qp);
	DONE(ibv_modify_qp(qp, &init, IBV_QP_STATE | IBV_QP_PORT), "ibv_modify_qp to 1");
	DONE(ibv_destroy_rwq_ind_table(t), "ibv_destroy_rwq_ind_table in-use");
	DONE(ibv_destroy_qp(qp), "ibv_destroy_qp");
}

static void tables(void)
{
	struct ibv_wq_init_attr a = attributes();
	struct ibv_wq *wqs[8], *many[4096];
	struct ibv_rwq_ind_table *t;

	for (size_t i = 0; i < COUNT(wqs); i++) {
		wqs[i] = create(&a, "table", i);
		NEED(wqs[i]);
	}
	for (size_t i = 0; i < COUNT(many); i++)
		many[i] = wqs[i % COUNT(wqs)];
	for (uint32_t log_size = 0; log_size <= 12; log_size++) {
		t = table(many, log_size, 0);
		if (t)
			DONE(ibv_destroy_rwq_ind_table(t), "ibv_destroy_rwq_ind_table");
	}
	for (uint32_t mask = 1; mask <= 2; mask++) {
		t = table(wqs, 2, mask);
		if (t)
			DONE(ibv_destroy_rwq_ind_table(t), "ibv_destroy_rwq_ind_table");
	}
	t = table(wqs, 2, 0);
	NEED(t);
	destroy(wqs[0]);
	for (uint64_t fields = 0; fields <= 1 << 9; fields++)
		spread(t, IBV_RX_HASH_FUNC_TOEPLITZ, 40, fields, 0, 0);
	for (unsigned int bit = 9; bit < 64; bit++)
		spread(t, IBV_RX_HASH_FUNC_TOEPLITZ, 40, 1ull << bit, 0, 0);
	for (uint8_t function = 0; function <= 4; function++)
		spread(t, function, 40, 3, 0, 0);
	for (uint8_t len = 0; len <= 64; len += 8)
		spread(t, IBV_RX_HASH_FUNC_TOEPLITZ, len, 3, 0, 0);
	for (uint32_t flags = 0; flags <= 64; flags++)
		spread(t, IBV_RX_HASH_FUNC_TOEPLITZ, 40, 3, flags, 0);
	for (uint32_t flags = 0; flags <= 7; flags++)
		spread(t, IBV_RX_HASH_FUNC_TOEPLITZ, 40, 3 | IBV_RX_HASH_INNER, flags, 0);
	spread(t, IBV_RX_HASH_FUNC_TOEPLITZ, 40, 3, 0, 4);
	DONE(ibv_destroy_rwq_ind_table(t), "ibv_destroy_rwq_ind_table");
	for (size_t i = 0; i < COUNT(wqs); i++)
		destroy(wqs[i]);
}

void raw_calls(void)
{
	creations();
	moves();
	tables();
}
