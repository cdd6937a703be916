/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trace's page lists lie in another process. The same amount of memory here, in a umem:
 *
 *	CQ, QP   [ ring | doorbell record, 64 bytes ]      page_offset 0, 4 KiB pages
 *	mkey     [ … start_addr, at its offset in a page, len bytes … ]
 */
#include <stdlib.h>
#include <string.h>

#include "replay.h"

#define PAGE   4096u
#define RECORD 64u

static void reg(struct memory *m, struct ibv_context *ctx, size_t size)
{
	size_t bytes = (size + PAGE - 1) / PAGE * PAGE;
	void *mem = aligned_alloc(PAGE, bytes);
	char line[256];

	if (!mem)
		fail("out of memory");
	memset(mem, 0, bytes);
	if (devx_umem_reg(&m->umem, ctx, mem, bytes, IBV_ACCESS_LOCAL_WRITE))
		fail("%s", devx_error_str(devx_last_error(), line, sizeof(line)));
}

static void ring(struct memory *m, struct ibv_context *ctx, size_t bytes)
{
	m->record = (bytes + RECORD - 1) / RECORD * RECORD;
	reg(m, ctx, m->record + RECORD);
}

static void place_cq(struct memory *m, struct ibv_context *ctx, uint8_t *in)
{
	uint8_t *cqc = PRM_ADDR(create_cq_in, in, cq_context);
	size_t cqe = PRM_GET(cqc, cqc, cqe_sz) ? 128 : 64;

	ring(m, ctx, cqe << PRM_GET(cqc, cqc, log_cq_size));
	PRM_SET(create_cq_in, in, cq_umem_valid, 1);
	PRM_SET(create_cq_in, in, cq_umem_id, m->umem.id);
	PRM_SET(cqc, cqc, dbr_umem_valid, 1);
	PRM_SET(cqc, cqc, dbr_umem_id, m->umem.id);
	PRM_SET(cqc, cqc, dbr_addr, m->record);
	PRM_SET(cqc, cqc, page_offset, 0);
	PRM_SET(cqc, cqc, log_page_size, 0);
}

static void place_qp(struct memory *m, struct ibv_context *ctx, uint8_t *in)
{
	uint8_t *qpc = PRM_ADDR(create_qp_in, in, qpc);
	size_t rq = PRM_GET(qpc, qpc, rq_type) ? 0
					       : (size_t)16 << PRM_GET(qpc, qpc, log_rq_stride)
							    << PRM_GET(qpc, qpc, log_rq_size);
	size_t sq = PRM_GET(qpc, qpc, no_sq) ? 0 : (size_t)64 << PRM_GET(qpc, qpc, log_sq_size);

	ring(m, ctx, rq + sq);
	PRM_SET(create_qp_in, in, wq_umem_valid, 1);
	PRM_SET(create_qp_in, in, wq_umem_id, m->umem.id);
	PRM_SET(qpc, qpc, dbr_umem_valid, 1);
	PRM_SET(qpc, qpc, dbr_umem_id, m->umem.id);
	PRM_SET(qpc, qpc, dbr_addr, m->record);
	PRM_SET(qpc, qpc, page_offset, 0);
	PRM_SET(qpc, qpc, log_page_size, 0);
}

static void place_mkey(struct memory *m, struct ibv_context *ctx, uint8_t *in)
{
	uint8_t *mkc = PRM_ADDR(create_mkey_in, in, memory_key_mkey_entry);
	uint64_t offset = PRM_GET(mkc, mkc, start_addr) % PAGE;

	reg(m, ctx, offset + PRM_GET(mkc, mkc, len));
	m->address = (uintptr_t)m->umem.addr + offset;
	PRM_SET(create_mkey_in, in, mkey_umem_valid, 1);
	PRM_SET(create_mkey_in, in, mkey_umem_id, m->umem.id);
	PRM_SET(create_mkey_in, in, mkey_umem_offset, offset);
	PRM_SET(mkc, mkc, start_addr, m->address);
}

void memory_place(struct memory *m, struct ibv_context *ctx, const struct record *r,
		  uint8_t *in)
{
	switch (r->cmd->opcode) {
	case PRM_OP_CREATE_CQ:
		place_cq(m, ctx, in);
		break;
	case PRM_OP_CREATE_QP:
		place_qp(m, ctx, in);
		break;
	case PRM_OP_CREATE_MKEY:
		place_mkey(m, ctx, in);
		break;
	default: /* objects without memory */
		break;
	}
}

void memory_free(struct memory *m)
{
	char line[256];

	if (!m->umem.handle)
		return;
	if (devx_umem_dereg(&m->umem))
		fail("%s", devx_error_str(devx_last_error(), line, sizeof(line)));
	free(m->umem.addr);
}
