/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flows: flow rules, the queues that they may lead to, and the way of a packet through them.
 */
#ifndef DVFW_FLOWS_H
#define DVFW_FLOWS_H

#include "base/base.h"

enum { RULES_TEXT = 8192 }; /* of a rule */

struct devx_obj;
struct rules;

/* The state of the verbs of flow: part of a session, or separate. */
struct flows {
	struct dvfw *dvfw;
	struct rules *rules; /* NULL: none yet */
	bool stopped;	     /* "flow wait" was, by SIGTERM */
	/* Targets: the objects of @owner that @opcode made, to @list, at most @n; returns how
	 * many. NULL: it has none. */
	unsigned int (*objects)(const void *owner, uint16_t opcode, struct devx_obj **list,
				unsigned int n);
	const void *owner;
};

/* Destroys all. */
void rules_close(struct rules *r);

/* "flow VERB …"; word[0] is "flow". An exit status. */
int flows_verb(struct flows *f, int n, char **word);
/* The names of the verbs; NULL: no more. */
const char *flows_verb_name(unsigned int i);

/* Words with blanks between; false: longer than RULES_TEXT. */
bool rule_join(char text[RULES_TEXT], char **word, int n);
/* Subcommands: rows of the table in main.c. */
int flow_run(struct dvfw *d, int argc, char **argv);

#endif
