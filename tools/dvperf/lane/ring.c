/* SPDX-License-Identifier: BSD-2-Clause */
/* The ways of ringing of ring.h, and the choice between them. */
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "ring.h"

/* Blocks of the last WQE that go to the register; 0: its first 8 bytes do. */
DV_INLINE unsigned int whole_blocks(const struct dv_sq *sq)
{
	unsigned int ds = dv_wqe_ds(sq->last);

	return ds < 2 || ds * DV_WQE_DS > sq->bf_size ? 0 : (ds + 3) / 4;
}

static void ring_last(struct lane *l)
{
	struct dv_sq *sq = &l->sq;

	if (sq->pi == sq->db_pi)
		return;
	dv_sq_record(sq);
	dv_sq_ring(sq, whole_blocks(sq));
}

/* The barriers of dv_sq_ring() taken away: WRONG on a write-combining register, which may then
 * see the doorbell before the record, or keep it back. To learn what each costs. */
DV_INLINE void ring_without(struct lane *l, bool before)
{
	struct dv_sq *sq = &l->sq;
	volatile uint64_t *reg = (volatile uint64_t *)(sq->bf_reg + sq->bf_offset);

	if (sq->pi == sq->db_pi)
		return;
	dv_sq_record(sq);
	if (before)
		dv_barrier_dbrec_before_bf_reg();
	dv_copy_word(reg, sq->last);
	sq->bf_offset ^= sq->bf_size;
	sq->db_pi = sq->pi;
}

static void ring_pre(struct lane *l)
{
	ring_without(l, true);
}

static void ring_none(struct lane *l)
{
	ring_without(l, false);
}

static void ring_db(struct lane *l)
{
	dv_sq_doorbell(&l->sq);
}

static void ring_bf(struct lane *l)
{
	dv_sq_blueflame(&l->sq); /* of a batch: a doorbell */
}

#if defined(__x86_64__)

enum { CPUID_7_ECX_MOVDIR64B = 1 << 28 };

/* Copies a 64-byte block to the register, by an instruction that only some CPUs have. */
typedef void copy_block(char *reg, const char *wqe);

/* dv_sq_blueflame() with another copy. Both barriers stay: the store is ordered by nothing else
 * (Intel SDM, MOVDIR64B: weakly ordered; a zmm store to write-combining memory is too). */
static inline __attribute__((always_inline)) void ring_by(struct lane *l, copy_block *copy)
{
	struct dv_sq *sq = &l->sq;
	char *reg = sq->bf_reg + sq->bf_offset;
	const char *wqe = (const char *)sq->last;
	unsigned int blocks = whole_blocks(sq);

	if (sq->pi == sq->db_pi)
		return;
	if (!blocks || wqe != (const char *)dv_sq_at(sq, sq->db_pi)) {
		dv_sq_doorbell(sq);
		return;
	}
	dv_sq_record(sq);
	dv_barrier_dbrec_before_bf_reg();
	for (; blocks; blocks--, wqe += DV_WQE_BB, reg += DV_WQE_BB)
		copy(reg, wqe);
	dv_barrier_bf_reg_flush();
	sq->bf_offset ^= sq->bf_size;
	sq->db_pi = sq->pi;
}

static __attribute__((target("avx512f"))) void copy_zmm(char *reg, const char *wqe)
{
	_mm512_store_si512(reg, _mm512_loadu_si512(wqe));
}

static __attribute__((target("movdir64b"))) void copy_movdir64b(char *reg, const char *wqe)
{
	_movdir64b(reg, wqe);
}

static __attribute__((target("avx512f"))) void ring_zmm(struct lane *l)
{
	ring_by(l, copy_zmm);
}

static __attribute__((target("movdir64b"))) void ring_movdir64b(struct lane *l)
{
	ring_by(l, copy_movdir64b);
}

static bool has_movdir64b(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && c & CPUID_7_ECX_MOVDIR64B;
}

static const char *check(enum doorbell how)
{
	if (how == DOORBELL_ZMM && !__builtin_cpu_supports("avx512f"))
		return "--doorbell=zmm needs a CPU with AVX-512";
	if (how == DOORBELL_MOVDIR64B && !has_movdir64b())
		return "--doorbell=movdir64b needs a CPU that has MOVDIR64B";
	return NULL;
}

#else

#define ring_zmm       ring_bf
#define ring_movdir64b ring_bf

static const char *check(enum doorbell how)
{
	return how == DOORBELL_ZMM || how == DOORBELL_MOVDIR64B
		       ? "--doorbell=zmm and movdir64b are of x86-64 CPUs"
		       : NULL;
}

#endif

static void (*const ways[])(struct lane *l) = {
	[RING_DB] = ring_db,
	[RING_BF] = ring_bf,
	[RING_LAST] = ring_last,
	[RING_ZMM] = ring_zmm,
	[RING_MOVDIR64B] = ring_movdir64b,
	[RING_PRE] = ring_pre,
	[RING_NONE] = ring_none,
};

static void ring_locked(struct lane *l)
{
	pthread_spin_lock(l->doorbell.lock);
	ways[l->doorbell.kind](l);
	pthread_spin_unlock(l->doorbell.lock);
}

void ring_choose(struct lane *l)
{
	l->doorbell.ring = l->doorbell.lock		? ring_locked
			   : l->doorbell.kind > RING_BF ? ways[l->doorbell.kind]
							: NULL;
}

void lane_lock_register(struct lane *l, pthread_spinlock_t *lock)
{
	l->doorbell.lock = lock;
	ring_choose(l);
}

const char *lane_check(const struct options *o)
{
	return check(o->doorbell);
}
