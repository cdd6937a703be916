/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decoding a send WQE. Everything that can be refused without looking at memory is refused
 * here; keys are checked when the bytes move.
 */
#include "engine/cqe.h"
#include "engine/hwqe.h"
#include "engine/qp.h"
#include "engine/sg.h"
#include "engine/wqe_report.h"

/* Control, 48 bytes of zeros, 64 bytes of the argument. */
#define ARGUMENT_UNITS 8

/* Units in front of the data segments, without those of av and xrc; 0: unknown opcode. */
static uint8_t opcode_units(uint8_t opcode, uint8_t opmod)
{
	static const uint8_t units[256] = {
		[HWQE_NOP] = 1,	      [HWQE_SEND] = 1,
		[HWQE_SEND_IMM] = 1,  [HWQE_WRITE] = 2,
		[HWQE_READ] = 2,      [HWQE_WRITE_IMM] = 2,
		[HWQE_ATOMIC_CS] = 3, [HWQE_ATOMIC_FA] = 3,
		[HWQE_UMR] = 8,	      [HWQE_SEND_INVAL] = 1,
		[HWQE_MASKED_CS] = 3, [HWQE_MASKED_FA] = 3,
		[HWQE_MMO] = 2,	      [HWQE_ARGUMENT] = ARGUMENT_UNITS,
	};

	/* Two values and two masks of 8 bytes each. */
	if (opcode == HWQE_MASKED_CS && opmod == HWQE_MASKED_8)
		return 4;
	return units[opcode];
}

/* Units in front of the data segments; 0: the QP does not support the operation. InfiniBand
 * specification, chapter 9, table "Transport functions supported for specific transport
 * services". */
static uint8_t fixed_units(const struct hca_qp *qp, const struct hca_req_wqe *w, uint8_t opmod)
{
	uint8_t units = opcode_units(w->opcode, opmod);
	bool send = w->opcode == HWQE_SEND || w->opcode == HWQE_SEND_IMM;

	/* MMO: mlx5dv_wr_post(3) allows RC and DCI. */
	if (w->opcode == HWQE_MMO)
		return (qp->st == PRM_QPC_ST_RC || qp->st == PRM_QPC_ST_DCI) && qp->mmo ? units
											: 0;
	if (w->opcode == HWQE_ARGUMENT)
		return qp->st == PRM_QPC_ST_RC ? units : 0;
	if (qp->st == PRM_QPC_ST_RC || (w->opcode == HWQE_NOP && qp_service(qp) != 0xff))
		return units;
	switch (qp->st) {
	case PRM_QPC_ST_REG_UMR:
		return w->opcode == HWQE_UMR || w->opcode == HWQE_NOP ? units : 0;
	case PRM_QPC_ST_UC:
		return hwqe_is_read_atomic(w) || w->opcode == HWQE_SEND_INVAL ? 0 : units;
	case PRM_QPC_ST_UD:
	case PRM_QPC_ST_QP1:
		return send ? units + HWQE_AV_UNITS : 0;
	case PRM_QPC_ST_XRC:
		/* libmlx5 (qp.c) omits the XRC segment where no packet is sent. */
		return units && w->opcode != HWQE_UMR ? units + 1 : units;
	case PRM_QPC_ST_DCI:
		/* assumed(dci_makes_no_mkeys): a UMR WQE on a DCI ends in syndrome 0x02;
		 * libmlx5 (qp.c) offers it on RC only. */
		return units && w->opcode != HWQE_UMR ? units + HWQE_AV_UNITS : 0;
	default: /* raw packets */
		return 0;
	}
}

void hwqe_unit(const struct hca_qp *qp, uint16_t index, unsigned int unit,
	       uint8_t seg[HWQE_UNIT])
{
	sg_ring_copy(&qp->sq, (uint64_t)index * HWQE_BB + unit * HWQE_UNIT, seg, HWQE_UNIT);
}

void hwqe_fetch(struct engine *e, const struct hca_qp *qp, uint16_t index, unsigned int units)
{
	struct engine_wqe *i = &e->wqe;
	uint64_t off = (uint64_t)index * HWQE_BB;

	i->qp = qp;
	i->index = index;
	sg_ring_copy(&qp->sq, off, i->bytes, HWQE_BB);
	if (!units)
		units = core_bits(i->bytes, HWQE_CTRL_DS);
	if (units * HWQE_UNIT > HWQE_BB)
		sg_ring_copy(&qp->sq, off + HWQE_BB, i->bytes + HWQE_BB,
			     units * HWQE_UNIT - HWQE_BB);
}

void hwqe_av(const struct hca_qp *qp, uint16_t index, struct hwqe_av *av)
{
	sg_ring_copy(&qp->sq, (uint64_t)index * HWQE_BB + HWQE_AV_UNIT * HWQE_UNIT, av->bytes,
		     sizeof(av->bytes));
}

static unsigned int blocks(unsigned int ds)
{
	return ds ? (ds * HWQE_UNIT + HWQE_BB - 1) / HWQE_BB : 1;
}

unsigned int hwqe_blocks(const struct hca_qp *qp, uint16_t index)
{
	uint8_t ctrl[HWQE_UNIT];

	hwqe_unit(qp, index, 0, ctrl);
	return blocks(core_bits(ctrl, HWQE_CTRL_DS));
}

static uint8_t decode_flags(const uint8_t *ctrl)
{
	/* assumed(completion_modes_1_and_3): ce 1, "CQE on first error", does what ce 0 does,
	 * as the first error ends the QP; ce 3, "CQE and EQE", does what ce 2 does: a CQE, and
	 * an EQE if the CQ is armed. */
	return (core_bits(ctrl, HWQE_CTRL_CE) >= HWQE_CE_ALWAYS ? HCA_REQ_SIGNALED : 0) |
	       (core_bits(ctrl, HWQE_CTRL_SE) ? HCA_REQ_SOLICITED : 0) |
	       (core_bits(ctrl, HWQE_CTRL_FM) > HWQE_FENCE_INITIATOR_SMALL ? HCA_REQ_FENCE : 0);
}

static bool opmod_fits(uint8_t opcode, uint8_t opmod)
{
	if (opcode == HWQE_MASKED_CS || opcode == HWQE_MASKED_FA)
		return opmod == HWQE_MASKED_4 || opmod == HWQE_MASKED_8;
	if (opcode == HWQE_ARGUMENT)
		return opmod == HWQE_OPMOD_ARGUMENT;
	return opmod == (opcode == HWQE_MMO ? HWQE_OPMOD_MMO_DMA : 0);
}

/* Is the control segment what the device expects at @index? */
static bool ctrl_fits(const struct hca_qp *qp, uint16_t index, const uint8_t *ctrl)
{
	return core_bits(ctrl, HWQE_CTRL_INDEX) == index &&
	       core_bits(ctrl, HWQE_CTRL_QPN) == qp->qpn &&
	       opmod_fits(core_bits(ctrl, HWQE_CTRL_OPCODE), core_bits(ctrl, HWQE_CTRL_OPMOD));
}

bool hwqe_is_posted(const struct hca_qp *qp)
{
	uint8_t ctrl[HWQE_UNIT];

	hwqe_unit(qp, qp->req.pi, 0, ctrl);
	return core_bits(ctrl, HWQE_CTRL_QPN) && core_bits(ctrl, HWQE_CTRL_INDEX) == qp->req.pi;
}

/* Bytes of the response of an atomic. */
static uint32_t operand(const struct hca_req_wqe *w, uint8_t opmod)
{
	return hwqe_is_masked(w) && opmod == HWQE_MASKED_4 ? 4 : 8;
}

/* Computes the length of the message from the data segments; 0, or the syndrome. */
static uint8_t decode_data(struct engine *e, const struct hca_qp *qp, struct hca_req_wqe *w,
			   uint8_t opmod)
{
	struct sg_list l;
	uint64_t total, inl;

	if (w->opcode == HWQE_NOP || hwqe_is_local(w))
		return 0;
	l = sg_of_fetched(e->hca, qp, e->wqe.bytes, w);
	if (!sg_total(&l, &total, &inl) || (inl && hwqe_is_read_atomic(w)))
		return CQE_LOCAL_QP_OP;
	/* InfiniBand specification, chapter 11, completion status "Local Length Error". */
	if (total > 1ull << qp->log_msg_max || (hwqe_is_atomic(w) && total < operand(w, opmod)))
		return CQE_LOCAL_LENGTH;
	w->len = hwqe_is_atomic(w) ? operand(w, opmod) : total;
	w->npkt = w->len ? (w->len + qp->mtu - 1) / qp->mtu : 1;
	return 0;
}

/* The GRH bit is ignored: RoCE always has one (libmlx5, verbs.c, mlx5_create_ah). */
bool hwqe_av_fits(const struct hca *hca, const struct hwqe_av *av)
{
	uint32_t sgid_index = core_bits(av->bytes, HWQE_AV_SGID_INDEX);

	return core_bits(av->bytes, HWQE_AV_EXT) && sgid_index < HCA_GIDS &&
	       hca->port.gid[sgid_index].valid;
}

/* Does a WQE of a DCI have the address that it needs? */
static bool target_fits(const struct engine *e, const struct hca_qp *qp, uint8_t opcode)
{
	struct hwqe_av av;

	if (qp->st != PRM_QPC_ST_DCI || !hwqe_has_target(opcode))
		return true;
	memcpy(av.bytes, e->wqe.bytes + HWQE_AV_UNIT * HWQE_UNIT, sizeof(av.bytes));
	return hwqe_av_fits(e->hca, &av);
}

/* A datagram: its address, and its length, which is limited to one packet. 0, or the
 * syndrome. */
static uint8_t decode_datagram(struct engine *e, const struct hca_qp *qp, struct hca_req_wqe *w)
{
	struct sg_list l;
	uint64_t total, inl;
	struct hwqe_av av;

	if (w->opcode == HWQE_NOP)
		return 0;
	l = sg_of_fetched(e->hca, qp, e->wqe.bytes, w);
	memcpy(av.bytes, e->wqe.bytes + HWQE_AV_UNIT * HWQE_UNIT, sizeof(av.bytes));
	/* assumed(bad_address_vector_is_a_qp_operation_error): an address vector without the
	 * extended bit (48 bytes), or with the index of an empty GID entry, ends in syndrome
	 * 0x02. */
	if (!hwqe_av_fits(e->hca, &av) || !sg_total(&l, &total, &inl))
		return CQE_LOCAL_QP_OP;
	if (total > e->hca->port.mtu)
		return CQE_LOCAL_LENGTH;
	w->len = total;
	w->npkt = 1;
	return 0;
}

void hwqe_decode(struct engine *e, const struct hca_qp *qp, uint16_t index, uint16_t avail,
		 struct hca_req_wqe *w)
{
	const uint8_t *ctrl = e->wqe.bytes;
	uint8_t opmod = core_bits(ctrl, HWQE_CTRL_OPMOD);

	*w = (struct hca_req_wqe){ .opcode = core_bits(ctrl, HWQE_CTRL_OPCODE),
				   .ds = core_bits(ctrl, HWQE_CTRL_DS),
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
		   !target_fits(e, qp, w->opcode)) {
		w->status = CQE_LOCAL_QP_OP;
	} else if (hca_is_datagram(qp)) {
		w->status = decode_datagram(e, qp, w);
	} else {
		w->status = decode_data(e, qp, w, opmod);
	}
	if (w->status)
		wqe_report_unsupported(qp, index, ctrl);
}
