/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The transitions of a QP of verbs (endpoint.h). Which attributes a QP takes depends on its
 * type and on the half of a connection that it is: InfiniBand specification, chapter 11,
 * "Modify Queue Pair", and annex A14 for XRC.
 *
 *	          INIT                   RTR                             RTS
 *	RC        port, access           path, mtu, qpn, psn,            psn, timeout, retries,
 *	                                 max_dest_rd_atomic, rnr timer   max_rd_atomic
 *	UC        port, access           path, mtu, qpn, psn             psn
 *	XRC_SEND  port, access           as UC                           as RC
 *	XRC_RECV  port, access           as RC                           psn, timeout
 *	UD        port, qkey                                             psn
 */
#include <errno.h>
#include <stdbool.h>
#include <dv/endpoint.h>

#include "refuse.h"

void dv_qp_conn_init(struct dv_qp_conn *conn)
{
	*conn = (struct dv_qp_conn){
		.access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
			  IBV_ACCESS_REMOTE_ATOMIC,
		.min_rnr_timer = 12,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.hop_limit = 64,
		.qkey = 0x11111111,
	};
}

static struct dv_qp_conn conn_or_default(const struct dv_qp_conn *conn)
{
	struct dv_qp_conn c;

	dv_qp_conn_init(&c);
	return conn ? *conn : c;
}

/* ---- what goes with what ---- */

static bool is_connected(enum ibv_qp_type type)
{
	return type == IBV_QPT_RC || type == IBV_QPT_UC || type == IBV_QPT_XRC_SEND ||
	       type == IBV_QPT_XRC_RECV;
}

/* It executes READs and atomics; it has them under way. */
static bool responds(enum ibv_qp_type type)
{
	return type == IBV_QPT_RC || type == IBV_QPT_XRC_RECV;
}

static bool requests(enum ibv_qp_type type)
{
	return type == IBV_QPT_RC || type == IBV_QPT_XRC_SEND;
}

static uint8_t type_of_peer(enum ibv_qp_type type)
{
	if (type == IBV_QPT_XRC_SEND)
		return IBV_QPT_XRC_RECV;
	return (uint8_t)(type == IBV_QPT_XRC_RECV ? IBV_QPT_XRC_SEND : type);
}

static int no_such_type(const struct ibv_qp *qp)
{
	return dv_refuse(EOPNOTSUPP, "no connection for a QP of type %d", qp->qp_type);
}

static int check_peer(const struct ibv_qp *qp, const struct dv_endpoint *ours,
		      const struct dv_endpoint *theirs)
{
	if (qp->qp_type == IBV_QPT_UD)
		return 0;
	if (!is_connected(qp->qp_type))
		return no_such_type(qp);
	if (theirs->qp_type != type_of_peer(qp->qp_type))
		return dv_refuse(EPROTOTYPE, "a QP of type %d, and one of type %u at the peer",
				 qp->qp_type, theirs->qp_type);
	if (theirs->link_layer != ours->link_layer || theirs->gid_type != ours->gid_type)
		return dv_refuse(ENETUNREACH,
				 "the peer is on another link layer or RoCE version");
	return 0;
}

/* ---- attributes ---- */

static uint8_t smaller(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

/* InfiniBand needs the GRH only between subnets. */
static bool is_global(const struct dv_endpoint *ours, const struct dv_endpoint *theirs)
{
	return ours->link_layer == IBV_LINK_LAYER_ETHERNET ||
	       (theirs->gid.global.interface_id &&
		theirs->gid.global.subnet_prefix != ours->gid.global.subnet_prefix);
}

void dv_endpoint_path(struct ibv_ah_attr *path, const struct dv_endpoint *ours,
		      const struct dv_endpoint *theirs, const struct dv_qp_conn *conn)
{
	struct dv_qp_conn c = conn_or_default(conn);

	*path = (struct ibv_ah_attr){
		.dlid = theirs->lid,
		.sl = c.sl,
		.static_rate = c.static_rate,
		.port_num = ours->port,
		.is_global = is_global(ours, theirs),
		.grh = { .dgid = theirs->gid,
			 .flow_label = c.flow_label,
			 .sgid_index = ours->gid_index,
			 .hop_limit = c.hop_limit,
			 .traffic_class = c.traffic_class },
	};
}

static int modify(struct ibv_qp *qp, struct ibv_qp_attr *attr, enum ibv_qp_state state,
		  int mask)
{
	static const char *const calls[] = { [IBV_QPS_INIT] = "ibv_modify_qp() to INIT",
					     [IBV_QPS_RTR] = "ibv_modify_qp() to RTR",
					     [IBV_QPS_RTS] = "ibv_modify_qp() to RTS" };

	attr->qp_state = state;
	return dv_refused_by(calls[state], ibv_modify_qp(qp, attr, IBV_QP_STATE | mask));
}

/* ---- transitions ---- */

int dv_qp_init(struct ibv_qp *qp, const struct dv_endpoint *ours, const struct dv_qp_conn *conn)
{
	struct dv_qp_conn c = conn_or_default(conn);
	unsigned int possible = qp->qp_type == IBV_QPT_UC ? IBV_ACCESS_REMOTE_WRITE : ~0u;
	struct ibv_qp_attr attr = { .port_num = ours->port,
				    .pkey_index = c.pkey_index,
				    .qkey = c.qkey,
				    .qp_access_flags = c.access & possible };
	int mask = IBV_QP_PKEY_INDEX | IBV_QP_PORT;

	if (qp->qp_type == IBV_QPT_UD)
		return modify(qp, &attr, IBV_QPS_INIT, mask | IBV_QP_QKEY);
	if (!is_connected(qp->qp_type))
		return no_such_type(qp);
	return modify(qp, &attr, IBV_QPS_INIT, mask | IBV_QP_ACCESS_FLAGS);
}

int dv_qp_rtr(struct ibv_qp *qp, const struct dv_endpoint *ours,
	      const struct dv_endpoint *theirs, const struct dv_qp_conn *conn)
{
	int mask = IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	struct dv_qp_conn c = conn_or_default(conn);
	struct ibv_qp_attr attr = { .min_rnr_timer = c.min_rnr_timer };
	int err = check_peer(qp, ours, theirs);

	if (err)
		return err;
	if (qp->qp_type == IBV_QPT_UD)
		return modify(qp, &attr, IBV_QPS_RTR, 0);
	attr.path_mtu = (enum ibv_mtu)(c.mtu ? c.mtu : smaller(ours->mtu, theirs->mtu));
	attr.dest_qp_num = theirs->qpn;
	attr.rq_psn = theirs->psn;
	attr.max_dest_rd_atomic = ours->rd_atomic;
	dv_endpoint_path(&attr.ah_attr, ours, theirs, &c);
	if (responds(qp->qp_type))
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	return modify(qp, &attr, IBV_QPS_RTR, mask);
}

int dv_qp_rts(struct ibv_qp *qp, const struct dv_endpoint *ours,
	      const struct dv_endpoint *theirs, const struct dv_qp_conn *conn)
{
	struct dv_qp_conn c = conn_or_default(conn);
	struct ibv_qp_attr attr = { .sq_psn = ours->psn,
				    .timeout = c.timeout,
				    .retry_cnt = c.retry_cnt,
				    .rnr_retry = c.rnr_retry,
				    .max_rd_atomic = c.max_rd_atomic };
	int mask = IBV_QP_SQ_PSN;

	if (qp->qp_type != IBV_QPT_UD && !is_connected(qp->qp_type))
		return no_such_type(qp);
	if (requests(qp->qp_type) && !attr.max_rd_atomic)
		attr.max_rd_atomic = smaller(ours->init_rd_atomic, theirs->rd_atomic);
	if (requests(qp->qp_type) || responds(qp->qp_type))
		mask |= IBV_QP_TIMEOUT;
	if (requests(qp->qp_type))
		mask |= IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
	return modify(qp, &attr, IBV_QPS_RTS, mask);
}

int dv_qp_connect(struct ibv_qp *qp, const struct dv_endpoint *ours,
		  const struct dv_endpoint *theirs, const struct dv_qp_conn *conn)
{
	int err = check_peer(qp, ours, theirs);

	if (!err)
		err = dv_qp_init(qp, ours, conn);
	if (!err)
		err = dv_qp_rtr(qp, ours, theirs, conn);
	return err ? err : dv_qp_rts(qp, ours, theirs, conn);
}
