/* SPDX-License-Identifier: BSD-2-Clause */
/* --wire udp[:ADDRESS]: the network interface whose addresses the port gets. */
#ifndef EMU_LAUNCHER_INTERFACE_H
#define EMU_LAUNCHER_INTERFACE_H

#include <stdbool.h>
#include <stddef.h>

#include "options/options.h"

/*
 * Finds the interface with the address of @text, "udp:ADDRESS", or for "udp" the first one that
 * has an IPv4 address, is up and is not the loopback interface. False: @why (@len bytes) says
 * in one line what is wrong, or what is missing.
 */
bool interface_find(const char *text, struct options_wire *w, char *why, size_t len);

/* The greatest path MTU of the interface (kernel, ib_core, iboe_get_mtu); 0: it is below
 * 256. */
uint32_t interface_path_mtu(const struct options_wire *w);

/* The name of the fabric that the processes of this network namespace share. */
void interface_fabric(char *name, size_t size);

#endif
