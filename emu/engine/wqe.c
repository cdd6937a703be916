/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decoding a send WQE. Everything that can be refused without looking at memory is refused
 * here; keys are checked when the bytes move.
 */
#include "engine/cqe.h"
#include "engine/refuse.h"
#include "engine/scatter.h"
#include "engine/wqe.h"

/* Units in front of the data segments, without those of av and xrc; 0: the device does not know
 * the opcode. */
static uint8_t opcode_units(uint8_t opcode, uint8_t opmod)
{
	static const uint8_t units[256] = {
		[WQE_NOP] = 1,	[WQE_SEND] = 1,	      [WQE_SEND_IMM] = 1,  [WQE_WRITE] = 2,
		[WQE_READ] = 2, [WQE_WRITE_IMM] = 2,  [WQE_ATOMIC_CS] = 3, [WQE_ATOMIC_FA] = 3,
		[WQE_UMR] = 8,	[WQE_SEND_INVAL] = 1, [WQE_MASKED_CS] = 3, [WQE_MASKED_FA] = 3,
		[WQE_MMO] = 2,
	};

	/* Two values and two masks of 8 bytes each. */
	if (opcode == WQE_MASKED_CS && opmod == WQE_MASKED_8)
		return 4;
	return units[opcode];
}

/* Units in front of the data segments; 0: no such operation on this QP. InfiniBand
 * specification, chapter 9, table "Transport functions supported for specific transport
 * services". */
static uint8_t fixed_units(const struct hca_qp *qp, const struct hca_req_wqe *w, uint8_t opmod)
{
	uint8_t units = opcode_units(w->opcode, opmod);
	bool send = w->opcode == WQE_SEND || w->opcode == WQE_SEND_IMM;

	/* Of QPs that copy memory: mlx5dv_wr_post(3) knows RC and DCI. */
	if (w->opcode == WQE_MMO)
		return (qp->st == PRM_QPC_ST_RC || qp->st == PRM_QPC_ST_DCI) && qp->mmo ? units
											: 0;
	if (qp->st == PRM_QPC_ST_RC || (w->opcode == WQE_NOP && qp_service(qp) != 0xff))
		return units;
	switch (qp->st) {
	case PRM_QPC_ST_UC:
		return wqe_is_rd(w) || w->opcode == WQE_SEND_INVAL ? 0 : units;
	case PRM_QPC_ST_UD:
		return send ? units + WQE_AV_UNITS : 0;
	case PRM_QPC_ST_XRC:
		/* libmlx5 (qp.c) leaves the XRC segment out where no packet needs it. */
		return units && w->opcode != WQE_UMR ? units + 1 : units;
	case PRM_QPC_ST_DCI:
		/* assumed(dci_makes_no_mkeys): a UMR WQE on a DCI ends in syndrome 0x02; libmlx5
		 * (qp.c) offers it on RC only. */
		return units && w->opcode != WQE_UMR ? units + WQE_AV_UNITS : 0;
	default: /* raw packets */
		return 0;
	}
}

void wqe_unit(const struct hca_qp *qp, uint16_t index, unsigned int unit, uint8_t seg[WQE_UNIT])
{
	sg_ring_copy(&qp->sq, (uint64_t)index * WQE_BB + unit * WQE_UNIT, seg, WQE_UNIT);
}

void wqe_av(const struct hca_qp *qp, uint16_t index, struct wqe_av *av)
{
	sg_ring_copy(&qp->sq, (uint64_t)index * WQE_BB + WQE_AV_UNIT * WQE_UNIT, av->bytes,
		     sizeof(av->bytes));
}

static unsigned int blocks(unsigned int ds)
{
	return ds ? (ds * WQE_UNIT + WQE_BB - 1) / WQE_BB : 1;
}

unsigned int wqe_blocks(const struct hca_qp *qp, uint16_t index)
{
	uint8_t ctrl[WQE_UNIT];

	wqe_unit(qp, index, 0, ctrl);
	return blocks(wqe_get(ctrl, WQE_CTRL_DS));
}

static uint8_t decode_flags(const uint8_t *ctrl)
{
	/* assumed(completion_modes_1_and_3): ce 1, "CQE on first error", does what ce 0 does, as
	 * the first error ends the QP; ce 3, "CQE and EQE", does what ce 2 does: a CQE, and an
	 * EQE if the CQ is armed. */
	return (wqe_get(ctrl, WQE_CTRL_CE) >= WQE_CE_ALWAYS ? HCA_REQ_SIGNALED : 0) |
	       (wqe_get(ctrl, WQE_CTRL_SE) ? HCA_REQ_SOLICITED : 0) |
	       (wqe_get(ctrl, WQE_CTRL_FM) > WQE_FENCE_INITIATOR_SMALL ? HCA_REQ_FENCE : 0);
}

static bool opmod_fits(uint8_t opcode, uint8_t opmod)
{
	if (opcode == WQE_MASKED_CS || opcode == WQE_MASKED_FA)
		return opmod == WQE_MASKED_4 || opmod == WQE_MASKED_8;
	return opmod == (opcode == WQE_MMO ? WQE_OPMOD_MMO_DMA : 0);
}

/* The control segment against what the device expects at @index. */
static bool ctrl_fits(const struct hca_qp *qp, uint16_t index, const uint8_t *ctrl)
{
	return wqe_get(ctrl, WQE_CTRL_INDEX) == index &&
	       wqe_get(ctrl, WQE_CTRL_QPN) == qp->qpn &&
	       opmod_fits(wqe_get(ctrl, WQE_CTRL_OPCODE), wqe_get(ctrl, WQE_CTRL_OPMOD));
}

/* Bytes of the answer of an atomic. */
static uint32_t operand(const struct hca_req_wqe *w, uint8_t opmod)
{
	return wqe_is_masked(w) && opmod == WQE_MASKED_4 ? 4 : 8;
}

/* Length of the message from the data segments, or the syndrome. */
static uint8_t decode_data(struct hca *hca, const struct hca_qp *qp, uint16_t index,
			   struct hca_req_wqe *w, uint8_t opmod)
{
	struct sg_list l = sg_of_send(hca, qp, index, w);
	uint64_t total, inl;

	if (w->opcode == WQE_NOP || wqe_is_local(w))
		return 0;
	if (!sg_total(&l, &total, &inl) || (inl && wqe_is_rd(w)))
		return CQE_LOCAL_QP_OP;
	/* InfiniBand specification, chapter 11, completion status "Local Length Error". */
	if (total > 1ull << qp->log_msg_max || (wqe_is_atomic(w) && total < operand(w, opmod)))
		return CQE_LOCAL_LENGTH;
	w->len = wqe_is_atomic(w) ? operand(w, opmod) : total;
	w->npkt = w->len ? (w->len + qp->mtu - 1) / qp->mtu : 1;
	return 0;
}

/* The GRH bit says nothing: RoCE always has one (libmlx5, verbs.c, mlx5_create_ah). */
bool wqe_av_fits(const struct hca *hca, const struct wqe_av *av)
{
	uint32_t sgid_index = wqe_get(av->bytes, WQE_AV_SGID_INDEX);

	return wqe_get(av->bytes, WQE_AV_EXT) && sgid_index < HCA_GIDS &&
	       hca->port.gid[sgid_index].valid;
}

/* Has a WQE of a DCI the address that it needs? */
static bool target_fits(const struct hca *hca, const struct hca_qp *qp, uint16_t index,
			uint8_t opcode)
{
	struct wqe_av av;

	if (qp->st != PRM_QPC_ST_DCI || !wqe_has_target(opcode))
		return true;
	wqe_av(qp, index, &av);
	return wqe_av_fits(hca, &av);
}

/* A datagram: its address, and its length, which is that of one packet. */
static uint8_t decode_datagram(struct hca *hca, const struct hca_qp *qp, uint16_t index,
			       struct hca_req_wqe *w)
{
	struct sg_list l = sg_of_send(hca, qp, index, w);
	uint64_t total, inl;
	struct wqe_av av;

	if (w->opcode == WQE_NOP)
		return 0;
	wqe_av(qp, index, &av);
	/* assumed(bad_address_vector_is_a_qp_operation_error): an address vector without the bit that
	 * says that it has 48 bytes, or with the index of an empty GID entry, ends in syndrome
	 * 0x02. */
	if (!wqe_av_fits(hca, &av) || !sg_total(&l, &total, &inl))
		return CQE_LOCAL_QP_OP;
	if (total > hca->port.mtu)
		return CQE_LOCAL_LENGTH;
	w->len = total;
	w->npkt = 1;
	return 0;
}

void wqe_decode(struct hca *hca, const struct hca_qp *qp, uint16_t index, uint16_t avail,
		struct hca_req_wqe *w)
{
	uint8_t ctrl[WQE_UNIT], opmod;

	wqe_unit(qp, index, 0, ctrl);
	opmod = wqe_get(ctrl, WQE_CTRL_OPMOD);
	*w = (struct hca_req_wqe){ .opcode = wqe_get(ctrl, WQE_CTRL_OPCODE),
				   .ds = wqe_get(ctrl, WQE_CTRL_DS),
				   .flags = decode_flags(ctrl) };
	w->data = fixed_units(qp, w, opmod);
	w->nbb = blocks(w->ds);
	/* assumed(malformed_wqe_is_a_qp_operation_error): a WQE whose index, QPN, opmod, opcode
	 * or ds does not fit ends in syndrome 0x02 and not in an asynchronous error event, as a
	 * masked atomic that the DCI does not take (openucx/ucx, issue 1151) and a malformed
	 * receive WQE (pull request 11444) do. */
	if (w->nbb > avail) {
		w->nbb = 1;
		w->status = CQE_LOCAL_QP_OP;
	} else if (!ctrl_fits(qp, index, ctrl) || !w->data || w->ds < w->data ||
		   !target_fits(hca, qp, index, w->opcode)) {
		w->status = CQE_LOCAL_QP_OP;
	} else if (qp->st == PRM_QPC_ST_UD) {
		w->status = decode_datagram(hca, qp, index, w);
	} else {
		w->status = decode_data(hca, qp, index, w, opmod);
	}
	if (w->status)
		refuse_explain(qp, index, ctrl);
}
