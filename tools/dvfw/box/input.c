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
#include <unistd.h>

#include "base/base.h"
#include "box/box.h"

#define TEXT_BYTES \
	(16 * BOX_BYTES) /* of a dump of the longest box, with times and characters */

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
	struct dump_error e;

	if (!n)
		return dvfw_usage(d, "%s is empty", what);
	if (is_text(text, n)) {
		if (!dump_parse(text, n, b->bytes, sizeof(b->bytes), &b->len, &e))
			return dvfw_usage(d,
					  "%s, line %u, character %u: %s (bytes are two "
					  "hex digits each; a dump, or plain digits)",
					  what, e.line, e.character, e.why);
		return DVFW_OK;
	}
	if (n > sizeof(b->bytes))
		return dvfw_usage(d, "%s is longer than %zu bytes", what, sizeof(b->bytes));
	memcpy(b->bytes, text, n);
	b->len = n;
	return DVFW_OK;
}

static const char *label(const char *name)
{
	return strcmp(name, "-") ? name : "standard input";
}

char *input_text(const struct dvfw *d, const char *name, size_t most, size_t *n, int *status)
{
	bool standard = !strcmp(name, "-");
	FILE *f = standard ? stdin : fopen(name, "rb");
	char *buf = f ? malloc(most + 2) : NULL;

	*n = buf ? fread(buf, 1, most + 1, f) : 0;
	*status = DVFW_OK;
	if (!f || !buf || ferror(f))
		*status = dvfw_usage(d, "%s: %s", label(name), strerror(errno));
	else if (*n > most)
		*status = dvfw_usage(d, "%s is longer than %zu bytes", label(name), most);
	if (f && !standard)
		fclose(f);
	if (!*status) {
		buf[*n] = '\0';
		return buf;
	}
	free(buf);
	return NULL;
}

int input_read(const struct dvfw *d, const char *text, struct box *b)
{
	size_t n;
	int status;
	char *buf;

	if (strcmp(text, "-") && is_hex(text))
		return take(d, "the hex string", text, strlen(text), b);
	if (strcmp(text, "-") && access(text, F_OK))
		return dvfw_usage(d, "'%s' is neither hex digits nor a file: %s", text,
				  strerror(errno));
	buf = input_text(d, text, TEXT_BYTES, &n, &status);
	if (buf)
		status = take(d, label(text), buf, n, b);
	free(buf);
	return status;
}
