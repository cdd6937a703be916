/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --check, where a signal ends the process: the summary comes first.
 *
 *	signal whose action is "default" -> handler -> reporter thread: summary
 *	                                       ^             |
 *	             default action again <----'<------------'  or 2 s
 *
 * The handler is installed only if the action is the default one, which ends the process. To
 * the program that action is still SIG_DFL (hook_signal.c), and it ends by that signal. The
 * handler itself only waits: the interrupted thread may hold any lock, so the work is the other
 * thread's. SIGSEGV and SIGBUS are kept by signals.c, which calls ending_report().
 */
#ifndef EMU_PRELOAD_ENDING_H
#define EMU_PRELOAD_ENDING_H

#include <signal.h>
#include <stdbool.h>

#include "preload/boot.h"

/* Once the device is complete. Where it fails there is no summary, and nothing else changes. */
void ending_start(struct boot *b);

/* From now on a signal ends the process as without the emulator. */
void ending_stop(void);

/* Is there a reporter thread in this process? */
bool ending_has_thread(void);

/* The process ends by @sig now. From a signal handler. */
void ending_report(int sig);

/* Is the default action of @sig one of those? If so, call ending_action() in place of
 * sigaction(2). */
bool ending_has(int sig);
int ending_action(int sig, const struct sigaction *act, struct sigaction *old);

#endif
