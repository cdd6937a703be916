/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory keys that have pages: access mode MTT, whose page list is at the end of the inbox
 * (what the kernel's reg_mr creates) or in a umem (DevX); PA over the whole address space
 * (get_dma_mr); MEMIC and SW_ICM (reg_dm_mr). A free key of access mode MTT gets its pages by
 * UMR.
 *
 *	start_addr ........................ start_addr + len
 *	 |<- offset in page ->|
 *	pas[0]                 pas[1]                 pas[2]       1 << log_page_size bytes each
 *
 * On-demand paging: with pg_access the low bits of an entry say whether its page is present.
 * The model's driver names the page even where they say no, as nothing here asks it later:
 * there are no page-fault events and no PAGE_FAULT_RESUME. mem brings the page in.
 */
#include <stdlib.h>

#include "fw/mkey.h"

#define LOG_PAGE_MAX 31
#define UMR_UNIT     4u /* octowords */

/* CREATE_MKEY over a umem: openucx/ucx pull request 8689. */
#define SYNDROME_UMEM_PAGE_OFFSET 0x317175

/* The whole address space is two pages of half its size, mapped onto themselves. */
static enum fw_status whole_space(struct fw_cmd *c, struct hca_ring *pages)
{
	const uint8_t *mkc = mkey_context(c);

	/* mlx5_ib (odp.c) builds an implicit on-demand region of KSM entries whose keys it
	 * makes at each page fault. Here it is this one key of access mode MTT, with
	 * pg_access. */
	/* assumed(implicit_odp_looks_like_one_region): a work request may cross any address of
	 * an implicit on-demand region, the boundaries of the driver's parts included. */
	if ((mkey_mode(mkc) == PRM_MKC_ACCESS_MODE_MTT) !=
	    PRM_GET(create_mkey_in, c->in, pg_access))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	/* All of memory, for the driver only, as mlx5_ib makes it (mr.c, mlx5_ib_get_dma_mr).
	 * The rest is refused by choice: no other program can send it, for DevX turns the page
	 * list of each CREATE_MKEY into a umem (mlx5_ib, devx.c, devx_handle_mkey_create). */
	if (c->uid || !PRM_GET(mkc, mkc, length64) || PRM_GET(mkc, mkc, start_addr) ||
	    PRM_GET(mkc, mkc, len) || PRM_GET(mkc, mkc, translations_octword_size) ||
	    PRM_GET(create_mkey_in, c->in, translations_octword_actual_size))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	pages->pas = calloc(2, sizeof(*pages->pas));
	if (!pages->pas)
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	pages->log_page = 63;
	pages->pas[1] = 1ull << 63;
	pages->npas = 2;
	pages->followed = true;
	return FW_OK;
}

/* A length of 0 is one: the kernel registers it (umem.c, ib_umem_get), and the mkeys of its
 * cache have it (mlx5_ib, mr.c, set_cache_mkc). Such a key covers the page of its address and
 * no byte. */
static enum fw_status check_range(struct fw_cmd *c, const uint8_t *mkc)
{
	uint64_t start = PRM_GET(mkc, mkc, start_addr), len = PRM_GET(mkc, mkc, len);
	uint32_t max = FW_GEN(c->hca, log_max_mrw_sz); /* up to 64 */

	if (len && (start + len - 1 < start || (len - 1) >> 1 >> (max - 1)))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	return FW_OK;
}

/* No page of it is present: the driver did not pin them. */
static bool is_on_demand(const struct fw_cmd *c)
{
	const uint8_t *mtt = c->in + PRM_SZ(create_mkey_in);

	return PRM_GET(create_mkey_in, c->in, pg_access) && !PRM_GET(mtt, mtt, rd_en) &&
	       !PRM_GET(mtt, mtt, wr_en);
}

static enum fw_status page_list(struct fw_cmd *c, struct hca_ring *pages)
{
	const uint8_t *mkc = mkey_context(c);
	uint64_t start = PRM_GET(mkc, mkc, start_addr), len = PRM_GET(mkc, mkc, len);
	uint32_t log_page = PRM_GET(mkc, mkc, log_page_size);
	uint32_t given = PRM_GET(create_mkey_in, c->in, translations_octword_actual_size);
	enum fw_status status = check_range(c, mkc);
	uint64_t n;

	if (log_page < HCA_MKEY_LOG_PAGE_MIN || log_page > LOG_PAGE_MAX)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (status != FW_OK)
		return status;
	n = ((start + len - !!len) >> log_page) - (start >> log_page) + 1;
	/* Two MTT entries make an octword (mlx5_ib, mr.c, get_octo_len). Our choice: counts of
	 * translation octwords that are not enough for the range are BAD_PARAM. Lists come from
	 * the kernel only, which counts them right. */
	if (given < (n + 1) / 2 || PRM_GET(mkc, mkc, translations_octword_size) < (n + 1) / 2)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	if (c->in_len < PRM_SZ(create_mkey_in) + (uint64_t)given * MKEY_OCTWORD)
		return fw_refuse(c, FW_BAD_INP_LEN, FW_WHY_PAS);
	pages->pas = (PRM_GET(create_mkey_in, c->in, pg_access) ? fw_mtts : fw_pas)(
		c, PRM_SZ(create_mkey_in), n, log_page, &status);
	pages->log_page = (uint8_t)log_page;
	pages->npas = (uint32_t)n;
	if (status == FW_OK)
		pages->followed = is_on_demand(c);
	return status;
}

/* Space for pages that UMR lists: keys of mlx5_ib's cache, and those for IB_WR_REG_MR (mr.c,
 * set_cache_mkc, mlx5_set_umr_free_mkey). The smallest of the cache has 2 octowords, and is
 * written 4 at a time as all others are (umr.c, MLX5_UMR_MTT_ALIGNMENT). */
/* assumed(space_for_pages_is_bounded_as_for_entries): a free key with space for no page, or for
 * more than 1 << log_max_klm_list_size octowords of them, is BAD_PARAM. */
static enum fw_status free_pages(struct fw_cmd *c, struct mkey_parts *parts)
{
	const uint8_t *mkc = mkey_context(c);
	uint32_t log_page = PRM_GET(mkc, mkc, log_page_size);
	uint32_t space = PRM_GET(mkc, mkc, translations_octword_size);
	enum fw_status status = check_range(c, mkc);

	if (log_page < HCA_MKEY_LOG_PAGE_MIN || log_page > LOG_PAGE_MAX ||
	    !PRM_GET(mkc, mkc, umr_en) || PRM_GET(mkc, mkc, length64) ||
	    PRM_GET(create_mkey_in, c->in, translations_octword_actual_size))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (status != FW_OK)
		return status;
	if (!space || space > 1u << FW_GEN(c->hca, log_max_klm_list_size))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	parts->capacity = (space + UMR_UNIT - 1) / UMR_UNIT * UMR_UNIT;
	parts->pages.log_page = (uint8_t)log_page;
	return FW_OK;
}

static enum fw_status check_umem(struct fw_cmd *c, const struct hca_umem *u)
{
	const uint8_t *mkc = mkey_context(c);
	uint64_t offset = PRM_GET(create_mkey_in, c->in, mkey_umem_offset);
	uint64_t start = PRM_GET(mkc, mkc, start_addr), len = PRM_GET(mkc, mkc, len);
	uint64_t page = 1ull << u->pages.log_page, all = hca_umem_len(u);
	enum fw_status status = check_range(c, mkc);

	if (PRM_GET(mkc, mkc, length64))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (status != FW_OK)
		return status;
	/* Our choice: a key over no byte of a umem is refused too. */
	/* assumed(mkey_must_lie_in_its_umem): mkey_umem_offset + len beyond the end of the
	 * umem's last page is BAD_PARAM. */
	if (!len || len > all || offset > all - len)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	/* assumed(umem_page_offset_means_the_umems_page): the page of which syndrome 0x317175
	 * counts is the umem's, whatever log_page_size the mkey context names. */
	if ((u->pages.page_offset + offset - start) & (page - 1)) {
		c->syndrome = SYNDROME_UMEM_PAGE_OFFSET;
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_PAGE_OFFSET);
	}
	return FW_OK;
}

/* Pages and their size are the umem's. */
/* assumed(umem_mkey_counts_are_not_read): of a key over a umem, log_page_size and both counts
 * of translation octwords are not read: UCX and SmartNS set the counts to 1, DPDK to half of
 * the bytes, mlx5ctl to 0, and all four work. */
static enum fw_status umem_pages(struct fw_cmd *c, struct mkey_parts *parts)
{
	struct hca_umem *u = fw_umem(c, PRM_GET(create_mkey_in, c->in, mkey_umem_id));
	enum fw_status status;

	if (!u)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_UMEM);
	status = check_umem(c, u);
	if (status != FW_OK)
		return status;
	if (!fw_umem_pages(u, PRM_GET(create_mkey_in, c->in, mkey_umem_offset),
			   PRM_GET(mkc, mkey_context(c), len), &parts->pages))
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	/* The offset is that of start_addr in its page. */
	parts->pages.page_offset = 0;
	parts->umem = u;
	return FW_OK;
}

/* Within one allocation, without length64, page size or translation entries, as mlx5_ib makes
 * it (mr.c, mlx5_ib_reg_dm_mr). The rest is refused by choice: DevX cannot send it (devx.c,
 * devx_handle_mkey_create adds a umem). */
static bool is_as_the_driver_makes_it(const struct fw_cmd *c, const uint8_t *mkc)
{
	return !PRM_GET(mkc, mkc, length64) && !PRM_GET(mkc, mkc, log_page_size) &&
	       !PRM_GET(mkc, mkc, translations_octword_size) &&
	       !PRM_GET(create_mkey_in, c->in, translations_octword_actual_size) &&
	       !PRM_GET(create_mkey_in, c->in, pg_access);
}

/* An allocation of ICM is one page of its size. */
static enum fw_status software_icm(struct fw_cmd *c, struct mkey_parts *parts)
{
	const uint8_t *mkc = mkey_context(c);
	uint64_t start = PRM_GET(mkc, mkc, start_addr), len = PRM_GET(mkc, mkc, len);
	struct hca_general *m = hca_sw_icm_in(c->hca, start, 1);
	struct hca_ring *pages = &parts->pages;

	if (!is_as_the_driver_makes_it(c, mkc))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (!m || len > m->memory.size - (start - m->memory.addr) || c->uid)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_OBJECT);
	pages->pas = malloc(sizeof(*pages->pas));
	if (!pages->pas)
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	pages->pas[0] = (uintptr_t)m->memory.bytes;
	pages->log_page = (uint8_t)__builtin_ctzll(m->memory.size);
	pages->npas = 1;
	pages->page_offset = start - m->memory.addr;
	pages->followed = true;
	parts->sw_icm = m;
	return FW_OK;
}

/* Addresses under the key count from 0, start_addr is the place in the BAR (mlx5_ib, mr.c,
 * mlx5_ib_reg_dm_mr: all such regions are IB_ZERO_BASED). It may be empty, for pyverbs'
 * test_create_dm_mr registers one of length 0. */
static enum fw_status device_memory(struct fw_cmd *c, struct mkey_parts *parts)
{
	const uint8_t *mkc = mkey_context(c);
	uint64_t start = PRM_GET(mkc, mkc, start_addr), len = PRM_GET(mkc, mkc, len);
	uint64_t first = start >> HCA_PAGE_SHIFT;
	uint64_t n = ((start + len + HCA_PAGE_SIZE - 1) >> HCA_PAGE_SHIFT) - first;
	struct hca_ring *pages = &parts->pages;

	if (!is_as_the_driver_makes_it(c, mkc))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	parts->memic = fw_memic_at(c->hca, start, len);
	if (!parts->memic || c->uid)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_OBJECT);
	pages->pas = malloc((n ? n : 1) * sizeof(*pages->pas));
	if (!pages->pas)
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	pages->log_page = HCA_PAGE_SHIFT;
	pages->npas = (uint32_t)n;
	pages->page_offset = start & (HCA_PAGE_SIZE - 1);
	pages->followed = true;
	for (uint64_t i = 0; i < n; i++)
		pages->pas[i] = (uintptr_t)c->hca->memic +
				(((first + i) << HCA_PAGE_SHIFT) - HCA_MEMIC_START);
	return FW_OK;
}

enum fw_status mkey_pages(struct fw_cmd *c, struct mkey_parts *parts)
{
	const uint8_t *mkc = mkey_context(c);
	bool in_umem = PRM_GET(create_mkey_in, c->in, mkey_umem_valid);

	/* DevX sets mkey_umem_valid in every key without a list (mlx5_ib, devx.c,
	 * devx_handle_mkey_create); of those only MTT makes sense with it. */
	if (in_umem && mkey_mode(mkc) != PRM_MKC_ACCESS_MODE_MTT)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	switch (mkey_mode(mkc)) {
	case PRM_MKC_ACCESS_MODE_MEMIC:
		return device_memory(c, parts);
	case PRM_MKC_ACCESS_MODE_SW_ICM:
		return software_icm(c, parts);
	case PRM_MKC_ACCESS_MODE_MTT:
		if (PRM_GET(mkc, mkc, free))
			return free_pages(c, parts);
		if (in_umem)
			return umem_pages(c, parts);
		if (!PRM_GET(mkc, mkc, length64))
			return page_list(c, &parts->pages);
		return whole_space(c, &parts->pages);
	default:
		return whole_space(c, &parts->pages);
	}
}
