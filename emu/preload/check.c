/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The summary of --check:
 *
 *	dvkit-emu: [1] check: 2 findings; left at exit: 1 uctx, 1 qp, 1 cq
 *
 * Leaving objects behind is legal and common: the kernel destroys them. So they are counted,
 * not scolded. Findings themselves are printed by explain as they come.
 */
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "preload/check.h"

static atomic_uint findings;
static core_trace_sink *printer;

static const struct {
	const char *name;
	size_t table; /* offset of a core_ids in struct dev */
} kinds[] = {
	{ "uctx", offsetof(struct dev, uctx) },	 { "pd", offsetof(struct dev, pds) },
	{ "td", offsetof(struct dev, tds) },	 { "uar", offsetof(struct dev, uars) },
	{ "mkey", offsetof(struct dev, mkeys) }, { "cq", offsetof(struct dev, cqs) },
	{ "eq", offsetof(struct dev, eqs) },	 { "qp", offsetof(struct dev, qps) },
};

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static uint32_t own[N_KINDS];

static uint32_t used(const struct dev *d, size_t kind)
{
	const struct core_ids *t = (const void *)((const char *)d + kinds[kind].table);

	return t->used;
}

static void count(const struct core_trace *t)
{
	if (t->kind == TRACE_CHECK)
		atomic_fetch_add(&findings, 1);
	if (printer)
		printer(t);
}

void check_start(struct boot *b)
{
	for (size_t i = 0; i < N_KINDS; i++)
		own[i] = used(&b->dev, i);
	printer = core_trace_to;
	core_trace_to = count;
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

void check_finish(struct boot *b)
{
	char line[512];
	const char *sep = "; left at exit: ";
	size_t at = 0;
	unsigned int n = atomic_load(&findings);

	at = add(line, at, sizeof(line), "dvkit-emu: [%u] check: %u finding%s", b->dev.slot, n,
		 n == 1 ? "" : "s");
	dev_lock(&b->dev);
	for (size_t i = 0; i < N_KINDS; i++) {
		uint32_t left = used(&b->dev, i) - own[i];

		if (!left)
			continue;
		at = add(line, at, sizeof(line), "%s%u %s", sep, left, kinds[i].name);
		sep = ", ";
	}
	dev_unlock(&b->dev);
	at = add(line, at, sizeof(line), "\n");
	if (write(b->log_fd, line, at) < 0)
		return; /* nobody left to tell */
}
