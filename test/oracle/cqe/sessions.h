/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compressed sessions. libmlx5 cannot read them, so: random sessions, of all formats and both
 * layouts, in a ring of dv; each CQE that dv_mini_poll() makes of them goes to libmlx5, and
 * what its readers say has to be what the title and the minis say.
 */
#ifndef ORACLE_CQE_SESSIONS_H
#define ORACLE_CQE_SESSIONS_H

#include "oracle/cqe/result.h"

/* Exits with a message at the first difference. */
void sessions_compare(struct rig_side *side, unsigned int count);

#endif
