/* SPDX-License-Identifier: BSD-2-Clause */
/* Results as a table for people: one for each mode, of at most 100 columns unless others are
 * chosen. */
#ifndef DVPERF_TABLE_H
#define DVPERF_TABLE_H

#include "result.h"

void table_header(const struct report *rep, const struct result *r);
void table_row(const struct report *rep, const struct result *r, struct json_object *row);

#endif
