/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QUERY_QP: the device's QPC in verbs' words (mlx5_ib, qp.c, query_qp_attr). The state is what
 * the device says: it may have entered ERR by itself. A raw packet QP has no QPC.
 */
#include <infiniband/verbs.h>

#include "uverbs/qp.h"

#define STAT_RATE_OFFSET 5

/* qpc.state as enum ibv_qp_state */
static uint8_t ib_state(uint8_t state)
{
	static const uint8_t map[] = {
		[PRM_QPC_STATE_RST] = IBV_QPS_RESET, [PRM_QPC_STATE_INIT] = IBV_QPS_INIT,
		[PRM_QPC_STATE_RTR] = IBV_QPS_RTR,   [PRM_QPC_STATE_RTS] = IBV_QPS_RTS,
		[PRM_QPC_STATE_SQER] = IBV_QPS_SQE,  [PRM_QPC_STATE_SQD] = IBV_QPS_SQD,
		[PRM_QPC_STATE_ERR] = IBV_QPS_ERR,
	};

	return state < sizeof(map) ? map[state] : IBV_QPS_UNKNOWN;
}

static uint8_t ib_mig_state(uint8_t pm_state)
{
	if (pm_state == PRM_QPC_PM_STATE_ARMED)
		return IBV_MIG_ARMED;
	return pm_state == PRM_QPC_PM_STATE_REARM ? IBV_MIG_REARM : IBV_MIG_MIGRATED;
}

/* mlx5_ib, qp.c: to_rdma_ah_attr. A path without a port was never set. */
static void fill_dest(const uint8_t *path, struct ib_uverbs_qp_dest *d)
{
	uint8_t rate = PRM_GET(ads, path, stat_rate);

	memset(d, 0, sizeof(*d));
	if (!PRM_GET(ads, path, vhca_port_num))
		return;
	memcpy(d->dgid, PRM_ADDR(ads, path, rgid_rip), sizeof(d->dgid));
	d->flow_label = PRM_GET(ads, path, flow_label);
	d->sgid_index = PRM_GET(ads, path, src_addr_index);
	d->hop_limit = PRM_GET(ads, path, hop_limit);
	d->traffic_class = PRM_GET(ads, path, tclass);
	d->sl = PRM_GET(ads, path, sl);
	d->static_rate = rate ? rate - STAT_RATE_OFFSET : 0;
	d->is_global = 1;
	d->port_num = PRM_GET(ads, path, vhca_port_num);
}

static uint32_t access_flags(const uint8_t *qpc)
{
	return (PRM_GET(qpc, qpc, rre) ? IBV_ACCESS_REMOTE_READ : 0) |
	       (PRM_GET(qpc, qpc, rwe) ? IBV_ACCESS_REMOTE_WRITE : 0) |
	       (PRM_GET(qpc, qpc, rae) ? IBV_ACCESS_REMOTE_ATOMIC : 0);
}

/* Fields that the driver knows. Only libmlx5 knows those of the send queue
 * (mlx5_ib_query_qp). */
static void fill_known(const struct uverbs_qp *qp, struct ib_uverbs_query_qp_resp *r)
{
	memset(r, 0, sizeof(*r));
	r->max_recv_wr = qp->rq_wqe_cnt;
	r->max_recv_sge = qp->rq_max_gs;
	r->sq_sig_all = qp->sig_all;
}

/* mlx5_ib, qp.c: query_qp_attr */
static bool has_address(uint32_t type)
{
	return type == IB_UVERBS_QPT_RC || type == IB_UVERBS_QPT_UC ||
	       type == IB_UVERBS_QPT_XRC_INI || type == IB_UVERBS_QPT_XRC_TGT;
}

static void fill(uint32_t type, const uint8_t *qpc, struct ib_uverbs_query_qp_resp *r)
{
	const uint8_t *path = PRM_ADDR(qpc, qpc, primary_address_path);

	if (has_address(type)) {
		fill_dest(path, &r->dest);
		fill_dest(PRM_ADDR(qpc, qpc, secondary_address_path), &r->alt_dest);
	}
	r->qkey = PRM_GET(qpc, qpc, q_key);
	r->rq_psn = PRM_GET(qpc, qpc, next_rcv_psn);
	r->sq_psn = PRM_GET(qpc, qpc, next_send_psn);
	r->dest_qp_num = PRM_GET(qpc, qpc, remote_qpn);
	r->qp_access_flags = access_flags(qpc);
	r->pkey_index = PRM_GET(ads, path, pkey_index);
	r->qp_state = r->cur_qp_state = ib_state(PRM_GET(qpc, qpc, state));
	r->path_mtu = PRM_GET(qpc, qpc, mtu);
	r->path_mig_state = ib_mig_state(PRM_GET(qpc, qpc, pm_state));
	r->max_rd_atomic = 1u << PRM_GET(qpc, qpc, log_sra_max);
	r->max_dest_rd_atomic = 1u << PRM_GET(qpc, qpc, log_rra_max);
	r->min_rnr_timer = PRM_GET(qpc, qpc, min_rnr_nak);
	r->port_num = PRM_GET(ads, path, vhca_port_num);
	r->timeout = PRM_GET(ads, path, ack_timeout);
	r->retry_cnt = PRM_GET(qpc, qpc, retry_count);
	r->rnr_retry = PRM_GET(qpc, qpc, rnr_retry);
}

static int query_device_qp(struct uverbs *u, const struct uverbs_qp *qp,
			   struct ib_uverbs_query_qp_resp *r)
{
	uint8_t in[PRM_SZ(query_qp_in)] = { 0 }, out[PRM_SZ(query_qp_out)] = { 0 };
	int ret;

	PRM_SET(query_qp_in, in, opcode, PRM_OP_QUERY_QP);
	PRM_SET(query_qp_in, in, qpn, qp->qpn);
	ret = uverbs_fw(u, in, sizeof(in), out, sizeof(out));
	if (!ret)
		fill(qp->type, PRM_ADDR(query_qp_out, out, qpc), r);
	return ret;
}

/* mlx5_ib, qp.c, mlx5_ib_query_qp: of a raw packet QP there is the port and the state. */
static int query_raw_qp(struct uverbs *u, struct uverbs_qp *qp,
			struct ib_uverbs_query_qp_resp *r)
{
	int ret = uverbs_raw_query(u, qp, &r->qp_state);

	r->cur_qp_state = r->qp_state;
	r->port_num = 1;
	return ret;
}

int uverbs_qp_attributes(struct uverbs_qp *qp, uint32_t mask, struct ib_uverbs_query_qp_resp *r)
{
	struct uverbs *u = qp->obj.file->u;
	int ret;

	if (qp->table) /* mlx5_ib, qp.c, mlx5_ib_query_qp */
		return -ENOSYS;
	fill_known(qp, r);
	if (qp->type == UVERBS_QPT_DCT) {
		memset(r, 0, sizeof(*r));
		return uverbs_dct_query(u, qp, mask, r);
	}
	ret = qp->type == IB_UVERBS_QPT_RAW_PACKET ? query_raw_qp(u, qp, r)
						   : query_device_qp(u, qp, r);
	if (!ret)
		qp->state = r->qp_state;
	return ret;
}

int uverbs_query_qp(struct uverbs_call *c)
{
	struct ib_uverbs_query_qp_resp resp;
	struct ib_uverbs_query_qp cmd;
	struct uverbs_qp *qp;
	int ret = uverbs_request(c, &cmd);

	if (ret)
		return ret;
	qp = uverbs_named(c, cmd.qp_handle, UVERBS_QP);
	if (!qp)
		return -EINVAL;
	ret = uverbs_qp_attributes(qp, cmd.attr_mask, &resp);
	if (!ret)
		uverbs_response(c, &resp);
	return ret;
}
