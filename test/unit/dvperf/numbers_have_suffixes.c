/* SPDX-License-Identifier: BSD-2-Clause */
/* k, M and G are decimal, Ki, Mi and Gi binary, wherever a number is taken. */
#include <criterion/criterion.h>

#include "options/options.h"

static const struct {
	const char *name, *value;
	uint64_t want;
} rows[] = {
	{ "iters", "5k", 5000 },
	{ "iters", "5K", 5000 },
	{ "iters", "2M", 2000000 },
	{ "iters", "1G", 1000000000 },
	{ "iters", "3Ki", 3072 },
	{ "iters", "1.5Mi", 1572864 },
	{ "iters", "1Gi", 1073741824 },
	{ "remote_size", "1G", 1000000000 },
	{ "remote_size", "16Mi", 16777216 },
};

Test(options, numbers_have_suffixes)
{
	struct options o = options_new(MODE_BW);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		cr_assert_null(options_take_name(&o, rows[i].name, rows[i].value), "%s",
			       rows[i].value);
		cr_assert_eq(rows[i].name[0] == 'i' ? o.iters : o.remote_size, rows[i].want,
			     "%s", rows[i].value);
	}
	cr_assert_null(options_take_name(&o, "size", "4Ki"));
	cr_assert_eq(o.size, 4096);
	cr_assert_null(options_take_name(&o, "size", "4K"));
	cr_assert_eq(o.size, 4000);
	cr_assert_null(options_take_name(&o, "batch", "1k"));
	cr_assert_eq(o.batch, 1000);
}

Test(options, other_suffixes_are_refused)
{
	static const char *const wrong[] = { "1g", "1T", "1ki", "1KiB", "1kk", "k", "1 k", "" };
	struct options o = options_new(MODE_BW);

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		cr_assert_not_null(options_take_name(&o, "iters", wrong[i]), "%s", wrong[i]);
	cr_assert_not_null(options_take_name(&o, "iters", "0.3k5"));
	cr_assert_not_null(options_take_name(&o, "margin", ""), "0 is one");
	cr_assert_not_null(options_take_name(&o, "margin", "1e-400"), "not exactly");
	cr_assert_not_null(options_take_name(&o, "size", "1Gi"));
	cr_assert_not_null(options_take_name(&o, "iters", "1.0005k"));
}
