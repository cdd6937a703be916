/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flow tables of the kernel: made with their first rule, destroyed with their last one, and
 * always one chain (mlx5_core, fs_core.c, connect_flow_table, disconnect_flow_table,
 * update_root_ft_create; mlx5_ib, fs.c, _get_prio).
 *
 *	before	root -> A -miss-> C
 *	after	root -> A -miss-> B -miss-> C	CREATE B (miss C), MODIFY A (miss B)
 *
 * The level of a table is its place among all that there could be.
 */
#include <errno.h>
#include <stdlib.h>

#include "uverbs/flow_core.h"

#define BYPASS_SIZE 65536 /* mlx5_ib, fs.c: MLX5_FS_MAX_ENTRIES */
#define LEFTOVERS_SIZE \
	128 /* 2 indexes, of the pool that has as many: mlx5_core, fs_ft_pool.c */

/* The namespaces in the order of their chains. Levels: BYPASS and EGRESS begin with 0 as the
 * kernel's do; the netdev's are among those between them and LEFTOVERS. Counters' are before
 * RDMA_RX and RDMA_TX (fs_core.c, root_fs, rdma_rx_root_fs, rdma_tx_root_fs). */
static const struct ns {
	uint8_t type, first_level, prios;
	uint32_t size, groups; /* indexes asked for, groups that are larger than 1 */
} namespaces[UVERBS_FLOW_NAMESPACES] = {
	[UVERBS_FLOW_BYPASS] = { PRM_FT_TYPE_NIC_RX, 0, UVERBS_FLOW_PRIOS, BYPASS_SIZE, 6 },
	[UVERBS_FLOW_KERNEL] = { PRM_FT_TYPE_NIC_RX, 40, 1, 1, 1 },
	[UVERBS_FLOW_LEFTOVERS] = { PRM_FT_TYPE_NIC_RX, 61, 1, LEFTOVERS_SIZE, 2 },
	[UVERBS_FLOW_EGRESS] = { PRM_FT_TYPE_NIC_TX, 0, UVERBS_FLOW_PRIOS, BYPASS_SIZE, 6 },
	[UVERBS_FLOW_SNIFFER_RX] = { PRM_FT_TYPE_SNIFFER_RX, 0, 1, 1, 1 },
	[UVERBS_FLOW_SNIFFER_TX] = { PRM_FT_TYPE_SNIFFER_TX, 0, 1, 1, 1 },
	[UVERBS_FLOW_RDMA_RX] = { PRM_FT_TYPE_RDMA_RX, 2, 16, BYPASS_SIZE, 6 },
	[UVERBS_FLOW_RDMA_TX] = { PRM_FT_TYPE_RDMA_TX, 1, 16, BYPASS_SIZE, 6 },
};

struct uverbs_flow_core {
	struct uverbs_flow_table *table[UVERBS_FLOW_NAMESPACES][UVERBS_FLOW_PRIOS];
};

#define NIC(side) \
	PRM_ADDR(flow_table_nic_cap, u->caps[PRM_CAP_FLOW_TABLE], flow_table_properties_##side)

const uint8_t *uverbs_flow_caps(const struct uverbs *u, enum uverbs_flow_ns ns)
{
	switch (namespaces[ns].type) {
	case PRM_FT_TYPE_NIC_TX:
		return NIC(nic_transmit);
	case PRM_FT_TYPE_SNIFFER_RX:
		return NIC(nic_receive_sniffer);
	case PRM_FT_TYPE_SNIFFER_TX:
		return NIC(nic_transmit_sniffer);
	case PRM_FT_TYPE_RDMA_RX:
		return NIC(nic_receive_rdma);
	case PRM_FT_TYPE_RDMA_TX:
		return NIC(nic_transmit_rdma);
	default:
		return NIC(nic_receive);
	}
}

/* fs_core.c, mlx5_fs_core_init, FS_CHAINING_CAPS: tables that are chained need all of these. */
bool uverbs_flow_has(const struct uverbs *u, enum uverbs_flow_ns ns)
{
	if (!UVERBS_CAP(u, nic_flow_table) || !UVERBS_FT(u, ns, ft_support))
		return false;
	if (ns == UVERBS_FLOW_SNIFFER_RX || ns == UVERBS_FLOW_SNIFFER_TX)
		return true;
	return UVERBS_FT(u, ns, flow_modify_en) && UVERBS_FT(u, ns, modify_root) &&
	       UVERBS_FT(u, ns, identified_miss_table_mode) &&
	       UVERBS_FT(u, ns, flow_table_modify);
}

uint8_t uverbs_flow_type(enum uverbs_flow_ns ns)
{
	return namespaces[ns].type;
}

/* ---- the chain ---- */

static struct uverbs_flow_table *first_after(const struct uverbs *u, uint8_t type, int level)
{
	struct uverbs_flow_table *best = NULL;
	int lowest = 256;

	for (int ns = 0; ns < UVERBS_FLOW_NAMESPACES && u->flows; ns++)
		for (int prio = 0; prio < namespaces[ns].prios; prio++) {
			int at = namespaces[ns].first_level + prio;

			if (namespaces[ns].type == type && u->flows->table[ns][prio] &&
			    at > level && at < lowest) {
				best = u->flows->table[ns][prio];
				lowest = at;
			}
		}
	return best;
}

static int level_of(const struct uverbs_flow_table *t)
{
	return namespaces[t->ns].first_level + t->prio;
}

struct uverbs_flow_table *uverbs_flow_table_at(const struct uverbs *u, enum uverbs_flow_ns ns,
					       uint8_t prio)
{
	return u->flows->table[ns][prio];
}

struct uverbs_flow_table *uverbs_flow_table_next(const struct uverbs *u,
						 const struct uverbs_flow_table *t)
{
	return first_after(u, namespaces[t->ns].type, level_of(t));
}

/* The table before @t, NULL: it is the first one. */
static struct uverbs_flow_table *before(const struct uverbs *u,
					const struct uverbs_flow_table *t)
{
	struct uverbs_flow_table *p = first_after(u, namespaces[t->ns].type, -1), *prev = NULL;

	for (; p && level_of(p) < level_of(t); p = uverbs_flow_table_next(u, p))
		prev = p;
	return prev;
}

/* ---- commands ---- */

static void fill_miss(uint8_t *ctx, const struct uverbs_flow_table *miss)
{
	PRM_SET(flow_table_context, ctx, table_miss_action,
		miss ? PRM_FLOW_TABLE_MISS_ACTION_FWD : PRM_FLOW_TABLE_MISS_ACTION_DEF);
	PRM_SET(flow_table_context, ctx, table_miss_id, miss ? miss->id : 0);
}

/* mlx5_ib, fs.c, get_flow_table: rules may remove or add headers where the device can. */
static void fill_headers(const struct uverbs *u, const struct uverbs_flow_table *t,
			 uint8_t *ctx)
{
	bool rx = t->ns == UVERBS_FLOW_BYPASS, tx = t->ns == UVERBS_FLOW_EGRESS;

	if (rx && UVERBS_FT(u, t->ns, decap))
		PRM_SET(flow_table_context, ctx, decap_en, 1);
	if ((rx && UVERBS_FT(u, t->ns, reformat_l3_tunnel_to_l2)) ||
	    (tx && UVERBS_FT(u, t->ns, reformat_l2_to_l3_tunnel)))
		PRM_SET(flow_table_context, ctx, reformat_en, 1);
}

static int fw_create(struct uverbs *u, struct uverbs_flow_table *t,
		     const struct uverbs_flow_table *miss)
{
	uint8_t in[PRM_SZ(create_flow_table_in)] = { 0 };
	uint8_t out[PRM_SZ(create_flow_table_out)] = { 0 };
	uint8_t *ctx = PRM_ADDR(create_flow_table_in, in, flow_table_context);
	int ret;

	PRM_SET(create_flow_table_in, in, opcode, PRM_OP_CREATE_FLOW_TABLE);
	PRM_SET(create_flow_table_in, in, table_type, namespaces[t->ns].type);
	PRM_SET(flow_table_context, ctx, level, level_of(t));
	PRM_SET(flow_table_context, ctx, log_size, t->size > 1 ? __builtin_ctz(t->size) : 0);
	fill_headers(u, t, ctx);
	fill_miss(ctx, miss);
	ret = uverbs_fw(u, in, sizeof(in), out, sizeof(out));
	t->id = PRM_GET(create_flow_table_out, out, table_id);
	return ret;
}

static void fw_destroy(struct uverbs *u, const struct uverbs_flow_table *t)
{
	uint8_t in[PRM_SZ(destroy_flow_table_in)] = { 0 };
	uint8_t out[PRM_SZ(destroy_flow_table_out)] = { 0 };

	PRM_SET(destroy_flow_table_in, in, opcode, PRM_OP_DESTROY_FLOW_TABLE);
	PRM_SET(destroy_flow_table_in, in, table_type, namespaces[t->ns].type);
	PRM_SET(destroy_flow_table_in, in, table_id, t->id);
	uverbs_fw(u, in, sizeof(in), out, sizeof(out));
}

static int fw_set_miss(struct uverbs *u, const struct uverbs_flow_table *t,
		       const struct uverbs_flow_table *miss)
{
	uint8_t in[PRM_SZ(modify_flow_table_in)] = { 0 };
	uint8_t out[PRM_SZ(modify_flow_table_out)] = { 0 };

	PRM_SET(modify_flow_table_in, in, opcode, PRM_OP_MODIFY_FLOW_TABLE);
	PRM_SET(modify_flow_table_in, in, table_type, namespaces[t->ns].type);
	PRM_SET(modify_flow_table_in, in, table_id, t->id);
	PRM_SET(modify_flow_table_in, in, modify_field_select,
		PRM_MODIFY_FLOW_TABLE_MISS_TABLE_ID);
	fill_miss(PRM_ADDR(modify_flow_table_in, in, flow_table_context), miss);
	return uverbs_fw(u, in, sizeof(in), out, sizeof(out));
}

static int fw_set_root(struct uverbs *u, const struct uverbs_flow_table *t)
{
	uint8_t in[PRM_SZ(set_flow_table_root_in)] = { 0 };
	uint8_t out[PRM_SZ(set_flow_table_root_out)] = { 0 };

	PRM_SET(set_flow_table_root_in, in, opcode, PRM_OP_SET_FLOW_TABLE_ROOT);
	PRM_SET(set_flow_table_root_in, in, table_type, namespaces[t->ns].type);
	PRM_SET(set_flow_table_root_in, in, table_id, t->id);
	return uverbs_fw(u, in, sizeof(in), out, sizeof(out));
}

/* Packets that came to the place of @t go to @to from now on; @to may be @t. */
static int lead(struct uverbs *u, const struct uverbs_flow_table *t,
		const struct uverbs_flow_table *to)
{
	struct uverbs_flow_table *prev = before(u, t);
	int ret;

	if (!prev) /* destroyed as the root, the last one leaves the type without */
		return to ? fw_set_root(u, to) : 0;
	ret = fw_set_miss(u, prev, to);
	if (!ret)
		uverbs_flow_next_changed(u, prev);
	return ret;
}

/* ---- tables ---- */

static uint32_t size_of(const struct uverbs *u, enum uverbs_flow_ns ns)
{
	uint32_t max = 1u << UVERBS_FT(u, ns, log_max_ft_size);

	return max < namespaces[ns].size ? max : namespaces[ns].size;
}

static int create(struct uverbs *u, struct uverbs_flow_table *t)
{
	struct uverbs_flow_table **place = &u->flows->table[t->ns][t->prio];
	int ret = fw_create(u, t, uverbs_flow_table_next(u, t));

	if (ret)
		return ret;
	*place = t;
	ret = lead(u, t, t);
	if (ret) {
		*place = NULL;
		fw_destroy(u, t);
	}
	return ret;
}

int uverbs_flow_table_get(struct uverbs *u, enum uverbs_flow_ns ns, uint8_t prio,
			  struct uverbs_flow_table **out)
{
	struct uverbs_flow_table *t;
	int ret;

	if (!u->flows)
		u->flows = calloc(1, sizeof(*u->flows));
	if (!u->flows)
		return -ENOMEM;
	if (!uverbs_flow_has(u, ns))
		return -EOPNOTSUPP;
	t = u->flows->table[ns][prio];
	if (!t) {
		t = calloc(1, sizeof(*t));
		if (!t)
			return -ENOMEM;
		t->ns = ns;
		t->prio = prio;
		t->size = size_of(u, ns);
		/* fs_core.c, mlx5_create_auto_grouped_flow_table */
		t->group_size = t->size / (namespaces[ns].groups + 1);
		core_list_init(&t->groups);
		ret = create(u, t);
		if (ret) {
			free(t);
			return ret;
		}
	}
	t->users++;
	*out = t;
	return 0;
}

void uverbs_flow_table_put(struct uverbs *u, struct uverbs_flow_table *t)
{
	struct uverbs_flow_table *next;

	if (--t->users)
		return;
	next = uverbs_flow_table_next(u, t);
	u->flows->table[t->ns][t->prio] = NULL;
	lead(u, t, next);
	fw_destroy(u, t);
	free(t);
}

void uverbs_flow_end(struct uverbs *u)
{
	free(u->flows);
	u->flows = NULL;
}
