/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Receive WQEs: the same random lists of SGEs posted by libmlx5 and, in a copy of the queue, by
 * dv; slots and records have to be equal. And what became of the SRQs in the cases before: both
 * lists of free slots have to be the same.
 *
 * One difference, of libmlx5: an empty SGE on an SRQ is a segment of length 0, which the device
 * takes for 2 GB; on an RQ it leaves it out, as dv does on both. SRQs get none here.
 */
#ifndef ORACLE_CQE_LISTS_H
#define ORACLE_CQE_LISTS_H

#include "oracle/cqe/result.h"

void lists_compare(struct rig_side *side);
void posts_compare(struct device *dev, unsigned int count);

#endif
