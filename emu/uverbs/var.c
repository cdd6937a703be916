/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * VAR: doorbell pages of emulated virtio queues, which a guest rings without a driver's help
 * (mlx5_ib, main.c, MLX5_IB_METHOD_VAR_OBJ_ALLOC).
 *
 *	BAR: doorbell_bar_offset | page 0 | page 1 | …     1 << log_doorbell_stride each
 *
 * The adapter that has virtio queues among its general objects has them; others do not know
 * this object. Which page a queue listens to is the business of its CREATE_GENERAL_OBJECT.
 */
#include <stdlib.h>

#include "uverbs/devx.h"

#define PGOFF	  (200u << 16) /* in the range that mlx5_ib gives to dynamic entries */
#define CAP(u, f) PRM_GET(virtio_emulation_cap, (u)->caps[PRM_CAP_VDPA_EMULATION], f)

/* mlx5_ib, main.c, mlx5_ib_init_var_table */
static uint32_t entries(const struct uverbs *u)
{
	return (1ull << CAP(u, log_doorbell_bar_size) << HCA_PAGE_SHIFT) >>
	       CAP(u, log_doorbell_stride);
}

bool uverbs_has_var(const struct uverbs *u)
{
	return UVERBS_CAP64(u, general_obj_types) >> PRM_OBJ_VIRTIO_NET_Q & 1;
}

static uint64_t pages(const struct uverbs *u)
{
	return ((1ull << CAP(u, log_doorbell_stride)) + HCA_PAGE_SIZE - 1) >> HCA_PAGE_SHIFT;
}

static uint64_t offset_of(const struct uverbs *u, uint32_t index)
{
	return (PGOFF + index * pages(u)) << HCA_PAGE_SHIFT;
}

static int take(struct uverbs *u, uint32_t *index)
{
	uint32_t n = entries(u);

	if (!u->vars)
		u->vars = calloc(n, 1);
	if (!u->vars)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		if (u->vars[i])
			continue;
		if (offset_of(u, i + 1) > u->hca->bar_bytes)
			break;
		u->vars[i] = 1;
		*index = i;
		return 0;
	}
	return -ENOSPC;
}

int uverbs_var_alloc(struct uverbs_call *c)
{
	uint32_t length = pages(c->u) << HCA_PAGE_SHIFT;
	struct uverbs_var *v = c->made;
	int ret = take(c->u, &v->index);
	uint64_t offset;

	if (ret)
		return ret;
	offset = offset_of(c->u, v->index);
	uverbs_answer(c, MLX5_IB_ATTR_VAR_OBJ_ALLOC_PAGE_ID, v->index);
	uverbs_answer(c, MLX5_IB_ATTR_VAR_OBJ_ALLOC_MMAP_LENGTH, length);
	uverbs_answer(c, MLX5_IB_ATTR_VAR_OBJ_ALLOC_MMAP_OFFSET, offset);
	return 0;
}

int uverbs_var_destroy(struct uverbs *u, void *obj)
{
	u->vars[((struct uverbs_var *)obj)->index] = 0;
	return 0;
}
