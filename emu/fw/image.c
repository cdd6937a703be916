/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A dump of a real device's capabilities, and what the model can keep of it.
 *
 *	claimed                         row of the model      kept
 *	log_max_qp 17                   LIMIT 18              17
 *	atomic_operations 0xf           BITS 3                3         reported
 *	port_type 0 (InfiniBand)        FIXED 1               1         reported
 *	device_frequency_khz 1000000    ANY                   1000000
 *	nic_flow_table 1                none                  0         reported
 *
 * A capability is a promise: libraries act on it. So a promise that the model would break does
 * not get through, unless the caller leaves this out.
 */
#include <stdio.h>

#include "fw/cap_rows.h"
#include "prm/walk.h"

static const struct fw_cap_row *model_row(uint32_t group, size_t bit, size_t width)
{
	for (const struct fw_cap_row *row = fw_model_caps; row->field.width; row++)
		if (row->group == group && row->field.first == bit && row->field.width == width)
			return row;
	return NULL;
}

/* The value that the model supports of @claimed; @row is the model's own, or NULL. */
static uint64_t keep(const struct fw_cap_row *row, bool current, uint64_t claimed)
{
	uint64_t ours;

	if (!row)
		return 0;
	ours = current ? row->value : row->max;
	switch ((enum fw_cap_use)row->use) {
	case FW_CAP_LIMIT:
		return claimed < ours ? claimed : ours;
	case FW_CAP_BITS:
		return claimed & ours;
	case FW_CAP_FIXED:
		return ours;
	case FW_CAP_ROLE:
		return 0;
	case FW_CAP_ANY:
	case FW_CAP_LACKS: /* rows of devices, not of the model */
		break;
	}
	return claimed;
}

/* Where the images of a group are, and what is called for each value. */
struct bounds {
	uint32_t group;
	bool current;
	const uint8_t *claimed;
	uint8_t *kept;
	fw_report *report;
	void *to;
};

static void bound_item(const struct bounds *b, const struct prm_item *it)
{
	char path[PRM_WALK_PATH + 16];

	if (!it->field) /* bytes that could mean this or that: none of it is executed */
		return;
	for (size_t i = 0; i < it->count; i++) {
		size_t bit = it->bit + i * it->width;
		uint64_t claimed = prm_load(b->claimed, bit, it->width);
		uint64_t kept = keep(model_row(b->group, bit, it->width), b->current, claimed);

		prm_store(b->kept, bit, it->width, kept);
		if (!b->report || claimed == kept)
			continue;
		snprintf(path, sizeof(path), it->field->array ? "%s[%zu]" : "%s", it->path, i);
		b->report(b->to, b->group, path, claimed, kept);
	}
}

static void bound_group(struct bounds *b, const struct prm_struct *layout)
{
	struct prm_walk w;
	struct prm_item it;

	prm_walk_begin(&w, layout, b->claimed, layout->bytes);
	while (prm_walk_next(&w, &it))
		bound_item(b, &it);
}

void fw_image_bound(struct fw_image *img, fw_report *report, void *to)
{
	uint8_t claimed[0x1000];
	const struct prm_struct *layout;
	size_t at;

	for (uint32_t i = 0; i < 2 * HCA_CAP_GROUPS; i++) {
		struct bounds b = { .group = i / 2, .current = i % 2 == 0, .to = to };

		layout = fw_cap_group(b.group, &at);
		if (!layout || !(img->groups >> b.group & 1))
			continue;
		b.claimed = memcpy(claimed, img->bytes[!b.current] + at, layout->bytes);
		b.kept = memset(img->bytes[!b.current] + at, 0, layout->bytes);
		b.report = b.current ? report : NULL;
		bound_group(&b, layout);
	}
}

bool fw_image_complete(const struct fw_image *img, uint32_t *missing)
{
#define ANNOUNCED(f, g)                                                         \
	{                                                                       \
		{ PRM_OFF(cmd_hca_cap, f), PRM_W(cmd_hca_cap, f) }, PRM_CAP_##g \
	}
	/* mlx5_core, fw.c: mlx5_query_hca_caps, as far as the driver's part here follows it */
	static const struct {
		struct fw_bits field;
		uint32_t group;
	} announced[] = {
		ANNOUNCED(eth_net_offloads, ETHERNET_OFFLOADS),
		ANNOUNCED(pg, ODP),
		ANNOUNCED(atomic, ATOMIC),
		ANNOUNCED(roce, ROCE),
		ANNOUNCED(qos, QOS),
		ANNOUNCED(device_memory, DEV_MEM),
		ANNOUNCED(hca_cap_2, GENERAL_2),
	};
	size_t at;

	*missing = PRM_CAP_GENERAL;
	if (!(img->groups >> PRM_CAP_GENERAL & 1) || !fw_cap_group(PRM_CAP_GENERAL, &at))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(announced); i++) {
		*missing = announced[i].group;
		if (prm_load(img->bytes[0] + at, announced[i].field.first, 1) &&
		    !(img->groups >> *missing & 1))
			return false;
	}
	return true;
}

struct fw_device fw_image_device(const struct fw_image *img)
{
	return (struct fw_device){ .name = img->name,
				   .description = "out of a file",
				   .pci_id = img->pci_id,
				   .board_id = img->board_id,
				   .fw_ver = img->fw_ver };
}
