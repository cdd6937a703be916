/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Software-managed ICM as device memory (mlx5_ib: dm.c; mlx5_core: lib/dm.c).
 *
 *	ALLOC_DM -> free blocks of an area -> general object SW_ICM at their address
 *
 * The application learns its ICM address, and writes to it by RDMA only. The type ENCAP_SW_ICM
 * of newer kernels is not here.
 */
#include <infiniband/verbs.h>
#include <linux/capability.h>

#include "uverbs/dm.h"

#define MEM(u, field) PRM_GET(device_mem_cap, (u)->caps[PRM_CAP_DEV_MEM], field)
#define FT_OWNED(u, side, bit)                                              \
	PRM_GET(flow_table_prop_layout,                                     \
		PRM_ADDR(flow_table_nic_cap, (u)->caps[PRM_CAP_FLOW_TABLE], \
			 flow_table_properties_nic_##side),                 \
		bit)

/* The area of an allocation; log_size 0: the device does not have it. */
struct area {
	bool *used; /* by block */
	uint64_t start;
	uint32_t log_size, log_block;
};

static bool area_of(struct uverbs *u, uint32_t type, struct area *a)
{
	uint32_t i = type - MLX5_IB_UAPI_DM_TYPE_STEERING_SW_ICM;

	if (i >= UVERBS_ICM_AREAS)
		return false;
	*a = (struct area){ .used = u->icm_used[i],
			    .log_block = MEM(u, log_sw_icm_alloc_granularity) };
	switch (type) {
	case MLX5_IB_UAPI_DM_TYPE_STEERING_SW_ICM:
		a->start = MEM(u, steering_sw_icm_start_address);
		a->log_size = MEM(u, log_steering_sw_icm_size);
		break;
	case MLX5_IB_UAPI_DM_TYPE_HEADER_MODIFY_SW_ICM:
		a->start = MEM(u, header_modify_sw_icm_start_address);
		a->log_size = MEM(u, log_header_modify_sw_icm_size);
		break;
	default:
		a->start = MEM(u, header_modify_pattern_sw_icm_start_address);
		a->log_size = MEM(u, log_header_modify_pattern_sw_icm_size);
		break;
	}
	return a->start && a->log_size >= a->log_block;
}

static bool is_free(const bool *used, uint64_t n)
{
	while (n && !*used)
		used++, n--;
	return !n;
}

/* bitmap_find_next_zero_area(): @n free blocks at a multiple of @align; false: none. */
static bool find(const struct area *a, uint64_t n, uint64_t align, uint64_t *at)
{
	uint64_t blocks = 1ull << (a->log_size - a->log_block);

	for (*at = 0; n <= blocks && *at <= blocks - n; *at += align)
		if (is_free(a->used + *at, n))
			return true;
	return false;
}

static void mark(const struct area *a, const struct uverbs_dm *dm, bool used)
{
	memset(a->used + ((dm->addr - a->start) >> a->log_block), used,
	       dm->size >> a->log_block);
}

static int create(struct uverbs *u, struct uverbs_dm *dm)
{
	uint8_t in[PRM_SZ(create_sw_icm_in)] = { 0 };
	uint8_t out[PRM_SZ(general_obj_out_cmd_hdr)] = { 0 };
	uint8_t *icm = PRM_ADDR(create_sw_icm_in, in, sw_icm);
	int ret;

	PRM_SET(general_obj_in_cmd_hdr, in, opcode, PRM_OP_CREATE_GENERAL_OBJECT);
	PRM_SET(general_obj_in_cmd_hdr, in, obj_type, PRM_OBJ_SW_ICM);
	PRM_SET(general_obj_in_cmd_hdr, in, uid, dm->uid);
	PRM_SET(sw_icm, icm, sw_icm_start_addr, dm->addr);
	PRM_SET(sw_icm, icm, log_sw_icm_size, __builtin_ctzll(dm->size));
	ret = uverbs_fw(u, in, sizeof(in), out, sizeof(out));
	if (!ret)
		dm->id = PRM_GET(general_obj_out_cmd_hdr, out, obj_id);
	return ret;
}

/* lib/dm.c, mlx5_dm_sw_icm_alloc */
static int alloc(struct uverbs *u, struct uverbs_dm *dm, uint32_t log_align)
{
	struct area a;
	uint64_t at, align;
	int ret;

	if (!area_of(u, dm->type, &a))
		return -EOPNOTSUPP;
	align = log_align <= a.log_block ? 1
		: log_align > a.log_size ? 1ull << (a.log_size - a.log_block)
					 : 1ull << (log_align - a.log_block);
	if (!find(&a, dm->size >> a.log_block, align, &at))
		return -ENOMEM;
	dm->addr = a.start + (at << a.log_block);
	ret = create(u, dm);
	if (!ret)
		mark(&a, dm, true);
	return ret;
}

/* dm.c, handle_alloc_dm_sw_icm */
static int check_type(const struct uverbs *u, uint32_t type)
{
	bool rx = FT_OWNED(u, receive, sw_owner_v2), tx = FT_OWNED(u, transmit, sw_owner_v2);

	if (!uverbs_capable(CAP_SYS_RAWIO) || !uverbs_capable(CAP_NET_RAW))
		return -EPERM;
	switch (type) {
	case MLX5_IB_UAPI_DM_TYPE_STEERING_SW_ICM:
	case MLX5_IB_UAPI_DM_TYPE_HEADER_MODIFY_SW_ICM:
		return rx || tx || FT_OWNED(u, receive, sw_owner) ||
				       FT_OWNED(u, transmit, sw_owner)
			       ? 0
			       : -EOPNOTSUPP;
	default:
		return rx && tx ? 0 : -EOPNOTSUPP;
	}
}

/* A power of two, and a multiple of a block. */
static uint64_t rounded(uint64_t length, uint32_t log_block)
{
	uint64_t size = 1ull << log_block;

	while (size < length && size)
		size <<= 1;
	return size;
}

int uverbs_dm_icm_alloc(struct uverbs_call *c, struct uverbs_dm *dm, uint32_t log_align)
{
	int ret = uverbs_flow_caps_read(c->u);

	if (!ret)
		ret = check_type(c->u, dm->type);
	if (ret)
		return ret;
	if (!dm->length)
		return -EINVAL;
	dm->size = rounded(dm->length, MEM(c->u, log_sw_icm_alloc_granularity));
	if (!dm->size)
		return -ENOMEM;
	dm->uid = c->file->uid;
	ret = alloc(c->u, dm, log_align);
	if (!ret)
		uverbs_answer(c, MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET, dm->addr);
	return ret;
}

int uverbs_dm_icm_destroy(struct uverbs *u, struct uverbs_dm *dm)
{
	uint8_t in[PRM_SZ(general_obj_in_cmd_hdr)] = { 0 };
	uint8_t out[PRM_SZ(general_obj_out_cmd_hdr)] = { 0 };
	struct area a;
	int ret;

	PRM_SET(general_obj_in_cmd_hdr, in, opcode, PRM_OP_DESTROY_GENERAL_OBJECT);
	PRM_SET(general_obj_in_cmd_hdr, in, obj_type, PRM_OBJ_SW_ICM);
	PRM_SET(general_obj_in_cmd_hdr, in, obj_id, dm->id);
	PRM_SET(general_obj_in_cmd_hdr, in, uid, dm->uid);
	ret = uverbs_fw(u, in, sizeof(in), out, sizeof(out));
	if (!ret && area_of(u, dm->type, &a))
		mark(&a, dm, false);
	return ret;
}
