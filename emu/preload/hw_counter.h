/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of ports/1/hw_counters and ports/1/counters: those of the tree have 0; a process reads
 * what its function has counted when it opens the file, in all processes of the fabric.
 */
#ifndef EMU_PRELOAD_HW_COUNTER_H
#define EMU_PRELOAD_HW_COUNTER_H

#include "nldev/nldev.h"

/* A descriptor with the value, to be read; -1: @path, of the tree, is not such a file, or there
 * is no descriptor. */
int hw_counter_open(const char *path, int flags);

/* nldev_device.counted. */
void hw_counter_sum(const struct nldev_device *d, struct hca_counted *sum);

#endif
