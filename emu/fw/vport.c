/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the vport has seen: frames, and what went wrong on the way.
 *
 *	engine frames out, in -> hca.counts -> QUERY_VPORT_COUNTER
 *	CQ overruns, commands refused, queues in error -> QUERY_VNIC_ENV
 *
 * There is one vport, the function's own. What asks for an e-switch, a port of InfiniBand or
 * congestion control (QUERY_ESW_VPORT_CONTEXT, QUERY_ESW_FUNCTIONS, QUERY_HCA_VPORT_CONTEXT,
 * QUERY_CONG_*, GET_DROPPED_PACKET_LOG) is a command that this device does not know:
 * its capabilities say that it has none of them.
 */
#include "fw/command.h"

static void put_traffic(uint8_t *at, const struct hca_traffic *t)
{
	PRM_SET(traffic_counter, at, packets, t->packets);
	PRM_SET(traffic_counter, at, octets, t->octets);
}

/* RoCE counts as InfiniBand (kernel documentation, ethtool counters: rx_vport_rdma_unicast).
 * All frames here are RoCE and go to one station. */
/* assumed(vport_octets_are_of_whole_frames): the octets of vport counters are those of the
 * frame from the MAC address to the ICRC, without the FCS. */
enum fw_status fw_query_vport_counter(struct fw_cmd *c)
{
	struct hca_counts *n = &c->hca->counts;

	if (PRM_GET(query_vport_counter_in, c->in, port_num) > 1)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	put_traffic(PRM_ADDR(query_vport_counter_out, c->out, received_ib_unicast),
		    &n->vport_rx);
	put_traffic(PRM_ADDR(query_vport_counter_out, c->out, transmitted_ib_unicast),
		    &n->vport_tx);
	if (PRM_GET(query_vport_counter_in, c->in, clear))
		n->vport_rx = n->vport_tx = (struct hca_traffic){ 0 };
	return FW_OK;
}

static uint32_t queues_in_error(const struct hca *hca)
{
	uint32_t n = 0, qpn = 0, sqn = 0, rqn = 0;
	const struct hca_qp *qp;
	const struct hca_sq *sq;
	const struct hca_rq *rq;

	while ((qp = core_ids_next(&hca->qps, &qpn)))
		n += qp->state == PRM_QPC_STATE_ERR || qp->state == PRM_QPC_STATE_SQER;
	while ((sq = core_ids_next(&hca->sqs, &sqn)))
		n += sq->state == PRM_SQC_STATE_ERR;
	while ((rq = core_ids_next(&hca->rqs, &rqn)))
		n += rq->state == PRM_RQC_STATE_ERR;
	return n;
}

/* What each means: kernel documentation, devlink, mlx5, "vnic reporter". Steering discards,
 * transmissions while the vport is down and event queue overruns do not happen here. */
enum fw_status fw_query_vnic_env(struct fw_cmd *c)
{
	uint8_t *env = PRM_ADDR(query_vnic_env_out, c->out, vport_env);
	const struct hca_counts *n = &c->hca->counts;

	PRM_SET(vnic_diagnostic_statistics, env, total_error_queues, queues_in_error(c->hca));
	PRM_SET(vnic_diagnostic_statistics, env, cq_overrun, n->cq_overrun);
	PRM_SET(vnic_diagnostic_statistics, env, invalid_command, n->invalid_command);
	PRM_SET(vnic_diagnostic_statistics, env, quota_exceeded_command,
		n->quota_exceeded_command);
	return FW_OK;
}
