/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UD: a message is one packet, sent to the address vector of its WQE and not acknowledged.
 * Packets that cannot be received are dropped silently.
 *
 *	receive buffer  | 0          40 | payload …
 *	                | IPv6 header   |            RoCE v2 over IPv6
 *	                | 20 zero | IPv4|            RoCE v2 over IPv4
 *
 * (InfiniBand specification, chapter 9, "Unreliable datagram", and chapter 11, where the first
 * 40 bytes are the GRH; annex A17 for the IP header that replaces it.)
 */
#include <string.h>

#include "engine/cqe.h"
#include "engine/datagram.h"
#include "engine/hwqe.h"
#include "engine/qp.h"
#include "engine/receive.h"
#include "engine/tx.h"
#include "event/event.h"

#define GRH_LEN		40
#define IPV4_LEN	20
#define QKEY_CONTROLLED 0x80000000u /* the Q_Key of the QP is sent instead */

/* ---- sending ---- */

bool datagram_has_space(struct engine *e, const struct hca_qp *qp, uint16_t index)
{
	struct hwqe_av av;

	hwqe_av(qp, index, &av);
	return tx_has_space(e, av.bytes + HWQE_AV_RGID, core_bits(av.bytes, HWQE_AV_DQPN));
}

void datagram_address(struct engine *e, const struct hca_qp *qp, uint16_t index,
		      struct wire_packet *p)
{
	const struct hca_gid *gid;
	struct hwqe_av av;

	hwqe_av(qp, index, &av);
	gid = &e->hca->port.gid[core_bits(av.bytes, HWQE_AV_SGID_INDEX) % HCA_GIDS];
	memset(p, 0, sizeof(*p));
	memcpy(p->sgid, gid->raw, sizeof(p->sgid));
	memcpy(p->dgid, av.bytes + HWQE_AV_RGID, sizeof(p->dgid));
	p->v1 = !gid->version;
	memcpy(p->smac, gid->mac, sizeof(p->smac));
	memcpy(p->dmac, av.bytes + HWQE_AV_RMAC, sizeof(p->dmac));
	p->tclass = core_bits(av.bytes, HWQE_AV_TCLASS);
	p->hop_limit = core_bits(av.bytes, HWQE_AV_HOP_LIMIT);
	p->udp_sport = core_bits(av.bytes, HWQE_AV_UDP_SPORT);
	p->flow_label = core_bits(av.bytes, HWQE_AV_FLOW_LABEL);
	p->pkey = 0xffff; /* the only entry of a RoCE port's P_Key table */
	p->dqpn = core_bits(av.bytes, HWQE_AV_DQPN);
	p->qkey = core_bits(av.bytes, HWQE_AV_QKEY);
	/* IBA, chapter 10, "Q_Keys": the most significant bit marks a controlled one. */
	if (p->qkey & QKEY_CONTROLLED)
		p->qkey = qp->qkey;
	p->src_qpn = qp->st == PRM_QPC_ST_QP1 ? HCA_GSI_QPN : qp->qpn;
}

/* ---- receiving ---- */

/* assumed(ipv4_header_ends_the_grh_area): with RoCE v2 over IPv4 the first 20 of the 40 bytes
 * are written as zeros. */
static void make_grh(const struct wire_packet *p, uint8_t grh[GRH_LEN])
{
	bool v4 = p->ip[0] >> 4 == 4;
	size_t len = v4 ? IPV4_LEN : GRH_LEN;

	memset(grh, 0, GRH_LEN);
	memcpy(grh + GRH_LEN - len, p->ip, len);
}

static enum sg_status deliver(struct engine *e, struct hca_qp *qp, const struct wire_packet *p)
{
	struct sg_list l = receive_list(e, qp, qp->srq);
	struct hca_cursor at = { 0 };
	uint64_t total, inl;
	uint8_t grh[GRH_LEN];
	enum sg_status status;

	sg_total(&l, &total, &inl);
	if (total < GRH_LEN + p->payload_len)
		return SG_SHORT;
	make_grh(p, grh);
	status = sg_scatter(&l, &at, grh, GRH_LEN);
	return status == SG_OK ? sg_scatter(&l, &at, p->payload, p->payload_len) : status;
}

/* A datagram that is longer than the receive buffers is dropped, and the next one uses the WQE
 * (class D of the IBA, chapter 9, "Responder error behavior"; google/rdma-unit-test,
 * ud_test.cc, CheckClassDFaults). */
static void failed(struct engine *e, struct hca_qp *qp, enum sg_status status)
{
	struct recv_wqe wqe = receive_wqe(qp, qp->srq);

	if (status == SG_SHORT) {
		e->counters.rx_dropped++;
		return;
	}
	receive_done(qp, qp->srq);
	cqe_recv_error(e, qp, &wqe, CQE_LOCAL_PROT);
	qp_error_enter(e, qp);
}

void datagram_take(struct engine *e, struct hca_qp *qp, const struct wire_packet *p)
{
	bool imm = (p->opcode & WIRE_OPERATION_MASK) == WIRE_SEND_ONLY_IMM;
	enum sg_status status;
	struct recv_wqe wqe;

	if (p->qkey != qp->qkey) {
		e->counters.rx_dropped++;
		return;
	}
	if (!receive_take(e, qp, qp->srq)) {
		HCA_COUNT(e->hca, qp, out_of_buffer);
		e->counters.rx_dropped++;
		return;
	}
	if (!qp->resp.comm_est)
		receive_comm_est(e, qp);
	status = deliver(e, qp, p);
	if (status != SG_OK) {
		failed(e, qp, status);
		return;
	}
	wqe = receive_wqe(qp, qp->srq);
	receive_done(qp, qp->srq);
	qp->resp.off = GRH_LEN + p->payload_len;
	cqe_received(e, qp, &wqe, p, imm ? HCQE_RESP_SEND_IMM : HCQE_RESP_SEND, NULL);
}
