/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvfw doctor: is DevX usable here, and if not, why.
 *
 *	ok    memlock       no limit
 *	warn  port 1        DOWN
 *	                    -> RC queue pairs reach RTS, but nothing arrives: …
 *	fail  device node   /dev/infiniband/uverbs0: Permission denied
 *	                    -> …
 *
 * All findings are printed, also after the first failure. Nothing is changed: what is
 * created for a test (a user context, a umem, a UAR) is freed when the process ends.
 */
#include <stdarg.h>
#include <stdio.h>

#include "arguments.h"
#include "doctor.h"

static const char *const names[] = { "ok", "warn", "fail" };

static void print_line(const struct doctor *dr, enum doctor_level level, const char *topic,
		       const char *text, const char *todo)
{
	static const enum dvfw_paint paints[] = { DVFW_GOOD, DVFW_WARN, DVFW_BAD };
	const struct dvfw *d = dr->dvfw;

	printf("%s%-4s%s  %-14s %s\n", dvfw_paint(d, paints[level]), names[level],
	       dvfw_paint(d, DVFW_PLAIN), topic, text);
	if (todo)
		printf("%20s -> %s\n", "", todo);
}

void doctor_say(struct doctor *dr, enum doctor_level level, const char *topic, const char *todo,
		const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	dr->count[level]++;
	if (!dr->findings) {
		print_line(dr, level, topic, text, todo);
		return;
	}

	struct json_object *f = json_object_new_object();
	json_object_object_add(f, "level", json_object_new_string(names[level]));
	json_object_object_add(f, "topic", json_object_new_string(topic));
	json_object_object_add(f, "text", json_object_new_string(text));
	json_object_object_add(f, "todo", todo ? json_object_new_string(todo) : NULL);
	json_object_array_add(dr->findings, f);
}

static void print_verdict(const struct doctor *dr)
{
	const struct dvfw *d = dr->dvfw;
	bool usable = !dr->count[DOCTOR_FAIL];

	printf("%sDevX is %s here%s: %u ok, %u warnings, %u failures\n",
	       dvfw_paint(d, usable ? DVFW_GOOD : DVFW_BAD), usable ? "usable" : "not usable",
	       dvfw_paint(d, DVFW_PLAIN), dr->count[DOCTOR_OK], dr->count[DOCTOR_WARN],
	       dr->count[DOCTOR_FAIL]);
}

static const struct syntax syntax = {
	.doc = "Says whether DevX is usable here and if not, why: each finding is ok, warn or "
	       "fail, with what to do. Exit status 0: usable, 1: not.",
	.surplus = "no argument is expected",
};

int doctor_run(struct dvfw *d, int argc, char **argv)
{
	struct doctor dr = { .dvfw = d };

	arguments_parse(&syntax, d, argc, argv, NULL, NULL);
	if (d->json)
		dr.findings = json_object_new_array();
	doctor_system(&dr);
	doctor_device(&dr);
	if (d->json) {
		struct json_object *all = json_object_new_object();

		json_object_object_add(all, "usable",
				       json_object_new_boolean(!dr.count[DOCTOR_FAIL]));
		json_object_object_add(all, "findings", dr.findings);
		dvfw_print_json(all);
	} else {
		print_verdict(&dr);
	}
	return dr.count[DOCTOR_FAIL] ? DVFW_REFUSED : DVFW_OK;
}
