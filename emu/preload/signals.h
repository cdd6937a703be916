/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SIGSEGV and SIGBUS, and with --check SIGTRAP: the emulator's handler in front of the
 * program's.
 *
 *	fault -> in core's routines for memory that may be unmapped?  yes: the thread continues there
 *	         a store to a watched register?                   yes: watch.h; SIGTRAP comes next
 *	                                                          no:  the program's action
 *
 * sigaction() and similar calls read and change the program's action (hook_signal.c). The
 * handler is installed with the flags and the mask of that action, so the kernel does with them
 * what it would do without the emulator: alternate stack, blocked signals, restarted calls.
 */
#ifndef EMU_PRELOAD_SIGNALS_H
#define EMU_PRELOAD_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* Puts the handler in front of what the program has; once, before the engine starts. */
void signals_start(void);

/* The same for SIGTRAP, where registers are watched; false: signals_start() did not work. */
bool signals_start_traps(void);

/* Is the kernel's handler of @sig the emulator's? A raw system call may have replaced it. */
bool signals_are_ours(int sig);
/* From now on no handler of the program has SIGSEGV or SIGTRAP blocked. */
void signals_open_masks(void);

/* Is the action of @sig kept here? If so, call signals_action() in place of sigaction(2). */
bool signals_has(int sig);
int signals_action(int sig, const struct sigaction *act, struct sigaction *old);

#endif
