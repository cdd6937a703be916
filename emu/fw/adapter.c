/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The adapter as a whole: identity, interface version, keys that are never created.
 */
#include "fw/command.h"

#define OUI_MELLANOX  0x0002c9
#define VSD_VENDOR_ID 0x15b3

/* Interface step sequence: versions 0 and 1 (mlx5_core, set_issi). */
#define ISSI_MAX 1

enum fw_status fw_query_adapter(struct fw_cmd *c)
{
	uint8_t *blk = PRM_ADDR(query_adapter_out, c->out, query_adapter_struct);

	PRM_SET(query_adapter_param_block, blk, ieee_vendor_id, OUI_MELLANOX);
	PRM_SET(query_adapter_param_block, blk, vsd_vendor_id, VSD_VENDOR_ID);
	memcpy(PRM_ADDR(query_adapter_param_block, blk, vsd_contd_psid), c->hca->board_id, 16);
	return FW_OK;
}

enum fw_status fw_query_issi(struct fw_cmd *c)
{
	PRM_SET(query_issi_out, c->out, current_issi, c->hca->issi);
	PRM_SET(query_issi_out, c->out, supported_issi_dw0, (1u << (ISSI_MAX + 1)) - 1);
	return FW_OK;
}

enum fw_status fw_set_issi(struct fw_cmd *c)
{
	uint32_t issi = PRM_GET(set_issi_in, c->in, current_issi);

	if (issi > ISSI_MAX)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	c->hca->issi = issi;
	return FW_OK;
}

/* Capabilities say which of these keys exist; resd_lkey every device has. */
enum fw_status fw_query_special_contexts(struct fw_cmd *c)
{
	/* Our number, and any would do: it opens nothing here, as qpc.rlky is refused, and only
	 * the kernel ever asks for it (mlx5_ib: local_dma_lkey). */
	PRM_SET(query_special_contexts_out, c->out, resd_lkey, 0x100);
	PRM_SET(query_special_contexts_out, c->out, dump_fill_mkey, HCA_KEY_DUMP_FILL);
	PRM_SET(query_special_contexts_out, c->out, null_mkey, HCA_KEY_NULL);
	return FW_OK;
}

/* assumed(lag_state_is_always_reported): QUERY_LAG answers on a device without lag_master too,
 * with lag_state 0: UCX sends it to every device that it opens (openucx/ucx, ib_mlx5dv_md.c,
 * uct_ib_mlx5_devx_query_lag), without a look at capabilities, and takes 0 for a port without a
 * bond. */
enum fw_status fw_query_lag(struct fw_cmd *c)
{
	(void)c; /* the context is all 0: no bond */
	return FW_OK;
}

enum fw_status fw_nop(struct fw_cmd *c)
{
	(void)c;
	return FW_OK;
}
