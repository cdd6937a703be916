/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings into the array of the caller of check.h; those that do not fit are counted. */
#ifndef DV_FINDING_H
#define DV_FINDING_H

#include <dv/check.h>

struct findings {
	struct dv_finding *found;
	size_t max, n;
};

/* The finding @fault about byte @offset of WQE @idx. */
__attribute__((format(printf, 5, 6))) void finding(struct findings *f, enum dv_fault fault,
						   uint16_t idx, size_t offset,
						   const char *format, ...);

#endif
