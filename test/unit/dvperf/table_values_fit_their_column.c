/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of a table have the digits asked for, or those their column has space for. */
#include <math.h>

#include <criterion/criterion.h>

#include "result/result.h"

static const struct {
	int width, digits;
	double v;
	const char *text;
} rows[] = {
	{ 8, 1, 0, "0.0" },
	{ 8, 1, 123.44, "123.4" },
	{ 8, 1, 999999.94, "999999.9" },
	{ 8, 1, 999999.96, "1000000" },
	{ 8, 1, 99999999.4, "99999999" },
	{ 8, 1, 101731791.0, "101731791" },
	{ 5, 1, -1234.0, "-1234" },
	{ 8, 3, 0.1, "0.100" },
	{ 8, 3, 0.0999, "0.0999" },
	{ 8, 3, 0.00123456, "0.00123" },
	{ 8, 3, 0.0000123456, "0.000012" },
	{ 8, 2, 0.0123456, "0.01" },
	{ 8, 3, 12345.678, "12345.68" },
	{ 8, 0, 12.5, "12" },
	{ 8, -1, 1234567.0, "1.2346e+06" },
	{ 8, -1, 12.345678, "12.346" },
	{ 8, 3, NAN, "-" },
	{ 8, -1, NAN, "-" },
};

Test(dvperf_table, values_fit_their_column)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct table_value value;
		const char *text =
			table_value(&value, rows[i].width, rows[i].digits, rows[i].v);

		cr_expect_str_eq(text, rows[i].text, "%d.%d of %.9g: %s in place of %s",
				 rows[i].width, rows[i].digits, rows[i].v, text, rows[i].text);
	}
}
