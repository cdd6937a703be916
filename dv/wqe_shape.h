/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which segments a send WQE has: by opcode, opmod and transport, as the PRM's "Send WQE
 * construction" orders them. Printers (print_wqe.c) and dv_wqe_check() walk along it, over
 * bytes that may be anything:
 *
 *	struct wqe_shape s;
 *	struct wqe_seg seg;
 *
 *	wqe_shape_begin(&s, wqe, len, transport);
 *	while (wqe_shape_next(&s, &seg))
 *		… seg.kind, at wqe + seg.at, seg.len of the seg.need bytes that it should have …
 *
 *	head   those that the opcode must have    [address vector] [XRC] [remote address] …
 *	tail   what then fills the WQE            data segments, a UMR's list, bytes
 *
 * Only memory is read; the layouts here are apart from the structs that the builders use.
 */
#ifndef DV_WQE_SHAPE_H
#define DV_WQE_SHAPE_H

#include <stdbool.h>
#include <dv/print.h>
#include <prm/value.h>
#include "bytes.h"

enum {
	SEGMENT = 16,
	BLOCK = 64,
};

enum wqe_seg_kind {
	SEG_AV_UD,
	SEG_AV_UD_SHORT,
	SEG_AV_DC,
	SEG_AV_DC_SHORT,
	SEG_XRC,
	SEG_RADDR,
	SEG_ATOMIC_CS,
	SEG_ATOMIC_FA,
	SEG_MASKED_CS_4,
	SEG_MASKED_CS_8,
	SEG_MASKED_FA_4,
	SEG_MASKED_FA_8,
	SEG_MASKED, /* of more than 8 bytes */
	SEG_ETH_PAD,
	SEG_ETH,
	SEG_WAIT_QUEUE,
	SEG_WAIT_VALUE,
	SEG_SEND_EN,
	SEG_SET_PSV,
	SEG_TAG_MATCHING,
	SEG_UMR_CTRL,
	SEG_MKEY,
	SEG_KLM,
	SEG_REPEAT,
	SEG_REPEAT_ENTRY,
	SEG_PADDING, /* zeros after a list */
	SEG_BSF,
	SEG_BSF_CRYPTO,
	SEG_FLOW,
	SEG_FLOW_GTA,
	SEG_FLOW_ARGS,
	SEG_ASO,
	SEG_ASO_DATA,
	SEG_MMO,
	SEG_DATA,
	SEG_INLINE,
	SEG_BYTES, /* without a public layout, or not read by the device */
	SEG_KINDS,
};

struct wqe_opcode_info {
	uint8_t transports; /* bit k: enum dv_transport k; 0: no WQE of this kind is known */
	uint8_t opmods;	    /* bit k: opmod k */
};

struct wqe_seg {
	enum wqe_seg_kind kind;
	size_t at, len, need; /* len < need: the WQE ends in it, or before it */
};

enum wqe_tail {
	TAIL_BYTES,
	TAIL_DATA,
	TAIL_UMR,
};

struct wqe_shape {
	const uint8_t *wqe;
	size_t pos, end;
	size_t list_end; /* of a UMR's inline list */
	uint8_t head[6], n, i;
	uint8_t tail;	   /* enum wqe_tail */
	uint16_t repeated; /* entries left of a repeat block */
	bool cut;	   /* a segment of the head was missing: nothing follows it */
};

const struct wqe_opcode_info *wqe_opcode_info(uint8_t opcode);
const char *wqe_opcode_name(uint8_t opcode); /* NULL: unknown */
const char *wqe_seg_name(enum wqe_seg_kind kind);

/* @len is a multiple of nothing in particular, but 16 or more, and not more than ds says. */
void wqe_shape_begin(struct wqe_shape *s, const uint8_t *wqe, size_t len,
		     enum dv_transport transport);
bool wqe_shape_next(struct wqe_shape *s, struct wqe_seg *seg);

/* Size of the WQE as its control segment says. */
static inline size_t wqe_says(const uint8_t *wqe)
{
	return (size_t)(wqe[7] & 0x3f) * SEGMENT;
}

/* log2 of the operand's size, of masked atomics: opmod is 8 | log2 - 2. */
static inline unsigned int wqe_log_operand(uint8_t opmod)
{
	return (opmod & 7) + 2;
}

static inline bool wqe_is_send(uint8_t opcode)
{
	return opcode == PRM_WQE_OPCODE_SEND || opcode == PRM_WQE_OPCODE_SEND_IMM ||
	       opcode == PRM_WQE_OPCODE_SEND_INVAL;
}

static inline bool wqe_is_atomic(uint8_t opcode)
{
	return opcode == PRM_WQE_OPCODE_ATOMIC_CS || opcode == PRM_WQE_OPCODE_ATOMIC_FA ||
	       opcode == PRM_WQE_OPCODE_ATOMIC_MASKED_CS ||
	       opcode == PRM_WQE_OPCODE_ATOMIC_MASKED_FA;
}

static inline bool wqe_is_rdma(uint8_t opcode)
{
	return opcode == PRM_WQE_OPCODE_RDMA_WRITE || opcode == PRM_WQE_OPCODE_RDMA_WRITE_IMM ||
	       opcode == PRM_WQE_OPCODE_RDMA_READ;
}

#endif
