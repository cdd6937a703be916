/* SPDX-License-Identifier: BSD-2-Clause */
/* Whatever a result file says, the page shows it and obeys nothing of it. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/page.h"
#include "report/text.h"

static const char *put(enum text_as as, const char *text)
{
	static char *buf;
	size_t size;
	FILE *out;

	free(buf);
	out = open_memstream(&buf, &size);
	text_put(out, as, text);
	fclose(out);
	return buf;
}

Test(report_texts, html)
{
	cr_assert_str_eq(put(TEXT_HTML, "<script>\"a\" & 'b'</script>"),
			 "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;");
	cr_assert_str_eq(put(TEXT_HTML, "µs, 中, 😀"), "µs, 中, 😀");
}

Test(report_texts, gnuplot_stays_between_its_quotes)
{
	cr_assert_str_eq(put(TEXT_GNUPLOT, "a'; system 'id"), "a’; system ’id");
	cr_assert_null(strchr(put(TEXT_GNUPLOT, "''"), '\''));
	cr_assert_str_eq(put(TEXT_GNUPLOT, "a\nb\\"), "a b\\");
}

Test(report_texts, what_is_no_character_of_xml)
{
	cr_assert_str_eq(put(TEXT_HTML, "a\001\033[2Jb\x7f"), "a  [2Jb ");
	cr_assert_str_eq(put(TEXT_HTML, "\xff|\xc0\xaf|\xe2\x82"),
			 "\ufffd|\ufffd\ufffd|\ufffd\ufffd");
	cr_assert_str_eq(put(TEXT_HTML, "\xed\xa0\x80"), "\ufffd\ufffd\ufffd", "a surrogate");
	cr_assert_str_eq(put(TEXT_HTML, "\xef\xbf\xbe"), "\ufffd\ufffd\ufffd", "U+FFFE");
	cr_assert_str_eq(put(TEXT_HTML, "\xf4\x90\x80\x80"), "\ufffd\ufffd\ufffd\ufffd");
}

Test(report_texts, numbers)
{
	static const struct {
		double value;
		const char *text;
	} rows[] = { { 0, "0" },	{ 0.0123, "0.0123" }, { 1.234, "1.23" },
		     { 12.34, "12.3" }, { 1534.2, "1534" },   { 8, "8" },
		     { 2e9, "2e+09" },	{ NAN, "-" } };
	char buf[32];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		cr_expect_str_eq(text_number(rows[i].value, buf, sizeof(buf)), rows[i].text);
}

#define EVIL "</td><script>alert(1)</script><img src=http://x.example/>"

/* A page of a record in which every text tries. */
static char *evil_page(void)
{
	static const char json[] =
		"{\"dvperf\":\"" EVIL "\",\"command\":[\"" EVIL "\"],\"preset\":\"" EVIL "\","
		"\"published_text\":\"" EVIL "\",\"environment\":{\"" EVIL "\":\"" EVIL "\"},"
		"\"rows\":[{\"options\":{\"mode\":\"bw\",\"" EVIL "\":\"" EVIL "\"},"
		"\"metrics\":{\"mops\":1},\"not_trusted\":[\"" EVIL "\"],"
		"\"device_counters\":{\"" EVIL "\":\"" EVIL "\"}}]}";
	struct record r = { .name = (char[]){ EVIL } };
	struct json_object *all = json_tokener_parse(json);
	char *page;
	size_t size;
	FILE *out = open_memstream(&page, &size);

	cr_assert_null(record_take(&r, all));
	page_begin(out, EVIL);
	cr_assert(page_section(out, &r, 1));
	page_end(out);
	fclose(out);
	json_object_put(all);
	return page;
}

Test(report_texts, a_whole_page)
{
	char *page = evil_page();

	cr_assert_null(strstr(page, "<script"));
	cr_assert_null(strstr(page, "<img"));
	cr_assert_not_null(strstr(page, "&lt;script&gt;alert(1)"));
	free(page);
}
