/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory keys. What the kernel's reg_mr creates: access mode MTT, the page list at the end of
 * the inbox; what its get_dma_mr creates: access mode PA over the whole address space; and
 * what its reg_dm_mr creates: access mode MEMIC. What its alloc_mw creates: access mode KLM and
 * free, which UMR work requests bind (the engine's umr.c).
 *
 *	start_addr ........................ start_addr + len
 *	 |<- offset in page ->|
 *	pas[0]                 pas[1]                 pas[2]       1 << log_page_size bytes each
 *
 * On-demand paging: with pg_access the low bits of an entry say whether its page is present.
 * The model's driver names the page even where they say no, as nothing here asks it later: there
 * are no page-fault events and no PAGE_FAULT_RESUME. mem brings the page in.
 *
 * Indirect keys (KLM, KSM) other than windows of one entry, and umem are not here: their bits are
 * refused.
 */
#include <stdlib.h>

#include "fw/command.h"

#define QPN_ANY	     0xffffffu
#define MODE_PA	     0
#define MODE_MTT     1
#define MODE_KLM     2
#define MODE_MEMIC   5
#define LOG_PAGE_MIN 12
#define LOG_PAGE_MAX 31
#define OCTWORD	     16

static_assert(PRM_SZ(mkc) == DEV_MKC_SIZE, "mkc");

static const uint8_t *mkc_of(const struct fw_cmd *c)
{
	return PRM_ADDR(create_mkey_in, c->in, memory_key_mkey_entry);
}

static uint8_t access_of(const uint8_t *mkc)
{
	return (PRM_GET(mkc, mkc, lr) ? DEV_LOCAL_READ : 0) |
	       (PRM_GET(mkc, mkc, lw) ? DEV_LOCAL_WRITE : 0) |
	       (PRM_GET(mkc, mkc, rr) ? DEV_REMOTE_READ : 0) |
	       (PRM_GET(mkc, mkc, rw) ? DEV_REMOTE_WRITE : 0) |
	       (PRM_GET(mkc, mkc, a) ? DEV_REMOTE_ATOMIC : 0);
}

static uint32_t mode_of(const uint8_t *mkc)
{
	return PRM_GET(mkc, mkc, access_mode_4_2) << 2 | PRM_GET(mkc, mkc, access_mode_1_0);
}

/* The whole address space is two pages of half its size, mapped onto themselves. */
static enum fw_status whole_space(struct fw_cmd *c, struct dev_ring *pages)
{
	const uint8_t *mkc = mkc_of(c);

	/* mlx5_ib (odp.c) builds an implicit on-demand region of KSM entries whose keys it makes
	 * at each page fault. Here it is this one key of access mode MTT, with pg_access. */
	/* assumed(implicit_odp_looks_like_one_region): a work request may cross any address of an
	 * implicit on-demand region, the boundaries of the driver's parts included. */
	if ((mode_of(mkc) == MODE_MTT) != PRM_GET(create_mkey_in, c->in, pg_access))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	/* All of memory, for the driver only, as mlx5_ib makes it (mr.c, mlx5_ib_get_dma_mr). The
	 * rest is refused by choice: nobody else can send it, for DevX turns the page list of each
	 * CREATE_MKEY into a umem (mlx5_ib, devx.c, devx_handle_mkey_create). */
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
	return FW_OK;
}

static enum fw_status page_list(struct fw_cmd *c, struct dev_ring *pages)
{
	const uint8_t *mkc = mkc_of(c);
	uint64_t start = PRM_GET(mkc, mkc, start_addr), len = PRM_GET(mkc, mkc, len);
	uint32_t log_page = PRM_GET(mkc, mkc, log_page_size);
	uint32_t given = PRM_GET(create_mkey_in, c->in, translations_octword_actual_size);
	uint32_t max = FW_GEN(c->d, log_max_mrw_sz); /* up to 64 */
	enum fw_status status;
	uint64_t n;

	if (log_page < LOG_PAGE_MIN || log_page > LOG_PAGE_MAX)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (!len || start + len - 1 < start || (len - 1) >> 1 >> (max - 1))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	n = ((start + len - 1) >> log_page) - (start >> log_page) + 1;
	/* Two MTT entries make an octword (mlx5_ib, mr.c, get_octo_len). */
	/* assumed(mkey_octwords_must_cover): both counts of translation octwords must be enough
	 * for [start_addr, start_addr + len), else BAD_PARAM. */
	if (given < (n + 1) / 2 || PRM_GET(mkc, mkc, translations_octword_size) < (n + 1) / 2)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	if (c->in_len < PRM_SZ(create_mkey_in) + (uint64_t)given * OCTWORD)
		return fw_refuse(c, FW_BAD_INP_LEN, FW_WHY_PAS);
	pages->pas = (PRM_GET(create_mkey_in, c->in, pg_access) ? fw_mtts : fw_pas)(
		c, PRM_SZ(create_mkey_in), n, log_page, &status);
	pages->log_page = (uint8_t)log_page;
	pages->npas = (uint32_t)n;
	return status;
}

/* Addresses under the key count from 0, start_addr is the place in the BAR (mlx5_ib, mr.c,
 * mlx5_ib_reg_dm_mr: all such regions are IB_ZERO_BASED). It may be empty, for pyverbs'
 * test_create_dm_mr registers one of length 0. */
static enum fw_status device_memory(struct fw_cmd *c, struct dev_ring *pages,
				    struct dev_memic **memic)
{
	const uint8_t *mkc = mkc_of(c);
	uint64_t start = PRM_GET(mkc, mkc, start_addr), len = PRM_GET(mkc, mkc, len);
	uint64_t first = start >> DEV_PAGE_SHIFT;
	uint64_t n = ((start + len + DEV_PAGE_SIZE - 1) >> DEV_PAGE_SHIFT) - first;

	/* Within one allocation, without length64, page size or translation entries, as mlx5_ib
	 * makes it (mr.c, mlx5_ib_reg_dm_mr). The rest is refused by choice: DevX cannot send it
	 * (devx.c, devx_handle_mkey_create adds a umem). */
	if (PRM_GET(mkc, mkc, length64) || PRM_GET(mkc, mkc, log_page_size) ||
	    PRM_GET(mkc, mkc, translations_octword_size) ||
	    PRM_GET(create_mkey_in, c->in, translations_octword_actual_size) ||
	    PRM_GET(create_mkey_in, c->in, pg_access))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	*memic = fw_memic_at(c->d, start, len);
	if (!*memic || c->uid)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_OBJECT);
	pages->pas = malloc((n ? n : 1) * sizeof(*pages->pas));
	if (!pages->pas)
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	pages->log_page = DEV_PAGE_SHIFT;
	pages->npas = (uint32_t)n;
	pages->page_offset = start & (DEV_PAGE_SIZE - 1);
	for (uint64_t i = 0; i < n; i++)
		pages->pas[i] = (uintptr_t)c->d->memic +
				(((first + i) << DEV_PAGE_SHIFT) - DEV_MEMIC_START);
	return FW_OK;
}

/* A memory window: room for the KLM of a later bind, and nothing yet (mlx5_ib, mr.c,
 * mlx5_ib_alloc_mw). A list of KLMs that stands in the inbox is not implemented. */
static enum fw_status window(struct fw_cmd *c)
{
	const uint8_t *mkc = mkc_of(c);

	if (!PRM_GET(mkc, mkc, free) || PRM_GET(create_mkey_in, c->in, pg_access) ||
	    PRM_GET(create_mkey_in, c->in, translations_octword_actual_size))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (PRM_GET(mkc, mkc, length64) || PRM_GET(mkc, mkc, start_addr) ||
	    PRM_GET(mkc, mkc, len) || PRM_GET(mkc, mkc, log_page_size))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (!PRM_GET(mkc, mkc, translations_octword_size))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	return FW_OK;
}

static enum fw_status translation(struct fw_cmd *c, struct dev_ring *pages,
				  struct dev_memic **memic)
{
	const uint8_t *mkc = mkc_of(c);

	switch (mode_of(mkc)) {
	case MODE_MEMIC:
		return device_memory(c, pages, memic);
	case MODE_KLM:
		return window(c);
	case MODE_MTT:
		if (!PRM_GET(mkc, mkc, length64))
			return page_list(c, pages);
		return whole_space(c, pages);
	default:
		return whole_space(c, pages);
	}
}

static enum fw_status check_context(struct fw_cmd *c, const uint8_t *mkc)
{
	uint32_t mode = mode_of(mkc);

	if (mode != MODE_MTT && mode != MODE_PA && mode != MODE_MEMIC && mode != MODE_KLM)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	/* Of regions, neither is implemented. */
	if (mode != MODE_KLM && (PRM_GET(mkc, mkc, free) || PRM_GET(mkc, mkc, en_rinval)))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	/* A key for one QP from the beginning is not implemented. */
	if (PRM_GET(mkc, mkc, qpn) != QPN_ANY)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (!fw_pd(c, PRM_GET(mkc, mkc, pd)))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_PD);
	if (fw_at_limit(&c->d->mkeys, FW_GEN(c->d, log_max_mkey)))
		return fw_refuse(c, FW_LIM_ERR, FW_WHY_LIMIT);
	return FW_OK;
}

enum fw_status fw_create_mkey(struct fw_cmd *c)
{
	const uint8_t *mkc = mkc_of(c);
	struct dev_ring pages = { 0 };
	struct dev_memic *memic = NULL;
	enum fw_status status = check_context(c, mkc);
	struct dev_mkey *m;

	if (status != FW_OK)
		return status;
	status = translation(c, &pages, &memic);
	if (status != FW_OK)
		return status;
	m = dev_mkey_new(c->d);
	if (!m) {
		free(pages.pas);
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	}
	m->uid = fw_own(c);
	m->pd = fw_pd(c, PRM_GET(mkc, mkc, pd));
	m->pd->refs++;
	m->variant = PRM_GET(mkc, mkc, mkey_7_0);
	m->access = access_of(mkc);
	m->length64 = PRM_GET(mkc, mkc, length64);
	m->start = memic ? 0 : PRM_GET(mkc, mkc, start_addr);
	m->len = PRM_GET(mkc, mkc, len);
	m->pages = pages;
	m->memic = memic;
	m->window = mode_of(mkc) == MODE_KLM;
	m->free = PRM_GET(mkc, mkc, free);
	m->umr_en = PRM_GET(mkc, mkc, umr_en);
	m->en_rinval = PRM_GET(mkc, mkc, en_rinval);
	if (memic)
		memic->refs++;
	memcpy(m->mkc, mkc, DEV_MKC_SIZE);
	PRM_SET(create_mkey_out, c->out, mkey_index, m->index);
	return FW_OK;
}

static struct dev_mkey *find(const struct fw_cmd *c, uint32_t index)
{
	struct dev_mkey *m = core_ids_get(&c->d->mkeys, index);

	return m && fw_may(c, m->uid) ? m : NULL;
}

static void put_klm(struct fw_cmd *c, const struct dev_klm *from)
{
	uint8_t *klm = PRM_ADDR(query_mkey_out, c->out, bsf0_klm0_pas_mtt0_1);

	PRM_SET(klm, klm, byte_count, from->len);
	PRM_SET(klm, klm, mkey, from->key);
	PRM_SET(klm, klm, address, from->addr);
}

enum fw_status fw_query_mkey(struct fw_cmd *c)
{
	struct dev_mkey *m = find(c, PRM_GET(query_mkey_in, c->in, mkey_index));

	if (!m)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_OBJECT);
	memcpy(PRM_ADDR(query_mkey_out, c->out, memory_key_mkey_entry), m->mkc, DEV_MKC_SIZE);
	if (m->window)
		put_klm(c, &m->klm);
	else if (!m->length64 && !m->memic)
		fw_put_pas(c, PRM_OFF(query_mkey_out, bsf0_klm0_pas_mtt0_1) / 8, &m->pages);
	return FW_OK;
}

enum fw_status fw_destroy_mkey(struct fw_cmd *c)
{
	struct dev_mkey *m = find(c, PRM_GET(destroy_mkey_in, c->in, mkey_index));

	if (!m)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_OBJECT);
	m->pd->refs--;
	if (m->memic)
		m->memic->refs--;
	fw_disown(c->d, m->uid);
	dev_mkey_free(c->d, m);
	return FW_OK;
}
