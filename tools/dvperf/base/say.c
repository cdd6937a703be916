/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of dvperf beside its results: errors, notes, progress; and ^C. */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "prm/visible.h"
#include "base.h"

enum {
	SAME_NS = 500000000, /* signals that are less apart were one key */
	TEXT = 1024,
	MAX_END_REPORTS = 2, /* of a sweep and of a connection */
};

volatile sig_atomic_t base_interrupted;
static volatile sig_atomic_t interrupted_here; /* not on the other side */
static bool in_line;
static void (*end_reports[MAX_END_REPORTS])(int status, const char *text);
static unsigned int n_end_reports;

/* A line is one write: other ranks and their launcher write to the same place. */
static void line(const char *text)
{
	char safe[4 * TEXT]; /* words of the other side or of a file may be in it */

	base_progress_end();
	fflush(stdout);
	fprintf(stderr, "dvperf: %s\n", prm_visible(safe, sizeof(safe), text));
}

void base_before_end(void (*report)(int status, const char *text))
{
	assert(n_end_reports < MAX_END_REPORTS);
	end_reports[n_end_reports++] = report;
}

static _Noreturn void end(int status, const char *fmt, va_list ap)
{
	char text[TEXT];

	vsnprintf(text, sizeof(text), fmt, ap);
	line(text);
	for (unsigned int i = n_end_reports; i-- > 0;)
		end_reports[i](status, text);
	exit(status);
}

void base_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	end(DVPERF_FAILED, fmt, ap);
}

void base_refuse(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	end(DVPERF_USAGE, fmt, ap);
}

void base_note(const char *fmt, ...)
{
	char text[TEXT];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	line(text);
}

void base_ok_or_fail(int error, const char *call)
{
	if (error)
		base_fail("%.*s: %s", (int)strcspn(call, "("), call,
			  strerror(error > 0 ? error : errno));
}

void *base_made_or_fail(void *object, const char *call)
{
	if (!object)
		base_fail("%.*s: %s", (int)strcspn(call, "("), call, strerror(errno));
	return object;
}

/* A second one ends the program at once, unless it is the first one once more: a terminal and
 * mpirun send it to the process group, and a launcher like dvkit-emu passes it on. */
static void on_interrupt(int sig)
{
	static struct timespec first;
	struct timespec now;
	int64_t ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ns = (now.tv_sec - first.tv_sec) * 1000000000LL + now.tv_nsec - first.tv_nsec;
	if (!interrupted_here) {
		first = now;
		interrupted_here = base_interrupted = 1;
	} else if (ns > SAME_NS && sig != SIGUSR1) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
}

void base_catch_interrupts(void)
{
	struct sigaction action = { .sa_handler = on_interrupt };

	sigaction(SIGINT, &action, NULL);
	/* at ^C mpirun sends this one to its job, and SIGKILL a second later */
	sigaction(SIGTERM, &action, NULL);
	/* and this one it passes on, and does nothing more */
	sigaction(SIGUSR1, &action, NULL);
}

void base_progress(const char *what, double done, double seconds_left)
{
	if (!isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\r\033[K%s: %3.0f %%, %.0f s to go", what, 100 * done, seconds_left);
	fflush(stderr);
	in_line = true;
}

void base_progress_end(void)
{
	if (in_line)
		fprintf(stderr, "\r\033[K");
	in_line = false;
}
