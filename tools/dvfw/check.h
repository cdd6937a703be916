/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Will this inbox be refused, and by which layer? The checks that need no device.
 */
#ifndef DVFW_CHECK_H
#define DVFW_CHECK_H

#include "capability.h"
#include "encode.h"

/*
 * Prints a line for each error in the inbox of @cmd, or adds it to @list if that
 * is not NULL, and returns how many those are. Capabilities are compared if @caps knows any. @own: the object it is about is
 * there, so that MODIFY and QUERY can be sent.
 */
int check_inbox(const struct dvfw *d, const struct prm_cmd *cmd, const struct box *in,
		const struct capability_source *caps, bool own, struct json_object *list);

/* Does it depend on capabilities whether @cmd is refused? */
bool check_asks_capabilities(const struct prm_cmd *cmd);

/* A bound that a field has in a capability; for the test that all names exist. */
struct check_limit {
	uint16_t opcode;
	const char *field; /* of the inbox */
	uint16_t group;
	const char *cap; /* field of the group */
	enum {
		CHECK_AT_MOST, /* field <= cap */
		CHECK_LOG,     /* field <= 1 << cap */
		CHECK_BIT,     /* bit number field of cap is set */
		CHECK_USED,    /* cap is set if field is not 0 */
	} how;
};
/* Ends with opcode 0. */
extern const struct check_limit check_limits[];

#endif
