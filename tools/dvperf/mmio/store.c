/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loops that mmio measures: a function for each store and fence, and one more with a lock,
 * so that no choice is left in a loop. Those of FENCE_DV are the library's own inline
 * functions, without the doorbell record.
 */
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "store.h"

const char *const store_words[] = { "8", "64", "64-avx512", "64-movdir", NULL };
const char *const mapping_words[] = { "WC", "NC", NULL };
#if defined(__x86_64__)
const char *const fence_words[] = { "none", "sfence", "mfence", "dv", NULL };
#define STORE_FENCE() __asm__ volatile("sfence" ::: "memory")
#define FULL_FENCE()  __asm__ volatile("mfence" ::: "memory")
#else
const char *const fence_words[] = { "none", "dmb_oshst", "dsb_st", "dv", NULL };
#define STORE_FENCE() __asm__ volatile("dmb oshst" ::: "memory")
#define FULL_FENCE()  __asm__ volatile("dsb st" ::: "memory")
#endif

#if defined(__x86_64__)
DV_INLINE void copy_avx512(volatile uint64_t *reg, const char *from)
{
	__asm__ volatile("vmovdqu64 (%1), %%zmm0\n\tvmovdqa64 %%zmm0, (%0)"
			 :
			 : "r"(reg), "r"(from)
			 : "memory", "xmm0");
}

DV_INLINE void copy_movdir64b(volatile uint64_t *reg, const char *from)
{
	__asm__ volatile("movdir64b (%1), %0" : : "r"(reg), "r"(from) : "memory");
}

static bool cpu_has(enum store store)
{
	unsigned int a, b, c, d;

	if (store == STORE_AVX512)
		return __builtin_cpu_supports("avx512f");
	if (store == STORE_MOVDIR64B) /* Intel SDM volume 2, CPUID: leaf 7, bit 28 of ECX */
		return __get_cpuid_count(7, 0, &a, &b, &c, &d) && c >> 28 & 1;
	return true;
}
#else
#define copy_avx512    dv_copy_block
#define copy_movdir64b dv_copy_block

static bool cpu_has(enum store store)
{
	return store <= STORE_BLOCK;
}
#endif

DV_INLINE void store_once(struct dv_sq *sq, enum store store, enum fence fence)
{
	volatile uint64_t *reg = (volatile uint64_t *)sq->bf_reg;
	const char *wqe = (const char *)sq->last;

	if (store == STORE_WORD)
		dv_copy_word(reg, wqe);
	else if (store == STORE_BLOCK)
		dv_copy_block(reg, wqe);
	else if (store == STORE_AVX512)
		copy_avx512(reg, wqe);
	else
		copy_movdir64b(reg, wqe);
	if (fence == FENCE_STORE)
		STORE_FENCE();
	else if (fence == FENCE_FULL)
		FULL_FENCE();
}

/* The doorbells of the library without their record; under a lock all share the choice of the
 * half. */
DV_INLINE void ring(struct dv_sq *sq, unsigned int blocks, struct store_lock *lock)
{
	if (lock)
		sq->bf_offset = lock->halves.bf_offset;
	dv_sq_ring(sq, blocks);
	if (lock)
		lock->halves.bf_offset = sq->bf_offset;
}

DV_INLINE void ring_nc(struct dv_sq *sq)
{
	dv_barrier_dbrec_before_nc_reg();
	dv_sq_ring_at(sq, sq->bf_reg);
}

/* Several threads may store to one register: that is not a race of the program. */
#define LOOP(name, once)                                                                     \
	static __attribute__((no_sanitize("thread"))) void name(                             \
		struct dv_sq *sq, struct store_lock *unused, unsigned int n)                 \
	{                                                                                    \
		struct store_lock *const lock = NULL;                                        \
                                                                                             \
		(void)unused;                                                                \
		(void)lock;                                                                  \
		for (; n; n--) {                                                             \
			once;                                                                \
			__asm__ volatile("" ::: "memory");                                   \
		}                                                                            \
	}                                                                                    \
	static void name##_locked(struct dv_sq *sq, struct store_lock *lock, unsigned int n) \
	{                                                                                    \
		for (; n; n--) {                                                             \
			pthread_spin_lock(&lock->spin);                                      \
			once;                                                                \
			pthread_spin_unlock(&lock->spin);                                    \
		}                                                                            \
	}

#define LOOPS(name, store)                                     \
	LOOP(name##_none, store_once(sq, store, FENCE_NONE))   \
	LOOP(name##_store, store_once(sq, store, FENCE_STORE)) \
	LOOP(name##_full, store_once(sq, store, FENCE_FULL))

LOOPS(mmio_word, STORE_WORD)
LOOPS(mmio_block, STORE_BLOCK)
LOOPS(mmio_avx512, STORE_AVX512)
LOOPS(mmio_movdir64b, STORE_MOVDIR64B)
LOOP(mmio_word_dv, ring(sq, 0, lock))
LOOP(mmio_block_dv, ring(sq, 1, lock))
LOOP(mmio_word_dv_nc, ring_nc(sq))

void store_nothing(struct dv_sq *sq, struct store_lock *lock, unsigned int n)
{
	(void)lock;
	for (; n; n--)
		__asm__ volatile("" : : "r"(sq) : "memory");
}

bool store_may_share(enum store store, enum fence fence, enum mapping mapping)
{
	return store == STORE_WORD && !(fence == FENCE_DV && mapping == MAPPING_WC);
}

#define BOTH(name)                  \
	{                           \
		name, name##_locked \
	}

store_loop *store_find(enum store store, enum fence fence, enum mapping mapping, bool locked)
{
	static store_loop *const plain[STORES][FENCE_DV][2] = {
		{ BOTH(mmio_word_none), BOTH(mmio_word_store), BOTH(mmio_word_full) },
		{ BOTH(mmio_block_none), BOTH(mmio_block_store), BOTH(mmio_block_full) },
		{ BOTH(mmio_avx512_none), BOTH(mmio_avx512_store), BOTH(mmio_avx512_full) },
		{ BOTH(mmio_movdir64b_none), BOTH(mmio_movdir64b_store),
		  BOTH(mmio_movdir64b_full) },
	};
	static store_loop *const dv[][MAPPINGS][2] = {
		{ BOTH(mmio_word_dv), BOTH(mmio_word_dv_nc) },
		{ BOTH(mmio_block_dv), { NULL, NULL } },
	};

	if (!cpu_has(store))
		return NULL;
	if (locked && (fence == FENCE_NONE || (store == STORE_WORD && mapping == MAPPING_NC)))
		return NULL;
	if (fence != FENCE_DV)
		return plain[store][fence][locked];
	return store <= STORE_BLOCK ? dv[store][mapping][locked] : NULL;
}
