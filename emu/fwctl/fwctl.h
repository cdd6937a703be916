/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fwctl: firmware commands without verbs. Emulates /dev/fwctl/fwctlN, that is fwctl and its
 * driver mlx5_fwctl of Linux 6.15 (drivers/fwctl/main.c, drivers/fwctl/mlx5/main.c).
 *
 *	ioctl(fd, FWCTL_RPC, scope, inbox) -> may the scope send this opcode? -> uid -> fw_exec()
 *
 * An open file is a user context of the firmware with the right TOOLS_RESOURCES: its queries
 * reach the objects of all others. The functions take the device lock. Pointers of the
 * application are only accessed by core_peek/core_poke: -EFAULT, no signal.
 */
#ifndef EMU_FWCTL_H
#define EMU_FWCTL_H

#include "hca/hca.h"

struct fwctl_file; /* one open /dev/fwctl/fwctlN */

/* NULL with errno. */
struct fwctl_file *fwctl_open(struct hca *hca);
int fwctl_ioctl(struct fwctl_file *f, unsigned long request, uint64_t arg);
void fwctl_release(struct fwctl_file *f);

#endif
