/* SPDX-License-Identifier: BSD-2-Clause */
/* The stores to a doorbell register whose time mmio measures, and the barriers after them. */
#ifndef DVPERF_STORE_H
#define DVPERF_STORE_H

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

/* Stores the last WQE of @sq to its register @n times. */
typedef void store_loop(struct dv_sq *sq, unsigned int n);

/* NULL: this CPU has no such store, or the library has no such doorbell. */
store_loop *store_find(enum store store, enum fence fence, enum mapping mapping);

/* The same without a store. */
store_loop store_nothing;

const char *store_word(enum store store);
const char *fence_word(enum fence fence);
const char *mapping_word(enum mapping mapping);

#endif
