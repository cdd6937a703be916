/* SPDX-License-Identifier: BSD-2-Clause */
#include <unistd.h>
#include <criterion/criterion.h>

#include "lib/capture.h"

void capture_begin(struct capture *c, FILE *stream)
{
	c->stream = stream;
	c->file = tmpfile();
	cr_assert_not_null(c->file);
	fflush(stream);
	c->saved = dup(fileno(stream));
	cr_assert_geq(c->saved, 0);
	cr_assert_geq(dup2(fileno(c->file), fileno(stream)), 0);
}

size_t capture_end(struct capture *c, char *text, size_t size)
{
	size_t n;

	fflush(c->stream);
	dup2(c->saved, fileno(c->stream));
	close(c->saved);
	rewind(c->file);
	n = fread(text, 1, size - 1, c->file);
	text[n] = '\0';
	fclose(c->file);
	return n;
}
