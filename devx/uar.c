/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UARs by mlx5dv_devx_alloc_uar(), with a choice when write-combining memory is not available.
 */
#include <devx/caps.h>
#include <devx/uar.h>

#include "refuse.h"

/* rdma-core since 2024, MLX5DV_UAR_ALLOC_TYPE_NC_DEDICATED; older ones say EOPNOTSUPP. */
#define NC_DEDICATED (1u << 31)

/* The register is two buffers that take turns (PRM, "BlueFlame"). */
static int bf_size(struct devx_uar *uar, struct ibv_context *ctx)
{
	uint8_t caps[DEVX_CAPS_BYTES];
	int err = devx_caps_query(caps, ctx, PRM_CAP_GENERAL, PRM_CAP_CUR);

	if (!err && DEVX_CAP(GENERAL, caps, bf))
		uar->bf_size = 1u << DEVX_CAP(GENERAL, caps, log_bf_reg_size) >> 1;
	return err;
}

static struct mlx5dv_devx_uar *alloc_nc(struct devx_uar *uar, struct ibv_context *ctx)
{
	struct mlx5dv_devx_uar *handle = mlx5dv_devx_alloc_uar(ctx, NC_DEDICATED);

	uar->type = DEVX_UAR_NC;
	if (handle || errno != EOPNOTSUPP)
		return handle;
	uar->shared = true;
	return mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_NC);
}

int devx_uar_alloc(struct devx_uar *uar, struct ibv_context *ctx, enum devx_uar_type type)
{
	int err = 0;

	*uar = (struct devx_uar){ .type = DEVX_UAR_BF };
	errno = 0;
	if (type != DEVX_UAR_NC)
		uar->handle = mlx5dv_devx_alloc_uar(ctx, MLX5DV_UAR_ALLOC_TYPE_BF);
	if (!uar->handle &&
	    (type == DEVX_UAR_NC || (type == DEVX_UAR_ANY && errno == EOPNOTSUPP)))
		uar->handle = alloc_nc(uar, ctx);
	if (!uar->handle)
		return devx_refused(CALL_devx_uar_alloc, 0, errno);
	uar->page_id = uar->handle->page_id;
	uar->base = uar->handle->base_addr;
	uar->reg = uar->handle->reg_addr;
	if (uar->type == DEVX_UAR_BF)
		err = bf_size(uar, ctx);
	if (err)
		devx_uar_free(uar);
	return err;
}

void devx_uar_free(struct devx_uar *uar)
{
	if (uar->handle)
		mlx5dv_devx_free_uar(uar->handle);
	uar->handle = NULL;
}
