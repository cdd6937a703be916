/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * XRC and DC: a QP has one direction, so a lane has a second object where the peer's operations
 * arrive, and a shared receive queue, whose domain (XRC) or QP (DC) says what memory they may
 * reach.
 *
 *	lane                     peer
 *	  qp      XRC_SEND  --->   target XRC_RECV ---> SRQ that the WQE names
 *	          DCI       --->          DCT      ---> its SRQ
 *
 * A DC target is complete when it is made, and has its number only then: it knows no peer.
 */
#include "base/base.h"
#include "lane.h"

uint32_t lane_srqn(const struct lane *l)
{
	uint32_t srqn = 0;

	if (l->verbs.srq && l->o->service == SERVICE_XRC)
		base_ok(ibv_get_srq_num(l->verbs.srq, &srqn));
	return srqn;
}

static struct ibv_srq *create_srq(const struct lane *l, const struct device *dev)
{
	struct ibv_srq_init_attr_ex init = {
		.attr = { .max_wr = l->mem.recv_len ? l->o->rx_depth : 1, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = IBV_SRQT_BASIC,
		.pd = dev->pd,
	};

	if (l->o->service == SERVICE_XRC) {
		init.comp_mask |= IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
		init.srq_type = IBV_SRQT_XRC;
		init.xrcd = dev->xrcd;
		init.cq = l->cqs.recv_ibcq;
	}
	return ibv_create_srq_ex(dev->ctx, &init);
}

static struct ibv_qp *create_dct(const struct lane *l, const struct device *dev)
{
	struct ibv_qp_init_attr_ex init = { .qp_type = IBV_QPT_DRIVER,
					    .comp_mask = IBV_QP_INIT_ATTR_PD,
					    .pd = dev->pd,
					    .send_cq = l->cqs.recv_ibcq,
					    .recv_cq = l->cqs.recv_ibcq,
					    .srq = l->verbs.srq };
	struct mlx5dv_qp_init_attr dct = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
					   .dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCT,
							     .dct_access_key = LANE_DC_KEY } };

	return mlx5dv_create_qp(dev->ctx, &init, &dct);
}

static void open_dct(const struct lane *l, const struct device *dev)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = dev->port,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_REMOTE_ATOMIC,
	};

	base_ok(ibv_modify_qp(l->verbs.target, &attr,
			      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				      IBV_QP_ACCESS_FLAGS));
	attr.qp_state = IBV_QPS_RTR;
	attr.path_mtu = dev->mtu;
	attr.min_rnr_timer = 12;
	attr.ah_attr.port_num = dev->port;
	attr.ah_attr.is_global = dev->port_attr.link_layer == IBV_LINK_LAYER_ETHERNET;
	attr.ah_attr.grh.sgid_index = dev->gid_index;
	attr.ah_attr.grh.hop_limit = (uint8_t)l->o->hop_limit;
	attr.ah_attr.grh.traffic_class = (uint8_t)l->o->tos;
	base_ok(ibv_modify_qp(l->verbs.target, &attr,
			      IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				      IBV_QP_MIN_RNR_TIMER));
}

void lane_create_target(struct lane *l, const struct device *dev)
{
	struct ibv_qp_init_attr_ex init = { .qp_type = IBV_QPT_XRC_RECV,
					    .comp_mask = IBV_QP_INIT_ATTR_XRCD,
					    .xrcd = dev->xrcd };
	bool xrc = l->o->service == SERVICE_XRC;

	if (!xrc && l->o->service != SERVICE_DC)
		return;
	l->verbs.srq = create_srq(l, dev);
	if (!l->verbs.srq)
		base_refuse("the device cannot create an SRQ of %u receives (-c, -r): %m",
			    l->o->rx_depth);
	l->verbs.target = xrc ? ibv_create_qp_ex(dev->ctx, &init) : create_dct(l, dev);
	if (!l->verbs.target)
		base_refuse("the device cannot create a target of %s (-c): %m",
			    service_word(l->o->service));
	if (!xrc)
		open_dct(l, dev);
}

void lane_destroy_target(struct lane *l)
{
	if (!l->verbs.target)
		return;
	base_ok(ibv_destroy_qp(l->verbs.target));
	base_ok(ibv_destroy_srq(l->verbs.srq));
}
