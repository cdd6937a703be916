/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work queues: separate receive queues, which tables for receive-side scaling name (ib_uverbs,
 * uverbs_std_types_wq.c, uverbs_cmd.c; mlx5_ib, qp.c, mlx5_ib_create_wq).
 *
 *	ioctl WQ_CREATE, or the command of that name (INVOKE_WRITE) --> CREATE_RQ
 *	MODIFY_WQ: RESET -> RDY -> ERR, RESET from anywhere         --> MODIFY_RQ
 */
#include <linux/capability.h>

#include <infiniband/verbs.h>

#include "uverbs/ethernet.h"
#include "uverbs/event_fd.h"
#include "uverbs/memlock.h"
#include "uverbs/umem.h"

#define DBREC_SIZE 8
#define FLAGS                                                                  \
	(IB_UVERBS_WQ_FLAGS_CVLAN_STRIPPING | IB_UVERBS_WQ_FLAGS_SCATTER_FCS | \
	 IB_UVERBS_WQ_FLAGS_DELAY_DROP | IB_UVERBS_WQ_FLAGS_PCI_WRITE_END_PADDING)

/* The attributes of CREATE_WQ. */
struct attr {
	uint64_t user_handle;
	uint32_t type, max_wr, max_sge, flags;
	struct uverbs_pd *pd;
	struct uverbs_cq *cq;
	struct mlx5_ib_create_wq mlx5;
	struct uverbs_rq_attr rq;
};

/* ---- create ---- */

/* mlx5_ib, qp.c, prepare_user_rq */
static int check_strides(const struct uverbs *u, const struct mlx5_ib_create_wq *m)
{
	if (!(m->comp_mask & MLX5_IB_CREATE_WQ_STRIDING_RQ))
		return 0;
	if (!UVERBS_CAP(u, striding_rq))
		return -EOPNOTSUPP;
	if (m->single_stride_log_num_of_bytes < UVERBS_LOG_STRIDE_BYTES_MIN ||
	    m->single_stride_log_num_of_bytes > UVERBS_LOG_STRIDE_BYTES_MAX)
		return -EINVAL;
	if (m->single_wqe_log_num_of_strides < uverbs_min_log_strides(u) ||
	    m->single_wqe_log_num_of_strides > UVERBS_LOG_STRIDES_MAX)
		return -EINVAL;
	return 0;
}

/* There, set_user_rq_size, create_user_rq. */
static int check_size(const struct uverbs *u, const struct attr *a)
{
	const struct mlx5_ib_create_wq *m = &a->mlx5;

	if (a->max_wr > 1u << UVERBS_CAP(u, log_max_wq_sz) || !m->rq_wqe_count)
		return -EINVAL;
	if (m->rq_wqe_shift >= 32 || (uint64_t)m->rq_wqe_count << m->rq_wqe_shift > UINT32_MAX)
		return -EINVAL;
	return m->buf_addr ? 0 : -EINVAL;
}

static int read_mlx5(const struct uverbs_call *c, struct attr *a)
{
	struct mlx5_ib_create_wq *m = &a->mlx5;
	int ret;

	if (uverbs_len(c, UVERBS_ATTR_UHW_IN) <
	    offsetof(struct mlx5_ib_create_wq, single_wqe_log_num_of_strides))
		return -EINVAL;
	ret = uverbs_get_all(c, UVERBS_ATTR_UHW_IN, m, sizeof(*m));
	if (ret)
		return ret;
	if (m->comp_mask & ~(uint32_t)MLX5_IB_CREATE_WQ_STRIDING_RQ)
		return -EOPNOTSUPP;
	ret = check_strides(c->u, m);
	return ret ? ret : check_size(c->u, a);
}

/* There, mlx5_ib_create_wq, up to what needs the application's memory. */
static int check_driver(const struct uverbs_call *c, struct attr *a)
{
	size_t out = uverbs_len(c, UVERBS_ATTR_UHW_OUT);

	if (out && out < sizeof(struct mlx5_ib_create_wq_resp))
		return -EINVAL;
	if (a->flags & IB_UVERBS_WQ_FLAGS_DELAY_DROP && !uverbs_capable(CAP_SYS_RAWIO))
		return -EPERM;
	return a->type == IB_UVERBS_WQT_RQ ? read_mlx5(c, a) : -EINVAL;
}

/* There, create_rq. Frames that have no WQE yet are not delayed here. */
static int check_flags(const struct uverbs *u, uint32_t flags)
{
	if (flags & IB_UVERBS_WQ_FLAGS_PCI_WRITE_END_PADDING && !UVERBS_CAP(u, end_pad))
		return -EOPNOTSUPP;
	if (flags & IB_UVERBS_WQ_FLAGS_CVLAN_STRIPPING && !uverbs_strips_vlan(u))
		return -EOPNOTSUPP;
	if (flags & IB_UVERBS_WQ_FLAGS_SCATTER_FCS && !uverbs_scatters_fcs(u))
		return -EOPNOTSUPP;
	return flags & IB_UVERBS_WQ_FLAGS_DELAY_DROP ? -EOPNOTSUPP : 0;
}

static void fill_rq(struct attr *a)
{
	const struct mlx5_ib_create_wq *m = &a->mlx5;

	a->rq = (struct uverbs_rq_attr){
		.buf = m->buf_addr,
		.bytes = (uint64_t)m->rq_wqe_count << m->rq_wqe_shift,
		.dbrec = m->db_addr,
		.log_size = 31 - __builtin_clz(m->rq_wqe_count),
		.log_stride = m->rq_wqe_shift,
		.pdn = a->pd->pdn,
		.uid = a->pd->uid,
		.user_index = m->user_index,
		.cq = a->cq,
		.strip_vlan = a->flags & IB_UVERBS_WQ_FLAGS_CVLAN_STRIPPING,
		.scatter_fcs = a->flags & IB_UVERBS_WQ_FLAGS_SCATTER_FCS,
		.end_padding = a->flags & IB_UVERBS_WQ_FLAGS_PCI_WRITE_END_PADDING,
		.striding = m->comp_mask & MLX5_IB_CREATE_WQ_STRIDING_RQ,
		.two_byte_shift = m->two_byte_shift_en,
		.log_stride_bytes = m->single_stride_log_num_of_bytes,
		.log_strides = m->single_wqe_log_num_of_strides,
	};
}

static int pin(struct uverbs_call *c, struct attr *a)
{
	struct mlx5_ib_create_wq *m = &a->mlx5;
	uint64_t bytes = (uint64_t)m->rq_wqe_count << m->rq_wqe_shift;
	int ret = uverbs_umem_get(c, &m->buf_addr, bytes);

	return ret ? ret : uverbs_record_get(c, &m->db_addr, DBREC_SIZE);
}

static int wq_create(struct uverbs_call *c, struct attr *a, struct uverbs_wq *wq)
{
	struct mlx5_ib_create_wq_resp r = { .response_length = sizeof(r) };
	int ret = check_driver(c, a);

	if (!ret)
		ret = pin(c, a);
	if (!ret)
		ret = check_flags(c->u, a->flags);
	if (ret)
		return ret;
	fill_rq(a);
	ret = uverbs_rq_create(c->file, &a->rq, &wq->rqn);
	wq->pd = a->pd;
	wq->cq = a->cq;
	wq->state = IBV_WQS_RESET;
	uverbs_events_set(c, &wq->events, UVERBS_ATTR_CREATE_WQ_EVENT_FD, a->user_handle);
	if (!ret)
		uverbs_answer(c, UVERBS_ATTR_UHW_OUT, r);
	return ret;
}

int uverbs_create_wq(struct uverbs_call *c)
{
	struct attr a = {
		.user_handle = uverbs_number(c, UVERBS_ATTR_CREATE_WQ_USER_HANDLE),
		.type = uverbs_number(c, UVERBS_ATTR_CREATE_WQ_TYPE),
		.max_wr = uverbs_number(c, UVERBS_ATTR_CREATE_WQ_MAX_WR),
		.max_sge = uverbs_number(c, UVERBS_ATTR_CREATE_WQ_MAX_SGE),
		.pd = uverbs_arg(c, UVERBS_ATTR_CREATE_WQ_PD_HANDLE),
		.cq = uverbs_arg(c, UVERBS_ATTR_CREATE_WQ_CQ_HANDLE),
	};
	struct uverbs_wq *wq = c->made;
	int ret = uverbs_flags(c, UVERBS_ATTR_CREATE_WQ_FLAGS, FLAGS, &a.flags);

	if (!ret)
		ret = wq_create(c, &a, wq);
	if (ret)
		return ret;
	uverbs_answer(c, UVERBS_ATTR_CREATE_WQ_RESP_MAX_WR, a.max_wr);
	uverbs_answer(c, UVERBS_ATTR_CREATE_WQ_RESP_MAX_SGE, a.max_sge);
	uverbs_answer(c, UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM, wq->rqn);
	return 0;
}

int uverbs_ex_create_wq(struct uverbs_call *c)
{
	struct ib_uverbs_ex_create_wq_resp resp = { .response_length = sizeof(resp) };
	struct ib_uverbs_ex_create_wq cmd;
	struct uverbs_wq *wq;
	struct attr a = { 0 };
	int ret = uverbs_request(c, &cmd);

	if (ret)
		return ret;
	if (cmd.comp_mask)
		return -EOPNOTSUPP;
	wq = uverbs_object_new(c, UVERBS_WQ);
	if (!wq)
		return c->error;
	a.pd = uverbs_named(c, cmd.pd_handle, UVERBS_PD);
	a.cq = uverbs_named(c, cmd.cq_handle, UVERBS_CQ);
	if (!a.pd || !a.cq)
		return -EINVAL;
	a.user_handle = cmd.user_handle;
	a.type = cmd.wq_type;
	a.max_wr = cmd.max_wr;
	a.max_sge = cmd.max_sge;
	a.flags = cmd.create_flags;
	ret = wq_create(c, &a, wq);
	if (ret)
		return ret;
	resp.wq_handle = wq->obj.handle;
	resp.max_wr = a.max_wr;
	resp.max_sge = a.max_sge;
	resp.wqn = wq->rqn;
	uverbs_response(c, &resp);
	return 0;
}

/* ---- destroy ---- */

int uverbs_wq_destroy(struct uverbs *u, void *obj)
{
	const struct uverbs_wq *wq = obj;

	return uverbs_fw_number(u, PRM_OP_DESTROY_RQ, wq->pd->uid, wq->rqn);
}

int uverbs_ex_destroy_wq(struct uverbs_call *c)
{
	struct ib_uverbs_ex_destroy_wq_resp resp = { .response_length = sizeof(resp) };
	struct uverbs_reported reported = { 0 };
	struct ib_uverbs_ex_destroy_wq cmd;
	struct uverbs_object *o;
	int ret = uverbs_request(c, &cmd);

	if (ret)
		return ret;
	if (cmd.comp_mask)
		return -EOPNOTSUPP;
	ret = uverbs_object_get(c->file, cmd.wq_handle, UVERBS_WQ, &o);
	if (!ret)
		ret = uverbs_object_destroy(o, &reported);
	resp.events_reported = reported.async;
	if (!ret)
		uverbs_response(c, &resp);
	return ret;
}

/* ---- modify ---- */

/* mlx5_ib, qp.c, mlx5_ib_modify_wq: what libmlx5 adds. */
static int check_uhw(const struct uverbs_call *c)
{
	struct mlx5_ib_modify_wq m;
	int ret;

	if (uverbs_len(c, UVERBS_ATTR_UHW_IN) < sizeof(m))
		return -EINVAL;
	ret = uverbs_get_all(c, UVERBS_ATTR_UHW_IN, &m, sizeof(m));
	if (ret)
		return ret;
	return m.comp_mask || m.reserved ? -EOPNOTSUPP : 0;
}

static uint8_t rq_state(uint32_t state)
{
	return state == IBV_WQS_ERR ? PRM_RQC_STATE_ERR : state;
}

/* Bit 1 of modify_bitmask: mlx5_ifc.h, MLX5_MODIFY_RQ_IN_MODIFY_BITMASK_VSD */
#define SET_VSD (1ull << 1)

static int execute(struct uverbs *u, struct uverbs_wq *wq,
		   const struct ib_uverbs_ex_modify_wq *cmd)
{
	uint8_t in[PRM_SZ(modify_rq_in)] = { 0 }, out[PRM_SZ(modify_rq_out)] = { 0 };
	uint8_t *rqc = PRM_ADDR(modify_rq_in, in, ctx);
	bool flags = cmd->attr_mask & IBV_WQ_ATTR_FLAGS;

	if (flags && cmd->flags_mask & IB_UVERBS_WQ_FLAGS_CVLAN_STRIPPING) {
		if (!uverbs_strips_vlan(u))
			return -EOPNOTSUPP;
		PRM_SET(modify_rq_in, in, modify_bitmask, SET_VSD);
		PRM_SET(rqc, rqc, vsd, !(cmd->flags & IB_UVERBS_WQ_FLAGS_CVLAN_STRIPPING));
	}
	if (flags && cmd->flags_mask & IB_UVERBS_WQ_FLAGS_PCI_WRITE_END_PADDING)
		return -EOPNOTSUPP;
	PRM_SET(modify_rq_in, in, opcode, PRM_OP_MODIFY_RQ);
	PRM_SET(modify_rq_in, in, uid, wq->pd->uid);
	PRM_SET(modify_rq_in, in, rqn, wq->rqn);
	PRM_SET(modify_rq_in, in, rq_state, rq_state(cmd->curr_wq_state));
	PRM_SET(rqc, rqc, state, rq_state(cmd->wq_state));
	return uverbs_fw(u, in, sizeof(in), out, sizeof(out));
}

/* ib_uverbs, uverbs_cmd.c, ib_uverbs_ex_modify_wq */
static int complete(const struct uverbs_wq *wq, struct ib_uverbs_ex_modify_wq *cmd)
{
	if (!(cmd->attr_mask & IBV_WQ_ATTR_CURR_STATE))
		cmd->curr_wq_state = wq->state;
	if (!(cmd->attr_mask & IBV_WQ_ATTR_STATE))
		cmd->wq_state = cmd->curr_wq_state;
	return cmd->curr_wq_state > IBV_WQS_ERR || cmd->wq_state > IBV_WQS_ERR ? -EINVAL : 0;
}

int uverbs_ex_modify_wq(struct uverbs_call *c)
{
	struct ib_uverbs_ex_modify_wq cmd;
	struct uverbs_wq *wq;
	int ret = uverbs_request(c, &cmd);

	if (ret)
		return ret;
	if (!cmd.attr_mask ||
	    cmd.attr_mask > (IBV_WQ_ATTR_STATE | IBV_WQ_ATTR_CURR_STATE | IBV_WQ_ATTR_FLAGS))
		return -EINVAL;
	wq = uverbs_named(c, cmd.wq_handle, UVERBS_WQ);
	if (!wq)
		return -EINVAL;
	ret = complete(wq, &cmd);
	if (!ret)
		ret = check_uhw(c);
	if (!ret)
		ret = execute(c->u, wq, &cmd);
	if (!ret)
		wq->state = cmd.wq_state;
	return ret;
}
