/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PSVs: the protocol state of signature pipelines.
 *
 *	CREATE_PSV num_psv 1 … 4, PD --> psv0_index … psv3_index
 *
 * A SET_PSV work request gives one its state, a signature mkey names it in its BSF. Neither is
 * here: a PSV is a number that hangs on a PD.
 */
#include "fw/command.h"

#define PSV_MAX 4

/* The numbers are in separate dwords: mlx5_ifc.h, create_psv_out. */
#define INDEX_STEP (PRM_OFF(create_psv_out, psv1_index) - PRM_OFF(create_psv_out, psv0_index))

enum fw_status fw_create_psv(struct fw_cmd *c)
{
	struct hca_pd *pd = fw_pd(c, PRM_GET(create_psv_in, c->in, pd));
	uint32_t n = PRM_GET(create_psv_in, c->in, num_psv);
	struct hca_psv *made[PSV_MAX];

	/* mlx5_ib, mr.c, mlx5_core_create_psv: no more than four at once. */
	if (!n || n > PSV_MAX)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (!pd)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_PD);
	for (uint32_t i = 0; i < n; i++) {
		made[i] = hca_psv_new(c->hca);
		if (!made[i]) {
			while (i)
				fw_end(c->hca, made[--i]);
			return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
		}
		made[i]->pd = pd;
		fw_begin(c, made[i]);
	}
	for (uint32_t i = 0; i < n; i++)
		PRM_SET(create_psv_out, c->out + i * INDEX_STEP / 8, psv0_index, made[i]->psvn);
	return FW_OK;
}

enum fw_status fw_destroy_psv(struct fw_cmd *c)
{
	return fw_destroy(c, fw_psv(c, PRM_GET(destroy_psv_in, c->in, psvn)));
}
