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
 * be a dump in hex (value.h) or raw bytes. Fills b->bytes and b->len. An exit status.
 */
int input_read(const struct dvfw *d, const char *text, struct box *b);

#endif
