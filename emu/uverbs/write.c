/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The commands of the old write() interface, by number, as INVOKE_WRITE passes them and as
 * write(2) does. Their structs are those of <rdma/ib_user_verbs.h>; the leading response
 * address of the older ones is used by write(2) only. For those that have an ioctl method, see
 * write_method.c.
 *
 *	write(2): | command, words in, out | extended: words of the driver, response | structure | of the driver |
 *	  -> the attributes of INVOKE_WRITE
 *
 * A number that is not in the table answers -EOPNOTSUPP, as the kernel's does for what a driver
 * does not have (uverbs_uapi.c, uapi_get_method).
 */
#include <rdma/rdma_user_ioctl_cmds.h>

#include "uverbs/method.h"

#define EX(cmd) ((cmd) | IB_USER_VERBS_CMD_FLAG_EXTENDED)

struct write_command {
	uint32_t cmd;
	uint16_t request, response; /* the shortest allowed */
	uverbs_handler *run;
};

static const struct write_command commands[] = {
	{ IB_USER_VERBS_CMD_GET_CONTEXT, sizeof(struct ib_uverbs_get_context),
	  sizeof(struct ib_uverbs_get_context_resp), uverbs_write_get_context },
	{ IB_USER_VERBS_CMD_QUERY_PORT, sizeof(struct ib_uverbs_query_port),
	  sizeof(struct ib_uverbs_query_port_resp), uverbs_write_query_port },
	{ IB_USER_VERBS_CMD_DEALLOC_PD, sizeof(struct ib_uverbs_dealloc_pd), 0,
	  uverbs_write_destroy },
	{ IB_USER_VERBS_CMD_DEREG_MR, sizeof(struct ib_uverbs_dereg_mr), 0,
	  uverbs_write_destroy },
	{ IB_USER_VERBS_CMD_DEALLOC_MW, sizeof(struct ib_uverbs_dealloc_mw), 0,
	  uverbs_write_destroy },
	{ IB_USER_VERBS_CMD_DESTROY_AH, sizeof(struct ib_uverbs_destroy_ah), 0,
	  uverbs_write_destroy },
	{ IB_USER_VERBS_CMD_CLOSE_XRCD, sizeof(struct ib_uverbs_close_xrcd), 0,
	  uverbs_write_destroy },
	{ IB_USER_VERBS_CMD_DESTROY_CQ, sizeof(struct ib_uverbs_destroy_cq),
	  sizeof(struct ib_uverbs_destroy_cq_resp), uverbs_write_destroy },
	{ IB_USER_VERBS_CMD_DESTROY_QP, sizeof(struct ib_uverbs_destroy_qp),
	  sizeof(struct ib_uverbs_destroy_qp_resp), uverbs_write_destroy },
	{ IB_USER_VERBS_CMD_DESTROY_SRQ, sizeof(struct ib_uverbs_destroy_srq),
	  sizeof(struct ib_uverbs_destroy_srq_resp), uverbs_write_destroy },
	{ IB_USER_VERBS_CMD_CREATE_CQ, sizeof(struct ib_uverbs_create_cq),
	  sizeof(struct ib_uverbs_create_cq_resp), uverbs_write_create_cq },
	{ EX(IB_USER_VERBS_EX_CMD_CREATE_CQ), sizeof(struct ib_uverbs_ex_create_cq),
	  sizeof(struct ib_uverbs_ex_create_cq_resp), uverbs_write_ex_create_cq },
	{ IB_USER_VERBS_CMD_CREATE_QP, sizeof(struct ib_uverbs_create_qp),
	  sizeof(struct ib_uverbs_create_qp_resp), uverbs_write_create_qp },
	{ EX(IB_USER_VERBS_EX_CMD_CREATE_QP),
	  offsetof(struct ib_uverbs_ex_create_qp, comp_mask) + sizeof(__u32),
	  sizeof(struct ib_uverbs_ex_create_qp_resp), uverbs_write_ex_create_qp },
	{ IB_USER_VERBS_CMD_CREATE_SRQ, sizeof(struct ib_uverbs_create_srq),
	  sizeof(struct ib_uverbs_create_srq_resp), uverbs_write_create_srq },
	{ IB_USER_VERBS_CMD_CREATE_XSRQ, sizeof(struct ib_uverbs_create_xsrq),
	  sizeof(struct ib_uverbs_create_srq_resp), uverbs_write_create_xsrq },
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

/* uverbs_uapi.c, uapi_get_method */
static int find(uint64_t cmd, const struct write_command **w)
{
	if (cmd & ~(uint64_t)EX(IB_USER_VERBS_CMD_COMMAND_MASK))
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (commands[i].cmd == cmd) {
			*w = &commands[i];
			return 0;
		}
	return -EOPNOTSUPP;
}

int uverbs_invoke_write(struct uverbs_call *c)
{
	const struct write_command *w;
	int ret = find(uverbs_number(c, UVERBS_ATTR_WRITE_CMD), &w);

	if (ret)
		return ret;
	/* This is what libibverbs' has_ioctl_write() asks for, before there is a context. */
	if (uverbs_len(c, UVERBS_ATTR_CORE_IN) < w->request ||
	    uverbs_len(c, UVERBS_ATTR_CORE_OUT) < w->response)
		return -ENOSPC;
	if (!c->file->context && w->cmd != IB_USER_VERBS_CMD_GET_CONTEXT)
		return -EINVAL;
	return w->run(c);
}

/* ---- write(2) ---- */

/* The parts of a write, with sizes in bytes. */
struct request {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_ex_cmd_hdr ex;
	uint64_t in, response;		      /* addresses */
	size_t in_len, out_len;		      /* of the structure, and of its response */
	size_t driver_in_len, driver_out_len; /* follow them */
};

/* uverbs_main.c, verify_hdr; @len: of all */
static int check_old(const struct request *r, const struct write_command *w, size_t len)
{
	if (r->hdr.in_words * 4u != len)
		return -EINVAL;
	return len < w->request + sizeof(r->hdr) || r->hdr.out_words * 4u < w->response
		       ? -ENOSPC
		       : 0;
}

static int check_extended(const struct request *r, const struct write_command *w, size_t len)
{
	bool out = r->hdr.out_words || r->ex.provider_out_words;

	if ((r->hdr.in_words + r->ex.provider_in_words) * 8u !=
	    len - sizeof(r->hdr) - sizeof(r->ex))
		return -EINVAL;
	if (r->hdr.in_words * 8u < w->request)
		return -ENOSPC;
	if (r->ex.cmd_hdr_reserved || !r->ex.response == out)
		return -EINVAL;
	return r->ex.response && r->hdr.out_words * 8u < w->response ? -ENOSPC : 0;
}

/* uverbs_main.c, ib_uverbs_write: where the parts are */
static int read_old(struct request *r, const struct write_command *w, uint64_t buf)
{
	r->in = buf + sizeof(r->hdr);
	r->in_len = w->request;
	r->driver_in_len = r->hdr.in_words * 4u - sizeof(r->hdr) - w->request;
	if (!w->response)
		return 0;
	r->out_len = w->response;
	r->driver_out_len = r->hdr.out_words * 4u - w->response;
	return core_peek(&r->response, r->in, sizeof(r->response)) ? 0 : -EFAULT;
}

static void read_extended(struct request *r, uint64_t buf)
{
	r->in = buf + sizeof(r->hdr) + sizeof(r->ex);
	r->in_len = r->hdr.in_words * 8u;
	r->driver_in_len = r->ex.provider_in_words * 8u;
	r->response = r->ex.response;
	r->out_len = r->hdr.out_words * 8u;
	r->driver_out_len = r->ex.provider_out_words * 8u;
}

static int read_request(struct request *r, const struct write_command *w, uint64_t buf,
			size_t len)
{
	int ret;

	if (!(w->cmd & IB_USER_VERBS_CMD_FLAG_EXTENDED)) {
		ret = check_old(r, w, len);
		return ret ? ret : read_old(r, w, buf);
	}
	if (len < sizeof(r->hdr) + sizeof(r->ex))
		return -EINVAL;
	if (!core_peek(&r->ex, buf + sizeof(r->hdr), sizeof(r->ex)))
		return -EFAULT;
	ret = check_extended(r, w, len);
	if (!ret)
		read_extended(r, buf);
	return ret;
}

/* An attribute of INVOKE_WRITE; up to 8 bytes of input are in it. */
static int put(struct ib_uverbs_attr *ua, unsigned int *n, uint16_t id, uint64_t at, size_t len)
{
	struct ib_uverbs_attr a = { .attr_id = id, .len = (uint16_t)len, .data = at };
	bool in = id == UVERBS_ATTR_CORE_IN || id == UVERBS_ATTR_UHW_IN;

	if (!len)
		return 0;
	if (len > UINT16_MAX)
		return -EINVAL;
	if (in && len <= sizeof(a.data)) {
		a.data = 0;
		if (!core_peek(&a.data, at, len))
			return -EFAULT;
	}
	ua[(*n)++] = a;
	return 0;
}

static int run_locked(struct uverbs_file *f, const struct request *r)
{
	struct ib_uverbs_attr ua[5];
	struct uverbs_call c = { .file = f, .u = f->u, .user_attrs = (uintptr_t)ua };
	uint64_t cmd = r->hdr.command;
	unsigned int n = 0;
	bool known;
	int ret;

	c.method = uverbs_method(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE, &known);
	ua[n++] = (struct ib_uverbs_attr){ .attr_id = UVERBS_ATTR_WRITE_CMD,
					   .len = sizeof(cmd),
					   .data = cmd };
	ret = put(ua, &n, UVERBS_ATTR_CORE_IN, r->in, r->in_len);
	if (!ret)
		ret = put(ua, &n, UVERBS_ATTR_CORE_OUT, r->response, r->out_len);
	if (!ret)
		ret = put(ua, &n, UVERBS_ATTR_UHW_IN, r->in + r->in_len, r->driver_in_len);
	if (!ret)
		ret = put(ua, &n, UVERBS_ATTR_UHW_OUT, r->response + r->out_len,
			  r->driver_out_len);
	if (!ret)
		ret = uverbs_run(&c, ua, n);
	return ret;
}

ssize_t uverbs_write(struct uverbs_file *f, uint64_t buf, size_t len)
{
	const struct write_command *w;
	struct request r = { 0 };
	int ret;

	if (len < sizeof(r.hdr))
		return -EINVAL;
	if (!core_peek(&r.hdr, buf, sizeof(r.hdr)))
		return -EFAULT;
	ret = find(r.hdr.command, &w);
	if (!ret)
		ret = read_request(&r, w, buf, len);
	if (ret)
		return ret;
	hca_lock(f->u->hca);
	ret = f->u->hca->failed ? -EIO : run_locked(f, &r);
	hca_unlock(f->u->hca);
	return ret ? ret : (ssize_t)len;
}
