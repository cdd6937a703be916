/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory keys of other functions of the adapter. The owner of an mkey allows it to those who
 * know an access key; who does makes an alias, a key in its PD for the same bytes.
 *
 *	owner	CREATE_MKEY -> ALLOW_OTHER_VHCA_ACCESS (number, access key) -> grant in hca.vhcas
 *	other	CREATE_GENERAL_OBJECT, alias (VHCA id, number, access key, PD) -> mkey with a target
 *
 * Nothing takes a permission back but the end of the mkey. The number of an alias is one of
 * mkeys; its key is number << 8. (openucx/ucx, ib_mlx5dv_md.c,
 * uct_ib_mlx5_devx_allow_xgvmi_access and uct_ib_mlx5_devx_mem_attach.)
 */
#include "fw/alias.h"
#include "fw/rows.h"

#define OBJ PRM_SZ(general_obj_in_cmd_hdr)

/* alias_context.status: public code takes all but 0 for bad. */
enum { GOOD, BAD };

static const struct fw_bits accepts[] = {
	F(alias_context, vhca_id_to_be_accessed),
	F(alias_context, object_id_to_be_accessed),
	BYTES(alias_context, access_key_raw, HCA_ACCESS_KEY_BYTES),
	F(alias_context, metadata_1),
	END,
};

/* Does the device have this of mkeys? */
static bool may_alias(const struct fw_cmd *c)
{
	return FW_GEN_2(c->hca, cross_vhca_object_to_object_supported) &
	       PRM_CROSS_VHCA_OBJ_TO_OBJ_SUPPORTED_LOCAL_MKEY_TO_REMOTE_MKEY;
}

static bool may_allow(const struct fw_cmd *c)
{
	return PRM_GET(cmd_hca_cap_2, c->hca->caps[PRM_CAP_GENERAL_2],
		       allowed_object_for_other_vhca_access) &
	       PRM_ALLOWED_OBJ_FOR_OTHER_VHCA_ACCESS_MKEY;
}

/* ---- the owner ---- */

/* assumed(alias_needs_a_key_of_the_same_context): ALLOW_OTHER_VHCA_ACCESS of an mkey that the
 * command's uid did not create, that of ibv_reg_mr() included, is BAD_RES_STATE; and so it is
 * of an alias. */
static struct hca_mkey *own_mkey(const struct fw_cmd *c, uint32_t number)
{
	struct hca_mkey *m = number >> 24 ? NULL : fw_mkey(c, number);

	return m && m->uid == c->uid && !m->target.kind ? m : NULL;
}

enum fw_status fw_allow_other_vhca_access(struct fw_cmd *c)
{
	struct hca_mkey *m;

	if (!may_allow(c) || PRM_GET(allow_other_vhca_access_in, c->in,
				     object_type_to_be_accessed) != PRM_OBJ_MKEY)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	m = own_mkey(c, PRM_GET(allow_other_vhca_access_in, c->in, object_id_to_be_accessed));
	if (!m)
		return fw_absent(c);
	/* UCX, "Removed XGVMI BF2 support (umem)": those need a key over a umem, BlueField-3
	 * takes lists of keys, too; no capability says which. */
	/* assumed(alias_of_a_list_needs_bluefield_3): ALLOW_OTHER_VHCA_ACCESS of a KLM or KSM
	 * key is BAD_PARAM on a BlueField-2. */
	if (m->list && c->hca->allows_direct_only)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	/* Our choice: so many at a time. */
	if (!hca_allow(c->hca, m, PRM_ADDR(allow_other_vhca_access_in, c->in, access_key_raw)))
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	return FW_OK;
}

/* ---- the other side ---- */

static const uint8_t *context(const struct fw_cmd *c)
{
	return c->in + OBJ;
}

static enum fw_status check_header(struct fw_cmd *c)
{
	uint8_t why;

	if (!may_alias(c) || PRM_GET(general_obj_in_cmd_hdr, c->in, obj_type) != PRM_OBJ_MKEY)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (c->in_len < OBJ + PRM_SZ(alias_context))
		return fw_refuse(c, FW_BAD_INP_LEN, FW_WHY_IN_LEN);
	if (fw_more(c, OBJ + PRM_SZ(alias_context)))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_RESERVED);
	if (PRM_GET(general_obj_in_cmd_hdr, c->in, obj_id) ||
	    PRM_GET(general_obj_in_cmd_hdr, c->in, log_obj_range))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	why = fw_accept("alias_context", accepts, context(c), PRM_SZ(alias_context));
	return why ? fw_refuse(c, FW_BAD_PARAM, why) : FW_OK;
}

static enum fw_status check_context(struct fw_cmd *c)
{
	uint32_t pdn = PRM_GET(alias_context, context(c), metadata_1);

	/* The high bits may say what happens at an error (a header of SmartNS names
	 * mkey_error_modify_en beside the PD): not implemented. */
	if (pdn >> 24)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (PRM_GET(alias_context, context(c), object_id_to_be_accessed) >> 24)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (!fw_pd(c, pdn))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_PD);
	if (fw_at_limit(&c->hca->mkeys, FW_GEN(c->hca, log_max_mkey)))
		return fw_refuse(c, FW_LIM_ERR, FW_WHY_LIMIT);
	return FW_OK;
}

/* assumed(alias_of_an_unknown_function_is_bad_param): an alias that names a VHCA id which no
 * function of this adapter has is BAD_PARAM. */
/* assumed(alias_of_the_own_function_is_allowed): an alias may name the VHCA id of the function
 * that makes it. */
/* assumed(alias_with_a_wrong_access_key_is_bad_param): an alias with another access key than
 * the one with which its object was allowed is BAD_PARAM, and not an alias in a bad state. */
/* assumed(alias_of_what_is_not_allowed_is_bad): an alias of an object that its function has
 * not, or did not allow, is created, with a status that is not 0, and stays so. */
static enum fw_status find(struct fw_cmd *c, struct hca_target *t)
{
	uint32_t id = PRM_GET(alias_context, context(c), vhca_id_to_be_accessed);
	uint32_t number = PRM_GET(alias_context, context(c), object_id_to_be_accessed);
	const struct hca_vhca *v = hca_vhca_at(c->hca, id);
	bool same = true;

	if (!v)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VHCA);
	*t = (struct hca_target){ .kind = HCA_TARGET_ALIAS,
				  .vhca_id = (uint8_t)id,
				  .key = number,
				  .epoch = atomic_load(&v->epoch) };
	t->serial = hca_granted(v, number, PRM_ADDR(alias_context, context(c), access_key_raw),
				&same);
	return same ? FW_OK : fw_refuse(c, FW_BAD_PARAM, FW_WHY_ACCESS_KEY);
}

/* The outbox, as far as it is long enough. */
/* assumed(alias_does_not_show_its_access_key): the context that the creation and the query of
 * an alias return has no access key. */
static void show(struct fw_cmd *c, const struct hca_mkey *m)
{
	uint8_t obj[PRM_SZ(alias_context)] = { 0 };
	size_t space = c->out_len - OBJ;

	PRM_SET(alias_context, obj, vhca_id_to_be_accessed, m->target.vhca_id);
	PRM_SET(alias_context, obj, object_id_to_be_accessed, m->target.key);
	PRM_SET(alias_context, obj, status,
		hca_target_is_good(c->hca, &m->target) ? GOOD : BAD);
	PRM_SET(alias_context, obj, metadata_1, m->pd->pdn);
	PRM_SET(general_obj_out_cmd_hdr, c->out, obj_id, m->index);
	memcpy(c->out + OBJ, obj, space < sizeof(obj) ? space : sizeof(obj));
}

enum fw_status fw_alias_create(struct fw_cmd *c)
{
	struct hca_target target;
	enum fw_status status = check_header(c);
	struct hca_mkey *m;

	if (status == FW_OK)
		status = check_context(c);
	if (status == FW_OK)
		status = find(c, &target);
	if (status != FW_OK)
		return status;
	m = hca_mkey_new(c->hca);
	if (!m)
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	m->pd = fw_pd(c, PRM_GET(alias_context, context(c), metadata_1));
	m->target = target;
	fw_begin(c, m);
	show(c, m);
	return FW_OK;
}

static struct hca_mkey *alias_of(const struct fw_cmd *c)
{
	uint32_t id = PRM_GET(general_obj_in_cmd_hdr, c->in, obj_id);
	struct hca_mkey *m = id >> 24 ? NULL : fw_mkey(c, id);

	return m && m->target.kind == HCA_TARGET_ALIAS ? m : NULL;
}

enum fw_status fw_alias_query(struct fw_cmd *c)
{
	const struct hca_mkey *m = alias_of(c);

	if (!may_alias(c) || PRM_GET(general_obj_in_cmd_hdr, c->in, obj_type) != PRM_OBJ_MKEY)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (!m)
		return fw_absent(c);
	show(c, m);
	return FW_OK;
}

enum fw_status fw_alias_destroy(struct fw_cmd *c)
{
	if (!may_alias(c))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	return fw_destroy(c, alias_of(c));
}
