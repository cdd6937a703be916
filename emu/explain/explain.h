/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * explain: prints trace events (core_trace) as readable lines: command fields by prm's
 * tables, WQEs and CQEs by dv's printers (the only module that may include dv), frames by
 * wire's unpacker.
 *
 *	[1] fw       CREATE_CQ                in   uid=0x1 cq_context.log_cq_size=0x7 …
 *	[1] fw       CREATE_CQ                out  OK cqn=0x10003
 *	[1] doorbell uar 3 +0x800  send qpn 0x10041 idx 7 opcode 0x08 ds 3
 *	[1] wire     → 2   WRITE_ONLY           10.0.0.1 → 10.0.0.2  qp 0x20041 psn 17 …
 *	 ^slot
 */
#ifndef EMU_EXPLAIN_H
#define EMU_EXPLAIN_H

#include <stdbool.h>
#include <stdint.h>

/* Parses "fw,doorbell,wqe,cqe,eqe,wire,steer,check" or "all" into a core_trace_mask; false: an
 * unknown word, which *bad then points at. */
bool explain_parse(const char *list, unsigned int *mask, const char **bad);

/* Becomes the trace sink: prints lines to file descriptor @fd, each with one write(). They
 * begin with core_trace_slot. @timeline: writes the timeline there (timeline.c), of process
 * @program; -1: none. */
void explain_start(int fd, unsigned int mask, int timeline, const char *program);

#endif
