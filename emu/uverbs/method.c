/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The methods: object, method, attributes, handler; and the list of what the kernel has and
 * this driver does not have yet.
 *
 * Attribute lists are those of the kernel's uverbs_std_types_*.c, and of mlx5_ib where it adds to
 * core objects. The methods of mlx5's objects are in methods_mlx5.c.
 */
#include "uverbs/method.h"

#define SPECS UVERBS_SPECS

#define DESTROY(object_, method_, id, type)                                  \
	{                                                                    \
		.object = object_, .method = method_, .run = uverbs_destroy, \
		SPECS({ UVERBS_SPEC_OBJECT(id, type) })                      \
	}

/* Methods and attributes of drivers. Its name in the kernel's header changed with Linux 6.5. */
#define DRIVER_NS (1u << UVERBS_ID_NS_SHIFT)

static const struct uverbs_method device_methods[] = {
	{ .object = UVERBS_OBJECT_DEVICE,
	  .method = UVERBS_METHOD_INVOKE_WRITE,
	  .no_context = true,
	  .run = uverbs_invoke_write,
	  SPECS({ UVERBS_SPEC_MIN_IN(UVERBS_ATTR_CORE_IN, 4), .optional = true },
		{ UVERBS_SPEC_MIN_OUT(UVERBS_ATTR_CORE_OUT, 0), .optional = true },
		{ UVERBS_SPEC_CONST(UVERBS_ATTR_WRITE_CMD) }, UVERBS_SPEC_UHW) },
	{ .object = UVERBS_OBJECT_DEVICE,
	  .method = UVERBS_METHOD_QUERY_PORT,
	  .run = uverbs_query_port,
	  SPECS({ UVERBS_SPEC_CONST(UVERBS_ATTR_QUERY_PORT_PORT_NUM) },
		{ UVERBS_SPEC_OUT(UVERBS_ATTR_QUERY_PORT_RESP,
				  offsetof(struct ib_uverbs_query_port_resp_ex, reserved)),
		  .grows = true }) },
	{ .object = UVERBS_OBJECT_DEVICE,
	  .method = UVERBS_METHOD_GET_CONTEXT,
	  .no_context = true,
	  .run = uverbs_get_context,
	  SPECS({ UVERBS_SPEC_OUT(UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, 4),
		  .optional = true },
		{ UVERBS_SPEC_OUT(UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, 8), .optional = true },
		UVERBS_SPEC_UHW) },
	{ .object = UVERBS_OBJECT_DEVICE,
	  .method = UVERBS_METHOD_QUERY_CONTEXT,
	  .run = uverbs_query_context,
	  SPECS({ UVERBS_SPEC_OUT(UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS, 4),
		  .optional = true },
		{ UVERBS_SPEC_OUT(UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT, 8),
		  .optional = true },
		{ UVERBS_SPEC_OUT(MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX,
				  sizeof(struct mlx5_ib_alloc_ucontext_resp)),
		  .grows = true }) },
	{ .object = UVERBS_OBJECT_DEVICE,
	  .method = MLX5_IB_METHOD_QUERY_PORT,
	  .run = uverbs_query_mlx5_port,
	  SPECS({ UVERBS_SPEC_IN(MLX5_IB_ATTR_QUERY_PORT_PORT_NUM, 4) },
		{ UVERBS_SPEC_OUT(MLX5_IB_ATTR_QUERY_PORT,
				  offsetof(struct mlx5_ib_uapi_query_port, reg_c0) + 8),
		  .grows = true }) },
	{ .object = UVERBS_OBJECT_DEVICE,
	  .method = MLX5_IB_METHOD_QUERY_PORT + 1, /* GET_DATA_DIRECT_SYSFS_PATH */
	  .since = KERNEL_DATA_DIRECT,
	  .run = uverbs_data_direct_path,
	  SPECS({ UVERBS_SPEC_MIN_OUT(DRIVER_NS, 0) }) },
	{ .object = UVERBS_OBJECT_DEVICE,
	  .method = UVERBS_METHOD_QUERY_GID_TABLE,
	  .run = uverbs_query_gid_table,
	  SPECS({ UVERBS_SPEC_CONST(UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE) },
		{ UVERBS_SPEC_CONST(UVERBS_ATTR_QUERY_GID_TABLE_FLAGS), .optional = true },
		{ UVERBS_SPEC_MIN_OUT(UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, 0) },
		{ UVERBS_SPEC_OUT(UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, 8) }) },
	{ .object = UVERBS_OBJECT_DEVICE,
	  .method = UVERBS_METHOD_QUERY_GID_ENTRY,
	  .run = uverbs_query_gid_entry,
	  SPECS({ UVERBS_SPEC_CONST(UVERBS_ATTR_QUERY_GID_ENTRY_PORT) },
		{ UVERBS_SPEC_CONST(UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX) },
		{ UVERBS_SPEC_CONST(UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS), .optional = true },
		{ UVERBS_SPEC_OUT(UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY,
				  sizeof(struct ib_uverbs_gid_entry)),
		  .grows = true }) },
};

static const struct uverbs_method object_methods[] = {
	DESTROY(UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY, UVERBS_ATTR_DESTROY_PD_HANDLE,
		UVERBS_PD),
	{ .object = UVERBS_OBJECT_PD,
	  .method = 0x1000, /* mlx5_ib std_types.c: MLX5_IB_METHOD_PD_QUERY */
	  .run = uverbs_query_pd,
	  SPECS({ UVERBS_SPEC_OBJECT(0x1000, UVERBS_PD) }, { UVERBS_SPEC_OUT(0x1001, 4) }) },
	DESTROY(UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, UVERBS_ATTR_DESTROY_MR_HANDLE,
		UVERBS_MR),
	DESTROY(UVERBS_OBJECT_MW, UVERBS_METHOD_MW_DESTROY, UVERBS_ATTR_DESTROY_MW_HANDLE,
		UVERBS_MW),
	{ .object = UVERBS_OBJECT_MR,
	  .method = UVERBS_METHOD_QUERY_MR,
	  .run = uverbs_query_mr,
	  SPECS({ UVERBS_SPEC_OBJECT(UVERBS_ATTR_QUERY_MR_HANDLE, UVERBS_MR) },
		{ UVERBS_SPEC_OUT(UVERBS_ATTR_QUERY_MR_RESP_LKEY, 4) },
		{ UVERBS_SPEC_OUT(UVERBS_ATTR_QUERY_MR_RESP_RKEY, 4) },
		{ UVERBS_SPEC_OUT(UVERBS_ATTR_QUERY_MR_RESP_LENGTH, 8) },
		{ UVERBS_SPEC_OUT(UVERBS_ATTR_QUERY_MR_RESP_IOVA, 8), .optional = true }) },
	{ .object = UVERBS_OBJECT_MR,
	  .method = UVERBS_METHOD_ADVISE_MR,
	  .run = uverbs_advise_mr,
	  SPECS({ UVERBS_SPEC_OBJECT(UVERBS_ATTR_ADVISE_MR_PD_HANDLE, UVERBS_PD) },
		{ UVERBS_SPEC_CONST(UVERBS_ATTR_ADVISE_MR_ADVICE) },
		{ UVERBS_SPEC_CONST(UVERBS_ATTR_ADVISE_MR_FLAGS) },
		{ UVERBS_SPEC_MIN_IN(UVERBS_ATTR_ADVISE_MR_SGE_LIST,
				     sizeof(struct ib_uverbs_sge)) }) },
	{ .object = UVERBS_OBJECT_MR,
	  .method = UVERBS_METHOD_DM_MR_REG,
	  .run = uverbs_reg_dm_mr,
	  SPECS({ UVERBS_SPEC_NEW(UVERBS_ATTR_REG_DM_MR_HANDLE) },
		{ UVERBS_SPEC_IN(UVERBS_ATTR_REG_DM_MR_OFFSET, 8) },
		{ UVERBS_SPEC_IN(UVERBS_ATTR_REG_DM_MR_LENGTH, 8) },
		{ UVERBS_SPEC_OBJECT(UVERBS_ATTR_REG_DM_MR_PD_HANDLE, UVERBS_PD) },
		{ UVERBS_SPEC_CONST(UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS) },
		{ UVERBS_SPEC_OBJECT(UVERBS_ATTR_REG_DM_MR_DM_HANDLE, UVERBS_DM) },
		{ UVERBS_SPEC_OUT(UVERBS_ATTR_REG_DM_MR_RESP_LKEY, 4) },
		{ UVERBS_SPEC_OUT(UVERBS_ATTR_REG_DM_MR_RESP_RKEY, 4) }) },
	{ .object = UVERBS_OBJECT_DM,
	  .method = UVERBS_METHOD_DM_ALLOC,
	  .run = uverbs_alloc_dm,
	  SPECS({ UVERBS_SPEC_NEW(UVERBS_ATTR_ALLOC_DM_HANDLE) },
		{ UVERBS_SPEC_IN(UVERBS_ATTR_ALLOC_DM_LENGTH, 8) },
		{ UVERBS_SPEC_IN(UVERBS_ATTR_ALLOC_DM_ALIGNMENT, 4) },
		{ UVERBS_SPEC_OUT(MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET, 8) },
		{ UVERBS_SPEC_OUT(MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX, 2), .optional = true },
		{ UVERBS_SPEC_CONST(MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE), .optional = true }) },
	DESTROY(UVERBS_OBJECT_DM, UVERBS_METHOD_DM_FREE, UVERBS_ATTR_FREE_DM_HANDLE, UVERBS_DM),
	{ .object = UVERBS_OBJECT_DM,
	  .method = MLX5_IB_METHOD_DM_QUERY,
	  .run = uverbs_query_dm,
	  SPECS({ UVERBS_SPEC_OBJECT(MLX5_IB_ATTR_QUERY_DM_REQ_HANDLE, UVERBS_DM) },
		{ UVERBS_SPEC_OUT(MLX5_IB_ATTR_QUERY_DM_RESP_START_OFFSET, 8) },
		{ UVERBS_SPEC_OUT(MLX5_IB_ATTR_QUERY_DM_RESP_PAGE_INDEX, 2) },
		{ UVERBS_SPEC_OUT(MLX5_IB_ATTR_QUERY_DM_RESP_LENGTH, 8) }) },
	DESTROY(UVERBS_OBJECT_AH, UVERBS_METHOD_AH_DESTROY, UVERBS_ATTR_DESTROY_AH_HANDLE,
		UVERBS_AH),
	{ .object = UVERBS_OBJECT_ASYNC_EVENT,
	  .method = UVERBS_METHOD_ASYNC_EVENT_ALLOC,
	  .run = uverbs_async_event_alloc,
	  SPECS({ .id = UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE,
		  .kind = UVERBS_ATTR_NEW_FD }) },
	{ .object = UVERBS_OBJECT_CQ,
	  .method = UVERBS_METHOD_CQ_CREATE,
	  .run = uverbs_create_cq,
	  SPECS({ UVERBS_SPEC_NEW(UVERBS_ATTR_CREATE_CQ_HANDLE) },
		{ UVERBS_SPEC_IN(UVERBS_ATTR_CREATE_CQ_CQE, 4) },
		{ UVERBS_SPEC_IN(UVERBS_ATTR_CREATE_CQ_USER_HANDLE, 8) },
		{ UVERBS_SPEC_FD(UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL, UVERBS_COMP_FD),
		  .optional = true },
		{ UVERBS_SPEC_IN(UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, 4) },
		{ UVERBS_SPEC_CONST(UVERBS_ATTR_CREATE_CQ_FLAGS), .optional = true },
		{ UVERBS_SPEC_OUT(UVERBS_ATTR_CREATE_CQ_RESP_CQE, 4) },
		{ UVERBS_SPEC_FD(UVERBS_ATTR_CREATE_CQ_EVENT_FD, UVERBS_ASYNC_FD),
		  .optional = true },
		{ UVERBS_SPEC_IN(UVERBS_CREATE_CQ_UAR_INDEX, 4), .optional = true,
		  .since = KERNEL_CQ_UAR_INDEX },
		UVERBS_SPEC_UHW) },
	{ .object = UVERBS_OBJECT_CQ,
	  .method = UVERBS_METHOD_CQ_DESTROY,
	  .run = uverbs_destroy_cq,
	  SPECS({ UVERBS_SPEC_OBJECT(UVERBS_ATTR_DESTROY_CQ_HANDLE, UVERBS_CQ) },
		{ UVERBS_SPEC_OUT(UVERBS_ATTR_DESTROY_CQ_RESP,
				  sizeof(struct ib_uverbs_destroy_cq_resp)) }) },
	DESTROY(UVERBS_OBJECT_XRCD, UVERBS_METHOD_XRCD_DESTROY, UVERBS_ATTR_DESTROY_XRCD_HANDLE,
		UVERBS_XRCD),
	{ .object = UVERBS_OBJECT_SRQ,
	  .method = UVERBS_METHOD_SRQ_CREATE,
	  .run = uverbs_create_srq,
	  SPECS({ UVERBS_SPEC_NEW(UVERBS_ATTR_CREATE_SRQ_HANDLE) },
		{ UVERBS_SPEC_OBJECT(UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, UVERBS_PD) },
		{ UVERBS_SPEC_OBJECT(UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE, UVERBS_XRCD),
		  .optional = true },
		{ UVERBS_SPEC_OBJECT(UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE, UVERBS_CQ),
		  .optional = true },
		{ UVERBS_SPEC_IN(UVERBS_ATTR_CREATE_SRQ_USER_HANDLE, 8) },
		{ UVERBS_SPEC_IN(UVERBS_ATTR_CREATE_SRQ_MAX_WR, 4) },
		{ UVERBS_SPEC_IN(UVERBS_ATTR_CREATE_SRQ_MAX_SGE, 4) },
		{ UVERBS_SPEC_IN(UVERBS_ATTR_CREATE_SRQ_LIMIT, 4) },
		{ UVERBS_SPEC_IN(UVERBS_ATTR_CREATE_SRQ_MAX_NUM_TAGS, 4), .optional = true },
		{ UVERBS_SPEC_CONST(UVERBS_ATTR_CREATE_SRQ_TYPE) },
		{ UVERBS_SPEC_FD(UVERBS_ATTR_CREATE_SRQ_EVENT_FD, UVERBS_ASYNC_FD),
		  .optional = true },
		{ UVERBS_SPEC_OUT(UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, 4) },
		{ UVERBS_SPEC_OUT(UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, 4) },
		{ UVERBS_SPEC_OUT(UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM, 4), .optional = true },
		UVERBS_SPEC_UHW) },
	{ .object = UVERBS_OBJECT_SRQ,
	  .method = UVERBS_METHOD_SRQ_DESTROY,
	  .run = uverbs_destroy_srq,
	  SPECS({ UVERBS_SPEC_OBJECT(UVERBS_ATTR_DESTROY_SRQ_HANDLE, UVERBS_SRQ) },
		{ UVERBS_SPEC_OUT(UVERBS_ATTR_DESTROY_SRQ_RESP,
				  sizeof(struct ib_uverbs_destroy_srq_resp)) }) },
	{ .object = UVERBS_OBJECT_QP,
	  .method = UVERBS_METHOD_QP_CREATE,
	  .run = uverbs_create_qp,
	  SPECS({ UVERBS_SPEC_NEW(UVERBS_ATTR_CREATE_QP_HANDLE) },
		{ UVERBS_SPEC_OBJECT(UVERBS_ATTR_CREATE_QP_PD_HANDLE, UVERBS_PD),
		  .optional = true },
		{ UVERBS_SPEC_OBJECT(UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, UVERBS_SRQ),
		  .optional = true },
		{ UVERBS_SPEC_OBJECT(UVERBS_ATTR_CREATE_QP_XRCD_HANDLE, UVERBS_XRCD),
		  .optional = true },
		{ UVERBS_SPEC_OBJECT(UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE, UVERBS_RWQ_TABLE),
		  .optional = true },
		{ UVERBS_SPEC_REFUSED(UVERBS_ATTR_CREATE_QP_SOURCE_QPN) },
		{ UVERBS_SPEC_OBJECT(UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, UVERBS_CQ),
		  .optional = true },
		{ UVERBS_SPEC_OBJECT(UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, UVERBS_CQ),
		  .optional = true },
		{ UVERBS_SPEC_IN(UVERBS_ATTR_CREATE_QP_USER_HANDLE, 8) },
		{ UVERBS_SPEC_IN(UVERBS_ATTR_CREATE_QP_CAP, sizeof(struct ib_uverbs_qp_cap)),
		  .grows = true },
		{ UVERBS_SPEC_CONST(UVERBS_ATTR_CREATE_QP_TYPE) },
		{ UVERBS_SPEC_CONST(UVERBS_ATTR_CREATE_QP_FLAGS), .optional = true },
		{ UVERBS_SPEC_FD(UVERBS_ATTR_CREATE_QP_EVENT_FD, UVERBS_ASYNC_FD),
		  .optional = true },
		{ UVERBS_SPEC_OUT(UVERBS_ATTR_CREATE_QP_RESP_CAP,
				  sizeof(struct ib_uverbs_qp_cap)),
		  .grows = true },
		{ UVERBS_SPEC_OUT(UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, 4) }, UVERBS_SPEC_UHW) },
	{ .object = UVERBS_OBJECT_WQ,
	  .method = UVERBS_METHOD_WQ_CREATE,
	  .run = uverbs_create_wq,
	  SPECS({ UVERBS_SPEC_NEW(UVERBS_ATTR_CREATE_WQ_HANDLE) },
		{ UVERBS_SPEC_OBJECT(UVERBS_ATTR_CREATE_WQ_PD_HANDLE, UVERBS_PD) },
		{ UVERBS_SPEC_OBJECT(UVERBS_ATTR_CREATE_WQ_CQ_HANDLE, UVERBS_CQ) },
		{ UVERBS_SPEC_IN(UVERBS_ATTR_CREATE_WQ_USER_HANDLE, 8) },
		{ UVERBS_SPEC_CONST(UVERBS_ATTR_CREATE_WQ_TYPE) },
		{ UVERBS_SPEC_FD(UVERBS_ATTR_CREATE_WQ_EVENT_FD, UVERBS_ASYNC_FD),
		  .optional = true },
		{ UVERBS_SPEC_IN(UVERBS_ATTR_CREATE_WQ_MAX_WR, 4) },
		{ UVERBS_SPEC_IN(UVERBS_ATTR_CREATE_WQ_MAX_SGE, 4) },
		{ UVERBS_SPEC_CONST(UVERBS_ATTR_CREATE_WQ_FLAGS) },
		{ UVERBS_SPEC_OUT(UVERBS_ATTR_CREATE_WQ_RESP_MAX_WR, 4) },
		{ UVERBS_SPEC_OUT(UVERBS_ATTR_CREATE_WQ_RESP_MAX_SGE, 4) },
		{ UVERBS_SPEC_OUT(UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM, 4), .optional = true },
		UVERBS_SPEC_UHW) },
	{ .object = UVERBS_OBJECT_WQ,
	  .method = UVERBS_METHOD_WQ_DESTROY,
	  .run = uverbs_destroy_wq,
	  SPECS({ UVERBS_SPEC_OBJECT(UVERBS_ATTR_DESTROY_WQ_HANDLE, UVERBS_WQ) },
		{ UVERBS_SPEC_OUT(UVERBS_ATTR_DESTROY_WQ_RESP, 4) }) },
	DESTROY(UVERBS_OBJECT_RWQ_IND_TBL, UVERBS_METHOD_RWQ_IND_TBL_DESTROY,
		UVERBS_ATTR_DESTROY_RWQ_IND_TBL_HANDLE, UVERBS_RWQ_TABLE),
	{ .object = UVERBS_OBJECT_QP,
	  .method = UVERBS_METHOD_QP_DESTROY,
	  .run = uverbs_destroy_qp,
	  SPECS({ UVERBS_SPEC_OBJECT(UVERBS_ATTR_DESTROY_QP_HANDLE, UVERBS_QP) },
		{ UVERBS_SPEC_OUT(UVERBS_ATTR_DESTROY_QP_RESP,
				  sizeof(struct ib_uverbs_destroy_qp_resp)) }) },
};

/* What the kernel has: methods 0 … core - 1 and 0x1000 … 0x1000 + driver - 1 of an object. */
static const struct {
	uint16_t object;
	uint8_t core, driver;
} in_kernel[] = {
	{ UVERBS_OBJECT_DEVICE, 7, 1 },
	{ UVERBS_OBJECT_PD, 1, 1 },
	{ UVERBS_OBJECT_CQ, 2, 0 },
	{ UVERBS_OBJECT_QP, 2, 0 },
	{ UVERBS_OBJECT_SRQ, 2, 0 },
	{ UVERBS_OBJECT_AH, 1, 0 },
	{ UVERBS_OBJECT_MR, 5, 0 },
	{ UVERBS_OBJECT_MW, 1, 0 },
	{ UVERBS_OBJECT_FLOW, 1, 2 },
	{ UVERBS_OBJECT_XRCD, 1, 0 },
	{ UVERBS_OBJECT_RWQ_IND_TBL, 1, 0 },
	{ UVERBS_OBJECT_WQ, 2, 0 },
	{ UVERBS_OBJECT_FLOW_ACTION, 3, 2 },
	{ UVERBS_OBJECT_DM, 2, 2 },
	{ UVERBS_OBJECT_COUNTERS, 3, 0 },
	{ UVERBS_OBJECT_ASYNC_EVENT, 1, 0 },
	{ MLX5_IB_OBJECT_DEVX, 0, 4 },
	{ MLX5_IB_OBJECT_DEVX_OBJ, 0, 5 },
	{ MLX5_IB_OBJECT_DEVX_UMEM, 0, 2 },
	{ MLX5_IB_OBJECT_FLOW_MATCHER, 0, 2 },
	{ MLX5_IB_OBJECT_DEVX_ASYNC_CMD_FD, 0, 1 },
	{ MLX5_IB_OBJECT_DEVX_ASYNC_EVENT_FD, 0, 1 },
	{ MLX5_IB_OBJECT_VAR, 0, 2 },
	{ MLX5_IB_OBJECT_PP, 0, 2 },
	{ MLX5_IB_OBJECT_UAR, 0, 2 },
	{ MLX5_IB_OBJECT_STEERING_ANCHOR, 0, 2 },
};

static bool is_in_kernel(uint16_t object, uint16_t method)
{
	for (size_t i = 0; i < ARRAY_SIZE(in_kernel); i++) {
		if (in_kernel[i].object != object)
			continue;
		return method & DRIVER_NS ? (method & ~DRIVER_NS) < in_kernel[i].driver
					  : method < in_kernel[i].core;
	}
	return false;
}

static const struct uverbs_method *find(const struct uverbs_method *m, size_t n,
					uint16_t object, uint16_t method)
{
	for (; n; n--, m++)
		if (m->object == object && m->method == method)
			return m;
	return NULL;
}

#define FIND(table) find(table, sizeof(table) / sizeof((table)[0]), object, method)

const struct uverbs_method *uverbs_method(uint16_t object, uint16_t method, bool *known)
{
	const struct uverbs_method *m = FIND(device_methods);

	*known = is_in_kernel(object, method);
	if (!m)
		m = FIND(object_methods);
	return m ? m : find(uverbs_mlx5_methods, uverbs_mlx5_methods_count, object, method);
}
