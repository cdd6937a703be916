/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dv_wqe_check() (check.h): the control segment against the queue, then each segment of
 * wqe_shape.h against what the device reads there, then what they add up to.
 *
 *	control    opcode, opmod, ds, index, qpn, flags, signature
 *	segment    complete? reserved bytes zero? values that make sense?
 *	sums       SGEs, inline bytes, bytes of the message
 *
 * An unknown opcode ends it: the rest of the WQE could be anything.
 */
#include <stdarg.h>
#include <stdio.h>
#include "prm/array.h"
#include "finding.h"
#include "wqe_shape.h"

struct wqe_check {
	const struct dv_queue_facts *q;
	const uint8_t *wqe;
	const char *name; /* of the opcode */
	struct findings f;
	uint64_t bytes, inlined; /* of the message; of it inside the WQE */
	uint32_t first_len;	 /* MMO: of the first data segment */
	uint16_t idx;
	uint16_t sges;
	uint8_t opcode, opmod, ds;
	bool hole; /* a UMR's list had an entry of zeros */
};

void finding(struct findings *f, enum dv_fault fault, uint16_t idx, size_t offset,
	     const char *format, ...)
{
	struct dv_finding *found;
	va_list args;
	int n;

	if (f->n++ >= f->max)
		return;
	found = &f->found[f->n - 1];
	found->fault = fault;
	found->idx = idx;
	found->offset = (uint16_t)offset;
	n = snprintf(found->text, sizeof(found->text), "WQE %u: ", idx);
	va_start(args, format);
	vsnprintf(found->text + n, sizeof(found->text) - (size_t)n, format, args);
	va_end(args);
}

#define SAY(c, fault, offset, ...) finding(&(c)->f, fault, (c)->idx, offset, __VA_ARGS__)

static bool zeros(const uint8_t *p, size_t n)
{
	while (n--)
		if (p[n])
			return false;
	return true;
}

static const char *transport_name(enum dv_transport transport)
{
	static const char *const names[] = {
		[DV_RC] = "RC",		  [DV_UC] = "UC",   [DV_UD] = "UD",
		[DV_UD_LSO] = "IPoIB UD", [DV_DCI] = "DCI", [DV_XRC] = "XRC",
		[DV_ETH] = "raw packet",
	};

	return transport <= DV_ETH ? names[transport] : "unknown";
}

/* ---- the control segment ---- */

/* False: nothing more can be said. */
static bool check_opcode(struct wqe_check *c)
{
	const struct wqe_opcode_info *info = wqe_opcode_info(c->opcode);
	bool masked = c->opcode == PRM_WQE_OPCODE_ATOMIC_MASKED_CS ||
		      c->opcode == PRM_WQE_OPCODE_ATOMIC_MASKED_FA;

	c->name = wqe_opcode_name(c->opcode);
	if (!info->transports) {
		SAY(c, DV_FAULT_OPCODE, 3,
		    "opcode 0x%02x (%s) is no operation of these devices", c->opcode,
		    c->name ? c->name : "unknown");
		return false;
	}
	if (!(info->transports >> c->q->transport & 1))
		SAY(c, DV_FAULT_TRANSPORT, 3, "a queue of type %s does not do %s",
		    transport_name(c->q->transport), c->name);
	if (masked ? (c->opmod & ~7) != 8 : c->opmod > 7 || !(info->opmods >> c->opmod & 1))
		SAY(c, DV_FAULT_OPMOD, 0, "%s has no opmod 0x%x", c->name, c->opmod);
	return true;
}

/* False: there are no segments to look at. */
static bool check_size(struct wqe_check *c, size_t len)
{
	size_t says = wqe_says(c->wqe);

	if (!c->ds) {
		SAY(c, DV_FAULT_DS_ZERO, 7, "ds is 0: not even the control segment is there");
		return false;
	}
	if (c->wqe[7] & 0xc0)
		SAY(c, DV_FAULT_RESERVED, 7,
		    "bits 6 and 7 of the ds byte (0x%02x) are not zero", c->wqe[7]);
	if (c->q->max_ds && c->ds > c->q->max_ds)
		SAY(c, DV_FAULT_DS_LIMIT, 7, "ds %u: the queue takes WQEs of up to %u", c->ds,
		    c->q->max_ds);
	if (says > len)
		SAY(c, DV_FAULT_DS_END, 7, "ds %u says %zu bytes, and only %zu are there",
		    c->ds, says, len);
	return true;
}

static void check_index(struct wqe_check *c)
{
	uint16_t is = be16(c->wqe + 1), off = (uint16_t)(is - c->idx);
	uint32_t cnt = c->q->wqe_cnt;

	if (!off)
		return;
	if (cnt && !(off & (cnt - 1)))
		SAY(c, DV_FAULT_INDEX, 1,
		    "the index is %u, of another pass over the ring: an old WQE, or one that counts "
		    "slots; it has to count the blocks ever posted, 16 bits",
		    is);
	else
		SAY(c, DV_FAULT_INDEX, 1,
		    "the index is %u: it has to be %u, that of this block", is, c->idx);
}

static void check_signature(struct wqe_check *c, size_t len)
{
	uint8_t sum = 0;
	size_t i;

	if (!c->q->signature) {
		if (c->wqe[8])
			SAY(c, DV_FAULT_RESERVED, 8,
			    "signature 0x%02x, and the queue has no WQE signatures", c->wqe[8]);
		return;
	}
	for (i = 0; i < len; i++)
		sum ^= c->wqe[i];
	if (sum != 0xff)
		SAY(c, DV_FAULT_SIGNATURE, 8, "signature 0x%02x: it has to be 0x%02x",
		    c->wqe[8], c->wqe[8] ^ sum ^ 0xff);
}

static void check_control(struct wqe_check *c)
{
	const uint8_t *p = c->wqe;
	uint32_t qpn = be32(p + 4) >> 8;

	check_index(c);
	if (qpn != c->q->qpn)
		SAY(c, DV_FAULT_QPN, 4, "qpn 0x%x is another queue's: this one is 0x%x", qpn,
		    c->q->qpn);
	if (p[11] >> 5 > 4 || p[11] & 0x11)
		SAY(c, DV_FAULT_FLAGS, 11,
		    "flags 0x%02x: there are fence modes 0 to 4, and no "
		    "bits 0x11",
		    p[11]);
	if (c->q->transport != DV_DCI && be16(p + 9))
		SAY(c, DV_FAULT_RESERVED, 9,
		    "bytes 9 and 10 (%u) are a stream of a DCI; here they have to be zero",
		    be16(p + 9));
	if (c->q->all_signalled && (p[11] >> 2 & 3) < 2)
		SAY(c, DV_FAULT_UNSIGNALLED, 11,
		    "it is not signalled: on this queue each WQE has to be");
}

/* ---- segments ---- */

/* Bytes that the device does not use; code that does not write them leaves those of an old
 * WQE. */
static const struct {
	uint8_t kind, at, len;
} reserved[] = {
	{ SEG_AV_UD, 16, 4 },	{ SEG_AV_DC, 16, 4 },	  { SEG_XRC, 0, 1 },
	{ SEG_XRC, 4, 12 },	{ SEG_RADDR, 12, 4 },	  { SEG_MASKED_FA_4, 8, 8 },
	{ SEG_ETH_PAD, 0, 16 }, { SEG_WAIT_QUEUE, 0, 8 }, { SEG_SEND_EN, 0, 8 },
	{ SEG_SET_PSV, 6, 2 },	{ SEG_UMR_CTRL, 1, 3 },	  { SEG_UMR_CTRL, 20, 28 },
	{ SEG_MKEY, 1, 1 },	{ SEG_MKEY, 8, 4 },	  { SEG_MKEY, 36, 16 },
	{ SEG_MKEY, 56, 3 },	{ SEG_MKEY, 60, 4 },	  { SEG_REPEAT, 12, 2 },
};

static void check_reserved(struct wqe_check *c, const struct wqe_seg *seg)
{
	size_t i, at;

	for (i = 0; i < ARRAY_SIZE(reserved); i++) {
		at = seg->at + reserved[i].at;
		if (reserved[i].kind == seg->kind && !zeros(c->wqe + at, reserved[i].len))
			SAY(c, DV_FAULT_RESERVED, at,
			    "reserved bytes %zu to %zu (%s) are not zero", at,
			    at + reserved[i].len - 1, wqe_seg_name(seg->kind));
	}
}

static void check_av(struct wqe_check *c, const struct wqe_seg *seg)
{
	const uint8_t *p = c->wqe + seg->at;
	bool compact = seg->kind == SEG_AV_UD_SHORT || seg->kind == SEG_AV_DC_SHORT;
	bool ud = seg->kind == SEG_AV_UD || seg->kind == SEG_AV_UD_SHORT;

	if (compact && !c->q->compact_av)
		SAY(c, DV_FAULT_AV_SHORT, seg->at + 8,
		    "the address vector lacks MLX5_EXTENDED_UD_AV, so it is one of 16 bytes, "
		    "which the device does not read");
	if (ud && !be32(p) && be32(p + 4))
		SAY(c, DV_FAULT_QKEY_PLACE, seg->at + 4,
		    "the Q_Key (0x%x?) is in reserved bytes: mlx5dv_set_dgram_seg() takes it "
		    "shifted left by 32",
		    be32(p + 4));
	else if (ud && be32(p + 4))
		SAY(c, DV_FAULT_RESERVED, seg->at + 4, "reserved bytes after the Q_Key (0x%x)",
		    be32(p + 4));
	if (!compact && !be16(p + 14) && zeros(p + 20, 6) && zeros(p + 32, 16))
		SAY(c, DV_FAULT_AV_EMPTY, seg->at,
		    "the address vector has no address: no LID, no MAC, no GID");
}

/* Checks the inline headers; sizes as in mlx5dv.h, struct mlx5_wqe_eth_seg. */
static void check_eth(struct wqe_check *c, const struct wqe_seg *seg)
{
	const uint8_t *p = c->wqe + seg->at;
	unsigned int mss = be16(p + 6), header = be16(p + 12);
	unsigned int size = header & 0x8000 ? 0 : header & 0x3ff;

	if (c->opcode == PRM_WQE_OPCODE_TSO && !c->opmod) {
		if (!mss)
			SAY(c, DV_FAULT_MSS, seg->at + 6, "TSO with an mss of 0");
		if (size < 14)
			SAY(c, DV_FAULT_ETH_HEADER, seg->at + 12,
			    "TSO repeats the header that is inline: %u bytes are less than an "
			    "Ethernet header",
			    size);
		return;
	}
	if (mss && c->opcode == PRM_WQE_OPCODE_SEND)
		SAY(c, DV_FAULT_MSS, seg->at + 6,
		    "an mss of %u on a SEND: only TSO cuts packets", mss);
	if (c->opcode == PRM_WQE_OPCODE_ENHANCED_MPSW && header)
		SAY(c, DV_FAULT_ETH_HEADER, seg->at + 12,
		    "ENHANCED_MPSW has no header inline, here are %u bytes", size);
	if (c->opcode == PRM_WQE_OPCODE_SEND && size < c->q->min_inline_hdr &&
	    !(header & 0x8000))
		SAY(c, DV_FAULT_ETH_HEADER, seg->at + 12,
		    "%u bytes of the header are inline: the queue wants %u", size,
		    c->q->min_inline_hdr);
}

static void check_raddr(struct wqe_check *c, const struct wqe_seg *seg)
{
	bool masked = c->opcode == PRM_WQE_OPCODE_ATOMIC_MASKED_CS ||
		      c->opcode == PRM_WQE_OPCODE_ATOMIC_MASKED_FA;
	unsigned int size = masked ? 1u << wqe_log_operand(c->opmod) : 8;
	uint64_t raddr = be64(c->wqe + seg->at);

	if (wqe_is_atomic(c->opcode) && raddr & (size - 1))
		SAY(c, DV_FAULT_ATOMIC_ALIGNMENT, seg->at,
		    "%s at 0x%llx: the address has to be a multiple of %u", c->name,
		    (unsigned long long)raddr, size);
}

static void check_umr(struct wqe_check *c, const struct wqe_seg *seg)
{
	const uint8_t *p = c->wqe + seg->at;
	size_t list = be16(p + 4) * (size_t)SEGMENT, there = wqe_says(c->wqe);

	if (c->opmod)
		return;
	there = there > 128 ? there - 128 : 0;
	if (!be32(c->wqe + 12))
		SAY(c, DV_FAULT_UMR_MKEY, 12, "UMR, and imm names no mkey");
	if (list & (BLOCK - 1))
		SAY(c, DV_FAULT_UMR_PADDING, seg->at + 4,
		    "klm_octowords %zu: a list is padded with zeros to a multiple of 4 entries",
		    list / SEGMENT);
	if (p[0] & 0x80 && list > there)
		SAY(c, DV_FAULT_UMR_LIST, seg->at + 4,
		    "klm_octowords %zu: %zu bytes of list, the WQE has %zu", list / SEGMENT,
		    list, there);
	if (!(p[0] & 0x80) && list && there < SEGMENT)
		SAY(c, DV_FAULT_UMR_LIST, seg->at + 4,
		    "klm_octowords %zu, and no data segment that points to the list",
		    list / SEGMENT);
}

static void check_list_entry(struct wqe_check *c, const struct wqe_seg *seg)
{
	if (seg->kind == SEG_PADDING)
		c->hole = true;
	else if (c->hole)
		SAY(c, DV_FAULT_UMR_PADDING, seg->at, "UMR list entry after padding");
}

static void check_data(struct wqe_check *c, const struct wqe_seg *seg)
{
	uint32_t len = be32(c->wqe + seg->at);

	c->sges++;
	c->bytes += len;
	if (c->opcode == PRM_WQE_OPCODE_MMO) {
		/* of the data segments at 32 and 48 the first is the source */
		if (seg->at == 32)
			c->first_len = len;
		else if (c->opmod == 1 && len != c->first_len)
			SAY(c, DV_FAULT_MMO_LENGTH, seg->at,
			    "MMO copies %u bytes to a place of %u", c->first_len, len);
		return;
	}
	if (!len)
		SAY(c, DV_FAULT_ZERO_LENGTH, seg->at,
		    "a data segment of length 0 means 2 GB: leave empty SGEs out");
}

/* Data that is there to be sent; an answer has no place in the WQE. */
static void check_inline(struct wqe_check *c, const struct wqe_seg *seg)
{
	uint32_t len = be32(c->wqe + seg->at) & 0x7fffffff;

	c->inlined += len;
	c->bytes += len;
	if (c->opcode == PRM_WQE_OPCODE_RDMA_READ || wqe_is_atomic(c->opcode))
		SAY(c, DV_FAULT_INLINE_ANSWER, seg->at,
		    "inline data in %s, whose answer needs a place in memory", c->name);
	if (seg->len < seg->need)
		SAY(c, DV_FAULT_INLINE_LENGTH, seg->at,
		    "inline data of %u bytes takes %zu, ds %u leaves %zu", len, seg->need,
		    c->ds, seg->len);
}

static void check_segment(struct wqe_check *c, const struct wqe_seg *seg)
{
	check_reserved(c, seg);
	switch (seg->kind) {
	case SEG_AV_UD:
	case SEG_AV_UD_SHORT:
	case SEG_AV_DC:
	case SEG_AV_DC_SHORT:
		check_av(c, seg);
		break;
	case SEG_ETH:
		check_eth(c, seg);
		break;
	case SEG_RADDR:
		check_raddr(c, seg);
		break;
	case SEG_UMR_CTRL:
		check_umr(c, seg);
		break;
	case SEG_KLM:
	case SEG_PADDING:
	case SEG_REPEAT_ENTRY:
		check_list_entry(c, seg);
		break;
	case SEG_DATA:
		check_data(c, seg);
		break;
	default:
		break;
	}
}

static void check_segments(struct wqe_check *c, size_t len)
{
	size_t surplus = 0;
	struct wqe_shape s;
	struct wqe_seg seg;

	if (c->opcode == PRM_WQE_OPCODE_NOP)
		return;
	wqe_shape_begin(&s, c->wqe, len, c->q->transport);
	while (wqe_shape_next(&s, &seg)) {
		if (seg.kind == SEG_INLINE)
			check_inline(c, &seg);
		else if (seg.kind == SEG_BYTES)
			surplus += seg.len;
		else if (seg.len < seg.need)
			SAY(c, DV_FAULT_SEGMENT, seg.at,
			    "ds %u is too short for %s, which has %zu bytes of %s at %zu",
			    c->ds, c->name, seg.need, wqe_seg_name(seg.kind), seg.at);
		else
			check_segment(c, &seg);
	}
	/* UMRs of TLS have parameters there, whose layout is not public. */
	if (surplus && !(c->opcode == PRM_WQE_OPCODE_UMR && c->opmod))
		SAY(c, DV_FAULT_SURPLUS, len - surplus,
		    "ds %u is too long for %s: %zu bytes follow its last segment", c->ds,
		    c->name, surplus);
}

static void check_sums(struct wqe_check *c)
{
	bool masked = c->opcode == PRM_WQE_OPCODE_ATOMIC_MASKED_CS ||
		      c->opcode == PRM_WQE_OPCODE_ATOMIC_MASKED_FA;
	unsigned int operand = masked ? 1u << wqe_log_operand(c->opmod) : 8;

	if (wqe_is_atomic(c->opcode) && c->bytes < operand)
		SAY(c, DV_FAULT_ATOMIC_LENGTH, (size_t)c->ds * SEGMENT,
		    "%s returns %u bytes, and its SGEs hold %llu", c->name, operand,
		    (unsigned long long)c->bytes);
	if (c->q->max_sge && c->sges > c->q->max_sge)
		SAY(c, DV_FAULT_SGE_LIMIT, 7, "%u data segments: the queue takes %u", c->sges,
		    c->q->max_sge);
	if (c->q->max_inline && c->inlined > c->q->max_inline)
		SAY(c, DV_FAULT_INLINE_LIMIT, 7, "%llu bytes inline: the queue takes %u",
		    (unsigned long long)c->inlined, c->q->max_inline);
	if (c->q->max_message && c->bytes > c->q->max_message)
		SAY(c, DV_FAULT_MESSAGE_LIMIT, 7, "a message of %llu bytes: %u are the most",
		    (unsigned long long)c->bytes, c->q->max_message);
}

size_t dv_wqe_check(const struct dv_queue_facts *q, const void *wqe, size_t len, uint16_t idx,
		    struct dv_finding *found, size_t max)
{
	struct wqe_check c = { .q = q, .wqe = wqe, .idx = idx, .f = { found, max, 0 } };
	size_t says;

	if (len < SEGMENT) {
		SAY(&c, DV_FAULT_DS_END, 0, "%zu bytes are no control segment", len);
		return c.f.n;
	}
	c.opmod = c.wqe[0];
	c.opcode = c.wqe[3];
	c.ds = c.wqe[7] & 0x3f;
	check_control(&c);
	if (!check_opcode(&c) || !check_size(&c, len))
		return c.f.n;
	says = wqe_says(wqe);
	if (says <= len)
		check_signature(&c, says);
	check_segments(&c, says < len ? says : len);
	check_sums(&c);
	return c.f.n;
}
