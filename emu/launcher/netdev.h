/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --netdev NAME: the network interface that programs see as that of the port, in place of lo.
 * DPDK asks it for the address of the port, the MTU and the state of the link.
 */
#ifndef EMU_LAUNCHER_NETDEV_H
#define EMU_LAUNCHER_NETDEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The interface @name, with the address @mac. If there is none a TAP interface is created,
 * which ends with this process. False: @why (@len bytes) says in one line what is wrong. */
bool netdev_provide(const char *name, const uint8_t mac[6], char *why, size_t len);

#endif
