/* SPDX-License-Identifier: BSD-2-Clause */
/* CREATE_PSV with num_psv 1, which is all that the kernel accepts. */
#include <devx/psv.h>
#include <prm/prm.h>

int devx_psv_create(struct devx_obj *psv, struct ibv_context *ctx, uint32_t pdn)
{
	uint8_t in[PRM_SZ(create_psv_in)] = { 0 }, out[PRM_SZ(create_psv_out)] = { 0 };

	PRM_SET(create_psv_in, in, opcode, PRM_OP_CREATE_PSV);
	PRM_SET(create_psv_in, in, num_psv, 1);
	PRM_SET(create_psv_in, in, pd, pdn);
	return devx_obj_create(psv, ctx, in, sizeof(in), out, sizeof(out));
}
