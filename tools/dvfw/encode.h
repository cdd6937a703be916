/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text to bytes: "qpc.st=RC" into a box of which the structure is known.
 *
 *	field = value
 *	|       '- 18, 0x12, 0b10, a name (RC, CREATE_QP, GENERAL.max), joined by | or +,
 *	|          for arrays {1,2} or 1,2, for bytes hex, a MAC, an IPv6 or IPv4 address
 *	'--------- a path (qpc.pas[2]), or its last part if only one place is meant
 *
 * Pure functions: no device, no output.
 */
#ifndef DVFW_ENCODE_H
#define DVFW_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prm/table.h"

struct json_object;

#define BOX_BYTES 0x10000 /* with the longest tail */
#define WHY_BYTES 320

/* An inbox or outbox. len: the structure's length; fields of a tail make it longer. */
struct box {
	const struct prm_struct *s;
	size_t len;
	uint8_t bytes[BOX_BYTES];
};

/* All zero, and the opcode of @cmd in an inbox. @cmd may be NULL. */
void box_begin(struct box *b, const struct prm_struct *s, const struct prm_cmd *cmd);

/* Sets a field. False: @why says what is wrong with it, in one line. */
bool encode_field(struct box *b, const char *assignment, char why[WHY_BYTES]);

/* Sets the fields of @n words. A field that two of them set is refused, by its whole path. */
bool encode_fields(struct box *b, char *const *words, int n, char why[WHY_BYTES]);

/* The inverse of message_json(): @o names the structure and has its fields. */
bool encode_json(struct box *b, struct json_object *o, char why[WHY_BYTES]);

/* Finds the field that @name means, and the whole path to it. If it may be one of several, the
 * one that is present in @b (may be NULL) is meant. */
bool encode_path(const struct prm_struct *s, const struct box *b, const char *name, char *path,
		 size_t size, char why[WHY_BYTES]);

/* A number, or a name of the field's values. False: @why says what it could be. */
bool encode_number(const struct prm_struct *owner, const struct prm_field *f, const char *text,
		   uint64_t *value, char why[WHY_BYTES]);

/* An unsigned number: decimal, 0x, 0b. False: text is something else. */
bool parse_number(const char *text, uint64_t *value);

#endif
