/* SPDX-License-Identifier: BSD-2-Clause */
/* Which device and which GID the tests on a device use, whatever else they set up. */
#ifndef TEST_LIB_DEVICE_H
#define TEST_LIB_DEVICE_H

#include <infiniband/verbs.h>

/* $DVKIT_DEVICE, or the first mlx5 device there is (under dvkit-emu, the software one); NULL:
 * none. */
struct ibv_device *device_find(void);

/* The last RoCE v2 GID of port 1; 0 on InfiniBand. */
uint8_t device_gid_index(struct ibv_context *ctx, const struct ibv_port_attr *port);

#endif
