/* SPDX-License-Identifier: BSD-2-Clause */
/* The QP of a lane: created, on a register, and taken to RTS. */
#include <stdlib.h>

#include "dvperf.h"
#include "lane.h"

enum { FIRST_PSN = 0x5000 };

/* ---- created ---- */

static uint64_t send_ops(const struct options *o)
{
	static const uint64_t ops[] = {
		[OP_WRITE] = IBV_QP_EX_WITH_RDMA_WRITE,
		[OP_READ] = IBV_QP_EX_WITH_RDMA_READ,
		[OP_SEND] = IBV_QP_EX_WITH_SEND,
		[OP_ATOMIC] =
			IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP,
		[OP_NOP] = 0,
	};

	return ops[o->op];
}

static void create_qp(struct lane *l, const struct device *dev, struct ibv_pd *pd)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };
	const struct options *o = l->o;
	struct ibv_qp_init_attr_ex init = {
		.qp_type = types[o->service],
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
		.send_cq = l->send_cq,
		.recv_cq = l->recv_cq,
		/* a batch more than is ever under way: NOPs at the edge have room */
		.cap = { .max_send_wr = o->tx_depth + o->batch,
			 .max_recv_wr = l->recv_len ? o->rx_depth : 1,
			 .max_send_sge = 1,
			 .max_recv_sge = 1,
			 .max_inline_data = l->is_inline ? o->size : 0 },
	};

	if (o->api == API_WR) {
		init.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		init.send_ops_flags = send_ops(o);
	}
	l->qp = ibv_create_qp_ex(dev->ctx, &init);
	if (!l->qp)
		refuse("the device makes no QP with %u sends of %u bytes%s (-t, -s, -I): %m",
		       init.cap.max_send_wr, o->size, l->is_inline ? " inline" : "");
	if (o->api == API_WR)
		l->qpx = ibv_qp_to_qp_ex(l->qp);
}

static void find_register(struct lane *l)
{
	struct mlx5dv_qp dvqp = { 0 };
	struct mlx5dv_obj obj = { .qp = { .in = l->qp, .out = &dvqp } };

	if (!mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP))
		l->reg = dvqp.bf.reg;
}

/* libmlx5 hands its registers out in turn and takes no wishes: QPs are made until one is on @reg,
 * and those on others stay, so that the turn goes on. */
void lane_create_qp(struct lane *l, const struct device *dev, struct ibv_pd *pd,
		    const char *reg)
{
	enum { TRIES = 32 };

	create_qp(l, dev, pd);
	find_register(l);
	while (reg && l->reg != reg && l->others < TRIES) {
		if (!l->other)
			l->other = made(calloc(TRIES, sizeof(*l->other)));
		l->other[l->others++] = l->qp;
		create_qp(l, dev, pd);
		find_register(l);
	}
}

/* ---- the way to the peer ---- */

struct address lane_address(const struct lane *l, const struct device *dev)
{
	return (struct address){ .gid = dev->gid,
				 .raddr = (uintptr_t)l->land,
				 .rkey = l->mr->rkey,
				 .qpn = l->qp->qp_num,
				 .psn = FIRST_PSN,
				 .lid = dev->port_attr.lid,
				 .mtu = (uint8_t)dev->mtu };
}

static struct ibv_ah_attr path(const struct device *dev, const struct address *peer)
{
	return (struct ibv_ah_attr){
		.dlid = peer->lid,
		.port_num = dev->port,
		.is_global = dev->port_attr.link_layer == IBV_LINK_LAYER_ETHERNET,
		.grh = { .dgid = peer->gid, .sgid_index = dev->gid_index, .hop_limit = 64 }
	};
}

static void connect_ud(struct lane *l, const struct device *dev, const struct address *peer)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT,
				    .port_num = dev->port,
				    .qkey = LANE_QKEY };
	struct ibv_ah_attr ah = path(dev, peer);

	ok(ibv_modify_qp(l->qp, &attr,
			 IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY));
	attr.qp_state = IBV_QPS_RTR;
	ok(ibv_modify_qp(l->qp, &attr, IBV_QP_STATE));
	attr.qp_state = IBV_QPS_RTS;
	ok(ibv_modify_qp(l->qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN));
	l->ah = made(ibv_create_ah(dev->pd, &ah));
	l->remote_qpn = peer->qpn;
	if (l->o->api == API_DIRECT)
		ok(dv_av_map(&l->av, l->ah, peer->qpn, LANE_QKEY));
}

static void to_rtr(struct lane *l, const struct device *dev, const struct address *peer)
{
	bool rc = l->o->service == SERVICE_RC;
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = dev->port,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE |
				   (rc ? IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC : 0),
	};
	int outs = l->o->outs ? (int)l->o->outs : dev->attr.max_qp_rd_atom;

	ok(ibv_modify_qp(l->qp, &attr,
			 IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
	attr.qp_state = IBV_QPS_RTR;
	attr.path_mtu = dev->mtu < peer->mtu ? dev->mtu : (enum ibv_mtu)peer->mtu;
	attr.dest_qp_num = peer->qpn;
	attr.rq_psn = peer->psn;
	attr.max_dest_rd_atomic = (uint8_t)(outs > 255 ? 255 : outs);
	attr.min_rnr_timer = 12;
	attr.ah_attr = path(dev, peer);
	ok(ibv_modify_qp(l->qp, &attr,
			 IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				 IBV_QP_RQ_PSN |
				 (rc ? IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER : 0)));
	attr.qp_state = IBV_QPS_RTS;
	attr.timeout = 14;
	attr.retry_cnt = 7;
	attr.rnr_retry = 7;
	attr.sq_psn = FIRST_PSN;
	attr.max_rd_atomic = attr.max_dest_rd_atomic;
	ok(ibv_modify_qp(l->qp, &attr,
			 IBV_QP_STATE | IBV_QP_SQ_PSN |
				 (rc ? IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
						  IBV_QP_MAX_QP_RD_ATOMIC
				     : 0)));
}

void lane_connect(struct lane *l, const struct device *dev, const struct address *peer)
{
	l->to = (struct dv_raddr){ peer->raddr, peer->rkey };
	if (l->o->service == SERVICE_UD)
		connect_ud(l, dev, peer);
	else
		to_rtr(l, dev, peer);
}
