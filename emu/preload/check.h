/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --check: counts findings (TRACE_CHECK) and prints a summary when the process
 * ends, with the objects that it left to the kernel to destroy.
 */
#ifndef EMU_PRELOAD_CHECK_H
#define EMU_PRELOAD_CHECK_H

#include "preload/boot.h"

/* Puts a counter before the trace sink and remembers which objects are the driver's own.
 * Call it once the device is complete. */
void check_start(struct boot *b);

/* The summary, to log_fd; the engine has stopped, unless @sig, a signal, ends the process. */
void check_finish(struct boot *b, int sig);

#endif
