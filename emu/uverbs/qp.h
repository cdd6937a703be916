/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queue pairs: what their files share.
 *
 *	qp.c         create, destroy
 *	qp_modify.c  attributes -> QPC -> the command of the transition
 *	qp_state.c   which attributes a transition needs and allows
 *	qp_query.c   QPC -> attributes
 */
#ifndef EMU_UVERBS_QP_H
#define EMU_UVERBS_QP_H

#include "uverbs/method.h"

#define UVERBS_ST_RC 0 /* qpc.st */

/* qpc.pm_state */
enum {
	UVERBS_PM_ARMED = 0,
	UVERBS_PM_REARM = 1,
	UVERBS_PM_MIGRATED = 3,
};

/* The IBV_QP_* attributes of RC may (or must) come with this change of state. */
bool uverbs_qp_mask_ok(uint8_t from, uint8_t to, uint32_t mask);

/* The command of a transition (0: mlx5_ib has none) and which optional parts of the QPC the
 * attributes in @mask make. */
uint16_t uverbs_qp_command(uint8_t from, uint8_t to, uint32_t mask, uint32_t *opt_param_mask);

#endif
