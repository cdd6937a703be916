/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers that describe the host: its byte order, and its name on the network. */
#include "fw/register.h"

/* The host that this runs on is little-endian, and so is its guest. */
static uint8_t read_host_endianness(struct fw_cmd *c, const uint8_t *ask, uint8_t *reg)
{
	(void)c, (void)ask, (void)reg;
	return 0;
}

/* Big-endian hosts (he 1) are not implemented: mlx5_core writes 0 on all others (main.c,
 * set_hca_ctrl). */
static uint8_t write_host_endianness(struct fw_cmd *c, const uint8_t *reg)
{
	(void)c;
	return PRM_GET(register_host_endianness, reg, he) ? FW_WHY_UNSUPPORTED : 0;
}

static uint8_t read_node_desc(struct fw_cmd *c, const uint8_t *ask, uint8_t *reg)
{
	(void)ask;
	memcpy(PRM_ADDR(set_node_in, reg, node_description), c->hca->given.node,
	       HCA_NODE_DESCRIPTION);
	return 0;
}

static uint8_t write_node_desc(struct fw_cmd *c, const uint8_t *reg)
{
	memcpy(c->hca->given.node, PRM_ADDR(set_node_in, reg, node_description),
	       HCA_NODE_DESCRIPTION);
	return 0;
}

static const struct fw_bits nothing[] = { END };
static const struct fw_bits set_node[] = {
	BYTES(set_node_in, node_description, HCA_NODE_DESCRIPTION), END
};
static const struct fw_bits set_he[] = { F(register_host_endianness, he), END };

const struct fw_register fw_host_registers[] = {
	{ .id = FW_REGISTER_HOST_ENDIANNESS,
	  .layout = "register_host_endianness",
	  .bytes = PRM_SZ(register_host_endianness),
	  .ask = nothing,
	  .set = set_he,
	  .read = read_host_endianness,
	  .write = write_host_endianness },
	{ .id = FW_REGISTER_NODE_DESC,
	  .layout = "set_node_in",
	  .bytes = PRM_SZ(set_node_in),
	  .ask = nothing,
	  .set = set_node,
	  .read = read_node_desc,
	  .write = write_node_desc },
	{ 0 },
};
