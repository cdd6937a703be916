/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of the page that dvperf report writes. It is HTML that is XML too, has everything in it
 * (figures inline, style in its head) and loads nothing: a Content-Security-Policy forbids it.
 */
#ifndef DVPERF_REPORT_PAGE_H
#define DVPERF_REPORT_PAGE_H

#include "chart.h"

void page_begin(FILE *out, const char *title);
void page_end(FILE *out);

/* Links to the sections, which are numbered from 1, when there are several. */
void page_contents(FILE *out, const struct record *sections, size_t n);

/* A heading, why not to trust it, figures with their words, tables. Whether all figures could be
 * drawn. */
bool page_section(FILE *out, const struct record *r, size_t number);

/* tables.c: the rows, the main metrics first; the other members of the file; the device's
 * counters; the environment. */
void page_tables(FILE *out, const struct record *r, const struct axes *a);

#endif
