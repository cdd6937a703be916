/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers as bytes, written by hand after the PRM's tables, and what is read of them. */
#include <criterion/criterion.h>
#include <string.h>

#include "ask/ask.h"
#include "box/box.h"

/* PPCNT, local_port 1, group 0: a_frames_transmitted_ok at 8 = 2^32 + 7. */
static const uint8_t ppcnt[0x100] = { [1] = 1, [8 + 3] = 1, [8 + 7] = 7 };
/* PAOS, local_port 1, admin UP, oper DOWN. */
static const uint8_t paos[0x10] = { [1] = 1, [2] = 1, [3] = 2 };

static struct reading_value find(const char *reg, const uint8_t *bytes, const char *name)
{
	struct near near;
	const struct prm_reg *r = reg_find(reg, &near);
	struct shown m = { .s = r->layout, .p = bytes, .len = r->layout->bytes };
	static struct reading_value v;
	struct reading all;

	reading_begin(&all, &m);
	while (reading_next(&all, &v))
		if (!strcmp(v.name, name))
			return v;
	cr_assert(false, "%s has no %s", reg, name);
	return v;
}

Test(reading, joins_counters)
{
	struct reading_value v = find("PPCNT", ppcnt, "a_frames_transmitted_ok");

	cr_expect(v.is_counter);
	cr_expect_eq(v.bits, 64);
	cr_expect_eq(v.number, 4294967303);
	cr_expect(reading_says(&v));
	v = find("ppcnt", ppcnt, "a_frames_received_ok");
	cr_expect_eq(v.number, 0);
	cr_expect(!reading_says(&v));
}

Test(reading, names_values)
{
	struct reading_value v = find("PAOS", paos, "oper_status");

	cr_expect(!v.is_counter);
	cr_expect_eq(v.number, 2);
	cr_expect_str_eq(v.word, "DOWN");
}

Test(reading, of_a_register_names_what_chooses)
{
	struct near near;
	char names[200];

	cr_expect_str_eq(reg_indices(reg_find("PTYS", &near), names, sizeof(names)),
			 "local_port proto_mask");
	cr_expect_null(reg_find("PTYSS", &near));
	cr_expect_str_eq(near_text(&near), "; did you mean 'PTYS'?");
}
