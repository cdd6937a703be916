/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Capabilities: from a device's rows to the byte images that QUERY_HCA_CAP copies out.
 *
 *	caps_cx5.c {group, field, value} --fw_init--> dev.caps[group] --> outbox + 0x10
 *
 * Current and maximum capabilities are the same: there is no SET_HCA_CAP.
 */
#include "fw/command.h"

static const struct fw_kind *const kinds[] = { &fw_cx5 };

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* The layout of each group. */
static const char *const groups[DEV_CAP_GROUPS] = {
	[FW_CAP_GENERAL] = "cmd_hca_cap",
	[FW_CAP_ETHERNET_OFFLOADS] = "per_protocol_networking_offload_caps",
	[FW_CAP_ODP] = "odp_cap",
	[FW_CAP_ATOMIC] = "atomic_caps",
	[FW_CAP_ROCE] = "roce_cap",
	[FW_CAP_DEVICE_MEM] = "device_mem_cap",
};

static_assert(PRM_SZ(cmd_hca_cap) <= DEV_CAP_SIZE, "cmd_hca_cap");
static_assert(PRM_SZ(roce_cap) <= DEV_CAP_SIZE, "roce_cap");

const struct fw_device *fw_device_find(const char *name)
{
	for (size_t i = 0; i < KINDS; i++)
		if (!strcmp(kinds[i]->device.name, name))
			return &kinds[i]->device;
	return NULL;
}

const struct fw_device *fw_device_next(const struct fw_device *dev)
{
	if (!dev)
		return &kinds[0]->device;
	for (size_t i = 0; i + 1 < KINDS; i++)
		if (&kinds[i]->device == dev)
			return &kinds[i + 1]->device;
	return NULL;
}

void fw_init(struct dev *d, const struct fw_device *kind)
{
	const struct fw_kind *k = core_container(kind, struct fw_kind, device);

	memset(d->caps, 0, sizeof(d->caps));
	for (const struct fw_cap_row *row = k->caps; row->field.width; row++)
		prm_store(d->caps[row->group], row->field.first, row->field.width, row->value);
	/* Numbers on the fabric carry the slot; the function's id is one of them. */
	PRM_SET(cmd_hca_cap, d->caps[FW_CAP_GENERAL], vhca_id, d->slot);
	strncpy(d->board_id, kind->board_id, sizeof(d->board_id) - 1);
}

enum fw_status fw_query_hca_cap(struct fw_cmd *c)
{
	uint32_t group = PRM_GET(query_hca_cap_in, c->in, op_mod) >> 1;

	/* assumed(unknown_cap_group_is_bad_param): QUERY_HCA_CAP of a group that the device does
	 * not have is BAD_PARAM. */
	if (group >= DEV_CAP_GROUPS || !groups[group])
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_OP_MOD);
	memcpy(PRM_ADDR(query_hca_cap_out, c->out, capability), c->d->caps[group],
	       DEV_CAP_SIZE);
	return FW_OK;
}

uint64_t fw_cap(const struct dev *d, const char *group, const char *field)
{
	uint64_t value = 0;

	for (size_t i = 0; i < DEV_CAP_GROUPS; i++)
		if (groups[i] && !strcmp(groups[i], group))
			prm_get(prm_struct(group), d->caps[i], DEV_CAP_SIZE, field, &value);
	return value;
}
