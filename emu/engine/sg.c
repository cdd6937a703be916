/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Data segments. Gather, scatter and skip use one loop, which finds the next piece within one
 * segment and copies it.
 */
#include <string.h>

#include "engine/hwqe.h"
#include "engine/lost.h"
#include "engine/sg.h"

struct element {
	bool inl;
	uint32_t units; /* of the list that it covers */
	uint64_t len;
	uint32_t lkey;
	uint64_t addr;
};

/* Up to @len bytes within one unit, when not all of them can be read; zeros, if these cannot
 * either. */
static uint32_t unit_copy(const struct hca_wq *wq, uint64_t at, uint8_t *dst, uint32_t len)
{
	uint32_t run = HWQE_UNIT - (at & (HWQE_UNIT - 1));

	if (run > len)
		run = len;
	if (wq->lost || !core_fetch(dst, hca_ring_bus(&wq->ring, wq->offset + at), run)) {
		memset(dst, 0, run);
		lost_reads++;
	}
	return run;
}

void sg_ring_copy(const struct hca_wq *wq, uint64_t off, uint8_t *dst, uint32_t len)
{
	uint64_t bytes = (uint64_t)wq->cnt << wq->log_stride;

	while (len) {
		uint64_t at = off & (bytes - 1), end = bytes - at;
		uint64_t run = hca_ring_run(&wq->ring, wq->offset + at, len < end ? len : end);

		if (wq->lost || !core_fetch(dst, hca_ring_bus(&wq->ring, wq->offset + at), run))
			run = unit_copy(wq, at, dst, run);
		off += run;
		dst += run;
		len -= run;
	}
}

struct sg_list sg_of_send(struct hca *hca, const struct hca_qp *qp, uint16_t index,
			  const struct hca_req_wqe *w)
{
	return (struct sg_list){ .hca = hca,
				 .pd = qp->pd,
				 .qpn = qp->qpn,
				 .wq = &qp->sq,
				 .start = (uint64_t)index * HWQE_BB,
				 .first = w->data,
				 .end = w->ds };
}

struct sg_list sg_of_recv(struct hca *hca, const struct hca_pd *pd, const struct hca_wq *wq,
			  uint16_t index, uint32_t first)
{
	return (struct sg_list){ .hca = hca,
				 .pd = pd,
				 .wq = wq,
				 .start = (uint64_t)(index & (wq->cnt - 1)) << wq->log_stride,
				 .first = first,
				 .end = (1u << wq->log_stride) / HWQE_UNIT,
				 .recv = true };
}

/* Unit @unit of the WQE, perhaps in @copied. */
static const uint8_t *segment(const struct sg_list *l, uint32_t unit, uint8_t *copied)
{
	if (l->bytes)
		return l->bytes + unit * HWQE_UNIT;
	sg_ring_copy(l->wq, l->start + (uint64_t)unit * HWQE_UNIT, copied, HWQE_UNIT);
	return copied;
}

/* False: the list ends at @unit, or the segment there exceeds it. */
static inline bool element_at(const struct sg_list *l, uint32_t unit, struct element *el)
{
	uint8_t copied[HWQE_UNIT];
	const uint8_t *seg;
	uint32_t count;

	unit += l->first;
	if (unit >= l->end)
		return false;
	seg = segment(l, unit, copied);
	count = core_bits(seg, HWQE_DATA_BYTE_COUNT);
	/* In receive WQEs the bit permits the device to write padding in front of the data
	 * (kernel, <linux/mlx5/device.h>: MLX5_HW_START_PADDING); there is none here. */
	el->inl = !l->recv && core_bits(seg, HWQE_DATA_INLINE);
	el->lkey = core_bits(seg, HWQE_DATA_LKEY);
	el->addr = hwqe_get64(seg, HWQE_DATA_ADDR);
	if (el->inl) {
		el->units = (count + HWQE_INLINE_HEAD + HWQE_UNIT - 1) / HWQE_UNIT;
		el->len = count;
		return el->units <= l->end - unit;
	}
	if (l->recv && !count && el->lkey == HWQE_LKEY_INVALID)
		return false;
	el->units = 1;
	/* assumed(byte_count_zero_is_2_gib): a data segment with byte_count 0 means 2^31 bytes
	 * (as an SGE of length 0 in the InfiniBand verbs, and as the PRM states for MMO), so a
	 * send WQE with one ends in a local length error; libmlx5 never writes one. */
	/* assumed(ethernet_byte_count_zero_is_empty): not so in the WQEs of Ethernet queues:
	 * VPP ends short lists with such segments, of a key that is valid (rdma plugin,
	 * output.c). */
	el->len = count || l->zero_is_empty ? count : 1ull << 31;
	return true;
}

bool sg_total(const struct sg_list *l, uint64_t *total, uint64_t *inl)
{
	struct element el;
	uint32_t unit = 0;

	*total = *inl = 0;
	for (; element_at(l, unit, &el); unit += el.units) {
		*total += el.len;
		*inl += el.inl ? el.len : 0;
	}
	return l->recv || l->first + unit == l->end;
}

bool sg_next_key(const struct sg_list *l, uint32_t *unit, uint32_t *key)
{
	struct element el;

	while (element_at(l, *unit, &el)) {
		*unit += el.units;
		if (el.inl)
			continue;
		*key = el.lkey;
		return true;
	}
	return false;
}

uint32_t sg_count(const struct sg_list *l)
{
	uint32_t n = 0, unit = 0;
	struct element el;

	for (; element_at(l, unit, &el); unit += el.units)
		n++;
	return n;
}

uint64_t sg_segment(const struct sg_list *l, struct hca_cursor *c)
{
	struct element el;

	if (!element_at(l, c->unit, &el))
		return 0;
	if (c->off) {
		c->unit += el.units;
		c->off = 0;
		if (!element_at(l, c->unit, &el))
			return 0;
	}
	return el.len;
}

/* @len bytes from byte @off of the WQE on. */
static void copy_inline(const struct sg_list *l, uint32_t off, uint8_t *out, uint32_t len)
{
	if (l->bytes)
		memcpy(out, l->bytes + off, len);
	else
		sg_ring_copy(l->wq, l->start + off, out, len);
}

static enum sg_status move(const struct sg_list *l, const struct hca_cursor *c,
			   const struct element *el, uint8_t *out, const uint8_t *in,
			   uint32_t len)
{
	struct mem_ref ref = { .pd = l->pd,
			       .key = el->lkey,
			       .addr = el->addr + c->off,
			       .len = len,
			       .qpn = l->qpn };

	if (el->inl && out)
		copy_inline(l, (l->first + c->unit) * HWQE_UNIT + HWQE_INLINE_HEAD + c->off,
			    out, len);
	if (el->inl)
		return in ? SG_PROT : SG_OK;
	ref.rights = out ? HCA_LOCAL_READ : HCA_LOCAL_WRITE;
	if (out)
		return mem_read(l->hca, &ref, out) == MEM_OK ? SG_OK : SG_PROT;
	return mem_write(l->hca, &ref, in) == MEM_OK ? SG_OK : SG_PROT;
}

static enum sg_status walk(const struct sg_list *l, struct hca_cursor *c, uint8_t *out,
			   const uint8_t *in, uint32_t len)
{
	while (len) {
		struct element el;
		uint32_t run;
		enum sg_status status;

		if (!element_at(l, c->unit, &el))
			return SG_SHORT;
		if (c->off >= el.len) {
			c->unit += el.units;
			c->off = 0;
			continue;
		}
		run = el.len - c->off < len ? el.len - c->off : len;
		status = out || in ? move(l, c, &el, out, in, run) : SG_OK;
		if (status != SG_OK)
			return status;
		out = out ? out + run : NULL;
		in = in ? in + run : NULL;
		c->off += run;
		len -= run;
	}
	return SG_OK;
}

enum sg_status sg_gather(const struct sg_list *l, struct hca_cursor *c, uint8_t *dst,
			 uint32_t len)
{
	return walk(l, c, dst, NULL, len);
}

enum sg_status sg_scatter(const struct sg_list *l, struct hca_cursor *c, const uint8_t *src,
			  uint32_t len)
{
	return walk(l, c, NULL, src, len);
}

enum sg_status sg_skip(const struct sg_list *l, struct hca_cursor *c, uint32_t len)
{
	return walk(l, c, NULL, NULL, len);
}
