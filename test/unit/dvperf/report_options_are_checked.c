/* SPDX-License-Identifier: BSD-2-Clause */
/* -C -H -U -w -y, --warmup: where each of them may be. */
#include <criterion/criterion.h>
#include <string.h>

#include "options/options.h"

static const char *check(enum mode mode, const char *const *words)
{
	struct options o = options_new(mode);

	for (; words[0]; words += 2)
		cr_assert_null(options_take_name(&o, words[0], words[1]), "%s", words[0]);
	options_defaults(&o);
	return options_check(&o);
}

#define CHECK(mode, ...) check(mode, (const char *[]){ __VA_ARGS__, NULL })

static void refused(const char *bad, const char *with)
{
	cr_assert_not_null(bad, "%s", with);
	cr_assert_not_null(strstr(bad, with), "%s", bad);
}

Test(report_options, samples_are_of_lat)
{
	cr_assert_null(CHECK(MODE_LAT, "report-histogram", "on"));
	cr_assert_null(CHECK(MODE_LAT, "report-unsorted", "on", "report-cycles", "on"));
	refused(CHECK(MODE_BW, "report-histogram", "on"), "for lat");
	refused(CHECK(MODE_POST, "report-cycles", "on"), "for lat");
	refused(CHECK(MODE_LAT, "report-unsorted", "on", "json", "on"), "print text");
	refused(CHECK(MODE_LAT, "report-histogram", "on", "csv", "on"), "print text");
}

Test(report_options, samples_fit_into_memory)
{
	cr_assert_null(
		CHECK(MODE_LAT, "report-unsorted", "on", "iters", "10000000", "repeat", "1"));
	refused(CHECK(MODE_LAT, "report-unsorted", "on", "iters", "10000001", "repeat", "1"),
		"1e7");
	refused(CHECK(MODE_LAT, "report-histogram", "on", "iters", "5000000"), "1e7");
}

Test(report_options, limits_are_of_bw)
{
	cr_assert_null(CHECK(MODE_BW, "limit_bw", "0.5", "limit_msgrate", "3"));
	cr_assert_null(CHECK(MODE_BW, "warmup", "2", "report_gbits", "on"));
	refused(CHECK(MODE_LAT, "limit_bw", "1"), "for bw");
	refused(CHECK(MODE_LAT, "warmup", "1"), "for bw");
	refused(CHECK(MODE_POST, "limit_msgrate", "1"), "for bw");
	refused(CHECK(MODE_BW, "limit_msgrate", "1", "pattern", "pairs"), "pattern");
}
