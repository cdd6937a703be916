/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * INVOKE_WRITE: the commands that have no ioctl method, by number. Their structs
 * are those of the old write() interface (<rdma/ib_user_verbs.h>); the leading response
 * address of the older ones is not used.
 *
 * A number that is not in the table answers -EOPNOTSUPP, as the kernel's does for what a driver
 * does not have (uverbs_uapi.c, uapi_get_method).
 */
#include "uverbs/method.h"

#define EX(cmd) ((cmd) | IB_USER_VERBS_CMD_FLAG_EXTENDED)

struct write_command {
	uint32_t cmd;
	uint16_t request, response; /* the shortest allowed */
	uverbs_handler *run;
};

static const struct write_command commands[] = {
	{ IB_USER_VERBS_CMD_QUERY_DEVICE, sizeof(struct ib_uverbs_query_device),
	  sizeof(struct ib_uverbs_query_device_resp), uverbs_query_device },
	{ EX(IB_USER_VERBS_EX_CMD_QUERY_DEVICE), sizeof(struct ib_uverbs_ex_query_device),
	  offsetof(struct ib_uverbs_ex_query_device_resp, odp_caps), uverbs_ex_query_device },
	{ IB_USER_VERBS_CMD_ALLOC_PD, sizeof(struct ib_uverbs_alloc_pd),
	  sizeof(struct ib_uverbs_alloc_pd_resp), uverbs_alloc_pd },
	{ IB_USER_VERBS_CMD_CREATE_AH, sizeof(struct ib_uverbs_create_ah),
	  sizeof(struct ib_uverbs_create_ah_resp), uverbs_create_ah },
	{ IB_USER_VERBS_CMD_REG_MR, sizeof(struct ib_uverbs_reg_mr),
	  sizeof(struct ib_uverbs_reg_mr_resp), uverbs_reg_mr },
	{ IB_USER_VERBS_CMD_REREG_MR, sizeof(struct ib_uverbs_rereg_mr),
	  sizeof(struct ib_uverbs_rereg_mr_resp), uverbs_rereg_mr },
	{ IB_USER_VERBS_CMD_ALLOC_MW, sizeof(struct ib_uverbs_alloc_mw),
	  sizeof(struct ib_uverbs_alloc_mw_resp), uverbs_alloc_mw },
	{ IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL, sizeof(struct ib_uverbs_create_comp_channel),
	  sizeof(struct ib_uverbs_create_comp_channel_resp), uverbs_create_comp_channel },
	{ IB_USER_VERBS_CMD_RESIZE_CQ, sizeof(struct ib_uverbs_resize_cq),
	  sizeof(struct ib_uverbs_resize_cq_resp), uverbs_resize_cq },
	{ EX(IB_USER_VERBS_EX_CMD_MODIFY_CQ), sizeof(struct ib_uverbs_ex_modify_cq), 0,
	  uverbs_ex_modify_cq },
	{ IB_USER_VERBS_CMD_OPEN_XRCD, sizeof(struct ib_uverbs_open_xrcd),
	  sizeof(struct ib_uverbs_open_xrcd_resp), uverbs_open_xrcd },
	{ IB_USER_VERBS_CMD_MODIFY_SRQ, sizeof(struct ib_uverbs_modify_srq), 0,
	  uverbs_modify_srq },
	{ IB_USER_VERBS_CMD_QUERY_SRQ, sizeof(struct ib_uverbs_query_srq),
	  sizeof(struct ib_uverbs_query_srq_resp), uverbs_query_srq },
	{ IB_USER_VERBS_CMD_QUERY_QP, sizeof(struct ib_uverbs_query_qp),
	  sizeof(struct ib_uverbs_query_qp_resp), uverbs_query_qp },
	{ IB_USER_VERBS_CMD_MODIFY_QP, sizeof(struct ib_uverbs_modify_qp), 0,
	  uverbs_modify_qp },
	{ IB_USER_VERBS_CMD_ATTACH_MCAST, sizeof(struct ib_uverbs_attach_mcast), 0,
	  uverbs_attach_mcast },
	{ IB_USER_VERBS_CMD_DETACH_MCAST, sizeof(struct ib_uverbs_detach_mcast), 0,
	  uverbs_detach_mcast },
	{ EX(IB_USER_VERBS_EX_CMD_CREATE_WQ),
	  offsetof(struct ib_uverbs_ex_create_wq, max_sge) + sizeof(__u32),
	  sizeof(struct ib_uverbs_ex_create_wq_resp), uverbs_ex_create_wq },
	{ EX(IB_USER_VERBS_EX_CMD_MODIFY_WQ),
	  offsetof(struct ib_uverbs_ex_modify_wq, curr_wq_state) + sizeof(__u32), 0,
	  uverbs_ex_modify_wq },
	{ EX(IB_USER_VERBS_EX_CMD_DESTROY_WQ),
	  offsetof(struct ib_uverbs_ex_destroy_wq, wq_handle) + sizeof(__u32),
	  sizeof(struct ib_uverbs_ex_destroy_wq_resp), uverbs_ex_destroy_wq },
	{ EX(IB_USER_VERBS_EX_CMD_CREATE_RWQ_IND_TBL),
	  sizeof(struct ib_uverbs_ex_create_rwq_ind_table),
	  sizeof(struct ib_uverbs_ex_create_rwq_ind_table_resp), uverbs_ex_create_rwq_table },
	{ EX(IB_USER_VERBS_EX_CMD_DESTROY_RWQ_IND_TBL),
	  sizeof(struct ib_uverbs_ex_destroy_rwq_ind_table), 0, uverbs_ex_destroy_rwq_table },
	{ EX(IB_USER_VERBS_EX_CMD_CREATE_FLOW), sizeof(struct ib_uverbs_create_flow),
	  sizeof(struct ib_uverbs_create_flow_resp), uverbs_ex_create_flow },
	{ EX(IB_USER_VERBS_EX_CMD_DESTROY_FLOW), sizeof(struct ib_uverbs_destroy_flow), 0,
	  uverbs_ex_destroy_flow },
	/* uverbs_cmd.c: the request ends with base, the response with response_length */
	{ EX(IB_USER_VERBS_EX_CMD_MODIFY_QP), sizeof(struct ib_uverbs_modify_qp),
	  sizeof(struct ib_uverbs_ex_modify_qp_resp), uverbs_ex_modify_qp },
};

int uverbs_invoke_write(struct uverbs_call *c)
{
	uint64_t cmd = uverbs_number(c, UVERBS_ATTR_WRITE_CMD);
	const struct write_command *w = NULL;

	if (cmd & ~(uint64_t)EX(IB_USER_VERBS_CMD_COMMAND_MASK))
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (commands[i].cmd == cmd)
			w = &commands[i];
	if (!w)
		return -EOPNOTSUPP;
	/* This is what libibverbs' has_ioctl_write() asks for, before there is a context. */
	if (uverbs_len(c, UVERBS_ATTR_CORE_IN) < w->request ||
	    uverbs_len(c, UVERBS_ATTR_CORE_OUT) < w->response)
		return -ENOSPC;
	if (!c->file->context)
		return -EINVAL;
	return w->run(c);
}
