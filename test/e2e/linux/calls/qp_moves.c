/* SPDX-License-Identifier: BSD-2-Clause */
/* QPs from every state to every state, with the attributes that this requires, with each
 * attribute more and each one less; and with values that no attribute has. */
#include <fcntl.h>

#include "calls.h"

#define CONNECTED (IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)
#define RESPONDS  (IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define REQUESTS  (IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC)
#define INIT_OF	  (IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)
#define DCI	  IBV_QPT_DRIVER

/* InfiniBand Architecture, "Modify Queue Pair" */
static const struct {
	enum ibv_qp_type type;
	int init, rtr, rts;
} required[] = {
	{ IBV_QPT_RC, INIT_OF, CONNECTED | RESPONDS,
	  IBV_QP_TIMEOUT | IBV_QP_SQ_PSN | REQUESTS },
	{ IBV_QPT_UC, INIT_OF, CONNECTED, IBV_QP_SQ_PSN },
	{ IBV_QPT_UD, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY, 0, IBV_QP_SQ_PSN },
	{ IBV_QPT_RAW_PACKET, IBV_QP_PORT, 0, 0 },
	{ IBV_QPT_XRC_SEND, INIT_OF, CONNECTED, IBV_QP_TIMEOUT | IBV_QP_SQ_PSN | REQUESTS },
	{ IBV_QPT_XRC_RECV, INIT_OF, CONNECTED | RESPONDS, IBV_QP_TIMEOUT | IBV_QP_SQ_PSN },
	{ DCI, IBV_QP_PKEY_INDEX | IBV_QP_PORT, IBV_QP_PATH_MTU,
	  IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC },
};

struct ibv_qp_attr qp_attributes(void)
{
	return (struct ibv_qp_attr){
		.path_mtu = IBV_MTU_1024,
		.path_mig_state = IBV_MIG_MIGRATED,
		.qkey = 0x11111111,
		.rq_psn = 5,
		.sq_psn = 6,
		.dest_qp_num = 0x123,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
		.cap = { 4, 4, 1, 1, 0 },
		.ah_attr = { .grh = { .dgid = bench.gid, .hop_limit = 64, .traffic_class = 8 },
			     .is_global = 1,
			     .port_num = 1 },
		.max_rd_atomic = 1,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.port_num = 1,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 6,
		.rate_limit = 1000,
	};
}

int qp_required(enum ibv_qp_type type, unsigned int from, unsigned int to)
{
	size_t i = 0;

	while (i < COUNT(required) && required[i].type != type)
		i++;
	if (i == COUNT(required))
		return -1;
	if (from == IBV_QPS_RESET && to == IBV_QPS_INIT)
		return required[i].init;
	if (from == IBV_QPS_INIT && to == IBV_QPS_RTR)
		return required[i].rtr;
	if (from == IBV_QPS_RTR && to == IBV_QPS_RTS)
		return required[i].rts;
	return 0;
}

int qp_walk(struct ibv_qp *qp, enum ibv_qp_type type, unsigned int to)
{
	static const unsigned int way[] = { IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR,
					    IBV_QPS_RTS, IBV_QPS_SQD };
	struct ibv_qp_attr a = qp_attributes();
	int ret = 0;

	if (to == IBV_QPS_ERR) {
		ret = qp_walk(qp, type, IBV_QPS_INIT);
		a.qp_state = IBV_QPS_ERR;
		return ret ? ret : DONE(ibv_modify_qp(qp, &a, IBV_QP_STATE), "to 6");
	}
	for (unsigned int i = 1; i < COUNT(way) && way[i - 1] != to && !ret; i++) {
		a.qp_state = (enum ibv_qp_state)way[i];
		ret = DONE(ibv_modify_qp(qp, &a,
					 IBV_QP_STATE | qp_required(type, way[i - 1], way[i])),
			   "to %u", way[i]);
	}
	return ret;
}

static void reset(struct ibv_qp *qp)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_RESET };

	DONE(ibv_modify_qp(qp, &a, IBV_QP_STATE), "to 0");
}

static void move(struct ibv_qp *qp, enum ibv_qp_type type, unsigned int from, unsigned int to)
{
	struct ibv_qp_attr a;
	int mask;

	qp_walk(qp, type, from);
	for (int bit = -1; bit < 26; bit++) {
		mask = IBV_QP_STATE | qp_required(type, from, to);
		if (bit >= 0)
			mask ^= 1 << bit;
		a = qp_attributes();
		a.qp_state = (enum ibv_qp_state)to;
		a.cur_qp_state = (enum ibv_qp_state)from;
		if (DONE(ibv_modify_qp(qp, &a, mask), "ibv_modify_qp type=%u %u to %u mask=%#x",
			 type, from, to, mask))
			continue;
		query_qp(qp);
		reset(qp);
		qp_walk(qp, type, from);
	}
	query_qp(qp);
	reset(qp);
}

static struct ibv_qp *create(enum ibv_qp_type type, struct ibv_xrcd *xrcd, struct ibv_srq *srq)
{
	struct ibv_qp_init_attr_ex a = qp_init(type, xrcd);
	struct mlx5dv_qp_init_attr dv = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
					  .dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCI } };

	if (type != IBV_QPT_DRIVER)
		return MADE(ibv_create_qp_ex(bench.ctx, &a), "ibv_create_qp_ex type=%u", type);
	a.cap.max_recv_wr = a.cap.max_recv_sge = 0;
	if (srq) {
		dv.dc_init_attr = (struct mlx5dv_dc_init_attr){ .dc_type = MLX5DV_DCTYPE_DCT,
								.dct_access_key = 7 };
		a.srq = srq;
	}
	return MADE(mlx5dv_create_qp(bench.ctx, &a, &dv), "mlx5dv_create_qp %s",
		    srq ? "DCT" : "DCI");
}

struct bad {
	unsigned int from, to;
	int more; /* attributes that the move does not require */
	const char *name;
	size_t at, size; /* the attribute */
	uint32_t value;
};

#define BAD(from, to, more, member, value)                                                \
	{                                                                                 \
		from, to, more, #member "=" #value, offsetof(struct ibv_qp_attr, member), \
			sizeof(((struct ibv_qp_attr *)0)->member), value                  \
	}
#define AH(member, value) BAD(IBV_QPS_INIT, IBV_QPS_RTR, IBV_QP_AV, ah_attr.member, value)

static const struct bad values[] = {
	BAD(0, 1, IBV_QP_PORT, port_num, 0),
	BAD(0, 1, IBV_QP_PORT, port_num, 2),
	BAD(0, 1, IBV_QP_PORT, port_num, 255),
	BAD(0, 1, IBV_QP_PKEY_INDEX, pkey_index, 1),
	BAD(0, 1, IBV_QP_PKEY_INDEX, pkey_index, 127),
	BAD(0, 1, IBV_QP_PKEY_INDEX, pkey_index, 128),
	BAD(0, 1, IBV_QP_PKEY_INDEX, pkey_index, 65535),
	BAD(0, 1, IBV_QP_ACCESS_FLAGS, qp_access_flags, 0),
	BAD(0, 1, IBV_QP_ACCESS_FLAGS, qp_access_flags, 1),
	BAD(0, 1, IBV_QP_ACCESS_FLAGS, qp_access_flags, 8),
	BAD(0, 1, IBV_QP_ACCESS_FLAGS, qp_access_flags, 15),
	BAD(0, 1, IBV_QP_ACCESS_FLAGS, qp_access_flags, 0x10),
	BAD(0, 1, IBV_QP_ACCESS_FLAGS, qp_access_flags, 0x20),
	BAD(0, 1, IBV_QP_ACCESS_FLAGS, qp_access_flags, 0x40),
	BAD(0, 1, IBV_QP_ACCESS_FLAGS, qp_access_flags, 0x80),
	BAD(0, 1, IBV_QP_ACCESS_FLAGS, qp_access_flags, 0x100),
	BAD(0, 1, IBV_QP_ACCESS_FLAGS, qp_access_flags, 0x100000),
	BAD(0, 1, IBV_QP_ACCESS_FLAGS, qp_access_flags, 0xffffffff),
	BAD(0, 1, IBV_QP_QKEY, qkey, 0x80000000),
	BAD(0, 1, IBV_QP_QKEY, qkey, 0x80010000),
	BAD(0, 1, IBV_QP_CUR_STATE, cur_qp_state, 0),
	BAD(0, 1, IBV_QP_CUR_STATE, cur_qp_state, 1),
	BAD(0, 1, IBV_QP_CUR_STATE, cur_qp_state, 7),
	BAD(0, 1, IBV_QP_CUR_STATE, cur_qp_state, 0xffffffff),
	BAD(0, 7, 0, qkey, 0),
	BAD(0, 0xff, 0, qkey, 0),
	BAD(1, 2, IBV_QP_PATH_MTU, path_mtu, 0),
	BAD(1, 2, IBV_QP_PATH_MTU, path_mtu, 1),
	BAD(1, 2, IBV_QP_PATH_MTU, path_mtu, 5),
	BAD(1, 2, IBV_QP_PATH_MTU, path_mtu, 6),
	BAD(1, 2, IBV_QP_PATH_MTU, path_mtu, 0xff),
	BAD(1, 2, IBV_QP_DEST_QPN, dest_qp_num, 0),
	BAD(1, 2, IBV_QP_DEST_QPN, dest_qp_num, 0xffffff),
	BAD(1, 2, IBV_QP_DEST_QPN, dest_qp_num, 0x1000000),
	BAD(1, 2, IBV_QP_RQ_PSN, rq_psn, 0xffffff),
	BAD(1, 2, IBV_QP_RQ_PSN, rq_psn, 0x1000000),
	BAD(1, 2, IBV_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic, 0),
	BAD(1, 2, IBV_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic, 3),
	BAD(1, 2, IBV_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic, 16),
	BAD(1, 2, IBV_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic, 17),
	BAD(1, 2, IBV_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic, 128),
	BAD(1, 2, IBV_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic, 255),
	BAD(1, 2, IBV_QP_MIN_RNR_TIMER, min_rnr_timer, 0),
	BAD(1, 2, IBV_QP_MIN_RNR_TIMER, min_rnr_timer, 31),
	BAD(1, 2, IBV_QP_MIN_RNR_TIMER, min_rnr_timer, 32),
	BAD(1, 2, IBV_QP_MIN_RNR_TIMER, min_rnr_timer, 255),
	BAD(1, 2, IBV_QP_PKEY_INDEX, pkey_index, 1),
	BAD(1, 2, IBV_QP_ALT_PATH, alt_port_num, 1),
	BAD(1, 2, IBV_QP_ALT_PATH, alt_port_num, 2),
	BAD_ADDRESSES(AH),
	BAD(2, 3, IBV_QP_TIMEOUT, timeout, 0),
	BAD(2, 3, IBV_QP_TIMEOUT, timeout, 31),
	BAD(2, 3, IBV_QP_TIMEOUT, timeout, 32),
	BAD(2, 3, IBV_QP_TIMEOUT, timeout, 255),
	BAD(2, 3, IBV_QP_RETRY_CNT, retry_cnt, 8),
	BAD(2, 3, IBV_QP_RETRY_CNT, retry_cnt, 255),
	BAD(2, 3, IBV_QP_RNR_RETRY, rnr_retry, 8),
	BAD(2, 3, IBV_QP_RNR_RETRY, rnr_retry, 255),
	BAD(2, 3, IBV_QP_SQ_PSN, sq_psn, 0x1000000),
	BAD(2, 3, IBV_QP_MAX_QP_RD_ATOMIC, max_rd_atomic, 0),
	BAD(2, 3, IBV_QP_MAX_QP_RD_ATOMIC, max_rd_atomic, 3),
	BAD(2, 3, IBV_QP_MAX_QP_RD_ATOMIC, max_rd_atomic, 16),
	BAD(2, 3, IBV_QP_MAX_QP_RD_ATOMIC, max_rd_atomic, 17),
	BAD(2, 3, IBV_QP_MAX_QP_RD_ATOMIC, max_rd_atomic, 255),
	BAD(2, 3, IBV_QP_PATH_MIG_STATE, path_mig_state, 0),
	BAD(2, 3, IBV_QP_PATH_MIG_STATE, path_mig_state, 1),
	BAD(2, 3, IBV_QP_PATH_MIG_STATE, path_mig_state, 2),
	BAD(2, 3, IBV_QP_PATH_MIG_STATE, path_mig_state, 3),
	BAD(2, 3, IBV_QP_PATH_MIG_STATE, path_mig_state, 255),
	BAD(2, 3, IBV_QP_MIN_RNR_TIMER, min_rnr_timer, 1),
	BAD(2, 3, IBV_QP_ACCESS_FLAGS, qp_access_flags, 15),
	BAD(2, 3, IBV_QP_RATE_LIMIT, rate_limit, 0),
	BAD(2, 3, IBV_QP_RATE_LIMIT, rate_limit, 1),
	BAD(2, 3, IBV_QP_RATE_LIMIT, rate_limit, 0xffffffff),
	BAD(3, 3, IBV_QP_MIN_RNR_TIMER, min_rnr_timer, 1),
	BAD(3, 3, IBV_QP_ACCESS_FLAGS, qp_access_flags, 15),
	BAD(3, 3, IBV_QP_QKEY, qkey, 0x80000000),
	BAD(3, 3, IBV_QP_CUR_STATE, cur_qp_state, 3),
	BAD(3, 3, IBV_QP_CUR_STATE, cur_qp_state, 5),
	BAD(3, 4, IBV_QP_EN_SQD_ASYNC_NOTIFY, en_sqd_async_notify, 1),
	BAD(4, 3, IBV_QP_CUR_STATE, cur_qp_state, 4),
	BAD(4, 4, IBV_QP_TIMEOUT, timeout, 3),
	BAD(4, 4, IBV_QP_PKEY_INDEX, pkey_index, 0),
	BAD(4, 4, IBV_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic, 4),
};

static void wrong_values(struct ibv_qp *qp, enum ibv_qp_type type)
{
	for (const struct bad *b = values; b < values + COUNT(values); b++) {
		int mask = IBV_QP_STATE | b->more | qp_required(type, b->from, b->to);
		struct ibv_qp_attr a = qp_attributes();

		qp_walk(qp, type, b->from);
		a.qp_state = (enum ibv_qp_state)b->to;
		a.cur_qp_state = (enum ibv_qp_state)b->from;
		memcpy((char *)&a + b->at, &b->value, b->size);
		if (!DONE(ibv_modify_qp(qp, &a, mask),
			  "ibv_modify_qp type=%u %u to %u mask=%#x %s", type, b->from, b->to,
			  mask, b->name))
			query_qp(qp);
		reset(qp);
	}
}

/* A DCT goes to RTR and no further, and never back. */
static void target(struct ibv_xrcd *xrcd, struct ibv_srq *srq)
{
	const int init = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
	const int rtr = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_MIN_RNR_TIMER;

	for (unsigned int to = 0; to <= 7; to++)
		for (unsigned int start = 0; start <= 2; start++)
			for (int bit = -1; bit < 26; bit++) {
				struct ibv_qp *qp = create(IBV_QPT_DRIVER, xrcd, srq);
				struct ibv_qp_attr a = qp_attributes();
				int mask = to == IBV_QPS_INIT  ? init
					   : to == IBV_QPS_RTR ? rtr
							       : 1;

				NEED(qp);
				a.qp_state = IBV_QPS_INIT;
				if (start)
					DONE(ibv_modify_qp(qp, &a, init), "DCT to 1");
				a.qp_state = IBV_QPS_RTR;
				if (start > 1)
					DONE(ibv_modify_qp(qp, &a, rtr), "DCT to 2");
				a.qp_state = (enum ibv_qp_state)to;
				a.cur_qp_state = (enum ibv_qp_state)start;
				if (bit >= 0)
					mask ^= 1 << bit;
				if (!DONE(ibv_modify_qp(qp, &a, mask),
					  "ibv_modify_qp DCT %u to %u mask=%#x", start, to,
					  mask))
					query_qp(qp);
				DONE(ibv_destroy_qp(qp), "ibv_destroy_qp");
			}
}

void qp_moves(void)
{
	struct ibv_xrcd_init_attr xrcd_attr = { .comp_mask = 3, .fd = -1, .oflags = O_CREAT };
	struct ibv_srq_init_attr srq_attr = { NULL, { 10, 1, 0 } };
	struct ibv_xrcd *xrcd = MADE(ibv_open_xrcd(bench.ctx, &xrcd_attr), "ibv_open_xrcd");
	struct ibv_srq *srq = MADE(ibv_create_srq(bench.pd, &srq_attr), "ibv_create_srq");

	NEED(xrcd && srq);
	for (size_t i = 0; i < COUNT(required); i++) {
		struct ibv_qp *qp = create(required[i].type, xrcd, NULL);

		if (!qp)
			continue;
		for (unsigned int from = IBV_QPS_RESET; from <= IBV_QPS_ERR; from++) {
			if (from == IBV_QPS_SQE)
				continue;
			for (unsigned int to = IBV_QPS_RESET; to <= IBV_QPS_UNKNOWN; to++)
				move(qp, required[i].type, from, to);
		}
		wrong_values(qp, required[i].type);
		DONE(ibv_destroy_qp(qp), "ibv_destroy_qp");
	}
	target(xrcd, srq);
	DONE(ibv_destroy_srq(srq), "ibv_destroy_srq");
	DONE(ibv_close_xrcd(xrcd), "ibv_close_xrcd");
}
