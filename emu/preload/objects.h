/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which kinds of objects an adapter has, and how many there are: for --check and for tests that
 * look for what is left over.
 */
#ifndef EMU_PRELOAD_OBJECTS_H
#define EMU_PRELOAD_OBJECTS_H

#include "hca/hca.h"

struct object_kind {
	const char *name;
	size_t table; /* offset of a core_ids in struct hca */
};

#define OBJECT_KINDS 23
extern const struct object_kind object_kinds[OBJECT_KINDS];

const struct core_ids *object_table(const struct hca *hca, size_t kind);

/* All of them, with allocations of device memory and entries of the rate table. In @words, if it
 * is not NULL, how many of each kind: "pd 1, cq 2". Device lock held. */
uint32_t objects_count(const struct hca *hca, char *words, size_t size);

#endif
