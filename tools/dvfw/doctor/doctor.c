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

#include "base/base.h"
#include "doctor/doctor.h"

static const char *const names[] = { "ok", "warn", "fail" };

static enum dvfw_paint paint_of(struct json_object *finding)
{
	switch (*json_text(finding, "level")) {
	case 'o':
		return DVFW_GOOD;
	case 'w':
		return DVFW_WARN;
	default:
		return DVFW_BAD;
	}
}

static const struct column columns[] = {
	COLUMN("", "level", "%-4s", .painted = paint_of),
	COLUMN("  ", "topic", "%-14s"),
	COLUMN(" ", "text", "%s"),
	COLUMN("\n                     -> ", "todo", "%s", .optional = true),
	{ 0 },
};

void doctor_say(struct doctor *dr, enum doctor_level level, const char *topic, const char *todo,
		const char *fmt, ...)
{
	struct json_object *finding = json_object_new_object();
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	dr->count[level]++;
	json_set(finding, "level", names[level]);
	json_set(finding, "topic", topic);
	json_set(finding, "text", text);
	json_set(finding, "todo", todo);
	table_add(&dr->findings, finding);
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
	table_begin(&dr.findings, d, columns);
	doctor_system(&dr);
	doctor_device(&dr);
	if (d->json) {
		struct json_object *all = json_object_new_object();

		json_set(all, "usable", (bool)!dr.count[DOCTOR_FAIL]);
		json_set(all, "findings", dr.findings.rows);
		dvfw_print_json(all);
	} else {
		print_verdict(&dr);
	}
	return dr.count[DOCTOR_FAIL] ? DVFW_REFUSED : DVFW_OK;
}
