/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Results, read back: files as result.h describes them, checked once, so that callers need not
 * check whether a member is present.
 *
 *	every .json of DIR --.
 *	FILE.json ------------+--> records_load() --> record: name, rows, environment, published
 *
 * A file that is not a result is refused; in a directory it is passed over with a line.
 */
#ifndef DVPERF_REPORT_RECORD_H
#define DVPERF_REPORT_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include <json-c/json.h>

enum { MAX_NAMES = 64 }; /* of options */

struct record {
	char *name;			 /* of the file, without its directory */
	struct json_object *all, *rows;	 /* rows: an array of objects; all owns it */
	struct json_object *environment; /* an object; NULL: not there */
	struct json_object *published;	 /* an array of well-formed curves; NULL: none */
	const char *said, *about; /* what was published, or what a preset is about; NULL */
	const char *preset;
	const char *x; /* the option that a sweep is over; NULL */
};

struct records {
	struct record *list; /* by name */
	size_t n;
};

/* Ends the program with a line when there is nothing to read. */
void records_load(struct records *r, const char *path);
void records_free(struct records *r);

/* NULL, or why @all is not a result. The text is static. Fills in @r otherwise. */
const char *record_take(struct record *r, struct json_object *all);

size_t record_rows(const struct record *r);
struct json_object *record_row(const struct record *r, size_t i);

/* Members of a row. The number of a metric that is not there is NaN; an option's text is "". */
double row_metric(struct json_object *row, const char *name);
const char *row_option(struct json_object *row, const char *name);
bool row_has(const struct record *r, size_t i, const char *metric);

/* "direct, batch 16, locks on": what @names of a row are. Returns @buf. */
const char *row_words(struct json_object *row, const char *const *names, size_t n, char *buf,
		      size_t size);

/* Adds to the set @to the reasons not to trust the rows: {"unpinned: see --pin": true}. */
void record_reasons(const struct record *r, struct json_object *to);

/* A word of a row's place in the environment: "device.firmware". Calls @each for all of them. */
void environment_each(struct json_object *environment,
		      void (*each)(const char *name, const char *value, void *arg), void *arg);

/* Adds to the set @to in what two environments differ, as far as it makes a comparison unfair:
 * {"cpu: this | that": true}. What only drifts from run to run is left out. */
void environment_differences(const struct record *a, const struct record *b,
			     struct json_object *to);

#endif
