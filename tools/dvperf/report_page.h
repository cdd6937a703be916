/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of the page that dvperf report writes. It is HTML that is XML too, has everything in it
 * (figures inline, style in its head) and asks nobody for more: a Content-Security-Policy forbids it.
 */
#ifndef DVPERF_REPORT_PAGE_H
#define DVPERF_REPORT_PAGE_H

#include "report_chart.h"

void page_begin(FILE *out, const char *title);
void page_end(FILE *out);

/* A heading, why not to trust it, figures with their words, tables. @id is unique in the page. Whether
 * all figures could be drawn. */
bool page_section(FILE *out, const struct record *r, const char *id);

/* report_tables.c: the rows, the main metrics first; the environment; the device's counters. */
void page_tables(FILE *out, const struct record *r, const struct axes *a);

#endif
