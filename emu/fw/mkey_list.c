/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Indirect memory keys: bytes of other keys, one entry after the other.
 *
 *	KLM   | byte_count, mkey, address | byte_count, mkey, address | …
 *	KSM   | mkey, address | mkey, address | …		1 << log_entity_size bytes each
 *
 * The list is at the end of the inbox, an octword an entry, or comes later by UMR: then the key
 * is made free, with space for it. The driver's own free key is a memory window (mlx5_ib, mr.c,
 * mlx5_ib_alloc_mw) until its IB_WR_REG_MR gives it a list (mlx5_ib_alloc_mr, SG_GAPS); DevX's
 * is what mlx5dv_create_mkey() makes.
 *
 * The keys named by entries are checked at use (mem).
 */
#include <stdlib.h>

#include "fw/mkey.h"

#define OP_REPEAT 0x400 /* in place of a key */

/* A memory window, or a key for the kernel's IB_WR_REG_MR: space for entries alone. */
static bool is_window(const struct fw_cmd *c)
{
	return !c->uid && PRM_GET(mkc, mkey_context(c), free) &&
	       mkey_mode(mkey_context(c)) == PRM_MKC_ACCESS_MODE_KLMS;
}

static enum fw_status check_window(struct fw_cmd *c)
{
	const uint8_t *mkc = mkey_context(c);

	if (PRM_GET(create_mkey_in, c->in, translations_octword_actual_size))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (PRM_GET(mkc, mkc, length64) || PRM_GET(mkc, mkc, start_addr) ||
	    PRM_GET(mkc, mkc, len))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	return FW_OK;
}

static enum fw_status check_counts(struct fw_cmd *c)
{
	const uint8_t *mkc = mkey_context(c);
	uint32_t capacity = PRM_GET(mkc, mkc, translations_octword_size);
	uint32_t given = PRM_GET(create_mkey_in, c->in, translations_octword_actual_size);

	/* assumed(klm_list_holds_what_is_given): an indirect key with space for no entry, with
	 * more entries in the inbox than space, or with more space than 1 <<
	 * log_max_klm_list_size is BAD_PARAM. */
	if (!capacity || given > capacity ||
	    capacity > 1u << FW_GEN(c->hca, log_max_klm_list_size))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	if (c->in_len < PRM_SZ(create_mkey_in) + (uint64_t)given * MKEY_OCTWORD)
		return fw_refuse(c, FW_BAD_INP_LEN, FW_WHY_PAS);
	return FW_OK;
}

static enum fw_status check_ksm(struct fw_cmd *c)
{
	const uint8_t *mkc = mkey_context(c);
	uint64_t len = PRM_GET(mkc, mkc, len);
	uint32_t log_entity = PRM_GET(mkc, mkc, log_page_size);
	uint32_t capacity = PRM_GET(mkc, mkc, translations_octword_size);

	if (!FW_GEN(c->hca, fixed_buffer_size) || log_entity > 31)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	/* UCX (ib_mlx5dv_md.c) adds an entry that it does not need because of the "CREATE_MKEY
	 * range check". */
	/* assumed(ksm_list_must_cover): a KSM key whose entries times entity is less than its
	 * length is BAD_PARAM. */
	if (!log_entity || (len && (len - 1) >> log_entity >= capacity))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	return FW_OK;
}

static enum fw_status check_list(struct fw_cmd *c)
{
	const uint8_t *mkc = mkey_context(c);
	uint64_t start = PRM_GET(mkc, mkc, start_addr), len = PRM_GET(mkc, mkc, len);
	enum fw_status status = check_counts(c);

	if (status != FW_OK)
		return status;
	/* The driver does not set mkey_umem_valid for these (mlx5_ib, devx.c). */
	if (PRM_GET(create_mkey_in, c->in, mkey_umem_valid) ||
	    PRM_GET(create_mkey_in, c->in, pg_access))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (len && start + len - 1 < start)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	if (mkey_mode(mkc) == PRM_MKC_ACCESS_MODE_KSM)
		return check_ksm(c);
	/* A KLM says its own length. */
	if (PRM_GET(mkc, mkc, log_page_size))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	return is_window(c) ? check_window(c) : FW_OK;
}

static void read_list(const struct fw_cmd *c, struct mkey_parts *parts)
{
	const uint8_t *klm = c->in + PRM_SZ(create_mkey_in);

	for (uint32_t i = 0; i < parts->entries; i++, klm += MKEY_OCTWORD)
		parts->list[i] = (struct hca_klm){ .len = PRM_GET(klm, klm, byte_count),
						   .key = PRM_GET(klm, klm, mkey),
						   .addr = PRM_GET(klm, klm, address) };
}

enum fw_status mkey_list(struct fw_cmd *c, struct mkey_parts *parts)
{
	const uint8_t *mkc = mkey_context(c);
	enum fw_status status = check_list(c);

	if (status != FW_OK)
		return status;
	parts->window = is_window(c);
	parts->capacity = PRM_GET(mkc, mkc, translations_octword_size);
	parts->entries = PRM_GET(create_mkey_in, c->in, translations_octword_actual_size);
	if (mkey_mode(mkc) == PRM_MKC_ACCESS_MODE_KSM)
		parts->log_entity = PRM_GET(mkc, mkc, log_page_size);
	parts->list = calloc(parts->capacity, sizeof(*parts->list));
	if (!parts->list)
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	read_list(c, parts);
	return FW_OK;
}

static void put(uint8_t *klm, const struct hca_klm *from)
{
	PRM_SET(klm, klm, byte_count, from->len | from->stride << 16);
	PRM_SET(klm, klm, mkey, from->key);
	PRM_SET(klm, klm, address, from->addr);
}

/* The head of a strided list: rdma-core, mlx5dv.h, struct mlx5_wqe_umr_repeat_block_seg. */
static void put_repeat(uint8_t *klm, const struct hca_mkey *m)
{
	uint32_t bytes = 0;

	for (uint32_t i = 0; i < m->entries; i++)
		bytes += m->list[i].len;
	PRM_SET(klm, klm, byte_count, bytes);
	PRM_SET(klm, klm, mkey, OP_REPEAT);
	PRM_SET(klm, klm, address, (uint64_t)m->repeat << 32 | m->entries);
}

void mkey_put_list(struct fw_cmd *c, size_t offset, const struct hca_mkey *m)
{
	if (m->repeat && offset + MKEY_OCTWORD <= c->out_len) {
		put_repeat(c->out + offset, m);
		offset += MKEY_OCTWORD;
	}
	for (uint32_t i = 0; i < m->entries && offset + MKEY_OCTWORD <= c->out_len; i++) {
		put(c->out + offset, &m->list[i]);
		offset += MKEY_OCTWORD;
	}
}
