/* SPDX-License-Identifier: BSD-2-Clause */
/* QUERY_HCA_CAP: op_mod = group << 1 | (1: current, 0: maximum). */
#include <devx/caps.h>

enum { GROUPS = 0x80 }; /* the highest one that is publicly known is 0x2a */

int devx_caps_query(uint8_t caps[DEVX_CAPS_BYTES], struct ibv_context *ctx, uint16_t group,
		    enum prm_cap_mode mode)
{
	uint8_t in[PRM_SZ(query_hca_cap_in)] = { 0 }, out[PRM_SZ(query_hca_cap_out)];
	int err;

	PRM_SET(query_hca_cap_in, in, opcode, PRM_OP_QUERY_HCA_CAP);
	PRM_SET(query_hca_cap_in, in, op_mod, PRM_CAP_OP_MOD(group, mode));
	err = devx_cmd(ctx, in, sizeof(in), out, sizeof(out));
	if (!err)
		memcpy(caps, PRM_ADDR(query_hca_cap_out, out, capability), DEVX_CAPS_BYTES);
	return err;
}

const struct prm_struct *devx_caps_struct(uint16_t group)
{
	const struct prm_struct *out = prm_struct("query_hca_cap_out");
	const struct prm_field *members = prm_field(out, "capability");

	/* The rules of the union select the row of the group. */
	for (const struct prm_rule *r = out->rules; r->field; r++)
		if (r->member && !strcmp(r->field, "capability") && r->value == group)
			return prm_field(members->type, r->member)->type;
	return NULL;
}

int devx_caps_group_next(int group)
{
	const char *text;

	for (group++; group < GROUPS; group++)
		if (prm_value_name("CAP", (uint64_t)group, &text))
			return group;
	return -1;
}
