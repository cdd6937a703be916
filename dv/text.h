/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text that grows in a buffer of the caller's, in the two styles of print.h:
 *
 *	DV_LINE      … | name value name value | …
 *	DV_FIELDS    segment, then one line each: offset, name, value
 *
 * Most fields come from tables: where they are, what they are called, how they are shown.
 */
#ifndef DV_TEXT_H
#define DV_TEXT_H

#include <dv/print.h>
#include "bytes.h"

struct text {
	char *buf;
	size_t size, len; /* len: of the whole text, whether it fits or not */
	enum dv_style style;
};

enum field_show {
	DEC,
	HEX,
	DEC_ANY, /* on a line only when it is not zero */
	HEX_ANY,
	RESERVED, /* only when it is not zero, in both styles */
	MAC,
	GID,
};

/* Bits @high … @low of the big-endian number of @bytes (1, 2, 4, 8) at @at. */
struct field {
	const char *name;
	uint8_t at, bytes, high, low;
	uint8_t show; /* enum field_show */
};

/* Starts a text in @buf, which may be NULL with @size 0. */
struct text text_start(char *buf, size_t size, enum dv_style style);
__attribute__((format(printf, 2, 3))) void text_put(struct text *t, const char *format, ...);

/* A value with its name; @offset counts from the start of the WQE or CQE. */
__attribute__((format(printf, 4, 5))) void
text_field(struct text *t, size_t offset, const char *name, const char *format, ...);

/* All fields of table @f, which ends with a NULL name, out of the bytes at @base + @offset. */
void text_fields(struct text *t, const struct field *f, const uint8_t *base, size_t offset);
void text_segment(struct text *t, const char *name);

/* @n bytes as hexadecimal digits, under the name @what. */
void text_bytes(struct text *t, size_t offset, const char *what, const uint8_t *p, size_t n);
/* The same as characters between quotes, 32 of them at most; @len: of which those are the
 * start. */
void text_quoted(struct text *t, size_t offset, const uint8_t *p, size_t n, size_t len);
/* A remark: a part of the line, or a separate line. */
__attribute__((format(printf, 2, 3))) void text_remark(struct text *t, const char *format, ...);

#endif
