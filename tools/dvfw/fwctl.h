/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Firmware commands through fwctl (Linux >= 6.15): /dev/fwctl/fwctlN of the driver mlx5_fwctl.
 *
 *	-d mlx5_0, -d fwctl0 -> fwctl_open -> fwctl_cmd -> firmware
 *
 * Its user context reaches the objects of all programs, but only by queries, and registers. A command goes
 * out in the least scope in which the driver passes it: first CONFIGURATION, then DEBUG_READ_ONLY.
 * DEBUG_WRITE, which taints the kernel, is only used for a command that is known to need it.
 */
#ifndef DVFW_FWCTL_H
#define DVFW_FWCTL_H

#include <stddef.h>
#include <stdint.h>

#include "devx/devx.h"

struct fwctl {
	int fd;
	char name[32]; /* "fwctl0" */
	uint32_t uid, caps;
	struct devx_error error; /* the latest refusal of the firmware */
};

/* @device: "fwctl0", an RDMA device, NULL: the first that is an mlx5 one. 0 or an errno value: ENODEV if
 * there is none. */
int fwctl_open(struct fwctl *f, const char *device);
void fwctl_close(struct fwctl *f);

/* 0; EREMOTEIO: the firmware refused, see f->error; EBADMSG: the driver passes no such command; others:
 * errno of the ioctl. Boxes as those of devx_cmd(). */
int fwctl_cmd(struct fwctl *f, const void *in, size_t in_len, void *out, size_t out_len);

#endif
