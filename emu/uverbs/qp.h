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

/* qpc.pm_state */
enum {
	UVERBS_PM_ARMED = 0,
	UVERBS_PM_REARM = 1,
	UVERBS_PM_MIGRATED = 3,
};

/* qpc.st of an enum ib_uverbs_qp_type that has one. */
uint8_t uverbs_qp_service(uint8_t type);

/* A change of state of a QP of @type, and the IBV_QP_* attributes in @mask that come with it. */
struct uverbs_qp_change {
	uint8_t type, from, to; /* enum ib_uverbs_qp_type, ibv_qp_state */
	uint32_t mask;
};

/* The attributes may, and all that must, come with this change. */
bool uverbs_qp_mask_ok(const struct uverbs_qp_change *ch);

/* The command of a transition (0: mlx5_ib has none) and which optional parts of the QPC the
 * attributes make. */
uint16_t uverbs_qp_command(const struct uverbs_qp_change *ch, uint32_t *opt_param_mask);

#endif
