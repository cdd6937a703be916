/* SPDX-License-Identifier: BSD-2-Clause */
/* Words "name=value", in turn. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "unit/dvperf/given.h"

/* dvperf, a program, has its texts and lists until it ends: LeakSanitizer does not look. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);

int __lsan_is_turned_off(void)
{
	return 1;
}

struct options given(const char *text)
{
	struct options o = options_new(MODE_BW);
	char *rest = strdup(text), *word, *value; /* stays: a value may be a text */

	while ((word = strsep(&rest, " ")) && *word) {
		value = strchr(word, '=');
		*value++ = 0;
		if (!strcmp(word, "host"))
			o.host = value;
		else
			cr_assert_null(options_take_name(&o, word, value), "%s", text);
	}
	options_defaults(&o);
	return o;
}

struct options given_well(const char *text)
{
	struct options o = given(text);

	cr_assert_null(options_check(&o), "%s: %s", text, options_check(&o));
	return o;
}
