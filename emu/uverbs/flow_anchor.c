/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Steering anchors: a table that users' tables may name as a destination, and that leads to a
 * priority of the kernel's (mlx5_ib, fs.c, MLX5_IB_METHOD_STEERING_ANCHOR_CREATE,
 * steering_anchor_create_res).
 *
 *	index 0: everything -> the priority's table	while there are anchors
 *	index 1: everything -> drop			afterwards
 *
 * All anchors of a priority are one table; it is there until the driver leaves, as users'
 * tables may still lead to it.
 */
#include <stdlib.h>

#include "uverbs/ethernet.h"
#include "uverbs/flow.h"

#define DO(name)   PRM_FLOW_CONTEXT_ACTION_##name
#define SHARED_UID 0xffff /* <linux/mlx5/driver.h>: MLX5_SHARED_RESOURCE_UID */
#define LEVEL	   1
#define LOG_SIZE   7 /* 2 indexes, of the pool that has as many: mlx5_core, fs_ft_pool.c */
#define GOTO	   0
#define REFUSE	   1

struct uverbs_flow_anchor {
	struct core_list on_driver; /* uverbs.anchors */
	enum uverbs_flow_ns ns;
	uint8_t prio;
	uint32_t id, group[2], users;
	bool has_group[2];
	struct uverbs_flow_table *table; /* held while there are users */
};

bool uverbs_has_anchors(const struct uverbs *u)
{
	return uverbs_has_flows(u) && UVERBS_CAP(u, shared_object_to_user_object_allowed);
}

/* ---- commands ---- */

static int fw_create_table(struct uverbs *u, struct uverbs_flow_anchor *a)
{
	uint8_t in[PRM_SZ(create_flow_table_in)] = { 0 };
	uint8_t out[PRM_SZ(create_flow_table_out)] = { 0 };
	uint8_t *ctx = PRM_ADDR(create_flow_table_in, in, flow_table_context);
	int ret;

	PRM_SET(create_flow_table_in, in, opcode, PRM_OP_CREATE_FLOW_TABLE);
	PRM_SET(create_flow_table_in, in, uid, SHARED_UID);
	PRM_SET(create_flow_table_in, in, table_type, uverbs_flow_type(a->ns));
	PRM_SET(flow_table_context, ctx, level, LEVEL);
	PRM_SET(flow_table_context, ctx, log_size, LOG_SIZE);
	ret = uverbs_fw(u, in, sizeof(in), out, sizeof(out));
	a->id = PRM_GET(create_flow_table_out, out, table_id);
	return ret;
}

static int fw_create_group(struct uverbs *u, struct uverbs_flow_anchor *a, uint32_t index)
{
	uint8_t in[PRM_SZ(create_flow_group_in)] = { 0 };
	uint8_t out[PRM_SZ(create_flow_group_out)] = { 0 };
	int ret;

	PRM_SET(create_flow_group_in, in, opcode, PRM_OP_CREATE_FLOW_GROUP);
	PRM_SET(create_flow_group_in, in, table_type, uverbs_flow_type(a->ns));
	PRM_SET(create_flow_group_in, in, table_id, a->id);
	PRM_SET(create_flow_group_in, in, start_flow_index, index);
	PRM_SET(create_flow_group_in, in, end_flow_index, index);
	ret = uverbs_fw(u, in, sizeof(in), out, sizeof(out));
	a->group[index] = PRM_GET(create_flow_group_out, out, group_id);
	a->has_group[index] = !ret;
	return ret;
}

/* @dest: the table to go to; NULL: drop. */
static int fw_set(struct uverbs *u, const struct uverbs_flow_anchor *a, uint32_t index,
		  const struct uverbs_flow_table *dest)
{
	uint8_t in[PRM_SZ(set_fte_in) + PRM_SZ(dest_format_struct)] = { 0 };
	uint8_t out[PRM_SZ(set_fte_out)] = { 0 };
	uint8_t *ctx = PRM_ADDR(set_fte_in, in, flow_context);

	PRM_SET(set_fte_in, in, opcode, PRM_OP_SET_FLOW_TABLE_ENTRY);
	PRM_SET(set_fte_in, in, table_type, uverbs_flow_type(a->ns));
	PRM_SET(set_fte_in, in, table_id, a->id);
	PRM_SET(set_fte_in, in, flow_index, index);
	PRM_SET(set_fte_in, in, ignore_flow_level, dest != NULL);
	PRM_SET(flow_context, ctx, group_id, a->group[index]);
	PRM_SET(flow_context, ctx, action, dest ? DO(FWD_DEST) : DO(DROP));
	if (!dest)
		return uverbs_fw(u, in, PRM_SZ(set_fte_in), out, sizeof(out));
	PRM_SET(flow_context, ctx, destination_list_size, 1);
	PRM_SET(dest_format_struct, in + PRM_SZ(set_fte_in), destination_type,
		PRM_DEST_TYPE_FLOW_TABLE);
	PRM_SET(dest_format_struct, in + PRM_SZ(set_fte_in), destination_id, dest->id);
	return uverbs_fw(u, in, sizeof(in), out, sizeof(out));
}

static void fw_delete(struct uverbs *u, const struct uverbs_flow_anchor *a, uint32_t index)
{
	uint8_t in[PRM_SZ(delete_fte_in)] = { 0 }, out[PRM_SZ(delete_fte_out)] = { 0 };

	PRM_SET(delete_fte_in, in, opcode, PRM_OP_DELETE_FLOW_TABLE_ENTRY);
	PRM_SET(delete_fte_in, in, table_type, uverbs_flow_type(a->ns));
	PRM_SET(delete_fte_in, in, table_id, a->id);
	PRM_SET(delete_fte_in, in, flow_index, index);
	uverbs_fw(u, in, sizeof(in), out, sizeof(out));
}

static void fw_destroy(struct uverbs *u, const struct uverbs_flow_anchor *a)
{
	uint8_t group[PRM_SZ(destroy_flow_group_in)] = { 0 };
	uint8_t table[PRM_SZ(destroy_flow_table_in)] = { 0 };
	uint8_t out[PRM_SZ(destroy_flow_table_out)] = { 0 };

	PRM_SET(destroy_flow_group_in, group, opcode, PRM_OP_DESTROY_FLOW_GROUP);
	PRM_SET(destroy_flow_group_in, group, table_type, uverbs_flow_type(a->ns));
	PRM_SET(destroy_flow_group_in, group, table_id, a->id);
	for (int i = 0; i < 2; i++) {
		PRM_SET(destroy_flow_group_in, group, group_id, a->group[i]);
		if (a->has_group[i])
			uverbs_fw(u, group, sizeof(group), out, sizeof(out));
	}
	PRM_SET(destroy_flow_table_in, table, opcode, PRM_OP_DESTROY_FLOW_TABLE);
	PRM_SET(destroy_flow_table_in, table, table_type, uverbs_flow_type(a->ns));
	PRM_SET(destroy_flow_table_in, table, table_id, a->id);
	uverbs_fw(u, table, sizeof(table), out, sizeof(out));
}

/* ---- one per priority ---- */

static struct uverbs_flow_anchor *find(struct uverbs *u, enum uverbs_flow_ns ns, uint8_t prio)
{
	struct core_list *pos, *tmp;

	core_list_for_each(pos, tmp, &u->anchors) {
		struct uverbs_flow_anchor *a =
			core_container(pos, struct uverbs_flow_anchor, on_driver);

		if (a->ns == ns && a->prio == prio)
			return a;
	}
	return NULL;
}

static int anchor_new(struct uverbs *u, enum uverbs_flow_ns ns, uint8_t prio,
		      struct uverbs_flow_anchor **out)
{
	struct uverbs_flow_anchor *a = calloc(1, sizeof(*a));
	int ret;

	if (!a)
		return -ENOMEM;
	a->ns = ns;
	a->prio = prio;
	ret = fw_create_table(u, a);
	if (ret) {
		free(a);
		return ret;
	}
	ret = fw_create_group(u, a, REFUSE);
	if (!ret)
		ret = fw_create_group(u, a, GOTO);
	if (!ret)
		ret = fw_set(u, a, REFUSE, NULL);
	if (ret) {
		fw_destroy(u, a);
		free(a);
		return ret;
	}
	core_list_add(&u->anchors, &a->on_driver);
	*out = a;
	return 0;
}

static void anchor_end(struct uverbs *u, struct uverbs_flow_anchor *a)
{
	fw_delete(u, a, REFUSE);
	fw_destroy(u, a);
	core_list_del(&a->on_driver);
	free(a);
}

/* mlx5_core, fs_core.c, dest_is_valid: rules of these types may ignore levels. */
static bool can_lead(const struct uverbs *u, enum uverbs_flow_ns ns)
{
	return ns == UVERBS_FLOW_BYPASS ||
	       (ns == UVERBS_FLOW_EGRESS && kernel_has(u->kernel, KERNEL_ANCHOR_NIC_TX));
}

/* The first user's: the rule to the table of the priority. */
static int lead(struct uverbs *u, struct uverbs_flow_anchor *a, struct uverbs_flow_table *t)
{
	int ret = can_lead(u, a->ns) ? fw_set(u, a, GOTO, t) : -EINVAL;

	if (ret)
		anchor_end(u, a);
	else
		a->table = t;
	return ret;
}

static int anchor_get(struct uverbs *u, enum uverbs_flow_ns ns, uint8_t prio,
		      struct uverbs_flow_anchor **out)
{
	struct uverbs_flow_anchor *a = find(u, ns, prio);
	struct uverbs_flow_table *t;
	int ret;

	if (!a || !a->users) {
		ret = uverbs_flow_table_get(u, ns, prio, &t);
		if (ret)
			return ret;
		if (!a)
			ret = anchor_new(u, ns, prio, &a);
		if (!ret)
			ret = lead(u, a, t);
		if (ret) {
			uverbs_flow_table_put(u, t);
			return ret;
		}
	}
	a->users++;
	*out = a;
	return 0;
}

static void anchor_put(struct uverbs *u, struct uverbs_flow_anchor *a)
{
	if (--a->users)
		return;
	fw_delete(u, a, GOTO);
	uverbs_flow_table_put(u, a->table);
}

void uverbs_anchors_end(struct uverbs *u)
{
	while (!core_list_empty(&u->anchors))
		anchor_end(u, core_container(u->anchors.next, struct uverbs_flow_anchor,
					     on_driver));
}

/* ---- objects ---- */

/* mlx5_ib, fs.c, _get_flow_table */
static int read_prio(const struct uverbs_call *c, enum uverbs_flow_ns *ns, uint8_t *prio)
{
	uint64_t priority = uverbs_number(c, MLX5_IB_ATTR_STEERING_ANCHOR_PRIORITY);
	int ret = uverbs_flow_ns_of(uverbs_number(c, MLX5_IB_ATTR_STEERING_ANCHOR_FT_TYPE), ns);

	if (ret)
		return ret;
	if (priority > 15)
		return -EINVAL;
	*prio = *ns == UVERBS_FLOW_BYPASS || *ns == UVERBS_FLOW_EGRESS ? 2 * priority + 1
								       : priority;
	return uverbs_flow_has(c->u, *ns) ? 0 : -EOPNOTSUPP;
}

int uverbs_create_steering_anchor(struct uverbs_call *c)
{
	struct uverbs_steering_anchor *a = c->made;
	enum uverbs_flow_ns ns;
	uint8_t prio;
	int ret = uverbs_raw_permitted() ? uverbs_flow_caps_read(c->u) : -EPERM;

	if (!ret)
		ret = read_prio(c, &ns, &prio);
	if (!ret)
		ret = anchor_get(c->u, ns, prio, &a->anchor);
	if (!ret)
		uverbs_answer(c, MLX5_IB_ATTR_STEERING_ANCHOR_FT_ID, a->anchor->id);
	return ret;
}

int uverbs_steering_anchor_destroy(struct uverbs *u, void *obj)
{
	anchor_put(u, ((struct uverbs_steering_anchor *)obj)->anchor);
	return 0;
}
