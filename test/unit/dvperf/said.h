/* SPDX-License-Identifier: BSD-2-Clause */
/* Output and end of a function, which runs in a child. */
#ifndef TEST_UNIT_DVPERF_SAID_H
#define TEST_UNIT_DVPERF_SAID_H

/* The exit status, 0 where it returns; what it wrote to standard output and standard error. The
 * texts stay until the next call. */
struct said {
	int status;
	const char *out, *err;
};

struct said said_by(void (*function)(const void *of), const void *of);

/* It ends with @status after one line, in which @text is, and prints nothing else. */
void said_only(int status, const char *text, void (*function)(const void *of), const void *of);

/* @text with one space where there are several; stays until the next call. */
const char *said_words(const char *text);

#endif
