/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queue pairs: create, query, destroy. State transitions are in modify_qp.c.
 *
 *	the buffer          page_offset
 *	pas[0] |............|RQ: 1 << log_rq_size WQEs of 16 << log_rq_stride bytes|
 *	                    |SQ: 1 << log_sq_size basic blocks of 64 bytes          |
 *	dbr_addr -> {be32 receive counter, be32 send counter}; not the latter with send_dbr_mode NO_DBR_EXT
 *
 * Buffer and record are addresses, or offsets in umems (DevX).
 *
 * Service types RC, UC, UD, XRC and DCI, and of the driver's own QPs QP1 and REG_UMR; the
 * others are refused until they exist. In place of a receive queue there may be an RMP. An XRC
 * QP has no receive queue, since requests name their SRQ; an XRC target has no send queue
 * either. A DCI does not receive at all. Attributes set at creation are never changed by a
 * modify command.
 */
#include <stdlib.h>

#include "fw/element.h"

#define LOG_BB		  6
#define LOG_RQ_STRIDE_MIN 4
#define DBR_BYTES	  8

static_assert(PRM_SZ(qpc) == HCA_QPC_SIZE, "qpc");

static const uint8_t *qpc_of(const struct fw_cmd *c)
{
	return PRM_ADDR(create_qp_in, c->in, qpc);
}

static uint64_t rq_bytes(const uint8_t *qpc)
{
	if (PRM_GET(qpc, qpc, rq_type) != PRM_QPC_RQ_TYPE_REGULAR)
		return 0;
	return 1ull << (PRM_GET(qpc, qpc, log_rq_size) + PRM_GET(qpc, qpc, log_rq_stride) +
			LOG_RQ_STRIDE_MIN);
}

static uint64_t sq_bytes(const uint8_t *qpc)
{
	return PRM_GET(qpc, qpc, no_sq) ? 0 : 1ull << (PRM_GET(qpc, qpc, log_sq_size) + LOG_BB);
}

static bool may_own_rq(const uint8_t *qpc)
{
	return PRM_GET(qpc, qpc, st) != PRM_QPC_ST_XRC &&
	       PRM_GET(qpc, qpc, st) != PRM_QPC_ST_DCI;
}

/* The send queue after the receive queue starts on a basic block: rdma-core, providers/mlx5/
 * verbs.c, mlx5_calc_rq_size, makes the receive queue one block at least. */
static enum fw_status check_sizes(struct fw_cmd *c, const uint8_t *qpc)
{
	uint32_t type = PRM_GET(qpc, qpc, rq_type), max = FW_GEN(c->hca, log_max_qp_sz);
	uint32_t rq = PRM_GET(qpc, qpc, log_rq_size), stride = PRM_GET(qpc, qpc, log_rq_stride);
	uint32_t sq = PRM_GET(qpc, qpc, log_sq_size);

	if (type != PRM_QPC_RQ_TYPE_REGULAR && type != PRM_QPC_RQ_TYPE_SRQ_RMP_XRC_SRQ_XRQ &&
	    type != PRM_QPC_RQ_TYPE_ZERO_SIZE)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	/* InfiniBand specification, annex A14: an XRC QP has no separate receive queue. A DCI,
	 * neither: mlx5_ib, qp.c, check_qp_attr. */
	if (type == PRM_QPC_RQ_TYPE_REGULAR && !may_own_rq(qpc))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (rq > max || sq > max || 16u << stride > FW_GEN(c->hca, max_wqe_sz_rq))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	/* mlx5_ib (qp.c, create_user_qp) sets no sizes of a missing queue; that any are
	 * BAD_PARAM is our choice. */
	if ((type != PRM_QPC_RQ_TYPE_REGULAR && (rq || stride)) ||
	    (PRM_GET(qpc, qpc, no_sq) && sq))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	if (!PRM_GET(qpc, qpc, no_sq) && rq_bytes(qpc) % (1 << LOG_BB))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	return FW_OK;
}

/* Data inside the CQE: cs_req and cs_res, values of mlx5_ib.h, MLX5_REQ_SCAT_DATA32_CQE …; 64
 * bytes need the first half of a 128-byte CQE, and mlx5_ib asks for them with such only, for
 * connected QPs only (qp.c, configure_requester_scat_cqe, configure_responder_scat_cqe). That
 * all else is BAD_PARAM is our choice. */
static bool scatter_ok(const struct fw_cmd *c, const uint8_t *qpc)
{
	uint32_t req = PRM_GET(qpc, qpc, cs_req), res = PRM_GET(qpc, qpc, cs_res);
	uint32_t st = PRM_GET(qpc, qpc, st);
	const struct hca_cq *scq = fw_cq(c, PRM_GET(qpc, qpc, cqn_snd));
	const struct hca_cq *rcq = fw_cq(c, PRM_GET(qpc, qpc, cqn_rcv));

	if ((req && ((st != PRM_QPC_ST_RC && st != PRM_QPC_ST_DCI) || !scq)) ||
	    (res && ((st != PRM_QPC_ST_RC && st != PRM_QPC_ST_UC) || !rcq)))
		return false;
	if (req && req != PRM_QPC_CS_REQ_UP_TO_32B &&
	    (req != PRM_QPC_CS_REQ_UP_TO_64B || scq->cqe_size_log != 7))
		return false;
	/* mlx5_ib, qp.c, configure_requester_scat_cqe: a DCI may need a capability for 32
	 * bytes. */
	if (req == PRM_QPC_CS_REQ_UP_TO_32B && st == PRM_QPC_ST_DCI &&
	    !FW_GEN(c->hca, dc_req_scat_data_cqe))
		return false;
	return !res || res == PRM_QPC_CS_RES_UP_TO_32B ||
	       (res == PRM_QPC_CS_RES_UP_TO_64B && rcq->cqe_size_log == 7);
}

/* Path migration is not here: pm_state is MIGRATED, or 0 of those who do not set it. */
static bool path_state_ok(const uint8_t *qpc)
{
	uint32_t pm_state = PRM_GET(qpc, qpc, pm_state);

	return !pm_state || pm_state == PRM_QPC_PM_STATE_MIGRATED;
}

/* CQEs carry the free-running clock. REAL_TIME is refused, as a ConnectX without it does to an
 * RQ (nvidia-holoscan/daqiri, issue 284). */
static bool timestamp_ok(const uint8_t *qpc)
{
	return PRM_GET(qpc, qpc, ts_format) <= PRM_TS_FORMAT_DEFAULT;
}

/* NO_DBR_INT is for queues that processors inside of the device ring (DOCA, doca_verbs.h). */
static bool send_record_ok(const struct fw_cmd *c, const uint8_t *qpc)
{
	uint32_t mode = PRM_GET(qpc, qpc, send_dbr_mode);

	return mode == PRM_QPC_SEND_DBR_MODE_DBR_VALID ||
	       (mode == PRM_QPC_SEND_DBR_MODE_NO_DBR_EXT &&
		FW_GEN_2(c->hca, send_dbr_mode_no_dbr_ext));
}

static bool is_driver(const struct fw_cmd *c)
{
	return !c->uid;
}

static bool knows_service(const struct fw_cmd *c, const uint8_t *qpc)
{
	uint32_t st = PRM_GET(qpc, qpc, st);

	if (st == PRM_QPC_ST_QP1 || st == PRM_QPC_ST_REG_UMR)
		return is_driver(c);
	return st <= PRM_QPC_ST_XRC || (st == PRM_QPC_ST_DCI && FW_GEN(c->hca, dct));
}

/* The driver's QPs may use the reserved key, change mkeys, and have priority: mlx5_ib, qp.c,
 * create_kernel_qp. There is no priority among QPs here.
 * The reserved key opens nothing here (QUERY_SPECIAL_CONTEXTS). */
static bool rights_ok(const struct fw_cmd *c, const uint8_t *qpc)
{
	return is_driver(c) || (!PRM_GET(qpc, qpc, rlky) && !PRM_GET(qpc, qpc, fre) &&
				!PRM_GET(qpc, qpc, latency_sensitive));
}

/* A target of XRC has no send queue, no record, no doorbell page. */
static bool has_work(const uint8_t *qpc)
{
	return !PRM_GET(qpc, qpc, no_sq) ||
	       PRM_GET(qpc, qpc, rq_type) == PRM_QPC_RQ_TYPE_REGULAR;
}

/* Does what is received complete to the QP's own CQ? */
static bool receives(const uint8_t *qpc)
{
	return may_own_rq(qpc) && PRM_GET(qpc, qpc, rq_type) != PRM_QPC_RQ_TYPE_ZERO_SIZE;
}

/* The named objects have to exist. mlx5_ib names its own CQ and SRQs where a QP has none (qp.c,
 * create_xrc_tgt_qp, create_user_qp); DPDK (mlx5_devx_cmds.c, mlx5_devx_cmd_create_qp) leaves
 * the CQ of a missing queue at 0. An XRC QP may also leave srqn and, as initiator, xrcd at 0, a
 * DCI srqn, and a QP without queues uar_page and dbr_addr. */
static enum fw_status check_cqs(struct fw_cmd *c, const uint8_t *qpc)
{
	uint32_t snd = PRM_GET(qpc, qpc, cqn_snd), rcv = PRM_GET(qpc, qpc, cqn_rcv);

	if (!fw_cq(c, snd) && (snd || !PRM_GET(qpc, qpc, no_sq)))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_CQ);
	if (!fw_cq(c, rcv) && (rcv || receives(qpc)))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_CQ);
	return FW_OK;
}

/* Does the QP use an SRQ, a domain? Otherwise the numbers are of the driver's own. */
static enum fw_status check_shared(struct fw_cmd *c, const uint8_t *qpc)
{
	uint32_t srqn = PRM_GET(qpc, qpc, srqn_rmpn_xrqn), xrcdn = PRM_GET(qpc, qpc, xrcd);
	const struct hca_srq *srq = fw_srq(c, srqn);
	bool xrc = PRM_GET(qpc, qpc, st) == PRM_QPC_ST_XRC;
	bool shares = may_own_rq(qpc) &&
		      PRM_GET(qpc, qpc, rq_type) == PRM_QPC_RQ_TYPE_SRQ_RMP_XRC_SRQ_XRQ;

	if ((srqn && !hca_srq_find(c->hca, srqn)) || (shares && (!srq || srq->xrc)))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_SRQ);
	/* A QP that cannot send is a target, and is nothing without a domain. */
	if ((xrcdn && !core_ids_get(&c->hca->xrcds, xrcdn)) ||
	    (xrc && !fw_xrcd(c, xrcdn) && (xrcdn || PRM_GET(qpc, qpc, no_sq))))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_XRCD);
	return FW_OK;
}

static enum fw_status check_objects(struct fw_cmd *c, const uint8_t *qpc)
{
	uint32_t uar = PRM_GET(qpc, qpc, uar_page);
	enum fw_status status;

	/* The QP that changes mkeys of all PDs has none: mlx5_ib, qp.c, create_kernel_qp. */
	if (!fw_pd(c, PRM_GET(qpc, qpc, pd)) &&
	    (PRM_GET(qpc, qpc, st) != PRM_QPC_ST_REG_UMR || PRM_GET(qpc, qpc, pd)))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_PD);
	status = check_cqs(c, qpc);
	if (status != FW_OK)
		return status;
	if (!fw_uar(c, uar) && (uar || has_work(qpc)))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_UAR);
	return check_shared(c, qpc);
}

static enum fw_status check_context(struct fw_cmd *c, const uint8_t *qpc)
{
	enum fw_status status;

	if (!knows_service(c, qpc) || !rights_ok(c, qpc))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (PRM_GET(qpc, qpc, st) == PRM_QPC_ST_QP1 && c->hca->gsi)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_BUSY);
	status = check_objects(c, qpc);
	if (status != FW_OK)
		return status;
	/* ConnectX-4 and -6 that are out of QPs answer BAD_RES, syndrome 0x65b500 (linux-rdma,
	 * July 2022, "Unable to create max_qp QPs on Mellanox ConnectX-4/6"). */
	if (fw_at_limit(&c->hca->qps, FW_GEN(c->hca, log_max_qp)))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_LIMIT);
	if (!scatter_ok(c, qpc) || !path_state_ok(qpc))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (!timestamp_ok(qpc) || !send_record_ok(c, qpc))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (!fw_counter_set(c, PRM_GET(qpc, qpc, counter_set_id)))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_COUNTER);
	return check_sizes(c, qpc);
}

static bool reads_record(const uint8_t *qpc)
{
	return PRM_GET(qpc, qpc, rq_type) == PRM_QPC_RQ_TYPE_REGULAR ||
	       (!PRM_GET(qpc, qpc, no_sq) &&
		PRM_GET(qpc, qpc, send_dbr_mode) == PRM_QPC_SEND_DBR_MODE_DBR_VALID);
}

/* A QP whose queues have none may be without record: the context says 0, and DevX sets
 * dbr_umem_valid all the same (mlx5_ib, devx.c, devx_set_umem_valid). */
static struct fw_record record_of(const uint8_t *qpc)
{
	uint64_t addr = PRM_GET(qpc, qpc, dbr_addr);
	uint32_t umem_id = PRM_GET(qpc, qpc, dbr_umem_id);

	if (!addr && !umem_id && !reads_record(qpc))
		return (struct fw_record){ 0 };
	return (struct fw_record){ .addr = addr,
				   .bytes = DBR_BYTES,
				   .in_umem = PRM_GET(qpc, qpc, dbr_umem_valid),
				   .umem_id = umem_id };
}

static struct fw_layout layout_of(const struct fw_cmd *c, const uint8_t *qpc)
{
	struct fw_layout layout = {
		.list = PRM_SZ(create_qp_in) +
			(PRM_GET(create_qp_in, c->in, qpc_ext) ? PRM_SZ(qpc_ext) : 0),
		.log_page_size = PRM_GET(qpc, qpc, log_page_size),
		.page_offset = PRM_GET(qpc, qpc, page_offset),
		.bytes = rq_bytes(qpc) + sq_bytes(qpc),
		.in_umem = PRM_GET(create_qp_in, c->in, wq_umem_valid),
		.umem_id = PRM_GET(create_qp_in, c->in, wq_umem_id),
		.umem_offset = PRM_GET(create_qp_in, c->in, wq_umem_offset),
	};

	layout.entry = rq_bytes(qpc) ? 16u << PRM_GET(qpc, qpc, log_rq_stride) : 1u << LOG_BB;
	return layout;
}

static void fill_queues(struct hca_qp *qp, const struct hca_ring *ring)
{
	const uint8_t *qpc = qp->qpc;

	qp->rq.ring = *ring;
	qp->sq.ring = *ring;
	qp->sq.offset = rq_bytes(qpc);
	qp->rq.log_stride = PRM_GET(qpc, qpc, log_rq_stride) + LOG_RQ_STRIDE_MIN;
	qp->sq.log_stride = LOG_BB;
	qp->rq.cnt = (uint32_t)(rq_bytes(qpc) >> qp->rq.log_stride);
	qp->sq.cnt = (uint32_t)(sq_bytes(qpc) >> LOG_BB);
}

static void fill(struct fw_cmd *c, struct hca_qp *qp)
{
	const uint8_t *qpc = qp->qpc;

	qp->st = PRM_GET(qpc, qpc, st);
	qp->state = PRM_QPC_STATE_RST;
	qp->no_send_record =
		PRM_GET(qpc, qpc, send_dbr_mode) == PRM_QPC_SEND_DBR_MODE_NO_DBR_EXT;
	qp->pd = fw_pd(c, PRM_GET(qpc, qpc, pd));
	qp->scq = fw_cq(c, PRM_GET(qpc, qpc, cqn_snd));
	qp->rcq = fw_cq(c, PRM_GET(qpc, qpc, cqn_rcv));
	qp->uar = fw_uar(c, PRM_GET(qpc, qpc, uar_page));
	if (qp->st == PRM_QPC_ST_QP1)
		c->hca->gsi = qp;
	if (qp->uar)
		core_list_add(&qp->uar->queues, &qp->on_uar);
	/* The numbers have no meaning for other QPs. */
	if (qp->st == PRM_QPC_ST_XRC)
		qp->xrcd = fw_xrcd(c, PRM_GET(qpc, qpc, xrcd));
	else if (may_own_rq(qpc) &&
		 PRM_GET(qpc, qpc, rq_type) == PRM_QPC_RQ_TYPE_SRQ_RMP_XRC_SRQ_XRQ)
		qp->srq = fw_srq(c, PRM_GET(qpc, qpc, srqn_rmpn_xrqn));
	qp->counter = fw_counter_set(c, PRM_GET(qpc, qpc, counter_set_id));
	fw_begin(c, qp);
	qp->user_index = PRM_GET(qpc, qpc, user_index);
	qp->block_lb_mc = PRM_GET(qpc, qpc, block_lb_mc);
}

enum fw_status fw_create_qp(struct fw_cmd *c)
{
	const uint8_t *qpc = qpc_of(c);
	enum fw_status status = check_context(c, qpc);
	struct fw_layout layout = layout_of(c, qpc);
	struct fw_record record = record_of(qpc);
	struct hca_ring ring;
	uint64_t dbrec = 0;
	struct hca_qp *qp;
	bool mmo = false;

	if (status == FW_OK)
		status = fw_qp_create_ext(c, &mmo);
	if (status == FW_OK)
		status = fw_ece(c, PRM_GET(create_qp_in, c->in, ece));
	if (status == FW_OK && record.bytes)
		status = fw_record(c, &record, &dbrec);
	if (status == FW_OK)
		status = fw_ring(c, &layout, &ring);
	if (status != FW_OK)
		return status;
	qp = hca_qp_new(c->hca);
	if (!qp) {
		free(ring.pas);
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	}
	memcpy(qp->qpc, qpc, HCA_QPC_SIZE);
	fill_queues(qp, &ring);
	qp->umems = fw_settle(c, &layout, &record);
	qp->dbrec = dbrec;
	qp->mmo = mmo;
	fill(c, qp);
	PRM_SET(create_qp_out, c->out, qpn, qp->qpn);
	return FW_OK;
}

/* The counters live in the engine's part of the QP, not in the context as last set. */
static void put_live(const struct hca_qp *qp, uint8_t *qpc)
{
	uint8_t rec[8] = { 0 };

	PRM_SET(qpc, qpc, state, qp->state);
	if (qp->state >= PRM_QPC_STATE_RTR)
		PRM_SET(qpc, qpc, next_rcv_psn, qp->resp.epsn & 0xffffff);
	if (qp->state >= PRM_QPC_STATE_RTS)
		PRM_SET(qpc, qpc, next_send_psn, qp->req.psn & 0xffffff);
	PRM_SET(qpc, qpc, rmsn, qp->resp.msn & 0xffffff);
	/* assumed(hw_sq_counter_is_next_to_send): hw_sq_wqebb_counter is the index of the WQE
	 * that is sent next; where all are done, of the next to be posted. */
	PRM_SET(qpc, qpc, hw_sq_wqebb_counter, qp->req.next);
	PRM_SET(qpc, qpc, sw_sq_wqebb_counter, qp->req.pi);
	PRM_SET(qpc, qpc, hw_rq_counter, qp->resp.ci);
	/* The receive counter has no bell: the device reads it when it needs a WQE. */
	if (qp->dbrec && core_bus_read(rec, qp->dbrec, sizeof(rec)))
		PRM_SET(qpc, qpc, sw_rq_counter, rec[2] << 8 | rec[3]);
}

enum fw_status fw_query_qp(struct fw_cmd *c)
{
	struct hca_qp *qp = fw_qp(c, PRM_GET(query_qp_in, c->in, qpn));
	uint8_t *qpc = PRM_ADDR(query_qp_out, c->out, qpc);

	if (!qp)
		return fw_absent(c);
	memcpy(qpc, qp->qpc, HCA_QPC_SIZE);
	put_live(qp, qpc);
	fw_put_pas(c, PRM_SZ(query_qp_out), &qp->rq.ring);
	return FW_OK;
}

enum fw_status fw_destroy_qp(struct fw_cmd *c)
{
	struct hca_qp *qp = fw_qp(c, PRM_GET(destroy_qp_in, c->in, qpn));

	if (qp && !qp->refs && qp->state != PRM_QPC_STATE_RST) {
		if (c->hca->catch_up)
			c->hca->catch_up(c->hca, qp);
		qp->state = PRM_QPC_STATE_RST;
		if (c->hca->kick)
			c->hca->kick(c->hca, qp);
	}
	return fw_destroy(c, qp);
}
