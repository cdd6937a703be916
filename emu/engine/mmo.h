/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory to memory: work requests of opcode MMO that copy within one device (opmod 1, DMA), without
 * a packet to the peer of the QP.
 */
#ifndef EMU_ENGINE_MMO_H
#define EMU_ENGINE_MMO_H

#include "engine/loop.h"

/* Copies the next bytes of MMO WQE @index after the first *@off. *@done: it is complete or failed.
 * Returns the syndrome, 0: none. */
uint8_t mmo_run(struct engine *e, const struct hca_qp *qp, uint16_t index, uint32_t *off,
		bool *done);

#endif
