/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A command and its answer: encoded from arguments, sent, shown.
 *
 *	words -> exchange_encode -> inbox -> exchange_send -> outbox -> exchange_show
 */
#ifndef DVFW_EXCHANGE_H
#define DVFW_EXCHANGE_H

#include "encode.h"
#include "message.h"

struct devx_obj;

struct exchange {
	const struct prm_cmd *cmd;
	struct box in, out;
	bool answered; /* the outbox came back */
};

/* Finds the command. DVFW_USAGE: there is none, or it is a structure. */
int exchange_begin(const struct dvfw *d, struct exchange *x, const char *name);

/* Encodes "field=value" words into the inbox. */
int exchange_encode(const struct dvfw *d, struct exchange *x, char **words, int n);

/* Makes the inbox as long as its contents want it, and the outbox ready. */
void exchange_fit(struct exchange *x);

/*
 * Sends it by the call of its command. @obj: created by a CREATE; for MODIFY and QUERY the
 * object it is about. DVFW_REFUSED: the refusal is printed. Writes of registers pass only
 * with @write.
 */
int exchange_send(struct dvfw *d, struct exchange *x, struct devx_obj *obj, bool write);

/* Prints or adds to @json, if that is not NULL, inbox and outbox. */
void exchange_show_in(const struct dvfw *d, const struct exchange *x,
		      const struct show_options *o, struct json_object *json);
void exchange_show_out(const struct dvfw *d, const struct exchange *x,
		       const struct show_options *o, struct json_object *json);

#endif
