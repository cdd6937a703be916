/* SPDX-License-Identifier: BSD-2-Clause */
/* For the tests of explain: slot 3 reports into a pipe, and the test reads the lines. */
#ifndef TEST_UNIT_EXPLAIN_TRACE_H
#define TEST_UNIT_EXPLAIN_TRACE_H

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "core/core.h"
#include "explain/explain.h"
#include "lib/hex.h"

#define ALL_KINDS ((1u << TRACE_KINDS) - 1)

static int trace_pipe[2];

static inline void trace_start(unsigned int mask)
{
	cr_assert_eq(pipe2(trace_pipe, O_NONBLOCK), 0);
	core_trace_slot = 3;
	explain_start(trace_pipe[1], mask, -1, "test");
}

/* All but findings: with them, lines are numbered. */
static inline void trace_all(void)
{
	trace_start(ALL_KINDS & ~(1u << TRACE_CHECK));
}

/* Reports @len bytes at @in. */
static inline void report(enum core_trace_kind kind, uint32_t obj, uint32_t index,
			  const void *in, size_t len)
{
	core_trace(&(struct core_trace){
		.kind = kind, .obj = obj, .index = index, .in = in, .in_len = len });
}

/* Text written since the last call. */
static inline const char *printed(void)
{
	static char text[65536];
	ssize_t len = read(trace_pipe[0], text, sizeof(text) - 1);

	text[len > 0 ? len : 0] = 0;
	return text;
}

static inline void report_hex(enum core_trace_kind kind, uint32_t obj, uint32_t index,
			      const char *digits)
{
	uint8_t bytes[512];

	report(kind, obj, index, bytes, from_hex(bytes, digits));
}

#endif
