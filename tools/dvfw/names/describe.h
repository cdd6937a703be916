/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The meaning of a name: a command, a structure, a field, a kind of values.
 */
#ifndef DVFW_DESCRIBE_H
#define DVFW_DESCRIBE_H

#include "names/names.h"
#include "prm/table.h"

/* Prints @text from @column on, on a terminal in lines of its width, and ends the line. */
void describe_text(const char *text, size_t column);
/* The width of the terminal; 0: standard output is another file. */
size_t describe_width(void);

/* The text of a field with its unit and kind: "Size of the queue (log2 of WQEs)"; "": there is
 * nothing to say. */
const char *describe_field(const struct prm_struct *s, const struct prm_field *f, char *buf,
			   size_t size);

/* Everything about a field, its values included. */
void describe_field_in_full(const struct dvfw *d, const struct prm_pos *at, const char *path);
/* The rows of a structure, without and with nested ones (layout.c). */
struct layout_options {
	bool expand, brief;
};
void layout_print(const struct dvfw *d, const struct prm_struct *s,
		  const struct layout_options *o);
/* "dw3[31:24]"; of what is longer than a dword: "dw3..dw4". */
void layout_bits(char *buf, size_t size, size_t bit, size_t width);

/* All of a field of @s; @field may be the end of its path. */
int layout_field(struct dvfw *d, const struct prm_struct *s, const char *field);

#endif
