/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes to text: a box printed field by field, for people or as JSON.
 */
#ifndef DVFW_MESSAGE_H
#define DVFW_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dvfw.h"
#include "prm/table.h"

/* A box to show. in: of an outbox the inbox that it answers, or NULL. */
struct shown {
	const struct prm_struct *s;
	const struct prm_cmd *cmd; /* of an outbox; may be NULL */
	const uint8_t *p;
	size_t len;
	const uint8_t *in;
	size_t in_len;
};

struct show_options {
	bool all;     /* fields that are zero too */
	bool offsets; /* byte and bits of each */
	bool hex;     /* bytes only */
};

/* Prints the fields, then the set bits that no field names. */
void message_print(const struct dvfw *d, const struct shown *m, const struct show_options *o);

/* The same as an object: name, bytes, hex, fields [{name, bit_offset, width, value, word}],
 * unknown [{dword, bit}]. */
struct json_object *message_json(const struct shown *m, const struct show_options *o);

/* Writes the set bits that no field covers to @left, m->len bytes. False: there are none. */
bool message_unknown(const struct shown *m, uint8_t *left);

/* Bytes as the PRM prints them: offset, four dwords a line. */
void hex_print(const uint8_t *p, size_t len);

#endif
