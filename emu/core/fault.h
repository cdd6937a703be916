/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory of the application that is touched directly, and may be unmapped meanwhile, by bus address
 * (bus.h); part of core.h.
 *
 *	core_fetch, core_store …  -> faults -> SIGSEGV, SIGBUS -> core_fault_recover() -> false
 *
 * A queue's ring and doorbell record are touched for each message, so there is no system call in
 * the way: a few routines in assembler, and a signal handler that continues a fault in one of them
 * at its end. The handler is the embedder's (preload, signals.c); without it, or on another
 * processor, the routines are core_bus_read() and core_bus_write().
 */
#ifndef EMU_CORE_FAULT_H
#define EMU_CORE_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each is false, and nothing or a prefix was copied, where memory cannot be read or written. */
bool core_fetch(void *dst, uint64_t bus, size_t len);
bool core_store(uint64_t bus, const void *src, size_t len);
/* One load, which orders as acquire; one store, as release. @bus is aligned. */
bool core_fetch32(uint32_t *dst, uint64_t bus);
bool core_store16(uint64_t bus, uint16_t value);

/* The embedder's handler for SIGSEGV and SIGBUS is in place. */
void core_fault_handled(void);
/* For that handler, with its third argument. True: the fault was one of the routines', and the
 * thread goes on at its end; false: it is somebody else's. */
bool core_fault_recover(void *ucontext);

#endif
