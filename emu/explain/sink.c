/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trace sink: which lines are wanted, and how a line gets out.
 *
 *	[1] fw       CREATE_QP                in   …
 *	[1] fw       CREATE_QP                out  OK …
 *	[1] doorbell uar 3 +0x800  …
 *	 ^slot ^kind  ^text
 *
 * Where findings are wanted, each line has its place too, [1:57], for them to refer to.
 *
 * A line is formatted on the stack of the thread that reports and written with one write(2): no
 * lock, no buffer, nothing lost when the process is killed. Lines of two processes that share a
 * log do not mix (O_APPEND). Set once by explain_start, before any other thread is there.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "explain/explain.h"
#include "explain/lines.h"

static int log_fd = -1;
static unsigned int log_mask, drawn; /* kinds in the log, in the timeline */

#define DRAWN                                                                             \
	(1u << TRACE_DOORBELL | 1u << TRACE_WQE | 1u << TRACE_CQE | 1u << TRACE_WIRE_TX | \
	 1u << TRACE_WIRE_RX)

/* Two makers: two lines. */
static const struct {
	const char *word;
	line_maker *first, *second;
} kinds[TRACE_KINDS] = {
	[TRACE_FW] = { "fw", line_command_in, line_command_out },
	[TRACE_DOORBELL] = { "doorbell", line_doorbell, NULL },
	[TRACE_WQE] = { "wqe", line_wqe, NULL },
	[TRACE_CQE] = { "cqe", line_cqe, NULL },
	[TRACE_EQE] = { "eqe", line_eqe, NULL },
	[TRACE_WIRE_TX] = { "wire", line_frame_sent, NULL },
	[TRACE_WIRE_RX] = { "wire", line_frame_received, NULL },
	[TRACE_STEER] = { "steer", line_steer, NULL },
	[TRACE_CHECK] = { "check", line_check, NULL },
	[TRACE_FAILED] = { NULL, NULL, NULL }, /* becomes findings */
};

bool explain_parse(const char *list, unsigned int *mask, const char **bad)
{
	*mask = 0;
	while (*list) {
		size_t len = strcspn(list, ",");
		unsigned int bits = 0;

		for (unsigned int kind = 0; kind < TRACE_KINDS; kind++)
			if (kinds[kind].word && len == strlen(kinds[kind].word) &&
			    !strncmp(list, kinds[kind].word, len))
				bits |= 1u << kind;
		if (len == 3 && !strncmp(list, "all", len))
			bits = (1u << TRACE_KINDS) - 1;
		if (!bits) {
			*bad = list;
			return false;
		}
		*mask |= bits;
		list += len;
		if (*list == ',')
			list++;
	}
	return true;
}

/* ---- lines ---- */

char *line_end(struct line *l, size_t *space)
{
	*space = l->len < LINE_SIZE ? LINE_SIZE - l->len : 0;
	return *space ? l->text + l->len : NULL;
}

void line_put(struct line *l, const char *format, ...)
{
	va_list args;
	size_t space;
	char *end = line_end(l, &space);
	int n;

	va_start(args, format);
	n = vsnprintf(end, space, format, args);
	va_end(args);
	if (n > 0)
		l->len += n;
}

void line_hex(struct line *l, const uint8_t *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		line_put(l, i && i % 4 == 0 ? " %02x" : "%02x", at[i]);
}

/* Ends the line, with a mark when it was cut; one line stays one line. */
static void line_close(struct line *l)
{
	static const char cut[] = " …\n";
	size_t end = LINE_SIZE - sizeof(cut);

	while (l->len && l->len < end && l->text[l->len - 1] == ' ')
		l->len--;
	if (l->len < end) {
		line_put(l, "\n");
		return;
	}
	while ((l->text[end] & 0xc0) == 0x80)
		end--; /* not inside a UTF-8 character */
	memcpy(l->text + end, cut, sizeof(cut));
	l->len = end + sizeof(cut) - 1;
}

static void print(const struct core_trace *t, line_maker *make)
{
	struct line l;

	l.len = 0;
	line_put(&l, "[%u", core_trace_slot);
	if (core_trace_on(TRACE_CHECK))
		line_put(&l, ":%u", atomic_load(&core_trace_place));
	line_put(&l, "] %-8s ", kinds[t->kind].word);
	make(&l, t);
	line_close(&l);
	core_output(log_fd, CORE_LOG, l.text, l.len);
}

static void sink(const struct core_trace *t)
{
	int saved = errno;

	if (drawn >> t->kind & 1)
		timeline_event(t, kinds[t->kind].first);
	if (!(log_mask >> t->kind & 1)) {
		errno = saved;
		return;
	}
	if (t->kind == TRACE_FAILED)
		check_failed_wqe(t);
	if (kinds[t->kind].first)
		print(t, kinds[t->kind].first);
	if (kinds[t->kind].second)
		print(t, kinds[t->kind].second);
	errno = saved;
}

void explain_start(int fd, unsigned int mask, int timeline, const char *program)
{
	log_fd = fd;
	if (mask >> TRACE_CHECK & 1)
		mask |= 1u << TRACE_FAILED;
	log_mask = mask;
	drawn = 0;
	if (timeline >= 0) {
		timeline_start(timeline, program);
		drawn = DRAWN;
	}
	core_trace_to = sink;
	core_trace_mask = mask | drawn;
	/* Findings name the command that made an object, so commands have to have places. */
	if (mask >> TRACE_CHECK & 1)
		core_trace_mask |= 1u << TRACE_FW;
}
