/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sysfs tree of one emulated adapter: what the kernel's PCI core, mlx5_core and ib_core
 * would show. libibverbs discovers the device in it, through SYSFS_PATH.
 */
#ifndef EMU_LAUNCHER_SYSFS_H
#define EMU_LAUNCHER_SYSFS_H

#include <stdint.h>

#include "fw/fw.h"
#include "options/options.h"

/* The directory in the tree with the functions of the adapter and no others. */
#define SYSFS_DPDK "dpdk"

/* Makes a fresh tree below $TMPDIR, or in memory, or below /tmp; the network interfaces exist
 * already. Its path (malloc'ed), or NULL with errno. */
char *sysfs_create(const struct fw_device *kind, const struct options *o);

/* Removes the tree, which must be one of sysfs_create(). */
void sysfs_remove(const char *root);

/* Removes trees of this user whose launcher is dead. */
void sysfs_sweep(void);

#endif
