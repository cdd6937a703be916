/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work requests of steering: FLOW_TBL_ACCESS.
 *
 *	ctrl (imm: a number) | 48 bytes | 64 bytes
 *	opmod 0, SQ		an STE of the RTC of that number (steer/rtc.c)
 *	opmod 1, SQ, RC QP	64 bytes of the argument of that number
 */
#ifndef EMU_ENGINE_GTA_H
#define EMU_ENGINE_GTA_H

#include "engine/cqe.h"
#include "engine/ethernet_wqe.h"

#define GTA_UNITS 8u /* of the WQE */

/* Where 64 bytes of argument @number of @pd are; NULL: it has none. */
uint8_t *gta_argument(struct hca *hca, const struct hca_pd *pd, uint32_t number);
/* Executes @w, which was read. 0, or a syndrome. w->refused: there is no place for the STE. */
enum cqe_syndrome gta_run(struct engine *e, const struct hca_sq *sq, struct ethernet_wqe *w);

#endif
