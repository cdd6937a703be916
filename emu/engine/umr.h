/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What becomes of a memory window: UMR work requests of its owner, and the invalidation that
 * comes from the peer.
 *
 *	free --UMR: KLM, rights, range--> bound --UMR: free, or SEND with invalidate--> free
 *
 * (InfiniBand specification, chapter 10, "Memory windows".)
 */
#ifndef EMU_ENGINE_UMR_H
#define EMU_ENGINE_UMR_H

#include "engine/turn.h"

/* Executes UMR WQE @index; the syndrome with which it failed, 0: none. */
uint8_t umr_run(struct engine *e, const struct dev_qp *qp, uint16_t index,
		const struct dev_req_wqe *w);

/* A peer of @qp invalidates @key; false when it may not. @pd: whose keys it may name. */
bool umr_invalidate(struct engine *e, const struct dev_qp *qp, const struct dev_pd *pd,
		    uint32_t key);

#endif
