/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CQEs as text (print.h): all opcodes, signature errors, arrays of mini CQEs.
 *
 *	   0                          32       44    48         56     60   63
 *	|  what a receive learns of  | uidx … | len | timestamp | qpn | idx | opcode,
 *	|  its packet; or 32 bytes of |        |     |           |     |     | format, owner
 *	|  its data (format inline 32)|        |     | error: vendor 54, syndrome 55
 *
 * Names as in mlx5dv.h (struct mlx5_cqe64, mlx5_err_cqe); what is reserved there, as in the
 * kernel's device.h; signature errors as in rdma-core, cq.c.
 */
#include <dv/mini.h>
#include <prm/table.h>
#include "text.h"
#include "wqe_shape.h"

enum {
	CQE = 64,
	MINI = 8,
	MINIS = CQE / MINI,
};

/* NULL: it has no name. */
static const char *opcode_name(uint8_t opcode)
{
	return prm_value_name("CQE_OPCODE", opcode, NULL);
}

/* All four formats have a text. */
static const char *format_words(const uint8_t *p)
{
	const char *words = "";

	prm_value_name("CQE_FORMAT", p[63] >> 2 & 3, &words);
	return words;
}

/* clang-format off */
/* Fields of a received packet; with inline data, the first 32 bytes of the CQE are data
 * instead. */
static const struct field packet[] = {
	{ "tunneled", 0, 1, 0, 0, RESERVED }, { "stride_wqe", 2, 2, 15, 0, RESERVED },
	{ "rx_hash", 12, 4, 31, 0, RESERVED }, { "rx_hash_type", 16, 1, 7, 0, RESERVED },
	{ "path", 17, 1, 6, 0, RESERVED }, { "check_sum", 20, 2, 15, 0, RESERVED },
	{ "slid", 22, 2, 15, 0, RESERVED }, { "grh", 24, 4, 29, 28, RESERVED },
	{ "sl_l3", 24, 4, 27, 24, RESERVED }, { "rqpn", 24, 4, 23, 0, RESERVED },
	{ "csum_ok", 28, 1, 2, 0, RESERVED }, { "l3_type", 29, 1, 3, 2, RESERVED },
	{ "l4_type", 29, 1, 6, 4, RESERVED }, { "cv", 29, 1, 0, 0, RESERVED },
	{ "vlan_info", 30, 2, 15, 0, RESERVED }, { 0 } };
static const struct field lro[] = {
	{ "lro_segs", 32, 4, 31, 24, DEC }, { "lro_win", 6, 2, 15, 0, HEX },
	{ "lro_ack", 8, 4, 31, 0, HEX }, { 0 } };
static const struct field matched[] = {
	{ "app", 40, 1, 7, 0, HEX }, { "app_op", 41, 1, 7, 0, HEX },
	{ "app_info", 42, 2, 15, 0, HEX }, { 0 } };
static const struct field error_detail[] = {
	{ "hw_synd", 52, 1, 7, 0, RESERVED }, { "hw_synd_type", 53, 1, 7, 4, RESERVED }, { 0 } };
static const struct field signature_error[] = {
	{ "expected_sig", 16, 4, 31, 0, HEX }, { "actual_sig", 20, 4, 31, 0, HEX },
	{ "expected_ref", 24, 4, 31, 0, HEX }, { "actual_ref", 28, 4, 31, 0, HEX },
	{ "syndrome", 32, 2, 15, 0, HEX }, { "sig_type", 34, 1, 7, 0, HEX },
	{ "domain", 35, 1, 2, 0, DEC }, { "mkey", 36, 4, 31, 0, HEX },
	{ "offset", 40, 8, 63, 0, DEC }, { 0 } };
/* clang-format on */

/* @opcode is a responder's. */
static bool is_received(uint8_t opcode)
{
	return opcode >= MLX5_CQE_RESP_WR_IMM && opcode <= MLX5_CQE_RESP_SEND_INV;
}

static bool is_error(uint8_t opcode)
{
	return opcode == MLX5_CQE_REQ_ERR || opcode == MLX5_CQE_RESP_ERR;
}

static void put_error(struct text *t, const uint8_t *p)
{
	text_fields(t, error_detail, p, 0);
	if (t->style == DV_FIELDS)
		text_field(t, 54, "vendor", "0x%02x %s", p[54], dv_vendor_syndrome_str(p[54]));
	else
		text_field(t, 54, "vendor", "0x%02x", p[54]);
	text_field(t, 55, "syndrome", "0x%02x %s", p[55], dv_syndrome_str(p[55]));
}

static void put_length(struct text *t, const uint8_t *p)
{
	if ((p[63] >> 2 & 3) == PRM_CQE_FORMAT_COMPRESSED)
		text_field(t, 44, "completions", "%u", be32(p + 44));
	else
		text_field(t, 44, "byte_cnt", "%u", be32(p + 44));
}

/* The received packet, and its buffer. */
static void put_received(struct text *t, const uint8_t *p, uint8_t opcode)
{
	if ((p[63] >> 2 & 3) != PRM_CQE_FORMAT_INLINE_DATA32_SEG) {
		text_fields(t, packet, p, 0);
		if (p[32])
			text_fields(t, lro, p, 0);
	}
	if (opcode == MLX5_CQE_RESP_WR_IMM || opcode == MLX5_CQE_RESP_SEND_IMM)
		text_field(t, 36, "imm", "0x%08x", be32(p + 36));
	else if (opcode == MLX5_CQE_RESP_SEND_INV)
		text_field(t, 36, "inval_rkey", "0x%x", be32(p + 36));
	else if (be32(p + 36))
		text_field(t, 36, "pkey", "0x%x", be32(p + 36));
	put_length(t, p);
}

/* Which WQE of which QP. */
static void put_whose(struct text *t, const uint8_t *p, uint8_t opcode)
{
	const char *of = wqe_opcode_name(p[56]);

	if (opcode == MLX5_CQE_SIG_ERR)
		return;
	if (opcode == MLX5_CQE_REQ || opcode == MLX5_CQE_REQ_ERR)
		text_field(t, 56, "of", "%s", of ? of : "opcode?");
	text_field(t, 57, "qpn", "0x%x", be32(p + 56) & 0xffffff);
	text_field(t, 60, "wqe_counter", "%u", be16(p + 60));
}

/* The result. */
static void put_result(struct text *t, const uint8_t *p, uint8_t opcode)
{
	if (opcode == MLX5_CQE_SIG_ERR) {
		text_fields(t, signature_error, p, 0);
		return;
	}
	if (t->style == DV_FIELDS)
		text_field(t, 32, "uidx", "0x%x", be32(p + 32) & 0xffffff);
	if (is_received(opcode))
		put_received(t, p, opcode);
	else if (opcode == MLX5_CQE_REQ && (be32(p + 44) || t->style == DV_FIELDS))
		put_length(t, p);
	if (p[40] == PRM_CQE_APP_TAG_MATCHING)
		text_fields(t, matched, p, 0);
	if (is_error(opcode))
		put_error(t, p);
	else if (t->style == DV_FIELDS)
		text_field(t, 48, "timestamp", "0x%llx", (unsigned long long)be64(p + 48));
}

/* The data inside the CQE @p; @slot: it has 128 bytes, and @p is their second half. */
static void put_data(struct text *t, const uint8_t *p, bool slot)
{
	uint8_t format = p[63] >> 2 & 3;
	size_t space = format == PRM_CQE_FORMAT_INLINE_DATA64_SEG ? 64 : 32;
	size_t len = be32(p + 44);

	if (format == PRM_CQE_FORMAT_NO_INLINE_DATA || format == PRM_CQE_FORMAT_COMPRESSED ||
	    (format == PRM_CQE_FORMAT_INLINE_DATA64_SEG && !slot))
		return;
	text_quoted(t, 0, format == PRM_CQE_FORMAT_INLINE_DATA64_SEG ? p - CQE : p,
		    len < space ? len : space, len);
}

static void put_fields(struct text *t, const uint8_t *p, bool slot)
{
	uint8_t opcode = p[63] >> 4;
	const char *name = opcode_name(opcode);

	text_segment(t, "completion");
	put_data(t, p, slot);
	put_result(t, p, opcode);
	put_whose(t, p, opcode);
	if (p[62])
		text_field(t, 62, "signature", "0x%02x", p[62]);
	text_field(t, 63, "op_own", "0x%02x %s, owner %u%s, %s", p[63], name ? name : "opcode?",
		   p[63] & 1, p[63] & 2 ? ", solicited" : "", format_words(p));
}

static void put_line(struct text *t, const uint8_t *p)
{
	uint8_t opcode = p[63] >> 4;
	const char *name = opcode_name(opcode);

	if (name)
		text_put(t, "%s", name);
	else
		text_put(t, "opcode 0x%x?", opcode);
	put_whose(t, p, opcode);
	put_result(t, p, opcode);
	if (p[63] & 2)
		text_put(t, " solicited");
	if (p[63] & 0xc)
		text_put(t, " (%s)", format_words(p));
}

size_t dv_cqe_format(char *buf, size_t size, const void *cqe, size_t len, enum dv_style style)
{
	struct text t = text_start(buf, size, style);
	const uint8_t *p = cqe;
	bool slot = len >= 2 * CQE;

	if (slot)
		p += CQE;
	if (len < CQE)
		text_put(&t, "CQE of %zu bytes: not 64%s", len, style == DV_FIELDS ? "\n" : "");
	else if (style == DV_FIELDS)
		put_fields(&t, p, slot);
	else
		put_line(&t, p);
	return t.len;
}

/* ---- mini CQEs ---- */

/* Kernel, device.h: struct mlx5_mini_cqe8; DPDK, mlx5_prm.h: MLX5_CQE_RESP_FORMAT_*. */
/* clang-format off */
static const struct field mini_hash[] = {
	{ "rx_hash", 0, 4, 31, 0, HEX }, { "byte_cnt", 4, 4, 31, 0, DEC }, { 0 } };
static const struct field mini_csum[] = {
	{ "check_sum", 0, 2, 15, 0, HEX }, { "byte_cnt", 4, 4, 31, 0, DEC }, { 0 } };
static const struct field mini_ftag[] = {
	{ "tag_16", 0, 2, 15, 0, HEX }, { "stride", 2, 2, 15, 0, DEC },
	{ "tag_8", 4, 4, 31, 24, HEX }, { "byte_cnt", 4, 4, 23, 0, DEC }, { 0 } };
static const struct field mini_csum_stride[] = {
	{ "check_sum", 0, 2, 15, 0, HEX }, { "stride", 2, 2, 15, 0, DEC },
	{ "byte_cnt", 4, 4, 31, 0, DEC }, { 0 } };
static const struct field mini_l34_stride[] = {
	{ "l34_type", 0, 1, 7, 0, HEX }, { "stride", 2, 2, 15, 0, DEC },
	{ "byte_cnt", 4, 4, 31, 0, DEC }, { 0 } };
static const struct field mini_requester[] = {
	{ "wqe_counter", 0, 2, 15, 0, DEC }, { "opcode", 2, 1, 7, 0, HEX },
	{ "byte_cnt", 4, 4, 31, 0, DEC }, { 0 } };
/* clang-format on */

static const struct field *mini_table(int format)
{
	switch (format) {
	case DV_MINI_CSUM:
		return mini_csum;
	case DV_MINI_FTAG_STRIDX:
		return mini_ftag;
	case DV_MINI_CSUM_STRIDX:
		return mini_csum_stride;
	case DV_MINI_L34H_STRIDX:
		return mini_l34_stride;
	case DV_MINI_OF_REQUESTER:
		return mini_requester;
	default:
		return mini_hash;
	}
}

size_t dv_minis_format(char *buf, size_t size, const void *slot, unsigned int n, int format,
		       enum dv_style style)
{
	struct text t = text_start(buf, size, style);
	const uint8_t *p = slot;
	unsigned int i;

	text_put(&t, "%s", style == DV_LINE ? "mini CQEs" : "");
	for (i = 0; i < n && i < MINIS; i++) {
		text_segment(&t, "mini CQE");
		text_fields(&t, mini_table(format), p, (size_t)i * MINI);
	}
	return t.len;
}
