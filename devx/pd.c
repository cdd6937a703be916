/* SPDX-License-Identifier: BSD-2-Clause */
/* The number of a PD of verbs, and ALLOC_PD. */
#include <devx/pd.h>
#include <prm/prm.h>

#include "refuse.h"

int devx_pdn_query(uint32_t *pdn, struct ibv_pd *pd)
{
	struct mlx5dv_pd dvpd = { 0 };
	struct mlx5dv_obj obj = { .pd = { .in = pd, .out = &dvpd } };
	int err;

	if (!mlx5dv_is_supported(pd->context->device))
		return devx_refuse(CALL_devx_pdn_query, 0, EOPNOTSUPP, "not of an mlx5 device");
	err = mlx5dv_init_obj(&obj, MLX5DV_OBJ_PD);
	if (err)
		return devx_refused(CALL_devx_pdn_query, 0, err);
	*pdn = dvpd.pdn;
	return 0;
}

int devx_pd_create(struct devx_obj *pd, struct ibv_context *ctx)
{
	uint8_t in[PRM_SZ(alloc_pd_in)] = { 0 }, out[PRM_SZ(alloc_pd_out)];

	PRM_SET(alloc_pd_in, in, opcode, PRM_OP_ALLOC_PD);
	return devx_obj_create(pd, ctx, in, sizeof(in), out, sizeof(out));
}
