/* SPDX-License-Identifier: BSD-2-Clause */
/* What dvperf says beside its results: errors, notes, progress; and ^C. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dvperf.h"

volatile sig_atomic_t interrupted;
static bool in_line;

static void line(const char *fmt, va_list ap)
{
	progress_end();
	fflush(stdout);
	fprintf(stderr, "dvperf: ");
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	line(fmt, ap);
	va_end(ap);
	exit(DVPERF_FAILED);
}

void refuse(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	line(fmt, ap);
	va_end(ap);
	exit(DVPERF_USAGE);
}

void note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	line(fmt, ap);
	va_end(ap);
}

void ok_or_fail(int error, const char *call)
{
	if (error)
		fail("%.*s: %s", (int)strcspn(call, "("), call,
		     strerror(error > 0 ? error : errno));
}

void *made_or_fail(void *object, const char *call)
{
	if (!object)
		fail("%.*s: %s", (int)strcspn(call, "("), call, strerror(errno));
	return object;
}

static void on_interrupt(int sig)
{
	(void)sig;
	interrupted = 1;
}

void catch_interrupts(void)
{
	struct sigaction action = { .sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* mpirun ends its job at ^C, and passes this one on: to whom it started, and to all of its
	 * process group; a second one must not kill */
	action.sa_flags = 0;
	sigaction(SIGUSR1, &action, NULL);
}

void progress(const char *what, double done, double seconds_left)
{
	if (!isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\r\033[K%s: %3.0f %%, %.0f s to go", what, 100 * done, seconds_left);
	fflush(stderr);
	in_line = true;
}

void progress_end(void)
{
	if (in_line)
		fprintf(stderr, "\r\033[K");
	in_line = false;
}
