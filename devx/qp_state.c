/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The moves of a QP. Each command carries a whole QPC, of which the device reads the part that
 * belongs to the move (PRM, "Modify QP"; which that is: mlx5_ib, qp.c, __mlx5_ib_modify_qp).
 */
#include <errno.h>
#include <stdbool.h>
#include <devx/qp.h>
#include <prm/prm.h>

#include "refuse.h"
#include "ring.h"

enum {
	LOG_MSG_MAX = 30,     /* 1 GiB, what every public user sets (mlx5_ib, qp.c) */
	LOG_MSG_MAX_UD = 12,  /* in UD a message is one packet */
	LOG_ACK_REQ_FREQ = 8, /* mlx5_ib, qp.c: MLX5_IB_ACK_REQ_FREQ */
};

/* The inboxes of all moves with a QPC have one layout; the shorter ones are its beginning. */
_Static_assert(PRM_SZ(rst2init_qp_in) == PRM_SZ(init2rtr_qp_in) &&
		       PRM_SZ(rst2init_qp_in) == PRM_SZ(rtr2rts_qp_in) &&
		       PRM_OFF(rst2init_qp_in, qpn) == PRM_OFF(modify_qp_in, qpn),
	       "modify commands");

static int execute(struct devx_qp *qp, uint16_t opcode, uint8_t *in, size_t len)
{
	uint8_t out[PRM_SZ(rst2init_qp_out)];

	PRM_SET(rst2init_qp_in, in, opcode, opcode);
	PRM_SET(rst2init_qp_in, in, qpn, qp->obj.id);
	return devx_obj_modify(&qp->obj, in, len, out, sizeof(out));
}

static int move(struct devx_qp *qp, uint16_t opcode, uint8_t *in)
{
	PRM_SET(qpc, PRM_ADDR(rst2init_qp_in, in, qpc), st, qp->st);
	return execute(qp, opcode, in, PRM_SZ(rst2init_qp_in));
}

/* As sender: at most @n, which may be all that the peer has resources for. mlx5_ib rounds up
 * here too, UCX down. */
static unsigned int log_at_most(uint8_t n)
{
	return n ? devx_log2(n) : 0;
}

/* As responder: at least @n (mlx5_ib, qp.c: fls(n - 1)), as the peer will send so many. */
static unsigned int log_at_least(uint8_t n)
{
	return n > 1 ? devx_log2(n - 1u) + 1 : 0;
}

static struct dv_qp_conn conn_or_default(const struct dv_qp_conn *conn)
{
	struct dv_qp_conn c;

	dv_qp_conn_init(&c);
	return conn ? *conn : c;
}

int devx_qp_init(struct devx_qp *qp, const struct dv_endpoint *ours,
		 const struct dv_qp_conn *conn)
{
	const struct dv_qp_conn c = conn_or_default(conn);
	uint8_t in[PRM_SZ(rst2init_qp_in)] = { 0 };
	uint8_t *qpc = PRM_ADDR(rst2init_qp_in, in, qpc);
	uint8_t *path = PRM_ADDR(qpc, qpc, primary_address_path);

	PRM_SET(qpc, qpc, pm_state, PRM_QPC_PM_STATE_MIGRATED);
	PRM_SET(qpc, qpc, rre, !!(c.access & IBV_ACCESS_REMOTE_READ));
	PRM_SET(qpc, qpc, rwe, !!(c.access & IBV_ACCESS_REMOTE_WRITE));
	if (c.access & IBV_ACCESS_REMOTE_ATOMIC) {
		PRM_SET(qpc, qpc, rae, 1);
		PRM_SET(qpc, qpc, atomic_mode,
			c.atomic_mode ? c.atomic_mode : PRM_QPC_ATOMIC_MODE_IB_SPEC);
	}
	PRM_SET(qpc, qpc, counter_set_id, qp->counter_set_id);
	PRM_SET(qpc, qpc, lag_tx_port_affinity, c.lag_tx_port);
	PRM_SET(ads, path, vhca_port_num, ours->port);
	PRM_SET(ads, path, pkey_index, c.pkey_index);
	if (qp->st == PRM_QPC_ST_UD)
		PRM_SET(qpc, qpc, q_key, c.qkey);
	return move(qp, PRM_OP_RST2INIT_QP, in);
}

static void fill_path_ib(uint8_t *path, const struct devx_av *av)
{
	PRM_SET(ads, path, rlid, av->dlid);
	PRM_SET(ads, path, mlid, av->path_bits);
	PRM_SET(ads, path, sl, av->sl);
	PRM_SET(ads, path, grh, av->is_global);
}

static void fill_path_roce(uint8_t *path, const struct devx_av *av)
{
	const uint8_t *mac = av->dmac;

	PRM_SET(ads, path, rmac_47_32, (uint32_t)mac[0] << 8 | mac[1]);
	PRM_SET(ads, path, rmac_31_0,
		(uint32_t)mac[2] << 24 | (uint32_t)mac[3] << 16 | (uint32_t)mac[4] << 8 |
			mac[5]);
	PRM_SET(ads, path, eth_prio, av->sl & 7);
	/* Version 1 has neither: reserved (mlx5_ib, qp.c, mlx5_set_path()). */
	if (av->roce_v1)
		return;
	PRM_SET(ads, path, udp_sport, av->udp_sport);
	PRM_SET(ads, path, dscp, av->tclass >> 2);
}

static void fill_path(uint8_t *path, const struct devx_av *av)
{
	PRM_SET(ads, path, vhca_port_num, av->port);
	PRM_SET(ads, path, stat_rate, av->stat_rate);
	if (av->roce)
		fill_path_roce(path, av);
	else
		fill_path_ib(path, av);
	if (!av->roce && !av->is_global)
		return;
	PRM_SET(ads, path, src_addr_index, av->sgid_index);
	PRM_SET(ads, path, hop_limit, av->hop_limit);
	PRM_SET(ads, path, tclass, av->tclass);
	PRM_SET(ads, path, flow_label, av->flow_label);
	memcpy(PRM_ADDR(ads, path, rgid_rip), av->dgid.raw, sizeof(av->dgid.raw));
}

static uint8_t smaller(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

int devx_qp_rtr(struct devx_qp *qp, const struct devx_av *av, const struct dv_endpoint *ours,
		const struct dv_endpoint *theirs, const struct dv_qp_conn *conn)
{
	const struct dv_qp_conn c = conn_or_default(conn);
	uint8_t in[PRM_SZ(init2rtr_qp_in)] = { 0 };
	uint8_t *qpc = PRM_ADDR(init2rtr_qp_in, in, qpc);

	if (qp->st == PRM_QPC_ST_UD) {
		PRM_SET(qpc, qpc, mtu, IBV_MTU_4096);
		PRM_SET(qpc, qpc, log_msg_max, LOG_MSG_MAX_UD);
		return move(qp, PRM_OP_INIT2RTR_QP, in);
	}
	PRM_SET(qpc, qpc, mtu, c.mtu ? c.mtu : smaller(ours->mtu, theirs->mtu));
	PRM_SET(qpc, qpc, log_msg_max, LOG_MSG_MAX);
	PRM_SET(qpc, qpc, remote_qpn, theirs->qpn);
	PRM_SET(qpc, qpc, next_rcv_psn, theirs->psn);
	PRM_SET(qpc, qpc, log_rra_max, log_at_least(ours->rd_atomic));
	PRM_SET(qpc, qpc, min_rnr_nak, c.min_rnr_timer);
	fill_path(PRM_ADDR(qpc, qpc, primary_address_path), av);
	return move(qp, PRM_OP_INIT2RTR_QP, in);
}

int devx_qp_rts(struct devx_qp *qp, const struct dv_endpoint *ours,
		const struct dv_endpoint *theirs, const struct dv_qp_conn *conn)
{
	struct dv_qp_conn c = conn_or_default(conn);
	uint8_t in[PRM_SZ(rtr2rts_qp_in)] = { 0 };
	uint8_t *qpc = PRM_ADDR(rtr2rts_qp_in, in, qpc);
	uint8_t *path = PRM_ADDR(qpc, qpc, primary_address_path);

	PRM_SET(qpc, qpc, next_send_psn, ours->psn);
	if (qp->st != PRM_QPC_ST_UD) {
		if (!c.max_rd_atomic)
			c.max_rd_atomic = smaller(ours->init_rd_atomic, theirs->rd_atomic);
		PRM_SET(qpc, qpc, log_ack_req_freq, LOG_ACK_REQ_FREQ);
		PRM_SET(qpc, qpc, log_sra_max, log_at_most(c.max_rd_atomic));
		PRM_SET(qpc, qpc, retry_count, c.retry_cnt);
		PRM_SET(qpc, qpc, rnr_retry, c.rnr_retry);
		PRM_SET(ads, path, ack_timeout, c.timeout);
	}
	return move(qp, PRM_OP_RTR2RTS_QP, in);
}

int devx_qp_connect(struct devx_qp *qp, struct ibv_pd *pd, const struct dv_endpoint *ours,
		    const struct dv_endpoint *theirs, const struct dv_qp_conn *conn)
{
	bool has_peer = qp->st != PRM_QPC_ST_UD;
	struct ibv_ah_attr path;
	struct devx_av av;
	int err = 0;

	if (has_peer &&
	    (theirs->link_layer != ours->link_layer || theirs->gid_type != ours->gid_type))
		return devx_refuse(CALL_devx_qp_connect, 0, ENETUNREACH,
				   "the peer is on another link layer or RoCE version");
	if (has_peer) {
		dv_endpoint_path(&path, ours, theirs, conn);
		err = devx_av_resolve(&av, pd, &path);
	}
	if (!err)
		err = devx_qp_init(qp, ours, conn);
	if (!err)
		err = devx_qp_rtr(qp, &av, ours, theirs, conn);
	return err ? err : devx_qp_rts(qp, ours, theirs, conn);
}

int devx_qp_sqerr2rts(struct devx_qp *qp)
{
	uint8_t in[PRM_SZ(sqerr2rts_qp_in)] = { 0 };

	return move(qp, PRM_OP_SQERR2RTS_QP, in);
}

int devx_qp_err(struct devx_qp *qp)
{
	uint8_t in[PRM_SZ(qp_2err_in)] = { 0 };

	return execute(qp, PRM_OP_2ERR_QP, in, sizeof(in));
}

int devx_qp_reset(struct devx_qp *qp)
{
	uint8_t in[PRM_SZ(qp_2rst_in)] = { 0 };
	int err = execute(qp, PRM_OP_2RST_QP, in, sizeof(in));

	if (err)
		return err;
	if (qp->rings.sq.wqe_cnt)
		dv_sq_restart(&qp->sq);
	if (qp->rings.rq.wqe_cnt)
		dv_rq_restart(&qp->rq);
	return 0;
}
