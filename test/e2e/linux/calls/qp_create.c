/* SPDX-License-Identifier: BSD-2-Clause */
/* QPs of every type: sizes at their limits, flags, what they are made of. */
#include <fcntl.h>

#include "calls.h"

static struct ibv_srq *srq;
static struct ibv_xrcd *xrcd;

static const enum ibv_qp_type types[] = { IBV_QPT_RC,	    IBV_QPT_UC,
					  IBV_QPT_UD,	    IBV_QPT_RAW_PACKET,
					  IBV_QPT_XRC_SEND, IBV_QPT_XRC_RECV,
					  IBV_QPT_DRIVER };

void put_qp(const struct ibv_qp_attr *a, const struct ibv_qp_init_attr *init)
{
	const struct ibv_ah_attr *ah = &a->ah_attr;

	put("state=%u cur=%u mtu=%u mig=%u qkey=%#x rq_psn=%u sq_psn=%u dest=%#x access=%#x",
	    a->qp_state, a->cur_qp_state, a->path_mtu, a->path_mig_state, a->qkey, a->rq_psn,
	    a->sq_psn, a->dest_qp_num, a->qp_access_flags);
	put("cap=%u/%u/%u/%u/%u", a->cap.max_send_wr, a->cap.max_recv_wr, a->cap.max_send_sge,
	    a->cap.max_recv_sge, a->cap.max_inline_data);
	put("ah=%u/%u/%u/%u/%u/%u dgid=%016llx%016llx flow=%u sgid=%u hop=%u tc=%u", ah->dlid,
	    ah->sl, ah->src_path_bits, ah->static_rate, ah->is_global, ah->port_num,
	    (unsigned long long)ah->grh.dgid.global.subnet_prefix,
	    (unsigned long long)ah->grh.dgid.global.interface_id, ah->grh.flow_label,
	    ah->grh.sgid_index, ah->grh.hop_limit, ah->grh.traffic_class);
	put("alt=%u/%u/%u/%u pkey=%u/%u sqd=%u/%u rd=%u/%u rnr=%u port=%u timeout=%u/%u retry=%u/%u rate=%u",
	    a->alt_ah_attr.dlid, a->alt_ah_attr.is_global, a->alt_ah_attr.port_num,
	    a->alt_port_num, a->pkey_index, a->alt_pkey_index, a->en_sqd_async_notify,
	    a->sq_draining, a->max_rd_atomic, a->max_dest_rd_atomic, a->min_rnr_timer,
	    a->port_num, a->timeout, a->alt_timeout, a->retry_cnt, a->rnr_retry, a->rate_limit);
	put("init=%u/%u/%u/%u/%u type=%u sig=%d", init->cap.max_send_wr, init->cap.max_recv_wr,
	    init->cap.max_send_sge, init->cap.max_recv_sge, init->cap.max_inline_data,
	    init->qp_type, init->sq_sig_all);
}

void query_qp(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init = { 0 };
	struct ibv_qp_attr a = { 0 };

	if (!DONE(ibv_query_qp(qp, &a, (1 << 21) - 1, &init), "ibv_query_qp"))
		put_qp(&a, &init);
}

static void destroy(struct ibv_qp *qp)
{
	if (!qp)
		return;
	query_qp(qp);
	DONE(ibv_destroy_qp(qp), "ibv_destroy_qp");
}

struct ibv_qp_init_attr_ex qp_init(enum ibv_qp_type type, struct ibv_xrcd *domain)
{
	struct ibv_qp_init_attr_ex a = { .send_cq = bench.cq,
					 .recv_cq = bench.cq,
					 .qp_type = type,
					 .cap = { 4, 4, 1, 1, 0 },
					 .comp_mask = IBV_QP_INIT_ATTR_PD,
					 .pd = bench.pd };

	if (type == IBV_QPT_XRC_SEND || type == IBV_QPT_XRC_RECV)
		a.cap.max_recv_wr = a.cap.max_recv_sge = 0;
	if (type == IBV_QPT_XRC_SEND)
		a.recv_cq = NULL;
	if (type == IBV_QPT_XRC_RECV) {
		a.comp_mask = IBV_QP_INIT_ATTR_XRCD;
		a.xrcd = domain;
		a.pd = NULL;
		a.send_cq = a.recv_cq = NULL;
		a.cap.max_send_wr = a.cap.max_send_sge = 0;
	}
	return a;
}

static struct ibv_qp_init_attr_ex attributes(enum ibv_qp_type type)
{
	return qp_init(type, xrcd);
}

static struct ibv_qp *create(struct ibv_qp_init_attr_ex *a, const char *what,
			     unsigned long long value)
{
	struct ibv_qp *qp = MADE(ibv_create_qp_ex(bench.ctx, a),
				 "ibv_create_qp_ex type=%u %s=%llu", a->qp_type, what, value);

	if (qp)
		put("cap=%u/%u/%u/%u/%u", a->cap.max_send_wr, a->cap.max_recv_wr,
		    a->cap.max_send_sge, a->cap.max_recv_sge, a->cap.max_inline_data);
	return qp;
}

/* A member of the attributes has each of the values in turn. */
#define EACH(type_, what, member, ...)                                    \
	do {                                                              \
		const uint32_t each[] = { __VA_ARGS__ };                  \
		for (size_t i_ = 0; i_ < COUNT(each); i_++) {             \
			struct ibv_qp_init_attr_ex a = attributes(type_); \
			a.member = each[i_];                              \
			destroy(create(&a, what, each[i_]));              \
		}                                                         \
	} while (0)

static void sizes(enum ibv_qp_type type)
{
	const uint32_t wr = (uint32_t)bench.limits.orig_attr.max_qp_wr;
	const uint32_t sge = (uint32_t)bench.limits.orig_attr.max_sge;

	EACH(type, "max_send_wr", cap.max_send_wr, 0, 1, 2, 3, 5, 64, 100, wr / 4 - 1, wr / 4,
	     wr / 2, wr - 1, wr, wr + 1, UINT32_MAX);
	EACH(type, "max_recv_wr", cap.max_recv_wr, 0, 1, 2, 3, 5, 64, 100, wr - 1, wr, wr + 1,
	     UINT32_MAX);
	EACH(type, "max_send_sge", cap.max_send_sge, 0, 1, 2, 3, 4, 5, 16, sge - 1, sge,
	     sge + 1, UINT32_MAX);
	EACH(type, "max_recv_sge", cap.max_recv_sge, 0, 1, 2, 3, 4, 5, 16, sge - 1, sge,
	     sge + 1, UINT32_MAX);
	EACH(type, "max_inline_data", cap.max_inline_data, 1, 16, 64, 100, 400, 500, 512, 800,
	     828, 900, 1000, 1024, UINT32_MAX);
	EACH(type, "sq_sig_all", sq_sig_all, 0, 1, 2);
}

static void flags(enum ibv_qp_type type)
{
	struct ibv_qp_init_attr_ex a;

	for (unsigned int bit = 0; bit < 13; bit++) {
		a = attributes(type);
		a.comp_mask |= IBV_QP_INIT_ATTR_CREATE_FLAGS;
		a.create_flags = 1u << bit;
		a.source_qpn = 1;
		destroy(create(&a, "create_flags", a.create_flags));
	}
	for (uint32_t mask = 1; mask <= 1 << 8; mask <<= 1) {
		a = attributes(type);
		if (mask &
		    (IBV_QP_INIT_ATTR_IND_TABLE | IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_XRCD))
			continue; /* libmlx5 reads the object that is not there */
		a.comp_mask |= mask;
		destroy(create(&a, "comp_mask", a.comp_mask));
	}
	for (unsigned int bit = 0; bit < 14; bit++) {
		a = attributes(type);
		a.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		a.send_ops_flags = 1ull << bit;
		destroy(create(&a, "send_ops_flags", a.send_ops_flags));
	}
	for (uint32_t header = 0; header <= 1024; header = header * 2 + 14) {
		a = attributes(type);
		a.comp_mask |= IBV_QP_INIT_ATTR_MAX_TSO_HEADER;
		a.max_tso_header = (uint16_t)header;
		destroy(create(&a, "max_tso_header", header));
	}
}

static void parts(enum ibv_qp_type type)
{
	struct ibv_qp_init_attr_ex a = attributes(type);

	a.srq = srq;
	destroy(create(&a, "srq", 1));
	a.cap.max_recv_wr = a.cap.max_recv_sge = 0;
	destroy(create(&a, "srq", 2));
	a = attributes(type);
	a.cap = (struct ibv_qp_cap){ 0 };
	destroy(create(&a, "nothing", 0));
}

static void of_mlx5dv(enum ibv_qp_type type)
{
	for (unsigned int bit = 0; bit < 9; bit++) {
		struct ibv_qp_init_attr_ex a = attributes(type);
		struct mlx5dv_qp_init_attr dv = {
			.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS,
			.create_flags = 1u << bit
		};

		destroy(MADE(mlx5dv_create_qp(bench.ctx, &a, &dv),
			     "mlx5dv_create_qp type=%u create_flags=%u", type,
			     dv.create_flags));
	}
	for (unsigned int bit = 0; bit < 8; bit++) {
		struct ibv_qp_init_attr_ex a = attributes(type);
		struct mlx5dv_qp_init_attr dv = { .comp_mask = 1ull << bit };

		destroy(MADE(mlx5dv_create_qp(bench.ctx, &a, &dv),
			     "mlx5dv_create_qp type=%u comp_mask=%u", type, 1u << bit));
	}
}

static void dynamically_connected(void)
{
	for (int with_srq = 0; with_srq <= 1; with_srq++)
		for (int dc = 0; dc <= 3; dc++)
			for (uint64_t mask = 0; mask <= 15; mask++) {
				struct ibv_qp_init_attr_ex a = attributes(IBV_QPT_DRIVER);
				struct mlx5dv_qp_init_attr dv = { .comp_mask = mask };

				dv.dc_init_attr.dc_type = (enum mlx5dv_dc_type)dc;
				if (mask & MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS)
					dv.dc_init_attr.dci_streams =
						(struct mlx5dv_dci_streams){ 1, 1 };
				else
					dv.dc_init_attr.dct_access_key = 0x1234;
				a.cap.max_recv_wr = a.cap.max_recv_sge = 0;
				a.srq = with_srq ? srq : NULL;
				destroy(MADE(
					mlx5dv_create_qp(bench.ctx, &a, &dv),
					"mlx5dv_create_qp dc_type=%d comp_mask=%llu srq=%d", dc,
					(unsigned long long)mask, with_srq));
			}
}

/* Refused ones only: libmlx5 of rdma-core 44 reads a null pointer when it destroys a QP
 * that it has opened. */
static void opened(void)
{
	const uint32_t all =
		IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD | IBV_QP_OPEN_ATTR_TYPE;
	struct ibv_qp_init_attr_ex init = attributes(IBV_QPT_XRC_RECV);
	struct ibv_qp_open_attr a = { .xrcd = xrcd, .qp_type = IBV_QPT_XRC_RECV };
	struct ibv_qp *qp = create(&init, "opened", 0);

	NEED(qp);
	a.qp_num = qp->qp_num;
	for (a.comp_mask = 0; a.comp_mask <= 16; a.comp_mask++)
		if ((a.comp_mask & all) != all)
			MADE(ibv_open_qp(bench.ctx, &a), "ibv_open_qp comp_mask=%u",
			     a.comp_mask);
	a.comp_mask = all;
	a.qp_type = IBV_QPT_RC;
	MADE(ibv_open_qp(bench.ctx, &a), "ibv_open_qp type=RC");
	a.qp_type = IBV_QPT_XRC_RECV;
	a.qp_num = 0xabcdef;
	MADE(ibv_open_qp(bench.ctx, &a), "ibv_open_qp number=0xabcdef");
	DONE(ibv_close_xrcd(xrcd), "ibv_close_xrcd in-use");
	destroy(qp);
}

static void multicast(void)
{
	struct ibv_qp_init_attr_ex a = attributes(IBV_QPT_UD);
	union ibv_gid groups[] = { { .raw = { 0xff, 0x0e, [15] = 1 } },
				   { .raw = { [10] = 0xff, 0xff, 224, 1, 1, 1 } },
				   { .raw = { 0xfe, 0x80, [15] = 1 } } };
	const uint16_t lids[] = { 0, 1, 0xc000, 0xffff };

	for (int type = 0; type < 2; type++) {
		struct ibv_qp *qp;

		a = attributes(type ? IBV_QPT_RC : IBV_QPT_UD);
		qp = create(&a, "multicast", 0);
		NEED(qp);
		for (size_t g = 0; g < COUNT(groups); g++)
			for (size_t l = 0; l < COUNT(lids); l++) {
				DONE(ibv_detach_mcast(qp, &groups[g], lids[l]),
				     "ibv_detach_mcast %zu %#x", g, lids[l]);
				DONE(ibv_attach_mcast(qp, &groups[g], lids[l]),
				     "ibv_attach_mcast %zu %#x", g, lids[l]);
				DONE(ibv_attach_mcast(qp, &groups[g], lids[l]),
				     "ibv_attach_mcast %zu %#x", g, lids[l]);
				/* The adapter knows no LIDs: under a second one it would
				 * refuse to detach, and Linux then keeps the QP. */
				DONE(ibv_detach_mcast(qp, &groups[g], lids[l]),
				     "ibv_detach_mcast %zu %#x", g, lids[l]);
			}
		DONE(ibv_destroy_qp(qp), "ibv_destroy_qp");
		for (size_t g = 0; g < COUNT(groups) && !type; g++) {
			qp = create(&a, "multicast", 0);
			NEED(qp);
			if (!DONE(ibv_attach_mcast(qp, &groups[g], 0), "ibv_attach_mcast %zu",
				  g)) {
				DONE(ibv_destroy_qp(qp), "ibv_destroy_qp attached");
				DONE(ibv_detach_mcast(qp, &groups[g], 0),
				     "ibv_detach_mcast %zu", g);
			}
			DONE(ibv_destroy_qp(qp), "ibv_destroy_qp");
		}
	}
}

void qp_creations(void)
{
	struct ibv_xrcd_init_attr xrcd_attr = { .comp_mask = 3, .fd = -1, .oflags = O_CREAT };
	struct ibv_srq_init_attr srq_attr = { NULL, { 10, 1, 0 } };
	struct ibv_qp_init_attr_ex a;
	struct ibv_qp *qp;

	xrcd = MADE(ibv_open_xrcd(bench.ctx, &xrcd_attr), "ibv_open_xrcd");
	srq = MADE(ibv_create_srq(bench.pd, &srq_attr), "ibv_create_srq");
	NEED(xrcd && srq);
	for (size_t i = 0; i < COUNT(types); i++) {
		sizes(types[i]);
		flags(types[i]);
		parts(types[i]);
		of_mlx5dv(types[i]);
	}
	for (int type = 0; type <= 12; type++) {
		a = attributes((enum ibv_qp_type)type);
		destroy(create(&a, "type", (unsigned int)type));
	}
	dynamically_connected();
	opened();
	multicast();
	a = attributes(IBV_QPT_RC);
	a.srq = srq;
	qp = create(&a, "srq", 1);
	NEED(qp);
	DONE(ibv_destroy_srq(srq), "ibv_destroy_srq in-use");
	DONE(ibv_destroy_cq(bench.cq), "ibv_destroy_cq in-use");
	DONE(ibv_dealloc_pd(bench.pd), "ibv_dealloc_pd in-use");
	DONE(ibv_destroy_qp(qp), "ibv_destroy_qp");
	DONE(ibv_destroy_srq(srq), "ibv_destroy_srq");
	DONE(ibv_close_xrcd(xrcd), "ibv_close_xrcd");
}
