/* SPDX-License-Identifier: BSD-2-Clause */
/* The members of a row of a result. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "row.h"

double row_metric(struct json_object *row, const char *name)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(json_object_object_get(row, "metrics"), name, &value);
	return value ? json_object_get_double(value) : NAN;
}

const char *row_option(struct json_object *row, const char *name)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(json_object_object_get(row, "options"), name, &value);
	return value ? json_object_get_string(value) : "";
}

/* Whether the values of an option are words that say by themselves what they are of. */
static bool speaks(const char *name)
{
	static const char *const names[] = { "mode", "op", "api", "layout", "connection" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

const char *row_words(struct json_object *row, const char *const *names, size_t n, char *buf,
		      size_t size)
{
	size_t at = 0;

	buf[0] = 0;
	for (size_t k = 0; k < n && at < size; k++) {
		struct json_object *value = json_object_object_get(
			json_object_object_get(row, "options"), names[k]);

		at += (size_t)snprintf(buf + at, size - at, "%s%s%s%s", k ? ", " : "",
				       speaks(names[k]) ? "" : names[k],
				       speaks(names[k]) ? "" : " ",
				       value ? json_object_get_string(value) : "-");
	}
	return buf;
}
