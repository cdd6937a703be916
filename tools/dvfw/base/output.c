/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output: errors, one line each, to standard error; colour and JSON for results.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/base.h"
#include "devx/devx.h"
#include "prm/visible.h"

static void complain(const struct dvfw *d, const char *fmt, va_list ap)
{
	char text[4096], safe[4 * sizeof(text)]; /* scripts and dumps are quoted */

	fflush(stdout);
	if (d->file)
		fprintf(stderr, "%s:%u: ", prm_visible(safe, sizeof(safe), d->file), d->line);
	else
		fprintf(stderr, "dvfw: ");
	vsnprintf(text, sizeof(text), fmt, ap);
	fprintf(stderr, "%s\n", prm_visible(safe, sizeof(safe), text));
}

int dvfw_usage(const struct dvfw *d, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(d, fmt, ap);
	va_end(ap);
	return DVFW_USAGE;
}

int dvfw_refused(const struct dvfw *d, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(d, fmt, ap);
	va_end(ap);
	return DVFW_REFUSED;
}

int dvfw_devx_refused(const struct dvfw *d, int err)
{
	const struct devx_error *e = devx_last_error();
	char line[512];

	if (e->origin == DEVX_OK || e->err != err)
		return dvfw_refused(d, "%s", strerror(err));
	return dvfw_refused(d, "%s", devx_error_str(e, line, sizeof(line)));
}

void dvfw_print_json(struct json_object *value)
{
	puts(json_object_to_json_string_ext(value, JSON_C_TO_STRING_PRETTY |
							   JSON_C_TO_STRING_SPACED |
							   JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(value);
}

struct json_object *dvfw_json_number(unsigned long long value)
{
	return value <= INT64_MAX ? json_object_new_int64((int64_t)value)
				  : json_object_new_uint64(value);
}

const char *dvfw_paint(const struct dvfw *d, enum dvfw_paint paint)
{
	static const char *const codes[] = {
		[DVFW_PLAIN] = "\033[0m",  [DVFW_NAME] = "\033[36m", [DVFW_WORD] = "\033[35m",
		[DVFW_FAINT] = "\033[2m",  [DVFW_GOOD] = "\033[32m", [DVFW_WARN] = "\033[33m",
		[DVFW_BAD] = "\033[1;31m",
	};

	return d->color ? codes[paint] : "";
}

void dvfw_help_row(size_t width, const char *left, const char *right)
{
	size_t columns = 0;

	for (const char *p = left; *p; p++)
		columns += (*p & 0xc0) != 0x80;
	printf("%s%*s %s\n", left, columns < width ? (int)(width - columns) : 0, "", right);
}

double dvfw_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
