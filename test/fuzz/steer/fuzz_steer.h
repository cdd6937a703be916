/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One adapter, commands of flow steering to its firmware, and frames through what these made.
 */
#ifndef TEST_FUZZ_STEER_H
#define TEST_FUZZ_STEER_H

#include "fuzz/chance.h"
#include "fuzz/round.h"
#include "fw/fw.h"
#include "prm/prm.h"
#include "prm/table.h"
#include "steer/steer.h"

/* A command; whether firmware executed it. */
bool command_run(struct hca *hca);

/* An object of hardware steering, or a WQE that writes an STE; whether it was executed. */
bool wqe_run(struct hca *hca);

/* A frame on the heap, without a byte after its end; *@len: 0 to 2047. */
uint8_t *frame_make(size_t *len);

#endif
