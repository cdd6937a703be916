/* SPDX-License-Identifier: BSD-2-Clause */
/* The trace sink's words, set once before any room runs, and findings. */
#include <stdarg.h>
#include <stdio.h>

#include "core/core.h"

core_trace_sink *core_trace_to;
unsigned int core_trace_mask;
atomic_uint core_trace_place;

void core_check(uint32_t obj, const char *fmt, ...)
{
	char text[512];
	va_list args;
	int len;

	if (!core_trace_on(TRACE_CHECK))
		return;
	va_start(args, fmt);
	len = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (len < 0)
		return;
	core_trace(&(struct core_trace){
		.kind = TRACE_CHECK,
		.obj = obj,
		.in = text,
		.in_len = (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1 });
}
