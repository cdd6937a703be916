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

struct sysfs_port {
	uint32_t ipv4; /* host order: MAC, GUID and GIDs follow from it */
	uint8_t as;    /* enum options_as: whose functions it has */
	const char *netdev[OPTIONS_FUNCTIONS]; /* interfaces that exist */
};

/* Makes a fresh tree below $TMPDIR, or in memory, or below /tmp; its path (malloc'ed), or NULL with errno. */
char *sysfs_create(const struct fw_device *kind, const struct sysfs_port *port);

/* Removes the tree, which must be one of sysfs_create(). */
void sysfs_remove(const char *root);

/* Removes trees of this user whose launcher is dead. */
void sysfs_sweep(void);

#endif
