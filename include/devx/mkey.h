/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory keys by firmware command: over a umem (MTT), or over other keys (KLM, KSM).
 *
 *	key = index << 8 | tag          the device gives the index, the caller the tag
 *
 *	MTT   start_addr [======= len =======]          addresses as WQEs name them
 *	                  |      |      |      |
 *	      umem       [page] [page] [page] [page]    from umem_offset on
 *
 *	KLM   [ 3 B ][   9000 B   ][ 77 B ]             keys of any lengths, one after another
 *	KSM   [ 2^n B ][ 2^n B ][ 2^n B ]               all of one length
 *
 * Alignment of MTT keys: the first byte of the key and start_addr must be at the same offset
 * in a page, and the page is the *umem's*. A plain umem has the largest pages that its memory
 * allows: a buffer that starts in the middle of a huge page has huge pages and a large offset,
 * and a start_addr that agrees with it in the low 12 bits only is refused (BAD_PARAM, syndrome
 * 0x317175). Safe: start_addr = the address that was registered + umem_offset. If start_addr
 * is to be something else, 0 say, register the umem with pages no larger than the lowest set
 * bit of (address ^ start_addr), and buffers at page boundaries.
 *
 * A umem's access says how its memory is pinned, a key's access what the device may do with
 * it: both have to allow a write. Indirect keys allow what they and the key below allow.
 * Keys below are not destroyed before the keys above them.
 *
 * Keys for work requests to fill (UMR) are mlx5dv_create_mkey()'s.
 */
#ifndef DEVX_MKEY_H
#define DEVX_MKEY_H

#include <devx/devx.h>
#include <prm/prm.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct devx_mkey {
	struct devx_obj obj; /* obj.id: the index */
	uint32_t key;	     /* lkey and rkey */
};

struct devx_mkey_attr {
	uint32_t pdn;
	uint32_t access; /* IBV_ACCESS_{LOCAL,REMOTE}_WRITE, REMOTE_{READ,ATOMIC},
			  * RELAXED_ORDERING (of writes and of reads, as far as the
			  * capabilities have it); local reads are always allowed */
	uint64_t start_addr;
	uint64_t len;
	uint8_t tag;

	/* MTT */
	uint32_t umem_id;
	uint64_t umem_offset;
	uint8_t log_page_size; /* 0: 12 */

	/* KSM */
	uint8_t log_entity_size; /* length of every entry */
	uint64_t reserved[2];	 /* 0 */
};

/* A piece of an indirect key: @len bytes at @addr of @key. KSM keys do not look at @len. */
struct devx_mkey_entry {
	uint32_t key;
	uint32_t len;
	uint64_t addr;
};

/* The longest list that fits an inbox; the device may allow less (log_max_klm_list_size). */
#define DEVX_MKEY_MAX_ENTRIES 4076

/* Over attr->len bytes of a umem. EINVAL: an access flag that keys do not have, len 0. */
int devx_mkey_create(struct devx_mkey *mkey, struct ibv_context *ctx,
		     const struct devx_mkey_attr *attr);

/* Over @n entries. attr->len 0: the sum of the entries. EINVAL: too many entries or none, an
 * entry of length 0, len beyond the entries. KSM wants the capability fixed_buffer_size. */
int devx_mkey_create_klm(struct devx_mkey *mkey, struct ibv_context *ctx,
			 const struct devx_mkey_attr *attr, const struct devx_mkey_entry *entry,
			 size_t n);
int devx_mkey_create_ksm(struct devx_mkey *mkey, struct ibv_context *ctx,
			 const struct devx_mkey_attr *attr, const struct devx_mkey_entry *entry,
			 size_t n);

/*
 * For experts: over key @target_mkey of another VHCA, @vhca_id (access mode CROSSING).
 * Addresses are those of that key; of the keys that emulation objects report
 * (emulated_device_crossed_vhca_mkey) they are the other function's own, IOVA or physical.
 * Unlike an alias (vhca.h) it needs no consent, so it needs the capability crossing_vhca_mkey
 * and a privilege over the other function, which the embedded CPU of a BlueField has. attr->len
 * 0: all addresses (length64). (Linux, mlx5_ib, mr.c, reg_create_crossing_vhca_mr(), whose VHCA
 * is its own.)
 *
 * EOPNOTSUPP: the device has no such keys: of the emulator's, only the DPU's function of a
 * BlueField has.
 */
int devx_mkey_create_crossing(struct devx_mkey *mkey, struct ibv_context *ctx,
			      const struct devx_mkey_attr *attr, uint16_t vhca_id,
			      uint32_t target_mkey);

/* Writes the key's context; PRM_GET(mkc, mkc, …) reads it. */
int devx_mkey_query(struct devx_mkey *mkey, uint8_t mkc[PRM_SZ(mkc)]);
int devx_mkey_destroy(struct devx_mkey *mkey);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
