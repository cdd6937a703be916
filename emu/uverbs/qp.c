/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queue pairs: birth and death (mlx5_ib, qp.c; uverbs_std_types_qp.c).
 *
 *	buf_addr: |RQ: rq_wqe_count << rq_wqe_shift|SQ: sq_wqe_count * 64|
 *
 *	          PD  send CQ  receive CQ  SRQ    XRC domain
 *	RC UC UD  x   x        x           maybe
 *	RAW       x   x        x           maybe		no QP of the device: raw.c
 *	RSS       x   maybe					RAW with a table of work queues: rss.c
 *	XRC_INI   x   x
 *	XRC_TGT                            maybe  x
 *	DCI       x   x        x           maybe		type DRIVER, as is
 *	DCT       x   x        x           x			no QP of the device: dct.c
 *
 * The application has already sized its queues; the kernel checks what the device limits. The
 * verbs capabilities (max_send_sge, max_inline_data …) are libmlx5's business: mlx5_ib passes
 * them back as they came.
 */
#include <stdlib.h>

#include <infiniband/verbs.h>

#include "uverbs/bfreg.h"
#include "uverbs/ethernet.h"
#include "uverbs/event_fd.h"
#include "uverbs/memlock.h"
#include "uverbs/qp.h"
#include "uverbs/umem.h"

#define LOG_BB		6
#define DATA_SEG	16
#define DBREC_SIZE	8
#define LOG_STRIDE_BASE 4 /* qpc.log_rq_stride counts from 16 bytes */
#define UIDX_MASK	0xffffffu

/* create_flags that the kernel knows */
#define KNOWN_FLAGS                                                                        \
	(IB_UVERBS_QP_CREATE_BLOCK_MULTICAST_LOOPBACK | IB_UVERBS_QP_CREATE_SCATTER_FCS |  \
	 IB_UVERBS_QP_CREATE_CVLAN_STRIPPING | IB_UVERBS_QP_CREATE_PCI_WRITE_END_PADDING | \
	 IB_UVERBS_QP_CREATE_SQ_SIG_ALL)

static bool is_xrc(uint8_t type)
{
	return type == IB_UVERBS_QPT_XRC_INI || type == IB_UVERBS_QPT_XRC_TGT;
}

static int read_target(const struct uverbs_call *c, struct uverbs_qp_attr *a)
{
	struct uverbs_xrcd *xrcd = uverbs_arg(c, UVERBS_ATTR_CREATE_QP_XRCD_HANDLE);

	if (uverbs_has(c, UVERBS_ATTR_CREATE_QP_PD_HANDLE) ||
	    uverbs_has(c, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE) ||
	    uverbs_has(c, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE))
		return -EINVAL;
	if (!xrcd)
		return -ENOENT;
	a->xrcd = xrcd;
	return 0;
}

/* A QP that spreads what it receives: a send CQ is looked at if it sends. */
static int read_table(const struct uverbs_call *c, struct uverbs_qp_attr *a)
{
	struct uverbs_pd *pd = uverbs_arg(c, UVERBS_ATTR_CREATE_QP_PD_HANDLE);
	struct uverbs_cq *scq = uverbs_arg(c, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE);
	struct uverbs_rwq_table *table = uverbs_arg(c, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE);

	if (a->cap.max_recv_wr || a->cap.max_recv_sge ||
	    uverbs_has(c, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE) ||
	    uverbs_has(c, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE))
		return -EINVAL;
	if (!pd || (a->cap.max_send_wr && !scq))
		return -ENOENT;
	a->pd = pd;
	a->table = table;
	if (a->cap.max_send_wr)
		a->scq = scq;
	return 0;
}

static int read_pd_and_cqs(const struct uverbs_call *c, struct uverbs_qp_attr *a)
{
	struct uverbs_pd *pd = uverbs_arg(c, UVERBS_ATTR_CREATE_QP_PD_HANDLE);
	struct uverbs_cq *scq = uverbs_arg(c, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE);
	struct uverbs_cq *rcq = uverbs_arg(c, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE);
	bool initiator = a->type == IB_UVERBS_QPT_XRC_INI;

	if (uverbs_has(c, UVERBS_ATTR_CREATE_QP_XRCD_HANDLE) ||
	    (initiator && uverbs_has(c, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE)))
		return -EINVAL;
	if (uverbs_has(c, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE))
		return read_table(c, a);
	/* uverbs_ioctl.h, uverbs_attr_get: what is optional in general and absent */
	if (!pd || !scq || (!rcq && !initiator))
		return -ENOENT;
	a->pd = pd;
	a->scq = scq;
	if (!initiator)
		a->rcq = rcq;
	return 0;
}

static int read_srq(const struct uverbs_call *c, struct uverbs_qp_attr *a)
{
	struct uverbs_srq *srq = uverbs_arg(c, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE);

	if (!srq)
		return 0;
	a->srq = srq;
	return !a->srq->xrcd == (a->type == IB_UVERBS_QPT_XRC_TGT) ? -EINVAL : 0;
}

static int read_type(const struct uverbs_call *c, struct uverbs_qp_attr *a)
{
	uint64_t type = uverbs_number(c, UVERBS_ATTR_CREATE_QP_TYPE);

	a->type = type;
	switch (type) {
	case IB_UVERBS_QPT_RC:
	case IB_UVERBS_QPT_UC:
	case IB_UVERBS_QPT_UD:
	case IB_UVERBS_QPT_XRC_INI:
		return read_pd_and_cqs(c, a);
	case IB_UVERBS_QPT_XRC_TGT:
		return read_target(c, a);
	case IB_UVERBS_QPT_RAW_PACKET:
		return uverbs_raw_permitted() ? read_pd_and_cqs(c, a) : -EPERM;
	case IB_UVERBS_QPT_DRIVER:
		return UVERBS_CAP(c->u, dct) ? read_pd_and_cqs(c, a) : -EOPNOTSUPP;
	default:
		return -EINVAL;
	}
}

/* mlx5_ib, qp.c, process_create_flags. The padding is of Ethernet's receive queues only. */
static int check_create_flags(const struct uverbs *u, const struct uverbs_qp_attr *a)
{
	uint32_t here = IB_UVERBS_QP_CREATE_SQ_SIG_ALL;
	bool raw = a->type == IB_UVERBS_QPT_RAW_PACKET;

	if (UVERBS_CAP(u, block_lb_mc))
		here |= IB_UVERBS_QP_CREATE_BLOCK_MULTICAST_LOOPBACK;
	if (raw && uverbs_scatters_fcs(u))
		here |= IB_UVERBS_QP_CREATE_SCATTER_FCS;
	if (raw && uverbs_strips_vlan(u))
		here |= IB_UVERBS_QP_CREATE_CVLAN_STRIPPING;
	if (raw && UVERBS_CAP(u, end_pad))
		here |= IB_UVERBS_QP_CREATE_PCI_WRITE_END_PADDING;
	return a->flags & ~here ? -EOPNOTSUPP : 0;
}

/* uverbs_std_types_qp.c, check_creation_flags; the command of write(2) has no such check. */
static int check_flags_of_type(const struct uverbs_call *c, const struct uverbs_qp_attr *a)
{
	const uint32_t raw_only =
		IB_UVERBS_QP_CREATE_SCATTER_FCS | IB_UVERBS_QP_CREATE_CVLAN_STRIPPING;
	const uint32_t flags = a->flags & ~(uint32_t)IB_UVERBS_QP_CREATE_SQ_SIG_ALL;

	if (c->within || !flags || a->type == IB_UVERBS_QPT_DRIVER ||
	    a->type == IB_UVERBS_QPT_RAW_PACKET)
		return 0;
	return a->type == IB_UVERBS_QPT_UD && !(flags & raw_only) ? 0 : -EINVAL;
}

static int read_core(const struct uverbs_call *c, struct uverbs_qp_attr *a)
{
	int ret = uverbs_get(c, UVERBS_ATTR_CREATE_QP_CAP, &a->cap, sizeof(a->cap));

	if (!ret)
		ret = read_type(c, a);
	if (!ret)
		ret = uverbs_flags(c, UVERBS_ATTR_CREATE_QP_FLAGS, KNOWN_FLAGS, &a->flags);
	if (!ret)
		ret = check_flags_of_type(c, a);
	if (!ret)
		ret = read_srq(c, a);
	return ret;
}

/* mlx5_ib, qp.c, process_vendor_flags: which QP of the driver's; check_qp_attr: what it
 * needs. */
static int read_kind(struct uverbs_qp_attr *a)
{
	uint32_t kind = a->mlx5.flags & (MLX5_QP_FLAG_TYPE_DCI | MLX5_QP_FLAG_TYPE_DCT);

	if (a->type != IB_UVERBS_QPT_DRIVER)
		return kind ? -EINVAL : 0;
	a->mlx5.flags &= ~kind;
	switch (kind) {
	case MLX5_QP_FLAG_TYPE_DCI:
		a->type = UVERBS_QPT_DCI;
		return a->cap.max_recv_wr || a->cap.max_recv_sge ? -EINVAL : 0;
	case MLX5_QP_FLAG_TYPE_DCT:
		a->type = UVERBS_QPT_DCT;
		return a->srq ? 0 : -EINVAL;
	default:
		return -EINVAL;
	}
}

/* mlx5_ib, qp.c: process_vendor_flags. Flags of scatter to CQE are dropped if the device does
 * not support it. */
static int check_mlx5_flags(const struct uverbs *u, uint8_t type, struct mlx5_ib_create_qp *m)
{
	uint32_t scatter = MLX5_QP_FLAG_SCATTER_CQE | MLX5_QP_FLAG_ALLOW_SCATTER_CQE;
	uint32_t known = scatter | UVERBS_BFREG_FLAGS;

	if (type == IB_UVERBS_QPT_RAW_PACKET)
		known |= MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_UC | MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_MC |
			 (uverbs_knows_tunnels(u) ? MLX5_QP_FLAG_TUNNEL_OFFLOADS : 0);

	if (!UVERBS_CAP(u, sctr_data_cqe))
		m->flags &= ~scatter;
	if (m->flags & MLX5_QP_FLAG_SIGNATURE)
		return -EOPNOTSUPP;
	return m->flags & ~known ? -EINVAL : 0;
}

/* mlx5_ib, <mlx5_ib.h> get_qp_user_index: with CQE version 1 every QP has one. */
static int check_uidx(const struct uverbs_file *f, const struct mlx5_ib_create_qp *m)
{
	if (!f->cqe_version)
		return m->uidx == UIDX_MASK ? 0 : -EINVAL;
	return m->uidx >= UIDX_MASK ? -EINVAL : 0;
}

static int read_mlx5(const struct uverbs_call *c, struct uverbs_qp_attr *a)
{
	struct mlx5_ib_create_qp *m = &a->mlx5;
	int ret;

	/* An XRC target is a QP of the kernel's: what libmlx5 says of it is not looked at. */
	if (a->type == IB_UVERBS_QPT_XRC_TGT) {
		m->uidx = UIDX_MASK;
		return 0;
	}
	if (a->table)
		return uverbs_rss_read(c, a);
	if (uverbs_len(c, UVERBS_ATTR_UHW_IN) < offsetof(struct mlx5_ib_create_qp, ece_options))
		return -EINVAL;
	ret = uverbs_get_all(c, UVERBS_ATTR_UHW_IN, m, sizeof(*m));
	if (ret)
		return ret;
	if (m->reserved || m->dci_streams.log_num_concurent || m->dci_streams.log_num_errored)
		return -EOPNOTSUPP;
	ret = read_kind(a);
	if (!ret)
		ret = check_mlx5_flags(c->u, a->type, m);
	if (!ret)
		ret = check_create_flags(c->u, a);
	return ret ? ret : check_uidx(c->file, m);
}

static bool power_of_two(uint32_t n)
{
	return n && !(n & (n - 1));
}

/* mlx5_ib, qp.c: qp_has_rq */
static bool has_rq(const struct uverbs_qp_attr *a)
{
	return !is_xrc(a->type) && !a->srq && a->cap.max_recv_wr;
}

/* mlx5_ib, qp.c: set_rq_size, set_user_buf_size. */
static int check_sizes(const struct uverbs *u, struct uverbs_qp_attr *a)
{
	struct mlx5_ib_create_qp *m = &a->mlx5;
	uint32_t max = 1u << UVERBS_CAP(u, log_max_qp_sz);

	if (a->type == UVERBS_QPT_DCT || a->table)
		return 0;
	if (a->cap.max_recv_wr > max || a->cap.max_send_wr > max)
		return -EINVAL;
	if (a->type == IB_UVERBS_QPT_XRC_TGT)
		m->rq_wqe_count = m->rq_wqe_shift = 0;
	if (!has_rq(a)) {
		a->cap.max_recv_wr = a->cap.max_recv_sge = 0;
		if (m->rq_wqe_count || m->rq_wqe_shift) /* qp.c, create_user_qp */
			return -EINVAL;
	} else if (!power_of_two(m->rq_wqe_count) || m->rq_wqe_count > max ||
		   m->rq_wqe_shift < LOG_STRIDE_BASE || m->rq_wqe_shift >= 32 ||
		   1u << m->rq_wqe_shift > UVERBS_CAP(u, max_wqe_sz_rq)) {
		return -EINVAL;
	}
	if (m->sq_wqe_count && (!power_of_two(m->sq_wqe_count) || m->sq_wqe_count > max))
		return -EINVAL;
	a->log_rq = m->rq_wqe_count ? __builtin_ctz(m->rq_wqe_count) : 0;
	a->log_sq = m->sq_wqe_count ? __builtin_ctz(m->sq_wqe_count) : 0;
	return 0;
}

static uint64_t buffer_size(const struct mlx5_ib_create_qp *m)
{
	return ((uint64_t)m->rq_wqe_count << m->rq_wqe_shift) +
	       ((uint64_t)m->sq_wqe_count << LOG_BB);
}

static int pin(struct uverbs_call *c, struct uverbs_qp_attr *a)
{
	uint64_t bytes = buffer_size(&a->mlx5);
	int ret = 0;

	if (a->table)
		return 0;
	if (a->type == IB_UVERBS_QPT_RAW_PACKET)
		ret = uverbs_raw_pin(c, a);
	else if (bytes)
		ret = uverbs_umem_get(c, &a->mlx5.buf_addr, bytes);
	if (ret || a->type == IB_UVERBS_QPT_XRC_TGT || a->type == UVERBS_QPT_DCT)
		return ret;
	return uverbs_record_get(c, &a->mlx5.db_addr, DBREC_SIZE);
}

/* Chooses the PD and user context for the firmware (mlx5_ib, qp.c: _create_user_qp,
 * create_xrc_tgt_qp). XRC QPs belong to the driver, as XRC domains do. */
static int choose_owner(struct uverbs *u, struct uverbs_qp_attr *a)
{
	int ret = 0;

	if (a->pd) {
		a->pdn = a->pd->pdn;
		a->uid = is_xrc(a->type) ? 0 : a->pd->uid;
		return 0;
	}
	if (!u->xrc_pdn)
		ret = uverbs_fw_alloc(u, PRM_OP_ALLOC_PD, 0, &u->xrc_pdn);
	a->pdn = u->xrc_pdn;
	return ret;
}

/* Small payloads inside the CQE (mlx5_ib, qp.c: configure_responder_scat_cqe,
 * configure_requester_scat_cqe). */
static void fill_scatter(const struct uverbs_file *f, const struct uverbs_qp_attr *a,
			 uint8_t *qpc)
{
	bool rc = a->type == IB_UVERBS_QPT_RC, uc = a->type == IB_UVERBS_QPT_UC;
	bool dci = a->type == UVERBS_QPT_DCI;

	if (!(a->mlx5.flags & MLX5_QP_FLAG_SCATTER_CQE))
		return;
	if (rc || uc)
		PRM_SET(qpc, qpc, cs_res,
			a->rcq->cqe_size == 128 ? PRM_QPC_CS_RES_UP_TO_64B
						: PRM_QPC_CS_RES_UP_TO_32B);
	if (!rc && !dci)
		return;
	if (dci && a->scq->cqe_size != 128 && !UVERBS_CAP(f->u, dc_req_scat_data_cqe))
		return;
	if (a->mlx5.flags & MLX5_QP_FLAG_ALLOW_SCATTER_CQE ||
	    a->flags & IB_UVERBS_QP_CREATE_SQ_SIG_ALL)
		PRM_SET(qpc, qpc, cs_req,
			a->scq->cqe_size == 128 ? PRM_QPC_CS_REQ_UP_TO_64B
						: PRM_QPC_CS_REQ_UP_TO_32B);
}

/* mlx5_ib, qp.c: get_rx_type */
static void fill_rq(const struct uverbs_qp_attr *a, uint8_t *qpc)
{
	const struct mlx5_ib_create_qp *m = &a->mlx5;

	if (a->srq)
		PRM_SET(qpc, qpc, srqn_rmpn_xrqn, a->srq->srqn);
	if (a->srq || is_xrc(a->type) || a->type == UVERBS_QPT_DCI) {
		PRM_SET(qpc, qpc, rq_type, PRM_QPC_RQ_TYPE_SRQ_RMP_XRC_SRQ_XRQ);
	} else if (m->rq_wqe_count) {
		PRM_SET(qpc, qpc, rq_type, PRM_QPC_RQ_TYPE_REGULAR);
		PRM_SET(qpc, qpc, log_rq_size, a->log_rq);
		PRM_SET(qpc, qpc, log_rq_stride, m->rq_wqe_shift - LOG_STRIDE_BASE);
	} else {
		PRM_SET(qpc, qpc, rq_type, PRM_QPC_RQ_TYPE_ZERO_SIZE);
	}
}

static void fill_qpc(const struct uverbs_file *f, const struct uverbs_qp_attr *a, uint8_t *qpc)
{
	const struct mlx5_ib_create_qp *m = &a->mlx5;

	PRM_SET(qpc, qpc, st, uverbs_qp_service(a->type));
	PRM_SET(qpc, qpc, pm_state, PRM_QPC_PM_STATE_MIGRATED);
	PRM_SET(qpc, qpc, pd, a->pdn);
	PRM_SET(qpc, qpc, block_lb_mc,
		!!(a->flags & IB_UVERBS_QP_CREATE_BLOCK_MULTICAST_LOOPBACK));
	PRM_SET(qpc, qpc, uar_page, m->bfreg_index);
	if (f->cqe_version)
		PRM_SET(qpc, qpc, user_index, m->uidx);
	fill_rq(a, qpc);
	if (m->sq_wqe_count)
		PRM_SET(qpc, qpc, log_sq_size, a->log_sq);
	else
		PRM_SET(qpc, qpc, no_sq, 1);
	if (a->xrcd)
		PRM_SET(qpc, qpc, xrcd, a->xrcd->domain->xrcdn);
	if (a->scq)
		PRM_SET(qpc, qpc, cqn_snd, a->scq->cqn);
	if (a->rcq)
		PRM_SET(qpc, qpc, cqn_rcv, a->rcq->cqn);
	PRM_SET(qpc, qpc, dbr_addr, m->db_addr);
	fill_scatter(f, a, qpc);
}

static int fw_create(struct uverbs_file *f, const struct uverbs_qp_attr *a,
		     struct uverbs_qp *qp)
{
	uint8_t out[PRM_SZ(create_qp_out)] = { 0 }, *in, *qpc;
	uint64_t bytes = buffer_size(&a->mlx5);
	struct uverbs_umem m = { .page_shift = HCA_PAGE_SHIFT };
	uint32_t offset = 0;
	size_t in_len;
	int ret = bytes ? uverbs_umem_for_queue(&m, a->mlx5.buf_addr, bytes, &offset) : 0;

	if (ret)
		return ret;
	in_len = PRM_SZ(create_qp_in) + m.npas * sizeof(uint64_t);
	in = calloc(1, in_len);
	if (!in)
		return -ENOMEM;
	PRM_SET(create_qp_in, in, opcode, PRM_OP_CREATE_QP);
	PRM_SET(create_qp_in, in, uid, a->uid);
	if (UVERBS_CAP(f->u, ece_support))
		PRM_SET(create_qp_in, in, ece, a->mlx5.ece_options);
	qpc = PRM_ADDR(create_qp_in, in, qpc);
	fill_qpc(f, a, qpc);
	PRM_SET(qpc, qpc, log_page_size, m.page_shift - HCA_PAGE_SHIFT);
	PRM_SET(qpc, qpc, page_offset, offset);
	uverbs_umem_fill(&m, PRM_ADDR(create_qp_in, in, pas), 0);
	ret = uverbs_fw(f->u, in, in_len, out, sizeof(out));
	free(in);
	qp->qpn = PRM_GET(create_qp_out, out, qpn);
	qp->ece = PRM_GET(create_qp_out, out, ece);
	return ret;
}

static int device_create(struct uverbs_file *f, const struct uverbs_qp_attr *a,
			 struct uverbs_qp *qp)
{
	if (a->table)
		return uverbs_rss_create(f, a, qp);
	if (a->type == IB_UVERBS_QPT_RAW_PACKET)
		return uverbs_raw_create(f, a, qp);
	if (a->type == UVERBS_QPT_DCT)
		return uverbs_dct_create(f, a, qp);
	return fw_create(f, a, qp);
}

/* mlx5_ib, qp.c, destroy_qp_common: a QP that is not in RESET is taken there first, and
 * refusals are only logged. The firmware keeps what it refused to destroy, and the program has
 * no handle of it any more. Not so a DCT (mlx5_ib_destroy_dct). */
static int device_destroy(struct uverbs *u, struct uverbs_qp *qp)
{
	if (qp->type == UVERBS_QPT_DCT)
		return uverbs_dct_destroy(u, qp);
	if (qp->table) {
		uverbs_rss_destroy(u, qp);
	} else if (qp->type == IB_UVERBS_QPT_RAW_PACKET) {
		if (qp->state != IBV_QPS_RESET)
			uverbs_raw_modify(u, qp, PRM_OP_2RST_QP, NULL);
		uverbs_raw_destroy(u, qp);
	} else {
		if (qp->state != IBV_QPS_RESET)
			uverbs_fw_number(u, PRM_OP_2RST_QP, qp->uid, qp->qpn);
		uverbs_fw_number(u, PRM_OP_DESTROY_QP, qp->uid, qp->qpn);
	}
	return 0;
}

static void fill_object(const struct uverbs_call *c, const struct uverbs_qp_attr *a,
			struct uverbs_qp *qp)
{
	qp->type = a->type;
	qp->uid = a->uid;
	qp->table = a->table;
	qp->state = IBV_QPS_RESET;
	core_list_init(&qp->groups);
	qp->pd = a->pd;
	qp->scq = a->scq;
	qp->rcq = a->rcq;
	qp->srq = a->srq;
	qp->xrcd = a->xrcd;
	qp->pdn = a->pdn;
	qp->rq_wqe_cnt = a->mlx5.rq_wqe_count;
	qp->rq_max_gs = qp->rq_wqe_cnt ? (1u << a->mlx5.rq_wqe_shift) / DATA_SEG : 0;
	qp->dbrec = a->mlx5.db_addr;
	qp->sig_all = a->flags & IB_UVERBS_QP_CREATE_SQ_SIG_ALL;
	uverbs_events_set(c, &qp->events, UVERBS_ATTR_CREATE_QP_EVENT_FD,
			  uverbs_number(c, UVERBS_ATTR_CREATE_QP_USER_HANDLE));
}

static void answer(struct uverbs_call *c, const struct uverbs_qp_attr *a,
		   const struct uverbs_qp *qp)
{
	struct mlx5_ib_create_qp_resp r = { .bfreg_index = uverbs_bfreg_index(qp->bfreg),
					    .ece_options = qp->ece };

	if (qp->type == UVERBS_QPT_DCT || qp->table)
		r.bfreg_index = 0;
	if (qp->type == IB_UVERBS_QPT_RAW_PACKET)
		uverbs_raw_answer(c->u, qp, &r);
	if (a->type != IB_UVERBS_QPT_XRC_TGT)
		uverbs_answer(c, UVERBS_ATTR_UHW_OUT, r);
	uverbs_put_struct(c, UVERBS_ATTR_CREATE_QP_RESP_CAP, &a->cap, sizeof(a->cap));
	uverbs_answer(c, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, qp->qpn);
}

int uverbs_create_qp(struct uverbs_call *c)
{
	struct uverbs_qp_attr a = { 0 };
	struct uverbs_qp *qp = c->made;
	int ret = read_core(c, &a);

	if (!ret)
		ret = read_mlx5(c, &a);
	if (!ret)
		ret = check_sizes(c->u, &a);
	if (!ret)
		ret = uverbs_bfreg_choose(c->file, &a);
	qp->bfreg = a.bfreg;
	if (!ret)
		ret = pin(c, &a);
	if (!ret)
		ret = choose_owner(c->u, &a);
	if (ret)
		return ret;
	fill_object(c, &a, qp);
	ret = device_create(c->file, &a, qp);
	if (!ret)
		answer(c, &a, qp);
	return ret;
}

int uverbs_qp_destroy(struct uverbs *u, void *obj)
{
	uverbs_detach_all(obj);
	return device_destroy(u, obj);
}

void uverbs_qp_fini(struct uverbs *u, void *obj)
{
	struct uverbs_qp *qp = obj;

	(void)u;
	uverbs_bfreg_put(qp->obj.file, qp->bfreg);
	free(qp->dct);
}

/* ib_uverbs, uverbs_std_types_qp.c, uverbs_free_qp: a QP that is attached to a group is in
 * use. */
int uverbs_destroy_qp(struct uverbs_call *c)
{
	const struct uverbs_qp *qp = uverbs_arg(c, UVERBS_ATTR_DESTROY_QP_HANDLE);

	return core_list_empty(&qp->groups) ? uverbs_destroy(c) : -EBUSY;
}
