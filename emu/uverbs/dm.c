/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Device memory and regions of it (ib_core: uverbs_std_types_dm.c, _mr.c; mlx5_ib: dm.c, mr.c).
 *
 *	ALLOC_DM -> some pages of the window -> ALLOC_MEMIC -> an address in them
 *	            page index, offset in it -> the application maps the BAR there
 *
 * This is for MEMIC; dm_icm.c has the other types. The page index that the kernel gives is a
 * context's own; here it is the page's number in the window, since the application maps the BAR
 * itself. Operations by access (MAP_OP_ADDR) are not here.
 */
#include <infiniband/verbs.h>

#include "uverbs/dm.h"

#define GRANULE	    64 /* mlx5_ib: MLX5_MEMIC_BASE_SIZE */
#define LOG_GRANULE 6  /* there: MLX5_MEMIC_BASE_ALIGN */

/* mlx5_ib: MLX5_IB_DM_MEMIC_ALLOWED_ACCESS */
#define ACCESS_ALLOWED                                                               \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | \
	 IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_ZERO_BASED)
/* there: MLX5_IB_DM_SW_ICM_ALLOWED_ACCESS */
#define ICM_ACCESS_ALLOWED (ACCESS_ALLOWED & ~IBV_ACCESS_REMOTE_ATOMIC)

#define MEMIC(u, field) PRM_GET(device_mem_cap, (u)->caps[PRM_CAP_DEV_MEM], field)

static uint32_t pages_of(uint64_t size)
{
	return (size + HCA_PAGE_SIZE - 1) >> HCA_PAGE_SHIFT;
}

static void mark(struct uverbs *u, uint32_t page, uint32_t n, bool used)
{
	memset(u->memic_used + page, used, n);
}

/* The first @n free pages from @page on; false: there are none. */
static bool free_pages(const struct uverbs *u, uint32_t *page, uint32_t n)
{
	uint32_t run = 0, max = MEMIC(u, memic_bar_size) >> HCA_PAGE_SHIFT;

	for (uint32_t i = *page; i < max && i < HCA_MEMIC_PAGES; i++) {
		run = u->memic_used[i] ? 0 : run + 1;
		if (run == n) {
			*page = i + 1 - n;
			return true;
		}
	}
	return false;
}

static int memic_alloc(struct uverbs *u, uint32_t page, uint32_t size, uint32_t log_align,
		       uint64_t *addr)
{
	uint8_t in[PRM_SZ(alloc_memic_in)] = { 0 }, out[PRM_SZ(alloc_memic_out)] = { 0 };
	int ret;

	PRM_SET(alloc_memic_in, in, opcode, PRM_OP_ALLOC_MEMIC);
	PRM_SET(alloc_memic_in, in, log_memic_addr_alignment, log_align);
	PRM_SET(alloc_memic_in, in, range_start_addr,
		MEMIC(u, memic_bar_start_addr) + ((uint64_t)page << HCA_PAGE_SHIFT));
	PRM_SET(alloc_memic_in, in, range_size, pages_of(size) << HCA_PAGE_SHIFT);
	PRM_SET(alloc_memic_in, in, memic_size, size);
	ret = uverbs_fw(u, in, sizeof(in), out, sizeof(out));
	if (!ret)
		*addr = PRM_GET(alloc_memic_out, out, memic_start_addr);
	return ret;
}

/* mlx5_ib, dm.c, mlx5_cmd_alloc_memic: one place after the other, as long as firmware says
 * that it has nothing there. */
static int dm_alloc(struct uverbs *u, struct uverbs_dm *dm, uint32_t log_align)
{
	uint32_t n = pages_of(dm->size);

	for (uint32_t page = 0; free_pages(u, &page, n); page++) {
		int ret = memic_alloc(u, page, dm->size, log_align, &dm->addr);

		if (!ret)
			mark(u, page, n, true);
		if (ret != -EAGAIN)
			return ret;
	}
	return -ENOMEM;
}

static uint32_t page_of(const struct uverbs *u, const struct uverbs_dm *dm)
{
	return (dm->addr - MEMIC(u, memic_bar_start_addr)) >> HCA_PAGE_SHIFT;
}

static bool is_memic(const struct uverbs_dm *dm)
{
	return dm->type == MLX5_IB_UAPI_DM_TYPE_MEMIC;
}

int uverbs_dm_destroy(struct uverbs *u, void *obj)
{
	uint8_t in[PRM_SZ(dealloc_memic_in)] = { 0 }, out[PRM_SZ(dealloc_memic_out)] = { 0 };
	struct uverbs_dm *dm = obj;
	int ret;

	if (!is_memic(dm))
		return uverbs_dm_icm_destroy(u, dm);
	PRM_SET(dealloc_memic_in, in, opcode, PRM_OP_DEALLOC_MEMIC);
	PRM_SET(dealloc_memic_in, in, memic_start_addr, dm->addr);
	PRM_SET(dealloc_memic_in, in, memic_size, dm->size);
	ret = uverbs_fw(u, in, sizeof(in), out, sizeof(out));
	if (!ret)
		mark(u, page_of(u, dm), pages_of(dm->size), false);
	return ret;
}

/* Where the application finds it. The attributes of ALLOC and QUERY have different numbers. */
static void answer(struct uverbs_call *c, const struct uverbs_dm *dm, uint16_t offset_id,
		   uint16_t page_id)
{
	uint64_t offset = dm->addr & (HCA_PAGE_SIZE - 1);
	uint16_t page = page_of(c->u, dm);

	uverbs_answer(c, page_id, page);
	uverbs_answer(c, offset_id, offset);
}

static int alloc_memic(struct uverbs_call *c, struct uverbs_dm *dm, uint32_t log_align)
{
	int ret;

	if (!MEMIC(c->u, memic))
		return -EOPNOTSUPP;
	log_align = log_align < LOG_GRANULE ? 0 : log_align - LOG_GRANULE;
	if (!dm->length || log_align > MEMIC(c->u, log_max_memic_addr_alignment))
		return -EINVAL;
	if (dm->length > MEMIC(c->u, memic_bar_size))
		return -ENOMEM;
	dm->size = (dm->length + GRANULE - 1) & ~(uint64_t)(GRANULE - 1);
	ret = dm_alloc(c->u, dm, log_align);
	if (!ret)
		answer(c, dm, MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET,
		       MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX);
	return ret;
}

int uverbs_alloc_dm(struct uverbs_call *c)
{
	uint32_t log_align = uverbs_number(c, UVERBS_ATTR_ALLOC_DM_ALIGNMENT);
	struct uverbs_dm *dm = c->made;

	dm->type = uverbs_number(c, MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE);
	dm->length = uverbs_number(c, UVERBS_ATTR_ALLOC_DM_LENGTH);
	switch (dm->type) {
	case MLX5_IB_UAPI_DM_TYPE_MEMIC:
		return alloc_memic(c, dm, log_align);
	case MLX5_IB_UAPI_DM_TYPE_STEERING_SW_ICM:
	case MLX5_IB_UAPI_DM_TYPE_HEADER_MODIFY_SW_ICM:
	case MLX5_IB_UAPI_DM_TYPE_HEADER_MODIFY_PATTERN_SW_ICM:
		return uverbs_dm_icm_alloc(c, dm, log_align);
	default:
		return -EOPNOTSUPP;
	}
}

/* For a process that imports device memory by its handle. */
int uverbs_query_dm(struct uverbs_call *c)
{
	const struct uverbs_dm *dm = uverbs_arg(c, MLX5_IB_ATTR_QUERY_DM_REQ_HANDLE);
	uint64_t length = dm->size;

	if (!is_memic(dm))
		return -EOPNOTSUPP;
	answer(c, dm, MLX5_IB_ATTR_QUERY_DM_RESP_START_OFFSET,
	       MLX5_IB_ATTR_QUERY_DM_RESP_PAGE_INDEX);
	uverbs_answer(c, MLX5_IB_ATTR_QUERY_DM_RESP_LENGTH, length);
	return 0;
}

/* mlx5_ib, mr.c: mlx5_ib_get_dm_mr */
static int dm_mkey_create(struct uverbs *u, const struct uverbs_mr *mr, uint32_t *key)
{
	uint8_t in[PRM_SZ(create_mkey_in)] = { 0 };
	uint8_t *mkc = PRM_ADDR(create_mkey_in, in, memory_key_mkey_entry);
	uint8_t mode =
		is_memic(mr->dm) ? PRM_MKC_ACCESS_MODE_MEMIC : PRM_MKC_ACCESS_MODE_SW_ICM;

	PRM_SET(create_mkey_in, in, opcode, PRM_OP_CREATE_MKEY);
	uverbs_mkc_rights(u, mkc, mr->access, mr->pd->pdn);
	PRM_SET(mkc, mkc, access_mode_1_0, mode & 3);
	PRM_SET(mkc, mkc, access_mode_4_2, mode >> 2);
	PRM_SET(mkc, mkc, start_addr, mr->dm->addr + mr->start);
	PRM_SET(mkc, mkc, len, mr->length);
	return uverbs_mkey_exec(u, in, sizeof(in), key);
}

/* uverbs_std_types_mr.c, UVERBS_METHOD_DM_MR_REG; mlx5_ib, mr.c, mlx5_ib_reg_dm_mr */
static int check_range(const struct uverbs *u, const struct uverbs_mr *mr)
{
	uint32_t allowed = is_memic(mr->dm) ? ACCESS_ALLOWED : ICM_ACCESS_ALLOWED;
	int ret;

	if (!(mr->access & IBV_ACCESS_ZERO_BASED))
		return -EINVAL;
	ret = uverbs_mr_access(u, mr->access);
	if (ret)
		return ret;
	if (mr->start > mr->dm->length || mr->length > mr->dm->length - mr->start)
		return -EINVAL;
	return mr->access & ~allowed ? -EINVAL : 0;
}

int uverbs_reg_dm_mr(struct uverbs_call *c)
{
	struct uverbs_mr *mr = c->made;
	int ret = uverbs_flags(c, UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS, UINT32_MAX, &mr->access);

	mr->pd = uverbs_arg(c, UVERBS_ATTR_REG_DM_MR_PD_HANDLE);
	mr->dm = uverbs_arg(c, UVERBS_ATTR_REG_DM_MR_DM_HANDLE);
	mr->start = uverbs_number(c, UVERBS_ATTR_REG_DM_MR_OFFSET);
	mr->length = uverbs_number(c, UVERBS_ATTR_REG_DM_MR_LENGTH);
	if (!ret)
		ret = check_range(c->u, mr);
	if (!ret)
		ret = dm_mkey_create(c->u, mr, &mr->key);
	if (ret)
		return ret;
	uverbs_answer(c, UVERBS_ATTR_REG_DM_MR_RESP_LKEY, mr->key);
	uverbs_answer(c, UVERBS_ATTR_REG_DM_MR_RESP_RKEY, mr->key);
	return 0;
}
