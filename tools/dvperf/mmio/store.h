/* SPDX-License-Identifier: BSD-2-Clause */
/* The stores to a doorbell register whose time mmio measures, and the barriers after them. */
#ifndef DVPERF_STORE_H
#define DVPERF_STORE_H

#include <pthread.h>

#include <dv/sq.h>

enum store {
	STORE_WORD,	 /* 8 bytes: dv_copy_word() */
	STORE_BLOCK,	 /* 64 bytes: dv_copy_block() */
	STORE_AVX512,	 /* 64 bytes in one instruction */
	STORE_MOVDIR64B, /* the same, which does not wait in a write-combining buffer */
	STORES,
};

enum fence {
	FENCE_NONE,
	FENCE_STORE, /* sfence; dmb oshst */
	FENCE_FULL,  /* mfence; dsb st */
	FENCE_DV, /* the barriers of the library, before and after: dv_sq_ring(), dv_sq_ring_at() */
	FENCES,
};

enum mapping {
	MAPPING_WC,
	MAPPING_NC,
	MAPPINGS,
};

/* The lock of a register to which several threads store, and which of its halves is next. */
struct store_lock {
	pthread_spinlock_t spin;
	struct dv_reg halves;
};

/* Stores the last WQE of @sq to its register @n times; each time under @lock, if the loop is
 * one that locks. */
typedef void store_loop(struct dv_sq *sq, struct store_lock *lock, unsigned int n);

/* NULL: this CPU has no such store, the library has no such doorbell, or it makes no sense
 * under a lock: without a fence inside it the write may be late, and one store to NC needs none
 * (dv/sq.h). */
store_loop *store_find(enum store store, enum fence fence, enum mapping mapping, bool locked);

/* Whether several threads may do it to one register without a lock. */
bool store_may_share(enum store store, enum fence fence, enum mapping mapping);

/* The same without a store. */
store_loop store_nothing;

extern const char *const store_words[], *const fence_words[], *const mapping_words[];

#endif
