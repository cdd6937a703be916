/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory keys: birth, look, death. Where their bytes are is the business of the access mode:
 *
 *	PA, MTT, MEMIC, SW_ICM	pages, of the list in the inbox or of a umem (mkey_pages.c)
 *	KLM, KSM	bytes of other keys (mkey_list.c); a memory window is one of them
 *
 *	CROSSING	a key of another function, which this one controls
 *
 * Signature (bsf_en), keys by name (input_mkey_index) and keys that are for one QP from the
 * beginning are refused.
 */
#include <stdlib.h>

#include "fw/mkey.h"

#define QPN_ANY 0xffffffu

static_assert(PRM_SZ(mkc) == HCA_MKC_SIZE, "mkc");

static uint8_t access_of(const uint8_t *mkc)
{
	return (PRM_GET(mkc, mkc, lr) ? HCA_LOCAL_READ : 0) |
	       (PRM_GET(mkc, mkc, lw) ? HCA_LOCAL_WRITE : 0) |
	       (PRM_GET(mkc, mkc, rr) ? HCA_REMOTE_READ : 0) |
	       (PRM_GET(mkc, mkc, rw) ? HCA_REMOTE_WRITE : 0) |
	       (PRM_GET(mkc, mkc, a) ? HCA_REMOTE_ATOMIC : 0);
}

static bool is_list(const uint8_t *mkc)
{
	return mkey_mode(mkc) == PRM_MKC_ACCESS_MODE_KLMS ||
	       mkey_mode(mkc) == PRM_MKC_ACCESS_MODE_KSM;
}

static bool is_crossing(const uint8_t *mkc)
{
	return mkey_mode(mkc) == PRM_MKC_ACCESS_MODE_CROSSING;
}

static enum fw_status check_mode(struct fw_cmd *c, const uint8_t *mkc)
{
	switch (mkey_mode(mkc)) {
	case PRM_MKC_ACCESS_MODE_MTT:
		if (PRM_GET(mkc, mkc, en_rinval) || (c->uid && PRM_GET(mkc, mkc, free)))
			return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
		return FW_OK;
	case PRM_MKC_ACCESS_MODE_PA:
	case PRM_MKC_ACCESS_MODE_MEMIC:
	case PRM_MKC_ACCESS_MODE_SW_ICM:
		if (PRM_GET(mkc, mkc, free) || PRM_GET(mkc, mkc, en_rinval))
			return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
		return FW_OK;
	case PRM_MKC_ACCESS_MODE_KLMS:
	case PRM_MKC_ACCESS_MODE_KSM:
		return FW_OK;
	case PRM_MKC_ACCESS_MODE_CROSSING:
		if (!FW_GEN(c->hca, crossing_vhca_mkey) || PRM_GET(mkc, mkc, free) ||
		    PRM_GET(mkc, mkc, en_rinval) || PRM_GET(mkc, mkc, umr_en))
			return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
		return FW_OK;
	default:
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	}
}

static enum fw_status check_context(struct fw_cmd *c, const uint8_t *mkc)
{
	enum fw_status status = check_mode(c, mkc);

	if (status != FW_OK)
		return status;
	if (!is_crossing(mkc) && PRM_GET(mkc, mkc, crossing_target_vhca_id))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	/* A key for one QP from the beginning is not implemented. */
	if (PRM_GET(mkc, mkc, qpn) != QPN_ANY)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	/* A permission to reorder, of which the model makes no use. */
	if (PRM_GET(mkc, mkc, relaxed_ordering_read) && !FW_GEN(c->hca, relaxed_ordering_read))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (!fw_pd(c, PRM_GET(mkc, mkc, pd)))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_PD);
	if (fw_at_limit(&c->hca->mkeys, FW_GEN(c->hca, log_max_mkey)))
		return fw_refuse(c, FW_LIM_ERR, FW_WHY_LIMIT);
	return FW_OK;
}

/* assumed(umem_rights_bound_the_mkey): an mkey over a umem that was registered without
 * IBV_ACCESS_LOCAL_WRITE grants no right to write, whatever its context says; CREATE_MKEY does
 * not refuse. */
static uint8_t rights_of(const uint8_t *mkc, const struct hca_umem *umem)
{
	uint8_t rights = access_of(mkc);

	if (umem && !umem->writable)
		rights &= HCA_LOCAL_READ | HCA_REMOTE_READ;
	return rights;
}

/* Copies the fields of the context, and takes the references. */
static void fill(struct fw_cmd *c, struct hca_mkey *m, const uint8_t *mkc)
{
	m->pd = fw_pd(c, PRM_GET(mkc, mkc, pd));
	m->variant = PRM_GET(mkc, mkc, mkey_7_0);
	m->access = rights_of(mkc, m->umem);
	m->length64 = PRM_GET(mkc, mkc, length64);
	m->start = hca_mkey_is_of_device(m) ? 0 : PRM_GET(mkc, mkc, start_addr);
	m->len = PRM_GET(mkc, mkc, len);
	m->free = PRM_GET(mkc, mkc, free);
	m->umr_en = PRM_GET(mkc, mkc, umr_en);
	m->en_rinval = PRM_GET(mkc, mkc, en_rinval);
	memcpy(m->mkc, mkc, HCA_MKC_SIZE);
	fw_begin(c, m);
}

/* mlx5_ib sets mkey_umem_valid in this mode too (devx.c, devx_handle_mkey_create), and NVIDIA's
 * snap makes such keys through it (snap_mr.c). */
/* assumed(crossing_mkey_reads_no_umem): of a crossing mkey, mkey_umem_valid, number and offset
 * of the umem are not read. */
/* assumed(crossing_target_has_to_be_there): a crossing mkey of a VHCA id that no other function
 * of the adapter has is BAD_PARAM; the key of that function is looked up at each use. */
static enum fw_status crossing(struct fw_cmd *c, struct mkey_parts *parts)
{
	const uint8_t *mkc = mkey_context(c);
	uint32_t id = PRM_GET(mkc, mkc, crossing_target_vhca_id);
	const struct hca_vhca *v = id == c->hca->slot ? NULL : hca_vhca_at(c->hca, id);

	if (PRM_GET(create_mkey_in, c->in, pg_access) ||
	    PRM_GET(create_mkey_in, c->in, translations_octword_actual_size))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (!v)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VHCA);
	parts->target = (struct hca_target){ .kind = HCA_TARGET_CROSSING,
					     .vhca_id = (uint8_t)id,
					     .key = PRM_GET(mkc, mkc, crossing_target_mkey),
					     .epoch = atomic_load(&v->epoch) };
	return FW_OK;
}

static enum fw_status translate(struct fw_cmd *c, struct mkey_parts *parts)
{
	const uint8_t *mkc = mkey_context(c);

	if (is_crossing(mkc))
		return crossing(c, parts);
	return is_list(mkc) ? mkey_list(c, parts) : mkey_pages(c, parts);
}

enum fw_status fw_create_mkey(struct fw_cmd *c)
{
	const uint8_t *mkc = mkey_context(c);
	struct mkey_parts parts = { 0 };
	enum fw_status status = check_context(c, mkc);
	struct hca_mkey *m;

	if (status == FW_OK)
		status = translate(c, &parts);
	if (status != FW_OK)
		return status;
	m = hca_mkey_new(c->hca);
	if (!m) {
		free(parts.pages.pas);
		free(parts.list);
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	}
	m->pages = parts.pages;
	m->memic = parts.memic;
	m->sw_icm = parts.sw_icm;
	m->umem = parts.umem;
	m->list = parts.list;
	m->entries = parts.entries;
	m->capacity = parts.capacity;
	m->log_entity = parts.log_entity;
	m->window = parts.window;
	m->target = parts.target;
	fill(c, m, mkc);
	PRM_SET(create_mkey_out, c->out, mkey_index, m->index);
	return FW_OK;
}

/* An alias is a general object (alias.c), with a number of the same space. */
static struct hca_mkey *created(const struct fw_cmd *c, uint32_t number)
{
	struct hca_mkey *m = fw_mkey(c, number);

	return m && m->target.kind != HCA_TARGET_ALIAS ? m : NULL;
}

enum fw_status fw_query_mkey(struct fw_cmd *c)
{
	struct hca_mkey *m = created(c, PRM_GET(query_mkey_in, c->in, mkey_index));
	size_t list = PRM_OFF(query_mkey_out, bsf0_klm0_pas_mtt0_1) / 8;

	if (!m)
		return fw_absent(c);
	memcpy(PRM_ADDR(query_mkey_out, c->out, memory_key_mkey_entry), m->mkc, HCA_MKC_SIZE);
	if (m->list)
		mkey_put_list(c, list, m);
	else if (!m->length64 && !hca_mkey_is_of_device(m) && !m->target.kind)
		fw_put_pas(c, list, &m->pages);
	return FW_OK;
}

/* Keys whose lists name this one do not hold it: they find it destroyed. */
enum fw_status fw_destroy_mkey(struct fw_cmd *c)
{
	return fw_destroy(c, created(c, PRM_GET(destroy_mkey_in, c->in, mkey_index)));
}
