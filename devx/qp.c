/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CREATE_QP, QUERY_QP, DESTROY_QP. The moves are in qp_state.c, addresses in av.c.
 *
 *	0x000 header   0x018 qpc   0x100 umem of the rings   0x110 extension of the qpc, if any
 */
#include <devx/caps.h>
#include <devx/qp.h>

#include "context.h"
#include "refuse.h"
#include "ring.h"

enum {
	MAX_WQES = 32768,
	LOG_BB = 6,
	LOG_STRIDE_MIN = 4,
	LOG_STRIDE_MAX = 11, /* 3 bits count from 4 */
	INBOX_MAX = PRM_SZ(create_qp_in) + PRM_SZ(qpc_extension_and_pas_list),
};

static int refuse(const char *why)
{
	return devx_refuse(CALL_devx_qp_create, PRM_OP_CREATE_QP, EINVAL, why);
}

static unsigned int log_stride(const struct devx_qp_attr *attr)
{
	uint32_t sges = attr->rq_max_sge ? attr->rq_max_sge : 1;

	return LOG_STRIDE_MIN + (sges > 1 ? devx_log2(sges - 1) + 1 : 0);
}

static size_t rq_bytes(const struct devx_qp_attr *attr)
{
	return (size_t)attr->rq_wqe_cnt << log_stride(attr);
}

/* XRC and DCI, whose receives are those of an SRQ. */
static bool is_without_rq(const struct devx_qp_attr *attr)
{
	return attr->st == PRM_QPC_ST_XRC || attr->st == PRM_QPC_ST_DCI;
}

static int check(const struct devx_qp_attr *attr)
{
	uint32_t sq = attr->sq_wqe_cnt, rq = attr->rq_wqe_cnt;

	if (!sq && !rq && !attr->srqn)
		return refuse("neither a send nor a receive queue");
	if (sq && (!dv_is_power_of_2(sq) || sq > MAX_WQES))
		return refuse("sq_wqe_cnt is not a power of two up to 32768");
	if (rq && (!dv_is_power_of_2(rq) || rq > MAX_WQES))
		return refuse("rq_wqe_cnt is not a power of two up to 32768");
	if (log_stride(attr) > LOG_STRIDE_MAX)
		return refuse("rq_max_sge is above 128");
	if (rq && attr->srqn)
		return refuse("both a receive queue and an SRQ");
	if (sq && rq_bytes(attr) % (1 << LOG_BB))
		return refuse(
			"the receive ring before the send ring is no multiple of 64 bytes");
	if (is_without_rq(attr) && !(attr->srqn && attr->xrcd && attr->recv_cqn))
		return refuse("an XRC QP and a DC initiator want srqn, xrcd and recv_cqn");
	return attr->uar ? 0 : refuse("no UAR");
}

static void fill_sizes(uint8_t *qpc, const struct devx_qp_attr *attr)
{
	if (attr->sq_wqe_cnt)
		PRM_SET(qpc, qpc, log_sq_size, devx_log2(attr->sq_wqe_cnt));
	else
		PRM_SET(qpc, qpc, no_sq, 1);
	if (attr->rq_wqe_cnt) {
		PRM_SET(qpc, qpc, rq_type, PRM_QPC_RQ_TYPE_REGULAR);
		PRM_SET(qpc, qpc, log_rq_size, devx_log2(attr->rq_wqe_cnt));
		PRM_SET(qpc, qpc, log_rq_stride, log_stride(attr) - LOG_STRIDE_MIN);
	} else {
		PRM_SET(qpc, qpc, rq_type,
			attr->srqn ? PRM_QPC_RQ_TYPE_SRQ_RMP_XRC_SRQ_XRQ
				   : PRM_QPC_RQ_TYPE_ZERO_SIZE);
		PRM_SET(qpc, qpc, srqn_rmpn_xrqn, attr->srqn);
	}
}

static void fill(uint8_t *in, const struct devx_ring *ring, const struct devx_qp_attr *attr)
{
	uint8_t *qpc = PRM_ADDR(create_qp_in, in, qpc);

	PRM_SET(create_qp_in, in, opcode, PRM_OP_CREATE_QP);
	PRM_SET(create_qp_in, in, wq_umem_valid, 1);
	PRM_SET(create_qp_in, in, wq_umem_id, ring->umem_id);
	PRM_SET(create_qp_in, in, wq_umem_offset, ring->offset);
	PRM_SET(qpc, qpc, st, attr->st);
	PRM_SET(qpc, qpc, pm_state, PRM_QPC_PM_STATE_MIGRATED);
	PRM_SET(qpc, qpc, pd, attr->pdn);
	PRM_SET(qpc, qpc, ts_format, attr->ts_format);
	PRM_SET(qpc, qpc, counter_set_id, attr->counter_set_id);
	PRM_SET(qpc, qpc, uar_page, attr->uar->page_id);
	PRM_SET(qpc, qpc, send_dbr_mode, attr->send_dbr_mode);
	PRM_SET(qpc, qpc, user_index, attr->user_index);
	PRM_SET(qpc, qpc, log_page_size, devx_ring_log_page());
	PRM_SET(qpc, qpc, cqn_snd, attr->send_cqn);
	PRM_SET(qpc, qpc, cqn_rcv, attr->recv_cqn);
	PRM_SET(qpc, qpc, xrcd, attr->xrcd);
	PRM_SET(qpc, qpc, dbr_umem_valid, 1);
	PRM_SET(qpc, qpc, dbr_umem_id, ring->umem_id);
	PRM_SET(qpc, qpc, dbr_addr, ring->record);
	fill_sizes(qpc, attr);
}

/* Two kinds of devices: dma_mmo_qp wants the QP to say so, dma_mmo_sq takes the WQEs of any QP
 * (rdma-core, providers/mlx5/verbs.c). */
static int add_mmo(uint8_t *in, size_t *len, struct ibv_context *ctx)
{
	uint8_t caps[DEVX_CAPS_BYTES];
	int err = devx_caps_query(caps, ctx, PRM_CAP_GENERAL, PRM_CAP_CUR);
	uint8_t *ext;

	if (err)
		return err;
	if (!DEVX_CAP(GENERAL, caps, dma_mmo_qp)) {
		if (DEVX_CAP(GENERAL, caps, dma_mmo_sq))
			return 0;
		return devx_refuse(
			CALL_devx_qp_create, PRM_OP_CREATE_QP, EOPNOTSUPP,
			"the device has no DMA by WQE: dma_mmo_qp, dma_mmo_sq are 0");
	}
	ext = PRM_ADDR(create_qp_in, in, qpc_extension_and_pas_list);
	PRM_SET(create_qp_in, in, qpc_ext, 1);
	PRM_SET(qpc_ext, PRM_ADDR(qpc_extension_and_pas_list, ext, qpc_data_extension), mmo, 1);
	*len = INBOX_MAX;
	return 0;
}

/* Whether the device has the ways to ring that @attr asks for. */
static int check_dbr_mode(struct ibv_context *ctx, const struct devx_qp_attr *attr)
{
	uint8_t caps[DEVX_CAPS_BYTES];
	int err;

	if (attr->send_dbr_mode == PRM_QPC_SEND_DBR_MODE_DBR_VALID)
		return 0;
	if (attr->send_dbr_mode > PRM_QPC_SEND_DBR_MODE_NO_DBR_INT)
		return refuse("no such send_dbr_mode");
	err = devx_caps_query(caps, ctx, PRM_CAP_GENERAL_2, PRM_CAP_CUR);
	if (err)
		return err;
	if (attr->send_dbr_mode == PRM_QPC_SEND_DBR_MODE_NO_DBR_EXT
		    ? DEVX_CAP(GENERAL_2, caps, send_dbr_mode_no_dbr_ext)
		    : DEVX_CAP(GENERAL_2, caps, send_dbr_mode_no_dbr_int))
		return 0;
	return devx_refuse(CALL_devx_qp_create, PRM_OP_CREATE_QP, EOPNOTSUPP,
			   "the device wants a send record: send_dbr_mode_no_dbr_ext, "
			   "send_dbr_mode_no_dbr_int");
}

static void describe_rings(struct devx_qp *qp, const struct devx_ring *ring,
			   const struct devx_qp_attr *attr)
{
	char *mem = ring->addr;

	qp->st = attr->st;
	qp->counter_set_id = attr->counter_set_id;
	qp->rings = (struct mlx5dv_qp){
		.dbrec = ring->dbrec,
		.rq = { mem, attr->rq_wqe_cnt, 1u << log_stride(attr) },
		.sq = { mem + rq_bytes(attr), attr->sq_wqe_cnt, 1u << LOG_BB },
		.bf = { attr->uar->reg, attr->uar->bf_size },
	};
}

static int start_rings(struct devx_qp *qp)
{
	int err = 0;

	memset(&qp->sq, 0, sizeof(qp->sq));
	memset(&qp->rq, 0, sizeof(qp->rq));
	if (!qp->rings.dbrec)
		return 0;
	memset(qp->rings.dbrec, 0, 2 * sizeof(*qp->rings.dbrec));
	if (qp->rings.sq.wqe_cnt)
		err = dv_sq_init(&qp->sq, &qp->rings, qp->obj.id);
	if (!err && qp->rings.rq.wqe_cnt)
		err = dv_rq_init(&qp->rq, &qp->rings);
	return err ? devx_refuse(CALL_devx_qp_create, 0, err, "rings that dv cannot work with")
		   : 0;
}

static int execute(struct devx_qp *qp, const struct devx_ring *ring, struct ibv_context *ctx,
		   const struct devx_qp_attr *attr)
{
	uint8_t in[INBOX_MAX] = { 0 }, out[PRM_SZ(create_qp_out)];
	size_t len = PRM_SZ(create_qp_in);
	int err = 0;

	fill(in, ring, attr);
	if (attr->mmo)
		err = add_mmo(in, &len, ctx);
	return err ? err : devx_obj_create(&qp->obj, ctx, in, len, out, sizeof(out));
}

static size_t ring_bytes(const struct devx_qp_attr *attr)
{
	return rq_bytes(attr) + ((size_t)attr->sq_wqe_cnt << LOG_BB);
}

size_t devx_qp_bytes(const struct devx_qp_attr *attr)
{
	return devx_ring_bytes(ring_bytes(attr));
}

int devx_qp_create(struct devx_qp *qp, struct ibv_context *ctx, const struct devx_qp_attr *attr)
{
	struct devx_ring ring;
	int err = check(attr);

	if (!err)
		err = check_dbr_mode(ctx, attr);
	if (err)
		return err;
	err = devx_ring_take(&ring, &qp->umem, ctx, attr->umem, attr->umem_offset,
			     ring_bytes(attr));
	if (err)
		return err;
	err = execute(qp, &ring, ctx, attr);
	if (err) {
		devx_ring_free(&qp->umem);
		return err;
	}
	describe_rings(qp, &ring, attr);
	err = start_rings(qp);
	if (err)
		devx_qp_destroy(qp);
	return err;
}

int devx_qp_query(struct devx_qp *qp, uint8_t qpc[PRM_SZ(qpc)])
{
	return DEVX_QUERY_CONTEXT(&qp->obj, QUERY_QP, query_qp, qpc, qpc, qpc);
}

int devx_qp_destroy(struct devx_qp *qp)
{
	int err = devx_obj_destroy(&qp->obj);

	return err ? err : devx_ring_free(&qp->umem);
}
