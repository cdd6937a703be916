/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Something read again and again. Of a register or the answer of a query what has changed is printed; dvfw top
 * shows counters (top.c).
 *
 *	dvfw watch, or watch in the shell -> watch_begin -> watch_changes --.
 *	dvfw top ----------------------------------------------------------+-> watch_loop -> read, show, wait
 */
#ifndef DVFW_WATCH_H
#define DVFW_WATCH_H

#include "exchange.h"
#include "reg.h"

struct watch {
	struct dvfw *dvfw;
	double interval;	      /* seconds between two readings */
	unsigned long count;	      /* readings; 0: until watch_loop() is interrupted */
	bool interrupted;	      /* it was */
	int (*read)(struct watch *w); /* an exit status; what is wrong is printed */
	/* Seconds since the first reading, and since the one before; both 0: it is the first. */
	void (*show)(struct watch *w, double since, double seconds);

	/* of watch_begin() and watch_changes() */
	bool is_reg;
	struct reg reg;
	struct exchange *x;   /* otherwise: a query, encoded */
	struct devx_obj *obj; /* that it is about; of no object: an empty one */
	unsigned int changes; /* so far */
	double since;	      /* when it was read last */
};

/* Reads an interval of 0.01 to 3600 seconds, a number of readings from 2 on; false: it is not one. */
bool watch_interval(const char *text, double *seconds);
bool watch_count(const char *text, unsigned long *count);
/* The same interval of an option. */
void watch_read_interval(struct argp_state *state, const char *value, void *member);

/* Reads and shows. An exit status. */
int watch_loop(struct watch *w);

/* Prepares w->reg or w->x of a register or a command by name, with its fields. An exit status. */
int watch_begin(struct watch *w, char **word, int n);
/* Reads it in a loop and prints what changes. An exit status. */
int watch_changes(struct watch *w);

#endif
