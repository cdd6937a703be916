/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters objects: one flow counter, and which of its two numbers goes where in what the
 * application reads (ib_uverbs, uverbs_std_types_counters.c; mlx5_ib, counters.c).
 *
 *	description: packets or bytes, index    read: values[index] += packets or bytes
 *
 * The descriptions come with the first flow that counts, as does the flow counter, and end with
 * the last one; the flow counter stays.
 */
#include <stdlib.h>

#include "uverbs/flow.h"

#define PACKETS	      0 /* <rdma/mlx5-abi.h>: enum mlx5_ib_flow_counters_desc */
#define BYTES	      1
#define DESCS_MAX     (UINT16_MAX / (sizeof(uint32_t) * 2)) /* MAX_COUNTERS_NUM */
#define VALUES_MAX    (UINT16_MAX / sizeof(uint64_t))
#define PREFER_CACHED 1u /* IB_UVERBS_READ_COUNTERS_PREFER_CACHED */

static int fw_alloc(struct uverbs *u, uint32_t *id)
{
	uint8_t in[PRM_SZ(alloc_flow_counter_in)] = { 0 };
	uint8_t out[PRM_SZ(alloc_flow_counter_out)] = { 0 };
	int ret;

	PRM_SET(alloc_flow_counter_in, in, opcode, PRM_OP_ALLOC_FLOW_COUNTER);
	ret = uverbs_fw(u, in, sizeof(in), out, sizeof(out));
	*id = PRM_GET(alloc_flow_counter_out, out, flow_counter_id);
	return ret;
}

static int fw_free(struct uverbs *u, uint32_t id)
{
	uint8_t in[PRM_SZ(dealloc_flow_counter_in)] = { 0 };
	uint8_t out[PRM_SZ(dealloc_flow_counter_out)] = { 0 };

	PRM_SET(dealloc_flow_counter_in, in, opcode, PRM_OP_DEALLOC_FLOW_COUNTER);
	PRM_SET(dealloc_flow_counter_in, in, flow_counter_id, id);
	return uverbs_fw(u, in, sizeof(in), out, sizeof(out));
}

static int fw_read(struct uverbs *u, uint32_t id, uint64_t value[2])
{
	uint8_t in[PRM_SZ(query_flow_counter_in)] = { 0 };
	uint8_t out[PRM_SZ(query_flow_counter_out) + PRM_SZ(traffic_counter)] = { 0 };
	const uint8_t *at = out + PRM_SZ(query_flow_counter_out);
	int ret;

	PRM_SET(query_flow_counter_in, in, opcode, PRM_OP_QUERY_FLOW_COUNTER);
	PRM_SET(query_flow_counter_in, in, flow_counter_id, id);
	ret = uverbs_fw(u, in, sizeof(in), out, sizeof(out));
	value[PACKETS] = PRM_GET(traffic_counter, at, packets);
	value[BYTES] = PRM_GET(traffic_counter, at, octets);
	return ret;
}

static int describe(struct uverbs_counters *k, uint64_t va, uint32_t n)
{
	struct uverbs_count_desc *desc = calloc(n, sizeof(*desc));
	uint32_t max = 0;
	int ret = desc ? 0 : -ENOMEM;

	if (!ret && !core_peek(desc, va, n * sizeof(*desc)))
		ret = -EFAULT;
	for (uint32_t i = 0; i < n && !ret; i++) {
		if (desc[i].description > BYTES || desc[i].index >= VALUES_MAX)
			ret = -EINVAL;
		if (!ret && desc[i].index >= max)
			max = desc[i].index + 1;
	}
	if (ret) {
		free(desc);
		return ret;
	}
	k->desc = desc;
	k->descs = n;
	k->max_index = max;
	return 0;
}

/* mlx5_ib, counters.c, mlx5_ib_flow_counters_set_data: nothing described, or twice, is a
 * mistake. */
int uverbs_counters_describe(struct uverbs *u, struct uverbs_counters *k, uint64_t va,
			     uint32_t n)
{
	bool had_id = k->has_id;
	int ret = 0;

	if (n > DESCS_MAX || !n == !k->descs)
		return -EINVAL;
	if (!had_id) {
		ret = fw_alloc(u, &k->id);
		k->has_id = !ret;
	}
	if (!ret && n)
		ret = describe(k, va, n);
	if (ret && k->has_id && !had_id)
		k->has_id = fw_free(u, k->id) != 0;
	return ret;
}

void uverbs_counters_clear(struct uverbs_counters *k)
{
	free(k->desc);
	k->desc = NULL;
	k->descs = k->max_index = 0;
}

int uverbs_counters_destroy(struct uverbs *u, void *obj)
{
	const struct uverbs_counters *k = obj;

	return k->has_id ? fw_free(u, k->id) : 0;
}

/* No flow counts: -EINVAL. The values of one index are added up. */
int uverbs_read_counters(struct uverbs_call *c)
{
	const struct uverbs_counters *k = uverbs_arg(c, UVERBS_ATTR_READ_COUNTERS_HANDLE);
	size_t bytes = uverbs_len(c, UVERBS_ATTR_READ_COUNTERS_BUFF);
	uint64_t value[2], *all;
	uint32_t flags;
	int ret = k->obj.uses ? uverbs_flags(c, UVERBS_ATTR_READ_COUNTERS_FLAGS, PREFER_CACHED,
					     &flags)
			      : -EINVAL;

	if (ret)
		return ret;
	if (bytes % sizeof(*all) || k->max_index > bytes / sizeof(*all))
		return -EINVAL;
	ret = fw_read(c->u, k->id, value);
	if (ret)
		return ret;
	all = calloc(1, bytes);
	if (!all)
		return -ENOMEM;
	for (uint32_t i = 0; i < k->descs; i++)
		all[k->desc[i].index] += value[k->desc[i].description];
	uverbs_put(c, UVERBS_ATTR_READ_COUNTERS_BUFF, all, bytes);
	free(all);
	return 0;
}
