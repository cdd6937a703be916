/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside explain: a file per thing that crosses, each making the text of a line.
 *
 *	core_trace --> sink.c --> command.c, data.c, frame.c, event.c --> struct line --> write(2)
 *
 *	[1] fw       CREATE_QP                in   uid=0x1 qpc.pd=0x10001 …
 *	^slot and kind: sink.c ^the others
 */
#ifndef EMU_EXPLAIN_LINES_H
#define EMU_EXPLAIN_LINES_H

#include "core/core.h"

/* Text of up to LINE_SIZE - 1 bytes; what is longer ends in "…". */
#define LINE_SIZE 16384

struct line {
	char text[LINE_SIZE];
	size_t len; /* of the whole text, whether it fits or not */
};

__attribute__((format(printf, 2, 3))) void line_put(struct line *l, const char *format, ...);
/* Where another formatter may continue, and the space there; it adds what it wrote to len. */
char *line_end(struct line *l, size_t *space);
/* @n bytes as hexadecimal digits, a blank after each fourth. */
void line_hex(struct line *l, const uint8_t *at, size_t n);

typedef void line_maker(struct line *l, const struct core_trace *t);

line_maker line_command_in, line_command_out;	 /* command.c */
line_maker line_wqe, line_cqe;			 /* data.c */
line_maker line_doorbell, line_eqe, line_check;	 /* event.c */
line_maker line_frame_sent, line_frame_received; /* frame.c */
line_maker line_steer;				 /* steer.c */

/* timeline.c: the program's name, once; and an event, with its line. */
void timeline_start(int fd, const char *program);
void timeline_event(const struct core_trace *t, line_maker *make);

/* A finding (core_check) for each thing that is wrong with the WQE of a TRACE_FAILED. */
void check_failed_wqe(const struct core_trace *t); /* data.c */

#endif
