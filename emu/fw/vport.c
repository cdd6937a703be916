/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters of the vport: frames and errors.
 *
 *	engine frames out, in -> hca/counted.h -> QUERY_VPORT_COUNTER
 *	CQ overruns, commands refused, queues in error -> QUERY_VNIC_ENV
 *
 * There is one vport, the function's own. Commands for InfiniBand ports
 * (QUERY_HCA_VPORT_CONTEXT, GET_DROPPED_PACKET_LOG) are unknown to this device, as its
 * capabilities say. The e-switch that a DPU's function manages cannot be changed: no VLAN is
 * stripped or inserted (QUERY_ESW_VPORT_CONTEXT), and the other function is that of the host
 * (QUERY_ESW_FUNCTIONS, QUERY_VHCA_STATE). Each has a name (QUERY_VUID).
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fw/command.h"

#define VPORT_HOST 0
#define VPORT_DPU  0xfffe

static void put_traffic(uint8_t *at, const struct hca_vport_direction *d, enum hca_cast cast)
{
	PRM_SET(traffic_counter, at, packets, d->of[cast].packets);
	PRM_SET(traffic_counter, at, octets, d->of[cast].octets);
}

static void put_casts(uint8_t *out, const struct hca_vport_counts *n)
{
	uint8_t *at;

#define PUT(NAME, name)                                                  \
	at = PRM_ADDR(query_vport_counter_out, out, received_##name);    \
	put_traffic(at, &n->rx, HCA_##NAME);                             \
	at = PRM_ADDR(query_vport_counter_out, out, transmitted_##name); \
	put_traffic(at, &n->tx, HCA_##NAME)
	PUT(IB_UNICAST, ib_unicast);
	PUT(IB_MULTICAST, ib_multicast);
	PUT(ETH_UNICAST, eth_unicast);
	PUT(ETH_MULTICAST, eth_multicast);
	PUT(ETH_BROADCAST, eth_broadcast);
#undef PUT
}

/* assumed(vport_octets_are_of_whole_frames): the octets of vport counters are those of the
 * frame from the MAC address to the ICRC, without the FCS. */
enum fw_status fw_query_vport_counter(struct fw_cmd *c)
{
	struct hca_counted sum;

	if (PRM_GET(query_vport_counter_in, c->in, port_num) > 1)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	hca_function_counted(c->hca, &sum);
	put_casts(c->out, &sum.vport);
	if (PRM_GET(query_vport_counter_in, c->in, clear))
		HCA_CLEAR(c->hca, vport);
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

/* Meanings: kernel documentation, devlink, mlx5, "vnic reporter". Steering discards, frames
 * that arrive while the vport is down and event queue overruns do not happen here. */
enum fw_status fw_query_vnic_env(struct fw_cmd *c)
{
	uint8_t *env = PRM_ADDR(query_vnic_env_out, c->out, vport_env);
	const struct hca_counts *n = &c->hca->counts;

	PRM_SET(vnic_diagnostic_statistics, env, total_error_queues, queues_in_error(c->hca));
	PRM_SET(vnic_diagnostic_statistics, env, transmit_discard_vport_down, n->no_link);
	PRM_SET(vnic_diagnostic_statistics, env, cq_overrun, n->cq_overrun);
	PRM_SET(vnic_diagnostic_statistics, env, invalid_command, n->invalid_command);
	PRM_SET(vnic_diagnostic_statistics, env, quota_exceeded_command,
		n->quota_exceeded_command);
	return FW_OK;
}

/* The host's function of this adapter; of several processes, the one with the lowest VHCA
 * id. */
static uint32_t host_vhca_id(const struct hca *hca)
{
	for (uint32_t id = 1; id < HCA_VHCAS; id++) {
		const struct hca_vhca *v = hca_vhca_at(hca, id);

		if (v && atomic_load(&v->role) == HCA_ROLE_HOST)
			return id;
	}
	return 0;
}

static enum fw_status check_manager(struct fw_cmd *c)
{
	return FW_GEN(c->hca, eswitch_manager) ? FW_OK
					       : fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
}

/* assumed(esw_functions_name_the_host): QUERY_ESW_FUNCTIONS of a DPU's function shows the VHCA
 * id of the host's, and host_pf_disabled while that has no driver; there are no virtual
 * functions. */
enum fw_status fw_query_esw_functions(struct fw_cmd *c)
{
	uint8_t *host = PRM_ADDR(query_esw_functions_out, c->out, host_params_context);
	enum fw_status status = check_manager(c);
	uint32_t id;

	if (status != FW_OK)
		return status;
	id = host_vhca_id(c->hca);
	PRM_SET(host_params_context, host, host_pf_vhca_id_valid, id != 0);
	PRM_SET(host_params_context, host, host_pf_vhca_id, id);
	PRM_SET(host_params_context, host, host_pf_disabled, id == 0);
	return FW_OK;
}

/* The vports of the host and of the DPU (kernel, <linux/mlx5/vport.h>: MLX5_VPORT_PF,
 * _ECPF). */
enum fw_status fw_query_esw_vport_context(struct fw_cmd *c)
{
	uint32_t vport = PRM_GET(query_esw_vport_context_in, c->in, vport_number);
	enum fw_status status = check_manager(c);

	if (status == FW_OK && vport != VPORT_HOST && vport != VPORT_DPU)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	return status; /* the context is all 0 */
}

/* The state of the host's function, 0, or of the DPU's own. */
/* assumed(vhca_state_of_the_host): QUERY_VHCA_STATE of a DPU's function shows function 0, the
 * host's, as in use while it has a driver, else as active; other functions are BAD_PARAM. */
enum fw_status fw_query_vhca_state(struct fw_cmd *c)
{
	uint8_t *ctx = PRM_ADDR(query_vhca_state_out, c->out, vhca_state_context);
	bool own = PRM_GET(query_vhca_state_in, c->in, embedded_cpu_function);
	enum fw_status status = check_manager(c);

	if (status != FW_OK)
		return status;
	if (PRM_GET(query_vhca_state_in, c->in, function_id))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	PRM_SET(vhca_state_context, ctx, vhca_state,
		own || host_vhca_id(c->hca) ? PRM_VHCA_STATE_IN_USE : PRM_VHCA_STATE_ACTIVE);
	return FW_OK;
}

/* assumed(vuid_is_text_of_adapter_and_function): a VUID is text, a serial number of the
 * adapter, then MLNXS0D0F0 of the host's function or ECMLNXS0D0F0 of a DPU's; only the latter
 * may ask for others. */
static void put_vuid(struct fw_cmd *c, bool dpu)
{
	char text[PRM_SZ(array1024_auto)] = "";

	snprintf(text, sizeof(text), "DVKIT%016" PRIX64 "%sMLNXS0D0F0",
		 c->hca->port.sys_image_guid, dpu ? "EC" : "");
	memcpy(c->out + PRM_SZ(query_vuid_out), text, sizeof(text));
	PRM_SET(query_vuid_out, c->out, num_of_entries, 1);
}

/* There are no virtual functions: with query_vfs_vuid the answer is the same. */
enum fw_status fw_query_vuid(struct fw_cmd *c)
{
	uint32_t id = PRM_GET(query_vuid_in, c->in, vhca_id);
	const struct hca_vhca *v = hca_vhca_at(c->hca, id);
	bool own = id == c->hca->slot;

	if (!FW_GEN_2(c->hca, query_vuid))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (c->out_len < PRM_SZ(query_vuid_out) + PRM_SZ(array1024_auto))
		return fw_refuse(c, FW_BAD_OUTP_LEN, FW_WHY_OUT_LEN);
	if (!own && (!v || c->hca->role != HCA_ROLE_DPU))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	put_vuid(c, (own ? c->hca->role : atomic_load(&v->role)) == HCA_ROLE_DPU);
	return FW_OK;
}
