/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Receive queues of Ethernet.
 *
 *	frame -> is it for the port? -> RoCE: demux.c
 *	                             -> steering -> TIR -> RQ -> buffers of a WQE -> CQE
 *
 *	cyclic RQ    a WQE is a list of data segments, and takes one packet
 *	striding RQ  a WQE is a buffer of strides; a packet takes as many as it needs, and a packet that does
 *		     not fit into what is left begins the next one, after a CQE that only gives them up
 *
 * Without a buffer the packet is dropped and counted (out_of_buffer).
 */
#include <string.h>

#include "engine/count.h"
#include "engine/demux.h"
#include "engine/ethernet.h"
#include "engine/ethernet_offload.h"
#include "engine/lost.h"
#include "engine/sg.h"
#include "event/event.h"
#include "prm/prm.h"
#include "steer/steer.h"

#define STRIDING_HEAD_UNITS 1 /* of a WQE: not used */
#define SHIFT		    2 /* bytes, of two_byte_shift_en */
#define VLAN_TAG	    4
#define FCS		    ENGINE_FCS

/* ---- the queue ---- */

static uint16_t posted(const struct hca_rq *rq)
{
	uint32_t word;

	if (core_fetch32(&word, rq->dbrec)) {
		uint16_t n = (uint16_t)be32toh(word) - rq->ci;

		return n <= rq->wq.cnt ? n : 0;
	}
	lost_reads++;
	return 0;
}

static void enter_error(struct engine *e, struct hca_rq *rq)
{
	rq->state = PRM_RQC_STATE_ERR;
	core_list_add(&e->hca->flushing, &rq->on_flushing);
}

static void write_cqe(struct engine *e, struct hca_rq *rq, const uint8_t *entry)
{
	if (event_cqe(e->hca, rq->cq, entry, false))
		e->counters.cqes++;
	else
		rq->state = PRM_RQC_STATE_ERR;
}

static void write_error(struct engine *e, struct hca_rq *rq, enum cqe_syndrome s)
{
	uint8_t entry[HCQE_ENTRY];

	cqe_put_error(cqe_start(entry, rq->user_index, rq->rqn, rq->ci, 0), HCQE_RESP_ERR, s);
	write_cqe(e, rq, entry);
	rq->ci++;
	rq->stride = 0;
}

static void flush(struct engine *e, struct hca_rq *rq)
{
	while (PRM_GET(rqc, rq->rqc, flush_in_error_en) && posted(rq))
		write_error(e, rq, CQE_FLUSHED);
	lost_rq(rq);
}

bool ethernet_flush(struct engine *e)
{
	struct core_list *pos, *tmp;
	bool any = false;

	core_list_for_each(pos, tmp, &e->hca->flushing) {
		struct hca_rq *rq = core_container(pos, struct hca_rq, on_flushing);

		core_list_del(pos);
		if (rq->state == PRM_RQC_STATE_ERR)
			flush(e, rq);
		any = true;
	}
	return any;
}

static void no_buffer(struct engine *e, struct hca_rq *rq)
{
	e->counters.rx_dropped++;
	HCA_COUNT(e->hca, rq, out_of_buffer);
	rq->dropped += rq->dropped < UINT8_MAX;
}

/* ---- a packet ---- */

struct arrival {
	struct engine *e;
	const struct wire_ethernet *how;
	bool multicast;
};

/* The part of a packet that its CQE reports. */
struct packet {
	const uint8_t *bytes;
	size_t len;
	const struct steer_meta *meta;
	struct steer_headers h;
	uint32_t hash;
	uint8_t hash_type;
	bool stripped;
	uint16_t tci;
	uint8_t *frame; /* for what is changed: engine.ethernet */
};

/* tirc.self_lb_block enables: 1 unicast, 2 multicast of the own transport domain come in
 * (kernel, mlx5_ib, create_raw_packet_qp_tir). */
bool engine_loops_back(const struct hca_tir *tir, uint32_t tdn, bool multicast)
{
	uint32_t own = tir->td ? tir->td->tdn : 0;

	if (!own || tdn != own)
		return true;
	return PRM_GET(tirc, tir->tirc, self_lb_block) & (multicast ? 2 : 1);
}

/* rqc.vsd disables stripping of the outer tag. */
static void strip_vlan(const struct hca_rq *rq, struct packet *p)
{
	if (PRM_GET(rqc, rq->rqc, vsd) || p->len < 18 || core_be16(p->bytes + 12) != 0x8100)
		return;
	p->stripped = true;
	p->tci = core_be16(p->bytes + 14);
	p->len -= VLAN_TAG;
	memcpy(p->frame, p->bytes, 12);
	memcpy(p->frame + 12, p->bytes + 12 + VLAN_TAG, p->len - 12);
	p->bytes = p->frame;
	steer_parse(&p->h, p->bytes, p->len);
}

/* rqc.scatter_fcs: that of the frame as it arrived is after its last byte, and counts. */
static void add_fcs(const struct hca_rq *rq, const struct steer_packet *arrived,
		    struct packet *p)
{
	uint32_t fcs;

	if (!PRM_GET(rqc, rq->rqc, scatter_fcs))
		return;
	fcs = wire_fcs(arrived->bytes, arrived->len);
	if (p->bytes != p->frame)
		memcpy(p->frame, p->bytes, p->len);
	p->bytes = p->frame;
	memcpy(p->frame + p->len, &fcs, FCS);
	p->len += FCS;
}

static void put_packet(struct engine *e, struct hca_rq *rq, const struct packet *p,
		       uint8_t *cqe)
{
	struct offload_result r;

	offload_verify(&r, p->bytes, p->len, &p->h);
	core_set_bits(cqe, HCQE_TUNNELED, r.tunneled);
	core_set_bits(cqe, HCQE_OUTER_IPV6, r.outer_ipv6);
	core_set_bits(cqe, HCQE_RSS_HASH, p->hash);
	core_set_bits(cqe, HCQE_RSS_TYPE, p->hash_type);
	core_set_bits(cqe, HCQE_CHECKSUM, r.sum);
	core_set_bits(cqe, HCQE_L2_OK, 1);
	core_set_bits(cqe, HCQE_L3_OK, r.l3_ok);
	core_set_bits(cqe, HCQE_L4_OK, r.l4_ok);
	core_set_bits(cqe, HCQE_VLAN_STRIPPED, p->stripped);
	core_set_bits(cqe, HCQE_IP_EXT, r.ip_ext);
	core_set_bits(cqe, HCQE_ETH_L3, r.l3);
	core_set_bits(cqe, HCQE_ETH_L4, r.l4);
	core_set_bits(cqe, HCQE_IP_FRAG, r.fragment);
	core_set_bits(cqe, HCQE_VLAN_INFO, p->tci);
	core_set_bits(cqe, HCQE_METADATA, p->meta->reg_b);
	core_set_bits(cqe, HCQE_FLOW_TAG, p->meta->flow_tag);
	core_set_bits(cqe, HCQE_DROPPED, rq->dropped);
	rq->dropped = 0;
	cqe_stamp(e, cqe);
	core_set_bits(cqe, HCQE_OPCODE, HCQE_RESP_SEND);
}

/* ---- cyclic ---- */

/* assumed(ethernet_packet_longer_than_its_buffer): the receive WQE completes with a local
 * length error, and the RQ goes on: DPDK resets an RQ after other errors only (mlx5_rx.c,
 * mlx5_rx_err_handle). A key that cannot be used ends the RQ. */
static void receive_cyclic(struct engine *e, struct hca_rq *rq, const struct packet *p)
{
	struct sg_list l = sg_of_recv(e->hca, rq->pd, &rq->wq, rq->ci, 0);
	struct hca_cursor at = { 0 };
	uint8_t entry[HCQE_ENTRY], *cqe;
	enum sg_status status;
	uint64_t total, inl;

	l.qpn = rq->rqn;
	l.zero_is_empty = true;
	sg_total(&l, &total, &inl);
	status = total < p->len ? SG_SHORT : sg_scatter(&l, &at, p->bytes, (uint32_t)p->len);
	if (status != SG_OK) {
		write_error(e, rq, status == SG_SHORT ? CQE_LOCAL_LENGTH : CQE_LOCAL_PROT);
		if (status == SG_PROT)
			enter_error(e, rq);
		return;
	}
	cqe = cqe_start(entry, rq->user_index, 0, rq->ci, 0);
	put_packet(e, rq, p, cqe);
	core_set_bits(cqe, HCQE_BYTE_CNT, (uint32_t)p->len);
	rq->ci++;
	write_cqe(e, rq, entry);
}

/* ---- striding ---- */

/* wq.log_wqe_num_of_strides is log2 - 9 in 4 bits, of 3 to 8 as well (kernel, mlx5_ib, qp.c,
 * create_rq); wq.log_wqe_stride_size is log2 - 6. */
static uint32_t strides_of(const struct hca_rq *rq)
{
	const uint8_t *wq = PRM_ADDR(rqc, rq->rqc, wq);

	return 1u << ((PRM_GET(wq, wq, log_wqe_num_of_strides) + 9) & 0xf);
}

static bool is_striding(const struct hca_rq *rq)
{
	return PRM_GET(wq, PRM_ADDR(rqc, rq->rqc, wq), wq_type) ==
	       PRM_WQ_TYPE_CYCLIC_STRIDING_RQ;
}

static uint32_t stride_bytes(const struct hca_rq *rq)
{
	const uint8_t *wq = PRM_ADDR(rqc, rq->rqc, wq);

	return 64u << PRM_GET(wq, wq, log_wqe_stride_size);
}

static void put_strides(struct hca_rq *rq, uint8_t *cqe, uint32_t n, uint32_t len)
{
	core_set_bits(cqe, HCQE_WQE_ID, rq->ci & (rq->wq.cnt - 1));
	core_set_bits(cqe, HCQE_STRIDES, n);
	core_set_bits(cqe, HCQE_STRIDE_BYTES, len);
	rq->stride += n;
	if (rq->stride < strides_of(rq))
		return;
	rq->stride = 0;
	rq->ci++;
}

/* Gives up the strides that are left in the WQE. */
static void write_filler(struct engine *e, struct hca_rq *rq)
{
	uint8_t entry[HCQE_ENTRY];
	uint8_t *cqe = cqe_start(entry, rq->user_index, 0, (uint16_t)rq->stride, 0);

	cqe_stamp(e, cqe);
	core_set_bits(cqe, HCQE_OPCODE, HCQE_RESP_SEND);
	core_set_bits(cqe, HCQE_FILLER, 1);
	put_strides(rq, cqe, strides_of(rq) - rq->stride, 0);
	write_cqe(e, rq, entry);
}

static void receive_striding(struct engine *e, struct hca_rq *rq, const struct packet *p)
{
	uint32_t shift = PRM_GET(wq, PRM_ADDR(rqc, rq->rqc, wq), two_byte_shift_en) ? SHIFT : 0;
	uint32_t stride = stride_bytes(rq), n = (p->len + shift + stride - 1) / stride;
	uint8_t entry[HCQE_ENTRY], *cqe;
	struct hca_cursor at = { 0 };
	struct sg_list l;

	if (n > strides_of(rq)) {
		write_error(e, rq, CQE_LOCAL_LENGTH);
		return;
	}
	if (rq->stride + n > strides_of(rq)) {
		write_filler(e, rq);
		if (!posted(rq)) {
			no_buffer(e, rq);
			return;
		}
	}
	l = sg_of_recv(e->hca, rq->pd, &rq->wq, rq->ci, STRIDING_HEAD_UNITS);
	l.qpn = rq->rqn;
	if (sg_skip(&l, &at, rq->stride * stride + shift) != SG_OK ||
	    sg_scatter(&l, &at, p->bytes, (uint32_t)p->len) != SG_OK) {
		write_error(e, rq, CQE_LOCAL_PROT);
		enter_error(e, rq);
		return;
	}
	cqe = cqe_start(entry, rq->user_index, 0, (uint16_t)rq->stride, 0);
	put_packet(e, rq, p, cqe);
	put_strides(rq, cqe, n, (uint32_t)p->len);
	write_cqe(e, rq, entry);
}

/* ---- from the wire to the queue ---- */

static void deliver(void *ctx, struct hca_tir *tir, const struct steer_packet *sp)
{
	struct arrival *a = ctx;
	struct packet p = {
		.bytes = sp->bytes, .len = sp->len, .meta = &sp->meta, .frame = a->e->ethernet
	};
	struct hca_rq *rq;

	if (!engine_loops_back(tir, a->how->tdn, a->multicast) ||
	    !steer_parse(&p.h, p.bytes, p.len))
		return;
	rq = steer_rq(tir, p.bytes, &p.h, &p.hash, &p.hash_type);
	if (!rq || rq->state != PRM_RQC_STATE_RDY)
		return;
	if (!posted(rq)) {
		if (!lost_rq(rq))
			no_buffer(a->e, rq);
		return;
	}
	strip_vlan(rq, &p);
	add_fcs(rq, sp, &p);
	if (is_striding(rq))
		receive_striding(a->e, rq, &p);
	else
		receive_cyclic(a->e, rq, &p);
	lost_rq(rq);
}

/* A RoCE frame that a raw queue, or the network, sent: its ICRC is right. It is for the QPs of
 * its GID. */
bool engine_is_roce(const struct engine *e, const uint8_t *frame, size_t len)
{
	struct wire_packet p;
	uint32_t icrc;

	if (len < sizeof(icrc) || !wire_unpack(&p, frame, len))
		return false;
	memcpy(&icrc, frame + len - sizeof(icrc), sizeof(icrc));
	return icrc == wire_icrc(frame, len) && demux_is_own(e, p.dgid);
}

static void report_refused(const struct steer_packet *p)
{
	const struct steer_step s = { .did = STEER_REFUSED,
				      .type = PRM_FT_TYPE_NIC_RX,
				      .p = p };

	core_trace(&(struct core_trace){ .kind = TRACE_STEER, .in = &s, .in_len = sizeof(s) });
}

/* Another process that sends has a context, too. */
static bool is_looped(const struct hca *hca, uint8_t from)
{
	return from != hca->slot || hca_loops_back(hca);
}

/* The port receives no frame that exceeds the MTU that its driver has set (PMTU). */
static bool is_too_long(const struct hca *hca, size_t len)
{
	uint32_t mtu = atomic_load(&hca->adapter->mtu);

	if (!mtu || len + FCS <= mtu)
		return false;
	hca_count_one(&hca->counted->port.too_long);
	return true;
}

void ethernet_take(struct engine *e, const uint8_t *frame, size_t len, uint8_t from)
{
	struct arrival a = { .e = e, .how = wire_ethernet(e->w), .multicast = frame[0] & 1 };
	struct steer_packet p = { .bytes = frame, .len = len };
	const struct steer_sink sink = { .tir = deliver, .ctx = &a };

	net_arrived(e->net, frame, len, from);
	if (engine_is_roce(e, frame, len)) {
		demux_take(e, frame, len, from);
		return;
	}
	e->counters.rx_frames++;
	e->counters.rx_bytes += len;
	if (!net_admits(e->net, frame) || (a.how->local && !is_looped(e->hca, from)) ||
	    is_too_long(e->hca, len)) {
		e->counters.rx_dropped++;
		report_refused(&p);
		return;
	}
	count_rx_packet(e->hca, frame, len, from, a.how->local);
	p.meta.source_vport = a.how->local ? 0 : 0xffff;
	steer_receive(e->hca, &p, &sink);
}
