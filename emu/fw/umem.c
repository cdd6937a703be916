/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * umem: CREATE_UMEM takes pages, everything else names bytes of them.
 *
 *	umem          | page_offset | . . . . . . . . . . . . . . . . . . |
 *	                              |<- umem_offset ->|# # # # #| queue |
 *	                              |<---- dbr_addr ---->{rcv, snd}
 *
 * The driver builds the command: mlx5_ib, devx.c, devx_umem_reg_cmd_alloc: log_page_size counts
 * from the adapter's 4 KiB page, page_offset in bytes, an MTT entry has the rights of its page
 * in its two lowest bits. Users of a umem hold a reference: DESTROY_UMEM is refused until all
 * are released.
 */
#include <stdlib.h>

#include "fw/command.h"

#define ADAPTER_PAGE_SHIFT 12
#define LOG_PAGE_MAX	   43 /* as far as the field reaches */
#define OFFSET_QUANTA	   64
#define LIST		   (PRM_SZ(create_umem_in))
#define NPAS_MAX	   (1u << 24) /* 64 GiB of the smallest pages */

/* ---- birth and death ---- */

static enum fw_status check_umem(struct fw_cmd *c, const uint8_t *umem)
{
	uint32_t log_page = ADAPTER_PAGE_SHIFT + PRM_GET(umem, umem, log_page_size);
	uint64_t n = PRM_GET(umem, umem, num_of_mtt);

	if (log_page > LOG_PAGE_MAX || !n || n > NPAS_MAX)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	if (PRM_GET(umem, umem, page_offset) >> log_page)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_PAGE_OFFSET);
	if (fw_at_limit(&c->hca->umems, FW_GEN(c->hca, log_max_umem)))
		return fw_refuse(c, FW_LIM_ERR, FW_WHY_LIMIT);
	return FW_OK;
}

/* The rights that all pages have. */
static void read_rights(const struct fw_cmd *c, struct hca_umem *u)
{
	u->readable = true;
	u->writable = true;
	for (uint32_t i = 0; i < u->pages.npas; i++) {
		const uint8_t *mtt = c->in + LIST + i * PRM_SZ(mtt);

		u->readable &= PRM_GET(mtt, mtt, rd_en);
		u->writable &= PRM_GET(mtt, mtt, wr_en);
	}
}

enum fw_status fw_create_umem(struct fw_cmd *c)
{
	const uint8_t *umem = PRM_ADDR(create_umem_in, c->in, umem);
	uint32_t log_page = ADAPTER_PAGE_SHIFT + PRM_GET(umem, umem, log_page_size);
	enum fw_status status = check_umem(c, umem);
	struct hca_umem *u;
	uint64_t *pas;

	if (status != FW_OK)
		return status;
	pas = fw_mtts(c, LIST, PRM_GET(umem, umem, num_of_mtt), log_page, &status);
	if (!pas)
		return status;
	u = hca_umem_new(c->hca);
	if (!u) {
		free(pas);
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	}
	fw_begin(c, u);
	u->pages = (struct hca_ring){ .pas = pas,
				      .npas = (uint32_t)PRM_GET(umem, umem, num_of_mtt),
				      .log_page = (uint8_t)log_page,
				      .page_offset = PRM_GET(umem, umem, page_offset) };
	read_rights(c, u);
	PRM_SET(create_umem_out, c->out, umem_id, u->id);
	return FW_OK;
}

enum fw_status fw_destroy_umem(struct fw_cmd *c)
{
	return fw_destroy(c, fw_umem(c, PRM_GET(destroy_umem_in, c->in, umem_id)));
}

/* ---- use ---- */

static bool within(const struct hca_umem *u, uint64_t offset, uint64_t len)
{
	uint64_t all = hca_umem_len(u);

	return len <= all && offset <= all - len;
}

bool fw_umem_pages(const struct hca_umem *u, uint64_t offset, uint64_t len,
		   struct hca_ring *pages)
{
	uint64_t first = u->pages.page_offset + offset, last = first + len - 1;
	uint32_t log_page = u->pages.log_page;
	uint32_t n = (uint32_t)((last >> log_page) - (first >> log_page) + 1);
	uint64_t *pas = malloc(n * sizeof(*pas));

	if (!pas)
		return false;
	memcpy(pas, u->pages.pas + (first >> log_page), n * sizeof(*pas));
	*pages = (struct hca_ring){ .pas = pas,
				    .npas = n,
				    .log_page = (uint8_t)log_page,
				    .page_offset = first & ((1ull << log_page) - 1) };
	return true;
}

/* The hardware keeps the begin of a queue as a page and an offset in 64ths of it: openucx/ucx
 * pull request 11103, where a CQ in a umem of 64 KiB pages could not start at a multiple of 64
 * bytes. Entries do not cross pages then, as they are not larger. */
/* assumed(umem_queue_starts_on_a_64th_of_a_page): a queue of any kind in a umem has to start at
 * a multiple of a 64th of the umem's page and of its entries' size, counted from the start of
 * the page; else BAD_PARAM. */
static bool starts_well(const struct hca_umem *u, const struct fw_layout *layout)
{
	uint64_t page = 1ull << u->pages.log_page;
	uint64_t at = (u->pages.page_offset + layout->umem_offset) & (page - 1);

	return !(at % (page / OFFSET_QUANTA)) && !(layout->entry && at % layout->entry);
}

enum fw_status fw_umem_ring(struct fw_cmd *c, const struct fw_layout *layout,
			    struct hca_ring *ring)
{
	const struct hca_umem *u = fw_umem(c, layout->umem_id);

	/* A queue without entries is nowhere. */
	if (!layout->bytes)
		return FW_OK;
	if (!u)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_UMEM);
	if (fw_more(c, layout->list))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_PAS);
	/* assumed(umem_pages_are_the_umems): log_page_size of a context whose queue is in a
	 * umem is not read (DPDK sets the size of its pages there, UCX and rdma-core's tests
	 * set 0); page_offset has to be 0. */
	/* assumed(queue_must_lie_in_its_umem): a queue or doorbell record that reaches beyond
	 * its umem, to whole pages, is BAD_PARAM. */
	if (layout->page_offset || !starts_well(u, layout))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_PAGE_OFFSET);
	if (!within(u, layout->umem_offset, layout->bytes))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	/* assumed(cq_needs_a_writable_umem): a CQ in a umem that was registered without
	 * IBV_ACCESS_LOCAL_WRITE is BAD_PARAM. */
	if (!u->readable || (layout->written && !u->writable))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_RIGHTS);
	if (!fw_umem_pages(u, layout->umem_offset, layout->bytes, ring))
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	return FW_OK;
}

/* Where byte @offset of @u is. */
static uint64_t address(const struct hca_umem *u, uint64_t offset)
{
	return hca_ring_bus(&u->pages, offset);
}

static enum fw_status record_in_umem(struct fw_cmd *c, const struct fw_record *rec,
				     uint64_t *dbrec)
{
	const struct hca_umem *u = fw_umem(c, rec->umem_id);

	if (!u)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_UMEM);
	if (!within(u, rec->addr, rec->bytes) || !u->readable)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_DBR);
	*dbrec = address(u, rec->addr);
	return FW_OK;
}

enum fw_status fw_record(struct fw_cmd *c, const struct fw_record *rec, uint64_t *dbrec)
{
	enum fw_status status = FW_OK;
	uint8_t there[8];

	*dbrec = rec->addr;
	if (rec->in_umem)
		status = record_in_umem(c, rec, dbrec);
	if (status != FW_OK)
		return status;
	if (*dbrec % rec->bytes || !core_bus_read(there, *dbrec, rec->bytes))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_DBR);
	return FW_OK;
}

struct fw_layout fw_wq_layout(const uint8_t *wq, size_t list)
{
	return (struct fw_layout){ .list = list,
				   .log_page_size = PRM_GET(wq, wq, log_wq_pg_sz),
				   .page_offset = PRM_GET(wq, wq, page_offset),
				   .in_umem = PRM_GET(wq, wq, wq_umem_valid),
				   .umem_id = PRM_GET(wq, wq, wq_umem_id),
				   .umem_offset = PRM_GET(wq, wq, wq_umem_offset) };
}

struct fw_record fw_wq_record(const uint8_t *wq)
{
	return (struct fw_record){ .addr = PRM_GET(wq, wq, dbr_addr),
				   .in_umem = PRM_GET(wq, wq, dbr_umem_valid),
				   .umem_id = PRM_GET(wq, wq, dbr_umem_id) };
}

struct hca_umem_refs fw_settle(struct fw_cmd *c, const struct fw_layout *layout,
			       const struct fw_record *rec)
{
	struct hca_umem_refs umems = { 0 };

	if (layout->in_umem && layout->bytes)
		umems.queue = fw_umem(c, layout->umem_id);
	if (rec->in_umem)
		umems.record = fw_umem(c, rec->umem_id);
	return umems;
}
