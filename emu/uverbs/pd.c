/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Protection domains, doorbell pages, and the destroy call that most types share.
 */
#include "uverbs/method.h"

int uverbs_create(struct uverbs_call *c)
{
	(void)c;
	return 0;
}

/* The handle is the first attribute of every destroy method; the answer the second, where there
 * is one. */
int uverbs_destroy(struct uverbs_call *c)
{
	struct uverbs_reported reported = { 0 };
	bool comp = c->attr[0].obj->type == UVERBS_CQ;
	int ret = uverbs_object_destroy(c->attr[0].obj, &reported);

	if (!ret && c->method->specs > 1)
		uverbs_put(c, c->method->spec[1].id, comp ? (void *)&reported : &reported.async,
			   c->method->spec[1].max);
	return ret;
}

int uverbs_alloc_pd(struct uverbs_call *c)
{
	struct uverbs_pd *pd = uverbs_object_new(c, UVERBS_PD);
	struct ib_uverbs_alloc_pd_resp resp;
	int ret;

	if (!pd)
		return c->error;
	pd->uid = c->file->uid;
	ret = uverbs_fw_alloc(c->u, PRM_OP_ALLOC_PD, pd->uid, &pd->pdn);
	if (ret)
		return ret;
	resp.pd_handle = pd->obj.handle;
	uverbs_answer(c, UVERBS_ATTR_UHW_OUT, pd->pdn); /* struct mlx5_ib_alloc_pd_resp */
	uverbs_response(c, &resp);
	return 0;
}

int uverbs_pd_destroy(struct uverbs *u, void *obj)
{
	const struct uverbs_pd *pd = obj;

	return uverbs_fw_number(u, PRM_OP_DEALLOC_PD, pd->uid, pd->pdn);
}

/* mlx5_ib, std_types.c: MLX5_IB_METHOD_PD_QUERY; attributes 0x1000 handle, 0x1001 pdn */
int uverbs_query_pd(struct uverbs_call *c)
{
	const struct uverbs_pd *pd = uverbs_arg(c, 0x1000);

	uverbs_answer(c, 0x1001, pd->pdn);
	return 0;
}

/* mlx5_ib, main.c: MLX5_IB_METHOD_UAR_OBJ_ALLOC */
int uverbs_alloc_uar(struct uverbs_call *c)
{
	uint64_t type = uverbs_number(c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE), offset;
	uint32_t length = HCA_PAGE_SIZE;
	struct uverbs_uar *uar = c->made;
	int ret;

	if (type != MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF && type != MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC)
		return -EOPNOTSUPP;
	/* A BlueField page needs write combining. */
	if (type == MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF && !UVERBS_CAP(c->u, bf))
		return -EOPNOTSUPP;
	ret = uverbs_fw_alloc(c->u, PRM_OP_ALLOC_UAR, c->file->uid, &uar->index);
	if (ret)
		return ret;
	offset = (uint64_t)(HCA_UAR_PGOFF + uar->index) << HCA_PAGE_SHIFT;
	uverbs_answer(c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, offset);
	uverbs_answer(c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, length);
	uverbs_answer(c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, uar->index);
	return 0;
}

/* EINVAL where a queue still lives on the page. The kernel differs: mlx5_ib (main.c,
 * mlx5_ib_mmap_free) frees the page when its last mapping goes, whatever the firmware says. */
int uverbs_uar_destroy(struct uverbs *u, void *obj)
{
	const struct uverbs_uar *uar = obj;

	return uverbs_fw_number(u, PRM_OP_DEALLOC_UAR, uar->obj.file->uid, uar->index);
}
