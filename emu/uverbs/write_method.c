/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands of write(2) and INVOKE_WRITE that have an ioctl method, too: the structure of the
 * command becomes the attributes of the method, and its answers that of the command
 * (uverbs_cmd.c).
 *
 *	struct ib_uverbs_create_cq -> attributes -> UVERBS_METHOD_CQ_CREATE -> handle, cqe -> ib_uverbs_create_cq_resp
 */
#include <rdma/rdma_user_ioctl_cmds.h>

#include "uverbs/method.h"

#define ATTRS 16

/* A call of a method, whose attributes are memory of the emulator. */
struct inner {
	struct uverbs_call c;
	struct ib_uverbs_attr attr[ATTRS];
	unsigned int n;
};

static struct ib_uverbs_attr *add(struct inner *m, uint16_t id, uint64_t data, size_t len)
{
	struct ib_uverbs_attr *a = &m->attr[m->n++];

	*a = (struct ib_uverbs_attr){ .attr_id = id, .len = (uint16_t)len, .data = data };
	return a;
}

/* Up to 8 bytes are in the attribute. */
static void add_in(struct inner *m, uint16_t id, const void *from, size_t len)
{
	uint64_t data = (uintptr_t)from;

	if (len <= sizeof(data)) {
		data = 0;
		memcpy(&data, from, len);
	}
	add(m, id, data, len);
}

static void add_number(struct inner *m, uint16_t id, uint64_t v)
{
	add(m, id, v, sizeof(v));
}

static struct ib_uverbs_attr *add_object(struct inner *m, uint16_t id, uint32_t handle)
{
	return add(m, id, handle, 0);
}

static void add_out(struct inner *m, uint16_t id, void *to, size_t len)
{
	add(m, id, (uintptr_t)to, len);
}

static void add_same(struct inner *m, const struct uverbs_call *c, uint16_t id)
{
	for (unsigned int i = 0; i < c->method->specs; i++)
		if (c->method->spec[i].id == id && c->attr[i].there)
			add(m, id, c->attr[i].data, c->attr[i].len);
}

/* With what the command has for the driver. */
static void begin(struct inner *m, const struct uverbs_call *c, uint16_t object,
		  uint16_t method)
{
	bool known;

	memset(m, 0, sizeof(*m));
	m->c.file = c->file;
	m->c.u = c->u;
	m->c.method = uverbs_method(object, method, &known);
	m->c.user_attrs = (uintptr_t)m->attr;
}

static int run(struct inner *m, struct uverbs_call *c)
{
	return uverbs_run_within(c, &m->c, m->attr, m->n);
}

/* uverbs_cmd.c: a handle in the structure that does not exist is EINVAL. */
static int create(struct inner *m, struct uverbs_call *c)
{
	int ret;

	add_same(m, c, UVERBS_ATTR_UHW_IN);
	add_same(m, c, UVERBS_ATTR_UHW_OUT);
	ret = run(m, c);
	return ret == -ENOENT ? -EINVAL : ret;
}

/* ---- context, port ---- */

int uverbs_write_get_context(struct uverbs_call *c)
{
	struct ib_uverbs_get_context_resp resp = { 0 };
	struct inner m;
	int ret;

	uverbs_response(c, &resp);
	if (c->error) /* it cannot be answered */
		return c->error;
	begin(&m, c, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT);
	add_out(&m, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, &resp.num_comp_vectors,
		sizeof(resp.num_comp_vectors));
	ret = create(&m, c);
	if (ret)
		return ret;
	begin(&m, c, UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC);
	add_object(&m, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, 0);
	ret = run(&m, c);
	if (ret) {
		uverbs_context_end(c->file);
		return ret;
	}
	resp.async_fd = (uint32_t)m.attr[0].data;
	uverbs_response(c, &resp);
	if (c->error)
		uverbs_context_end(c->file);
	return 0;
}

int uverbs_write_query_port(struct uverbs_call *c)
{
	struct ib_uverbs_query_port_resp_ex resp;
	struct ib_uverbs_query_port cmd;
	struct inner m;
	int ret = uverbs_request(c, &cmd);

	if (ret)
		return ret;
	begin(&m, c, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT);
	add_number(&m, UVERBS_ATTR_QUERY_PORT_PORT_NUM, cmd.port_num);
	add_out(&m, UVERBS_ATTR_QUERY_PORT_RESP, &resp, sizeof(resp));
	ret = run(&m, c);
	if (!ret)
		uverbs_response(c, &resp.legacy_resp);
	return ret;
}

/* ---- destroy ---- */

static const struct destroyed {
	uint32_t cmd;
	uint16_t object, method, handle; /* and the attribute that names it */
	uint16_t answer,
		len; /* attribute of the answer, whose bytes the response has; 0: none */
} destroyed[] = {
	{ IB_USER_VERBS_CMD_DEALLOC_PD, UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY,
	  UVERBS_ATTR_DESTROY_PD_HANDLE, 0, 0 },
	{ IB_USER_VERBS_CMD_DEREG_MR, UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY,
	  UVERBS_ATTR_DESTROY_MR_HANDLE, 0, 0 },
	{ IB_USER_VERBS_CMD_DEALLOC_MW, UVERBS_OBJECT_MW, UVERBS_METHOD_MW_DESTROY,
	  UVERBS_ATTR_DESTROY_MW_HANDLE, 0, 0 },
	{ IB_USER_VERBS_CMD_DESTROY_AH, UVERBS_OBJECT_AH, UVERBS_METHOD_AH_DESTROY,
	  UVERBS_ATTR_DESTROY_AH_HANDLE, 0, 0 },
	{ IB_USER_VERBS_CMD_CLOSE_XRCD, UVERBS_OBJECT_XRCD, UVERBS_METHOD_XRCD_DESTROY,
	  UVERBS_ATTR_DESTROY_XRCD_HANDLE, 0, 0 },
	{ IB_USER_VERBS_CMD_DESTROY_CQ, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY,
	  UVERBS_ATTR_DESTROY_CQ_HANDLE, UVERBS_ATTR_DESTROY_CQ_RESP,
	  sizeof(struct ib_uverbs_destroy_cq_resp) },
	{ IB_USER_VERBS_CMD_DESTROY_QP, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY,
	  UVERBS_ATTR_DESTROY_QP_HANDLE, UVERBS_ATTR_DESTROY_QP_RESP,
	  sizeof(struct ib_uverbs_destroy_qp_resp) },
	{ IB_USER_VERBS_CMD_DESTROY_SRQ, UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_DESTROY,
	  UVERBS_ATTR_DESTROY_SRQ_HANDLE, UVERBS_ATTR_DESTROY_SRQ_RESP,
	  sizeof(struct ib_uverbs_destroy_srq_resp) },
};

/* The handle is at the beginning, or follows the address of the response. */
int uverbs_write_destroy(struct uverbs_call *c)
{
	const struct destroyed *d = destroyed;
	uint8_t resp[sizeof(struct ib_uverbs_destroy_cq_resp)];
	uint32_t words[4];
	struct inner m;
	int ret = uverbs_get(c, UVERBS_ATTR_CORE_IN, words, sizeof(words));

	if (ret)
		return ret;
	while (d->cmd != uverbs_number(c, UVERBS_ATTR_WRITE_CMD))
		d++;
	begin(&m, c, d->object, d->method);
	add_object(&m, d->handle, words[d->len ? 2 : 0]);
	if (d->len)
		add_out(&m, d->answer, resp, d->len);
	ret = run(&m, c);
	if (!ret && d->len)
		uverbs_put_struct(c, UVERBS_ATTR_CORE_OUT, resp, d->len);
	return ret;
}

/* ---- create ---- */

static int create_cq(struct uverbs_call *c, const struct ib_uverbs_ex_create_cq *cmd,
		     struct ib_uverbs_create_cq_resp *resp)
{
	struct ib_uverbs_attr *handle;
	struct inner m;
	int ret;

	begin(&m, c, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE);
	handle = add_object(&m, UVERBS_ATTR_CREATE_CQ_HANDLE, 0);
	add_in(&m, UVERBS_ATTR_CREATE_CQ_CQE, &cmd->cqe, sizeof(cmd->cqe));
	add_in(&m, UVERBS_ATTR_CREATE_CQ_USER_HANDLE, &cmd->user_handle,
	       sizeof(cmd->user_handle));
	if (cmd->comp_channel >= 0)
		add(&m, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL, (uint64_t)cmd->comp_channel, 0);
	add_in(&m, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, &cmd->comp_vector,
	       sizeof(cmd->comp_vector));
	add_number(&m, UVERBS_ATTR_CREATE_CQ_FLAGS, cmd->flags);
	add_out(&m, UVERBS_ATTR_CREATE_CQ_RESP_CQE, &resp->cqe, sizeof(resp->cqe));
	ret = create(&m, c);
	resp->cq_handle = (uint32_t)handle->data;
	return ret;
}

int uverbs_write_create_cq(struct uverbs_call *c)
{
	struct ib_uverbs_create_cq_resp resp = { 0 };
	struct ib_uverbs_create_cq cmd;
	int ret = uverbs_request(c, &cmd);

	if (!ret)
		ret = create_cq(
			c,
			&(struct ib_uverbs_ex_create_cq){ .user_handle = cmd.user_handle,
							  .cqe = cmd.cqe,
							  .comp_vector = cmd.comp_vector,
							  .comp_channel = cmd.comp_channel },
			&resp);
	if (!ret)
		uverbs_response(c, &resp);
	return ret;
}

int uverbs_write_ex_create_cq(struct uverbs_call *c)
{
	struct ib_uverbs_ex_create_cq_resp resp = { .response_length = sizeof(resp) };
	struct ib_uverbs_ex_create_cq cmd;
	int ret = uverbs_request(c, &cmd);

	if (!ret && (cmd.comp_mask || cmd.reserved))
		ret = -EINVAL;
	if (!ret)
		ret = create_cq(c, &cmd, &resp.base);
	if (!ret)
		uverbs_response(c, &resp);
	return ret;
}

static void add_qp_objects(struct inner *m, const struct ib_uverbs_ex_create_qp *cmd)
{
	bool table = cmd->comp_mask & IB_UVERBS_CREATE_QP_MASK_IND_TABLE;

	if (cmd->qp_type == IB_UVERBS_QPT_XRC_TGT) {
		add_object(m, UVERBS_ATTR_CREATE_QP_XRCD_HANDLE, cmd->pd_handle);
		return;
	}
	add_object(m, UVERBS_ATTR_CREATE_QP_PD_HANDLE, cmd->pd_handle);
	if (table) {
		add_object(m, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE, cmd->rwq_ind_tbl_handle);
		return;
	}
	add_object(m, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, cmd->send_cq_handle);
	if (cmd->qp_type == IB_UVERBS_QPT_XRC_INI)
		return;
	add_object(m, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, cmd->recv_cq_handle);
	if (cmd->is_srq)
		add_object(m, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, cmd->srq_handle);
}

static int create_qp(struct uverbs_call *c, const struct ib_uverbs_ex_create_qp *cmd,
		     struct ib_uverbs_create_qp_resp *resp)
{
	const struct ib_uverbs_qp_cap cap = { cmd->max_send_wr, cmd->max_recv_wr,
					      cmd->max_send_sge, cmd->max_recv_sge,
					      cmd->max_inline_data };
	struct ib_uverbs_attr *handle;
	struct ib_uverbs_qp_cap got;
	struct inner m;
	int ret;

	begin(&m, c, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE);
	handle = add_object(&m, UVERBS_ATTR_CREATE_QP_HANDLE, 0);
	add_qp_objects(&m, cmd);
	add_in(&m, UVERBS_ATTR_CREATE_QP_USER_HANDLE, &cmd->user_handle,
	       sizeof(cmd->user_handle));
	add_in(&m, UVERBS_ATTR_CREATE_QP_CAP, &cap, sizeof(cap));
	add_number(&m, UVERBS_ATTR_CREATE_QP_TYPE, cmd->qp_type);
	add_number(&m, UVERBS_ATTR_CREATE_QP_FLAGS,
		   cmd->create_flags | (cmd->sq_sig_all ? IB_UVERBS_QP_CREATE_SQ_SIG_ALL : 0));
	add_out(&m, UVERBS_ATTR_CREATE_QP_RESP_CAP, &got, sizeof(got));
	add_out(&m, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, &resp->qpn, sizeof(resp->qpn));
	ret = create(&m, c);
	if (ret)
		return ret;
	resp->qp_handle = (uint32_t)handle->data;
	resp->max_send_wr = got.max_send_wr;
	resp->max_recv_wr = got.max_recv_wr;
	resp->max_send_sge = got.max_send_sge;
	resp->max_recv_sge = got.max_recv_sge;
	resp->max_inline_data = got.max_inline_data;
	return 0;
}

int uverbs_write_create_qp(struct uverbs_call *c)
{
	struct ib_uverbs_create_qp_resp resp = { 0 };
	struct ib_uverbs_ex_create_qp ex = { 0 };
	struct ib_uverbs_create_qp cmd;
	int ret = uverbs_request(c, &cmd);

	/* The extended one is the same without the address of the response. */
	memcpy(&ex, &cmd.user_handle, offsetof(struct ib_uverbs_ex_create_qp, comp_mask));
	if (!ret)
		ret = create_qp(c, &ex, &resp);
	if (!ret)
		uverbs_response(c, &resp);
	return ret;
}

int uverbs_write_ex_create_qp(struct uverbs_call *c)
{
	struct ib_uverbs_ex_create_qp_resp resp = { .response_length = sizeof(resp) };
	struct ib_uverbs_ex_create_qp cmd;
	int ret = uverbs_request(c, &cmd);

	if (!ret && cmd.comp_mask & ~(uint32_t)IB_UVERBS_CREATE_QP_MASK_IND_TABLE)
		ret = -EINVAL;
	if (!ret)
		ret = create_qp(c, &cmd, &resp.base);
	if (!ret)
		uverbs_response(c, &resp);
	return ret;
}

static int create_srq(struct uverbs_call *c, const struct ib_uverbs_create_xsrq *cmd,
		      struct ib_uverbs_create_srq_resp *resp)
{
	struct ib_uverbs_attr *handle;
	struct inner m;
	int ret;

	begin(&m, c, UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE);
	handle = add_object(&m, UVERBS_ATTR_CREATE_SRQ_HANDLE, 0);
	add_object(&m, UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, cmd->pd_handle);
	if (cmd->srq_type == IB_UVERBS_SRQT_XRC)
		add_object(&m, UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE, cmd->xrcd_handle);
	if (cmd->srq_type != IB_UVERBS_SRQT_BASIC)
		add_object(&m, UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE, cmd->cq_handle);
	if (cmd->srq_type == IB_UVERBS_SRQT_TM)
		add_in(&m, UVERBS_ATTR_CREATE_SRQ_MAX_NUM_TAGS, &cmd->max_num_tags,
		       sizeof(cmd->max_num_tags));
	add_in(&m, UVERBS_ATTR_CREATE_SRQ_USER_HANDLE, &cmd->user_handle,
	       sizeof(cmd->user_handle));
	add_in(&m, UVERBS_ATTR_CREATE_SRQ_MAX_WR, &cmd->max_wr, sizeof(cmd->max_wr));
	add_in(&m, UVERBS_ATTR_CREATE_SRQ_MAX_SGE, &cmd->max_sge, sizeof(cmd->max_sge));
	add_in(&m, UVERBS_ATTR_CREATE_SRQ_LIMIT, &cmd->srq_limit, sizeof(cmd->srq_limit));
	add_number(&m, UVERBS_ATTR_CREATE_SRQ_TYPE, cmd->srq_type);
	add_out(&m, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, &resp->max_wr, sizeof(resp->max_wr));
	add_out(&m, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, &resp->max_sge, sizeof(resp->max_sge));
	if (cmd->srq_type == IB_UVERBS_SRQT_XRC)
		add_out(&m, UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM, &resp->srqn,
			sizeof(resp->srqn));
	ret = create(&m, c);
	resp->srq_handle = (uint32_t)handle->data;
	if (!ret)
		uverbs_response(c, resp);
	return ret;
}

int uverbs_write_create_srq(struct uverbs_call *c)
{
	struct ib_uverbs_create_srq_resp resp = { 0 };
	struct ib_uverbs_create_srq cmd;
	int ret = uverbs_request(c, &cmd);

	return ret ? ret
		   : create_srq(
			     c,
			     &(struct ib_uverbs_create_xsrq){ .user_handle = cmd.user_handle,
							      .srq_type = IB_UVERBS_SRQT_BASIC,
							      .pd_handle = cmd.pd_handle,
							      .max_wr = cmd.max_wr,
							      .max_sge = cmd.max_sge,
							      .srq_limit = cmd.srq_limit },
			     &resp);
}

int uverbs_write_create_xsrq(struct uverbs_call *c)
{
	struct ib_uverbs_create_srq_resp resp = { 0 };
	struct ib_uverbs_create_xsrq cmd;
	int ret = uverbs_request(c, &cmd);

	return ret ? ret : create_srq(c, &cmd, &resp);
}
