/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of a CQE.
 *
 *	32 srqn_uidx | 36 imm | 44 byte_cnt | 48 timestamp | 56 send opcode, QPN | 60 wqe_counter
 *	error: 32 uidx | 52 hardware's syndrome, 53 its type (0) | 54 vendor's | 55 syndrome |
 *	       56 send opcode, QPN | 60 wqe_counter
 *	62 signature (event's) | 63 op_own: opcode 7:4, format 3:2, solicited 1, owner 0 (event's)
 *
 * (rdma-core, mlx5dv.h: struct mlx5_cqe64; <linux/mlx5/device.h>: struct mlx5_err_cqe.)
 */
#include <string.h>

#include "engine/count.h"
#include "engine/cqe.h"
#include "engine/hwqe.h"
#include "engine/qp.h"
#include "event/event.h"
#include "prm/prm.h"

#define ENTRY	128 /* what event_cqe() takes: scatter area, CQE */
#define MAX_CQE 64

/* op_own 3:2: MLX5_INLINE_SCATTER_32, _64 of rdma-core's mlx5dv.h */
#define FORMAT_INLINE_32 0x4
#define FORMAT_INLINE_64 0x8
#define OP_OWN_SOLICITED 0x2

/* flags_rqpn */
#define GRH_IN_DATA (1u << 28)
#define L3_IPV6	    (1u << 24)
#define L3_IPV4	    (2u << 24)

static void put32(uint8_t *at, uint32_t v)
{
	v = htobe32(v);
	memcpy(at, &v, sizeof(v));
}

/* qpc.cs_req and cs_res: kernel, mlx5_ib.h, MLX5_REQ_SCAT_DATA32_CQE … */
uint32_t cqe_inline_req(const struct hca_qp *qp)
{
	uint32_t cs = PRM_GET(qpc, qp->qpc, cs_req);

	return cs == 0x11 ? 32 : cs == 0x22 ? 64 : 0;
}

uint32_t cqe_inline_resp(const struct hca_qp *qp)
{
	uint32_t cs = PRM_GET(qpc, qp->qpc, cs_res);

	return cs == 1 ? 32 : cs == 2 ? 64 : 0;
}

/* What all CQEs have. @op: send opcode of a requester's. */
static uint8_t *start(const struct hca_qp *qp, uint8_t *entry, uint16_t index, uint8_t op)
{
	uint8_t *cqe = entry + ENTRY - MAX_CQE;

	memset(entry, 0, ENTRY);
	put32(cqe + 32, qp->user_index & 0xffffff);
	put32(cqe + 56, (uint32_t)op << 24 | (qp->qpn & 0xffffff));
	cqe[60] = index >> 8;
	cqe[61] = (uint8_t)index;
	return cqe;
}

/* The same for receive WQE @r. An XRC SRQ completes by itself: to its CQ, under its name. */
static uint8_t *start_recv(const struct hca_qp *qp, const struct recv_wqe *r, uint8_t *entry)
{
	uint8_t *cqe = start(qp, entry, r->index, 0);

	if (r->srq && r->srq->xrc)
		put32(cqe + 32, r->srq->user_index & 0xffffff);
	return cqe;
}

static struct hca_cq *recv_cq(const struct hca_qp *qp, const struct recv_wqe *r)
{
	return r->srq && r->srq->xrc ? r->srq->cq : qp->rcq;
}

static void stamp(const struct engine *e, uint8_t *cqe)
{
	uint64_t ticks = htobe64(engine_ticks(e->hca, e->now));

	memcpy(cqe + 48, &ticks, sizeof(ticks));
}

/* Where libmlx5 looks for it (cq.c, handle_responder): up to 32 bytes at the head of the
 * CQE, more in the 64 bytes in front of it. The format bits to set. */
/* assumed(short_scatter_in_128_byte_cqe): with inline scatter of 64 bytes, data of up to 32
 * bytes still stands in the CQE itself, format 1. */
static uint8_t put_inline(uint8_t *cqe, const struct cqe_inline *inl)
{
	if (!inl || !inl->len)
		return 0;
	if (inl->len <= 32) {
		memcpy(cqe, inl->bytes, inl->len);
		return FORMAT_INLINE_32;
	}
	memcpy(cqe - 64, inl->bytes, inl->len);
	return FORMAT_INLINE_64;
}

/* A QP that cannot complete on a CQ in overrun ends, too: InfiniBand specification, chapter 11,
 * "Affiliated asynchronous errors": Local Work Queue Catastrophic Error. (On mlx5 a full CQ
 * stops the QP: google/rdma-unit-test, introspection.h, FullCqIdlesQp.) */
static void write_cqe(struct engine *e, struct hca_qp *qp, struct hca_cq *cq,
		      const uint8_t *entry)
{
	if (event_cqe(e->hca, cq, entry, entry[ENTRY - 1] & OP_OWN_SOLICITED)) {
		e->counters.cqes++;
	} else if (qp->state != PRM_QPC_STATE_ERR) {
		HCA_COUNT(e->hca, qp, cq_overflow);
		event_async(e->hca, PRM_EVENT_WQ_CATAS_ERROR, qp->qpn, 0);
		qp_error_enter(e, qp);
	}
}

void cqe_sent(struct engine *e, struct hca_qp *qp, uint16_t index, const struct hca_req_wqe *w,
	      const struct cqe_inline *inl)
{
	uint8_t entry[ENTRY];
	uint8_t *cqe = start(qp, entry, index, w->opcode);

	stamp(e, cqe);
	if (hwqe_is_read_atomic(w))
		put32(cqe + 44, w->len);
	cqe[63] = CQE_REQ << 4 | put_inline(cqe, inl);
	write_cqe(e, qp, qp->scq, entry);
}

/* The word flags_rqpn. Its L3 type: kernel, cq.c, MLX5_CQE_ROCE_L3_HEADER_TYPE_IPV6 1,
 * _IPV4 2; its GRH bits: any of them is IBV_WC_GRH (libmlx5, cq.c, handle_responder). */
static uint32_t flags_rqpn(const struct engine *e, const struct hca_qp *qp,
			   const struct wire_packet *p)
{
	/* assumed(rc_receive_cqe_has_no_grh_bit): flags_rqpn of a receive on a connection, that of
	 * a DCT too, has the peer's QPN and the RoCE L3 type, and its GRH bits are 0. */
	if (qp->st != PRM_QPC_ST_UD)
		return (e->hca->port.gid[qp->path.sgid_index].l3_type ? L3_IPV6 : L3_IPV4) |
		       (qp->remote_qpn & 0xffffff);
	return GRH_IN_DATA | (p->ip[0] >> 4 == 4 ? L3_IPV4 : L3_IPV6) | p->src_qpn;
}

void cqe_received(struct engine *e, struct hca_qp *qp, const struct recv_wqe *r,
		  const struct wire_packet *p, enum cqe_opcode opcode,
		  const struct cqe_inline *inl)
{
	uint8_t entry[ENTRY];
	uint8_t *cqe = start_recv(qp, r, entry);

	stamp(e, cqe);
	put32(cqe + 24, flags_rqpn(e, qp, p));
	if (opcode != CQE_RESP_SEND)
		memcpy(cqe + 36, p->imm, sizeof(p->imm));
	put32(cqe + 44, qp->resp.off);
	cqe[63] = opcode << 4 | put_inline(cqe, inl) | (p->solicited ? OP_OWN_SOLICITED : 0);
	write_cqe(e, qp, recv_cq(qp, r), entry);
}

/* What stands beside a syndrome: of the vendor and of the hardware. */
struct detail {
	uint8_t vendor, hardware;
};

/* assumed(vendor_syndromes): vendor and hardware syndromes as public logs show them; where these show
 * several for one syndrome, that of a key that does not fit is taken, and where none, 0. Requester:
 * LOC_QP_OP 0x68, 0x1f (openucx/ucx, issue 3618); LOC_PROT 0x52, 0x92 (openucx/ucx, issue 6414; 0x51
 * in issue 9515, 0x53 of a raw packet queue in Juniper/warp17, issue 81); MW_BIND 0x78, 0x0f
 * (linux-rdma, 2023-07-19, "umem: Set iova in ODP flow"); 0x81 retry exceeded (openucx/ucx, "Transport
 * retry count exceeded … vend 0x81"), 0x87 RNR retry exceeded, 0x88 remote access, 0x89 remote
 * operation, 0x8a remote invalid request. Responder: LOC_PROT 0x32, 0x92 (openucx/ucx, pull request
 * 7801). Both: 0xf9 flushed. */
static struct detail detail_of(enum cqe_opcode opcode, enum cqe_syndrome s)
{
	static const struct detail requester[] = {
		[CQE_LOCAL_QP_OP] = { 0x68, 0x1f },
		[CQE_LOCAL_PROT] = { 0x52, 0x92 },
		[CQE_FLUSHED] = { .vendor = 0xf9 },
		[CQE_MW_BIND] = { 0x78, 0x0f },
		[CQE_REMOTE_INVALID_REQUEST] = { .vendor = 0x8a },
		[CQE_REMOTE_ACCESS] = { .vendor = 0x88 },
		[CQE_REMOTE_OP] = { .vendor = 0x89 },
		[CQE_RETRY_EXCEEDED] = { .vendor = 0x81 },
		[CQE_RNR_RETRY_EXCEEDED] = { .vendor = 0x87 },
	};
	static const struct detail responder[CQE_RNR_RETRY_EXCEEDED + 1] = {
		[CQE_LOCAL_PROT] = { 0x32, 0x92 },
		[CQE_FLUSHED] = { .vendor = 0xf9 },
	};

	return opcode == CQE_REQ_ERR ? requester[s] : responder[s];
}

/* Every public dump of an error has the solicited bit: op_own is d2, d3 or e2 (Juniper/warp17, issue
 * 81; ofiwg/libfabric, issue 4283; spdk/spdk, issue 961). */
void cqe_put_error(uint8_t cqe[64], enum cqe_opcode opcode, enum cqe_syndrome s)
{
	struct detail d = detail_of(opcode, s);

	cqe[52] = d.hardware;
	cqe[54] = d.vendor;
	cqe[55] = s;
	cqe[63] = opcode << 4 | OP_OWN_SOLICITED;
}

void cqe_send_error(struct engine *e, struct hca_qp *qp, uint16_t index, enum cqe_syndrome s)
{
	uint8_t ctrl[HWQE_UNIT], entry[ENTRY];

	count_send_error(e->hca, qp, s);
	hwqe_unit(qp, index, 0, ctrl);
	cqe_put_error(start(qp, entry, index, hwqe_get(ctrl, HWQE_CTRL_OPCODE)), CQE_REQ_ERR,
		      s);
	write_cqe(e, qp, qp->scq, entry);
}

void cqe_recv_error(struct engine *e, struct hca_qp *qp, const struct recv_wqe *r,
		    enum cqe_syndrome s)
{
	uint8_t entry[ENTRY];

	count_recv_error(e->hca, qp, s);
	cqe_put_error(start_recv(qp, r, entry), CQE_RESP_ERR, s);
	write_cqe(e, qp, recv_cq(qp, r), entry);
}
