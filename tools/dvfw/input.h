/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HEX|FILE|-: where subcommands take bytes from.
 */
#ifndef DVFW_INPUT_H
#define DVFW_INPUT_H

#include "dvfw.h"
#include "encode.h"

/*
 * @text is hex digits, the name of a file, or - for standard input; what comes from there may
 * be a dump in hex (dump.h) or raw bytes. Fills b->bytes and b->len. An exit status.
 */
int input_read(const struct dvfw *d, const char *text, struct box *b);

/* All of a file, or of standard input for "-", with a NUL after it; free(). NULL: the error is printed; *status is the exit status. */
char *input_text(const struct dvfw *d, const char *name, size_t most, size_t *n, int *status);

#endif
