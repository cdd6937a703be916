/* SPDX-License-Identifier: BSD-2-Clause */
/* The trace sink and its mask, set once before the device opens, and the form of findings. */
#include <stdarg.h>
#include <stdio.h>

#include "core/core.h"

core_trace_sink *core_trace_to;
unsigned int core_trace_mask;
__thread uint8_t core_trace_slot;
__thread struct core_trace_work core_trace_work;
atomic_uint core_trace_place;

#define FINDING(kind, remedy) [CORE_##kind] = remedy,
static const char *const remedies[CORE_FINDINGS] = {
#include "core/finding.def"
};
#undef FINDING

struct text {
	char bytes[1024];
	size_t len;
};

/* Text that does not fit is left out. */
static void vput(struct text *t, const char *fmt, va_list args)
{
	size_t space = sizeof(t->bytes) - t->len;
	int n = vsnprintf(t->bytes + t->len, space, fmt, args);

	if (n > 0)
		t->len += (size_t)n < space ? (size_t)n : space - 1;
}

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vput(t, fmt, args);
	va_end(args);
}

void core_check(enum core_finding kind, const char *object, uint32_t number, const char *fmt,
		...)
{
	struct text t = { .len = 0 };
	va_list args;

	if (!core_trace_on(TRACE_CHECK))
		return;
	put(&t, "%s 0x%x: ", object, number);
	va_start(args, fmt);
	vput(&t, fmt, args);
	va_end(args);
	put(&t, "; remedy: %s", remedies[kind]);
	core_trace(&(struct core_trace){ .kind = TRACE_CHECK,
					 .obj = number,
					 .index = kind,
					 .in = t.bytes,
					 .in_len = t.len });
}
