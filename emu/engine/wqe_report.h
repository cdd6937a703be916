/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work requests that adapters execute and the engine does not, by name: what is posted must not
 * end in an error that looks like the poster's own mistake.
 *
 *	opcode of the WQE -> a finding (--check) beside the CQE of syndrome 0x02
 */
#ifndef EMU_ENGINE_WQE_REPORT_H
#define EMU_ENGINE_WQE_REPORT_H

#include "engine/loop.h"

/* Says of WQE @index with control segment @ctrl that it is one of those; nothing of others. */
void wqe_report_unsupported(const struct hca_qp *qp, uint16_t index, const uint8_t *ctrl);
/* Says of UMR WQE @index what is not executed, or by another @kind what is wrong. */
void wqe_report_umr(enum core_finding kind, const struct hca_qp *qp, uint16_t index,
		    const char *what);

#endif
