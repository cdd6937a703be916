/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Byte stream formats: what a key checks, adds, takes out or encrypts while data passes it.
 * Read umr.h before: a BSF is 64 bytes after the translation list of a UMR. The bytes are
 * compared with libmlx5's; the emulator does not execute these WQEs.
 *
 *	memory  <- m: protection in memory | w: protection on the wire ->  wire
 *
 *	signature BSF                               crypto BSF
 *	+0  size << 6 | same structure << 4         +0  size << 6 | 1
 *	+1  which bytes are checked                 +1  order    +3  standard
 *	+2  wire: bytes copied, or block size       +4  raw_data_size
 *	+3  memory: block size                      +8  block size
 *	+4  raw_data_size                           +16 initial tweak, 16
 *	+8  wire: format << 24 | PSV                +32 data encryption key
 *	+12 memory: format << 24 | PSV              +40 key tag, 8
 *	+16 extended part: zeros
 *	+32 wire: T10-DIF tags, 16
 *	+48 memory: T10-DIF tags, 16
 *
 * A PSV is a protection context of the device (CREATE_PSV): it holds where the check has come
 * to, per domain. The UMR is followed by a SET_PSV for each domain that has one, memory first:
 *
 *	err = dv_bsf_set_sig(&bsf, &attr, psv, 0);
 *	dv_umr_set_bsf(&umr, &bsf, 1);
 *	dv_sq_umr_list(&sq, 0, &umr, sge, n);                                   (post_umr.h)
 *	dv_sq_set_psv(&sq, small_fence, psv.mem, dv_sig_transient(attr.mem));
 *	dv_sq_set_psv(&sq, small_fence | signalled, psv.wire, dv_sig_transient(attr.wire));
 *
 * Domains and crypto are described by the structs of mlx5dv.h
 * (mlx5dv_wr_set_mkey_sig_block(3)), and what comes out is what libmlx5 posts. It has no use
 * for the basic and the extended BSF, those of 16 and 32 bytes, and neither has dv.
 */
#ifndef DV_BSF_H
#define DV_BSF_H

#include <dv/umr.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	DV_BSF_SIZE_WITH_INLINE = 2,
	DV_BSF_SIZE_SIG_AND_CRYPTO = 3,
	DV_BSF_SAME_STRUCTURE = 1 << 4,
	DV_BSF_TYPE_CRYPTO = 1,

	/* formats, above the PSV */
	DV_BFS_CRC32 = 0x20,
	DV_BFS_CRC32C = 0x40,
	DV_BFS_CRC64_XP10 = 0x50,
	DV_BFS_CRC_SEED_0 = 0x1, /* and not all ones */
	DV_BFS_CRC_REPEAT = 0x2,

	/* T10-DIF tags */
	DV_BSF_INL_VALID = 1 << 15,
	DV_BSF_INL_REFRESH = 1 << 14,
	DV_BSF_INL_CRC = 1,
	DV_BSF_INL_CSUM = 2,
	DV_BSF_INL_REPEAT_BLOCK = 1 << 7,
	DV_BSF_INL_SEED_ONES = 1 << 3,
	DV_BSF_INL_INC_REFTAG = 1 << 6,
	DV_BSF_INL_APP_REF_ESCAPE = 2,
	DV_BSF_INL_APP_ESCAPE = 1,

	/* order of a crypto BSF */
	DV_BSF_ENCRYPTED_WIRE_SIGNATURE = 0,
	DV_BSF_ENCRYPTED_MEMORY_SIGNATURE = 1,
	DV_BSF_ENCRYPTED_RAW_WIRE = 2,
	DV_BSF_ENCRYPTED_RAW_MEMORY = 3,
};

struct dv_bsf_inl {
	__be16 vld_refresh;
	__be16 apptag;
	__be32 reftag;
	uint8_t sig_type;
	uint8_t rp_inv_seed;
	uint8_t reserved[3];
	uint8_t inc_ref_guard_check;
	__be16 app_bitmask_check;
};

struct dv_bsf_sig {
	uint8_t size_sbs;
	uint8_t check_byte_mask;
	uint8_t wire; /* copy_byte_mask with the same structure, otherwise bs_selector */
	uint8_t mem;  /* bs_selector */
	__be32 raw_data_size;
	__be32 w_bfs_psv;
	__be32 m_bfs_psv;
	__be32 extended[4];
	struct dv_bsf_inl w_inl;
	struct dv_bsf_inl m_inl;
};

struct dv_bsf_crypto {
	uint8_t size_type;
	uint8_t enc_order;
	uint8_t reserved0;
	uint8_t enc_standard;
	__be32 raw_data_size;
	uint8_t bs_pointer;
	uint8_t reserved1[7];
	uint8_t xts_initial_tweak[16];
	__be32 dek;
	uint8_t reserved2[4];
	uint8_t keytag[8];
	uint8_t reserved3[16];
};

/* Either of them. */
struct dv_wqe_bsf_seg {
	union {
		struct dv_bsf_sig sig;
		struct dv_bsf_crypto crypto;
	} of;
};

struct dv_wqe_set_psv_seg {
	__be32 psv_index;
	__be16 syndrome;
	uint8_t reserved[2];
	__be64 transient_signature;
};

static_assert(sizeof(struct dv_bsf_inl) == 16, "BSF");
static_assert(sizeof(struct dv_bsf_sig) == 64, "BSF");
static_assert(offsetof(struct dv_bsf_sig, w_inl) == 32, "BSF");
static_assert(sizeof(struct dv_bsf_crypto) == 64, "crypto BSF");
static_assert(offsetof(struct dv_bsf_crypto, dek) == 32, "crypto BSF");
static_assert(sizeof(struct dv_wqe_bsf_seg) == 64, "BSF");
static_assert(sizeof(struct dv_wqe_set_psv_seg) == 16, "SET_PSV segment");

/* The protection contexts of a key, as CREATE_PSV numbers them; of a domain with none,
 * anything. */
struct dv_psv {
	uint32_t mem, wire;
};

/* The selector of a block size. */
DV_INLINE uint8_t dv_bsf_block(enum mlx5dv_block_size size)
{
	switch (size) {
	case MLX5DV_BLOCK_SIZE_512:
		return 1;
	case MLX5DV_BLOCK_SIZE_520:
		return 2;
	case MLX5DV_BLOCK_SIZE_4096:
		return 3;
	case MLX5DV_BLOCK_SIZE_4160:
		return 4;
	case MLX5DV_BLOCK_SIZE_4048:
		return 6;
	}
	return 0;
}

#pragma GCC visibility push(default)

/* Fills @bsf, all of it, for UMRs with @attr. @crypto: a crypto BSF follows it. 0 or EINVAL: no
 * domain at all, or a copy mask where the two domains are not of one structure. */
int dv_bsf_set_sig(struct dv_wqe_bsf_seg *bsf, const struct mlx5dv_sig_block_attr *attr,
		   struct dv_psv psv, int crypto);

/* Fills @bsf for UMRs with @attr, whose dek is not looked at: @dek is its object. @sig: what
 * the BSF before it says, or NULL if there is none. @big_endian_tweak: the device has
 * MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_MULTI_BLOCK. 0 or EINVAL: an order that no device does. */
int dv_bsf_set_crypto(struct dv_wqe_bsf_seg *bsf, const struct mlx5dv_crypto_attr *attr,
		      uint32_t dek, const struct mlx5dv_sig_block_attr *sig,
		      int big_endian_tweak);

/* The initial value of a domain for SET_PSV. */
uint64_t dv_sig_transient(const struct mlx5dv_sig_block_domain *domain);

#pragma GCC visibility pop

DV_INLINE void *dv_set_psv_seg(void *seg, uint32_t psv_index, uint64_t transient_signature)
{
	struct dv_wqe_set_psv_seg *p = (struct dv_wqe_set_psv_seg *)seg;

	p->psv_index = htobe32(psv_index);
	p->syndrome = 0;
	memset(p->reserved, 0, sizeof(p->reserved));
	p->transient_signature = htobe64(transient_signature);
	return p + 1;
}

#ifdef __cplusplus
}
#endif

#endif
