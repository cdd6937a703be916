/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory windows: one CREATE_MKEY each, of access mode KLM and free. Everything else that
 * happens to a window (bind, invalidate) is a work request and does not come through here.
 *
 *	ALLOC_MW -> mkey: free, space for KLMs, en_rinval for type 2 -> handle, rkey
 *
 * (ib_core, uverbs_cmd.c, ib_uverbs_alloc_mw; mlx5_ib, mr.c, mlx5_ib_alloc_mw.)
 */
#include <infiniband/verbs.h>

#include "uverbs/mr.h"

#define KLM_ALIGN 4 /* space comes in 64 bytes */

/* struct { comp_mask, response_length } in mlx5_ib_alloc_mw() */
struct alloc_mw_resp {
	uint32_t comp_mask, response_length;
};

/* Entries that the window has space for: 0 or -errno. */
static int klms(const struct uverbs_call *c, uint32_t *n)
{
	struct mlx5_ib_alloc_mw req = { 0 };
	int ret = uverbs_get_all(c, UVERBS_ATTR_UHW_IN, &req, sizeof(req));

	if (ret && ret != -ENOENT)
		return ret;
	if (req.comp_mask || req.reserved1 || req.reserved2)
		return -EOPNOTSUPP;
	*n = req.num_klms ? req.num_klms : 1;
	*n = (*n + KLM_ALIGN - 1) / KLM_ALIGN * KLM_ALIGN;
	return 0;
}

static int window_mkey(struct uverbs *u, uint32_t pdn, bool type2, uint32_t capacity,
		       uint32_t *key)
{
	uint8_t in[PRM_SZ(create_mkey_in)] = { 0 };
	uint8_t *mkc = PRM_ADDR(create_mkey_in, in, memory_key_mkey_entry);

	PRM_SET(create_mkey_in, in, opcode, PRM_OP_CREATE_MKEY);
	uverbs_mkc_rights(u, mkc, 0, pdn);
	PRM_SET(mkc, mkc, free, 1);
	PRM_SET(mkc, mkc, umr_en, 1);
	PRM_SET(mkc, mkc, access_mode_1_0, PRM_MKC_ACCESS_MODE_KLMS);
	PRM_SET(mkc, mkc, en_rinval, type2);
	PRM_SET(mkc, mkc, translations_octword_size, capacity);
	return uverbs_mkey_exec(u, in, sizeof(in), key);
}

int uverbs_alloc_mw(struct uverbs_call *c)
{
	struct alloc_mw_resp uhw = { .response_length = sizeof(uhw) };
	struct ib_uverbs_alloc_mw_resp resp;
	struct ib_uverbs_alloc_mw cmd;
	struct uverbs_mw *mw;
	uint32_t capacity;
	int ret = uverbs_request(c, &cmd);

	if (ret)
		return ret;
	mw = uverbs_object_new(c, UVERBS_MW);
	if (!mw)
		return c->error;
	mw->pd = uverbs_named(c, cmd.pd_handle, UVERBS_PD);
	if (!mw->pd || (cmd.mw_type != IBV_MW_TYPE_1 && cmd.mw_type != IBV_MW_TYPE_2))
		return -EINVAL;
	ret = klms(c, &capacity);
	if (!ret)
		ret = window_mkey(c->u, mw->pd->pdn, cmd.mw_type == IBV_MW_TYPE_2, capacity,
				  &mw->key);
	if (ret)
		return ret;
	if (uverbs_len(c, UVERBS_ATTR_UHW_OUT) >= sizeof(uhw))
		uverbs_answer(c, UVERBS_ATTR_UHW_OUT, uhw);
	resp = (struct ib_uverbs_alloc_mw_resp){ .mw_handle = mw->obj.handle, .rkey = mw->key };
	uverbs_response(c, &resp);
	return 0;
}

int uverbs_mw_destroy(struct uverbs *u, void *obj)
{
	return uverbs_fw_number(u, PRM_OP_DESTROY_MKEY, 0, ((struct uverbs_mw *)obj)->key >> 8);
}
