/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "replay.h"

struct comparison {
	const char *what;
	const uint8_t *expected, *got;
	const struct excuse *excuses;
	unsigned int fields, excused, differ;
};

static const struct excuse *excuse_of(const struct comparison *c, const char *field)
{
	for (const struct excuse *e = c->excuses; e->field; e++)
		if (!strcmp(e->field, field))
			return e;
	return NULL;
}

static void one(struct comparison *c, const char *path, uint32_t bit, uint32_t width)
{
	uint64_t expected = prm_load(c->expected, bit, width);
	uint64_t got = prm_load(c->got, bit, width);
	const struct excuse *e = excuse_of(c, path_last(path));

	if (!e) {
		c->fields++;
		if (expected == got)
			return;
		c->differ++;
		printf("  DIFFERS %s: the trace says 0x%" PRIx64 ", the object 0x%" PRIx64 "\n",
		       path, expected, got);
		return;
	}
	c->excused++;
	if (expected != got)
		printf("  not compared: %s 0x%" PRIx64 ", here 0x%" PRIx64 " (%s)\n", path,
		       expected, got, e->why);
}

static void walk(struct comparison *c, const struct prm_struct *s, const char *path,
		 uint32_t bit)
{
	char name[PATH_MAX_BYTES];

	for (const struct prm_field *f = s->fields; f->name; f++) {
		for (uint32_t i = 0; i < f->count; i++) {
			uint32_t at = bit + f->bit + i * f->width;

			snprintf(name, sizeof(name), "%s%s%s", path, *path ? "." : "", f->name);
			if (f->type)
				walk(c, f->type, name, at);
			else
				one(c, name, at, f->width);
		}
	}
}

void compare(const char *what, const struct prm_struct *s, const uint8_t *expected,
	     const uint8_t *got, const struct excuse *excuses)
{
	struct comparison c = {
		.what = what, .expected = expected, .got = got, .excuses = excuses
	};

	walk(&c, s, "", 0);
	printf("%s: %u fields of %s are as in the trace, %u are not compared\n", what,
	       c.fields - c.differ, s->name, c.excused);
	if (c.differ)
		fail("%s: %u fields differ", what, c.differ);
	if (!c.fields)
		fail("%s: nothing was compared", what);
}
