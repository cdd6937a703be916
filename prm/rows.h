/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The structures by index: what the files of this folder share. table.c makes the array, and
 * other tables point into it:
 *
 *	.layout = &prm_structs[STRUCT_qpc]
 */
#ifndef PRM_ROWS_H
#define PRM_ROWS_H

#include <prm/table.h>

enum prm_struct_index {
#define PRM_STRUCT(s, bytes) STRUCT_##s,
#include <prm/layout.def>
	STRUCTS
};

extern const struct prm_struct prm_structs[STRUCTS] __attribute__((visibility("hidden")));

/* The name of @value in the field @f of the structure at @p, of which @len bytes are there;
 * NULL: it has none. name.c. */
const char *prm_name_in(const struct prm_struct *s, const struct prm_field *f, const void *p,
			size_t len, uint64_t value) __attribute__((visibility("hidden")));

#endif
