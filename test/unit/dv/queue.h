/* SPDX-License-Identifier: BSD-2-Clause */
/* The queues of most tests, m; those of a suite begin with all blocks and slots of 64 bytes. */
#ifndef TEST_UNIT_DV_QUEUE_H
#define TEST_UNIT_DV_QUEUE_H

#include "memory.h"

static struct memory m;

static inline void queue_start(void)
{
	memory_start(&m, MEMORY_BLOCKS, 64);
}

#define QUEUE_SUITE(name) TestSuite(name, .init = queue_start)

#endif
