/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Matchers of mlx5dv: a mask, a priority and a kind of table for flows to come (mlx5_ib, fs.c,
 * MLX5_IB_METHOD_FLOW_MATCHER_CREATE). The device does not see them.
 */
#include <infiniband/verbs.h>

#include "uverbs/flow.h"

int uverbs_flow_ns_of(uint64_t ft_type, enum uverbs_flow_ns *ns)
{
	switch (ft_type) {
	case MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_RX:
		*ns = UVERBS_FLOW_BYPASS;
		return 0;
	case MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX:
		*ns = UVERBS_FLOW_EGRESS;
		return 0;
	case MLX5_IB_UAPI_FLOW_TABLE_TYPE_RDMA_RX:
		*ns = UVERBS_FLOW_RDMA_RX;
		return 0;
	case MLX5_IB_UAPI_FLOW_TABLE_TYPE_RDMA_TX:
		*ns = UVERBS_FLOW_RDMA_TX;
		return 0;
	case MLX5_IB_UAPI_FLOW_TABLE_TYPE_FDB: /* needs an e-switch in switchdev mode */
		return -EOPNOTSUPP;
	default:
		return -EINVAL;
	}
}

int uverbs_flow_read_match(const struct uverbs_call *c, uint16_t id,
			   uint8_t match[UVERBS_MATCH_SIZE])
{
	int ret = uverbs_get_all(c, id, match, UVERBS_MATCH_SIZE);

	return ret == -EOPNOTSUPP ? -EINVAL : ret;
}

/* mlx5_ib_matcher_ns: a type of table, or a flag that says transmit. */
static int read_ns(const struct uverbs_call *c, enum uverbs_flow_ns *ns)
{
	uint32_t flags;
	int ret;

	if (uverbs_has(c, MLX5_IB_ATTR_FLOW_MATCHER_FT_TYPE)) {
		if (uverbs_has(c, MLX5_IB_ATTR_FLOW_MATCHER_FLOW_FLAGS))
			return -EINVAL;
		ret = uverbs_flow_ns_of(uverbs_number(c, MLX5_IB_ATTR_FLOW_MATCHER_FT_TYPE),
					ns);
		return ret ? -EINVAL : 0;
	}
	ret = uverbs_flags(c, MLX5_IB_ATTR_FLOW_MATCHER_FLOW_FLAGS, IBV_FLOW_ATTR_FLAGS_EGRESS,
			   &flags);
	*ns = flags ? UVERBS_FLOW_EGRESS : UVERBS_FLOW_BYPASS;
	return ret;
}

int uverbs_create_flow_matcher(struct uverbs_call *c)
{
	struct uverbs_flow_matcher *m = c->made;
	int ret = uverbs_flow_read_match(c, MLX5_IB_ATTR_FLOW_MATCHER_MATCH_MASK, m->mask);

	m->flow_type = uverbs_choice(c, MLX5_IB_ATTR_FLOW_MATCHER_FLOW_TYPE);
	m->priority = uverbs_number(c, MLX5_IB_ATTR_FLOW_MATCHER_FLOW_TYPE);
	m->criteria = uverbs_number(c, MLX5_IB_ATTR_FLOW_MATCHER_MATCH_CRITERIA);
	return ret ? ret : read_ns(c, &m->ns);
}
