/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of ports/1/hw_counters and ports/1/counters: those of the tree have 0, which is right as long as the process has not opened the
 * device; then its adapter counts, and a file has what it counted when it was opened.
 */
#ifndef EMU_PRELOAD_HW_COUNTER_H
#define EMU_PRELOAD_HW_COUNTER_H

/* A descriptor with the value, to be read; -1: @path, of the tree, is not such a file, or no adapter counts, or
 * there is no descriptor. */
int hw_counter_open(const char *path, int flags);

#endif
