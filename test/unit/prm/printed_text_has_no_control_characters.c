/* SPDX-License-Identifier: BSD-2-Clause */
/* Nothing that a terminal would obey is left in a text. */
#include <criterion/criterion.h>

#include "prm/visible.h"

static void expect(const char *text, const char *want)
{
	char got[128];

	cr_expect_str_eq(prm_visible(got, sizeof(got), text), want);
}

Test(prm, control_characters_become_numbers)
{
	expect("plain ~!\\x1b", "plain ~!\\x1b");
	expect("\033]0;title\007", "\\x1b]0;title\\x07");
	expect("a\nb\tc\rd\177", "a\\x0ab\\x09c\\x0dd\\x7f");
	expect("", "");
}

Test(prm, utf8_stays_unless_it_controls)
{
	expect("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82",
	       "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82");
	expect("\xc2\x9b"
	       "31m",
	       "\\xc2\\x9b31m");		   /* CSI, U+009B */
	expect("\xe2\x80\xae", "\\xe2\\x80\\xae"); /* right-to-left override */
	expect("\xe2\x80\xa8", "\\xe2\\x80\\xa8"); /* line separator */
}

Test(prm, what_is_no_utf8_becomes_numbers)
{
	expect("\x80", "\\x80");
	expect("\xc3", "\\xc3");
	expect("\xc3(", "\\xc3(");
	expect("\xc0\x9b", "\\xc0\\x9b"); /* ESC, too long */
	expect("\xe0\x80\x9b", "\\xe0\\x80\\x9b");
	expect("\xed\xa0\x80", "\\xed\\xa0\\x80");	    /* a surrogate */
	expect("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); /* beyond U+10FFFF */
	expect("\xff\xfe", "\\xff\\xfe");
}

Test(prm, a_text_that_is_too_long_ends_with_a_whole_character)
{
	char got[16];

	memset(got, '#', sizeof(got));
	cr_expect_str_eq(prm_visible(got, 5, "\033\033"), "\\x1b");
	cr_expect_str_eq(prm_visible(got, 4, "\033\033"), "");
	cr_expect_str_eq(prm_visible(got, 4, "ab\xc3\xa9"), "ab");
	cr_expect_str_eq(prm_visible(got, 5, "ab\xc3\xa9"), "ab\xc3\xa9");
	prm_visible(got, 0, "x");
	cr_expect_eq(got[0], 'a');
}
