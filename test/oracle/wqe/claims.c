/* SPDX-License-Identifier: BSD-2-Clause */
#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "claims.h"
#include "prm/prm.h"

enum {
	FIRST_PSV = 0x321,
	NO_HANDLE = 1u << 30, /* of objects that only exist here */
	OBJ_TYPE_DEK = 0xc,
	GENERAL_CURRENT = 1, /* op_mod of QUERY_HCA_CAP */
};

static bool claiming, whole_packets;
static uint32_t made_here;

void claims_begin(bool no_inline_headers)
{
	claiming = true;
	whole_packets = no_inline_headers;
}

static struct ib_uverbs_attr *find(struct ib_uverbs_ioctl_hdr *h, uint16_t id)
{
	for (uint16_t i = 0; i < h->num_attrs; i++)
		if (h->attrs[i].attr_id == id)
			return &h->attrs[i];
	return NULL;
}

/* The bytes of an attribute: small ones may lie in the attribute itself. */
static uint8_t *bytes(struct ib_uverbs_attr *a, bool in)
{
	return in && a->len <= sizeof(a->data) ? (uint8_t *)&a->data
					       : (uint8_t *)(uintptr_t)a->data;
}

static uint8_t *find_bytes(struct ib_uverbs_ioctl_hdr *h, uint16_t id, bool in)
{
	struct ib_uverbs_attr *a = find(h, id);

	return a ? bytes(a, in) : NULL;
}

static bool is(const struct ib_uverbs_ioctl_hdr *h, unsigned int object, unsigned int method)
{
	return h->object_id == object && h->method_id == method;
}

static bool is_write(struct ib_uverbs_ioctl_hdr *h, uint64_t command)
{
	struct ib_uverbs_attr *a = find(h, UVERBS_ATTR_WRITE_CMD);

	return is(h, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE) && a &&
	       a->data == command;
}

/* Objects that depend on claims are made here. */
static bool answer_creation(struct ib_uverbs_ioctl_hdr *h)
{
	const uint8_t *in;
	uint8_t *out;

	if (!is(h, MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE))
		return false;
	in = find_bytes(h, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN, true);
	out = find_bytes(h, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT, false);
	switch (PRM_GET(create_psv_in, in, opcode)) {
	case PRM_OP_CREATE_PSV:
		memset(out, 0, PRM_SZ(create_psv_out));
		PRM_SET(create_psv_out, out, psv0_index, FIRST_PSV + made_here);
		break;
	case PRM_OP_CREATE_GENERAL_OBJECT:
		memset(out, 0, PRM_SZ(general_obj_out_cmd_hdr));
		PRM_SET(general_obj_out_cmd_hdr, out, obj_id, CLAIMED_DEK);
		break;
	default:
		return false;
	}
	find(h, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE)->data = NO_HANDLE + made_here++;
	return true;
}

/* Keys are made without the signature and the crypto that they are asked for with. */
static void ask_for_plain_key(struct ib_uverbs_ioctl_hdr *h)
{
	uint8_t *in, *mkc;

	if (!is(h, MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE))
		return;
	in = find_bytes(h, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN, true);
	if (PRM_GET(create_mkey_in, in, opcode) != PRM_OP_CREATE_MKEY)
		return;
	mkc = PRM_ADDR(create_mkey_in, in, memory_key_mkey_entry);
	PRM_SET(mkc, mkc, bsf_en, 0);
	PRM_SET(mkc, mkc, bsf_octword_size, 0);
	PRM_SET(mkc, mkc, crypto_en, 0);
}

static void claim_of_keys(struct ib_uverbs_ioctl_hdr *h)
{
	const uint8_t *in;
	uint8_t *cap;

	if (!is(h, MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_OTHER))
		return;
	in = find_bytes(h, MLX5_IB_ATTR_DEVX_OTHER_CMD_IN, true);
	if (PRM_GET(query_hca_cap_in, in, opcode) != PRM_OP_QUERY_HCA_CAP ||
	    PRM_GET(query_hca_cap_in, in, op_mod) != GENERAL_CURRENT)
		return;
	cap = PRM_ADDR(query_hca_cap_out, find_bytes(h, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT, false),
		       capability);
	PRM_SET(cmd_hca_cap, cap, sho, 1);
	PRM_SET(cmd_hca_cap, cap, sigerr_domain_and_sig_type, 1);
	PRM_SET(cmd_hca_cap, cap, sig_block_4048, 1);
	PRM_SET(cmd_hca_cap, cap, sig_crc32c, 1);
	PRM_SET(cmd_hca_cap, cap, sig_crc64_xp10, 1);
	PRM_SET(cmd_hca_cap, cap, aes_xts_multi_block_be_tweak, 1);
	PRM_SET(cmd_hca_cap, cap, general_obj_types,
		PRM_GET(cmd_hca_cap, cap, general_obj_types) | 1 << OBJ_TYPE_DEK);
}

/* Bytes of a packet that a context wants in the WQE. */
static void claim_inline_mode(struct ib_uverbs_ioctl_hdr *h)
{
	struct mlx5_ib_alloc_ucontext_resp *mlx5;

	if (!whole_packets || !is(h, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT))
		return;
	mlx5 = (struct mlx5_ib_alloc_ucontext_resp *)find_bytes(h, UVERBS_ATTR_UHW_OUT, false);
	mlx5->eth_min_inline = MLX5_USER_INLINE_MODE_NONE;
}

static void claim_offloads(struct ib_uverbs_ioctl_hdr *h)
{
	struct ib_uverbs_ex_query_device_resp *core;
	struct mlx5_ib_query_device_resp *mlx5;

	if (!is_write(h, IB_USER_VERBS_CMD_FLAG_EXTENDED | IB_USER_VERBS_EX_CMD_QUERY_DEVICE))
		return;
	core = (struct ib_uverbs_ex_query_device_resp *)find_bytes(h, UVERBS_ATTR_CORE_OUT,
								   false);
	mlx5 = (struct mlx5_ib_query_device_resp *)find_bytes(h, UVERBS_ATTR_UHW_OUT, false);
	core->base.device_cap_flags |= IBV_DEVICE_RAW_IP_CSUM;
	core->device_cap_flags_ex |= IBV_DEVICE_RAW_IP_CSUM;
	mlx5->tso_caps.max_tso = CLAIMED_TSO;
	mlx5->tso_caps.supported_qpts = 1 << IBV_QPT_RAW_PACKET;
}

__attribute__((visibility("default"))) int ioctl(int fd, unsigned long request, ...)
{
	static int (*next)(int fd, unsigned long request, ...);
	struct ib_uverbs_ioctl_hdr *h;
	va_list args;
	int ret;

	va_start(args, request);
	h = va_arg(args, struct ib_uverbs_ioctl_hdr *);
	va_end(args);
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "ioctl");
	if (!claiming || request != RDMA_VERBS_IOCTL)
		return next(fd, request, h);
	if (answer_creation(h))
		return 0;
	ask_for_plain_key(h);
	ret = next(fd, request, h);
	if (!ret) {
		claim_of_keys(h);
		claim_offloads(h);
		claim_inline_mode(h);
	}
	return ret;
}
