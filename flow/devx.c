/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The back end "devx": a flow table per group and direction, made with its first rule. A rule
 * is an entry, in a flow group for its priority and mask (entry.c):
 *
 *	kernel's rule with the same match --DEST_DEVX--> table of group 0 --jump--> table of group 1
 *
 * A packet that reaches a table through the rule of one entry is compared with all, those of
 * the lowest priority first.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <devx/caps.h>

#include "headers.h"
#include "port.h"
#include "rss.h"

/* The firmware has tables of these sizes, the logarithm, of each size 16 Mi entries together:
 * 16 of 1 Mi, 256 of 64 Ki. It does not report how many are left, and mlx5_core, which takes
 * its own from there, counts only those (fs_ft_pool.c): so they are no larger than the caller
 * needs. */
static const uint8_t log_sizes[] = { 7, 16, 20, 22 };
enum { LOG_DEFAULT = 16 };

static uint8_t choose_size(const struct dv_flow_port *port, uint8_t max)
{
	uint32_t entries = port->targets.entries;
	size_t i = 0;

	if (!entries)
		entries = 1u << LOG_DEFAULT;
	while (i < ARRAY_SIZE(log_sizes) - 1 && 1u << log_sizes[i] < entries)
		i++;
	return log_sizes[i] < max ? log_sizes[i] : max;
}

/* Levels of the kernel's tables are in the lower half. Tables may do what the device can. */
static int describe_table(struct dv_flow_port *port, uint32_t group,
			  struct devx_flow_table_attr *attr, struct dv_flow_error *error)
{
	uint8_t caps[DEVX_CAPS_BYTES], *props;
	int err = devx_caps_query(caps, port->ctx, PRM_CAP_FLOW_TABLE, PRM_CAP_CUR);
	unsigned int max;

	if (err)
		return flow_refuse(error, err, "the capabilities of flow tables: %s",
				   strerror(err));
	props = PRM_ADDR(flow_table_nic_cap, caps, flow_table_properties_nic_receive);
	max = (unsigned int)PRM_GET(flow_table_prop_layout, props, max_ft_level);
	if (group >= max - max / 2)
		return flow_refuse(error, EINVAL, "group: the device has %u", max - max / 2);
	attr->level = (uint8_t)(max / 2 + group);
	attr->log_size = choose_size(
		port, (uint8_t)PRM_GET(flow_table_prop_layout, props, log_max_ft_size));
	if (port->targets.entries > 1u << attr->log_size)
		return flow_refuse(error, EINVAL,
				   "entries: tables of the device have at most %u",
				   1u << attr->log_size);
	if (attr->type == PRM_FT_TYPE_NIC_RX) {
		attr->decap_en = PRM_GET(flow_table_prop_layout, props, decap);
		attr->reformat_en = PRM_GET(flow_table_prop_layout, props, reformat);
	}
	return 0;
}

/* Unless the caller says how many, fewer entries are better than no table. */
static int create_table(struct dv_flow_port *port, struct group_table *t,
			struct dv_flow_error *error)
{
	struct devx_flow_table_attr attr = { .type = t->type };
	int err = describe_table(port, t->group, &attr, error);

	if (err)
		return err;
	t->level = attr.level;
	err = devx_flow_table_create(&t->obj, port->ctx, &attr);
	if (err && !port->targets.entries && attr.log_size > log_sizes[0]) {
		attr.log_size = log_sizes[0];
		err = devx_flow_table_create(&t->obj, port->ctx, &attr);
	}
	t->size = 1u << attr.log_size;
	return err ? flow_refuse(error, err, "the table of group %u: %s", t->group,
				 strerror(err))
		   : 0;
}

/* The firmware refuses one that another table leads to; the kernel makes EINVAL of that
 * (BAD_RES_STATE, mlx5_core, cmd_status_to_err), and the other back ends have EBUSY. */
static int destroy_table(struct group_table *t)
{
	int err = devx_flow_table_destroy(&t->obj);

	return err == EINVAL ? EBUSY : err;
}

static int tir_of(struct ibv_qp *qp, uint32_t *tirn, struct dv_flow_error *error)
{
	struct mlx5dv_qp dv = { .comp_mask = MLX5DV_QP_MASK_RAW_QP_HANDLES };
	struct mlx5dv_obj obj = { .qp = { .in = qp, .out = &dv } };
	int err = mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP);

	*tirn = dv.tirn;
	if (err || !(dv.comp_mask & MLX5DV_QP_MASK_RAW_QP_HANDLES) || !dv.tirn)
		return flow_refuse(error, EOPNOTSUPP, "the QP has no TIR that libmlx5 knows");
	return 0;
}

static int object_dest(struct dv_flow *f, const struct plan_to *plan,
		       struct devx_flow_dest *dest, struct dv_flow_error *error)
{
	struct target to;
	int err = flow_target(f, plan, &to, error);

	if (err)
		return err;
	dest->type = plan->dest == DEST_TABLE ? PRM_DEST_TYPE_FLOW_TABLE : PRM_DEST_TYPE_TIR;
	if (to.qp)
		return tir_of(to.qp, &dest->id, error);
	dest->id = to.obj->id;
	return 0;
}

static int destination(struct dv_flow *f, unsigned int i, struct devx_flow_dest *dest,
		       struct dv_flow_error *error)
{
	const struct plan_to *to = &f->making->plan.to[i];
	int err;

	switch (to->dest) {
	case DEST_GROUP:
		err = flow_jump(f, i, error);
		if (!err)
			*dest = (struct devx_flow_dest){ PRM_DEST_TYPE_FLOW_TABLE,
							 f->jump[i]->obj.id };
		return err;
	case DEST_VPORT:
		if (!f->making->rule->transfer)
			return flow_refuse(error, EOPNOTSUPP, "vport: of transfer rules only");
		*dest = (struct devx_flow_dest){ PRM_DEST_TYPE_VPORT, to->number };
		return 0;
	case DEST_DEFAULT_MISS:
		return flow_refuse(error, EOPNOTSUPP,
				   "default_miss: an entry of a flow table has no such action");
	default:
		return object_dest(f, to, dest, error);
	}
}

/* The destinations of the entry: @dest. */
static int destinations(struct dv_flow *f, struct devx_flow_entry_attr *entry,
			struct devx_flow_dest *dest, struct dv_flow_error *error)
{
	int err = 0;

	if (flow_plan_is(&f->making->plan, DEST_DROP)) {
		entry->action = PRM_FLOW_CONTEXT_ACTION_DROP;
		return 0;
	}
	entry->action = PRM_FLOW_CONTEXT_ACTION_FWD_DEST;
	entry->dest = dest;
	entry->n_dest = f->making->plan.dests;
	for (unsigned int i = 0; !err && i < f->making->plan.dests; i++)
		err = destination(f, i, &dest[i], error);
	return err;
}

int flow_refuse_command(int err, struct dv_flow_error *error)
{
	char why[160];

	return flow_refuse(error, err, "%s",
			   devx_error_str(devx_last_error(), why, sizeof(why)));
}

static int create_entry(struct dv_flow *f, struct devx_flow_entry_attr *entry,
			struct dv_flow_error *error)
{
	int err = flow_entry_take(f, &entry->index, error);

	if (err)
		return err;
	entry->group_id = flow_entry_group(f);
	err = devx_flow_entry_create(&f->entry, f->port->ctx, entry);
	return err ? flow_refuse_command(err, error) : 0;
}

static int check(const struct dv_flow *f, struct dv_flow_error *error)
{
	if (f->making->rule->egress)
		return flow_refuse(error, EOPNOTSUPP,
				   "egress: the kernel's rules of egress lead to no table");
	if (f->making->rule->priority >= FLOW_DEVX_PRIORITIES)
		return flow_refuse(error, EINVAL, "priority: 0 to 15");
	return dv_flow_match_check(f->port->ctx, f->type, &f->making->match, error);
}

/* Rules of group 0 have a rule of the kernel that leads to the table. */
static int create_way(struct dv_flow *f, struct dv_flow_error *error)
{
	struct mlx5dv_flow_action_attr action = { .type = MLX5DV_FLOW_ACTION_DEST_DEVX };

	if (f->making->rule->group)
		return 0;
	action.obj = f->table->obj.handle;
	return flow_kernel_rule(f, 0, &action, 1, error);
}

static int create_headers(struct dv_flow *f, const struct headers *h,
			  struct devx_flow_entry_attr *entry)
{
	static const uint16_t pop[] = { 0, PRM_FLOW_CONTEXT_ACTION_VLAN_POP,
					PRM_FLOW_CONTEXT_ACTION_VLAN_POP |
						PRM_FLOW_CONTEXT_ACTION_VLAN_POP_2 };
	static const uint16_t push[] = { 0, PRM_FLOW_CONTEXT_ACTION_VLAN_PUSH,
					 PRM_FLOW_CONTEXT_ACTION_VLAN_PUSH |
						 PRM_FLOW_CONTEXT_ACTION_VLAN_PUSH_2 };
	int err = 0;

	entry->action |=
		pop[h->pops] | push[h->pushes] | (h->decap ? PRM_FLOW_CONTEXT_ACTION_DECAP : 0);
	memcpy(entry->push, h->push, sizeof(h->push));
	if (h->modify.n) {
		err = devx_modify_header_create(&f->modify, f->port->ctx, entry->table_type,
						h->modify.action, h->modify.n);
		entry->action |= PRM_FLOW_CONTEXT_ACTION_MOD_HDR;
		entry->modify_header_id = f->modify.id;
	}
	if (!err && h->encap_len) {
		err = devx_packet_reformat_create(&f->reformat, f->port->ctx, h->reformat,
						  h->encap, h->encap_len);
		entry->action |= PRM_FLOW_CONTEXT_ACTION_PACKET_REFORMAT;
		entry->packet_reformat_id = f->reformat.id;
	}
	return err;
}

static int install(struct dv_flow *f, struct dv_flow_error *error)
{
	struct headers headers;
	struct devx_flow_dest dest[PLAN_DESTS] = { { 0 } };
	struct devx_flow_entry_attr entry = { .table_type = f->type,
					      .value = f->making->match.value,
					      .flow_tag = f->making->plan.tag };
	int err = check(f, error);

	if (!err)
		err = flow_headers(f->making->rule, &headers, error);
	if (!err)
		err = flow_rss_create(f, error);
	if (!err)
		err = destinations(f, &entry, dest, error);
	if (!err)
		err = flow_group_take(f->port, entry.table_type, f->making->rule->group,
				      &f->table, error);
	if (!err && f->making->plan.count) {
		err = devx_flow_counter_create(&f->counter, f->port->ctx, 0);
		if (err)
			return flow_refuse(error, err, "count: %s", strerror(err));
		entry.action |= PRM_FLOW_CONTEXT_ACTION_COUNT;
		entry.counter = &f->counter.id;
		entry.n_counter = 1;
	}
	if (err)
		return err;
	err = create_headers(f, &headers, &entry);
	if (err)
		return flow_refuse_command(err, error);
	entry.table_id = f->table->obj.id;
	err = create_entry(f, &entry, error);
	return err ? err : create_way(f, error);
}

static int remove_entry(struct dv_flow *f)
{
	int err = devx_flow_entry_destroy(&f->entry);

	if (err)
		return err;
	err = flow_entry_give(f);
	if (!err)
		f->masks = NULL;
	if (!err)
		err = devx_modify_header_destroy(&f->modify);
	return err ? err : devx_packet_reformat_destroy(&f->reformat);
}

static int remove_rule(struct dv_flow *f)
{
	int err = flow_kernel_remove(f);

	if (!err)
		err = remove_entry(f);
	if (!err)
		err = flow_give_tables(f);
	if (!err)
		err = devx_flow_counter_destroy(&f->counter);
	return err ? err : flow_rss_destroy(f);
}

static void place(const struct dv_flow *f, struct dv_flow_place *place)
{
	place->known = true;
	place->table_id = f->table->obj.id;
	place->group_id = flow_entry_group(f);
	place->index = f->entry.id;
}

const struct backend flow_devx = { .name = "devx",
				   .groups = true,
				   .headers = true,
				   .install = install,
				   .remove = remove_rule,
				   .create_table = create_table,
				   .destroy_table = destroy_table,
				   .place = place };
