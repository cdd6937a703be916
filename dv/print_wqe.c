/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * WQEs as text (print.h): the control segment, then what wqe_shape.h finds after it. A printer
 * never reads beyond the bytes that it was given. The fields of segments are tables: offsets as
 * in mlx5dv.h, rdma-core's wqe.h, the kernel's qp.h and DPDK's mlx5_prm.h.
 */
#include <string.h>
#include <prm/table.h>
#include "text.h"
#include "wqe_shape.h"

/* clang-format off */
#define AV_PATH								\
	{ "stat_rate", 12, 1, 7, 4, HEX_ANY }, { "sl", 12, 1, 3, 0, DEC_ANY },	\
	{ "fl_mlid", 13, 1, 7, 0, HEX_ANY }, { "udp_sport", 14, 2, 15, 0, HEX_ANY }
#define AV_ADDRESS							\
	{ "reserved", 16, 4, 31, 0, RESERVED }, { "rmac", 20, 6, 0, 0, MAC },	\
	{ "tclass", 26, 1, 7, 0, HEX_ANY }, { "hop_limit", 27, 1, 7, 0, DEC },	\
	{ "grh", 28, 4, 30, 30, DEC_ANY }, { "sgid_index", 28, 4, 27, 20, DEC },	\
	{ "flow_label", 28, 4, 19, 0, HEX_ANY }, { "rgid", 32, 16, 0, 0, GID }
#define AV_UD { "qkey", 0, 4, 31, 0, HEX }, { "reserved", 4, 4, 31, 0, RESERVED }, \
	      { "dqpn", 8, 4, 23, 0, HEX }
#define AV_DC { "dc_key", 0, 8, 63, 0, HEX }, { "dctn", 8, 4, 23, 0, HEX }

static const struct field av_ud[] = { AV_UD, AV_PATH, AV_ADDRESS, { 0 } };
static const struct field av_ud_short[] = { AV_UD, AV_PATH, { 0 } };
static const struct field av_dc[] = { AV_DC, AV_PATH, AV_ADDRESS, { 0 } };
static const struct field av_dc_short[] = { AV_DC, AV_PATH, { 0 } };
static const struct field xrc[] = {
	{ "srqn", 0, 4, 23, 0, HEX }, { "reserved", 0, 1, 7, 0, RESERVED },
	{ "reserved", 4, 4, 31, 0, RESERVED }, { "reserved", 8, 8, 63, 0, RESERVED }, { 0 } };
static const struct field raddr[] = {
	{ "raddr", 0, 8, 63, 0, HEX }, { "rkey", 8, 4, 31, 0, HEX },
	{ "reserved", 12, 4, 31, 0, RESERVED }, { 0 } };
static const struct field atomic_cs[] = {
	{ "swap", 0, 8, 63, 0, HEX }, { "compare", 8, 8, 63, 0, HEX }, { 0 } };
static const struct field atomic_fa[] = {
	{ "add", 0, 8, 63, 0, HEX }, { "compare", 8, 8, 63, 0, RESERVED }, { 0 } };
static const struct field masked_cs_4[] = {
	{ "swap", 0, 4, 31, 0, HEX }, { "compare", 4, 4, 31, 0, HEX },
	{ "swap_mask", 8, 4, 31, 0, HEX }, { "compare_mask", 12, 4, 31, 0, HEX }, { 0 } };
static const struct field masked_cs_8[] = {
	{ "swap", 0, 8, 63, 0, HEX }, { "compare", 8, 8, 63, 0, HEX },
	{ "swap_mask", 16, 8, 63, 0, HEX }, { "compare_mask", 24, 8, 63, 0, HEX }, { 0 } };
static const struct field masked_fa_4[] = {
	{ "add", 0, 4, 31, 0, HEX }, { "field_boundary", 4, 4, 31, 0, HEX },
	{ "reserved", 8, 8, 63, 0, RESERVED }, { 0 } };
static const struct field masked_fa_8[] = {
	{ "add", 0, 8, 63, 0, HEX }, { "field_boundary", 8, 8, 63, 0, HEX }, { 0 } };
static const struct field eth[] = {
	{ "swp_offsets", 0, 4, 31, 0, HEX_ANY }, { "cs_l3", 4, 1, 6, 6, DEC_ANY },
	{ "cs_l4", 4, 1, 7, 7, DEC_ANY }, { "cs_inner_l3", 4, 1, 4, 4, DEC_ANY },
	{ "cs_inner_l4", 4, 1, 5, 5, DEC_ANY }, { "swp_flags", 5, 1, 7, 0, HEX_ANY },
	{ "mss", 6, 2, 15, 0, DEC_ANY }, { "metadata", 8, 4, 31, 0, HEX_ANY }, { 0 } };
static const struct field wait_queue[] = {
	{ "reserved", 0, 8, 63, 0, RESERVED }, { "max_index", 8, 4, 31, 0, DEC },
	{ "cqn", 12, 4, 31, 0, HEX }, { 0 } };
static const struct field wait_value[] = {
	{ "invert", 0, 4, 4, 4, DEC_ANY }, { "operation", 0, 4, 3, 0, DEC },
	{ "lkey", 4, 4, 31, 0, HEX_ANY }, { "addr", 8, 8, 63, 0, HEX_ANY },
	{ "value", 16, 8, 63, 0, HEX }, { "mask", 24, 8, 63, 0, HEX }, { 0 } };
static const struct field send_en[] = {
	{ "reserved", 0, 8, 63, 0, RESERVED }, { "index", 8, 4, 31, 0, DEC },
	{ "qpn", 12, 4, 31, 0, HEX }, { 0 } };
static const struct field set_psv[] = {
	{ "psv", 0, 4, 31, 0, HEX }, { "syndrome", 4, 2, 15, 0, HEX_ANY },
	{ "signature", 8, 8, 63, 0, HEX }, { 0 } };
static const struct field tag_matching[] = {
	{ "operation", 0, 1, 7, 4, DEC }, { "cqe_req", 1, 1, 7, 7, DEC_ANY },
	{ "sw_cnt_valid", 1, 1, 6, 6, DEC_ANY }, { "index", 2, 2, 15, 0, DEC },
	{ "sw_cnt", 6, 2, 15, 0, DEC_ANY }, { "tag", 16, 8, 63, 0, HEX },
	{ "mask", 24, 8, 63, 0, HEX }, { 0 } };
static const struct field umr_ctrl[] = {
	{ "inline", 0, 1, 7, 7, DEC_ANY }, { "check_free", 0, 1, 5, 5, DEC_ANY },
	{ "offset", 0, 1, 4, 4, DEC_ANY }, { "check_qpn", 0, 1, 3, 3, DEC_ANY },
	{ "klm_octowords", 4, 2, 15, 0, DEC }, { "bsf_octowords", 6, 2, 15, 0, DEC_ANY },
	{ "mkey_mask", 8, 8, 63, 0, HEX }, { "xlt_offset", 16, 4, 31, 0, HEX_ANY }, { 0 } };
static const struct field mkey[] = {
	{ "free", 0, 1, 6, 6, DEC_ANY }, { "access", 2, 1, 7, 0, HEX },
	{ "sf", 3, 1, 7, 0, HEX_ANY }, { "qpn", 4, 4, 31, 8, HEX }, { "tag", 4, 4, 7, 0, HEX },
	{ "bsf_en", 12, 4, 30, 30, DEC_ANY }, { "sig_err_cnt", 12, 4, 26, 26, DEC_ANY },
	{ "pd", 12, 4, 23, 0, HEX_ANY }, { "start_addr", 16, 8, 63, 0, HEX },
	{ "len", 24, 8, 63, 0, DEC }, { "bsf_octowords", 32, 4, 31, 0, DEC_ANY },
	{ "translations", 52, 4, 31, 0, DEC_ANY }, { "log_page", 59, 1, 7, 0, DEC_ANY }, { 0 } };
static const struct field klm[] = {
	{ "len", 0, 4, 31, 0, DEC }, { "mkey", 4, 4, 31, 0, HEX },
	{ "addr", 8, 8, 63, 0, HEX }, { 0 } };
static const struct field repeat[] = {
	{ "len", 0, 4, 31, 0, DEC }, { "operation", 4, 4, 31, 0, HEX },
	{ "repeat", 8, 4, 31, 0, DEC }, { "entries", 14, 2, 15, 0, DEC }, { 0 } };
static const struct field repeat_entry[] = {
	{ "stride", 0, 2, 15, 0, DEC }, { "len", 2, 2, 15, 0, DEC },
	{ "mkey", 4, 4, 31, 0, HEX }, { "addr", 8, 8, 63, 0, HEX }, { 0 } };
static const struct field bsf[] = {
	{ "size", 0, 1, 7, 6, DEC }, { "sbs", 0, 1, 5, 4, DEC }, { "check_mask", 1, 1, 7, 0, HEX },
	{ "wire_select", 2, 1, 7, 0, HEX }, { "mem_select", 3, 1, 7, 0, HEX },
	{ "raw_data", 4, 4, 31, 0, DEC }, { "wire_bfs", 8, 4, 31, 24, HEX },
	{ "wire_psv", 8, 4, 23, 0, HEX }, { "mem_bfs", 12, 4, 31, 24, HEX },
	{ "mem_psv", 12, 4, 23, 0, HEX }, { "wire_tfs_psv", 24, 4, 31, 0, HEX_ANY },
	{ "mem_tfs_psv", 28, 4, 31, 0, HEX_ANY }, { "wire_refresh", 32, 2, 15, 0, HEX_ANY },
	{ "wire_apptag", 34, 2, 15, 0, HEX_ANY }, { "wire_reftag", 36, 4, 31, 0, HEX_ANY },
	{ "wire_type", 40, 1, 7, 0, HEX_ANY }, { "mem_refresh", 48, 2, 15, 0, HEX_ANY },
	{ "mem_apptag", 50, 2, 15, 0, HEX_ANY }, { "mem_reftag", 52, 4, 31, 0, HEX_ANY },
	{ "mem_type", 56, 1, 7, 0, HEX_ANY }, { 0 } };
static const struct field bsf_crypto[] = {
	{ "size", 0, 1, 7, 6, DEC }, { "order", 1, 1, 7, 0, DEC }, { "standard", 3, 1, 7, 0, DEC },
	{ "raw_data", 4, 4, 31, 0, DEC }, { "block_size", 8, 1, 7, 0, HEX },
	{ "tweak_high", 16, 8, 63, 0, HEX }, { "tweak_low", 24, 8, 63, 0, HEX },
	{ "dek", 32, 4, 23, 0, HEX }, { "keytag", 40, 8, 63, 0, HEX }, { 0 } };
static const struct field flow[] = {
	{ "index", 0, 4, 31, 0, HEX }, { "handle", 4, 4, 31, 0, HEX }, { 0 } };
static const struct field flow_gta[] = {
	{ "counter", 0, 4, 31, 0, HEX }, { "definer", 4, 4, 31, 0, HEX },
	{ "action_0", 20, 4, 31, 0, HEX }, { "action_1", 24, 4, 31, 0, HEX },
	{ "action_2", 28, 4, 31, 0, HEX }, { "tag_0", 32, 8, 63, 0, HEX },
	{ "tag_8", 40, 8, 63, 0, HEX }, { "tag_16", 48, 8, 63, 0, HEX },
	{ "tag_24", 56, 8, 63, 0, HEX }, { 0 } };
static const struct field aso[] = {
	{ "read", 4, 4, 0, 0, DEC }, { "addr", 0, 8, 63, 0, HEX }, { "lkey", 8, 4, 31, 0, HEX },
	{ "mask_mode", 12, 1, 7, 0, HEX }, { "operand", 13, 1, 7, 0, HEX },
	{ "offset", 14, 1, 7, 0, HEX }, { "data_offset", 15, 1, 7, 0, HEX },
	{ "cond_0", 16, 4, 31, 0, HEX_ANY }, { "cond_0_mask", 20, 4, 31, 0, HEX_ANY },
	{ "cond_1", 24, 4, 31, 0, HEX_ANY }, { "cond_1_mask", 28, 4, 31, 0, HEX_ANY },
	{ "bitwise_data", 32, 8, 63, 0, HEX_ANY }, { "data_mask", 40, 8, 63, 0, HEX_ANY }, { 0 } };
static const struct field mmo[] = {
	{ "control", 0, 4, 31, 0, HEX }, { "lkey", 4, 4, 31, 0, HEX },
	{ "opaque", 8, 8, 63, 0, HEX }, { 0 } };
static const struct field data[] = {
	{ "len", 0, 4, 31, 0, DEC }, { "lkey", 4, 4, 31, 0, HEX },
	{ "addr", 8, 8, 63, 0, HEX }, { 0 } };
static const struct field recv_linked[] = {
	{ "next", 2, 2, 15, 0, DEC }, { "signature", 4, 1, 7, 0, HEX_ANY }, { 0 } };
static const struct field recv_signature[] = { { "signature", 4, 1, 7, 0, HEX }, { 0 } };
/* clang-format on */

/* NULL: no fields, the bytes as they are. */
static const struct field *const tables[SEG_KINDS] = {
	[SEG_AV_UD] = av_ud,
	[SEG_AV_UD_SHORT] = av_ud_short,
	[SEG_AV_DC] = av_dc,
	[SEG_AV_DC_SHORT] = av_dc_short,
	[SEG_XRC] = xrc,
	[SEG_RADDR] = raddr,
	[SEG_ATOMIC_CS] = atomic_cs,
	[SEG_ATOMIC_FA] = atomic_fa,
	[SEG_MASKED_CS_4] = masked_cs_4,
	[SEG_MASKED_CS_8] = masked_cs_8,
	[SEG_MASKED_FA_4] = masked_fa_4,
	[SEG_MASKED_FA_8] = masked_fa_8,
	[SEG_ETH] = eth,
	[SEG_WAIT_QUEUE] = wait_queue,
	[SEG_WAIT_VALUE] = wait_value,
	[SEG_SEND_EN] = send_en,
	[SEG_SET_PSV] = set_psv,
	[SEG_TAG_MATCHING] = tag_matching,
	[SEG_UMR_CTRL] = umr_ctrl,
	[SEG_MKEY] = mkey,
	[SEG_KLM] = klm,
	[SEG_REPEAT] = repeat,
	[SEG_REPEAT_ENTRY] = repeat_entry,
	[SEG_BSF] = bsf,
	[SEG_BSF_CRYPTO] = bsf_crypto,
	[SEG_FLOW] = flow,
	[SEG_FLOW_GTA] = flow_gta,
	[SEG_ASO] = aso,
	[SEG_MMO] = mmo,
	[SEG_DATA] = data,
};

/* ---- the control segment ---- */

/* The words for @value; 0 is what needs none. */
static void put_words(struct text *t, const char *kind, uint8_t value)
{
	const char *words;

	if (value && prm_value_name(kind, value, &words))
		text_put(t, " %s", words);
	else if (value)
		text_put(t, " fence %u", value); /* the other kind has a name for each */
}

/* fm_ce_se in words: fence, completion mode, solicited. */
static void put_flags(struct text *t, uint8_t flags)
{
	put_words(t, "WQE_FENCE", flags >> 5);
	put_words(t, "WQE_CE", flags >> 2 & 3);
	if (flags & 2)
		text_put(t, " solicited");
	if (flags & 0x11)
		text_put(t, " reserved 0x%02x", flags & 0x11);
}

static bool has_imm(uint8_t opcode)
{
	return opcode == PRM_WQE_OPCODE_SEND_IMM || opcode == PRM_WQE_OPCODE_RDMA_WRITE_IMM ||
	       opcode == PRM_WQE_OPCODE_SEND_INVAL;
}

/* Name of the word after the flags for this opcode. */
static const char *imm_name(uint8_t opcode)
{
	if (opcode == PRM_WQE_OPCODE_SEND_INVAL)
		return "inval_rkey";
	if (opcode == PRM_WQE_OPCODE_UMR)
		return "mkey";
	return "imm";
}

static const char *opcode_name(uint8_t opcode)
{
	const char *name = wqe_opcode_name(opcode);

	return name ? name : "opcode?";
}

static void control_fields(struct text *t, const uint8_t *p)
{
	text_segment(t, "control");
	text_field(t, 0, "opmod", "0x%02x", p[0]);
	text_field(t, 1, "idx", "%u", be16(p + 1));
	text_field(t, 3, "opcode", "0x%02x %s", p[3], opcode_name(p[3]));
	text_field(t, 4, "qpn", "0x%06x", be32(p + 4) >> 8);
	text_field(t, 7, "ds", "%u", p[7] & 0x3f);
	text_field(t, 8, "signature", "0x%02x", p[8]);
	text_field(t, 9, "stream", "%u", be16(p + 9));
	text_put(t, "%4u  %-12s 0x%02x", 11, "flags", p[11]);
	put_flags(t, p[11]);
	text_put(t, "\n");
	text_field(t, 12, imm_name(p[3]), "0x%08x", be32(p + 12));
}

static void control_line(struct text *t, const uint8_t *p)
{
	text_put(t, "%s", opcode_name(p[3]));
	if (p[0])
		text_put(t, " opmod 0x%x", p[0]);
	text_put(t, " qpn 0x%x idx %u ds %u", be32(p + 4) >> 8, be16(p + 1), p[7] & 0x3f);
	put_flags(t, p[11]);
	if (p[8])
		text_put(t, " signature 0x%02x", p[8]);
	if (be16(p + 9))
		text_put(t, " stream %u", be16(p + 9));
	if (has_imm(p[3]) || be32(p + 12))
		text_put(t, " %s 0x%08x", imm_name(p[3]), be32(p + 12));
	if (!wqe_opcode_name(p[3]))
		text_put(t, " opcode 0x%02x", p[3]);
}

/* ---- segments ---- */

/* Inline data may be longer than the WQE says it is: what is there is shown. */
static void put_inline(struct text *t, const uint8_t *wqe, const struct wqe_seg *seg)
{
	size_t len = be32(wqe + seg->at) & 0x7fffffff;
	size_t there = seg->len - 4;

	text_segment(t, "inline");
	text_field(t, seg->at, "inline_len", "%zu%s", len,
		   len <= there ? "" : " (more than the WQE has)");
	text_quoted(t, seg->at + 4, wqe + seg->at + 4, len < there ? len : there, len);
}

/* The part of a packet's header that is in the segment, or the VLAN tag in its place. */
static void put_eth_header(struct text *t, const uint8_t *wqe, const struct wqe_seg *seg)
{
	const uint8_t *p = wqe + seg->at;
	uint16_t word = be16(p + 12);

	if (word & 0x8000) {
		text_field(t, seg->at + 14, "vlan", "0x%04x", be16(p + 14));
		return;
	}
	text_field(t, seg->at + 12, "hdr_sz", "%u", word & 0x3ff);
	if (word & 0x3ff)
		text_bytes(t, seg->at + 14, "hdr", p + 14, word & 0x3ff);
}

static void put_cut(struct text *t, const uint8_t *wqe, const struct wqe_seg *seg)
{
	if (!seg->len) {
		text_remark(t, "no %s segment", wqe_seg_name(seg->kind));
		return;
	}
	text_segment(t, "segment");
	text_bytes(t, seg->at, "bytes", wqe + seg->at, seg->len);
	if (seg->kind != SEG_BYTES)
		text_remark(t, "%s has %zu bytes", wqe_seg_name(seg->kind), seg->need);
}

static void put_segment(struct text *t, const uint8_t *wqe, const struct wqe_seg *seg)
{
	if (seg->kind == SEG_INLINE) {
		put_inline(t, wqe, seg);
		return;
	}
	if (seg->len < seg->need) {
		put_cut(t, wqe, seg);
		return;
	}
	text_segment(t, wqe_seg_name(seg->kind));
	if (tables[seg->kind])
		text_fields(t, tables[seg->kind], wqe, seg->at);
	else if (seg->kind == SEG_PADDING)
		text_put(t, t->style == DV_LINE ? " padding" : "");
	else
		text_bytes(t, seg->at, "bytes", wqe + seg->at, seg->len);
	if (seg->kind == SEG_ETH)
		put_eth_header(t, wqe, seg);
}

size_t dv_wqe_format(char *buf, size_t size, const void *wqe, size_t len,
		     enum dv_transport transport, enum dv_style style)
{
	struct text t = text_start(buf, size, style);
	struct wqe_shape s;
	struct wqe_seg seg;
	size_t says;

	if (len < SEGMENT) {
		text_put(&t, "WQE of %zu bytes: no control segment%s", len,
			 style == DV_FIELDS ? "\n" : "");
		return t.len;
	}
	says = wqe_says(wqe);
	if (style == DV_FIELDS)
		control_fields(&t, wqe);
	else
		control_line(&t, wqe);
	if (says >= SEGMENT) {
		wqe_shape_begin(&s, wqe, says < len ? says : len, transport);
		while (wqe_shape_next(&s, &seg))
			if (seg.len || says <= len)
				put_segment(&t, wqe, &seg);
	}
	if (says > len || says < SEGMENT)
		text_remark(&t, "ds says %zu bytes, here are %zu", says, len);
	return t.len;
}

size_t dv_wqe_copy(uint8_t wqe[DV_WQE_MAX_BYTES], const void *ring, uint32_t wqe_cnt,
		   uint16_t idx)
{
	size_t bytes = (size_t)wqe_cnt * BLOCK, at = (idx & (wqe_cnt - 1)) * (size_t)BLOCK;
	const uint8_t *from = ring;
	size_t len = wqe_says(from + at), edge = bytes - at;

	if (len < SEGMENT)
		len = SEGMENT;
	if (len > bytes)
		len = bytes;
	if (edge > len)
		edge = len;
	memcpy(wqe, from + at, edge);
	memcpy(wqe + edge, from, len - edge);
	return len;
}

size_t dv_recv_wqe_format(char *buf, size_t size, const void *wqe, size_t len,
			  enum dv_recv_kind kind, enum dv_style style)
{
	struct text t = text_start(buf, size, style);
	const uint8_t *p = wqe;
	size_t at = 0;

	text_put(&t, "%s", style == DV_LINE ? "receive" : "");
	if (kind != DV_RECV_PLAIN && len >= SEGMENT) {
		text_segment(&t, kind == DV_RECV_LINKED ? "next" : "signature");
		text_fields(&t, kind == DV_RECV_LINKED ? recv_linked : recv_signature, p, 0);
		at = SEGMENT;
	}
	for (; at + SEGMENT <= len; at += SEGMENT) {
		text_segment(&t, "data");
		text_fields(&t, data, p, at);
		if (!be32(p + at) && be32(p + at + 4) == 0x100) {
			text_remark(&t, "end of the list");
			return t.len;
		}
	}
	if (at < len || !len)
		text_remark(&t, "%zu bytes more: no segment", len - at);
	return t.len;
}
