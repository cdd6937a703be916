/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compressed CQEs: when several in a row are nearly the same, the device writes one of them,
 * the title, and of each only 8 bytes, a mini-CQE. Read cq.h before.
 *
 *	basic, a session of 11        | title | 8 minis |  .  |  .  | ... | 3 minis |  .  |  .  |
 *	                                ci      ci + 1                      ci + 8
 *	enhanced, a session of 5      | CQE   | 5 minis |  .  |  .  |  .  |  .  |
 *	                                ci - 1  ci
 *
 * Basic: the title has format 3 and counts the session in byte_cnt; its first mini is of
 * itself. Enhanced: the last CQE before is the title; up to 7 minis lie in one slot, whose
 * opcode field counts them. In both, a session of n completions takes n slots; what the device
 * does not write (.) is old. Enhanced rings have no owner bit: byte 62 counts the passes over
 * the ring, and starts as 0xff.
 *
 *	mini      HASH         RSS hash               | byte_cnt
 *	          CSUM         checksum    -          | byte_cnt
 *	          FTAG_STRIDX  tag, 16 low | stride   | tag, 8 high | length, 16 of 24
 *	          CSUM_STRIDX  checksum    | stride   | byte_cnt
 *	          L34H_STRIDX  -  headers  | stride   | byte_cnt
 *	          a requester's, whatever the format: wqe_counter  opcode  - | byte_cnt
 *
 *	dv_mini_init(&mini, &cq, &attr);	instead of polling cq
 *	while ((cqe = dv_mini_poll(&mini))) …		as with dv_cq_poll()
 *	dv_cq_release(&mini.cq);
 *
 * Expanded CQEs are written back into the ring, in place of the session, each into its own slot
 * with the owner bit or pass of that slot; from then on they are CQEs as all others, and stay
 * readable until dv_cq_release(). Nothing of a session is ever left half read, and no slot
 * keeps an old owner bit that a later pass would take for valid.
 *
 * An expanded CQE says what the title does, except byte_cnt and what the mini has; wqe_counter
 * counts on from the title where the minis do not have it. RSS hash and checksum may differ in
 * each packet: where the minis do not have them they are 0 in all but a basic session's title.
 * FTAG_STRIDX does not have the count of strides (mp.h).
 *
 * The CQ: cqc.cqe_comp_en, mini_cqe_res_format, cqe_comp_layout; or mlx5dv_create_cq() with
 * MLX5DV_CQ_INIT_ATTR_MASK_COMPRESSED_CQE (basic), which libmlx5 itself cannot poll. With
 * 64-byte CQEs: no public source says where the minis are in larger ones. dv_cq_clean() and
 * dv_cq_resize() look for whole CQEs: not for these.
 */
#ifndef DV_MINI_H
#define DV_MINI_H

#include <dv/cq.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* As cqc.mini_cqe_res_format has them; the last one is 0 with mini_cqe_res_format_ext 1. */
enum dv_mini_format {
	DV_MINI_HASH = 0,
	DV_MINI_CSUM = 1,
	DV_MINI_FTAG_STRIDX = 2,
	DV_MINI_CSUM_STRIDX = 3,
	DV_MINI_L34H_STRIDX = 4,
};

/* A mini-CQE: 4 bytes that depend on the format, byte_cnt. */
struct dv_mini_cqe {
	uint8_t what[4];
	__be32 byte_cnt;
};

static_assert(sizeof(struct dv_mini_cqe) == 8, "mini-CQE");

struct dv_mini {
	struct dv_cq cq;	 /* the ring; arm and release this one */
	struct mlx5_cqe64 title; /* enhanced: the last CQE polled */
	enum dv_mini_format format;
	uint32_t log_cqe_cnt;
	bool enhanced;
	bool striding; /* the CQEs are a striding RQ's */
};

struct dv_mini_attr {
	enum dv_mini_format format;
	bool enhanced;
	bool striding; /* formats without the stride count it on (mp.h) */
};

/* Takes over @cq, which is not polled by itself any more. 0, EOPNOTSUPP: CQEs of 128 bytes, or
 * no such format. An enhanced CQ's ring has to start with byte 62 of each slot 0xff:
 * dv_cq_blank(). */
int dv_mini_init(struct dv_mini *m, const struct dv_cq *cq, const struct dv_mini_attr *attr);

/* Writes out the session whose first CQE was polled last. dv_mini_poll() calls it. */
void dv_mini_expand(struct dv_mini *m);

/* The next CQE of an enhanced ring, as the device left it. */
DV_INLINE struct mlx5_cqe64 *dv_mini_poll_enhanced(struct dv_mini *m)
{
	uint32_t ci = m->cq.ci;
	struct mlx5_cqe64 *cqe =
		(struct mlx5_cqe64 *)(void *)(m->cq.cqe64 + (ci & m->cq.mask) * m->cq.cqe_size);

	if (*(const volatile uint8_t *)&cqe->signature != (uint8_t)(ci >> m->log_cqe_cnt))
		return NULL;
	m->cq.ci = ci + 1;
	dv_barrier_owner_before_cqe();
	return cqe;
}

/* The next CQE, whole, or NULL: nothing yet. It stays readable until dv_cq_release(). */
DV_INLINE const struct mlx5_cqe64 *dv_mini_poll(struct dv_mini *m)
{
	const struct mlx5_cqe64 *cqe =
		m->enhanced ? dv_mini_poll_enhanced(m) : dv_cq_poll(&m->cq);

	if (!cqe)
		return NULL;
	if (dv_cqe_is_compressed(cqe))
		dv_mini_expand(m);
	if (m->enhanced)
		m->title = *cqe;
	return cqe;
}

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
