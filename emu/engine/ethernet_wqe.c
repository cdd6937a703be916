/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * WQEs of SQs, and the packets that they describe. Control and Ethernet segment, with the
 * inline headers, are copied once. Data segments are read again for each packet: a program may
 * have changed them meanwhile, so lengths are checked where bytes are copied.
 */
#include <string.h>

#include "engine/ethernet_wqe.h"
#include "engine/lost.h"
#include "prm/prm.h"

#define ETH_UNIT   1u /* of the Ethernet segment */
#define ETH_AT	   (ETH_UNIT * HWQE_UNIT)
#define ETH_INLINE 14u /* of the segment: where the inline headers start */
#define L2_MIN	   14u

/* Ethernet segment; bytes of the segment */
#define ETH_CS_FLAGS   4, 31, 24
#define ETH_MSS	       4, 15, 0
#define ETH_METADATA   8, 31, 0
#define ETH_HDR_SIZE   12, 31, 16
#define ETH_TCI	       12, 15, 0
#define ETH_VLAN       0x8000u /* in the place of the size */
#define ETH_VLAN_SVLAN 0x0001u

static bool is_ours(const struct hca_sq *sq, uint16_t index, const uint8_t *ctrl)
{
	return core_bits(ctrl, HWQE_CTRL_INDEX) == index &&
	       core_bits(ctrl, HWQE_CTRL_QPN) == sq->sqn &&
	       (!core_bits(ctrl, HWQE_CTRL_OPMOD) ||
		core_bits(ctrl, HWQE_CTRL_OPCODE) == EWQE_STEERING);
}

static void read_segment(struct ethernet_wqe *w)
{
	const uint8_t *eth = w->bytes + ETH_AT;
	uint32_t size = core_bits(eth, ETH_HDR_SIZE);

	w->cs_flags = core_bits(eth, ETH_CS_FLAGS);
	w->mss = core_bits(eth, ETH_MSS);
	w->metadata = core_bits(eth, ETH_METADATA);
	if (size & ETH_VLAN) {
		/* kernel, en_tx.c: bit 0 makes it a service tag (802.1ad). */
		w->vlan_type = size & ETH_VLAN_SVLAN ? 0x88a8 : 0x8100;
		w->tci = core_bits(eth, ETH_TCI);
		size = 0;
	}
	w->hdr = (uint16_t)size;
	w->first = ETH_UNIT + (size > 2 ? (ETH_INLINE + size + HWQE_UNIT - 1) / HWQE_UNIT : 1);
}

static struct sg_list data_of(struct engine *e, const struct hca_sq *sq,
			      const struct ethernet_wqe *w)
{
	return (struct sg_list){
		.hca = e->hca,
		.pd = sq->pd,
		.wq = &sq->wq,
		.qpn = sq->sqn,
		.start = (uint64_t)sq->pi * HWQE_BB,
		.first = w->first,
		.end = w->ds,
		.zero_is_empty = true,
	};
}

/* The longest packet that the port sends. */
static uint32_t longest(const struct ethernet_wqe *w)
{
	return WIRE_MAX_ETHERNET - (w->vlan_type ? 4 : 0);
}

/* assumed(ethernet_wqe_lengths): a packet that is shorter than an Ethernet header, or longer
 * than the port sends, ends in a local length error; so do a TSO WQE whose headers are shorter
 * than that, or whose mss is 0, and one whose data is longer than 1 << max_lso_cap. */
static enum cqe_syndrome check_length(const struct engine *e, const struct ethernet_wqe *w)
{
	uint32_t packet = w->hdr + w->data;
	uint64_t most = 1ull << PRM_GET(per_protocol_networking_offload_caps,
					e->hca->caps[PRM_CAP_ETHERNET_OFFLOADS], max_lso_cap);

	if (w->opcode == EWQE_TSO) {
		packet = w->hdr + (w->data < w->mss ? w->data : w->mss);
		if (w->hdr < L2_MIN || !w->mss || w->data > most)
			return CQE_LOCAL_LENGTH;
	}
	return packet < L2_MIN || packet > longest(w) ? CQE_LOCAL_LENGTH : 0;
}

static uint32_t packets_of(const struct ethernet_wqe *w)
{
	return w->opcode == EWQE_TSO && w->data ? (w->data + w->mss - 1) / w->mss : 1;
}

/* Bytes of the data segments, and the packets that they are. */
static enum cqe_syndrome measure(struct engine *e, struct hca_sq *sq, struct ethernet_wqe *w)
{
	struct sg_list l = data_of(e, sq, w);
	enum cqe_syndrome s;
	uint64_t total, inl;

	if (!sg_total(&l, &total, &inl))
		return CQE_LOCAL_QP_OP;
	if (w->opcode == EWQE_MPSW) {
		w->npkt = sg_count(&l);
		return w->npkt ? 0 : CQE_LOCAL_QP_OP;
	}
	if (total > UINT32_MAX / 2)
		return CQE_LOCAL_LENGTH;
	w->data = (uint32_t)total;
	s = check_length(e, w);
	w->npkt = s ? 0 : packets_of(w);
	return s;
}

/* Multi-packet sends need permission, but for the SQs of the owner of the function: mlx5_core
 * posts them, and never sets the bit (en_main.c, mlx5e_create_sq; en/params.c, is_mpw). */
static bool may_send_packets(const struct hca *hca, const struct hca_sq *sq)
{
	return PRM_GET(sqc, sq->sqc, allow_multi_pkt_send_wqe) ||
	       (hca->life != HCA_UNOWNED && !sq->uid);
}

bool ethernet_wqe_is_executed(const struct hca *hca, const struct hca_sq *sq, uint8_t opcode)
{
	if (opcode == EWQE_STEERING)
		return PRM_GET(sqc, sq->sqc, non_wire);
	return opcode == EWQE_SEND || opcode == EWQE_TSO ||
	       (opcode == EWQE_MPSW && may_send_packets(hca, sq));
}

/* Multi-packet sends share one Ethernet segment, without headers and tag. An SQ without TIS
 * sends no packets. */
static bool can_execute(const struct engine *e, const struct hca_sq *sq,
			const struct ethernet_wqe *w)
{
	return sq->tis && ethernet_wqe_is_executed(e->hca, sq, w->opcode) && w->ds > ETH_UNIT &&
	       w->first <= w->ds && (w->opcode != EWQE_MPSW || (!w->hdr && !w->vlan_type));
}

void ethernet_wqe_read(struct engine *e, struct hca_sq *sq, uint16_t index, uint16_t avail,
		       struct ethernet_wqe *w)
{
	uint8_t ctrl[HWQE_UNIT];

	sg_ring_copy(&sq->wq, (uint64_t)index * HWQE_BB, ctrl, sizeof(ctrl));
	memset(w, 0, sizeof(*w));
	w->opcode = core_bits(ctrl, HWQE_CTRL_OPCODE);
	w->ds = core_bits(ctrl, HWQE_CTRL_DS);
	w->nbb = w->ds ? (w->ds + 3) / 4 : 1;
	w->signaled = core_bits(ctrl, HWQE_CTRL_CE) >= HWQE_CE_ALWAYS;
	if (w->nbb > avail) {
		w->nbb = 1;
		w->status = CQE_LOCAL_QP_OP;
		return;
	}
	if (!is_ours(sq, index, ctrl)) {
		w->status = CQE_LOCAL_QP_OP;
		return;
	}
	if (w->opcode == EWQE_NOP)
		return;
	sg_ring_copy(&sq->wq, (uint64_t)index * HWQE_BB, w->bytes, w->ds * HWQE_UNIT);
	if (w->opcode == EWQE_STEERING) {
		w->status =
			ethernet_wqe_is_executed(e->hca, sq, w->opcode) ? 0 : CQE_LOCAL_QP_OP;
		return;
	}
	read_segment(w);
	w->status = can_execute(e, sq, w) ? measure(e, sq, w) : CQE_LOCAL_QP_OP;
}

/* ---- packets ---- */

static enum cqe_syndrome gather(struct engine *e, const struct hca_sq *sq,
				struct ethernet_wqe *w, uint8_t *to, uint32_t len)
{
	struct sg_list l = data_of(e, sq, w);

	return sg_gather(&l, &w->at, to, len) == SG_OK ? 0 : CQE_LOCAL_PROT;
}

/* The next packet of a multi-packet send is one segment. */
static enum cqe_syndrome next_segment(struct engine *e, const struct hca_sq *sq,
				      struct ethernet_wqe *w, uint8_t *frame, size_t *len)
{
	struct sg_list l = data_of(e, sq, w);
	uint64_t bytes = sg_segment(&l, &w->at);

	*len = bytes;
	if (bytes < L2_MIN || bytes > longest(w))
		return CQE_LOCAL_LENGTH;
	return gather(e, sq, w, frame, (uint32_t)bytes);
}

enum cqe_syndrome ethernet_wqe_packet(struct engine *e, struct hca_sq *sq,
				      struct ethernet_wqe *w, uint8_t *frame, size_t *len)
{
	uint32_t data = w->data;

	if (w->opcode == EWQE_MPSW)
		return next_segment(e, sq, w, frame, len);
	if (w->opcode == EWQE_TSO) {
		uint32_t left = w->data - w->packet * w->mss;

		data = left < w->mss ? left : w->mss;
	}
	memcpy(frame, w->bytes + ETH_AT + ETH_INLINE, w->hdr);
	*len = w->hdr + data;
	return gather(e, sq, w, frame + w->hdr, data);
}
