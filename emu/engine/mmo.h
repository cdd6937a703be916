/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory to memory: work requests of opcode MMO that copy (opmod 1, DMA), without a packet to
 * the peer of the QP. Either side may be memory of another function of the adapter.
 */
#ifndef EMU_ENGINE_MMO_H
#define EMU_ENGINE_MMO_H

#include "engine/loop.h"

/* Goes on with MMO WQE @index. *@done: it is complete or failed. *@moved: something was done.
 * Returns the syndrome, 0: none. */
uint8_t mmo_run(struct engine *e, struct hca_qp *qp, uint16_t index, bool *done, bool *moved);

/* The answer @m of another function, and the @len bytes that follow it. */
void mmo_take(struct engine *e, const struct wire_message *m, const uint8_t *data, size_t len);

#endif
