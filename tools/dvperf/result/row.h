/* SPDX-License-Identifier: BSD-2-Clause */
/* Members of a row of a result, as result.h describes it. */
#ifndef DVPERF_ROW_H
#define DVPERF_ROW_H

#include <stdbool.h>
#include <stddef.h>

#include <json-c/json.h>

enum { MAX_NAMES = 64 }; /* of options */

/* The number of a missing metric is NaN; an option's text is "". */
double row_metric(struct json_object *row, const char *name);
const char *row_option(struct json_object *row, const char *name);

/* "direct, batch 16, locks on": what @names of a row are. Returns @buf. */
const char *row_words(struct json_object *row, const char *const *names, size_t n, char *buf,
		      size_t size);

#endif
