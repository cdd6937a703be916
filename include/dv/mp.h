/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The striding receive queue (multi-packet RQ): one large buffer for many packets. Read rq.h
 * before.
 *
 *	slot    | 16 bytes, 0 | data |            slots: a ring, as in rq.h
 *	                         |
 *	buffer  | stride | stride | stride | stride | ...      2^n strides of 2^m bytes
 *	          packet . pack  et         .filler
 *
 * A packet begins on a stride and takes as many as it needs; each brings a CQE: in which buffer
 * (wqe_id), in which stride it begins (wqe_counter), how many it took and how long it is (both
 * in byte_cnt). Where the rest of a buffer is too short, a filler CQE uses it up. A buffer is
 * over when all its strides are.
 *
 *	while ((cqe = dv_cq_poll(&cq))) {
 *		s = dv_mp_read(&mp, cqe);
 *		if (!s.filler) … s.len bytes at s.data …
 *		dv_mp_retire(&mp, cqe);
 *		if (s.last) …                       that was the last of its buffer
 *	}
 *
 * A slot may be posted again as soon as its buffer is over; if packets there are still read,
 * post another buffer. Slots are of RQs of the type "cyclic striding": mlx5dv_create_wq(), or
 * DevX.
 *
 * One queue, one thread: locks are the caller's. Not here: shared striding queues, whose slots
 * are linked (srq.h); dv_cqe_strides() reads their CQEs too. The emulator has striding queues,
 * but no shared ones.
 */
#ifndef DV_MP_H
#define DV_MP_H

#include <dv/rq.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dv_mp {
	char *buf;	      /* the ring of slots */
	__be32 *dbrec;	      /* the receive half of the doorbell record */
	uint32_t wqe_cnt;     /* slots, a power of two, at most 32768 */
	uint32_t slot;	      /* bytes of a slot */
	uint32_t stride_size; /* bytes of a stride */
	uint32_t strides;     /* of a buffer */
	uint32_t used;	      /* strides of the oldest buffer */
	/* bytes left free before a packet: 0, or 2, which align its IP header */
	uint32_t shift;
	uint16_t pi; /* producer: buffers posted */
	uint16_t ci; /* consumer: buffers that are over */
} __attribute__((aligned(64)));

static_assert(sizeof(struct dv_mp) == 64, "one cache line");

/* The strides that the CQE of a striding RQ reports. */
struct dv_strides {
	uint16_t wqe;	/* which buffer: its number, 16 bits, free-running */
	uint16_t first; /* the stride it begins in */
	uint16_t count; /* of strides; 0 in FTAG_STRIDX sessions (mini.h): count by len */
	uint16_t len;	/* of the packet */
	bool filler;	/* there is no packet */
};

DV_INLINE struct dv_strides dv_cqe_strides(const struct mlx5_cqe64 *cqe)
{
	uint32_t word = dv_cqe_byte_cnt(cqe);
	struct dv_strides s;

	s.wqe = be16toh(cqe->wqe_id);
	s.first = dv_cqe_wqe_counter(cqe);
	s.count = word >> 16 & 0x7fff;
	s.len = (uint16_t)word;
	s.filler = word >> 31;
	return s;
}

DV_INLINE struct mlx5_wqe_data_seg *dv_mp_at(const struct dv_mp *mp, uint16_t idx)
{
	char *slot = mp->buf + dv_ring_offset(idx, mp->wqe_cnt - 1, mp->slot);

	return (struct mlx5_wqe_data_seg *)(void *)(slot +
						    sizeof(struct mlx5_wqe_srq_next_seg));
}

/* Posts a buffer. 0, ENOMEM: no slot is free, or EINVAL: not as long as its strides together.
 * No doorbell. */
static inline int dv_mp_post(struct dv_mp *mp, const struct ibv_sge *sge)
{
	struct mlx5_wqe_data_seg *d = dv_mp_at(mp, mp->pi);
	size_t max = mp->slot / DV_WQE_DS - 1;

	if (sge->length < (uint64_t)mp->strides * mp->stride_size)
		return EINVAL;
	if ((uint16_t)(mp->pi - mp->ci) == mp->wqe_cnt)
		return ENOMEM;
	memset((char *)d - sizeof(struct mlx5_wqe_srq_next_seg), 0,
	       sizeof(struct mlx5_wqe_srq_next_seg));
	dv_set_list_end(d, max, dv_set_ptr_seg(d, sge));
	mp->pi++;
	return 0;
}

/* Shows the device all buffers posted. */
static inline void dv_mp_doorbell(struct dv_mp *mp)
{
	dv_barrier_wqe_before_dbrec();
	*(volatile __be32 *)mp->dbrec = htobe32(mp->pi);
}

/* A packet in its buffer; assumes that the buffer address is a virtual address of the
 * process. */
struct dv_mp_packet {
	char *data;
	uint16_t len;
	bool filler;
	bool last; /* its buffer is over once this one is retired */
};

/* Not API: the strides that @mp has used of its oldest buffer, once @cqe is retired. */
DV_INLINE uint32_t dv_mp_used_(const struct dv_mp *mp, const struct mlx5_cqe64 *cqe)
{
	struct dv_strides s = dv_cqe_strides(cqe);
	uint32_t count = s.count;

	if (!count)
		count = (s.len + mp->shift + mp->stride_size - 1) / mp->stride_size;
	return mp->used + count;
}

/* @cqe has to be the next one to retire. */
DV_INLINE struct dv_mp_packet dv_mp_read(const struct dv_mp *mp, const struct mlx5_cqe64 *cqe)
{
	struct dv_strides s = dv_cqe_strides(cqe);
	uint64_t at = be64toh(dv_mp_at(mp, s.wqe)->addr);
	struct dv_mp_packet p;

	at += (uint64_t)s.first * mp->stride_size + mp->shift;
	p.data = (char *)(uintptr_t)at;
	p.len = s.len;
	p.filler = s.filler;
	p.last = dv_cqe_is_error(cqe) || dv_mp_used_(mp, cqe) >= mp->strides;
	return p;
}

/* The strides of @cqe are used up. Every CQE of this queue, in order. After the last one of a
 * buffer, and after an error, its slot is free. */
static inline void dv_mp_retire(struct dv_mp *mp, const struct mlx5_cqe64 *cqe)
{
	mp->used = dv_mp_used_(mp, cqe);
	if (!dv_cqe_is_error(cqe) && mp->used < mp->strides)
		return;
	mp->used = 0;
	mp->ci++;
}

#pragma GCC visibility push(default)

/* After RESET: nothing is posted, indices and record start at 0. */
void dv_mp_restart(struct dv_mp *mp);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
