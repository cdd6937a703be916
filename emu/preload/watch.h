/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --check sees the stores to UAR pages one by one: which thread, which bytes, and what the
 * records say at that moment. Polling sees only the last of several values.
 *
 *	program:  mov %rax, 0x800(%rdx)		the page is read-only
 *	SIGSEGV:  rdx -> a private page; one step
 *	SIGTRAP:  rdx back; the bytes, from that page -> engine_store()
 *
 * The handlers are those of signals.h, and the program's get all that is not ours. On x86-64;
 * elsewhere, and where signals do not work so (valgrind), the engine polls as ever.
 */
#ifndef EMU_PRELOAD_WATCH_H
#define EMU_PRELOAD_WATCH_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "preload/uar_pages.h"

/* Is it what the options of this process want? Then no signal of a fault may be blocked. */
bool watch_wanted(void);
/* Begins; false: it is not possible here. */
bool watch_start(void);
/* Ends: pages can be written again. No store is under way any more. */
void watch_stop(void);
/* In the child of a fork: its pages are not watched. */
void watch_fork_child(void);

/* Is it on? */
bool watch_on(void);
/* For the handler of SIGSEGV and SIGBUS: was it a store to a watched page? Then it is
 * stepped. */
bool watch_fault(int sig, const siginfo_t *info, void *ucontext);
/* For that of SIGTRAP: was it such a step, and none of the program's own? */
bool watch_step(void *ucontext);

#endif
