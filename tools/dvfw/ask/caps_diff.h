/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two trees of capabilities against each other.
 */
#ifndef DVFW_CAPS_DIFF_H
#define DVFW_CAPS_DIFF_H

#include "caps/caps.h"

/* Prints what differs, in one group or in all (NULL), of all fields or of those with @word in
 * their path. DVFW_OK: nothing does; DVFW_REFUSED: something does. */
int caps_diff(struct dvfw *d, struct json_object *a, struct json_object *b,
	      const struct prm_cap_group *group, const char *word);

#endif
