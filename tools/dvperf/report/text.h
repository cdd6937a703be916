/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Texts that come from a file: they are shown, whatever is in them, and never become markup or a
 * command.
 *
 *	a<b>'c'   HTML     a&lt;b&gt;&#39;c&#39;
 *	          gnuplot  a<b>’c’                to be put between single quotes
 *
 * What is no character of XML (control characters, bytes that are no UTF-8) becomes a space or
 * U+FFFD.
 */
#ifndef DVPERF_REPORT_TEXT_H
#define DVPERF_REPORT_TEXT_H

#include <stdio.h>

enum text_as { TEXT_HTML, TEXT_GNUPLOT };

void text_put(FILE *out, enum text_as as, const char *text);

/* A number with about three digits: 0.0123, 12.3, 1534; "-" when it is NaN. Returns @buf. */
const char *text_number(double value, char *buf, size_t size);

#endif
