/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A register or the answer of a query, read again and again: what has changed is printed.
 *
 *	dvfw watch, or watch in the shell -> watch_begin -> watch_loop -> lines
 */
#ifndef DVFW_WATCH_H
#define DVFW_WATCH_H

#include "exchange.h"
#include "reg.h"

struct watch {
	struct dvfw *dvfw;
	double interval;     /* seconds between two readings */
	unsigned long count; /* readings; 0: until watch_loop() is interrupted */
	bool is_reg;
	struct reg reg;
	struct exchange *x;   /* otherwise: a query, encoded */
	struct devx_obj *obj; /* that it is about; of no object: an empty one */
};

/* Reads an interval of 0.01 to 3600 seconds, a number of readings from 2 on; false: it is not one. */
bool watch_interval(const char *text, double *seconds);
bool watch_count(const char *text, unsigned long *count);

/* Prepares w->reg or w->x of a register or a command by name, with its fields. An exit status. */
int watch_begin(struct watch *w, char **word, int n);

/* Reads and prints. An exit status. */
int watch_loop(struct watch *w);

#endif
