/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Capabilities by name, from wherever there are some: the open device, or a file that
 * 'dvfw caps --json' wrote.
 */
#ifndef DVFW_CAPABILITY_H
#define DVFW_CAPABILITY_H

#include <stdbool.h>
#include <stdint.h>

#include "dvfw.h"

/* Either of the two; with none, nothing is known. */
struct capability_source {
	struct json_object *file;
	struct dvfw *device; /* what dvfw_connect() opened */
};

/* Reads --caps FILE. An exit status. */
int capability_open(const struct dvfw *d, struct capability_source *from, const char *file);
void capability_close(struct capability_source *from);

/* The current value of "log_max_qp" of group PRM_CAP_*. False: not known. */
bool capability_get(const struct capability_source *from, uint16_t group, const char *field,
		    uint64_t *value);

#endif
