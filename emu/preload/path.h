/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Paths that lead into the emulator.
 *
 *	/dev/infiniband…        -> $SYSFS_PATH/dev/infiniband…
 *	/sys/class/infiniband…  -> $SYSFS_PATH/class/infiniband…
 *	/sys/class/misc/rdma_cm -> $SYSFS_PATH/class/misc/rdma_cm
 *	/dev/fwctl, /sys/class/fwctl, /sys/bus/pci -> the same names below $SYSFS_PATH
 *	…/ports/1/hw_counters/…, …/counters/… -> a value of the adapter (hw_counter.h)
 *
 * The tree's bus/pci has links to the machine's own devices, too. Only absolute paths are
 * looked at; below a directory that was opened through such a path the tree is real, and
 * relative names need no help.
 */
#ifndef EMU_PRELOAD_PATH_H
#define EMU_PRELOAD_PATH_H

#include <stdbool.h>

#define PATH_BUF 512

/* The path to use instead: @path itself, or @buf filled. NULL stays NULL. */
const char *path_map(const char *path, char buf[PATH_BUF]);

/* Is it one of the character devices, is it rdma_cm? */
bool path_is_node(const char *path);
bool path_is_cm(const char *path);
/* The function whose device for verbs it is, or for fwctl; -1: not one of a function. */
int path_function(const char *path);
int path_fwctl(const char *path);

#endif
