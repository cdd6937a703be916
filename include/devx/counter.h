/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters of the device.
 *
 *	Q counter     of the QPs and RQs that name it: requests, retries, errors
 *	flow counter  of the rules that name it: packets and octets; single or in bulk
 *	vport, vnic   of the function: traffic by kind; overruns, steering discards, commands refused
 *
 * The first two are objects. qpc.counter_set_id and rqc.counter_set_id take a Q counter's id,
 * a rule takes the flow counter's handle (MLX5_IB_FLOW_ACTION_COUNTERS_DEVX) and, of a bulk,
 * an index. The other two are general commands.
 *
 * Where firmware gives a whole structure of counters, so does the library, and the fields are
 * read by their names: PRM_GET(query_q_counter_out, out, out_of_sequence). All but the
 * traffic counters have 32 bits and wrap.
 */
#ifndef DEVX_COUNTER_H
#define DEVX_COUNTER_H

#include <stdbool.h>

#include <devx/devx.h>
#include <prm/prm.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

int devx_q_counter_create(struct devx_obj *counter, struct ibv_context *ctx);
/* @clear: sets them to 0 after reading. @out: a query_q_counter_out. */
int devx_q_counter_query(struct devx_obj *counter, bool clear,
			 uint8_t out[PRM_SZ(query_q_counter_out)]);
int devx_q_counter_destroy(struct devx_obj *counter);

struct devx_flow_count {
	uint64_t packets;
	uint64_t octets;
};

/* @bulk: 0, a single counter; else a bulk of that many: 128, 256, … 16384 (powers of two; the
 * capability flow_counter_bulk_alloc has a bit for each). EINVAL: another number. */
int devx_flow_counter_create(struct devx_obj *counter, struct ibv_context *ctx, uint32_t bulk);
/* Reads the first @n counters of a bulk, in multiples of 4 (mlx5_core, fs_counters.c), or the
 * single one. EINVAL: @n is 0 or above DEVX_FLOW_COUNTS, which is what fits an outbox. The
 * kernel lets no query start inside a bulk. */
#define DEVX_FLOW_COUNTS 4092
int devx_flow_counter_query(struct devx_obj *counter, size_t n, struct devx_flow_count *count);
int devx_flow_counter_destroy(struct devx_obj *counter);

/* Counts this function. @out: a query_vport_counter_out. Capability vport_counters. */
int devx_vport_counter_query(struct ibv_context *ctx, uint8_t port_num,
			     uint8_t out[PRM_SZ(query_vport_counter_out)]);
/* @out: a query_vnic_env_out; the capabilities vnic_env_… say which fields count. */
int devx_vnic_env_query(struct ibv_context *ctx, uint8_t out[PRM_SZ(query_vnic_env_out)]);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
