/* SPDX-License-Identifier: BSD-2-Clause */
/* SVG by gnuplot. */
#ifndef DVPERF_REPORT_SVG_H
#define DVPERF_REPORT_SVG_H

#include <stdio.h>

/* Has @script drawn. @id: inside a page; begins the ids of its parts; NULL: a file. 0, or -1 and one line was
 * said. */
int svg_write(FILE *script, const char *id, const char *title, FILE *out);

#endif
