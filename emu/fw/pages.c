/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Page lists: the physical (here: virtual) addresses of a queue or a memory key, as they
 * are at the end of an inbox.
 *
 *	pas[0]                      pas[1]
 *	|....page_offset|# # # # # #|# # # # # #      # = entries of the queue
 *
 * log_page_size counts from the adapter's 4 KiB page, page_offset in 64ths of the page
 * (mlx5_ib, mem.c: MLX5_ADAPTER_PAGE_SHIFT, the quantised page offset). A queue of DevX has a
 * umem in place of the list (umem.c).
 */
#include <stdlib.h>

#include "fw/command.h"

#define ADAPTER_PAGE_SHIFT 12
#define OFFSET_QUANTA	   64
#define MTT_RD_EN	   1 /* mtt.rd_en, mtt.wr_en */
#define MTT_WR_EN	   2

bool fw_more(const struct fw_cmd *c, size_t from)
{
	for (; from < c->in_len; from++)
		if (c->in[from])
			return true;
	return false;
}

/* The list; in the bits @low of an entry anything may be, and is taken away. */
static uint64_t *read_list(struct fw_cmd *c, size_t list, uint64_t n, uint32_t log_page,
			   uint64_t low, enum fw_status *status)
{
	uint64_t *pas;

	/* Our choice: a page list that does not reach as far as the context says is
	 * BAD_INP_LEN, and one with more addresses than that is BAD_PARAM. Lists come from the
	 * kernel only, and fit: DevX has umems in their place. */
	*status = fw_refuse(c, FW_BAD_INP_LEN, FW_WHY_PAS);
	if (c->in_len < list || n > (c->in_len - list) / 8)
		return NULL;
	*status = fw_refuse(c, FW_BAD_PARAM, FW_WHY_PAS);
	if (fw_more(c, list + n * 8))
		return NULL;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t pa = core_be64(c->in + list + i * 8) & ~low;

		if (!pa || pa & ((1ull << log_page) - 1))
			return NULL;
	}
	*status = fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	pas = malloc((n ? n : 1) * sizeof(*pas));
	if (!pas)
		return NULL;
	for (uint64_t i = 0; i < n; i++)
		pas[i] = core_be64(c->in + list + i * 8) & ~low;
	*status = FW_OK;
	return pas;
}

uint64_t *fw_pas(struct fw_cmd *c, size_t list, uint64_t n, uint32_t log_page,
		 enum fw_status *status)
{
	return read_list(c, list, n, log_page, 0, status);
}

uint64_t *fw_mtts(struct fw_cmd *c, size_t list, uint64_t n, uint32_t log_page,
		  enum fw_status *status)
{
	return read_list(c, list, n, log_page, MTT_RD_EN | MTT_WR_EN, status);
}

static enum fw_status listed_ring(struct fw_cmd *c, const struct fw_layout *layout,
				  struct hca_ring *ring)
{
	uint32_t log_page = ADAPTER_PAGE_SHIFT + layout->log_page_size;
	uint64_t page = 1ull << log_page;
	uint64_t offset = layout->page_offset * (page / OFFSET_QUANTA);
	uint64_t n = (offset + layout->bytes + page - 1) >> log_page;
	enum fw_status status;
	uint64_t *pas;

	/* Our limit, above any that mlx5_ib uses: pages of 2 GiB. */
	if (log_page > 31)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	/* Our choice: a page_offset at which an entry would cross a page boundary is BAD_PARAM.
	 * libmlx5 starts its queues on a page. */
	if (layout->entry && offset % layout->entry)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_PAGE_OFFSET);
	pas = fw_pas(c, layout->list, layout->bytes ? n : 0, log_page, &status);
	if (!pas)
		return status;
	*ring = (struct hca_ring){ .pas = pas,
				   .npas = layout->bytes ? (uint32_t)n : 0,
				   .log_page = (uint8_t)log_page,
				   .page_offset = (uint32_t)offset };
	return FW_OK;
}

enum fw_status fw_ring(struct fw_cmd *c, const struct fw_layout *layout, struct hca_ring *ring)
{
	*ring = (struct hca_ring){ 0 };
	return layout->in_umem ? fw_umem_ring(c, layout, ring) : listed_ring(c, layout, ring);
}

void fw_put_pas(struct fw_cmd *c, size_t offset, const struct hca_ring *ring)
{
	for (uint32_t i = 0; i < ring->npas && offset + 8 <= c->out_len; i++, offset += 8)
		core_put_be64(c->out + offset, ring->pas[i] == HCA_NO_PAGE ? 0 : ring->pas[i]);
}
