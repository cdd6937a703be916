/* SPDX-License-Identifier: BSD-2-Clause */
/* Which fields of a CQE have which value; event/hcqe.h has their positions. */
#include <string.h>

#include "engine/count.h"
#include "engine/cqe.h"
#include "engine/hwqe.h"
#include "engine/qp.h"
#include "event/event.h"
#include "prm/prm.h"

#define GRH_IN_DATA 1 /* any value but 0 is IBV_WC_GRH: libmlx5, cq.c, handle_responder */
/* Bytes of inline scatter: in the CQE itself, in the 64 bytes in front of it. */
#define INLINE_IN_CQE	32u
#define INLINE_IN_ENTRY 64u

uint32_t cqe_inline_req(const struct hca_qp *qp)
{
	switch (PRM_GET(qpc, qp->qpc, cs_req)) {
	case PRM_QPC_CS_REQ_UP_TO_32B:
		return INLINE_IN_CQE;
	case PRM_QPC_CS_REQ_UP_TO_64B:
		return INLINE_IN_ENTRY;
	default:
		return 0;
	}
}

uint32_t cqe_inline_resp(const struct hca_qp *qp)
{
	switch (PRM_GET(qpc, qp->qpc, cs_res)) {
	case PRM_QPC_CS_RES_UP_TO_32B:
		return INLINE_IN_CQE;
	case PRM_QPC_CS_RES_UP_TO_64B:
		return INLINE_IN_ENTRY;
	default:
		return 0;
	}
}

uint8_t *cqe_start(uint8_t entry[HCQE_ENTRY], uint32_t uidx, uint32_t qpn, uint16_t index,
		   uint8_t op)
{
	uint8_t *cqe = entry + HCQE_CQE;

	memset(entry, 0, HCQE_ENTRY);
	core_set_bits(cqe, HCQE_SRQN_UIDX, uidx);
	core_set_bits(cqe, HCQE_SEND_OPCODE, op);
	core_set_bits(cqe, HCQE_QPN, qpn);
	core_set_bits(cqe, HCQE_WQE_COUNTER, index);
	return cqe;
}

/* CQE of receive WQE @r. That of an XRC SRQ has the user index of the SRQ, and is in its CQ. */
static uint8_t *start_recv(const struct hca_qp *qp, const struct recv_wqe *r, uint8_t *entry)
{
	uint32_t uidx = r->srq && r->srq->xrc ? r->srq->user_index : qp->user_index;

	return cqe_start(entry, uidx, qp->qpn, r->index, 0);
}

static struct hca_cq *recv_cq(const struct hca_qp *qp, const struct recv_wqe *r)
{
	return r->srq && r->srq->xrc ? r->srq->cq : qp->rcq;
}

void cqe_stamp(const struct engine *e, uint8_t *cqe)
{
	uint64_t ticks = htobe64(hca_ticks(e->hca, e->now));

	memcpy(cqe + HCQE_TIMESTAMP, &ticks, sizeof(ticks));
}

/* Where libmlx5 reads it (cq.c, handle_responder): up to 32 bytes at the start of the CQE, more
 * in the 64 bytes in front of it. */
/* assumed(short_scatter_in_128_byte_cqe): with inline scatter of 64 bytes, data of up to 32
 * bytes is still in the CQE itself, format 1. */
static void put_inline(uint8_t *cqe, const struct cqe_inline *inl)
{
	bool in_cqe = inl && inl->len <= INLINE_IN_CQE;

	if (!inl || !inl->len)
		return;
	memcpy(in_cqe ? cqe : cqe - INLINE_IN_ENTRY, inl->bytes, inl->len);
	core_set_bits(cqe, HCQE_FORMAT, in_cqe ? HCQE_FORMAT_INLINE_32 : HCQE_FORMAT_INLINE_64);
}

/* A QP whose CQ is in overrun goes to ERR: InfiniBand specification, chapter 11, "Affiliated
 * asynchronous errors": Local Work Queue Catastrophic Error. (On mlx5 a full CQ stops the QP:
 * google/rdma-unit-test, introspection.h, FullCqIdlesQp.) */
static void write_cqe(struct engine *e, struct hca_qp *qp, struct hca_cq *cq,
		      const uint8_t *entry)
{
	if (event_cqe(e->hca, cq, entry, core_bits(entry + HCQE_CQE, HCQE_SE))) {
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
	uint8_t entry[HCQE_ENTRY];
	uint8_t *cqe = cqe_start(entry, qp->user_index, qp->qpn, index, w->opcode);

	cqe_stamp(e, cqe);
	if (hwqe_is_read_atomic(w))
		core_set_bits(cqe, HCQE_BYTE_CNT, w->len);
	core_set_bits(cqe, HCQE_OPCODE, HCQE_REQ);
	put_inline(cqe, inl);
	write_cqe(e, qp, qp->scq, entry);
}

/* The dword flags_rqpn. */
static void put_source(uint8_t *cqe, const struct engine *e, const struct hca_qp *qp,
		       const struct wire_packet *p)
{
	bool ud = hca_is_datagram(qp);
	const struct hca_gid *gid = &e->hca->port.gid[qp->path.sgid_index];
	bool v1 = ud ? p->v1 : !gid->version, v4 = ud ? p->ip[0] >> 4 == 4 : !gid->l3_type;

	/* assumed(rc_receive_cqe_has_no_grh_bit): flags_rqpn of a receive on a connection, that
	 * of a DCT too, has the peer's QPN and the RoCE L3 type, and its GRH bits are 0. */
	core_set_bits(cqe, HCQE_GRH, ud ? GRH_IN_DATA : 0);
	core_set_bits(cqe, HCQE_L3_TYPE,
		      v1   ? HCQE_GRH_HEADER
		      : v4 ? HCQE_IPV4_HEADER
			   : HCQE_IPV6_HEADER);
	core_set_bits(cqe, HCQE_RQPN, ud ? p->src_qpn : qp->remote_qpn);
}

void cqe_received(struct engine *e, struct hca_qp *qp, const struct recv_wqe *r,
		  const struct wire_packet *p, enum hcqe_opcode opcode,
		  const struct cqe_inline *inl)
{
	uint8_t entry[HCQE_ENTRY];
	uint8_t *cqe = start_recv(qp, r, entry);

	cqe_stamp(e, cqe);
	put_source(cqe, e, qp, p);
	if (opcode != HCQE_RESP_SEND)
		memcpy(cqe + HCQE_IMM, p->imm, sizeof(p->imm));
	else if (qp->st == PRM_QPC_ST_QP1)
		core_set_bits(cqe, HCQE_PKEY, p->pkey);
	core_set_bits(cqe, HCQE_BYTE_CNT, qp->resp.off);
	core_set_bits(cqe, HCQE_OPCODE, opcode);
	core_set_bits(cqe, HCQE_SE, p->solicited);
	put_inline(cqe, inl);
	write_cqe(e, qp, recv_cq(qp, r), entry);
}

/* The vendor syndrome and the hardware syndrome that accompany a syndrome. */
struct detail {
	uint8_t vendor, hardware;
};

/* assumed(vendor_syndromes): vendor and hardware syndromes as public logs show them; if these
 * show several for one syndrome, the one of a wrong key is used; if they show none, 0.
 * Requester: LOC_QP_OP 0x68, 0x1f (openucx/ucx, issue 3618); LOC_PROT 0x52, 0x92 (openucx/ucx,
 * issue 6414; 0x51 in issue 9515, 0x53 of a raw packet queue in Juniper/warp17, issue 81);
 * MW_BIND 0x78, 0x0f (linux-rdma, 2023-07-19, "umem: Set iova in ODP flow"); 0x81 retry
 * exceeded (openucx/ucx, "Transport retry count exceeded … vend 0x81"), 0x87 RNR retry
 * exceeded, 0x88 remote access, 0x89 remote operation, 0x8a remote invalid request. Responder:
 * LOC_PROT 0x32, 0x92 (openucx/ucx, pull request 7801). Both: 0xf9 flushed. */
static struct detail detail_of(enum hcqe_opcode opcode, enum cqe_syndrome s)
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

	return opcode == HCQE_REQ_ERR ? requester[s] : responder[s];
}

/* Every public dump of an error has the solicited bit: op_own is d2, d3 or e2 (Juniper/warp17,
 * issue 81; ofiwg/libfabric, issue 4283; spdk/spdk, issue 961). */
void cqe_put_error(uint8_t cqe[64], enum hcqe_opcode opcode, enum cqe_syndrome s)
{
	struct detail d = detail_of(opcode, s);

	core_set_bits(cqe, HCQE_HW_SYNDROME, d.hardware);
	core_set_bits(cqe, HCQE_VENDOR_SYNDROME, d.vendor);
	core_set_bits(cqe, HCQE_SYNDROME, s);
	core_set_bits(cqe, HCQE_OPCODE, opcode);
	core_set_bits(cqe, HCQE_SE, 1);
}

void cqe_send_error(struct engine *e, struct hca_qp *qp, uint16_t index, enum cqe_syndrome s)
{
	uint8_t ctrl[HWQE_UNIT], entry[HCQE_ENTRY], *cqe;

	count_send_error(e->hca, qp, s);
	hwqe_unit(qp, index, 0, ctrl);
	cqe = cqe_start(entry, qp->user_index, qp->qpn, index,
			core_bits(ctrl, HWQE_CTRL_OPCODE));
	cqe_put_error(cqe, HCQE_REQ_ERR, s);
	write_cqe(e, qp, qp->scq, entry);
}

void cqe_recv_error(struct engine *e, struct hca_qp *qp, const struct recv_wqe *r,
		    enum cqe_syndrome s)
{
	uint8_t entry[HCQE_ENTRY];

	count_recv_error(e->hca, qp, s);
	cqe_put_error(start_recv(qp, r, entry), HCQE_RESP_ERR, s);
	write_cqe(e, qp, recv_cq(qp, r), entry);
}
