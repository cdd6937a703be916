/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The user context of an open file: GET_CONTEXT makes it, once; every other command needs it.
 *
 *	request (mlx5_ib_alloc_ucontext_req_v2) -> CREATE_UCTX if DevX, ALLOC_TRANSPORT_DOMAIN
 *	   ALLOC_UAR without MLX5_LIB_CAP_DYN_UAR -> mlx5_ib_alloc_ucontext_resp
 */
#include <linux/capability.h>
#include <sys/syscall.h>

#include "uverbs/bfreg.h"
#include "uverbs/method.h"

#define BFREGS_PER_UAR 2 /* mlx5_ib: MLX5_NON_FP_BFREGS_PER_UAR */
#define CACHE_LINE     64
#define VERSION_0      sizeof(struct mlx5_ib_alloc_ucontext_req)

static int read_request(struct uverbs_call *c, struct mlx5_ib_alloc_ucontext_req_v2 *req)
{
	size_t len = uverbs_len(c, UVERBS_ATTR_UHW_IN);
	int ret;

	/* mlx5_ib, main.c, mlx5_ib_alloc_ucontext: version 0 and version 2 */
	if (len != VERSION_0 &&
	    len < offsetof(struct mlx5_ib_alloc_ucontext_req_v2, max_cqe_version))
		return -EINVAL;
	ret = uverbs_get(c, UVERBS_ATTR_UHW_IN, req, sizeof(*req));
	if (ret)
		return ret;
	if (req->flags & ~MLX5_IB_ALLOC_UCTX_DEVX || req->comp_mask || req->reserved0 ||
	    req->reserved1 || req->reserved2)
		return -EOPNOTSUPP;
	req->total_num_bfregs =
		(req->total_num_bfregs + BFREGS_PER_UAR - 1) & ~(BFREGS_PER_UAR - 1u);
	if (req->num_low_latency_bfregs > req->total_num_bfregs - 1)
		return -EINVAL;
	return 0;
}

bool uverbs_capable(uint32_t cap)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (core_syscall(SYS_capget, &head, data))
		return false;
	return data[CAP_TO_INDEX(cap)].effective & CAP_TO_MASK(cap);
}

/* Powers that the process has and the adapter can give. */
static uint32_t uctx_caps(const struct uverbs *u)
{
	uint32_t cap = 0;

	if (uverbs_capable(CAP_NET_RAW))
		cap |= PRM_UCTX_CAP_RAW_TX;
	if (uverbs_capable(CAP_SYS_RAWIO))
		cap |= PRM_UCTX_CAP_INTERNAL_DEV_RES;
	return cap & UVERBS_CAP(u, uctx_cap);
}

/* mlx5_ib, devx.c, mlx5_ib_devx_create */
static int uctx_create(struct uverbs *u, uint32_t cap, uint16_t *uid)
{
	uint8_t in[PRM_SZ(create_uctx_in)] = { 0 }, out[PRM_SZ(create_uctx_out)] = { 0 };
	int ret;

	if (!UVERBS_CAP(u, log_max_uctx))
		return -EINVAL;
	PRM_SET(create_uctx_in, in, opcode, PRM_OP_CREATE_UCTX);
	PRM_SET(uctx, PRM_ADDR(create_uctx_in, in, uctx), cap, cap);
	ret = uverbs_fw(u, in, sizeof(in), out, sizeof(out));
	if (!ret)
		*uid = PRM_GET(create_uctx_out, out, uid);
	return ret;
}

static void uctx_destroy(struct uverbs *u, uint16_t *uid)
{
	if (*uid)
		uverbs_fw_number(u, PRM_OP_DESTROY_UCTX, 0, *uid);
	*uid = 0;
}

/* mlx5_ib, devx.c, mlx5_ib_devx_init: an adapter without user contexts is one without DevX. */
int uverbs_uid_create(struct uverbs *u)
{
	return uverbs_has_devx(u) ? uctx_create(u, 0, &u->uid) : 0;
}

void uverbs_uid_destroy(struct uverbs *u)
{
	uctx_destroy(u, &u->uid);
}

void uverbs_context_end(struct uverbs_file *f)
{
	if (!f->context)
		return;
	uverbs_fw_number(f->u, PRM_OP_DEALLOC_TRANSPORT_DOMAIN, f->uid, f->tdn);
	hca_loopback_need(f->u->hca, -1, 0);
	uverbs_bfregs_end(f);
	uctx_destroy(f->u, &f->uid);
	f->context = false;
}

static uint32_t response_mask(const struct uverbs *u)
{
	uint32_t mask = MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_CORE_CLOCK_OFFSET |
			MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_MKEY_UPDATE_TAG;

	if (UVERBS_CAP(u, dump_fill_mkey))
		mask |= MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_DUMP_FILL_MKEY;
	if (UVERBS_CAP(u, ece_support))
		mask |= MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_ECE;
	if (UVERBS_CAP(u, drain_sigerr))
		mask |= MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_SQD2RTS;
	return mask;
}

/* mlx5_ib, main.c: set_ucontext_resp */
static void fill_response(const struct uverbs_file *f, struct mlx5_ib_alloc_ucontext_resp *r)
{
	const struct uverbs *u = f->u;
	uint32_t min_inline = PRM_GET(per_protocol_networking_offload_caps,
				      u->caps[PRM_CAP_ETHERNET_OFFLOADS], wqe_inline_mode);

	*r = (struct mlx5_ib_alloc_ucontext_resp){
		.qp_tab_size = 1u << UVERBS_CAP(u, log_max_qp),
		.bf_reg_size = UVERBS_CAP(u, bf) ? 1u << UVERBS_CAP(u, log_bf_reg_size) : 0,
		.cache_line_size = CACHE_LINE,
		.max_sq_desc_sz = UVERBS_CAP(u, max_wqe_sz_sq),
		.max_rq_desc_sz = UVERBS_CAP(u, max_wqe_sz_rq),
		.max_send_wqebb = 1u << UVERBS_CAP(u, log_max_qp_sz),
		.max_recv_wr = 1u << UVERBS_CAP(u, log_max_qp_sz),
		.max_srq_recv_wr = 1u << UVERBS_CAP(u, log_max_srq_sz),
		.num_ports = UVERBS_PORTS,
		.comp_mask = response_mask(u),
		.cqe_version = f->cqe_version,
		.cmds_supp_uhw = MLX5_USER_CMDS_SUPP_UHW_QUERY_DEVICE |
				 MLX5_USER_CMDS_SUPP_UHW_CREATE_AH,
		.eth_min_inline = min_inline == PRM_WQE_INLINE_MODE_NOT_REQUIRED
					  ? MLX5_USER_INLINE_MODE_NONE
					  : MLX5_USER_INLINE_MODE_L2,
		.clock_info_versions = 1 << MLX5_IB_CLOCK_INFO_V1,
		.log_uar_size = HCA_PAGE_SHIFT,
		.num_uars_per_page = 1,
		.dump_fill_mkey = u->dump_fill_mkey,
	};
}

static void answer(struct uverbs_call *c, uint16_t vectors, uint16_t support, uint16_t resp)
{
	uint64_t core = IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS;
	struct mlx5_ib_alloc_ucontext_resp r;

	fill_response(c->file, &r);
	uverbs_bfregs_answer(c->file, &r);
	r.response_length = sizeof(r);
	if (uverbs_len(c, resp) < sizeof(r))
		r.response_length = uverbs_len(c, resp);
	uverbs_answer(c, vectors, c->u->vectors);
	uverbs_answer(c, support, core);
	uverbs_answer(c, resp, r);
}

int uverbs_get_context(struct uverbs_call *c)
{
	struct mlx5_ib_alloc_ucontext_req_v2 req;
	struct uverbs_file *f = c->file;
	uint32_t max_cqe_version = UVERBS_CAP(c->u, cqe_version);
	int ret;

	if (f->context)
		return -EINVAL;
	ret = read_request(c, &req);
	if (ret)
		return ret;
	if (req.flags & MLX5_IB_ALLOC_UCTX_DEVX)
		ret = uctx_create(c->u, uctx_caps(c->u), &f->uid);
	if (ret)
		return ret;
	if (!(req.lib_caps & MLX5_LIB_CAP_DYN_UAR))
		ret = uverbs_bfregs_new(f, &req,
					uverbs_len(c, UVERBS_ATTR_UHW_IN) != VERSION_0);
	if (!ret)
		ret = uverbs_fw_alloc(f->u, PRM_OP_ALLOC_TRANSPORT_DOMAIN, f->uid, &f->tdn);
	if (ret) {
		uverbs_bfregs_end(f);
		uctx_destroy(f->u, &f->uid);
		return ret;
	}
	hca_loopback_need(f->u->hca, 1,
			  0); /* mlx5_ib, main.c: mlx5_ib_alloc_transport_domain */
	f->context = true;
	f->cqe_version =
		req.max_cqe_version < max_cqe_version ? req.max_cqe_version : max_cqe_version;
	answer(c, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS,
	       UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, UVERBS_ATTR_UHW_OUT);
	if (c->error)
		uverbs_context_end(f);
	return 0;
}

int uverbs_query_context(struct uverbs_call *c)
{
	answer(c, UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS,
	       UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX);
	return 0;
}

int uverbs_async_event_alloc(struct uverbs_call *c)
{
	if (!c->file->async)
		c->file->async = c->made;
	return 0;
}
