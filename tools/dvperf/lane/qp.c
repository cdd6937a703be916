/* SPDX-License-Identifier: BSD-2-Clause */
/* The QP of a lane: created, on a register, and taken to RTS. */
#include <errno.h>
#include <stdlib.h>

#include "base/base.h"
#include "devx.h"
#include "lane.h"

enum { FIRST_PSN = 0x5000 };

/* ---- what its WQEs are ---- */

enum wqe_kind lane_wqe_kind(const struct lane *l)
{
	switch (l->op.kind) {
	case OP_WRITE:
		return l->op.is_inline ? WQE_WRITE_INLINE : WQE_WRITE;
	case OP_WRITE_IMM:
		return l->op.is_inline ? WQE_WRITE_IMM_INLINE : WQE_WRITE_IMM;
	case OP_READ:
		return WQE_READ;
	case OP_ATOMIC:
		return l->op.atomic == ATOMIC_CMP_AND_SWAP ? WQE_CMP_SWAP : WQE_FETCH_ADD;
	case OP_NOP:
		return WQE_NOP;
	case OP_MMO:
		if (l->o->remote_vhca == REMOTE_VHCA_READ)
			return l->op.wqes > 1 ? WQE_MMO_READ_CHUNKS : WQE_MMO_READ;
		return l->op.wqes > 1 ? WQE_MMO_CHUNKS : WQE_MMO;
	default:
		return l->op.is_inline ? WQE_SEND_INLINE : WQE_SEND;
	}
}

enum wqe_to lane_wqe_to(const struct options *o)
{
	static const enum wqe_to to[] = {
		[SERVICE_UD] = TO_UD, [SERVICE_XRC] = TO_XRC, [SERVICE_DC] = TO_DC
	};

	return to[o->service];
}

/* ---- created ---- */

static uint64_t send_ops(const struct options *o)
{
	static const uint64_t ops[] = {
		[OP_WRITE] = IBV_QP_EX_WITH_RDMA_WRITE,
		[OP_WRITE_IMM] = IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM,
		[OP_READ] = IBV_QP_EX_WITH_RDMA_READ,
		[OP_SEND] = IBV_QP_EX_WITH_SEND,
		[OP_ATOMIC] =
			IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP,
		[OP_NOP] = 0,
		[OP_MMO] = 0, /* it is an operation of mlx5dv */
	};

	return ops[o->op];
}

/* Type of the QP that posts. */
static enum ibv_qp_type type_of(const struct options *o)
{
	static const enum ibv_qp_type types[] = { [SERVICE_RC] = IBV_QPT_RC,
						  [SERVICE_UC] = IBV_QPT_UC,
						  [SERVICE_UD] = IBV_QPT_UD,
						  [SERVICE_XRC] = IBV_QPT_XRC_SEND,
						  [SERVICE_DC] = IBV_QPT_DRIVER };

	return types[o->service];
}

/* A DC initiator is not made by verbs alone, nor a QP that copies. */
static struct ibv_qp *create(const struct device *dev, struct ibv_qp_init_attr_ex *init,
			     bool copies)
{
	struct mlx5dv_qp_init_attr dci = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
					   .dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCI } };
	struct mlx5dv_qp_init_attr mmo = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
					   .send_ops_flags = MLX5DV_QP_EX_WITH_MEMCPY };

	if (copies)
		return mlx5dv_create_qp(dev->ctx, init, &mmo);
	if (init->qp_type == IBV_QPT_DRIVER)
		return mlx5dv_create_qp(dev->ctx, init, &dci);
	return ibv_create_qp_ex(dev->ctx, init);
}

static void create_qp(struct lane *l, const struct device *dev, struct ibv_pd *pd)
{
	const struct options *o = l->o;
	bool one_way = o->service == SERVICE_XRC || o->service == SERVICE_DC;
	struct ibv_qp_init_attr_ex init = {
		.qp_type = type_of(o),
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
		.send_cq = l->cqs.send_ibcq,
		.recv_cq = l->cqs.recv_ibcq,
		/* a batch more than is ever outstanding: space for NOPs at the end of the
		 * ring */
		.cap = { .max_send_wr = (o->tx_depth + o->batch) * l->op.wqes,
			 .max_recv_wr = one_way		  ? 0
					: l->mem.recv_len ? o->rx_depth
							  : 1,
			 .max_send_sge = 1,
			 .max_recv_sge = !one_way,
			 .max_inline_data = l->op.is_inline ? o->size : 0 },
	};

	/* of mmo by direct, too: else libmlx5 has space for the longest WQE that verbs know */
	if (o->api == API_WR || o->op == OP_MMO) {
		init.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		init.send_ops_flags = send_ops(o);
	}
	l->verbs.qp = create(dev, &init, options_copies(o));
	if (!l->verbs.qp)
		base_refuse(
			"the device cannot create a QP of %s with %u sends of %u bytes%s (-c, -t, -s, %s): %m%s",
			service_word(o->service), init.cap.max_send_wr, o->size,
			l->op.is_inline ? " inline" : "", o->op == OP_MMO ? "--chunk" : "-I",
			memory_hint(errno, o));
	if (o->api == API_WR)
		l->verbs.qpx = ibv_qp_to_qp_ex(l->verbs.qp);
	if (o->api == API_WR && (o->service == SERVICE_DC || o->op == OP_MMO))
		l->verbs.dv_qpx = mlx5dv_qp_ex_from_ibv_qp_ex(l->verbs.qpx);
}

static void find_register(struct lane *l)
{
	struct mlx5dv_qp dvqp = { 0 };
	struct mlx5dv_obj obj = { .qp = { .in = l->verbs.qp, .out = &dvqp } };

	if (!mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP))
		l->doorbell.reg = dvqp.bf.reg;
}

/* libmlx5 assigns its registers in turn; a QP cannot ask for one. QPs are created until one has
 * @reg; those with other registers stay, so that the next QP gets the next register. */
void lane_create_qp(struct lane *l, const struct device *dev, struct ibv_pd *pd,
		    const char *reg)
{
	enum { TRIES = 32 };

	create_qp(l, dev, pd);
	find_register(l);
	while (reg && l->doorbell.reg != reg && l->verbs.n_spare_qps < TRIES) {
		if (!l->verbs.spare_qps)
			l->verbs.spare_qps =
				base_made(calloc(TRIES, sizeof(*l->verbs.spare_qps)));
		l->verbs.spare_qps[l->verbs.n_spare_qps++] = l->verbs.qp;
		create_qp(l, dev, pd);
		find_register(l);
	}
}

/* ---- the way to the peer ---- */

uint32_t lane_qpn(const struct lane *l)
{
	return l->devx ? l->devx->qp.obj.id : l->verbs.qp->qp_num;
}

static uint8_t reads_under_way(const struct lane *l, const struct device *dev)
{
	int outs = l->o->outs ? (int)l->o->outs : dev->attr.max_qp_rd_atom;

	return (uint8_t)(outs > UINT8_MAX ? UINT8_MAX : outs);
}

static struct dv_endpoint endpoint(const struct lane *l, const struct device *dev,
				   enum ibv_qp_type type, uint32_t qpn)
{
	struct dv_endpoint ep;

	base_ok(dv_endpoint_fill(&ep, dev->ctx, type, qpn, dev->port, dev->gid_index));
	ep.psn = FIRST_PSN;
	ep.rd_atomic = reads_under_way(l, dev);
	ep.mtu = (uint8_t)dev->mtu;
	return ep;
}

static struct dv_endpoint sender(const struct lane *l, const struct device *dev)
{
	return endpoint(l, dev, type_of(l->o), lane_qpn(l));
}

/* Where the peer's operations arrive. */
static struct dv_endpoint receiver(const struct lane *l, const struct device *dev)
{
	return l->verbs.target
		       ? endpoint(l, dev, l->verbs.target->qp_type, l->verbs.target->qp_num)
		       : sender(l, dev);
}

struct address lane_address(const struct lane *l, const struct device *dev)
{
	struct dv_endpoint to = receiver(l, dev), from = sender(l, dev);
	struct address a = { .raddr = htobe64(l->mem.recv_addr),
			     .rkey = htobe32(l->mem.mr->rkey),
			     .srqn = htobe32(lane_srqn(l)) };

	if (l->mem.memory->is_exported)
		devx_export_pack(a.exported, &l->mem.memory->exported.desc);
	dv_endpoint_pack(a.endpoint, &to);
	dv_endpoint_pack(a.sender, &from);
	return a;
}

static struct dv_endpoint unpacked(const uint8_t record[DV_ENDPOINT_BYTES])
{
	struct dv_endpoint ep;

	if (dv_endpoint_unpack(&ep, record, DV_ENDPOINT_BYTES))
		base_fail("the other side sent no address of a QP: another version of dvperf?");
	return ep;
}

/* The attributes of a connection that options set. */
static struct dv_qp_conn connection(const struct lane *l, const struct device *dev)
{
	struct dv_qp_conn conn;

	dv_qp_conn_init(&conn);
	conn.max_rd_atomic = reads_under_way(l, dev);
	conn.timeout = (uint8_t)l->o->qp_timeout;
	conn.sl = (uint8_t)l->o->sl;
	conn.hop_limit = (uint8_t)l->o->hop_limit;
	conn.traffic_class = (uint8_t)l->o->tos;
	conn.qkey = LANE_QKEY;
	return conn;
}

static struct ibv_ah_attr path(const struct lane *l, const struct device *dev,
			       const struct dv_endpoint *peer)
{
	struct dv_endpoint ours = sender(l, dev);
	struct dv_qp_conn conn = connection(l, dev);
	struct ibv_ah_attr ah;

	dv_endpoint_path(&ah, &ours, peer, &conn);
	return ah;
}

static enum ibv_mtu mtu_to(const struct device *dev, const struct dv_endpoint *peer)
{
	return dev->mtu < peer->mtu ? dev->mtu : (enum ibv_mtu)peer->mtu;
}

/* The AH of datagrams and DC, and what direct copies out of it. */
static void create_ah(struct lane *l, const struct device *dev, const struct dv_endpoint *peer,
		      uint32_t qkey)
{
	struct ibv_ah_attr ah = path(l, dev, peer);

	l->op.ah = base_made(ibv_create_ah(dev->pd, &ah));
	if (l->o->api == API_DIRECT)
		base_ok(dv_av_from_ah(&l->op.av, l->op.ah));
	dv_av_set_ud(&l->op.av, peer->qpn, qkey);
}

static void connect_devx(struct lane *l, const struct device *dev,
			 const struct dv_endpoint *peer)
{
	struct dv_endpoint ours = sender(l, dev);
	struct dv_qp_conn conn = connection(l, dev);

	if (l->o->service != SERVICE_RC)
		conn.access = IBV_ACCESS_REMOTE_WRITE;
	lane_devx_connect(l, dev, &ours, peer, &conn);
	if (l->o->service == SERVICE_UD)
		create_ah(l, dev, peer, LANE_QKEY);
}

static void connect_qp(const struct lane *l, struct ibv_qp *qp, const struct device *dev,
		       const struct dv_endpoint *peer)
{
	struct dv_endpoint ours = endpoint(l, dev, qp->qp_type, qp->qp_num);
	struct dv_qp_conn conn = connection(l, dev);

	base_ok(dv_qp_connect(qp, &ours, peer, &conn));
}

/* A DC initiator has no peer before its first WQE names one. */
static void connect_dc(struct lane *l, const struct device *dev, const struct dv_endpoint *peer)
{
	struct dv_qp_conn conn = connection(l, dev);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT,
				    .port_num = dev->port,
				    .path_mtu = mtu_to(dev, peer),
				    .timeout = conn.timeout,
				    .retry_cnt = conn.retry_cnt,
				    .rnr_retry = conn.rnr_retry,
				    .sq_psn = FIRST_PSN,
				    .max_rd_atomic = conn.max_rd_atomic };

	base_ok(ibv_modify_qp(l->verbs.qp, &attr,
			      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT));
	attr.qp_state = IBV_QPS_RTR;
	base_ok(ibv_modify_qp(l->verbs.qp, &attr, IBV_QP_STATE | IBV_QP_PATH_MTU));
	attr.qp_state = IBV_QPS_RTS;
	base_ok(ibv_modify_qp(l->verbs.qp, &attr,
			      IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				      IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC));
	create_ah(l, dev, peer, 0);
	if (l->o->api == API_DIRECT)
		dv_dest_dc(&l->op.destination, &l->op.av, peer->qpn, LANE_DC_KEY);
}

void lane_connect(struct lane *l, const struct device *dev, const struct address *peer)
{
	struct dv_endpoint to = unpacked(peer->endpoint), from = unpacked(peer->sender);

	l->op.remote = (struct dv_raddr){ be64toh(peer->raddr), be32toh(peer->rkey) };
	if (l->op.kind == OP_MMO) { /* its WQEs have local addresses, also of --remote-vhca */
		l->op.remote.rkey = l->mem.mr->lkey;
		to = sender(l, dev);
	}
	l->op.remote_qpn = to.qpn;
	if (l->o->rdma_cm) /* cm_connect() takes it to RTS */
		return;
	if (l->devx) {
		connect_devx(l, dev, &to);
	} else if (l->o->service == SERVICE_DC) {
		connect_dc(l, dev, &to);
	} else {
		connect_qp(l, l->verbs.qp, dev, &to);
		if (l->o->service == SERVICE_UD)
			create_ah(l, dev, &to, LANE_QKEY);
	}
	if (l->o->service != SERVICE_XRC)
		return;
	connect_qp(l, l->verbs.target, dev, &from);
	l->op.remote_srqn = be32toh(peer->srqn);
	dv_dest_xrc(&l->op.destination, l->op.remote_srqn);
}
