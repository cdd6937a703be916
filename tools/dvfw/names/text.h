/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The texts of include/prm/text.def: what a field, a structure, a command is for.
 */
#ifndef DVFW_TEXT_H
#define DVFW_TEXT_H

#include <stddef.h>

#include "names/names.h"

/* NULL: there is no text. A field without a row may have the text of all fields with its
 * name. */
const char *text_of_field(const struct prm_struct *s, const char *field);
const char *text_of_command(const struct prm_cmd *cmd);

/* A row; owner: the structure, "" of PRM_TEXT_ANY. */
struct text_row {
	const char *owner, *field, *text;
};

/* All rows of fields, for lists and tests. Their order is that of the names. */
const struct text_row *text_fields(size_t *count);

#endif
