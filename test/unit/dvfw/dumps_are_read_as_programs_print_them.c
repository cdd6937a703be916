/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The same bytes in the form of each program that prints them, and where a text is no dump.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/base.h"

static uint8_t bytes[96];

static size_t read_text(const char *text)
{
	struct dump_error e = { 0 };
	size_t n = 0;

	cr_assert(dump_parse(text, strlen(text), bytes, sizeof(bytes), &n, &e),
		  "%s: line %u, character %u: %s", text, e.line, e.character, e.why);
	return n;
}

/* 20 bytes 00 11 22 … ff 10 20 30 40 */
static void is_the_twenty(const char *text)
{
	static const uint8_t want[] =
		"\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee"
		"\xff\x10\x20\x30\x40";

	cr_assert_eq(read_text(text), 20, "%s", text);
	cr_expect_arr_eq(bytes, want, 20, "%s", text);
}

Test(dvfw_dump, plain_digits)
{
	is_the_twenty("00112233445566778899aabbccddeeff10203040");
	is_the_twenty("0x0011 0x2233 44 55\n66778899 aabbccdd eeff1020\r\n3040\n");
	is_the_twenty("00,11,22,33,44,55,66,77,88,99,aa,bb,cc,dd,ee,ff,10,20,30,40");
	cr_expect_eq(read_text("0x0102"), 2);
	cr_expect_eq(read_text("0b16 0000\n"), 4, "hex, not binary");
}

Test(dvfw_dump, offsets_with_a_colon)
{
	is_the_twenty("0000: 00112233 44556677 8899aabb ccddeeff\n0010: 10203040\n");
	is_the_twenty("0000: 00112233  0004: 44556677 8899aabb 0xc: ccddeeff10203040");
	cr_expect_eq(read_text("0000: 01\n0010: 02 # two"), 17);
	cr_expect_eq(bytes[0], 1);
	cr_expect_eq(bytes[15], 0);
	cr_expect_eq(bytes[16], 2);
}

Test(dvfw_dump, xxd)
{
	is_the_twenty("00000000: 0011 2233 4455 6677 8899 aabb ccdd eeff  ..\"3DUfw........\n"
		      "00000010: 1020 3040                                . 0@\n");
	cr_expect_eq(read_text("00000000: 6162 6364 6566                           abcdef\n"),
		     6);
	cr_expect_eq(
		read_text(
			"00000000: 6162 6364 6566 6162 6364 6566 6162 6364  abcdefabcdefabcd\n"),
		16);
}

/* "2:" at the begin of the characters is no offset, nor is one after two digits that are
 * characters. */
Test(dvfw_dump, characters_that_look_like_an_offset)
{
	cr_expect_eq(
		read_text(
			"00000000: 323a ee5f 31df 537d 1e17 0b0c c154 4575  2:._1.S}.....TEu\n"
			"00000010: 3a                                       :\n"),
		17);
	cr_expect_eq(bytes[0], 0x32);
	cr_expect_eq(bytes[16], 0x3a);
	cr_expect_eq(
		read_text(
			"00000000: 353a 3337 7c00 0000 0000 0000 0000 0000  5:37|...........\n"),
		16);
	cr_expect_eq(bytes[5], 0);
	cr_expect_eq(read_text("00000000: 623a 6263 2e2e 2e2e  b:bc....\n"), 8);
	cr_expect_eq(read_text("0000: 01020304  0008: 0506  # two\n"), 10);
	cr_expect_eq(bytes[8], 5);
}

Test(dvfw_dump, od_and_hexdump)
{
	is_the_twenty("0000000 00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee ff\n"
		      "0000020 10 20 30 40\n0000024\n");
	is_the_twenty("000000 00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee ff\n"
		      "000010 10 20 30 40\n000014\n");
	is_the_twenty("0000000 1100 3322 5544 7766 9988 bbaa ddcc ffee\n"
		      "0000010 2010 4030\n0000014\n");
	is_the_twenty(
		"00000000  00 11 22 33 44 55 66 77  88 99 aa bb cc dd ee ff  |..\"3DUfw........|\n"
		"00000010  10 20 30 40                                       |. 0@|\n"
		"00000014\n");
}

Test(dvfw_dump, repeated_lines)
{
	const char *text =
		"00000000  01 02 03 04 05 06 07 08  09 0a 0b 0c 0d 0e 0f 10  |................|\n"
		"*\n00000030  aa                                                |.|\n00000031\n";

	cr_expect_eq(read_text(text), 49);
	cr_expect_eq(bytes[16], 1);
	cr_expect_eq(bytes[47], 16);
	cr_expect_eq(bytes[48], 0xaa);
	cr_expect_eq(
		read_text(
			"0000000 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07\n*\n0000060\n"),
		48);
	cr_expect_eq(bytes[47], 7);
	cr_expect_eq(read_text("0000000 0707 0707 0707 0707 0707 0707 0707 0707\n*\n0000030\n"),
		     48);
}

Test(dvfw_dump, logs)
{
	is_the_twenty(
		"[ 1234.567890] 00000000: 00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee ff\n"
		"[ 1234.567891] 00000010: 10 20 30 40\n");
	is_the_twenty(
		"Nov 23 10:00:00 host1 kernel: [ 12.5] 00000000: 00 11 22 33 44 55 66 77 88 99 aa "
		"bb cc dd ee ff\n"
		"2026-11-23T10:00:00+0000 host1 kernel: 00000010: 10 20 30 40\n");
	is_the_twenty(
		"<3>[  12.345678][T12] infiniband mlx5_0: 00112233 44556677 8899aabb ccddeeff\n"
		"<3>[  12.345678][T12] infiniband mlx5_0: 10203040\n");
	is_the_twenty(
		"00000000: 00 11 22 33 44 55 66 77 88 99 AA BB CC DD EE FF | ..\"3DUfw........\n"
		"00000010: 10 20 30 40 |                                   | . 0@\n");
}

/* No line of words of eight digits is taken for one with an offset. */
Test(dvfw_dump, dwords_without_offsets)
{
	cr_expect_eq(
		read_text("00000000 00000000 00000000 00000000\n00000010 00000000 00000000 "
			  "00000000\n"),
		32);
	cr_expect_eq(bytes[19], 0x10);
	cr_expect_eq(read_text("04000000\n00000004\n"), 8);
	cr_expect_eq(bytes[7], 4);
}

static void is_refused(const char *text, unsigned int line, unsigned int character)
{
	struct dump_error e = { 0 };
	size_t n;

	cr_assert_not(dump_parse(text, strlen(text), bytes, 64, &n, &e), "%s is taken", text);
	cr_expect_eq(e.line, line, "%s: line %u: %s", text, e.line, e.why);
	cr_expect_eq(e.character, character, "%s: character %u: %s", text, e.character, e.why);
	cr_expect_neq(*e.why, '\0');
}

Test(dvfw_dump, where_a_text_is_no_dump)
{
	is_refused("012", 1, 4);
	is_refused("zz", 1, 1);
	is_refused("00 01\n02 0g 03\n", 2, 5);
	is_refused("0000: 01\n0001: 0x1", 2, 10);
	is_refused("0040: 01", 1, 7);
	is_refused("9999: 01", 1, 1);
	is_refused("\n\n", 2, 1);
}
