/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that people type: commands and structures, whatever their case.
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

#endif
