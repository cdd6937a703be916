/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * WQEs and CQEs as text (print.h). A printer walks the bytes from first to last and never
 * beyond those it was given; every value goes through field(), which knows the two styles:
 *
 *	DV_LINE      opcode flags … | name value name value | …
 *	DV_FIELDS    segment, then one line each: offset, name, value
 *
 * Layouts are read byte by byte here, not through the structs that the writers use.
 */
#include <endian.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <infiniband/mlx5dv.h>
#include <dv/print.h>

enum {
	SEGMENT = 16,
	SHOWN = 32, /* bytes of inline data shown */
};

struct text {
	char *buf;
	size_t size, len; /* len: of the whole text, whether it fits or not */
	enum dv_style style;
};

/* The bytes being printed, and how far we are. */
struct bytes {
	const uint8_t *at;
	size_t pos, len;
};

static const char *const wqe_opcodes[256] = {
	[MLX5_OPCODE_NOP] = "NOP",
	[MLX5_OPCODE_SEND_INVAL] = "SEND_INVAL",
	[MLX5_OPCODE_RDMA_WRITE] = "RDMA_WRITE",
	[MLX5_OPCODE_RDMA_WRITE_IMM] = "RDMA_WRITE_IMM",
	[MLX5_OPCODE_SEND] = "SEND",
	[MLX5_OPCODE_SEND_IMM] = "SEND_IMM",
	[MLX5_OPCODE_TSO] = "TSO",
	[0x0f] = "WAIT",
	[MLX5_OPCODE_RDMA_READ] = "RDMA_READ",
	[MLX5_OPCODE_ATOMIC_CS] = "ATOMIC_CS",
	[MLX5_OPCODE_ATOMIC_FA] = "ATOMIC_FA",
	[MLX5_OPCODE_ATOMIC_MASKED_CS] = "ATOMIC_MASKED_CS",
	[MLX5_OPCODE_ATOMIC_MASKED_FA] = "ATOMIC_MASKED_FA",
	[0x17] = "SEND_EN",
	[MLX5_OPCODE_LOCAL_INVAL] = "LOCAL_INVAL",
	[MLX5_OPCODE_SET_PSV] = "SET_PSV",
	[0x23] = "DUMP",
	[MLX5_OPCODE_UMR] = "UMR",
	[MLX5_OPCODE_TAG_MATCHING] = "TAG_MATCHING",
	[0x29] = "ENHANCED_MPSW",
	[MLX5_OPCODE_FLOW_TBL_ACCESS] = "FLOW_TBL_ACCESS",
	[0x2d] = "ACCESS_ASO",
	[MLX5_OPCODE_MMO] = "MMO",
};

static const char *const cqe_opcodes[16] = {
	[MLX5_CQE_REQ] = "REQ",
	[MLX5_CQE_RESP_WR_IMM] = "RESP_WR_IMM",
	[MLX5_CQE_RESP_SEND] = "RESP_SEND",
	[MLX5_CQE_RESP_SEND_IMM] = "RESP_SEND_IMM",
	[MLX5_CQE_RESP_SEND_INV] = "RESP_SEND_INV",
	[MLX5_CQE_RESIZE_CQ] = "RESIZE_CQ",
	[MLX5_CQE_NO_PACKET] = "NO_PACKET",
	[MLX5_CQE_SIG_ERR] = "SIG_ERR",
	[MLX5_CQE_REQ_ERR] = "REQ_ERR",
	[MLX5_CQE_RESP_ERR] = "RESP_ERR",
	[MLX5_CQE_INVALID] = "INVALID",
};

static const char *const cqe_formats[4] = { "no inline data", "inline 32", "inline 64",
					    "compressed" };

static uint16_t be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static uint32_t be32(const uint8_t *p)
{
	return (uint32_t)be16(p) << 16 | be16(p + 2);
}

static uint64_t be64(const uint8_t *p)
{
	return (uint64_t)be32(p) << 32 | be32(p + 4);
}

static void put_list(struct text *t, const char *format, va_list args)
{
	size_t room = t->len < t->size ? t->size - t->len : 0;
	int n = vsnprintf(room ? t->buf + t->len : NULL, room, format, args);

	if (n > 0)
		t->len += (size_t)n;
}

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_list(t, format, args);
	va_end(args);
}

/* A value with its name; @offset counts from the start of the WQE or CQE. */
__attribute__((format(printf, 4, 5))) static void
field(struct text *t, size_t offset, const char *name, const char *format, ...)
{
	va_list args;

	if (t->style == DV_FIELDS)
		put(t, "%4zu  %-12s ", offset, name);
	else
		put(t, " %s ", name);
	va_start(args, format);
	put_list(t, format, args);
	va_end(args);
	if (t->style == DV_FIELDS)
		put(t, "\n");
}

static void segment(struct text *t, const char *name)
{
	if (t->style == DV_FIELDS)
		put(t, "%s\n", name);
	else
		put(t, " |");
}

static void put_hex(struct text *t, const uint8_t *p, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		put(t, i && i % 4 == 0 ? " %02x" : "%02x", p[i]);
}

static void put_printable(struct text *t, const uint8_t *p, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		put(t, "%c", p[i] >= 0x20 && p[i] < 0x7f ? p[i] : '.');
}

/* Bytes as they are, for what has no decoder: @what names them. */
static void raw(struct text *t, size_t offset, const char *what, const uint8_t *p, size_t n)
{
	if (t->style == DV_FIELDS)
		put(t, "%4zu  %-12s ", offset, what);
	else
		put(t, " %s ", what);
	put_hex(t, p, n);
	if (t->style == DV_FIELDS)
		put(t, "\n");
}

/* fm_ce_se in words: fence, completion mode, solicited (Linux include/linux/mlx5/qp.h). */
static void put_flags(struct text *t, uint8_t flags)
{
	static const char *const fence[8] = {
		"",	  " small_fence", " fence_2", " strong_order",
		" fence", " fence_5",	  " fence_6", " fence_7",
	};
	static const char *const completion[4] = { "", " first_error_only", " signalled",
						   " signalled_eqe" };

	put(t, "%s%s%s", fence[flags >> 5], completion[flags >> 2 & 3],
	    flags & MLX5_WQE_CTRL_SOLICITED ? " solicited" : "");
	if (flags & 0x11)
		put(t, " reserved 0x%02x", flags & 0x11);
}

static bool has_imm(uint8_t opcode)
{
	return opcode == MLX5_OPCODE_SEND_IMM || opcode == MLX5_OPCODE_RDMA_WRITE_IMM ||
	       opcode == MLX5_OPCODE_SEND_INVAL;
}

static void control_fields(struct text *t, const uint8_t *p, const char *name)
{
	segment(t, "control");
	field(t, 0, "opmod", "0x%02x", p[0]);
	field(t, 1, "idx", "%u", be16(p + 1));
	field(t, 3, "opcode", "0x%02x %s", p[3], name);
	field(t, 4, "qpn", "0x%06x", be32(p + 4) >> 8);
	field(t, 7, "ds", "%u", p[7] & 0x3f);
	field(t, 8, "signature", "0x%02x", p[8]);
	field(t, 9, "stream", "%u", be16(p + 9));
	put(t, "%4u  %-12s 0x%02x", 11, "flags", p[11]);
	put_flags(t, p[11]);
	put(t, "\n");
	field(t, 12, "imm", "0x%08x", be32(p + 12));
}

static void control_line(struct text *t, const uint8_t *p, const char *name)
{
	put(t, "%s", name);
	if (p[0])
		put(t, " opmod 0x%x", p[0]);
	put(t, " qpn 0x%x idx %u ds %u", be32(p + 4) >> 8, be16(p + 1), p[7] & 0x3f);
	put_flags(t, p[11]);
	if (p[8])
		put(t, " signature 0x%02x", p[8]);
	if (be16(p + 9))
		put(t, " stream %u", be16(p + 9));
	if (has_imm(p[3]) || be32(p + 12))
		put(t, " imm 0x%08x", be32(p + 12));
}

static const char *opcode_name(uint8_t opcode)
{
	return wqe_opcodes[opcode] ? wqe_opcodes[opcode] : "opcode?";
}

static void control(struct text *t, const uint8_t *p)
{
	const char *name = opcode_name(p[3]);

	if (t->style == DV_FIELDS)
		control_fields(t, p, name);
	else
		control_line(t, p, name);
	if (t->style == DV_LINE && !wqe_opcodes[p[3]])
		put(t, " opcode 0x%02x", p[3]);
}

static void raddr(struct text *t, struct bytes *b)
{
	const uint8_t *p = b->at + b->pos;

	segment(t, "remote address");
	field(t, b->pos, "raddr", "0x%llx", (unsigned long long)be64(p));
	field(t, b->pos + 8, "rkey", "0x%x", be32(p + 8));
	if (be32(p + 12))
		field(t, b->pos + 12, "reserved", "0x%x", be32(p + 12));
	b->pos += SEGMENT;
}

static void atomic(struct text *t, struct bytes *b, uint8_t opcode)
{
	const uint8_t *p = b->at + b->pos;
	bool swap = opcode == MLX5_OPCODE_ATOMIC_CS;

	segment(t, "atomic");
	field(t, b->pos, swap ? "swap" : "add", "0x%llx", (unsigned long long)be64(p));
	if (swap || be64(p + 8))
		field(t, b->pos + 8, "compare", "0x%llx", (unsigned long long)be64(p + 8));
	b->pos += SEGMENT;
}

/* Inline data may be longer than the WQE says it is: what is there is shown. */
static void inline_data(struct text *t, struct bytes *b)
{
	const uint8_t *p = b->at + b->pos + 4;
	size_t len = be32(b->at + b->pos) & 0x7fffffff;
	size_t there = b->len - b->pos - 4;
	size_t shown = len < there ? len : there;
	bool all = len <= there;

	shown = shown < SHOWN ? shown : SHOWN;
	segment(t, "inline");
	field(t, b->pos, "inline_len", "%zu%s", len, all ? "" : " (more than the WQE has)");
	if (t->style == DV_FIELDS)
		put(t, "%4zu  %-12s ", b->pos + 4, "data");
	else
		put(t, " ");
	put(t, "\"");
	put_printable(t, p, shown);
	put(t, shown < len ? "\"…" : "\"");
	if (t->style == DV_FIELDS)
		put(t, "\n");
	b->pos += all ? (4 + len + SEGMENT - 1) / SEGMENT * SEGMENT : there + 4;
}

static void data(struct text *t, struct bytes *b)
{
	const uint8_t *p = b->at + b->pos;

	if (be32(p) & MLX5_INLINE_SEG) {
		inline_data(t, b);
		return;
	}
	segment(t, "data");
	field(t, b->pos, "len", "%u", be32(p));
	field(t, b->pos + 4, "lkey", "0x%x", be32(p + 4));
	field(t, b->pos + 8, "addr", "0x%llx", (unsigned long long)be64(p + 8));
	b->pos += SEGMENT;
}

/* The segments after the control segment, as the opcode orders them; others as they are. */
static void body(struct text *t, struct bytes *b, uint8_t opcode)
{
	bool send = opcode == MLX5_OPCODE_SEND || opcode == MLX5_OPCODE_SEND_IMM ||
		    opcode == MLX5_OPCODE_SEND_INVAL;
	bool rdma = opcode == MLX5_OPCODE_RDMA_WRITE || opcode == MLX5_OPCODE_RDMA_WRITE_IMM ||
		    opcode == MLX5_OPCODE_RDMA_READ;
	bool atomics = opcode == MLX5_OPCODE_ATOMIC_CS || opcode == MLX5_OPCODE_ATOMIC_FA;

	if ((rdma || atomics) && b->pos + SEGMENT <= b->len)
		raddr(t, b);
	if (atomics && b->pos + SEGMENT <= b->len)
		atomic(t, b, opcode);
	while (b->pos + SEGMENT <= b->len) {
		if (send || rdma || atomics) {
			data(t, b);
			continue;
		}
		segment(t, "segment");
		raw(t, b->pos, "bytes", b->at + b->pos, SEGMENT);
		b->pos += SEGMENT;
	}
}

size_t dv_wqe_format(char *buf, size_t size, const void *wqe, size_t len, enum dv_style style)
{
	struct text t = { .buf = buf, .size = size, .style = style };
	struct bytes b = { .at = wqe, .pos = SEGMENT, .len = len };
	size_t says;

	if (size)
		buf[0] = '\0';
	if (len < SEGMENT) {
		put(&t, "WQE of %zu bytes: no control segment%s", len,
		    style == DV_FIELDS ? "\n" : "");
		return t.len;
	}
	says = (size_t)(b.at[7] & 0x3f) * SEGMENT;
	if (says < b.len)
		b.len = says;
	control(&t, b.at);
	body(&t, &b, b.at[3]);
	if (says > len || says < SEGMENT)
		put(&t, "%sds says %zu bytes, here are %zu%s", style == DV_FIELDS ? "" : " | ",
		    says, len, style == DV_FIELDS ? "\n" : "");
	return t.len;
}

static void cqe_error(struct text *t, const uint8_t *p)
{
	field(t, 54, "vendor", "0x%02x", p[54]);
	field(t, 55, "syndrome", "0x%02x %s", p[55], dv_syndrome_str(p[55]));
}

/* @opcode is a responder's: what was received, and where it lies. */
static void cqe_received(struct text *t, const uint8_t *p, uint8_t opcode)
{
	if (opcode == MLX5_CQE_RESP_WR_IMM || opcode == MLX5_CQE_RESP_SEND_IMM)
		field(t, 36, "imm", "0x%08x", be32(p + 36));
	if (opcode == MLX5_CQE_RESP_SEND_INV)
		field(t, 36, "inval_rkey", "0x%x", be32(p + 36));
	field(t, 44, "byte_cnt", "%u", be32(p + 44));
}

/* Which WQE of which QP. */
static void cqe_whose(struct text *t, const uint8_t *p, uint8_t opcode)
{
	if (opcode == MLX5_CQE_REQ || opcode == MLX5_CQE_REQ_ERR)
		field(t, 56, "of", "%s", opcode_name(p[56]));
	field(t, 57, "qpn", "0x%x", be32(p + 56) & 0xffffff);
	field(t, 60, "wqe_counter", "%u", be16(p + 60));
}

/* What became of it. */
static void cqe_result(struct text *t, const uint8_t *p, uint8_t opcode)
{
	if (t->style == DV_FIELDS)
		field(t, 32, "uidx", "0x%x", be32(p + 32) & 0xffffff);
	if (opcode >= MLX5_CQE_RESP_WR_IMM && opcode <= MLX5_CQE_RESP_SEND_INV)
		cqe_received(t, p, opcode);
	else if (opcode == MLX5_CQE_REQ && (be32(p + 44) || t->style == DV_FIELDS))
		field(t, 44, "byte_cnt", "%u", be32(p + 44));
	if (opcode == MLX5_CQE_REQ_ERR || opcode == MLX5_CQE_RESP_ERR)
		cqe_error(t, p);
	else if (t->style == DV_FIELDS)
		field(t, 48, "timestamp", "0x%llx", (unsigned long long)be64(p + 48));
}

static void cqe_fields(struct text *t, const uint8_t *p)
{
	uint8_t opcode = p[63] >> 4;

	segment(t, "completion");
	cqe_result(t, p, opcode);
	cqe_whose(t, p, opcode);
	field(t, 63, "op_own", "0x%02x %s, owner %u, %s", p[63],
	      cqe_opcodes[opcode] ? cqe_opcodes[opcode] : "opcode?", p[63] & 1,
	      cqe_formats[p[63] >> 2 & 3]);
}

static void cqe_line(struct text *t, const uint8_t *p)
{
	uint8_t opcode = p[63] >> 4;

	if (cqe_opcodes[opcode])
		put(t, "%s", cqe_opcodes[opcode]);
	else
		put(t, "opcode 0x%x?", opcode);
	cqe_whose(t, p, opcode);
	cqe_result(t, p, opcode);
	if (p[63] & 0xc)
		put(t, " (%s)", cqe_formats[p[63] >> 2 & 3]);
}

size_t dv_cqe_format(char *buf, size_t size, const void *cqe, size_t len, enum dv_style style)
{
	struct text t = { .buf = buf, .size = size, .style = style };
	const uint8_t *p = cqe;

	if (size)
		buf[0] = '\0';
	if (len < 64)
		put(&t, "CQE of %zu bytes: not 64%s", len, style == DV_FIELDS ? "\n" : "");
	else if (style == DV_FIELDS)
		cqe_fields(&t, len < 128 ? p : p + 64);
	else
		cqe_line(&t, len < 128 ? p : p + 64);
	return t.len;
}
