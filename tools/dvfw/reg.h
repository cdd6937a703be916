/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A register: asked for by its index fields, read or written.
 */
#ifndef DVFW_REG_H
#define DVFW_REG_H

#include "encode.h"
#include "message.h"

struct reg {
	const struct prm_reg *reg;
	uint64_t argument;
	struct box ask;	   /* what a read says, what a write sets */
	struct box answer; /* of the latest read or write */
};

/* Encodes "field=value" words, and argument=N, into @r->ask. An exit status. */
int reg_begin(const struct dvfw *d, struct reg *r, const struct prm_reg *reg,
	      char *const *words, int n);

/* Sends it on what dvfw_connect() opened. @op: PRM_REG_OP_READ, PRM_REG_OP_WRITE. DVFW_REFUSED: the refusal
 * is printed, with the fields by which the firmware chooses one of several. */
int reg_access(struct dvfw *d, struct reg *r, enum prm_value op);

/* The answer, for message.h and reading.h. */
struct shown reg_shown(const struct reg *r);

#endif
