/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside mem: what --check reports about a refused access. */
#ifndef EMU_MEM_REPORT_H
#define EMU_MEM_REPORT_H

#include "mem/mem.h"

/* A finding: @ref is refused with @status. @outer: the indirect key whose entry named ref->key,
 * NULL: none did. @at: for MEM_FAULT the process address that cannot be accessed. */
void mem_report(struct hca *hca, const struct mem_ref *ref, const struct hca_mkey *outer,
		enum mem_status status, uint64_t at);

#endif
