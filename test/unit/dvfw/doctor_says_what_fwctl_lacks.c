/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the kernel has no class fwctl, doctor says what it needs, and that is no failure. */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "doctor/doctor.h"

static enum doctor_level last_level;
static char last_text[512], last_todo[512];

void doctor_say(struct doctor *dr, enum doctor_level level, const char *topic, const char *todo,
		const char *fmt, ...)
{
	va_list ap;

	cr_expect_str_eq(topic, "fwctl");
	dr->count[level]++;
	last_level = level;
	snprintf(last_todo, sizeof(last_todo), "%s", todo ? todo : "");
	va_start(ap, fmt);
	vsnprintf(last_text, sizeof(last_text), fmt, ap);
	va_end(ap);
}

Test(doctor, fwctl_is_missing)
{
	struct dvfw d = { .device = "mlx5_0" };
	struct doctor dr = { .dvfw = &d };

	if (!access("/sys/class/fwctl", F_OK))
		cr_skip_test("this kernel has it");
	doctor_fwctl(&dr);
	cr_expect_eq(dr.count[DOCTOR_WARN], 1);
	cr_expect_eq(last_level, DOCTOR_WARN);
	cr_expect(strstr(last_text, "missing"), "%s", last_text);
	cr_expect(strstr(last_text, "objects of other programs"), "%s", last_text);
	cr_expect(strstr(last_todo, "CONFIG_FWCTL_MLX5"), "%s", last_todo);
}
