/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which rows of a structure are present in a buffer: the decision about unions, about bits with
 * two readings, and about the buffer's end. Used by what iterates over rows: format.c, walk.c.
 *
 *	view     the buffer, and for an outbox the inbox that it answers
 *	spot     a structure at a byte of it, and the row of the structure around that leads there
 */
#ifndef PRM_PRESENT_H
#define PRM_PRESENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <prm/table.h>

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
bool prm_is_present(const struct prm_view *v, const struct prm_spot *at,
		    const struct prm_field *f);

/* The member of the union at @at that is present; NULL: unknown. */
const struct prm_field *prm_member_of(const struct prm_view *v, const struct prm_spot *at);

/* Whether @f is a trailing array of one element: its rules would select the same member for
 * all. */
bool prm_is_one(const struct prm_struct *s, const struct prm_field *f);

/* Elements of @f that lie within the buffer, 1 for what is not an array. */
size_t prm_elements(const struct prm_view *v, const struct prm_spot *at,
		    const struct prm_field *f);

#endif
