/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Page lists: the physical (here: virtual) addresses behind a queue or a memory key, as they
 * stand at the end of an inbox.
 *
 *	pas[0]                      pas[1]
 *	|....page_offset|# # # # # #|# # # # # #      # = entries of the queue
 *
 * log_page_size counts from the adapter's 4 KiB page, page_offset in 64ths of the page
 * (mlx5_ib, mem.c: MLX5_ADAPTER_PAGE_SHIFT, the quantised page offset).
 */
#include <stdlib.h>

#include "fw/command.h"

#define ADAPTER_PAGE_SHIFT 12
#define OFFSET_QUANTA	   64

static uint64_t be64(const uint8_t *p)
{
	uint64_t v = 0;

	for (int i = 0; i < 8; i++)
		v = v << 8 | p[i];
	return v;
}

static void put_be64(uint8_t *p, uint64_t v)
{
	for (int i = 7; i >= 0; i--, v >>= 8)
		p[i] = (uint8_t)v;
}

static bool zero_from(const struct fw_cmd *c, size_t offset)
{
	for (; offset < c->in_len; offset++)
		if (c->in[offset])
			return false;
	return true;
}

uint64_t *fw_pas(struct fw_cmd *c, size_t list, uint64_t n, uint32_t log_page,
		 enum fw_status *status)
{
	uint64_t *pas;

	/* assumed(short_page_list_is_bad_inp_len): a page list that does not reach as far as the
	 * context says is BAD_INP_LEN, and one with more addresses than that is BAD_PARAM. */
	*status = fw_refuse(c, FW_BAD_INP_LEN, FW_WHY_PAS);
	if (c->in_len < list || n > (c->in_len - list) / 8)
		return NULL;
	*status = fw_refuse(c, FW_BAD_PARAM, FW_WHY_PAS);
	if (!zero_from(c, list + n * 8))
		return NULL;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t pa = be64(c->in + list + i * 8);

		if (!pa || pa & ((1ull << log_page) - 1))
			return NULL;
	}
	*status = fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	pas = malloc((n ? n : 1) * sizeof(*pas));
	if (!pas)
		return NULL;
	for (uint64_t i = 0; i < n; i++)
		pas[i] = be64(c->in + list + i * 8);
	*status = FW_OK;
	return pas;
}

enum fw_status fw_ring(struct fw_cmd *c, const struct fw_layout *layout, struct dev_ring *ring)
{
	uint32_t log_page = ADAPTER_PAGE_SHIFT + layout->log_page_size;
	uint64_t page = 1ull << log_page;
	uint64_t offset = layout->page_offset * (page / OFFSET_QUANTA);
	uint64_t n = (offset + layout->bytes + page - 1) >> log_page;
	enum fw_status status;
	uint64_t *pas;

	*ring = (struct dev_ring){ 0 };
	/* assumed(queue_page_limit_is_2_gib): queue pages larger than 2 GiB are BAD_PARAM. */
	if (log_page > 31)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	/* assumed(entries_never_straddle_pages): a page_offset at which an entry of the queue
	 * would cross a page boundary is BAD_PARAM. */
	if (layout->entry && offset % layout->entry)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_PAGE_OFFSET);
	pas = fw_pas(c, layout->list, layout->bytes ? n : 0, log_page, &status);
	if (!pas)
		return status;
	*ring = (struct dev_ring){ .pas = pas,
				   .npas = layout->bytes ? (uint32_t)n : 0,
				   .log_page = (uint8_t)log_page,
				   .page_offset = (uint32_t)offset };
	return FW_OK;
}

void fw_put_pas(struct fw_cmd *c, size_t offset, const struct dev_ring *ring)
{
	for (uint32_t i = 0; i < ring->npas && offset + 8 <= c->out_len; i++, offset += 8)
		put_be64(c->out + offset, ring->pas[i]);
}
