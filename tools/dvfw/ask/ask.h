/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ask: the subcommands that ask the tables or the device one question.
 */
#ifndef DVFW_ASK_H
#define DVFW_ASK_H

#include "base/base.h"
#include "box/box.h"

/*
 * ---- reg.c ----
 *
 * A register: asked for by its index fields, read or written.
 */

struct reg {
	const struct prm_reg *reg;
	uint64_t argument;
	struct box ask;	   /* the answer of a read, the value of a write */
	struct box answer; /* of the latest read or write */
};

/* Encodes "field=value" words, and argument=N, into @r->ask. An exit status. */
int reg_begin(const struct dvfw *d, struct reg *r, const struct prm_reg *reg,
	      char *const *words, int n);

/* Sends it on what dvfw_connect() opened. @op: PRM_REG_OP_READ, PRM_REG_OP_WRITE. DVFW_REFUSED:
 * the refusal is printed, with the fields by which the firmware chooses one of several. */
int reg_access(struct dvfw *d, struct reg *r, enum prm_value op);

/* The answer, as box.h shows it. */
struct shown reg_shown(const struct reg *r);

/*
 * ---- watch.c ----
 *
 * Repeated reading. Changes of a register or of the answer of a query are printed; dvfw top
 * shows counters (top.c).
 *
 *	dvfw watch, or watch in the shell -> watch_begin -> watch_changes --.
 *	dvfw top ----------------------------------------------------------+-> watch_loop -> read, show, wait
 */

struct watch {
	struct dvfw *dvfw;
	double interval;	      /* seconds between two readings */
	unsigned long count;	      /* readings; 0: until watch_loop() is interrupted */
	bool interrupted;	      /* it was */
	int (*read)(struct watch *w); /* an exit status; what is wrong is printed */
	/* Seconds since the first reading, and since the one before; both 0: it is the
	 * first. */
	void (*show)(struct watch *w, double since, double seconds);

	/* of watch_begin() and watch_changes() */
	bool is_reg;
	struct reg reg;
	struct exchange *x;   /* otherwise: a query, encoded */
	struct devx_obj *obj; /* that it is about; of no object: an empty one */
	unsigned int changes; /* so far */
	double since;	      /* when it was read last */
};

/* Reads an interval of 0.01 to 3600 seconds, a number of readings from 2 on; false: it is not
 * one. */
bool watch_interval(const char *text, double *seconds);
bool watch_count(const char *text, unsigned long *count);
/* The same interval of an option. */
void watch_read_interval(struct argp_state *state, const char *value, void *member);

/* Reads and shows. An exit status. */
int watch_loop(struct watch *w);

/* Prepares w->reg or w->x of a register or a command by name, with its fields. An exit
 * status. */
int watch_begin(struct watch *w, char **word, int n);
/* Reads it in a loop and prints what changes. An exit status. */
int watch_changes(struct watch *w);

/* "commands", "structs" … of dvfw list; NULL: no more. */
const char *list_name(unsigned int i);

/* Subcommands: rows of the table in main.c. */
int list_run(struct dvfw *d, int argc, char **argv);
int encode_run(struct dvfw *d, int argc, char **argv);
int decode_run(struct dvfw *d, int argc, char **argv);
int cmd_run(struct dvfw *d, int argc, char **argv);
int caps_run(struct dvfw *d, int argc, char **argv);
int objects_run(struct dvfw *d, int argc, char **argv);
int reg_run(struct dvfw *d, int argc, char **argv);
int watch_run(struct dvfw *d, int argc, char **argv);
int rscdump_run(struct dvfw *d, int argc, char **argv);
int top_run(struct dvfw *d, int argc, char **argv);

#endif
