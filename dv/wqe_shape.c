/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Segments that each opcode may have, and the walk along those of a WQE (wqe_shape.h).
 *
 *	begin: the head is laid down, from opcode, opmod and transport
 *	next:  one segment of the head after the other, then the tail until the WQE ends
 *
 * A UMR's inline list has no marks: its length is in the UMR control segment, a repeat block is
 * known by its operation word, and BSFs follow it (rdma-core, qp.c and wqe.h).
 */
#include <prm/table.h>
#include "wqe_shape.h"

#define RC    (1 << DV_RC)
#define UC    (1 << DV_UC)
#define UD    (1 << DV_UD | 1 << DV_UD_LSO)
#define LSO   (1 << DV_UD_LSO)
#define DC    (1 << DV_DCI)
#define XRC   (1 << DV_XRC)
#define ETH   (1 << DV_ETH)
#define RDMA  (RC | DC | XRC)
#define QUEUE (RC | UC | UD | DC | XRC | ETH)

/* InfiniBand specification, chapter 9, "Transport functions supported for specific transport
 * services"; of the device's own operations, what rdma-core, DPDK and the kernel post. */
static const struct wqe_opcode_info opcodes[256] = {
	[PRM_WQE_OPCODE_NOP] = { QUEUE, 0x01 },
	[PRM_WQE_OPCODE_SEND_INVAL] = { RDMA, 0x01 },
	[PRM_WQE_OPCODE_RDMA_WRITE] = { RDMA | UC, 0x01 },
	[PRM_WQE_OPCODE_RDMA_WRITE_IMM] = { RDMA | UC, 0x01 },
	[PRM_WQE_OPCODE_SEND] = { QUEUE, 0x01 },
	[PRM_WQE_OPCODE_SEND_IMM] = { QUEUE & ~ETH, 0x01 },
	[PRM_WQE_OPCODE_TSO] = { ETH | LSO, 0x03 },
	[PRM_WQE_OPCODE_WAIT] = { QUEUE, 0x07 },
	[PRM_WQE_OPCODE_RDMA_READ] = { RDMA, 0x01 },
	[PRM_WQE_OPCODE_ATOMIC_CS] = { RDMA, 0x01 },
	[PRM_WQE_OPCODE_ATOMIC_FA] = { RDMA, 0x01 },
	[PRM_WQE_OPCODE_ATOMIC_MASKED_CS] = { RDMA, 0 },
	[PRM_WQE_OPCODE_ATOMIC_MASKED_FA] = { RDMA, 0 },
	[PRM_WQE_OPCODE_SEND_EN] = { QUEUE, 0x01 },
	[PRM_WQE_OPCODE_SET_PSV] = { RDMA, 0x01 },
	[PRM_WQE_OPCODE_DUMP] = { ETH, 0x01 },
	[PRM_WQE_OPCODE_UMR] = { RDMA | UC | ETH, 0x07 },
	[PRM_WQE_OPCODE_TAG_MATCHING] = { RC, 0x01 },
	[PRM_WQE_OPCODE_ENHANCED_MPSW] = { ETH, 0x01 },
	[PRM_WQE_OPCODE_FLOW_TBL_ACCESS] = { RC | ETH, 0x03 },
	[PRM_WQE_OPCODE_ACCESS_ASO] = { RC | ETH, 0x3f },
	[PRM_WQE_OPCODE_MMO] = { RC | DC | ETH, 0x5e },
};

/* Sizes and names. ETH and inline segments have their size in their bytes. */
static const struct {
	uint8_t size;
	const char *name;
} kinds[SEG_KINDS] = {
	[SEG_AV_UD] = { 48, "address vector" },
	[SEG_AV_UD_SHORT] = { 16, "compact address vector" },
	[SEG_AV_DC] = { 48, "address vector" },
	[SEG_AV_DC_SHORT] = { 16, "compact address vector" },
	[SEG_XRC] = { 16, "XRC" },
	[SEG_RADDR] = { 16, "remote address" },
	[SEG_ATOMIC_CS] = { 16, "atomic" },
	[SEG_ATOMIC_FA] = { 16, "atomic" },
	[SEG_MASKED_CS_4] = { 16, "masked atomic" },
	[SEG_MASKED_CS_8] = { 32, "masked atomic" },
	[SEG_MASKED_FA_4] = { 16, "masked atomic" },
	[SEG_MASKED_FA_8] = { 16, "masked atomic" },
	[SEG_MASKED] = { 0, "masked atomic" },
	[SEG_ETH_PAD] = { 16, "Ethernet padding" },
	[SEG_ETH] = { 16, "Ethernet" },
	[SEG_WAIT_QUEUE] = { 16, "wait on a queue" },
	[SEG_WAIT_VALUE] = { 32, "wait on a value" },
	[SEG_SEND_EN] = { 16, "send enable" },
	[SEG_SET_PSV] = { 16, "PSV" },
	[SEG_TAG_MATCHING] = { 32, "tag matching" },
	[SEG_UMR_CTRL] = { 48, "UMR control" },
	[SEG_MKEY] = { 64, "mkey context" },
	[SEG_KLM] = { 16, "KLM" },
	[SEG_REPEAT] = { 16, "repeat block" },
	[SEG_REPEAT_ENTRY] = { 16, "repeat entry" },
	[SEG_PADDING] = { 16, "padding" },
	[SEG_BSF] = { 64, "BSF" },
	[SEG_BSF_CRYPTO] = { 64, "BSF of crypto" },
	[SEG_FLOW] = { 48, "flow update" },
	[SEG_FLOW_GTA] = { 64, "flow update data" },
	[SEG_FLOW_ARGS] = { 64, "header modify arguments" },
	[SEG_ASO] = { 48, "ASO control" },
	[SEG_ASO_DATA] = { 64, "ASO data" },
	[SEG_MMO] = { 16, "MMO" },
	[SEG_DATA] = { 16, "data" },
	[SEG_INLINE] = { 4, "inline" },
	[SEG_BYTES] = { 16, "segment" },
};

const struct wqe_opcode_info *wqe_opcode_info(uint8_t opcode)
{
	return &opcodes[opcode];
}

const char *wqe_opcode_name(uint8_t opcode)
{
	return prm_value_name("WQE_OPCODE", opcode, NULL);
}

const char *wqe_seg_name(enum wqe_seg_kind kind)
{
	return kinds[kind].name;
}

/* ---- the head ---- */

static void add(struct wqe_shape *s, enum wqe_seg_kind kind)
{
	s->head[s->n++] = (uint8_t)kind;
}

/* The address vector has 48 bytes, or 16 where bit 31 of dqp_dct is not set. */
static void add_av(struct wqe_shape *s, bool dc)
{
	bool complete = s->end < SEGMENT + 12 || s->wqe[SEGMENT + 8] & 0x80;

	if (dc)
		add(s, complete ? SEG_AV_DC : SEG_AV_DC_SHORT);
	else
		add(s, complete ? SEG_AV_UD : SEG_AV_UD_SHORT);
}

/* Segments that precede the remote address. */
static void add_address(struct wqe_shape *s, enum dv_transport transport)
{
	if (transport == DV_UD || transport == DV_UD_LSO || transport == DV_DCI)
		add_av(s, transport == DV_DCI);
	if (transport == DV_XRC)
		add(s, SEG_XRC);
	if (transport == DV_UD_LSO)
		add(s, SEG_ETH_PAD);
	if (transport == DV_UD_LSO || transport == DV_ETH)
		add(s, SEG_ETH);
}

/* Operands of 8 bytes have a fetch-add of 16, the value and its boundaries; so do those of
 * 4. */
static enum wqe_seg_kind masked(uint8_t opcode, uint8_t opmod)
{
	unsigned int log = wqe_log_operand(opmod);

	if (log > 3)
		return SEG_MASKED;
	if (opcode == PRM_WQE_OPCODE_ATOMIC_MASKED_CS)
		return log == 3 ? SEG_MASKED_CS_8 : SEG_MASKED_CS_4;
	return log == 3 ? SEG_MASKED_FA_8 : SEG_MASKED_FA_4;
}

static void add_atomic(struct wqe_shape *s)
{
	uint8_t opcode = s->wqe[3];

	add(s, SEG_RADDR);
	if (opcode == PRM_WQE_OPCODE_ATOMIC_CS)
		add(s, SEG_ATOMIC_CS);
	else if (opcode == PRM_WQE_OPCODE_ATOMIC_FA)
		add(s, SEG_ATOMIC_FA);
	else
		add(s, masked(opcode, s->wqe[0]));
	s->tail = TAIL_DATA;
}

static void add_umr(struct wqe_shape *s, uint8_t opmod)
{
	bool list = s->end > SEGMENT && s->wqe[SEGMENT] & 0x80;

	add(s, SEG_UMR_CTRL);
	add(s, SEG_MKEY);
	if (opmod)
		s->tail = TAIL_BYTES; /* static parameters of TLS */
	else
		s->tail = list ? TAIL_UMR : TAIL_DATA;
}

static void add_flow(struct wqe_shape *s, uint8_t opmod)
{
	add(s, SEG_FLOW);
	add(s, opmod ? SEG_FLOW_ARGS : SEG_FLOW_GTA);
}

/* Operations of the device that do not travel. */
static void add_local(struct wqe_shape *s)
{
	uint8_t opmod = s->wqe[0];

	switch (s->wqe[3]) {
	case PRM_WQE_OPCODE_WAIT:
		add(s, opmod ? SEG_WAIT_VALUE : SEG_WAIT_QUEUE);
		break;
	case PRM_WQE_OPCODE_SEND_EN:
		add(s, SEG_SEND_EN);
		break;
	case PRM_WQE_OPCODE_SET_PSV:
		add(s, SEG_SET_PSV);
		break;
	case PRM_WQE_OPCODE_UMR:
		add_umr(s, opmod);
		break;
	case PRM_WQE_OPCODE_TAG_MATCHING:
		add(s, SEG_TAG_MATCHING);
		s->tail = TAIL_DATA;
		break;
	case PRM_WQE_OPCODE_FLOW_TBL_ACCESS:
		add_flow(s, opmod);
		break;
	case PRM_WQE_OPCODE_ACCESS_ASO:
		add(s, SEG_ASO);
		if (s->end > SEGMENT + 48)
			add(s, SEG_ASO_DATA);
		break;
	case PRM_WQE_OPCODE_MMO:
		add(s, SEG_MMO);
		add(s, SEG_DATA);
		add(s, SEG_DATA);
		break;
	case PRM_WQE_OPCODE_DUMP:
		s->tail = TAIL_DATA;
	}
}

void wqe_shape_begin(struct wqe_shape *s, const uint8_t *wqe, size_t len,
		     enum dv_transport transport)
{
	uint8_t opcode = wqe[3];

	*s = (struct wqe_shape){ .wqe = wqe, .pos = SEGMENT, .end = len, .tail = TAIL_BYTES };
	if (wqe_is_send(opcode)) {
		add_address(s, transport);
		s->tail = TAIL_DATA;
	} else if (wqe_is_rdma(opcode)) {
		add_address(s, transport);
		add(s, SEG_RADDR);
		s->tail = TAIL_DATA;
	} else if (wqe_is_atomic(opcode)) {
		add_address(s, transport);
		add_atomic(s);
	} else if (opcode == PRM_WQE_OPCODE_TSO || opcode == PRM_WQE_OPCODE_ENHANCED_MPSW) {
		add_address(s, transport == DV_UD_LSO ? DV_UD_LSO : DV_ETH);
		s->tail = TAIL_DATA;
	} else {
		add_local(s);
	}
}

/* ---- the walk ---- */

/* Bytes that the segment at @p should have, of which @there are in the WQE. */
static size_t needs(const struct wqe_shape *s, enum wqe_seg_kind kind, size_t there)
{
	const uint8_t *p = s->wqe + s->pos;
	uint16_t header;

	switch (kind) {
	case SEG_ETH:
		/* 2 bytes of the header are in the first 16; bit 15: they are a VLAN tag */
		header = there < SEGMENT ? 0 : be16(p + 12);
		if (header & 0x8000)
			return SEGMENT;
		return (14u + (header & 0x3ff) + SEGMENT - 1) / SEGMENT * SEGMENT;
	case SEG_INLINE:
		return ((size_t)(be32(p) & 0x7fffffff) + 4 + SEGMENT - 1) / SEGMENT * SEGMENT;
	case SEG_MASKED:
		return (s->wqe[3] == PRM_WQE_OPCODE_ATOMIC_MASKED_CS ? 4u : 2u)
		       << wqe_log_operand(s->wqe[0]);
	default:
		return kinds[kind].size;
	}
}

static bool take(struct wqe_shape *s, enum wqe_seg_kind kind, size_t need, struct wqe_seg *seg)
{
	size_t there = s->end - s->pos;

	*seg = (struct wqe_seg){ kind, s->pos, need < there ? need : there, need };
	s->pos += seg->len;
	return true;
}

static bool zeros(const uint8_t *p, size_t n)
{
	while (n--)
		if (p[n])
			return false;
	return true;
}

/* Takes the next segment of a UMR's inline list, which begins after the mkey context. */
static bool take_listed(struct wqe_shape *s, struct wqe_seg *seg)
{
	const uint8_t *p = s->wqe + s->pos;
	size_t entries = be16(s->wqe + SEGMENT + 4);
	bool first = !s->list_end;

	if (first)
		s->list_end = s->pos + entries * SEGMENT;
	if (s->pos >= s->list_end) {
		bool bsf = s->wqe[64 + 12] & 0x40; /* mkey context, flags_pd: BSF_EN */

		if (!bsf || s->end - s->pos < BLOCK)
			return take(s, SEG_BYTES, SEGMENT, seg);
		return take(s, (p[0] & 0xf) == 1 ? SEG_BSF_CRYPTO : SEG_BSF, BLOCK, seg);
	}
	if (s->end - s->pos < SEGMENT)
		return take(s, SEG_BYTES, SEGMENT, seg);
	if (first && be32(p + 4) == 0x400) {
		s->repeated = be16(p + 14);
		return take(s, SEG_REPEAT, SEGMENT, seg);
	}
	if (s->repeated) {
		s->repeated--;
		return take(s, SEG_REPEAT_ENTRY, SEGMENT, seg);
	}
	return take(s, zeros(p, SEGMENT) ? SEG_PADDING : SEG_KLM, SEGMENT, seg);
}

static bool take_tail(struct wqe_shape *s, struct wqe_seg *seg)
{
	size_t there = s->end - s->pos;
	enum wqe_seg_kind kind = SEG_BYTES;

	if (!there)
		return false;
	if (s->tail == TAIL_UMR)
		return take_listed(s, seg);
	if (s->tail == TAIL_DATA && there >= 4)
		kind = s->wqe[s->pos] & 0x80 ? SEG_INLINE : SEG_DATA;
	return take(s, kind, needs(s, kind, there), seg);
}

bool wqe_shape_next(struct wqe_shape *s, struct wqe_seg *seg)
{
	enum wqe_seg_kind kind;

	if (s->cut)
		return false;
	if (s->i == s->n)
		return take_tail(s, seg);
	kind = s->head[s->i++];
	take(s, kind, needs(s, kind, s->end - s->pos), seg);
	s->cut = seg->len < seg->need;
	return true;
}
