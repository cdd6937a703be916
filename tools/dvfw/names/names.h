/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * names: what people type, and what it means: commands and structures, registers, fields and
 * values, their texts.
 */
#ifndef DVFW_NAMES_H
#define DVFW_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "prm/table.h"

/*
 * ---- names.c ----
 *
 * Names that people type, and what they mean: commands and structures, whatever their case;
 * registers; fields and values.
 */

/* The values of a kind of value.def in order; start with NULL. */
const struct prm_named_value *named_next(const char *kind, const struct prm_named_value *v);

/* The meaning of NAME of encode, decode and cmd: a command, or a structure alone. */
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

/*
 * ---- word.c ----
 *
 * Kinds of values (value.def) and the words for numbers.
 */

/* How the field carries the values of its kind. */
enum word_form {
	WORD_VALUE,	 /* one of them */
	WORD_MASK,	 /* a union of them, each is a mask */
	WORD_BIT_NUMBERS /* a mask, each is the number of a bit */
};

/* The kind of a field's values, or NULL. CAP with WORD_VALUE in op_mod of QUERY_HCA_CAP: a
 * group and a mode (PRM_CAP_OP_MOD). */
const char *word_kind(const struct prm_struct *owner, const struct prm_field *f,
		      enum word_form *form);
/* Is it the op_mod of QUERY_HCA_CAP or SET_HCA_CAP? */
bool word_is_group(const struct prm_struct *owner, const struct prm_field *f);

/* "RST", "SRC_IP|DST_IP", "GENERAL.current"; NULL: the number has no name. @buf may hold it. */
const char *word_of(const struct prm_struct *owner, const struct prm_field *f, uint64_t value,
		    char *buf, size_t size);

/* ---- what is known of them (describe.c) ---- */

/* Prints all about it. */
void describe_command(const struct dvfw *d, const struct prm_cmd *cmd);

/* The values of @kind; false: there is no such kind. */
bool describe_kind(const struct dvfw *d, const char *kind);

/* The name of a kind as value.def spells it; NULL: there is none. */
const char *kind_find(const char *name);
/* [{name, value, text}] */
struct json_object *kind_json(const char *kind);

/* "help NAME" of the shell. */
int describe_name(struct dvfw *d, const char *name);

/* The text of a structure; NULL: there is none (text.c has all). */
const char *text_of_struct(const struct prm_struct *s);

/* Subcommands: rows of the table in main.c. */
int layout_run(struct dvfw *d, int argc, char **argv);

#endif
