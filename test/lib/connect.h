/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transitions of a QP with the attributes that its type needs: InfiniBand specification,
 * chapter 11, "Modify queue pair". They return 0 or an errno value.
 *
 *	struct ibv_qp_attr a = { .path_mtu = IBV_MTU_1024, .ah_attr = path_to(gid, 3), … };
 *	must(!connect_qp(qp, &a));	RESET … RTS
 */
#ifndef TEST_LIB_CONNECT_H
#define TEST_LIB_CONNECT_H

#include <infiniband/verbs.h>

static inline int init_mask(enum ibv_qp_type type)
{
	if (type == IBV_QPT_RAW_PACKET)
		return IBV_QP_STATE | IBV_QP_PORT;
	return IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX |
	       (type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS);
}

static inline int rtr_mask(enum ibv_qp_type type)
{
	int connected =
		IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;

	switch (type) {
	case IBV_QPT_UD:
	case IBV_QPT_RAW_PACKET:
		return IBV_QP_STATE;
	case IBV_QPT_UC:
	case IBV_QPT_XRC_SEND:
		return connected;
	default:
		return connected | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	}
}

static inline int rts_mask(enum ibv_qp_type type)
{
	int all = IBV_QP_STATE | IBV_QP_SQ_PSN;

	switch (type) {
	case IBV_QPT_RAW_PACKET:
		return IBV_QP_STATE;
	case IBV_QPT_UD:
	case IBV_QPT_UC:
		return all;
	case IBV_QPT_XRC_RECV:
		return all | IBV_QP_TIMEOUT;
	default:
		return all | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
		       IBV_QP_MAX_QP_RD_ATOMIC;
	}
}

/* To @state with what of @a it needs, and by port 1. */
static inline int move_qp(struct ibv_qp *qp, const struct ibv_qp_attr *a,
			  enum ibv_qp_state state)
{
	struct ibv_qp_attr to = *a;

	to.qp_state = state;
	to.port_num = 1;
	switch (state) {
	case IBV_QPS_INIT:
		return ibv_modify_qp(qp, &to, init_mask(qp->qp_type));
	case IBV_QPS_RTR:
		return ibv_modify_qp(qp, &to, rtr_mask(qp->qp_type));
	case IBV_QPS_RTS:
		return ibv_modify_qp(qp, &to, rts_mask(qp->qp_type));
	default:
		return ibv_modify_qp(qp, &to, IBV_QP_STATE);
	}
}

static inline int connect_qp(struct ibv_qp *qp, const struct ibv_qp_attr *a)
{
	int err = move_qp(qp, a, IBV_QPS_INIT);

	if (!err)
		err = move_qp(qp, a, IBV_QPS_RTR);
	return err ? err : move_qp(qp, a, IBV_QPS_RTS);
}

/* A DC initiator, and a DC target, which needs no more than RTR. */
static inline int connect_dci(struct ibv_qp *qp, const struct ibv_qp_attr *a)
{
	struct ibv_qp_attr to = *a;
	int err;

	to.port_num = 1;
	to.qp_state = IBV_QPS_INIT;
	err = ibv_modify_qp(qp, &to, IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX);
	to.qp_state = IBV_QPS_RTR;
	if (!err)
		err = ibv_modify_qp(qp, &to, IBV_QP_STATE | IBV_QP_PATH_MTU);
	return err ? err : move_qp(qp, a, IBV_QPS_RTS);
}

static inline int connect_dct(struct ibv_qp *qp, const struct ibv_qp_attr *a)
{
	struct ibv_qp_attr to = *a;
	int err = move_qp(qp, a, IBV_QPS_INIT);

	to.qp_state = IBV_QPS_RTR;
	return err ? err
		   : ibv_modify_qp(qp, &to,
				   IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
					   IBV_QP_MIN_RNR_TIMER);
}

static inline struct ibv_ah_attr path_to(union ibv_gid dgid, uint8_t sgid_index)
{
	return (struct ibv_ah_attr){
		.port_num = 1,
		.is_global = 1,
		.grh = { .dgid = dgid, .sgid_index = sgid_index, .hop_limit = 64 },
	};
}

/* The same by a port of either kind. */
static inline struct ibv_ah_attr path_by_port(const struct ibv_port_attr *port,
					      union ibv_gid dgid, uint8_t sgid_index)
{
	struct ibv_ah_attr path = path_to(dgid, sgid_index);

	path.dlid = port->lid;
	path.is_global = port->link_layer == IBV_LINK_LAYER_ETHERNET;
	return path;
}

#endif
