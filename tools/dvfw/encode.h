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

#include "names.h"

/* All zero, and the opcode of @cmd in an inbox. @cmd may be NULL. */
void box_begin(struct box *b, const struct prm_struct *s, const struct prm_cmd *cmd);

/* Sets a field. False: @why says what is wrong with it, in one line. */
bool encode_field(struct box *b, const char *assignment, char why[WHY_BYTES]);

/* Sets the fields of @n words. A field that two of them set is refused, by its whole path. */
bool encode_fields(struct box *b, char *const *words, int n, char why[WHY_BYTES]);

/* The inverse of message_json(): @o names the structure and has its fields. */
bool encode_json(struct box *b, struct json_object *o, char why[WHY_BYTES]);

#endif
