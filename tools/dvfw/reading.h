/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fields of a box one by one, as people read them: the two halves of a 64-bit counter are one number.
 *
 *	counter_set.….a_octets_received_ok_high = 1    ->  a_octets_received_ok = 4294967298
 *	counter_set.….a_octets_received_ok_low  = 2
 *
 * Pure functions: no device, no output.
 */
#ifndef DVFW_READING_H
#define DVFW_READING_H

#include <stdbool.h>
#include <stdint.h>

#include "message.h"
#include "prm/walk.h"

struct reading {
	struct prm_walk walk;
	const uint8_t *p; /* the box */
};

struct reading_value {
	char name[256];
	unsigned int bits;
	bool is_counter;      /* it was in two halves */
	const uint8_t *bytes; /* an array or text of @count bytes; NULL: a number */
	size_t count;
	uint64_t number;
	const char *word; /* of the number, or NULL */
	char text[512];
};

void reading_begin(struct reading *r, const struct shown *m);
/* False: no more fields. */
bool reading_next(struct reading *r, struct reading_value *v);

/* Is it worth a line: not zero, or a zero that has a name? */
bool reading_says(const struct reading_value *v);

/* "= 0x4 UP", a counter "= 4294967298". */
void reading_print(const struct dvfw *d, const struct reading_value *v);

/* All fields that say something, and how many do not; @all: all. As an object, name by name. */
void reading_print_all(const struct dvfw *d, const struct shown *m, bool all);
struct json_object *reading_json(const struct shown *m);

#endif
