/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes from the command line, a file, or standard input. Hex digits alone are bytes; to name
 * a file that looks like them, write ./abcd.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "value.h"

#define TEXT_BYTES (6 * BOX_BYTES) /* digits, blanks and offsets of the longest box */

static bool is_hex(const char *text)
{
	text += strspn(text, " \t\n");
	return text[strspn(text, "0123456789abcdefABCDEFxX: \t\n")] == '\0' &&
	       isxdigit((unsigned char)*text);
}

static bool is_text(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isprint((unsigned char)p[i]) && !isspace((unsigned char)p[i]))
			return false;
	return true;
}

static int take(const struct dvfw *d, const char *what, const char *text, size_t n,
		struct box *b)
{
	if (!n)
		return dvfw_usage(d, "%s is empty", what);
	if (is_text(text, n)) {
		if (!parse_dump(text, n, b->bytes, sizeof(b->bytes), &b->len))
			return dvfw_usage(d,
					  "%s: not hex digits, two for each byte, up to %zu "
					  "bytes",
					  what, sizeof(b->bytes));
		return DVFW_OK;
	}
	if (n > sizeof(b->bytes))
		return dvfw_usage(d, "%s is longer than %zu bytes", what, sizeof(b->bytes));
	memcpy(b->bytes, text, n);
	b->len = n;
	return DVFW_OK;
}

int input_read(const struct dvfw *d, const char *text, struct box *b)
{
	bool standard = !strcmp(text, "-");
	char *buf;
	FILE *f;

	if (!standard && is_hex(text))
		return take(d, "the hex string", text, strlen(text), b);
	f = standard ? stdin : fopen(text, "rb");
	if (!f)
		return dvfw_usage(d, "'%s' is neither hex digits nor a file: %s", text,
				  strerror(errno));
	buf = malloc(TEXT_BYTES);
	size_t n = buf ? fread(buf, 1, TEXT_BYTES, f) : 0;
	int status = ferror(f) ? dvfw_usage(d, "%s: %s", text, strerror(errno))
			       : take(d, standard ? "standard input" : text, buf, n, b);
	if (!standard)
		fclose(f);
	free(buf);
	return status;
}
