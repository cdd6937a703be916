/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ways of ringing that applications do not use: those of old, of new instructions, and
 * wrong ones. The usual two, 8 bytes and a BlueFlame copy, are dv's and are in the loop itself.
 *
 *	bf-last      batch: the last WQE, whole, in place of its first 8 bytes   (libmlx5 of MLNX_OFED)
 *	zmm          one WQE, whole: a store of 64 bytes for each block          (AVX-512)
 *	movdir64b    the same in one transaction of the bus                      (MOVDIR64B)
 *	pre, none    the doorbell without the fence that follows, or without any    (WRONG)
 *
 * Nothing wraps: a WQE of several blocks never crosses the end of dv's ring. One that is longer
 * than the register, and one of a single segment, get 8 bytes.
 */
#ifndef DVPERF_RING_H
#define DVPERF_RING_H

#include "lane.h"

/* Sets l->rings, by its ring and the lock of its register. */
void ring_choose(struct lane *l);

#endif
