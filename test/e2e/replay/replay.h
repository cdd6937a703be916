/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program's commands once more, through DevX.
 *
 *	trace.c    lines -> boxes
 *	number.c   the trace's numbers -> ours: pd uar cq mkey qp eq td
 *	memory.c   page lists, addresses -> umems
 *	compare.c  a context, field by field
 *	main.c     which command by which call, in which order
 *
 * Each side of a connection has its own context. Numbers have the slot of their process in
 * them, so those of both sides lie in one table, and a QP finds its peer there.
 */
#ifndef TEST_E2E_REPLAY_REPLAY_H
#define TEST_E2E_REPLAY_REPLAY_H

#include <devx/devx.h>
#include <devx/uar.h>
#include <devx/umem.h>

#include "trace.h"

enum { CONTEXT_BYTES = 256 };

/* ---- memory.c ---- */

struct memory {
	struct devx_umem umem;
	uint64_t record;  /* offset of the doorbell record */
	uint64_t address; /* of an mkey: its start */
};

/* Gives the object that @in creates its own memory and names it in @in. */
void memory_place(struct memory *m, struct ibv_context *ctx, const struct record *r,
		  uint8_t *in);
void memory_free(struct memory *m);

/* ---- number.c ---- */

/* The kind of what field @name holds the number of; NULL: it holds something else. */
const char *number_kind(const char *name);
void number_add(const char *kind, uint64_t from, uint64_t to);
/* Ours for the trace's; one that was not made is a failure. */
uint64_t number_of(const char *kind, uint64_t from);
/* Replaces in @in what @r shows. */
void number_replace(const struct record *r, uint8_t *in);

/* ---- compare.c ---- */

/* Names a field that may differ, and why; ends with a row without a name. */
struct excuse {
	const char *field, *why;
};

/* Every field of @s in @got has to be as in @expected; prints how many there are and those that
 * are excused, each with both values. */
void compare(const char *what, const struct prm_struct *s, const uint8_t *expected,
	     const uint8_t *got, const struct excuse *excuses);

#endif
