/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Capabilities: from rows to the byte images that QUERY_HCA_CAP copies out.
 *
 *	caps_model.c, caps_cx5.c {group, field, value} --fw_init--> hca.caps[group] --> outbox + 0x10
 *
 * A group is there if the device has it; whether the model executes anything of it is another
 * question, and a group of zeroes is an honest answer. Maximum capabilities (op_mod bit 0
 * clear) are kept beside the current ones; SET_HCA_CAP (set_cap.c) changes those up to them.
 */
#include <stdlib.h>

#include "fw/cap_rows.h"

static const struct fw_kind *const kinds[] = { &fw_cx5, &fw_cx6dx, &fw_cx7,
					       &fw_cx8, &fw_bf2,   &fw_bf3 };

#define KINDS (ARRAY_SIZE(kinds))

/* The layout of each group. Groups without an entry have no rows in prm. */
static const struct {
	const char *name;
	size_t bytes;
} layouts[HCA_CAP_GROUPS] = {
#define PRM_CAP_GROUP(g, s) [PRM_CAP_##g] = { #s, PRM_SZ(s) },
#include "prm/cap_group.def"
};

#define PRM_CAP_GROUP(g, s) +PRM_SZ(s)
static_assert(0
#include "prm/cap_group.def"
		      <= HCA_CAP_BYTES,
	      "an image of each group");

const struct prm_struct *fw_cap_group(uint32_t group, size_t *offset)
{
	*offset = 0;
	if (group >= HCA_CAP_GROUPS || !layouts[group].name)
		return NULL;
	for (uint32_t g = 0; g < group; g++)
		*offset += layouts[g].bytes;
	return prm_struct(layouts[group].name);
}

size_t fw_cap_bytes(uint32_t group)
{
	return layouts[group].bytes;
}

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

/* Points the groups at their images, all zero. */
static void empty_images(struct hca *hca)
{
	size_t at;

	memset(hca->cap_bytes, 0, sizeof(hca->cap_bytes));
	for (uint32_t g = 0; g < HCA_CAP_GROUPS; g++) {
		bool known = fw_cap_group(g, &at);

		hca->caps[g] = known ? hca->cap_bytes[0] + at : NULL;
		hca->caps_max[g] = known ? hca->cap_bytes[1] + at : NULL;
	}
}

static void put(uint8_t *image, const struct fw_cap_row *row, uint64_t value)
{
	if (row->use == FW_CAP_LACKS)
		value = prm_load(image, row->field.first, row->field.width) & ~row->value;
	prm_store(image, row->field.first, row->field.width, value);
}

static void apply(struct hca *hca, const struct fw_cap_row *row)
{
	for (; row->field.width; row++) {
		if (!(hca->cap_groups >> row->group & 1))
			continue;
		put(hca->caps[row->group], row, row->value);
		put(hca->caps_max[row->group], row, row->max);
	}
}

/* Applies what is independent of the images' origin. */
static void finish(struct hca *hca, const struct fw_device *kind)
{
	/* Numbers on the fabric carry the slot; the function's id is one of them. */
	PRM_SET(cmd_hca_cap, hca->caps[PRM_CAP_GENERAL], vhca_id, hca->slot);
	PRM_SET(cmd_hca_cap, hca->caps_max[PRM_CAP_GENERAL], vhca_id, hca->slot);
	hca->allows_direct_only = kind->pci_id == fw_bf2.device.pci_id;
	hca->clock_khz = FW_GEN(hca, device_frequency_khz);
	if (FW_GEN(hca, log_dma_mmo_max_size))
		hca->dma_max = 1ull << FW_GEN(hca, log_dma_mmo_max_size);
	strncpy(hca->board_id, kind->board_id, sizeof(hca->board_id) - 1);
	strncpy(hca->fw_ver, kind->fw_ver, sizeof(hca->fw_ver) - 1);
}

uint32_t fw_version(const char *text)
{
	char *at;
	unsigned long major = strtoul(text, &at, 10), minor, sub;

	minor = *at ? strtoul(at + 1, &at, 10) : 0;
	sub = *at ? strtoul(at + 1, &at, 10) : 0;
	return (uint32_t)(major << 24 | (minor & 0xff) << 16 | (sub & 0xffff));
}

void fw_init(struct hca *hca, const struct fw_device *kind)
{
	const struct fw_kind *k = core_container(kind, struct fw_kind, device);

	hca->cap_groups = k->groups;
	empty_images(hca);
	apply(hca, fw_model_caps);
	apply(hca, k->caps);
	if (k->host && hca->role != HCA_ROLE_DPU)
		apply(hca, k->host);
	finish(hca, kind);
}

void fw_init_image(struct hca *hca, const struct fw_image *img)
{
	struct fw_device kind = fw_image_device(img);

	hca->cap_groups = img->groups;
	empty_images(hca);
	memcpy(hca->cap_bytes, img->bytes, sizeof(hca->cap_bytes));
	finish(hca, &kind);
}

enum fw_status fw_query_hca_cap(struct fw_cmd *c)
{
	uint32_t op_mod = PRM_GET(query_hca_cap_in, c->in, op_mod), group = op_mod >> 1;
	bool current = (op_mod & 1) == PRM_CAP_CUR;

	/* assumed(unknown_cap_group_is_bad_param): QUERY_HCA_CAP of a group that the device
	 * does not have is BAD_PARAM. */
	if (group >= HCA_CAP_GROUPS || !(c->hca->cap_groups >> group & 1))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_OP_MOD);
	if (layouts[group].name) {
		size_t space = c->out_len - PRM_OFF(query_hca_cap_out, capability) / 8;

		memcpy(PRM_ADDR(query_hca_cap_out, c->out, capability),
		       current ? c->hca->caps[group] : c->hca->caps_max[group],
		       layouts[group].bytes < space ? layouts[group].bytes : space);
	}
	return FW_OK;
}

uint64_t fw_cap(const struct hca *hca, const char *group, const char *field)
{
	uint64_t value = 0;

	/* IPoIB groups share the layout of the Ethernet one, which comes first */
	for (size_t i = 0; i < HCA_CAP_GROUPS; i++)
		if (hca->caps[i] && !strcmp(layouts[i].name, group)) {
			prm_get(prm_struct(group), hca->caps[i], layouts[i].bytes, field,
				&value);
			break;
		}
	return value;
}

static void public_frames(uint8_t *const caps[HCA_CAP_GROUPS])
{
	uint8_t *atomic = caps[PRM_CAP_ATOMIC];

	PRM_SET(cmd_hca_cap, caps[PRM_CAP_GENERAL], dct, 0);
	if (atomic)
		PRM_SET(atomic_caps, atomic, atomic_operations,
			PRM_GET(atomic_caps, atomic, atomic_operations) & 3);
}

void fw_public_frames(struct hca *hca)
{
	public_frames(hca->caps);
	public_frames(hca->caps_max);
}

/* nic_vport.c accepts any number of multicast addresses and VLANs. */
#define GUEST_LOG_UC_LIST   7
#define GUEST_LOG_MC_LIST   10
#define GUEST_LOG_VLAN_LIST 12
static_assert(1 << GUEST_LOG_UC_LIST == HCA_UNICAST_LIST, "log2");

static void guest_caps(uint8_t *const caps[HCA_CAP_GROUPS])
{
	uint8_t *general = caps[PRM_CAP_GENERAL];

	PRM_SET(cmd_hca_cap, general, log_max_current_uc_list, GUEST_LOG_UC_LIST);
	PRM_SET(cmd_hca_cap, general, log_max_current_mc_list, GUEST_LOG_MC_LIST);
	PRM_SET(cmd_hca_cap, general, log_max_vlan_list, GUEST_LOG_VLAN_LIST);
	PRM_SET(cmd_hca_cap, general, pg, 0);
}

void fw_guest_caps(struct hca *hca)
{
	guest_caps(hca->caps);
	guest_caps(hca->caps_max);
	hca->cap_groups &= ~(1ull << PRM_CAP_ODP);
}
