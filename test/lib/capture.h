/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Captures the output of a test to one of the program's own streams:
 *
 *	capture_begin(&c, stdout);
 *	printf("ports\n");
 *	capture_end(&c, text, sizeof(text));
 */
#ifndef TEST_LIB_CAPTURE_H
#define TEST_LIB_CAPTURE_H

#include <stddef.h>
#include <stdio.h>

struct capture {
	FILE *stream, *file;
	int saved; /* the descriptor of the stream */
};

/* From now on @stream is written to a temporary file. */
void capture_begin(struct capture *c, FILE *stream);
/* As before. The output, at most @size - 1 bytes of it and a NUL, is in @text; returns its
 * length. */
size_t capture_end(struct capture *c, char *text, size_t size);

#endif
