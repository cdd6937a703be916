/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads commands back from the output of "dvkit-emu --trace fw".
 *
 *	[1] fw       CREATE_CQ                in   uid=0x2 cq_context.log_cq_size=0x9 … pas[1]={…}
 *	[1] fw       CREATE_CQ                out  OK cqn=0x10001
 *
 * Names and values are all there is: the bytes are made of them again, by prm. Fields that a
 * line leaves out are zero, except page lists, of which it shows the beginning; they are not
 * read.
 */
#ifndef TEST_E2E_REPLAY_TRACE_H
#define TEST_E2E_REPLAY_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include <prm/prm.h>
#include <prm/table.h>

enum { PATH_MAX_BYTES = 128, BOX_BYTES = 0x1100 };

/* A field of the inbox that the line shows. */
struct shown {
	char path[PATH_MAX_BYTES];
	uint64_t value; /* 0 of bytes and lists */
};

struct record {
	const struct prm_cmd *cmd;
	uint8_t in[BOX_BYTES], out[BOX_BYTES];
	size_t in_len, out_len;
	struct shown *shown;
	size_t nshown;
};

struct trace {
	const char *name;
	struct record *record;
	size_t n;
};

/* Ends the program with a sentence. */
void fail(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Reads all commands of @file. One that failed in the trace is a failure here. */
void trace_read(struct trace *t, const char *file);
void trace_free(struct trace *t);

/* The number that the line shows at @path; 0: it shows none. */
uint64_t trace_value(const struct record *r, const char *path);
/* "pd" of "qpc.pd" */
const char *path_last(const char *path);

#endif
