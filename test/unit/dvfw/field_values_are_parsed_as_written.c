/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers, names, addresses and dumps mean what they look like.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "box/box.h"
#include "names/names.h"

static struct box box;

static void begin(const char *command)
{
	const struct prm_cmd *cmd = cmd_find(command);

	box_begin(&box, cmd->in, cmd);
}

static void set(const char *word)
{
	char why[WHY_BYTES] = "";

	cr_assert(encode_field(&box, word, why), "%s: %s", word, why);
}

Test(dvfw_value, numbers)
{
	uint64_t v = 0;

	cr_expect(parse_number("010", &v) && v == 10, "a leading zero is not octal");
	cr_expect(parse_number("0x1F", &v) && v == 31);
	cr_expect(parse_number("0b101", &v) && v == 5);
	cr_expect(parse_number("18446744073709551615", &v) && v == UINT64_MAX);
	cr_expect_not(parse_number("18446744073709551616", &v));
	cr_expect_not(parse_number("", &v));
	cr_expect_not(parse_number("1 ", &v));
	cr_expect_not(parse_number("0b12", &v));
}

Test(dvfw_value, names_of_values_whatever_their_case)
{
	begin("CREATE_QP");
	set("st=ud");
	cr_expect_eq(box.bytes[0x19], 0x02); /* qpc.st: byte 1 of qpc at 0x18 */
	set("opcode=QUERY_QP");
	cr_expect_eq(box.bytes[0], 0x05);
	cr_expect_eq(box.bytes[1], 0x0b);
}

Test(dvfw_value, capability_groups)
{
	begin("QUERY_HCA_CAP");
	set("op_mod=GENERAL_2");
	cr_expect_eq(box.bytes[7], 0x41, "current, unless it says max");
	set("op_mod=general_2.max");
	cr_expect_eq(box.bytes[7], 0x40);
	set("op_mod=ROCE.current");
	cr_expect_eq(box.bytes[7], 0x09);
}

Test(dvfw_value, sums_and_masks)
{
	begin("CREATE_QP");
	set("dbr_addr=0x1000+64");
	cr_expect_arr_eq(box.bytes + 0xb8, "\0\0\0\0\0\0\x10\x40", 8);
	set("pd=1|6");
	cr_expect_eq(box.bytes[0x1f], 7);
}

Test(dvfw_value, lists_grow_a_tail)
{
	begin("CREATE_QP");
	set("pas={0x1000,0x2000}");
	cr_expect_eq(box.len, 0x120);
	cr_expect_arr_eq(box.bytes + 0x110, "\0\0\0\0\0\0\x10\0\0\0\0\0\0\0\x20\0", 16);
	set("pas[3]=5");
	cr_expect_eq(box.len, 0x130);
}

Test(dvfw_value, addresses)
{
	static const uint8_t v4[16] = { [10] = 0xff, 0xff, 192, 168, 0, 1 };
	static const uint8_t v6[16] = { 0xfe, 0x80, [15] = 0x42 };
	uint8_t bytes[16];
	size_t n = 16;

	cr_assert(parse_bytes("192.168.0.1", bytes, 16, &n));
	cr_expect_arr_eq(bytes, v4, 16);
	n = 16;
	cr_assert(parse_bytes("fe80::42", bytes, 16, &n));
	cr_expect_arr_eq(bytes, v6, 16);
	n = 6;
	cr_assert(parse_bytes("02:c5:c0:a8:00:01", bytes, 16, &n));
	cr_expect_eq(n, 6);
	cr_expect_arr_eq(bytes, "\x02\xc5\xc0\xa8\0\x01", 6);
	n = 0;
	cr_expect_not(parse_bytes("abc", bytes, 16, &n), "half a byte");
}

/* The first byte that is written is the most significant one of the 48. */
Test(dvfw_value, a_mac_to_a_field_of_a_number)
{
	static const uint8_t want[] = { 0x00, 0x00, 0x02, 0xc5, 0xc0, 0xa8, 0x07, 0x19 };
	char why[WHY_BYTES] = "";

	begin("CREATE_MKEY");
	set("start_addr=02:c5:c0:a8:07:19");
	cr_expect_arr_eq(box.bytes + 0x20, want,
			 sizeof(want)); /* mkc at 0x10, start_addr 0x10 */
	cr_expect_not(encode_field(&box, "start_addr=02:c5:c0:a8:07", why), "five bytes");
	cr_expect_not(encode_field(&box, "pd=02:c5:c0:a8:07:19", why), "24 bits");
}
