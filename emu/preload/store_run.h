/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Executes the stores of a thread that faulted at a read-only UAR page, in the thread's place.
 *
 *	mov %rcx, (%rax)	the fault: to the list
 *	mov 0x8(%rbp), %rdx	executed
 *	mov %rdx, 0x8(%rax)	to the list
 *	…			up to what is neither a load nor a store to that page
 *
 * So one fault serves a whole BlueFlame copy.
 */
#ifndef EMU_PRELOAD_STORE_RUN_H
#define EMU_PRELOAD_STORE_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"

/*
 * Executes the instructions of @ucontext from its program counter on: the stores to the page at @page, in order
 * into @to, which has space for @max, successive ones joined; and what moves bytes from memory or between registers.
 * Returns the number in @to; 0: the first is not a store that is known, and nothing was executed.
 */
size_t store_run(void *ucontext, uintptr_t page, struct engine_store *to, size_t max);

#endif
