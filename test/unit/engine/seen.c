/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings, which have to be expected, frames, and what was done: as the trace has them. See
 * rig.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "rig.h"

#define SEEN 64

uint8_t frame_bth[RIG_FRAMES][12];
unsigned int frames;
static uint8_t first_head[14 + 40 + 2]; /* Ethernet, IPv6, UDP's source port */
static char said[SEEN][512];
static char traced[SEEN][128];
static unsigned int findings, expected, traces;

static void frame_sent(const uint8_t *frame)
{
	if (frames == RIG_FRAMES)
		return;
	if (!frames)
		memcpy(first_head, frame, sizeof(first_head));
	memcpy(frame_bth[frames++], frame + 14 + 20 + 8, 12);
}

static const char *const names[TRACE_KINDS] = { [TRACE_DOORBELL] = "doorbell",
						[TRACE_WQE] = "wqe",
						[TRACE_CQE] = "cqe",
						[TRACE_EQE] = "eqe",
						[TRACE_FAILED] = "failed" };

/* "failed 0x10001 index 1, 48 bytes 00000108, 64 blocks, service 0, syndrome 13" */
static void keep(const struct core_trace *t)
{
	const struct core_trace_queue *q = t->out;
	char *at = traced[traces++ % SEEN];
	int n = snprintf(at, sizeof(traced[0]), "%s 0x%x index %x, %u bytes %08x",
			 names[t->kind], t->obj, t->index, (unsigned int)t->in_len,
			 core_be32(t->in));

	if (t->out_len == sizeof(*q))
		snprintf(at + n, sizeof(traced[0]) - n, ", %u blocks, service %u, syndrome %x",
			 q->blocks, q->service, q->syndrome);
}

static void sink(const struct core_trace *t)
{
	if (t->kind == TRACE_CHECK && findings < SEEN)
		snprintf(said[findings++], sizeof(said[0]), "%.*s", (int)t->in_len,
			 (const char *)t->in);
	else if (t->kind == TRACE_WIRE_TX)
		frame_sent(t->in);
	else if (names[t->kind])
		keep(t);
}

void see(uint32_t kinds)
{
	core_trace_to = sink;
	core_trace_mask |= 1u << TRACE_CHECK | kinds;
}

void expect_finding(const char *text, ...)
{
	char all[512], *rest = NULL;
	va_list args;

	va_start(args, text);
	cr_assert_lt(vsnprintf(all, sizeof(all), text, args), (int)sizeof(all));
	va_end(args);
	for (char *part = strtok_r(all, "|", &rest); part; part = strtok_r(NULL, "|", &rest)) {
		cr_assert_lt(expected, findings, "%s: no finding: %s", row_name, part);
		cr_expect_not_null(strstr(said[expected], part), "%s: '%s' is not in: %s",
				   row_name, part, said[expected]);
		expected++;
	}
}

void expect_no_finding(void)
{
	cr_expect_eq(expected, findings, "%s: %u findings more: %s", row_name,
		     findings - expected, said[expected]);
	findings = expected = 0;
}

void expect_traced(const char *const *lines, unsigned int n)
{
	cr_expect_eq(traces, n, "%u lines", traces);
	for (unsigned int i = 0; i < n && i < traces; i++)
		cr_expect_str_eq(traced[i], lines[i]);
}

void record_frames(void)
{
	see(1u << TRACE_WIRE_TX);
	frames = 0;
}

void expect_full_address(void)
{
	static const uint8_t ethernet[14] = { 2, [5] = 0x55, 2, [11] = 0x33, 0x86, 0xdd };
	static const uint8_t ip[40] = { 0x6b, 0xa5, 0x43,	 0x21, [6] = 17, 33,
					0xfe, 0x80, [23] = 0x33, 0xfe, 0x80,	 [39] = 0x44 };

	cr_assert_gt(frames, 0);
	first_head[18] = first_head[19] = 0; /* the length */
	cr_expect_arr_eq(first_head, ethernet, 14);
	cr_expect_arr_eq(first_head + 14, ip, 40);
	cr_expect_arr_eq(first_head + 54, "\xd2\x34", 2);
}

void expect_frames(unsigned int at, const char *text)
{
	uint8_t opcodes[64];
	unsigned int n = bth_from_text(opcodes, sizeof(opcodes), text);

	cr_assert_geq(frames, at + n, "only %u frames: %s", frames, text);
	for (unsigned int i = 0; i < n; i++)
		cr_expect_eq(frame_bth[at + i][0], opcodes[i], "frame %u: opcode 0x%02x: %s",
			     at + i, frame_bth[at + i][0], text);
}

void expect_only_frames(const char *text)
{
	uint8_t opcodes[64];

	expect_frames(0, text);
	cr_expect_eq(frames, bth_from_text(opcodes, sizeof(opcodes), text), "%u frames",
		     frames);
}

uint32_t psn_of(unsigned int frame)
{
	const uint8_t *bth = frame_bth[frame];

	return (uint32_t)bth[9] << 16 | bth[10] << 8 | bth[11];
}
