/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Protection domains, doorbell pages, and the destroy call that most types share.
 */
#include <stdlib.h>

#include "uverbs/method.h"

/* The handle is the first attribute of every destroy method. */
int uverbs_destroy(struct uverbs_call *c)
{
	return uverbs_object_destroy(c->attr[0].obj, NULL);
}

int uverbs_alloc_pd(struct uverbs_call *c)
{
	struct ib_uverbs_alloc_pd_resp resp;
	struct mlx5_ib_alloc_pd_resp uhw;
	struct uverbs_pd *pd = uverbs_object_new(c, UVERBS_PD);
	int ret;

	if (!pd)
		return -ENOMEM;
	pd->uid = c->file->uid;
	ret = uverbs_fw_alloc(c->u, PRM_OP_ALLOC_PD, pd->uid, &pd->pdn);
	if (!ret)
		ret = uverbs_object_add(c, &pd->obj);
	if (ret)
		return ret;
	resp.pd_handle = pd->obj.handle;
	uhw.pdn = pd->pdn;
	if (uverbs_has(c, UVERBS_ATTR_UHW_OUT))
		ret = uverbs_put(c, UVERBS_ATTR_UHW_OUT, &uhw, sizeof(uhw));
	return ret ? ret : uverbs_response(c, &resp);
}

int uverbs_pd_destroy(struct uverbs_pd *pd)
{
	return uverbs_fw_number(pd->obj.file->u, PRM_OP_DEALLOC_PD, pd->uid, pd->pdn);
}

/* mlx5_ib, std_types.c: MLX5_IB_METHOD_PD_QUERY; attributes 0x1000 handle, 0x1001 pdn */
int uverbs_query_pd(struct uverbs_call *c)
{
	struct uverbs_pd *pd = core_container(c->attr[0].obj, struct uverbs_pd, obj);

	return uverbs_put(c, 0x1001, &pd->pdn, sizeof(pd->pdn));
}

static int answer_uar(struct uverbs_call *c, const struct uverbs_uar *uar)
{
	uint64_t offset = (uint64_t)(HCA_UAR_PGOFF + uar->index) << HCA_PAGE_SHIFT;
	uint32_t length = HCA_PAGE_SIZE;
	int ret;

	ret = uverbs_put(c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, &offset, sizeof(offset));
	if (!ret)
		ret = uverbs_put(c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, &length,
				 sizeof(length));
	if (!ret)
		ret = uverbs_put(c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, &uar->index,
				 sizeof(uar->index));
	if (!ret)
		ret = uverbs_put_handle(c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE, uar->obj.handle);
	return ret;
}

/* mlx5_ib, main.c: MLX5_IB_METHOD_UAR_OBJ_ALLOC */
int uverbs_alloc_uar(struct uverbs_call *c)
{
	uint64_t type = uverbs_number(c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE);
	struct uverbs_uar *uar;
	int ret;

	if (type != MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF && type != MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC)
		return -EOPNOTSUPP;
	/* A BlueField page needs write combining. */
	if (type == MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF && !UVERBS_CAP(c->u, bf))
		return -EOPNOTSUPP;
	uar = uverbs_object_new(c, UVERBS_UAR);
	if (!uar)
		return -ENOMEM;
	ret = uverbs_fw_alloc(c->u, PRM_OP_ALLOC_UAR, c->file->uid, &uar->index);
	if (!ret)
		ret = uverbs_object_add(c, &uar->obj);
	return ret ? ret : answer_uar(c, uar);
}

/* EINVAL where a queue still lives on the page. Not so on a host: mlx5_ib (main.c,
 * mlx5_ib_mmap_free) frees the page when its last mapping goes, whatever the firmware says. */
int uverbs_uar_destroy(struct uverbs_uar *uar)
{
	return uverbs_fw_number(uar->obj.file->u, PRM_OP_DEALLOC_UAR, uar->obj.file->uid,
				uar->index);
}
