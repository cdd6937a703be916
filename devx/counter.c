/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ALLOC_Q_COUNTER, ALLOC_FLOW_COUNTER and their queries; QUERY_VPORT_COUNTER, QUERY_VNIC_ENV.
 */
#include <stdlib.h>

#include <devx/counter.h>
#include <prm/prm.h>

#include "refuse.h"

enum {
	/* ALLOC_FLOW_COUNTER: bit k of flow_counter_bulk is 128 << k counters. */
	BULK_MIN = 128,
	BULK_MAX = BULK_MIN << 7,
	VNIC_DIAGNOSTICS = 0, /* op_mod of QUERY_VNIC_ENV */
};

int devx_q_counter_create(struct devx_obj *counter, struct ibv_context *ctx)
{
	uint8_t in[PRM_SZ(alloc_q_counter_in)] = { 0 },
		out[PRM_SZ(alloc_q_counter_out)] = { 0 };

	PRM_SET(alloc_q_counter_in, in, opcode, PRM_OP_ALLOC_Q_COUNTER);
	return devx_obj_create(counter, ctx, in, sizeof(in), out, sizeof(out));
}

int devx_q_counter_query(struct devx_obj *counter, bool clear,
			 uint8_t out[PRM_SZ(query_q_counter_out)])
{
	uint8_t in[PRM_SZ(query_q_counter_in)] = { 0 };

	PRM_SET(query_q_counter_in, in, opcode, PRM_OP_QUERY_Q_COUNTER);
	PRM_SET(query_q_counter_in, in, clear, clear);
	PRM_SET(query_q_counter_in, in, counter_set_id, counter->id);
	return devx_obj_query(counter, in, sizeof(in), out, PRM_SZ(query_q_counter_out));
}

int devx_flow_counter_create(struct devx_obj *counter, struct ibv_context *ctx, uint32_t bulk)
{
	uint8_t in[PRM_SZ(alloc_flow_counter_in)] = { 0 };
	uint8_t out[PRM_SZ(alloc_flow_counter_out)] = { 0 };

	if (bulk && (bulk < BULK_MIN || bulk > BULK_MAX || bulk & (bulk - 1)))
		return devx_refuse(CALL_devx_flow_counter_create, PRM_OP_ALLOC_FLOW_COUNTER,
				   EINVAL, "a bulk is a power of two, 128 to 16384");
	PRM_SET(alloc_flow_counter_in, in, opcode, PRM_OP_ALLOC_FLOW_COUNTER);
	PRM_SET(alloc_flow_counter_in, in, flow_counter_bulk, bulk / BULK_MIN);
	return devx_obj_create(counter, ctx, in, sizeof(in), out, sizeof(out));
}

int devx_flow_counter_query(struct devx_obj *counter, size_t n, struct devx_flow_count *count)
{
	uint8_t in[PRM_SZ(query_flow_counter_in)] = { 0 }, *out, *one;
	size_t len = PRM_SZ(query_flow_counter_out) + n * PRM_SZ(traffic_counter);
	int err;

	if (!n || n > DEVX_FLOW_COUNTS)
		return devx_refuse(CALL_devx_flow_counter_query, PRM_OP_QUERY_FLOW_COUNTER,
				   EINVAL, "an outbox holds 1 to 4092 counters");
	out = calloc(1, len);
	if (!out)
		return devx_refuse(CALL_devx_flow_counter_query, PRM_OP_QUERY_FLOW_COUNTER,
				   ENOMEM, "no memory");
	PRM_SET(query_flow_counter_in, in, opcode, PRM_OP_QUERY_FLOW_COUNTER);
	/* 0 asks for the single one (mlx5_core, fs_cmd.c: mlx5_cmd_fc_query). */
	PRM_SET(query_flow_counter_in, in, num_of_counters, n == 1 ? 0 : n);
	PRM_SET(query_flow_counter_in, in, flow_counter_id, counter->id);
	err = devx_obj_query(counter, in, sizeof(in), out, len);
	one = PRM_ADDR(query_flow_counter_out, out, flow_statistics);
	for (size_t i = 0; !err && i < n; i++, one += PRM_SZ(traffic_counter)) {
		count[i].packets = PRM_GET(traffic_counter, one, packets);
		count[i].octets = PRM_GET(traffic_counter, one, octets);
	}
	free(out);
	return err;
}

int devx_vport_counter_query(struct ibv_context *ctx, uint8_t port_num,
			     uint8_t out[PRM_SZ(query_vport_counter_out)])
{
	uint8_t in[PRM_SZ(query_vport_counter_in)] = { 0 };

	PRM_SET(query_vport_counter_in, in, opcode, PRM_OP_QUERY_VPORT_COUNTER);
	PRM_SET(query_vport_counter_in, in, port_num, port_num);
	return devx_cmd(ctx, in, sizeof(in), out, PRM_SZ(query_vport_counter_out));
}

int devx_vnic_env_query(struct ibv_context *ctx, uint8_t out[PRM_SZ(query_vnic_env_out)])
{
	uint8_t in[PRM_SZ(query_vnic_env_in)] = { 0 };

	PRM_SET(query_vnic_env_in, in, opcode, PRM_OP_QUERY_VNIC_ENV);
	PRM_SET(query_vnic_env_in, in, op_mod, VNIC_DIAGNOSTICS);
	return devx_cmd(ctx, in, sizeof(in), out, PRM_SZ(query_vnic_env_out));
}
