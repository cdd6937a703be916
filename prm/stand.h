/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which rows of a structure stand in a buffer: the decision about unions, about bits with two
 * readings, and about the buffer's end. For who walks the rows: format.c, walk.c.
 *
 *	view     the buffer, and for an outbox the inbox that it answers
 *	spot     a structure at a byte of it, and the row of the structure around that leads there
 */
#ifndef PRM_STAND_H
#define PRM_STAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prm/table.h"

struct prm_view {
	const uint8_t *p;
	size_t len;
	const struct prm_cmd *cmd; /* whose outbox it is, or NULL */
	const void *in;
	size_t in_len;
};

struct prm_spot {
	const struct prm_struct *s;
	size_t byte;
	const struct prm_spot *up;
	const struct prm_field *field; /* of up->s */
};

/* Whether @f is the reading of its bits: alternatives displace what they overlay. */
bool prm_stands(const struct prm_view *v, const struct prm_spot *at, const struct prm_field *f);

/* The row that the union at @at shows; NULL: nobody knows. */
const struct prm_field *prm_arm_of(const struct prm_view *v, const struct prm_spot *at);

/* Whether @f is a tail that is one structure: its arm rules would select the same for all. */
bool prm_is_one(const struct prm_struct *s, const struct prm_field *f);

/* Elements of @f that lie within the buffer, 1 for what is no array. */
size_t prm_elements(const struct prm_view *v, const struct prm_spot *at,
		    const struct prm_field *f);

#endif
