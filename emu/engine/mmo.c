/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DMA copies. A long one takes many iterations, so that the other queues are served meanwhile; both
 * ranges are checked as a whole before the first byte is copied.
 *
 *	unit  0      1                     2                3
 *	    | ctrl | control, opaque buffer | source        | destination |
 *	             0        lkey, address   bytes, lkey, address, each
 *
 *	opaque buffer: | syndrome | 0 | bytes scattered | bytes gathered | 0 … |	64 bytes
 *
 * (rdma-core, qp.c, mlx5_wr_memcpy, and wqe.h, struct mlx5_mmo_metadata_seg; the opaque buffer:
 * NVIDIA's snap, snap_dma_internal.h, struct mlx5_dma_opaque.)
 */
#include "engine/cqe.h"
#include "engine/hwqe.h"
#include "engine/mmo.h"
#include "engine/sg.h"

#define UNIT_OPAQUE 1
#define UNIT_SOURCE 2
#define UNIT_DEST   3
#define UNITS	    4

#define CONTROL	     0, 31, 0
#define OPAQUE_BYTES 64u
#define OPAQUE_LKEY  4, 31, 0
#define OPAQUE_ADDR  8
#define SCATTERED    8
#define GATHERED     12
#define MOST	     (1ull << 31)
#define PIECE	     4096u /* what engine.payload holds */
#define PIECES	     16u   /* in one iteration */

static struct mem_ref data_ref(const struct hca_qp *qp, const uint8_t *seg, uint8_t rights)
{
	uint32_t bytes = hwqe_get(seg, HWQE_DATA_BYTE_COUNT);

	/* PRM, cited in rdma-core (qp.c, mlx5_wr_memcpy): 2 GiB are written as 0. */
	return (struct mem_ref){ .pd = qp->pd,
				 .key = hwqe_get(seg, HWQE_DATA_LKEY),
				 .addr = hwqe_get64(seg, HWQE_DATA_ADDR),
				 .len = bytes ? bytes : MOST,
				 .qpn = qp->qpn,
				 .rights = rights };
}

static struct mem_ref opaque_ref(const struct hca_qp *qp, const uint8_t *seg)
{
	return (struct mem_ref){ .pd = qp->pd,
				 .key = hwqe_get(seg, OPAQUE_LKEY),
				 .addr = hwqe_get64(seg, OPAQUE_ADDR),
				 .len = OPAQUE_BYTES,
				 .qpn = qp->qpn,
				 .rights = HCA_LOCAL_WRITE };
}

/* assumed(mmo_opaque_buffer_is_aligned): a DMA MMO work request whose opaque buffer is not aligned
 * to its 64 bytes ends in syndrome 0x02; one that may not be written, in 0x04. */
static uint8_t check(struct engine *e, const struct mem_ref *opaque, const struct mem_ref *from,
		     const struct mem_ref *to)
{
	/* assumed(mmo_lengths_are_equal): a DMA MMO work request whose two byte counts differ ends
	 * in syndrome 0x01. */
	if (from->len != to->len)
		return CQE_LOCAL_LENGTH;
	if (opaque->addr % OPAQUE_BYTES)
		return CQE_LOCAL_QP_OP;
	if (mem_check(e->hca, opaque) != MEM_OK || mem_check(e->hca, from) != MEM_OK ||
	    mem_check(e->hca, to) != MEM_OK)
		return CQE_LOCAL_PROT;
	return 0;
}

static uint8_t report(struct engine *e, const struct mem_ref *opaque, uint64_t bytes)
{
	uint8_t out[OPAQUE_BYTES] = { 0 };
	uint32_t n = htobe32((uint32_t)bytes);

	/* assumed(mmo_opaque_buffer_has_both_lengths): a DMA MMO work request that completes
	 * without an error writes syndrome 0 and the number of bytes, twice and big-endian,
	 * into its opaque buffer. */
	memcpy(out + SCATTERED, &n, sizeof(n));
	memcpy(out + GATHERED, &n, sizeof(n));
	return mem_write(e->hca, opaque, out) == MEM_OK ? 0 : CQE_LOCAL_PROT;
}

/* Copies up to PIECE bytes from @off on. */
static bool move(struct engine *e, struct mem_ref from, struct mem_ref to, uint32_t off)
{
	uint64_t left = from.len - off;

	from.addr += off;
	to.addr += off;
	from.len = to.len = left < PIECE ? left : PIECE;
	return mem_read(e->hca, &from, e->payload) == MEM_OK &&
	       mem_write(e->hca, &to, e->payload) == MEM_OK;
}

uint8_t mmo_run(struct engine *e, const struct hca_qp *qp, uint16_t index, uint32_t *off,
		bool *done)
{
	uint8_t wqe[UNITS * HWQE_UNIT], status = 0;
	struct mem_ref opaque, from, to;

	sg_ring_copy(&qp->sq, (uint64_t)index * HWQE_BB, wqe, sizeof(wqe));
	opaque = opaque_ref(qp, wqe + UNIT_OPAQUE * HWQE_UNIT);
	from = data_ref(qp, wqe + UNIT_SOURCE * HWQE_UNIT, HCA_LOCAL_READ);
	to = data_ref(qp, wqe + UNIT_DEST * HWQE_UNIT, HCA_LOCAL_WRITE);
	*done = true;
	if (hwqe_get(wqe, HWQE_CTRL_DS) != UNITS || hwqe_get(wqe + HWQE_UNIT, CONTROL) ||
	    hwqe_get(wqe, HWQE_CTRL_IMM, 31, 0))
		return CQE_LOCAL_QP_OP;
	if (!*off)
		status = check(e, &opaque, &from, &to);
	for (unsigned int i = 0; !status && i < PIECES && *off < from.len; i++) {
		if (!move(e, from, to, *off))
			return CQE_LOCAL_PROT;
		*off += from.len - *off < PIECE ? from.len - *off : PIECE;
	}
	if (status || *off == from.len)
		return status ? status : report(e, &opaque, from.len);
	*done = false;
	return 0;
}
