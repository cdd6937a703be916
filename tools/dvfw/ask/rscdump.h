/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A resource dump: segments one after the other, as the register RESOURCE_DUMP gives them in
 * parts.
 */
#ifndef DVFW_RSCDUMP_H
#define DVFW_RSCDUMP_H

#include "base/base.h"

/* Types of segments that are not resources: mlx5ctl, rscdump.c. */
enum {
	RSCDUMP_NOTICE = 0xfff9,
	RSCDUMP_COMMAND = 0xfffa,
	RSCDUMP_TERMINATE = 0xfffb,
	RSCDUMP_ERROR = 0xfffc,
	RSCDUMP_REFERENCE = 0xfffd,
	RSCDUMP_INFO = 0xfffe,
	RSCDUMP_MENU = 0xffff,
};

struct rscdump {
	uint8_t *bytes; /* owned */
	size_t len;
};

/* A segment with its header. */
struct rscdump_segment {
	unsigned int type;
	const uint8_t *p;
	size_t len;
};

/* The segment after @s, the first one of a @s that is all zero. False: there is none, or, with
 * *@why, it is not whole. */
bool rscdump_next(const struct rscdump *dump, struct rscdump_segment *s, const char **why);

/* A record of a menu: its type and text field at @offset, of 16 bytes, made printable. */
#define RSCDUMP_NAME_BYTES 17
const char *rscdump_name(const uint8_t *record, size_t offset, char name[RSCDUMP_NAME_BYTES]);

struct rscdump_how {
	bool all, hex;
};

/* Prints it, or as JSON; DVFW_REFUSED: it is not whole, or has an error of the firmware. */
int rscdump_show(const struct dvfw *d, const struct rscdump *dump,
		 const struct rscdump_how *how);

#endif
