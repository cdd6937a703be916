/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a WQE is built. Read this first, then sq.h, then cq.h.
 *
 * A work queue element (WQE) is a request that software writes to a ring for the device: send
 * these bytes, write those to the peer. It is a row of 16-byte segments, big-endian:
 *
 *	+-----------------------------------------------------------------+
 *	| control         opcode, QP, size, signalled or not              |  16  every WQE
 *	+-----------------------------------------------------------------+
 *	| remote address  raddr, rkey                                     |  16  RDMA_*, ATOMIC_*
 *	+-----------------------------------------------------------------+
 *	| atomic          swap or add, compare                            |  16  ATOMIC_*
 *	+-----------------------------------------------------------------+
 *	| data            byte_count, lkey, addr                          |  16  one per SGE, or
 *	| inline          length | 1 << 31, then the bytes, zeros to 16   |  16k the data itself
 *	+-----------------------------------------------------------------+
 *
 * The size of a WQE is counted in segments (ds); its place in the ring in basic blocks (BB)
 * of 64 bytes: a WQE starts on a block, and the rest of its last block is not read.
 *
 * The builders below write one segment at @seg and return the place of the next one. They
 * write every byte of it, reserved ones too: the ring still holds an old WQE there. The control
 * segment is the first in memory and is written last, because it counts the others:
 *
 *	seg = dv_set_raddr_seg(dv_wqe_body(wqe), raddr);
 *	seg = dv_set_data_seg(seg, &sge);
 *	ds  = dv_set_ctrl_seg(wqe, seg, qpn, idx, MLX5_OPCODE_RDMA_WRITE, 0, flags, 0);
 *
 * The structs are those of <infiniband/mlx5dv.h>. Elsewhere:
 *
 *	sq.h       the ring                     eth.h    packets: checksums, VLAN, TSO, EMPW
 *	av.h       addresses for UD, DC, XRC    umr.h    memory keys made and bound by a WQE
 *	masked.h   masked atomics               bsf.h    signature and crypto of such a key
 *	post.h     one call per operation       mmo.h, cross.h, aso.h    memcpy, WAIT, ASO
 */
#ifndef DV_WQE_H
#define DV_WQE_H

#include <dv/inline.h>
#include <dv/port.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	DV_WQE_DS = 16, /* bytes of a segment */
	DV_WQE_BB = 64, /* bytes of a basic block */
	/* The ds field has 6 bits; of whole blocks, 15 are the most that it can count. */
	DV_WQE_MAX_DS = 63,
	DV_WQE_MAX_NBB = 15,
};

/* Opcodes with no name in mlx5dv.h. */
enum {
	DV_OPCODE_WAIT = 0x0f,
	DV_OPCODE_SEND_EN = 0x17,
	DV_OPCODE_ENHANCED_MPSW = 0x29,
	DV_OPCODE_ACCESS_ASO = 0x2d,
};

/*
 * Byte 11 of the control segment: one of each group, and MLX5_WQE_CTRL_SOLICITED. Fence: what
 * the WQE waits for before it starts; completion: when there is a CQE (Linux
 * include/linux/mlx5/qp.h).
 */
enum {
	DV_FENCE_NONE = 0 << 5,
	DV_FENCE_INITIATOR_SMALL = 1 << 5,   /* earlier UMRs and invalidations of this queue; is
					     * MLX5_WQE_CTRL_INITIATOR_SMALL_FENCE */
	DV_FENCE_READS_AND_ATOMICS = 2 << 5, /* earlier READs and atomics: their data is here */
	DV_FENCE_STRONG_ORDERING = 3 << 5,   /* everything earlier */
	DV_FENCE_SMALL_AND_FENCE = 4 << 5,   /* the first two; is MLX5_WQE_CTRL_FENCE */

	DV_SIGNAL_ON_ERROR = 0 << 2,
	DV_SIGNAL_ON_FIRST_ERROR = 1 << 2, /* not for WQEs that are flushed after it */
	DV_SIGNAL_ALWAYS = 2 << 2,	   /* is MLX5_WQE_CTRL_CQ_UPDATE */
	DV_SIGNAL_AND_EQE = 3 << 2,	   /* and an event, whether the CQ is armed or not */
};

static_assert((int)DV_FENCE_INITIATOR_SMALL == (int)MLX5_WQE_CTRL_INITIATOR_SMALL_FENCE,
	      "fence");
static_assert((int)DV_FENCE_SMALL_AND_FENCE == (int)MLX5_WQE_CTRL_FENCE, "fence");
static_assert((int)DV_SIGNAL_ALWAYS == (int)MLX5_WQE_CTRL_CQ_UPDATE, "completion");

static_assert(sizeof(struct mlx5_wqe_ctrl_seg) == 16, "control segment");
static_assert(offsetof(struct mlx5_wqe_ctrl_seg, qpn_ds) == 4, "control segment");
static_assert(offsetof(struct mlx5_wqe_ctrl_seg, signature) == 8, "control segment");
static_assert(offsetof(struct mlx5_wqe_ctrl_seg, dci_stream_channel_id) == 9,
	      "control segment");
static_assert(offsetof(struct mlx5_wqe_ctrl_seg, fm_ce_se) == 11, "control segment");
static_assert(offsetof(struct mlx5_wqe_ctrl_seg, imm) == 12, "control segment");
static_assert(sizeof(struct mlx5_wqe_raddr_seg) == 16, "remote address segment");
static_assert(offsetof(struct mlx5_wqe_raddr_seg, rkey) == 8, "remote address segment");
static_assert(sizeof(struct mlx5_wqe_atomic_seg) == 16, "atomic segment");
static_assert(sizeof(struct mlx5_wqe_data_seg) == 16, "data segment");
static_assert(offsetof(struct mlx5_wqe_data_seg, lkey) == 4, "data segment");
static_assert(offsetof(struct mlx5_wqe_data_seg, addr) == 8, "data segment");
static_assert(sizeof(struct mlx5_wqe_inl_data_seg) == 4, "inline segment");

/* Remote memory, as the peer publishes it; rkey as verbs give it. */
struct dv_raddr {
	uint64_t raddr;
	uint32_t rkey;
};

/* Local memory: an ibv_sge without its length. */
struct dv_laddr {
	uint64_t addr;
	uint32_t lkey;
};

/* Basic blocks of a WQE of @bytes, its control segment included. */
DV_INLINE size_t dv_wqe_nbb(size_t bytes)
{
	return (bytes + DV_WQE_BB - 1) / DV_WQE_BB;
}

/* Basic blocks of a WQE of @ds segments, its control segment included. */
DV_INLINE size_t dv_ds_nbb(size_t ds)
{
	return (ds + 3) / 4;
}

/* Size of the WQE at @wqe in segments, as its control segment says. */
DV_INLINE unsigned int dv_wqe_ds(const void *wqe)
{
	return be32toh(((const struct mlx5_wqe_ctrl_seg *)wqe)->qpn_ds) & DV_WQE_MAX_DS;
}

/* The place after the control segment, where the other segments start. */
DV_INLINE void *dv_wqe_body(void *wqe)
{
	return (char *)wqe + sizeof(struct mlx5_wqe_ctrl_seg);
}

/* Where in the peer's memory: RDMA_WRITE, RDMA_READ and the atomics. */
DV_INLINE void *dv_set_raddr_seg(void *seg, struct dv_raddr to)
{
	struct mlx5_wqe_raddr_seg *r = (struct mlx5_wqe_raddr_seg *)seg;

	r->raddr = htobe64(to.raddr);
	r->rkey = htobe32(to.rkey);
	r->reserved = 0;
	return r + 1;
}

/* CMP_SWAP: @swap is stored where @compare is found; the order of operands is that of
 * dv_sq_cmp_swap(). */
DV_INLINE void *dv_set_cmp_swap_seg(void *seg, uint64_t compare, uint64_t swap)
{
	struct mlx5_wqe_atomic_seg *a = (struct mlx5_wqe_atomic_seg *)seg;

	a->swap_add = htobe64(swap);
	a->compare = htobe64(compare);
	return a + 1;
}

/* FETCH_ADD. */
DV_INLINE void *dv_set_fetch_add_seg(void *seg, uint64_t add)
{
	return dv_set_cmp_swap_seg(seg, 0, add);
}

/* Local bytes: the source of sends and writes, the destination of reads and receives. For SGEs
 * of at least one byte: a byte_count of 0 means 2 GB. */
DV_INLINE void *dv_set_ptr_seg(void *seg, const struct ibv_sge *sge)
{
	struct mlx5_wqe_data_seg *d = (struct mlx5_wqe_data_seg *)seg;

	d->byte_count = htobe32(sge->length);
	d->lkey = htobe32(sge->lkey);
	d->addr = htobe64(sge->addr);
	return d + 1;
}

/* Like dv_set_ptr_seg(), but zero-length SGEs emit no data segment; returns @seg unchanged. */
DV_INLINE void *dv_set_data_seg(void *seg, const struct ibv_sge *sge)
{
	return sge->length ? dv_set_ptr_seg(seg, sge) : seg;
}

/* dv_set_data_seg() for each of @n SGEs. */
DV_INLINE void *dv_set_data_segs(void *seg, const struct ibv_sge *sge, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		seg = dv_set_data_seg(seg, &sge[i]);
	return seg;
}

/* memcpy() for short lengths, in place of a call: words of 8 bytes, of which the last one
 * overlaps the one before. The areas do not overlap. */
DV_INLINE void dv_copy(void *dst, const void *src, uint32_t len)
{
	char *d = (char *)dst;
	const char *s = (const char *)src;
	uint32_t i;

	if (len >= 8) {
		for (i = 0; i + 8 < len; i += 8)
			memcpy(d + i, s + i, 8);
		memcpy(d + len - 8, s + len - 8, 8);
	} else if (len >= 4) {
		memcpy(d, s, 4);
		memcpy(d + len - 4, s + len - 4, 4);
	} else {
		for (i = 0; i < len; i++)
			d[i] = s[i];
	}
}

/* Bytes that dv_set_inline_seg() takes for @len bytes of data. */
DV_INLINE size_t dv_inline_seg_size(uint32_t len)
{
	size_t bytes = sizeof(struct mlx5_wqe_inl_data_seg) + (size_t)len;

	return len ? (bytes + DV_WQE_DS - 1) / DV_WQE_DS * DV_WQE_DS : 0;
}

/* The data itself, copied: no MR, and @src may change on return. No data: no segment. Up to 12
 * bytes, one segment, have a path of their length. */
DV_INLINE void *dv_set_inline_seg(void *seg, const void *src, uint32_t len)
{
	struct mlx5_wqe_inl_data_seg *inl = (struct mlx5_wqe_inl_data_seg *)seg;
	char *end = (char *)seg + dv_inline_seg_size(len);

	if (!len)
		return seg;
	if (len <= DV_WQE_DS - sizeof(*inl)) {
		memset(seg, 0, DV_WQE_DS);
		inl->byte_count = htobe32(len | MLX5_INLINE_SEG);
		dv_copy(inl + 1, src, len);
		return inl + DV_WQE_DS / sizeof(*inl);
	}
	/* First the last 16 bytes, so that what the data leaves free of them is zero. */
	memset(end - DV_WQE_DS, 0, DV_WQE_DS);
	inl->byte_count = htobe32(len | MLX5_INLINE_SEG);
	dv_copy(inl + 1, src, len);
	return end;
}

/* Bytes that dv_set_inline_list() takes. */
DV_INLINE size_t dv_inline_list_size(const struct ibv_data_buf *buf, size_t n)
{
	uint32_t len = 0;
	size_t i;

	for (i = 0; i < n; i++)
		len += (uint32_t)buf[i].length;
	return dv_inline_seg_size(len);
}

/* dv_set_inline_seg() for data in @n buffers: one segment with the bytes of all of them. */
DV_INLINE void *dv_set_inline_list(void *seg, const struct ibv_data_buf *buf, size_t n)
{
	struct mlx5_wqe_inl_data_seg *inl = (struct mlx5_wqe_inl_data_seg *)seg;
	char *to = (char *)(inl + 1), *end = (char *)seg + dv_inline_list_size(buf, n);
	size_t i;

	if (end == seg)
		return seg;
	memset(end - DV_WQE_DS, 0, DV_WQE_DS);
	for (i = 0; i < n; i++) {
		dv_copy(to, buf[i].addr, (uint32_t)buf[i].length);
		to += buf[i].length;
	}
	inl->byte_count = htobe32((uint32_t)(to - (char *)(inl + 1)) | MLX5_INLINE_SEG);
	return end;
}

/* Not API: fast path of dv_set_inline_seg(), fewer instructions: 1 … @rest - 4 bytes of data
 * where the block has @rest bytes left, a constant. All of the rest is written; returns how
 * many segments the data takes. */
DV_INLINE uint32_t dv_set_inline_rest_(void *seg, unsigned int rest, const void *src,
				       uint32_t len)
{
	struct mlx5_wqe_inl_data_seg *inl = (struct mlx5_wqe_inl_data_seg *)seg;

	memset(seg, 0, rest);
	inl->byte_count = htobe32(len | MLX5_INLINE_SEG);
	dv_copy(inl + 1, src, len);
	return (uint32_t)(len + sizeof(*inl) + DV_WQE_DS - 1) / DV_WQE_DS;
}

/* Not API: segments from @wqe to @end. */
DV_INLINE uint32_t dv_ds_between_(const void *wqe, const void *end)
{
	/* A difference of pointers to 16 bytes: the compiler knows that there is no
	 * remainder. */
	return (uint32_t)((const struct mlx5_wqe_data_seg *)end -
			  (const struct mlx5_wqe_data_seg *)wqe);
}

/* Not API: dv_set_ctrl_seg() where @qpn_ds, qpn << 8 | ds, is known. */
DV_INLINE void dv_set_ctrl_words_(void *wqe, __be32 qpn_ds, uint16_t idx, uint8_t opcode,
				  uint8_t opmod, uint8_t flags, __be32 imm)
{
	struct mlx5_wqe_ctrl_seg *c = (struct mlx5_wqe_ctrl_seg *)wqe;
	__be32 flags_word = htobe32(flags);

	c->opmod_idx_opcode = htobe32((uint32_t)opmod << 24 | (uint32_t)idx << 8 | opcode);
	c->qpn_ds = qpn_ds;
	/* signature, stream and flags in one store */
	memcpy(&c->signature, &flags_word, sizeof(flags_word));
	c->imm = imm;
}

/*
 * The control segment of the WQE that starts at @wqe and ends before @end. Returns ds.
 *
 *	byte 0     1  2     3       4 5 6   7    8          9 10     11      12
 *	opmod    index   opcode   |  qpn    ds | signature  stream  flags |  imm
 *
 * @idx    which block this is: the 16-bit count of blocks ever posted, not the ring's slot.
 *         The CQE has it as wqe_counter.
 * @flags  MLX5_WQE_CTRL_CQ_UPDATE    write a CQE on success (without: only on failure)
 *         MLX5_WQE_CTRL_SOLICITED    raise the peer's solicited event (SEND, *_IMM)
 *         MLX5_WQE_CTRL_FENCE        start after all earlier READs and atomics are done
 *         ... the names of all fence and completion modes are above
 * @imm    network order. SEND_IMM, RDMA_WRITE_IMM: bytes for the peer. SEND_INVAL: the rkey that
 *         is invalidated there. UMR: the mkey. ACCESS_ASO: the object. 0 for the others.
 *         Verbs have imm_data in network order and rkeys in host order: pass the first as it is
 *         and the others through htobe32().
 */
DV_INLINE unsigned int dv_set_ctrl_seg(void *wqe, const void *end, uint32_t qpn, uint16_t idx,
				       uint8_t opcode, uint8_t opmod, uint8_t flags, __be32 imm)
{
	uint32_t ds = dv_ds_between_(wqe, end);

	dv_set_ctrl_words_(wqe, htobe32(qpn << 8 | ds), idx, opcode, opmod, flags, imm);
	return ds;
}

#ifdef __cplusplus
}
#endif

#endif
