/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Doorbells of an engine that sleeps. Before it does, the UAR pages are closed; a store to one
 * is a fault, and its thread executes what it rang.
 *
 *	program:  mov %rcx, 0x800(%rdx)		the page is closed
 *	SIGSEGV:  store_run() -> engine_ring(): this thread is the engine for a moment
 *	          many in a row: the page is opened, the engine's thread polls it
 *
 * On x86-64. Elsewhere, where signals do not work so (valgrind), under a debugger, with --check, with
 * --poll-doorbells, and when not all UAR pages are known, the engine polls as long as there are UAR pages.
 */
#ifndef EMU_PRELOAD_TRAP_H
#define EMU_PRELOAD_TRAP_H

#include <signal.h>
#include <stdbool.h>

#include "preload/boot.h"
#include "preload/uar_pages.h"

/* Begins, for the function @b, when the handlers are installed, if the options do not want another way. */
void trap_start(struct boot *b);
/* Ends, and --check's watching too: all pages are open. No store is under way any more. */
void trap_stop(void);
/* Pages of @function were mapped, and are open. */
void trap_mapped(unsigned int function);
/* In the child of a fork, after uar_pages_fork_prepare(): as trap_stop(); there are no other threads. */
void trap_fork_child(void);

/* For the handler of SIGSEGV: was it a store to a closed page? Then it was executed, or will be. */
bool trap_fault(int sig, const siginfo_t *info, void *ucontext);

#endif
