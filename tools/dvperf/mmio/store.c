/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loops that mmio measures: a function for each store and fence, so that no choice is left in a
 * loop. Those of FENCE_DV are the library's own inline functions, without the doorbell record.
 */
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "store.h"

static const char *const stores[] = { "8", "64", "64-avx512", "64-movdir" };
static const char *const mappings[] = { "WC", "NC" };
#if defined(__x86_64__)
static const char *const fences[] = { "none", "sfence", "mfence", "dv" };
#define STORE_FENCE() __asm__ volatile("sfence" ::: "memory")
#define FULL_FENCE()  __asm__ volatile("mfence" ::: "memory")
#else
static const char *const fences[] = { "none", "dmb_oshst", "dsb_st", "dv" };
#define STORE_FENCE() __asm__ volatile("dmb oshst" ::: "memory")
#define FULL_FENCE()  __asm__ volatile("dsb st" ::: "memory")
#endif

const char *store_word(enum store store)
{
	return stores[store];
}

const char *fence_word(enum fence fence)
{
	return fences[fence];
}

const char *mapping_word(enum mapping mapping)
{
	return mappings[mapping];
}

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

#define LOOP(name, once)                                   \
	static void name(struct dv_sq *sq, unsigned int n) \
	{                                                  \
		for (; n; n--) {                           \
			once;                              \
			__asm__ volatile("" ::: "memory"); \
		}                                          \
	}

#define LOOPS(name, store)                                     \
	LOOP(name##_none, store_once(sq, store, FENCE_NONE))   \
	LOOP(name##_store, store_once(sq, store, FENCE_STORE)) \
	LOOP(name##_full, store_once(sq, store, FENCE_FULL))

LOOPS(mmio_word, STORE_WORD)
LOOPS(mmio_block, STORE_BLOCK)
LOOPS(mmio_avx512, STORE_AVX512)
LOOPS(mmio_movdir64b, STORE_MOVDIR64B)
LOOP(mmio_word_dv, dv_sq_ring(sq, 0))
LOOP(mmio_block_dv, dv_sq_ring(sq, 1))
LOOP(mmio_word_dv_nc, dv_barrier_dbrec_before_nc_reg(); dv_sq_ring_at(sq, sq->bf_reg))

void store_nothing(struct dv_sq *sq, unsigned int n)
{
	for (; n; n--)
		__asm__ volatile("" : : "r"(sq) : "memory");
}

store_loop *store_find(enum store store, enum fence fence, enum mapping mapping)
{
	static store_loop *const plain[STORES][FENCE_DV] = {
		{ mmio_word_none, mmio_word_store, mmio_word_full },
		{ mmio_block_none, mmio_block_store, mmio_block_full },
		{ mmio_avx512_none, mmio_avx512_store, mmio_avx512_full },
		{ mmio_movdir64b_none, mmio_movdir64b_store, mmio_movdir64b_full },
	};

	if (!cpu_has(store))
		return NULL;
	if (fence != FENCE_DV)
		return plain[store][fence];
	if (store == STORE_WORD)
		return mapping == MAPPING_NC ? mmio_word_dv_nc : mmio_word_dv;
	return store == STORE_BLOCK && mapping == MAPPING_WC ? mmio_block_dv : NULL;
}
