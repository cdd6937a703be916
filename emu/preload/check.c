/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the report of --check at the end:
 *
 *	dvkit-emu: [1] not destroyed: qp 0x10001, made at [1:37]
 *	dvkit-emu: [1] check: 2 findings, ended by signal 15; left at exit: 1 uctx, 1 qp, 1 cq
 *
 * Not destroying objects is legal and common: the kernel does it. So they are listed
 * and counted, and are not findings. Those are printed by explain when they occur.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "preload/check.h"
#include "preload/watch.h"

static atomic_uint findings[HCA_VHCAS]; /* by the slot of the function */
static core_trace_sink *printer;

#define LISTED 20 /* objects of a kind that are named; the others are counted */

/* The highest number of each kind that the driver gave itself. */
static uint32_t own[OPTIONS_FUNCTIONS][HCA_KINDS];

static void count(const struct core_trace *t)
{
	if (t->kind == TRACE_CHECK)
		atomic_fetch_add(&findings[core_trace_slot], 1);
	if (printer)
		printer(t);
}

static void say(const struct boot *b, const char *line, size_t len)
{
	core_output(b->log_fd, CORE_LOG, line, len);
}

void check_start(struct boot *b)
{
	static const char polled[] =
		"dvkit-emu: check: stores to doorbell registers are polled for here, and not seen "
		"one by one\n";

	uint32_t *driver = own[b->function];
	bool first = core_trace_to != count;

	/* Findings of the parent process do not count. */
	atomic_store(&findings[b->hca.slot], 0);
	memset(driver, 0, sizeof(own[b->function]));
	for (size_t i = HCA_KIND_NONE + 1; i < HCA_KINDS; i++)
		while (core_ids_next(hca_object_table(&b->hca, i), &driver[i]))
			;
	if (!first)
		return;
	printer = core_trace_to;
	core_trace_to = count;
	if (!watch_start())
		say(b, polled, sizeof(polled) - 1);
}

static size_t add(char *line, size_t at, size_t size, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(line + at, size - at, fmt, args);
	va_end(args);
	return n > 0 && at + n < size ? at + n : at;
}

/* Names the application's objects of one kind; returns how many there are. */
static uint32_t list(const struct boot *b, size_t kind)
{
	const struct core_ids *t = hca_object_table(&b->hca, kind);
	uint32_t id = own[b->function][kind], n = 0;

	while (core_ids_next(t, &id)) {
		char line[128];

		if (++n > LISTED)
			continue;
		say(b, line,
		    add(line, 0, sizeof(line),
			"dvkit-emu: [%u] not destroyed: %s 0x%x, made at [%u:%u]\n",
			b->hca.slot, hca_kinds[kind].text, id, b->hca.slot,
			core_ids_place(t, id)));
	}
	return n;
}

void check_finish(struct boot *b, int sig)
{
	char line[512];
	const char *sep = "; left at exit: ";
	size_t at = 0;
	unsigned int n;

	hca_lock(&b->hca);
	engine_unfinished(&b->hca);
	n = atomic_load(&findings[b->hca.slot]);
	at = add(line, at, sizeof(line), "dvkit-emu: [%u] check: %u finding%s", b->hca.slot, n,
		 n == 1 ? "" : "s");
	if (sig)
		at = add(line, at, sizeof(line), ", ended by signal %d", sig);
	for (size_t i = HCA_KIND_NONE + 1; i < HCA_KINDS; i++) {
		uint32_t left = list(b, i);

		if (!left)
			continue;
		at = add(line, at, sizeof(line), "%s%u %s", sep, left, hca_kinds[i].text);
		sep = ", ";
	}
	hca_unlock(&b->hca);
	at = add(line, at, sizeof(line), "\n");
	say(b, line, at);
}
