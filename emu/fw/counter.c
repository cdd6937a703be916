/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters that a user allocates: sets for QPs, and those that steering rules count into.
 *
 *	ALLOC_Q_COUNTER -> counter_set_id -> qpc.counter_set_id of any number of QPs
 *	ALLOC_FLOW_COUNTER -> flow_counter_id -> a rule
 *
 * Meaning of each Q counter: kernel documentation, "mlx5 Linux counters" (ethtool and RDMA
 * hardware counters); the engine counts. Set 0 and "all sets" count for all processes of the
 * function (hca/counted.h).
 */
#include "fw/command.h"

struct hca_q_counter *fw_counter_set(const struct fw_cmd *c, uint32_t id)
{
	struct hca_q_counter *set = core_ids_get(&c->hca->q_counters, id);

	/* assumed(counter_set_0_is_always_there): counter_set_id 0 is a set that is never
	 * allocated: QPs that name no other count there, and anybody may query it. */
	if (!id)
		return &c->hca->counts.no_set;
	return set && (set->uid == FW_UID_SHARED || fw_may(c, set->uid)) ? set : NULL;
}

enum fw_status fw_alloc_q_counter(struct fw_cmd *c)
{
	struct hca_q_counter *set;

	if (c->hca->q_counters.used >= FW_GEN(c->hca, max_qp_cnt))
		return fw_refuse(c, FW_LIM_ERR, FW_WHY_LIMIT);
	set = hca_q_counter_new(c->hca);
	if (!set)
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	fw_begin(c, set);
	PRM_SET(alloc_q_counter_out, c->out, counter_set_id, set->id);
	return FW_OK;
}

enum fw_status fw_dealloc_q_counter(struct fw_cmd *c)
{
	return fw_destroy(
		c, fw_q_counter(c, PRM_GET(dealloc_q_counter_in, c->in, counter_set_id)));
}

#define PUT(f) PRM_SET(query_q_counter_out, out, f, n->f)

static void put_responder(uint8_t *out, const struct hca_q_counts *n)
{
	PUT(rx_write_requests);
	PUT(rx_read_requests);
	PUT(rx_atomic_requests);
	PUT(rx_dct_connect);
	PUT(out_of_buffer);
	PUT(out_of_sequence);
	PUT(duplicate_request);
	PUT(resp_local_length_error);
	PUT(resp_local_protection);
	PUT(resp_cqe_error);
	PUT(resp_remote_invalid_request);
	PUT(resp_remote_access_errors);
	PUT(resp_cqe_flush_error);
	PUT(cq_overflow);
}

static void put_requester(uint8_t *out, const struct hca_q_counts *n)
{
	PUT(rnr_nak_retry_err);
	PUT(packet_seq_err);
	PUT(implied_nak_seq_err);
	PUT(local_ack_timeout_err);
	PUT(req_rnr_retries_exceeded);
	PUT(req_transport_retries_exceeded);
	PUT(req_local_length_error);
	PUT(local_operation_error);
	PUT(req_local_protection);
	PUT(req_cqe_error);
	PUT(req_mw_binding);
	PUT(req_bad_response);
	PUT(req_remote_invalid_request);
	PUT(req_remote_access_errors);
	PUT(req_remote_operation_errors);
	PUT(req_cqe_flush_error);
}

static void put(uint8_t *out, const struct hca_q_counts *n)
{
	put_responder(out, n);
	put_requester(out, n);
}

static void clear_set(struct hca *hca, struct hca_q_counter *set, bool aggregate)
{
	if (aggregate)
		HCA_CLEAR(hca, all_sets);
	else if (set == &hca->counts.no_set)
		HCA_CLEAR(hca, no_set);
	else
		memset(set->n, 0, sizeof(*set->n));
}

enum fw_status fw_query_q_counter(struct fw_cmd *c)
{
	uint32_t id = PRM_GET(query_q_counter_in, c->in, counter_set_id);
	bool aggregate = PRM_GET(query_q_counter_in, c->in, aggregate);
	struct hca_q_counter *set = fw_counter_set(c, id);
	struct hca_counted sum;

	/* assumed(aggregate_names_no_set): the sum of all sets is asked for with
	 * counter_set_id 0, and clearing it leaves the sets as they are. */
	if (aggregate && id)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (!set)
		return fw_absent(c);
	if (!id)
		hca_function_counted(c->hca, &sum);
	put(c->out, id ? set->n : aggregate ? &sum.all_sets : &sum.no_set);
	if (PRM_GET(query_q_counter_in, c->in, clear))
		clear_set(c->hca, set, aggregate);
	return FW_OK;
}

/* ---- flow counters ---- */

/* Bit k of a bulk means 128 << k counters (mlx5_ifc.h, MLX5_FC_BULK_128 …). */
#define BULK_UNIT 128u

static bool is_one_bit(uint32_t v)
{
	return v && !(v & (v - 1));
}

/* How many @c asks for; 0: what the device does not give. */
static uint32_t bulk_size(const struct fw_cmd *c)
{
	uint32_t bulk = PRM_GET(alloc_flow_counter_in, c->in, flow_counter_bulk);
	uint32_t log = PRM_GET(alloc_flow_counter_in, c->in, flow_counter_bulk_log_size);

	if (bulk && log)
		return 0;
	if (log)
		return log <= FW_GEN(c->hca, log_max_flow_counter_bulk) ? 1u << log : 0;
	if (!bulk)
		return 1;
	return is_one_bit(bulk) && bulk & FW_GEN(c->hca, flow_counter_bulk_alloc)
		       ? BULK_UNIT * bulk
		       : 0;
}

enum fw_status fw_alloc_flow_counter(struct fw_cmd *c)
{
	uint32_t most = FW_GEN(c->hca, max_flow_counter_31_16) << 16 |
			FW_GEN(c->hca, max_flow_counter_15_0);
	uint32_t n = bulk_size(c);
	struct hca_flow_counter *f;

	if (!n)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	if (c->hca->flow_counters.used + n > most)
		return fw_refuse(c, FW_LIM_ERR, FW_WHY_LIMIT);
	f = hca_object_new(c->hca, HCA_KIND_flow_counter, n);
	if (!f)
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	fw_begin(c, f);
	PRM_SET(alloc_flow_counter_out, c->out, flow_counter_id, f->id);
	return FW_OK;
}

enum fw_status fw_dealloc_flow_counter(struct fw_cmd *c)
{
	uint32_t id = PRM_GET(dealloc_flow_counter_in, c->in, flow_counter_id);
	struct hca_flow_counter *f = fw_flow_counter(c, id);

	/* assumed(a_bulk_goes_as_a_whole): a bulk of flow counters is freed by its first number
	 * (mlx5_core keeps no other). */
	if (!f || f->id != id)
		return fw_absent(c);
	return fw_destroy(c, f);
}

static void put_traffic(uint8_t *at, const struct hca_traffic *t)
{
	PRM_SET(traffic_counter, at, packets, t->packets);
	PRM_SET(traffic_counter, at, octets, t->octets);
}

/* A query for no number of counters is for one (mlx5_core, mlx5_cmd_fc_query). */
enum fw_status fw_query_flow_counter(struct fw_cmd *c)
{
	uint32_t id = PRM_GET(query_flow_counter_in, c->in, flow_counter_id);
	uint32_t n = PRM_GET(query_flow_counter_in, c->in, num_of_counters);
	bool clear = PRM_GET(query_flow_counter_in, c->in, clear);
	struct hca_flow_counter *f = fw_flow_counter(c, id);

	n = n ? n : 1;
	if (!f)
		return fw_absent(c);
	if (n > f->numbers - (id - f->id))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	if (c->out_len < PRM_SZ(query_flow_counter_out) + (size_t)n * PRM_SZ(traffic_counter))
		return fw_refuse(c, FW_BAD_OUTP_LEN, FW_WHY_OUT_LEN);
	for (uint32_t i = 0; i < n; i++) {
		struct hca_traffic *t = &f->traffic[id - f->id + i];

		put_traffic(PRM_ADDR_AT(query_flow_counter_out, c->out, flow_statistics, i), t);
		if (clear)
			*t = (struct hca_traffic){ 0 };
	}
	return FW_OK;
}
