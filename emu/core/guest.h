/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of core: what bus.c asks of guest.c. */
#ifndef EMU_CORE_GUEST_H
#define EMU_CORE_GUEST_H

#include "core/core.h"

/* Bus addresses are those of a virtual machine. */
extern atomic_bool core_guest_is;

/* core_bus_find() of a virtual machine; 0: refused, and counted. */
uint64_t core_guest_find(uint64_t bus, uint64_t len, uint64_t *run);

#endif
