/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The methods of mlx5_ib's own objects: DevX, doorbell pages, VAR, packet pacing, flows.
 *
 * Attribute lists are those of its devx.c, main.c, qos.c and fs.c.
 */
#include "uverbs/method.h"

#define SPECS UVERBS_SPECS

/* The header of every inbox and outbox: general_obj_in_cmd_hdr, general_obj_out_cmd_hdr. */
#define INBOX(id)  UVERBS_SPEC_MIN_IN(id, PRM_SZ(general_obj_in_cmd_hdr))
#define OUTBOX(id) UVERBS_SPEC_MIN_OUT(id, PRM_SZ(general_obj_out_cmd_hdr))

#define METHOD(object_, method_, has, handler, ...)                                     \
	{                                                                               \
		.object = MLX5_IB_OBJECT_##object_, .method = MLX5_IB_METHOD_##method_, \
		.supported = has, .run = handler, SPECS(__VA_ARGS__)                    \
	}
#define DEVX(object, method, handler, ...) \
	METHOD(object, method, uverbs_has_devx, handler, __VA_ARGS__)

/* Those of fs.c, which it adds to objects of the core, too. */
#define FLOW(object_, method_, has, handler, ...)                                        \
	{                                                                                \
		.object = object_, .method = MLX5_IB_METHOD_##method_, .supported = has, \
		.run = handler, SPECS(__VA_ARGS__)                                       \
	}
#define SIZED_IN(id_, most) .id = id_, .kind = UVERBS_ATTR_IN, .min = 1, .max = most
#define MATCH_BYTES	    0x280 /* Linux' struct mlx5_ib_match_params */

bool uverbs_has_devx(const struct uverbs *u)
{
	return UVERBS_CAP(u, log_max_uctx);
}

const struct uverbs_method uverbs_mlx5_methods[] = {
	METHOD(UAR, UAR_OBJ_ALLOC, NULL, uverbs_alloc_uar,
	       { UVERBS_SPEC_NEW(MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE, UVERBS_UAR) },
	       { UVERBS_SPEC_CONST(MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE) },
	       { UVERBS_SPEC_OUT(MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, 8) },
	       { UVERBS_SPEC_OUT(MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, 4) },
	       { UVERBS_SPEC_OUT(MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, 4) }),
	METHOD(UAR, UAR_OBJ_DESTROY, NULL, uverbs_destroy,
	       { UVERBS_SPEC_OBJECT(MLX5_IB_ATTR_UAR_OBJ_DESTROY_HANDLE, UVERBS_UAR) }),

	DEVX(DEVX, DEVX_OTHER, uverbs_devx_other, { INBOX(MLX5_IB_ATTR_DEVX_OTHER_CMD_IN) },
	     { OUTBOX(MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT) }),
	DEVX(DEVX, DEVX_QUERY_UAR, uverbs_devx_query_uar,
	     { UVERBS_SPEC_IN(MLX5_IB_ATTR_DEVX_QUERY_UAR_USER_IDX, 4) },
	     { UVERBS_SPEC_OUT(MLX5_IB_ATTR_DEVX_QUERY_UAR_DEV_IDX, 4) }),
	DEVX(DEVX, DEVX_QUERY_EQN, uverbs_devx_query_eqn,
	     { UVERBS_SPEC_IN(MLX5_IB_ATTR_DEVX_QUERY_EQN_USER_VEC, 4) },
	     { UVERBS_SPEC_OUT(MLX5_IB_ATTR_DEVX_QUERY_EQN_DEV_EQN, 4) }),
	DEVX(DEVX, DEVX_SUBSCRIBE_EVENT, uverbs_devx_subscribe_event,
	     { UVERBS_SPEC_FD(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_HANDLE,
			      UVERBS_DEVX_EVENT_FD) },
	     { UVERBS_SPEC_OBJECT(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_OBJ_HANDLE,
				  UVERBS_DEVX_OBJ),
	       .optional = true },
	     { UVERBS_SPEC_MIN_IN(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_TYPE_NUM_LIST, 2) },
	     { UVERBS_SPEC_IN(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_COOKIE, 8), .optional = true },
	     { UVERBS_SPEC_IN(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_NUM, 4), .optional = true }),

	DEVX(DEVX_OBJ, DEVX_OBJ_CREATE, uverbs_devx_obj_create,
	     { UVERBS_SPEC_NEW(MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE, UVERBS_DEVX_OBJ) },
	     { INBOX(MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN) },
	     { OUTBOX(MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT) }),
	DEVX(DEVX_OBJ, DEVX_OBJ_DESTROY, uverbs_destroy,
	     { UVERBS_SPEC_OBJECT(MLX5_IB_ATTR_DEVX_OBJ_DESTROY_HANDLE, UVERBS_DEVX_OBJ) }),
	DEVX(DEVX_OBJ, DEVX_OBJ_MODIFY, uverbs_devx_obj_modify,
	     { UVERBS_SPEC_OBJECT(MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE, UVERBS_ANY) },
	     { INBOX(MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN) },
	     { OUTBOX(MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT) }),
	DEVX(DEVX_OBJ, DEVX_OBJ_QUERY, uverbs_devx_obj_query,
	     { UVERBS_SPEC_OBJECT(MLX5_IB_ATTR_DEVX_OBJ_QUERY_HANDLE, UVERBS_ANY) },
	     { INBOX(MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_IN) },
	     { OUTBOX(MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT) }),
	DEVX(DEVX_OBJ, DEVX_OBJ_ASYNC_QUERY, uverbs_devx_obj_async_query,
	     { UVERBS_SPEC_OBJECT(MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_HANDLE, UVERBS_ANY) },
	     { INBOX(MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_CMD_IN) },
	     { UVERBS_SPEC_FD(MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_FD, UVERBS_DEVX_CMD_FD) },
	     { UVERBS_SPEC_IN(MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_WR_ID, 8) },
	     { UVERBS_SPEC_CONST(MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_OUT_LEN) }),

	DEVX(DEVX_UMEM, DEVX_UMEM_REG, uverbs_devx_umem_reg,
	     { UVERBS_SPEC_NEW(MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE, UVERBS_DEVX_UMEM) },
	     { UVERBS_SPEC_IN(MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR, 8) },
	     { UVERBS_SPEC_IN(MLX5_IB_ATTR_DEVX_UMEM_REG_LEN, 8) },
	     { UVERBS_SPEC_CONST(MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS), .optional = true },
	     { UVERBS_SPEC_OUT(MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, 4) },
	     { UVERBS_SPEC_CONST(MLX5_IB_ATTR_DEVX_UMEM_REG_PGSZ_BITMAP), .optional = true },
	     { UVERBS_SPEC_RAW_FD(MLX5_IB_ATTR_DEVX_UMEM_REG_DMABUF_FD), .optional = true }),
	DEVX(DEVX_UMEM, DEVX_UMEM_DEREG, uverbs_destroy,
	     { UVERBS_SPEC_OBJECT(MLX5_IB_ATTR_DEVX_UMEM_DEREG_HANDLE, UVERBS_DEVX_UMEM) }),

	DEVX(DEVX_ASYNC_CMD_FD, DEVX_ASYNC_CMD_FD_ALLOC, uverbs_create,
	     { UVERBS_SPEC_NEW_FD(MLX5_IB_ATTR_DEVX_ASYNC_CMD_FD_ALLOC_HANDLE,
				  UVERBS_DEVX_CMD_FD) }),
	DEVX(DEVX_ASYNC_EVENT_FD, DEVX_ASYNC_EVENT_FD_ALLOC, uverbs_devx_async_event_fd_alloc,
	     { UVERBS_SPEC_NEW_FD(MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_HANDLE,
				  UVERBS_DEVX_EVENT_FD) },
	     { UVERBS_SPEC_CONST(MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_FLAGS) }),

	FLOW(MLX5_IB_OBJECT_FLOW_MATCHER, FLOW_MATCHER_CREATE, uverbs_has_flows,
	     uverbs_create_flow_matcher,
	     { UVERBS_SPEC_NEW(MLX5_IB_ATTR_FLOW_MATCHER_CREATE_HANDLE, UVERBS_FLOW_MATCHER) },
	     { SIZED_IN(MLX5_IB_ATTR_FLOW_MATCHER_MATCH_MASK, MATCH_BYTES) },
	     { .id = MLX5_IB_ATTR_FLOW_MATCHER_FLOW_TYPE,
	       .kind = UVERBS_ATTR_CHOICE,
	       .min = MLX5_IB_FLOW_TYPE_MC_DEFAULT + 1,
	       .max = 2 },
	     { UVERBS_SPEC_IN(MLX5_IB_ATTR_FLOW_MATCHER_MATCH_CRITERIA, 1) },
	     { UVERBS_SPEC_CONST(MLX5_IB_ATTR_FLOW_MATCHER_FLOW_FLAGS), .optional = true },
	     { UVERBS_SPEC_CONST(MLX5_IB_ATTR_FLOW_MATCHER_FT_TYPE), .optional = true }),
	FLOW(MLX5_IB_OBJECT_FLOW_MATCHER, FLOW_MATCHER_DESTROY, uverbs_has_flows,
	     uverbs_destroy,
	     { UVERBS_SPEC_OBJECT(MLX5_IB_ATTR_FLOW_MATCHER_DESTROY_HANDLE,
				  UVERBS_FLOW_MATCHER) }),
	FLOW(UVERBS_OBJECT_FLOW, CREATE_FLOW, uverbs_has_flows, uverbs_create_raw_flow,
	     { UVERBS_SPEC_NEW(MLX5_IB_ATTR_CREATE_FLOW_HANDLE, UVERBS_FLOW) },
	     { SIZED_IN(MLX5_IB_ATTR_CREATE_FLOW_MATCH_VALUE, MATCH_BYTES) },
	     { UVERBS_SPEC_OBJECT(MLX5_IB_ATTR_CREATE_FLOW_DEST_QP, UVERBS_QP),
	       .optional = true },
	     { UVERBS_SPEC_OBJECT(MLX5_IB_ATTR_CREATE_FLOW_DEST_DEVX, UVERBS_DEVX_OBJ),
	       .optional = true },
	     { UVERBS_SPEC_OBJECT(MLX5_IB_ATTR_CREATE_FLOW_MATCHER, UVERBS_FLOW_MATCHER) },
	     { .id = MLX5_IB_ATTR_CREATE_FLOW_ARR_FLOW_ACTIONS,
	       .kind = UVERBS_ATTR_HANDLES,
	       .min = 4,
	       .max = 8,
	       .optional = true },
	     { UVERBS_SPEC_IN(MLX5_IB_ATTR_CREATE_FLOW_TAG, 4), .optional = true },
	     { .id = MLX5_IB_ATTR_CREATE_FLOW_ARR_COUNTERS_DEVX,
	       .kind = UVERBS_ATTR_HANDLES,
	       .min = 4,
	       .max = 4,
	       .optional = true },
	     { UVERBS_SPEC_MIN_IN(MLX5_IB_ATTR_CREATE_FLOW_ARR_COUNTERS_DEVX_OFFSET, 4),
	       .optional = true },
	     { UVERBS_SPEC_CONST(MLX5_IB_ATTR_CREATE_FLOW_FLAGS), .optional = true }),
	FLOW(UVERBS_OBJECT_FLOW, DESTROY_FLOW, uverbs_has_flows, uverbs_destroy,
	     { UVERBS_SPEC_OBJECT(MLX5_IB_ATTR_DESTROY_FLOW_HANDLE, UVERBS_FLOW) }),
	FLOW(UVERBS_OBJECT_FLOW_ACTION, FLOW_ACTION_CREATE_MODIFY_HEADER, uverbs_has_flows,
	     uverbs_create_modify_header,
	     { UVERBS_SPEC_NEW(MLX5_IB_ATTR_CREATE_MODIFY_HEADER_HANDLE, UVERBS_FLOW_ACTION) },
	     { UVERBS_SPEC_MIN_IN(MLX5_IB_ATTR_CREATE_MODIFY_HEADER_ACTIONS_PRM, 8) },
	     { UVERBS_SPEC_CONST(MLX5_IB_ATTR_CREATE_MODIFY_HEADER_FT_TYPE) }),
	FLOW(UVERBS_OBJECT_FLOW_ACTION, FLOW_ACTION_CREATE_PACKET_REFORMAT, uverbs_has_flows,
	     uverbs_create_packet_reformat,
	     { UVERBS_SPEC_NEW(MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_HANDLE,
			       UVERBS_FLOW_ACTION) },
	     { UVERBS_SPEC_CONST(MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_TYPE) },
	     { UVERBS_SPEC_CONST(MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_FT_TYPE) },
	     { UVERBS_SPEC_MIN_IN(MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_DATA_BUF, 1),
	       .optional = true }),
	FLOW(MLX5_IB_OBJECT_STEERING_ANCHOR, STEERING_ANCHOR_CREATE, uverbs_has_anchors,
	     uverbs_create_steering_anchor,
	     { UVERBS_SPEC_NEW(MLX5_IB_ATTR_STEERING_ANCHOR_CREATE_HANDLE,
			       UVERBS_STEERING_ANCHOR) },
	     { UVERBS_SPEC_CONST(MLX5_IB_ATTR_STEERING_ANCHOR_FT_TYPE) },
	     { UVERBS_SPEC_IN(MLX5_IB_ATTR_STEERING_ANCHOR_PRIORITY, 2) },
	     /* the kernel declares it as input and writes to it */
	     { UVERBS_SPEC_OUT(MLX5_IB_ATTR_STEERING_ANCHOR_FT_ID, 4) }),
	FLOW(MLX5_IB_OBJECT_STEERING_ANCHOR, STEERING_ANCHOR_DESTROY, uverbs_has_anchors,
	     uverbs_destroy,
	     { UVERBS_SPEC_OBJECT(MLX5_IB_ATTR_STEERING_ANCHOR_DESTROY_HANDLE,
				  UVERBS_STEERING_ANCHOR) }),

	METHOD(VAR, VAR_OBJ_ALLOC, uverbs_has_var, uverbs_var_alloc,
	       { UVERBS_SPEC_NEW(MLX5_IB_ATTR_VAR_OBJ_ALLOC_HANDLE, UVERBS_VAR) },
	       { UVERBS_SPEC_OUT(MLX5_IB_ATTR_VAR_OBJ_ALLOC_MMAP_OFFSET, 8) },
	       { UVERBS_SPEC_OUT(MLX5_IB_ATTR_VAR_OBJ_ALLOC_MMAP_LENGTH, 4) },
	       { UVERBS_SPEC_OUT(MLX5_IB_ATTR_VAR_OBJ_ALLOC_PAGE_ID, 4) }),
	METHOD(VAR, VAR_OBJ_DESTROY, uverbs_has_var, uverbs_destroy,
	       { UVERBS_SPEC_OBJECT(MLX5_IB_ATTR_VAR_OBJ_DESTROY_HANDLE, UVERBS_VAR) }),

	METHOD(PP, PP_OBJ_ALLOC, uverbs_has_pp, uverbs_pp_alloc,
	       { UVERBS_SPEC_NEW(MLX5_IB_ATTR_PP_OBJ_ALLOC_HANDLE, UVERBS_PP) },
	       { .id = MLX5_IB_ATTR_PP_OBJ_ALLOC_CTX,
		 .kind = UVERBS_ATTR_IN,
		 .min = 1,
		 .max = PRM_SZ(set_pp_rate_limit_context) },
	       { UVERBS_SPEC_CONST(MLX5_IB_ATTR_PP_OBJ_ALLOC_FLAGS) },
	       { UVERBS_SPEC_OUT(MLX5_IB_ATTR_PP_OBJ_ALLOC_INDEX, 2) }),
	METHOD(PP, PP_OBJ_DESTROY, uverbs_has_pp, uverbs_destroy,
	       { UVERBS_SPEC_OBJECT(MLX5_IB_ATTR_PP_OBJ_DESTROY_HANDLE, UVERBS_PP) }),
};

const size_t uverbs_mlx5_methods_count = ARRAY_SIZE(uverbs_mlx5_methods);
