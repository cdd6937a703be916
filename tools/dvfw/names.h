/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that people type, and what they mean: commands and structures, whatever their case; registers; fields and
 * values.
 */
#ifndef DVFW_NAMES_H
#define DVFW_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "dvfw.h"
#include "prm/table.h"

/* The values of a kind of value.def in order; start with NULL. */
const struct prm_named_value *named_next(const char *kind, const struct prm_named_value *v);

/* What NAME of encode, decode and cmd means: a command, or a structure alone. */
struct message {
	const char *name;
	const struct prm_cmd *cmd; /* NULL: a structure that no command has */
	const struct prm_struct *s;
};

/* @name is a command (then @out says which box is meant), an opcode (0x500) or a structure.
 * False: there is no such name, and @near knows the nearest. */
bool message_find(struct message *m, const char *name, bool out, struct near *near);

const struct prm_struct *struct_find(const char *name);
const struct prm_cmd *cmd_find(const char *name);

/* "commands", "structs" … of dvfw list; NULL: no more. */
const char *list_name(unsigned int i);

/* "create", "general" …: the call by which the kernel accepts a command. */
const char *call_name(enum prm_call call);

/* ---- registers (reg_index.c) ---- */

/* NULL: there is no register of that name or number; @near knows the nearest. */
const struct prm_reg *reg_find(const char *name, struct near *near);

/* Is the field of this name one that chooses? */
bool reg_is_index(const char *field, size_t length);

/* The index fields of a register, separated by spaces; "" if it has none. */
const char *reg_indices(const struct prm_reg *reg, char *buf, size_t size);

/* ---- fields and their values (path_find.c, value.c) ---- */

#define BOX_BYTES 0x10000 /* with the longest tail */
#define WHY_BYTES 320

/* An inbox or outbox. len: the structure's length; fields of a tail make it longer. */
struct box {
	const struct prm_struct *s;
	size_t len;
	uint8_t bytes[BOX_BYTES];
};

/* Finds the field that @name means, and the whole path to it. If it may be one of several, the
 * one that is present in @b (may be NULL) is meant. */
bool encode_path(const struct prm_struct *s, const struct box *b, const char *name, char *path,
		 size_t size, char why[WHY_BYTES]);

/* A number, or a name of the field's values. False: @why says what it could be. */
bool encode_number(const struct prm_struct *owner, const struct prm_field *f, const char *text,
		   uint64_t *value, char why[WHY_BYTES]);

/* An unsigned number: decimal, 0x, 0b. False: text is something else. */
bool parse_number(const char *text, uint64_t *value);

/*
 * Hex digits (0x… or not), pairs with colons, and where *n is 16 an IPv6 or IPv4 address
 * (that one mapped into IPv6). *n: bytes wanted, 0 if any number will do; then those found.
 */
bool parse_bytes(const char *text, uint8_t *bytes, size_t size, size_t *n);

#endif
