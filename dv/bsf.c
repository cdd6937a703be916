/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fills BSFs from the structs of mlx5dv.h (bsf.h). Once per format of data, not once per WQE,
 * so not inline. The rules of what belongs together are those of
 * mlx5dv_wr_set_mkey_sig_block(3) and mlx5dv_wr_set_mkey_crypto(3).
 */
#include <dv/bsf.h>

#include "refuse.h"

static uint32_t crc_format(const struct mlx5dv_sig_crc *crc)
{
	uint32_t format = DV_BFS_CRC_REPEAT | (crc->seed ? 0 : DV_BFS_CRC_SEED_0);

	switch (crc->type) {
	case MLX5DV_SIG_CRC_TYPE_CRC32:
		return format | DV_BFS_CRC32;
	case MLX5DV_SIG_CRC_TYPE_CRC32C:
		return format | DV_BFS_CRC32C;
	case MLX5DV_SIG_CRC_TYPE_CRC64_XP10:
		return format | DV_BFS_CRC64_XP10;
	}
	return 0;
}

static uint8_t escapes(uint16_t flags)
{
	if (flags & MLX5DV_SIG_T10DIF_FLAG_APP_REF_ESCAPE)
		return DV_BSF_INL_APP_REF_ESCAPE;
	return flags & MLX5DV_SIG_T10DIF_FLAG_APP_ESCAPE ? DV_BSF_INL_APP_ESCAPE : 0;
}

static void set_tags(struct dv_bsf_inl *inl, const struct mlx5dv_sig_t10dif *dif)
{
	inl->vld_refresh = htobe16(DV_BSF_INL_VALID | DV_BSF_INL_REFRESH);
	inl->apptag = htobe16(dif->app_tag);
	inl->reftag = htobe32(dif->ref_tag);
	inl->sig_type =
		dif->bg_type == MLX5DV_SIG_T10DIF_CRC ? DV_BSF_INL_CRC : DV_BSF_INL_CSUM;
	inl->rp_inv_seed = DV_BSF_INL_REPEAT_BLOCK | (dif->bg ? DV_BSF_INL_SEED_ONES : 0);
	inl->inc_ref_guard_check = escapes(dif->flags);
	if (dif->flags & MLX5DV_SIG_T10DIF_FLAG_REF_REMAP)
		inl->inc_ref_guard_check |= DV_BSF_INL_INC_REFTAG;
	inl->app_bitmask_check = htobe16(0xffff);
}

/* Format and PSV of a domain; T10-DIF has its tags in @inl and no format. */
static __be32 set_domain(const struct mlx5dv_sig_block_domain *domain, uint32_t psv,
			 struct dv_bsf_inl *inl)
{
	uint32_t format = 0;

	if (domain->sig_type == MLX5DV_SIG_TYPE_CRC)
		format = crc_format(domain->sig.crc);
	else
		set_tags(inl, domain->sig.dif);
	return htobe32(format << 24 | (psv & 0xffffff));
}

/* Whether blocks look alike in memory and on the wire: then bytes of protection may be
 * copied. */
static bool same_structure(const struct mlx5dv_sig_block_domain *mem,
			   const struct mlx5dv_sig_block_domain *wire)
{
	if (!mem || mem->sig_type != wire->sig_type || mem->block_size != wire->block_size)
		return false;
	return mem->sig_type != MLX5DV_SIG_TYPE_CRC ||
	       mem->sig.crc->type == wire->sig.crc->type;
}

/* Which bytes may be, where the caller does not say: those that are equal in both. */
static uint8_t copied(const struct mlx5dv_sig_block_domain *mem,
		      const struct mlx5dv_sig_block_domain *wire)
{
	const struct mlx5dv_sig_t10dif *m, *w;
	unsigned int mask = 0;

	if (wire->sig_type == MLX5DV_SIG_TYPE_CRC)
		return wire->sig.crc->type == MLX5DV_SIG_CRC_TYPE_CRC64_XP10
			       ? MLX5DV_SIG_MASK_CRC64_XP10
			       : MLX5DV_SIG_MASK_CRC32;
	m = mem->sig.dif;
	w = wire->sig.dif;
	if (m->bg_type == w->bg_type && m->bg == w->bg)
		mask |= MLX5DV_SIG_MASK_T10DIF_GUARD;
	if (m->app_tag == w->app_tag)
		mask |= MLX5DV_SIG_MASK_T10DIF_APPTAG;
	if (m->ref_tag == w->ref_tag)
		mask |= MLX5DV_SIG_MASK_T10DIF_REFTAG;
	return (uint8_t)mask;
}

int dv_bsf_set_sig(struct dv_wqe_bsf_seg *bsf, const struct mlx5dv_sig_block_attr *attr,
		   struct dv_psv psv, int crypto)
{
	bool copy_mask = attr->flags & MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK;
	const struct mlx5dv_sig_block_domain *mem = attr->mem, *wire = attr->wire;
	bool same = wire && same_structure(mem, wire);
	struct dv_bsf_sig *s = &bsf->of.sig;

	if (!mem && !wire)
		return dv_refuse(EINVAL, "no domain: neither mem nor wire");
	if (wire && copy_mask && !same)
		return dv_refuse(EINVAL,
				 "a copy mask needs the same structure in both domains");
	memset(bsf, 0, sizeof(*bsf));
	s->size_sbs =
		(uint8_t)((crypto ? DV_BSF_SIZE_SIG_AND_CRYPTO : DV_BSF_SIZE_WITH_INLINE) << 6);
	s->check_byte_mask = attr->check_mask;
	s->raw_data_size = htobe32(UINT32_MAX);
	if (mem) {
		s->m_bfs_psv = set_domain(mem, psv.mem, &s->m_inl);
		s->mem = dv_bsf_block(mem->block_size);
	}
	if (!wire)
		return 0;
	s->w_bfs_psv = set_domain(wire, psv.wire, &s->w_inl);
	if (same) {
		s->size_sbs |= DV_BSF_SAME_STRUCTURE;
		s->wire = copy_mask ? attr->copy_mask : copied(mem, wire);
	} else {
		s->wire = dv_bsf_block(wire->block_size);
	}
	return 0;
}

static uint8_t crypto_order(const struct mlx5dv_crypto_attr *attr)
{
	bool after = attr->signature_crypto_order ==
		     MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_AFTER_CRYPTO_ON_TX;

	if (attr->encrypt_on_tx)
		return after ? DV_BSF_ENCRYPTED_RAW_WIRE : DV_BSF_ENCRYPTED_WIRE_SIGNATURE;
	return after ? DV_BSF_ENCRYPTED_MEMORY_SIGNATURE : DV_BSF_ENCRYPTED_RAW_MEMORY;
}

int dv_bsf_set_crypto(struct dv_wqe_bsf_seg *bsf, const struct mlx5dv_crypto_attr *attr,
		      uint32_t dek, const struct mlx5dv_sig_block_attr *sig,
		      int big_endian_tweak)
{
	struct dv_bsf_crypto *c = &bsf->of.crypto;
	const size_t n = sizeof(c->xts_initial_tweak);
	uint8_t order = crypto_order(attr);
	size_t i;

	/* The raw orders do not go with signatures in both domains. */
	if (order >= DV_BSF_ENCRYPTED_RAW_WIRE && sig && sig->mem && sig->wire)
		return dv_refuse(EINVAL,
				 "a raw order does not go with signatures in both domains");
	memset(bsf, 0, sizeof(*bsf));
	c->size_type =
		(uint8_t)((sig ? DV_BSF_SIZE_SIG_AND_CRYPTO : DV_BSF_SIZE_WITH_INLINE) << 6 |
			  DV_BSF_TYPE_CRYPTO);
	c->enc_order = order;
	c->raw_data_size = htobe32(UINT32_MAX);
	c->bs_pointer = dv_bsf_block(attr->data_unit_size);
	for (i = 0; i < n; i++)
		c->xts_initial_tweak[i] =
			(uint8_t)attr->initial_tweak[big_endian_tweak ? n - 1 - i : i];
	c->dek = htobe32(dek & 0xffffff);
	memcpy(c->keytag, attr->keytag, sizeof(c->keytag));
	return 0;
}

uint64_t dv_sig_transient(const struct mlx5dv_sig_block_domain *domain)
{
	const struct mlx5dv_sig_t10dif *dif;
	const struct mlx5dv_sig_crc *crc;

	if (domain->sig_type == MLX5DV_SIG_TYPE_CRC) {
		crc = domain->sig.crc;
		return crc->type == MLX5DV_SIG_CRC_TYPE_CRC64_XP10 ? crc->seed
								   : crc->seed << 32;
	}
	dif = domain->sig.dif;
	return (uint64_t)dif->bg << 48 | (uint64_t)dif->app_tag << 32 | dif->ref_tag;
}
