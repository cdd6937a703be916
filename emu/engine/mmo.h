/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory to memory: work requests of opcode MMO that copy inside of one device (opmod 1, DMA). No
 * packet leaves, and the peer of the QP knows nothing of it.
 */
#ifndef EMU_ENGINE_MMO_H
#define EMU_ENGINE_MMO_H

#include "engine/loop.h"

/* Copies the next bytes of MMO WQE @index, of which @*off are copied already. *@done: that was all,
 * or it failed. The syndrome, 0: none. */
uint8_t mmo_run(struct engine *e, const struct hca_qp *qp, uint16_t index, uint32_t *off,
		bool *done);

#endif
