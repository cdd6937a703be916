/* SPDX-License-Identifier: BSD-2-Clause */
/* Can two functions copy each other's memory (cross_vhca.h): a row for each reason against
 * it. */
#include <stdio.h>

#include <devx/caps.h>
#include <devx/cross_vhca.h>
#include <dv/endpoint.h>
#include <prm/prm.h>

#include "prm/array.h"
#include "refuse.h"

/* ---- one side, from a device ---- */

static int query_groups(struct devx_vhca_caps *c, struct ibv_context *ctx)
{
	uint8_t caps[DEVX_CAPS_BYTES];
	int err = devx_caps_query(caps, ctx, PRM_CAP_GENERAL, PRM_CAP_CUR);

	if (err)
		return err;
	c->vhca_id = (uint16_t)DEVX_CAP(GENERAL, caps, vhca_id);
	c->hca_cap_2 = (uint8_t)DEVX_CAP(GENERAL, caps, hca_cap_2);
	c->dma_mmo_qp = (uint8_t)DEVX_CAP(GENERAL, caps, dma_mmo_qp);
	c->dma_mmo_sq = (uint8_t)DEVX_CAP(GENERAL, caps, dma_mmo_sq);
	c->log_dma_mmo_max_size = (uint8_t)DEVX_CAP(GENERAL, caps, log_dma_mmo_max_size);
	c->log_max_umem = (uint8_t)DEVX_CAP(GENERAL, caps, log_max_umem);
	c->log_max_uctx = (uint8_t)DEVX_CAP(GENERAL, caps, log_max_uctx);
	c->fixed_buffer_size = (uint8_t)DEVX_CAP(GENERAL, caps, fixed_buffer_size);
	c->crossing_vhca_mkey = (uint8_t)DEVX_CAP(GENERAL, caps, crossing_vhca_mkey);
	if (!c->hca_cap_2)
		return 0;
	err = devx_caps_query(caps, ctx, PRM_CAP_GENERAL_2, PRM_CAP_CUR);
	if (err)
		return err;
	c->cross_vhca_object_to_object_supported =
		(uint32_t)DEVX_CAP(GENERAL_2, caps, cross_vhca_object_to_object_supported);
	c->allowed_object_for_other_vhca_access =
		DEVX_CAP(GENERAL_2, caps, allowed_object_for_other_vhca_access);
	return 0;
}

static int query_device(struct devx_vhca_caps *c, struct ibv_context *ctx)
{
	struct mlx5dv_context dv = { .comp_mask = MLX5DV_CONTEXT_MASK_WR_MEMCPY_LENGTH };
	struct ibv_device_attr attr;
	int err = ibv_query_device(ctx, &attr);

	if (!err)
		err = mlx5dv_query_device(ctx, &dv);
	if (err)
		return err;
	c->sys_image_guid = be64toh(attr.sys_image_guid);
	c->vendor_part_id = attr.vendor_part_id;
	c->max_wr_memcpy_length = dv.max_wr_memcpy_length;
	snprintf(c->fw_ver, sizeof(c->fw_ver), "%s", attr.fw_ver);
	return 0;
}

static int query_port(struct devx_vhca_caps *c, struct ibv_context *ctx, uint8_t port)
{
	struct ibv_port_attr attr;
	int err = ibv_query_port(ctx, port, &attr);
	uint8_t gid;

	if (err)
		return err;
	c->port_state = (uint8_t)attr.state;
	c->link_layer = attr.link_layer;
	c->has_gid = !dv_gid_default(&gid, ctx, port);
	return 0;
}

int devx_vhca_caps_query(struct devx_vhca_caps *caps, struct ibv_context *ctx, uint8_t port)
{
	int err;

	*caps = (struct devx_vhca_caps){ 0 };
	err = query_groups(caps, ctx);
	if (err)
		return err;
	err = query_device(caps, ctx);
	if (!err)
		err = query_port(caps, ctx, port);
	return err ? devx_refused(CALL_devx_vhca_caps_query, 0, err) : 0;
}

/* ---- reasons of one side ---- */

enum {
	BLUEFIELD_2 = 0xa2d6, /* pci.ids */
	SMALL_LOG = 16,
};

static bool no_devx(const struct devx_vhca_caps *c)
{
	return !c->log_max_uctx;
}

static bool no_general_2(const struct devx_vhca_caps *c)
{
	return !c->hca_cap_2;
}

static bool no_umem(const struct devx_vhca_caps *c)
{
	return !c->log_max_umem;
}

static bool is_allowed(const struct devx_vhca_caps *c)
{
	return c->allowed_object_for_other_vhca_access &
	       PRM_ALLOWED_OBJ_FOR_OTHER_VHCA_ACCESS_MKEY;
}

static bool has_alias(const struct devx_vhca_caps *c)
{
	return c->cross_vhca_object_to_object_supported &
	       PRM_CROSS_VHCA_OBJ_TO_OBJ_SUPPORTED_LOCAL_MKEY_TO_REMOTE_MKEY;
}

/* Words of a missing group are a consequence. */
static bool not_allowed(const struct devx_vhca_caps *c)
{
	return c->hca_cap_2 && !is_allowed(c);
}

static bool no_alias(const struct devx_vhca_caps *c)
{
	return c->hca_cap_2 && !has_alias(c);
}

static bool unknown_adapter(const struct devx_vhca_caps *c)
{
	return !c->sys_image_guid;
}

static bool has_mmo_dma(const struct devx_vhca_caps *c)
{
	return c->dma_mmo_qp || c->dma_mmo_sq;
}

static bool no_mmo_dma(const struct devx_vhca_caps *c)
{
	return !has_mmo_dma(c);
}

static bool no_memcpy(const struct devx_vhca_caps *c)
{
	return has_mmo_dma(c) && !c->max_wr_memcpy_length;
}

static bool port_down(const struct devx_vhca_caps *c)
{
	return c->port_state != IBV_PORT_ACTIVE;
}

static bool no_gid(const struct devx_vhca_caps *c)
{
	return c->port_state == IBV_PORT_ACTIVE && c->link_layer == IBV_LINK_LAYER_ETHERNET &&
	       !c->has_gid;
}

static bool no_ksm(const struct devx_vhca_caps *c)
{
	return !c->fixed_buffer_size;
}

static bool umem_only(const struct devx_vhca_caps *c)
{
	return c->fixed_buffer_size && c->vendor_part_id == BLUEFIELD_2;
}

/* DOCA DMA programming guide: 24.33.0100 or newer. The first number is that of the device. */
static bool old_firmware(const struct devx_vhca_caps *c)
{
	unsigned int device, major, minor;

	if (sscanf(c->fw_ver, "%u.%u.%u", &device, &major, &minor) != 3 || device != 24)
		return false;
	return major < 33 || (major == 33 && minor < 100);
}

static bool small_copies(const struct devx_vhca_caps *c)
{
	return has_mmo_dma(c) && c->log_dma_mmo_max_size && c->log_dma_mmo_max_size < SMALL_LOG;
}

/* Reasons against it on one side, and notes. */
static const struct row {
	enum devx_cross_vhca_reason reason;
	enum devx_cross_vhca_side side; /* BOTH: each of them */
	bool (*holds)(const struct devx_vhca_caps *c);
	const char *text;
} rows[] = {
	{ DEVX_CROSS_VHCA_NO_DEVX, DEVX_BOTH_SIDES, no_devx,
	  "no DevX (log_max_uctx 0): enable user contexts in the firmware (mlxconfig "
	  "UCTX_EN=1), then reset it" },
	{ DEVX_CROSS_VHCA_NO_GENERAL_2, DEVX_BOTH_SIDES, no_general_2,
	  "no second group of capabilities (hca_cap_2 0): an adapter or a firmware without "
	  "aliases; a BlueField-2 or newer is needed" },
	{ DEVX_CROSS_VHCA_NO_UMEM, DEVX_EXPORTER, no_umem,
	  "no umems (log_max_umem 0), so no mkey that could be exported: update the firmware" },
	{ DEVX_CROSS_VHCA_NOT_ALLOWED, DEVX_EXPORTER, not_allowed,
	  "mkeys cannot be allowed to other functions (allowed_object_for_other_vhca_access "
	  "without 0x4): a BlueField in DPU mode is needed, with a current firmware" },
	{ DEVX_CROSS_VHCA_NO_ALIAS, DEVX_IMPORTER, no_alias,
	  "no aliases of mkeys (cross_vhca_object_to_object_supported without 0x100): a "
	  "BlueField in DPU mode is needed, with a current firmware" },
	{ DEVX_CROSS_VHCA_UNKNOWN_ADAPTER, DEVX_BOTH_SIDES, unknown_adapter,
	  "sys_image_guid is 0, so nothing says that both are of one adapter: query the "
	  "device again (devx_vhca_caps_query)" },
	{ DEVX_CROSS_VHCA_NO_MMO_DMA, DEVX_IMPORTER, no_mmo_dma,
	  "no DMA by work requests (dma_mmo_qp and dma_mmo_sq 0): the importer copies, so it "
	  "has to be the function that has it, on a BlueField the DPU" },
	{ DEVX_CROSS_VHCA_NO_MEMCPY, DEVX_IMPORTER, no_memcpy,
	  "the device has DMA, libmlx5 does not offer it (max_wr_memcpy_length 0): open the "
	  "context with DevX, or use rdma-core 35 or newer" },
	{ DEVX_CROSS_VHCA_PORT_DOWN, DEVX_IMPORTER, port_down,
	  "the port is not active, and the QP of the DMA cannot be connected to itself: bring "
	  "the link up (ip link set dev DEVICE up), or use another port" },
	{ DEVX_CROSS_VHCA_NO_GID, DEVX_IMPORTER, no_gid,
	  "the port has no GID, and the QP of the DMA cannot be connected to itself: give its "
	  "network device an address" },
	{ DEVX_CROSS_VHCA_NO_KSM, DEVX_EXPORTER, no_ksm,
	  "no KSM keys (fixed_buffer_size 0): memory of an MR cannot be exported as it is, "
	  "export it as a umem (devx_export_create)" },
	{ DEVX_CROSS_VHCA_UMEM_ONLY, DEVX_EXPORTER, umem_only,
	  "a BlueField-2 allows only keys over a umem to other functions: use "
	  "devx_export_create, not devx_export_create_mr" },
	{ DEVX_CROSS_VHCA_ONE_WORD, DEVX_EXPORTER, no_alias,
	  "the exporter cannot make aliases; it need not, but programs like UCX ask "
	  "for both words on both sides" },
	{ DEVX_CROSS_VHCA_ONE_WORD, DEVX_IMPORTER, not_allowed,
	  "the importer cannot allow its mkeys to others; it need not, but programs like UCX ask "
	  "for both words on both sides" },
	{ DEVX_CROSS_VHCA_OLD_FIRMWARE, DEVX_IMPORTER, old_firmware,
	  "a firmware older than 24.33.0100, the first that DOCA DMA takes: update it" },
	{ DEVX_CROSS_VHCA_SMALL_COPIES, DEVX_IMPORTER, small_copies,
	  "a work request copies less than 64 KiB (log_dma_mmo_max_size): long copies need "
	  "many of them" },
};

/* ---- both ---- */

struct pair {
	const struct devx_vhca_caps *exporter, *importer;
};

static bool same_adapter(const struct pair *p)
{
	return p->exporter->sys_image_guid &&
	       p->exporter->sys_image_guid == p->importer->sys_image_guid;
}

static bool other_adapter(const struct pair *p)
{
	return p->exporter->sys_image_guid && p->importer->sys_image_guid && !same_adapter(p);
}

static bool same_vhca(const struct pair *p)
{
	return same_adapter(p) && p->exporter->vhca_id == p->importer->vhca_id;
}

static bool firmware_differs(const struct pair *p)
{
	return same_adapter(p) && p->exporter->fw_ver[0] && p->importer->fw_ver[0] &&
	       strncmp(p->exporter->fw_ver, p->importer->fw_ver, sizeof(p->exporter->fw_ver)) !=
		       0;
}

static const struct pair_row {
	enum devx_cross_vhca_reason reason;
	bool (*holds)(const struct pair *p);
	const char *text;
} pair_rows[] = {
	{ DEVX_CROSS_VHCA_OTHER_ADAPTER, other_adapter,
	  "the two are functions of different adapters (sys_image_guid): copies do not leave an "
	  "adapter, use RDMA" },
	{ DEVX_CROSS_VHCA_SAME_VHCA, same_vhca,
	  "both are one function (vhca_id): its own mkey reaches the memory, without an "
	  "alias" },
	{ DEVX_CROSS_VHCA_FIRMWARE_DIFFERS, firmware_differs,
	  "one adapter with two versions of the firmware: one of the two was read before an "
	  "update, read it again" },
};

/* ---- the answer ---- */

static void add(struct devx_cross_vhca *answer, enum devx_cross_vhca_reason reason,
		enum devx_cross_vhca_side side, const char *text)
{
	if (answer->n < DEVX_CROSS_VHCA_MAX)
		answer->finding[answer->n++] =
			(struct devx_cross_vhca_finding){ reason, side, text };
}

static void add_reason(struct devx_cross_vhca *answer, const struct pair *p,
		       enum devx_cross_vhca_reason reason)
{
	const size_t n = ARRAY_SIZE(rows);

	for (size_t i = 0; i < n; i++) {
		if (rows[i].reason != reason)
			continue;
		if (rows[i].side != DEVX_IMPORTER && rows[i].holds(p->exporter))
			add(answer, reason, DEVX_EXPORTER, rows[i].text);
		if (rows[i].side != DEVX_EXPORTER && rows[i].holds(p->importer))
			add(answer, reason, DEVX_IMPORTER, rows[i].text);
	}
	for (size_t i = 0; i < ARRAY_SIZE(pair_rows); i++)
		if (pair_rows[i].reason == reason && pair_rows[i].holds(p))
			add(answer, reason, DEVX_BOTH_SIDES, pair_rows[i].text);
}

int devx_cross_vhca_check(struct devx_cross_vhca *answer, const struct devx_vhca_caps *exporter,
			  const struct devx_vhca_caps *importer)
{
	const struct pair p = { exporter, importer };

	*answer = (struct devx_cross_vhca){ 0 };
	for (int r = 0; r < DEVX_CROSS_VHCA_REASONS; r++)
		add_reason(answer, &p, (enum devx_cross_vhca_reason)r);
	return answer->n && answer->finding[0].reason < DEVX_CROSS_VHCA_NOTES ? EOPNOTSUPP : 0;
}

const char *devx_cross_vhca_reason_str(enum devx_cross_vhca_reason reason)
{
	static const char *const names[DEVX_CROSS_VHCA_REASONS] = {
		[DEVX_CROSS_VHCA_NO_DEVX] = "no_devx",
		[DEVX_CROSS_VHCA_NO_GENERAL_2] = "no_general_2",
		[DEVX_CROSS_VHCA_NO_UMEM] = "no_umem",
		[DEVX_CROSS_VHCA_NOT_ALLOWED] = "not_allowed",
		[DEVX_CROSS_VHCA_NO_ALIAS] = "no_alias",
		[DEVX_CROSS_VHCA_OTHER_ADAPTER] = "other_adapter",
		[DEVX_CROSS_VHCA_UNKNOWN_ADAPTER] = "unknown_adapter",
		[DEVX_CROSS_VHCA_SAME_VHCA] = "same_vhca",
		[DEVX_CROSS_VHCA_NO_MMO_DMA] = "no_mmo_dma",
		[DEVX_CROSS_VHCA_NO_MEMCPY] = "no_memcpy",
		[DEVX_CROSS_VHCA_PORT_DOWN] = "port_down",
		[DEVX_CROSS_VHCA_NO_GID] = "no_gid",
		[DEVX_CROSS_VHCA_NO_KSM] = "no_ksm",
		[DEVX_CROSS_VHCA_UMEM_ONLY] = "umem_only",
		[DEVX_CROSS_VHCA_ONE_WORD] = "one_word",
		[DEVX_CROSS_VHCA_OLD_FIRMWARE] = "old_firmware",
		[DEVX_CROSS_VHCA_FIRMWARE_DIFFERS] = "firmware_differs",
		[DEVX_CROSS_VHCA_SMALL_COPIES] = "small_copies",
	};

	return (unsigned int)reason < DEVX_CROSS_VHCA_REASONS ? names[reason] : NULL;
}

const char *devx_cross_vhca_side_str(enum devx_cross_vhca_side side)
{
	static const char *const names[] = { [DEVX_BOTH_SIDES] = "both",
					     [DEVX_EXPORTER] = "exporter",
					     [DEVX_IMPORTER] = "importer" };

	return (unsigned int)side < 3 ? names[side] : NULL;
}
