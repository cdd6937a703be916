/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contents of an ioctl's inputs, so that handlers get as far as possible: the structs of
 * <rdma/ib_user_verbs.h> and <rdma/mlx5-abi.h> with live handles, queues in the arena, sizes
 * that fit. An input that this file does not know gets words that could be anything.
 */
#include <fcntl.h>

#include <infiniband/verbs.h>

#include "call.h"
#include "prm/table.h"

#define EX(cmd) ((cmd) | IB_USER_VERBS_CMD_FLAG_EXTENDED)
#define KEY(object, method, id) \
	((uint64_t)(object) << 32 | (uint32_t)(method) << 16 | (uint32_t)(id))

/* ---- objects ---- */

/* The method that takes nothing but an object, in the first place, destroys it. */
static int type_of(uint16_t object)
{
	bool known;

	for (uint16_t method = 0; method < 16; method++) {
		const struct uverbs_method *m = uverbs_method(object, method, &known);

		if (m && m->spec[0].kind == UVERBS_ATTR_OBJECT)
			return m->spec[0].type;
	}
	return -1;
}

static struct uverbs_object *object_of(const struct client *s, int type)
{
	uint32_t at = s->f->table_size ? below(s->f->table_size) : 0;

	for (uint32_t i = 0; i < s->f->table_size; i++) {
		struct uverbs_object *o = s->f->table[(at + i) % s->f->table_size];

		if (o && (int)o->type == type)
			return o;
	}
	return NULL;
}

uint32_t content_handle(const struct client *s, uint16_t object)
{
	const struct uverbs_object *o = object_of(s, type_of(object));

	return o ? o->handle : below(8);
}

static uint32_t uar_page(const struct client *s)
{
	struct uverbs_object *o = object_of(s, UVERBS_UAR);

	return o ? core_container(o, struct uverbs_uar, obj)->index : below(8);
}

static const struct uverbs_qp *qp_of(const struct client *s, uint32_t handle)
{
	if (handle >= s->f->table_size || !s->f->table[handle] ||
	    s->f->table[handle]->type != UVERBS_QP)
		return NULL;
	return core_container(s->f->table[handle], struct uverbs_qp, obj);
}

static uint64_t record(void)
{
	return arena_page() + 8 * below(512);
}

/* Words of which some could be flags, some sizes, some handles, some addresses. */
static void words(uint8_t *buf, size_t len)
{
	memset(buf, 0, len);
	for (size_t at = 0; at + 8 <= len; at += 8) {
		uint64_t v = one_in(3) ? arena_page() : one_in(2) ? below(16) : 0;

		memcpy(buf + at, &v, sizeof(v));
	}
	for (size_t at = 0; at + 4 <= len; at += 4) {
		uint32_t v = below(65);

		if (one_in(3))
			memcpy(buf + at, &v, sizeof(v));
	}
}

/* ---- write commands ---- */

#define SIZE(cmd_, in_, out_)                                 \
	{                                                     \
		cmd_, sizeof(struct in_), sizeof(struct out_) \
	}
#define ONLY(cmd_, in_)                     \
	{                                   \
		cmd_, sizeof(struct in_), 0 \
	}

static const struct write_size sizes[] = {
	SIZE(IB_USER_VERBS_CMD_GET_CONTEXT, ib_uverbs_get_context, ib_uverbs_get_context_resp),
	SIZE(IB_USER_VERBS_CMD_QUERY_DEVICE, ib_uverbs_query_device,
	     ib_uverbs_query_device_resp),
	SIZE(EX(IB_USER_VERBS_EX_CMD_QUERY_DEVICE), ib_uverbs_ex_query_device,
	     ib_uverbs_ex_query_device_resp),
	SIZE(IB_USER_VERBS_CMD_QUERY_PORT, ib_uverbs_query_port, ib_uverbs_query_port_resp),
	SIZE(IB_USER_VERBS_CMD_ALLOC_PD, ib_uverbs_alloc_pd, ib_uverbs_alloc_pd_resp),
	ONLY(IB_USER_VERBS_CMD_DEALLOC_PD, ib_uverbs_dealloc_pd),
	SIZE(IB_USER_VERBS_CMD_CREATE_AH, ib_uverbs_create_ah, ib_uverbs_create_ah_resp),
	ONLY(IB_USER_VERBS_CMD_DESTROY_AH, ib_uverbs_destroy_ah),
	SIZE(IB_USER_VERBS_CMD_REG_MR, ib_uverbs_reg_mr, ib_uverbs_reg_mr_resp),
	SIZE(IB_USER_VERBS_CMD_REREG_MR, ib_uverbs_rereg_mr, ib_uverbs_rereg_mr_resp),
	ONLY(IB_USER_VERBS_CMD_DEREG_MR, ib_uverbs_dereg_mr),
	SIZE(IB_USER_VERBS_CMD_ALLOC_MW, ib_uverbs_alloc_mw, ib_uverbs_alloc_mw_resp),
	ONLY(IB_USER_VERBS_CMD_DEALLOC_MW, ib_uverbs_dealloc_mw),
	SIZE(IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL, ib_uverbs_create_comp_channel,
	     ib_uverbs_create_comp_channel_resp),
	SIZE(IB_USER_VERBS_CMD_CREATE_CQ, ib_uverbs_create_cq, ib_uverbs_create_cq_resp),
	SIZE(EX(IB_USER_VERBS_EX_CMD_CREATE_CQ), ib_uverbs_ex_create_cq,
	     ib_uverbs_ex_create_cq_resp),
	SIZE(IB_USER_VERBS_CMD_RESIZE_CQ, ib_uverbs_resize_cq, ib_uverbs_resize_cq_resp),
	SIZE(IB_USER_VERBS_CMD_DESTROY_CQ, ib_uverbs_destroy_cq, ib_uverbs_destroy_cq_resp),
	ONLY(EX(IB_USER_VERBS_EX_CMD_MODIFY_CQ), ib_uverbs_ex_modify_cq),
	SIZE(IB_USER_VERBS_CMD_CREATE_QP, ib_uverbs_create_qp, ib_uverbs_create_qp_resp),
	SIZE(EX(IB_USER_VERBS_EX_CMD_CREATE_QP), ib_uverbs_ex_create_qp,
	     ib_uverbs_ex_create_qp_resp),
	SIZE(IB_USER_VERBS_CMD_OPEN_QP, ib_uverbs_open_qp, ib_uverbs_create_qp_resp),
	SIZE(IB_USER_VERBS_CMD_QUERY_QP, ib_uverbs_query_qp, ib_uverbs_query_qp_resp),
	ONLY(IB_USER_VERBS_CMD_MODIFY_QP, ib_uverbs_modify_qp),
	SIZE(EX(IB_USER_VERBS_EX_CMD_MODIFY_QP), ib_uverbs_ex_modify_qp,
	     ib_uverbs_ex_modify_qp_resp),
	SIZE(IB_USER_VERBS_CMD_DESTROY_QP, ib_uverbs_destroy_qp, ib_uverbs_destroy_qp_resp),
	ONLY(IB_USER_VERBS_CMD_ATTACH_MCAST, ib_uverbs_attach_mcast),
	ONLY(IB_USER_VERBS_CMD_DETACH_MCAST, ib_uverbs_detach_mcast),
	SIZE(IB_USER_VERBS_CMD_CREATE_SRQ, ib_uverbs_create_srq, ib_uverbs_create_srq_resp),
	SIZE(IB_USER_VERBS_CMD_CREATE_XSRQ, ib_uverbs_create_xsrq, ib_uverbs_create_srq_resp),
	ONLY(IB_USER_VERBS_CMD_MODIFY_SRQ, ib_uverbs_modify_srq),
	SIZE(IB_USER_VERBS_CMD_QUERY_SRQ, ib_uverbs_query_srq, ib_uverbs_query_srq_resp),
	SIZE(IB_USER_VERBS_CMD_DESTROY_SRQ, ib_uverbs_destroy_srq, ib_uverbs_destroy_srq_resp),
	SIZE(IB_USER_VERBS_CMD_OPEN_XRCD, ib_uverbs_open_xrcd, ib_uverbs_open_xrcd_resp),
	ONLY(IB_USER_VERBS_CMD_CLOSE_XRCD, ib_uverbs_close_xrcd),
	SIZE(EX(IB_USER_VERBS_EX_CMD_CREATE_WQ), ib_uverbs_ex_create_wq,
	     ib_uverbs_ex_create_wq_resp),
	ONLY(EX(IB_USER_VERBS_EX_CMD_MODIFY_WQ), ib_uverbs_ex_modify_wq),
	SIZE(EX(IB_USER_VERBS_EX_CMD_DESTROY_WQ), ib_uverbs_ex_destroy_wq,
	     ib_uverbs_ex_destroy_wq_resp),
	SIZE(EX(IB_USER_VERBS_EX_CMD_CREATE_RWQ_IND_TBL), ib_uverbs_ex_create_rwq_ind_table,
	     ib_uverbs_ex_create_rwq_ind_table_resp),
	SIZE(EX(IB_USER_VERBS_EX_CMD_CREATE_FLOW), ib_uverbs_create_flow,
	     ib_uverbs_create_flow_resp),
};

struct write_size content_size(uint32_t cmd)
{
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (sizes[i].cmd == cmd)
			return sizes[i];
	return (struct write_size){ .cmd = cmd };
}

static void to_next_state(const struct client *s, struct ib_uverbs_modify_qp *m)
{
	const struct uverbs_qp *qp = qp_of(s, m->qp_handle);
	const struct uverbs_object *peer = object_of(s, UVERBS_QP);
	uint8_t state = qp ? qp->state : below(4);

	if (one_in(4))
		state = below(7);
	m->port_num = 1;
	m->qp_access_flags = below(16);
	m->dest.dgid[10] = m->dest.dgid[11] = 0xff;
	m->dest.dgid[12] = 10;
	m->dest.dgid[15] = 1;
	m->dest.sgid_index = FUZZ_GID;
	m->dest.is_global = m->dest.port_num = 1;
	m->path_mtu = 1 + below(5);
	m->dest_qp_num = peer ? core_container(peer, const struct uverbs_qp, obj)->qpn : 1;
	m->max_dest_rd_atomic = m->max_rd_atomic = below(17);
	m->min_rnr_timer = below(32);
	m->timeout = below(32);
	m->retry_cnt = m->rnr_retry = below(8);
	m->qkey = 0x11111111;
	m->attr_mask = IBV_QP_STATE;
	m->qp_state = state + 1;
	if (state == IBV_QPS_RESET)
		m->attr_mask |= IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				(one_in(3) ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS);
	else if (state == IBV_QPS_INIT)
		m->attr_mask |= one_in(3) ? 0
					  : IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
						    IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
						    IBV_QP_MIN_RNR_TIMER;
	else if (state == IBV_QPS_RTR)
		m->attr_mask |= IBV_QP_SQ_PSN | (one_in(3) ? 0
							   : IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
								     IBV_QP_RNR_RETRY |
								     IBV_QP_MAX_QP_RD_ATOMIC);
	else
		m->qp_state = one_in(2) ? IBV_QPS_ERR : IBV_QPS_RESET;
}

static void fill_modify_qp(const struct client *s, uint8_t *buf)
{
	struct ib_uverbs_modify_qp m = { .qp_handle = content_handle(s, UVERBS_OBJECT_QP) };

	to_next_state(s, &m);
	if (one_in(8))
		m.attr_mask |= 1u << below(26);
	memcpy(buf, &m, sizeof(m));
}

static void fill_mr(const struct client *s, uint8_t *buf, bool again)
{
	uint64_t va = arena_page() + below(4096), length = 1 + below(20000);
	uint64_t iova = one_in(4) ? va & 0xfff : va;
	uint32_t access = one_in(8) ? odd_number() : below(16);

	if (again) {
		struct ib_uverbs_rereg_mr m = { .mr_handle =
							content_handle(s, UVERBS_OBJECT_MR),
						.flags = below(9),
						.start = va,
						.length = length,
						.hca_va = iova,
						.pd_handle =
							content_handle(s, UVERBS_OBJECT_PD),
						.access_flags = access };

		memcpy(buf, &m, sizeof(m));
	} else {
		struct ib_uverbs_reg_mr m = { .start = va,
					      .length = length,
					      .hca_va = iova,
					      .pd_handle = content_handle(s, UVERBS_OBJECT_PD),
					      .access_flags = access };

		memcpy(buf, &m, sizeof(m));
	}
}

static void fill_ah(const struct client *s, uint8_t *buf)
{
	struct ib_uverbs_create_ah ah = { .pd_handle = content_handle(s, UVERBS_OBJECT_PD) };

	ah.attr.is_global = ah.attr.port_num = 1;
	ah.attr.grh.sgid_index = FUZZ_GID;
	ah.attr.grh.dgid[10] = ah.attr.grh.dgid[11] = 0xff;
	ah.attr.grh.dgid[12] = 10;
	memcpy(buf, &ah, sizeof(ah));
}

/* The first word of these is a handle, after the 8 bytes where the response's address was. */
static uint16_t object_in(uint32_t cmd, size_t *at)
{
	*at = 8;
	switch (cmd) {
	case IB_USER_VERBS_CMD_QUERY_QP:
		return UVERBS_OBJECT_QP;
	case IB_USER_VERBS_CMD_QUERY_SRQ:
		return UVERBS_OBJECT_SRQ;
	case IB_USER_VERBS_CMD_RESIZE_CQ:
		return UVERBS_OBJECT_CQ;
	}
	*at = 0;
	switch (cmd) {
	case IB_USER_VERBS_CMD_MODIFY_SRQ:
		return UVERBS_OBJECT_SRQ;
	case EX(IB_USER_VERBS_EX_CMD_MODIFY_CQ):
		return UVERBS_OBJECT_CQ;
	}
	return UVERBS_OBJECT_DEVICE; /* none */
}

static size_t fill_write(const struct client *s, uint32_t cmd, uint8_t *buf)
{
	size_t len = content_size(cmd).in, at;
	uint16_t object = object_in(cmd, &at);
	uint32_t handle;

	if (!len)
		len = 8 * (1 + below(16));
	words(buf, len);
	switch (cmd) {
	case IB_USER_VERBS_CMD_REG_MR:
	case IB_USER_VERBS_CMD_REREG_MR:
		fill_mr(s, buf, cmd == IB_USER_VERBS_CMD_REREG_MR);
		break;
	case IB_USER_VERBS_CMD_CREATE_AH:
		fill_ah(s, buf);
		break;
	case IB_USER_VERBS_CMD_OPEN_XRCD:
		memcpy(buf, &(struct ib_uverbs_open_xrcd){ .fd = -1, .oflags = O_CREAT }, len);
		break;
	case EX(IB_USER_VERBS_EX_CMD_MODIFY_QP):
		memset(buf, 0, len);
		/* fall through */
	case IB_USER_VERBS_CMD_MODIFY_QP:
		fill_modify_qp(s, buf);
		break;
	}
	if (object == UVERBS_OBJECT_DEVICE)
		return len;
	if (cmd == EX(IB_USER_VERBS_EX_CMD_MODIFY_CQ))
		memcpy(buf,
		       &(struct ib_uverbs_ex_modify_cq){ .attr_mask = 1, .attr.cq_count = 3 },
		       len);
	handle = content_handle(s, object);
	memcpy(buf + at, &handle, sizeof(handle));
	return len;
}

/* ---- attributes ---- */

static size_t give(uint8_t *buf, const void *from, size_t len)
{
	memcpy(buf, from, len);
	return len;
}

static size_t number(uint8_t *buf, uint64_t v, size_t len)
{
	return give(buf, &v, len);
}

static size_t context_uhw(const struct client *s, uint8_t *buf)
{
	const struct mlx5_ib_alloc_ucontext_req_v2 req = {
		.total_num_bfregs = 16,
		.num_low_latency_bfregs = 4,
		.flags = s->devx ? MLX5_IB_ALLOC_UCTX_DEVX : 0,
		.max_cqe_version = 1,
		.lib_caps = MLX5_LIB_CAP_4K_UAR | MLX5_LIB_CAP_DYN_UAR,
	};

	return give(buf, &req, sizeof(req));
}

static size_t cq_uhw(const struct client *s, uint8_t *buf)
{
	const struct mlx5_ib_create_cq cq = { .buf_addr = arena_page(),
					      .db_addr = record(),
					      .cqe_size = one_in(3) ? 128 : 64,
					      .flags = MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX,
					      .uar_page_index = uar_page(s) };

	return give(buf, &cq, sizeof(cq));
}

static size_t resize_uhw(uint8_t *buf)
{
	const struct mlx5_ib_resize_cq ring = { .buf_addr = arena_page(),
						.cqe_size = one_in(3) ? 128 : 64 };

	return give(buf, &ring, sizeof(ring));
}

static size_t srq_uhw(uint8_t *buf)
{
	const struct mlx5_ib_create_srq srq = { .buf_addr = arena_page(),
						.db_addr = record(),
						.uidx = 5 };

	return give(buf, &srq, sizeof(srq));
}

static size_t qp_uhw(const struct client *s, uint8_t *buf)
{
	struct mlx5_ib_create_qp qp = { .buf_addr = arena_page(),
					.db_addr = record(),
					.sq_wqe_count = one_in(8) ? 0 : 1u << below(9),
					.rq_wqe_count = 1u << below(9),
					.rq_wqe_shift = 4 + below(5),
					.flags = MLX5_QP_FLAG_UAR_PAGE_INDEX,
					.uidx = 7,
					.bfreg_index = uar_page(s) };

	if (one_in(2))
		qp.flags |= MLX5_QP_FLAG_SCATTER_CQE;
	return give(buf, &qp, sizeof(qp));
}

static size_t qp_cap(uint8_t *buf)
{
	const struct ib_uverbs_qp_cap cap = { .max_send_wr = 1 + below(64),
					      .max_recv_wr = below(64),
					      .max_send_sge = below(31),
					      .max_recv_sge = below(31),
					      .max_inline_data = below(200) };

	return give(buf, &cap, sizeof(cap));
}

static size_t known(const struct client *s, uint64_t key, uint8_t *buf)
{
	switch (key) {
	case KEY(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT, UVERBS_ATTR_UHW_IN):
		return context_uhw(s, buf);
	case KEY(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT,
		 UVERBS_ATTR_QUERY_PORT_PORT_NUM):
	case KEY(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_ENTRY,
		 UVERBS_ATTR_QUERY_GID_ENTRY_PORT):
		return number(buf, 1, 4);
	case KEY(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_TABLE,
		 UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE):
		return number(buf, sizeof(struct ib_uverbs_gid_entry), 8);
	case KEY(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_TABLE,
		 UVERBS_ATTR_QUERY_GID_TABLE_FLAGS):
	case KEY(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_ENTRY,
		 UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS):
	case KEY(UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR):
		return number(buf, 0, 4);
	case KEY(UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE, UVERBS_ATTR_CREATE_CQ_CQE):
	case KEY(UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE, UVERBS_ATTR_CREATE_SRQ_MAX_WR):
		return number(buf, below(200), 4);
	case KEY(UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE, UVERBS_ATTR_CREATE_CQ_FLAGS):
		return number(buf, below(2) << 1, 4);
	case KEY(UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE, UVERBS_ATTR_UHW_IN):
		return cq_uhw(s, buf);
	case KEY(UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE, UVERBS_ATTR_UHW_IN):
		return srq_uhw(buf);
	case KEY(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE, UVERBS_ATTR_UHW_IN):
		return qp_uhw(s, buf);
	case KEY(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE, UVERBS_ATTR_CREATE_QP_CAP):
		return qp_cap(buf);
	case KEY(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE, UVERBS_ATTR_CREATE_QP_TYPE):
		return number(buf, one_in(3) ? 2 + below(10) : IB_UVERBS_QPT_RC, 4);
	case KEY(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE, UVERBS_ATTR_CREATE_QP_FLAGS):
		return number(buf, one_in(2) ? IB_UVERBS_QP_CREATE_SQ_SIG_ALL : 0, 4);
	case KEY(UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC, UVERBS_ATTR_ALLOC_DM_LENGTH):
		return number(buf, 1 + below(9000), 8);
	case KEY(UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC, UVERBS_ATTR_ALLOC_DM_ALIGNMENT):
		return number(buf, below(13), 4);
	case KEY(UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG, UVERBS_ATTR_REG_DM_MR_LENGTH):
		return number(buf, 1 + below(256), 8);
	case KEY(UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG, UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS):
		return number(buf, IBV_ACCESS_ZERO_BASED | below(16), 4);
	}
	return 0;
}

size_t content_in(const struct client *s, const struct target *t,
		  const struct uverbs_attr_spec *spec, uint8_t *buf)
{
	size_t len;

	memset(buf, 0, CONTENT_MAX);
	if (t->is_write && spec->id == UVERBS_ATTR_WRITE_CMD)
		return number(buf, t->cmd, 8);
	if (t->is_write && spec->id == UVERBS_ATTR_CORE_IN)
		return fill_write(s, t->cmd, buf);
	if (t->is_write && spec->id == UVERBS_ATTR_UHW_IN &&
	    t->cmd == IB_USER_VERBS_CMD_RESIZE_CQ)
		return resize_uhw(buf);
	len = known(s, KEY(t->m->object, t->m->method, spec->id), buf);
	if (!len)
		len = content_devx(s, t, spec, buf);
	if (len)
		return len;
	len = spec->max == UINT16_MAX ? spec->min + 8 * below(8) : spec->max;
	if (len <= 8)
		return number(buf, one_in(4) ? odd_number() : below(4), len);
	if (len > CONTENT_MAX)
		len = CONTENT_MAX;
	words(buf, len);
	return len;
}

size_t content_out(const struct target *t, const struct uverbs_attr_spec *spec)
{
	if (t->is_write && spec->id == UVERBS_ATTR_CORE_OUT)
		return content_size(t->cmd).out + 8 * one_in(4);
	if (spec->max != UINT16_MAX)
		return spec->max + (spec->grows && one_in(4) ? below(64) : 0);
	return spec->min + (one_in(16) ? 4096 + 16 : 8 * below(40));
}
