/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by all modules of dvperf: messages and the end of the program, ^C, progress, two
 * clocks, files; names that are nearly right (tools/near).
 *
 * Results go to standard output, everything else to standard error. Exit status: 0; 1: the
 * measurement or the device failed; 2: the request is invalid or not possible here. One line
 * says why.
 */
#ifndef DVPERF_BASE_H
#define DVPERF_BASE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dvkit/version.h>

#include "prm/array.h"
#include "clock.h"
#include "near/near.h"

enum {
	DVPERF_FAILED = 1,
	DVPERF_USAGE = 2,
};

/* One line to standard error, "dvperf: …", and the end of the program. */
_Noreturn void base_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void base_refuse(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* @report is called with the line and the exit status before these two end the program, from
 * any thread; the last one first, each once. It may not return: then the program goes on. */
void base_before_end(void (*report)(int status, const char *text));

/* One line to standard error. */
void base_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Writes a file whole, or leaves it as it is. 0, or -1 and one line was said. */
int base_save(const char *path, const char *text, size_t size);

/* For calls that return 0 or an errno value (or -1 and errno), and for those that return a
 * pointer. */
#define base_ok(call)	base_ok_or_fail((call), #call)
#define base_made(call) base_made_or_fail((call), #call)
void base_ok_or_fail(int error, const char *call);
void *base_made_or_fail(void *object, const char *call);

/* ^C was pressed: end with what was measured so far. */
extern volatile sig_atomic_t base_interrupted;
void base_catch_interrupts(void);

/* The progress of a long run, on a terminal only, in one line that is overwritten. @done:
 * 0…1. */
void base_progress(const char *what, double done, double seconds_left);
void base_progress_end(void);

#endif
