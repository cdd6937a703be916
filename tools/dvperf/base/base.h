/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvperf, the benchmark: what its subcommands share.
 *
 *	dvperf post     what posting and polling cost the CPU; no peer, no wire
 *	dvperf bw       operations per second; one process (--loopback) or two (HOST)
 *	dvperf lat      the time of one operation, as bw
 *	dvperf sweep    any of them over lists of values, or a preset; data and a figure
 *	mpirun -n N dvperf bw --pattern=…    bw between N ranks: pattern.c, ranks_mpi.c
 *
 *	main.c -> options.c -> check.c -> bw.c, lat.c, post.c -> result.c -> (sweep.c, plot.c)
 *	                                     '- worker.c, lane.c, post_*.c: the hot loop
 *
 * Results go to standard output, everything else to standard error. Exit status: 0; 1 what was
 * measured failed, or the device did; 2 what was asked for cannot be: one line says why.
 */
#ifndef DVPERF_H
#define DVPERF_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "clock.h"

enum {
	DVPERF_FAILED = 1,
	DVPERF_USAGE = 2,
};

/* One line to standard error, "dvperf: …", and the end of the program. */
_Noreturn void base_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void base_refuse(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Whom else the two above tell their line, and the exit status; from any thread. */
void base_before_end(void (*tell)(int status, const char *text));

/* One line to standard error. */
void base_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* For calls that return 0 or an errno value (or -1 and errno), and for those that return a pointer. */
#define base_ok(call)	base_ok_or_fail((call), #call)
#define base_made(call) base_made_or_fail((call), #call)
void base_ok_or_fail(int error, const char *call);
void *base_made_or_fail(void *object, const char *call);

/* ^C was pressed: end with what was measured so far. */
extern volatile sig_atomic_t base_interrupted;
void base_catch_interrupts(void);

/* What a long run is at, and how long it still takes: on a terminal only, in place. @done: 0…1. */
void base_progress(const char *what, double done, double seconds_left);
void base_progress_end(void);

#endif
