/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Findings about WQEs that end in an error: those that adapters execute and the engine does
 * not, because their CQE alone looks like a mistake of the program, and UMR WQEs.
 *
 *	opcode of the WQE -> a finding (--check) and the CQE with syndrome 0x02
 */
#ifndef EMU_ENGINE_WQE_REPORT_H
#define EMU_ENGINE_WQE_REPORT_H

#include "engine/loop.h"

/* Why @opcode ends in an error on all queues, or on others than those it is for; NULL: it need
 * not. */
const char *wqe_unsupported(uint8_t opcode);
/* Reports WQE @index with control segment @ctrl if the engine does not support it. */
void wqe_report_unsupported(const struct hca_qp *qp, uint16_t index, const uint8_t *ctrl);
/* Reports what is not supported or wrong (by @kind) in UMR WQE @index. */
void wqe_report_umr(enum core_finding kind, const struct hca_qp *qp, uint16_t index,
		    const char *what);

#endif
