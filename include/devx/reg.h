/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers of the device that users may reach: ACCESS_REGISTER_USER, 0xb0c. The command of
 * the drivers, ACCESS_REG, is not on the DevX list.
 *
 *	uint8_t mtutc[PRM_SZ(mtutc_reg)] = { 0 };
 *	err = devx_reg_read(ctx, PRM_REG_MTUTC, 0, mtutc, sizeof(mtutc));
 *
 * A register's own fields (local_port, grp …) select what is read: set them in @data before.
 * The firmware says which registers are open; one that is not is BAD_PARAM. Capability
 * access_register_user. Numbers: PRM_REG_* of prm/value.h; layouts: prm/reg_*.def.
 *
 * A write changes the adapter for everybody who uses it, so it has to be asked for.
 */
#ifndef DEVX_REG_H
#define DEVX_REG_H

#include <devx/devx.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum devx_reg_flags {
	DEVX_REG_ALLOW_WRITE = 1 << 0,
};

/* @len: a multiple of 4 that fits an inbox. EOPNOTSUPP: the device has no such command. */
int devx_reg_read(struct ibv_context *ctx, uint16_t register_id, uint32_t argument, void *data,
		  size_t len);
/* EPERM: without DEVX_REG_ALLOW_WRITE in @flags. @data is left as the device answers. */
int devx_reg_write(struct ibv_context *ctx, uint16_t register_id, uint32_t argument, void *data,
		   size_t len, unsigned int flags);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
