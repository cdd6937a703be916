/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Direct access by bus address (bus.h) to memory of the application that may be unmapped
 * meanwhile; part of core.h.
 *
 *	core_fetch, core_store …  -> faults -> SIGSEGV, SIGBUS -> core_fault_recover() -> false
 *
 * A queue's ring and doorbell record are accessed for each message, so system calls would be
 * too slow: these are a few routines in assembler, and a signal handler that after a fault in
 * one of them continues at its end. preload installs the handler (signals.c); without it, or on
 * another processor, the routines are core_bus_read() and core_bus_write().
 */
#ifndef EMU_CORE_FAULT_H
#define EMU_CORE_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each returns false, and copied nothing or a prefix, if memory cannot be read or written. */
bool core_fetch(void *dst, uint64_t bus, size_t len);
bool core_store(uint64_t bus, const void *src, size_t len);
/* One load, which orders as acquire; one store, as release. @bus is aligned. */
bool core_fetch32(uint32_t *dst, uint64_t bus);
bool core_store16(uint64_t bus, uint16_t value);

/* Copies @len bytes at the address @va of the program, whatever is registered there. */
bool core_fault_load(void *dst, uintptr_t va, size_t len);

/* To be called when the handler for SIGSEGV and SIGBUS is installed. */
void core_fault_handled(void);
/* For that handler, with its third argument. True: the fault was in one of the routines, and
 * the thread continues at its end; false: it was elsewhere. */
bool core_fault_recover(void *ucontext);

#endif
