/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes as text: two hexadecimal digits for each, spaces where they help, and characters
 * between single quotes, as in "80000003 'abc'".
 */
#ifndef TEST_LIB_HEX_H
#define TEST_LIB_HEX_H

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The bytes of @text to @dst; returns their number. */
static inline size_t from_hex(uint8_t *dst, const char *text)
{
	unsigned int byte;
	size_t n = 0;

	for (; *text; text++) {
		if (strchr(" \t\n", *text))
			continue;
		if (*text == '\'') {
			while (*++text && *text != '\'')
				dst[n++] = (uint8_t)*text;
			cr_assert(*text, "a quote is open");
			continue;
		}
		cr_assert_eq(sscanf(text, "%2x", &byte), 1, "no digits: %s", text);
		dst[n++] = (uint8_t)byte;
		text++;
	}
	return n;
}

/* @got, called @name, begins with the bytes of @text, 4096 at most; returns their number. */
static inline size_t begins_with_hex(const uint8_t *got, const char *text, const char *name)
{
	uint8_t want[4096];
	size_t n = from_hex(want, text);

	for (size_t i = 0; i < n; i++)
		cr_assert_eq(got[i], want[i], "%s: byte %zu is %02x, not %02x, of %s", name, i,
			     got[i], want[i], text);
	return n;
}

#endif
