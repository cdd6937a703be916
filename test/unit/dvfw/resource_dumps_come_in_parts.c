/* SPDX-License-Identifier: BSD-2-Clause */
/* dvfw rscdump through fwctl: the parts asked for, segments by hand, and each refusal. */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "ask/ask.h"
#include "machine.h"

static char text[8192];
static uint8_t dump[4096];
static size_t len, given;
static struct part {
	uint32_t size, seq, more;
} parts[8];
static unsigned int n;
static uint32_t asked[8][12]; /* words of the register */

static uint32_t word(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return ntohl(v);
}

static void put(uint8_t *p, uint32_t v)
{
	v = htonl(v);
	memcpy(p, &v, 4);
}

/* ACCESS_REG of RESOURCE_DUMP, reading: a part of the dump. */
static int answer(const uint8_t *in, size_t in_len, uint8_t *out, size_t out_len)
{
	const struct part *p = &parts[n];

	cr_assert(word(in) == 0x805 << 16 && word(in + 4) == 1 && word(in + 8) == 0xc000);
	cr_assert(in_len == 0x110 && out_len == 0x110);
	for (int i = 0; i < 12; i++)
		asked[n][i] = word(in + 16 + 4 * i);
	memcpy(out, in, out_len);
	memset(out, 0, 16);
	put(out + 16, p->more << 31 | 1 << 30 | p->seq << 16 | (asked[n][0] & 0xffff));
	put(out + 16 + 0x18, 0xabc0 + n);
	put(out + 16 + 0x24, p->size);
	memcpy(out + 16 + 0x30, dump + given, p->size > 208 ? 208 : p->size);
	given += p->size;
	n++;
	return 0;
}

static void add(size_t count, const uint32_t *words)
{
	for (size_t i = 0; i < count; i++, len += 4)
		put(dump + len, words[i]);
}
#define ADD(...) add(sizeof((uint32_t[]){ __VA_ARGS__ }) / 4, (uint32_t[]){ __VA_ARGS__ })

static void says(int status, const char *options, const char *expected)
{
	struct dvfw d = { .device = "mlx5_0", .json = strstr(options, "--json") != NULL };

	n = given = 0;
	cr_expect_eq(machine_run(rscdump_run, &d, options, text, sizeof(text)), status);
	if (*expected && expected[strlen(expected) - 1] != '\n') /* the beginning */
		text[strlen(expected)] = '\0';
	cr_expect_str_eq(text, expected);
}

static void begin(void)
{
	machine_begin();
	machine.command = answer;
	parts[0].size = 208;
	parts[1].size = 208;
}

TestSuite(resource_dump, .init = begin, .fini = machine_end);

/* Two records: of a QP, which has a second index that is optional, and of one that has none. */
static void menu(uint32_t flags)
{
	len = 0;
	ADD(0x001cffff, 2);
	ADD(flags | 0x4000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	ADD(0x4008, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	memcpy(dump + 12, "PRM_QUERY_QP", 12);
	memcpy(dump + 28, "QPN", 3);
	memcpy(dump + 44, "SECOND_OF_16_BYT", 16);
	memcpy(dump + 64, "VNIC\033", 5);
	memcpy(dump + 80, "not supported", 13);
	ADD(0x0001fffb);
	parts[0].size = (uint32_t)len;
}

Test(resource_dump, menu)
{
	menu(1 << 16 | 1 << 17 | 1 << 18);
	says(0, "", "0x4000  PRM_QUERY_QP     QPN [SECOND_OF_16_BYT]\n0x4008  VNIC\\x1b\n");
	cr_expect(asked[0][0] == (1u << 30 | 0xffff) && !asked[0][2] && !asked[0][4]);
	menu(1 << 16 | 1 << 17 | 1 << 18 | 1 << 19);
	says(0, "--color=always",
	     "0x4000  \033[36mPRM_QUERY_QP\033[0m     QPN SECOND_OF_16_BYT\n"
	     "0x4008  \033[36mVNIC\\x1b\033[0m\n");
	says(0, "--json",
	     "[\n  {\n    \"type\": 16384,\n    \"name\": \"PRM_QUERY_QP\",\n    \"index1\": \"QPN\",\n"
	     "    \"index2\": \"SECOND_OF_16_BYT\"\n  },\n  {\n    \"type\": 16392,\n"
	     "    \"name\": \"VNIC\\\\x1b\",\n    \"index1\": \"\",\n    \"index2\": \"\"\n  }\n]\n");
}

/* A resource of an unknown type: 8 bytes. */
static void resource(void)
{
	len = 0;
	ADD(0x00060123, 0, 0x80000007, 9, 0x01020304, 0x05060708, 0x0001fffb);
	parts[0] = (struct part){ 12, 0, 1 };
	parts[1] = (struct part){ 16, 1, 0 };
}

#define SEGMENT "segment 0x0123, index 0x80000007, 0x9, 8 bytes:\n0000: 01020304 05060708\n"

Test(resource_dump, parts)
{
	resource();
	says(0, "0x123 0x80000007 9 --number=3", SEGMENT);
	cr_expect(asked[0][0] == (1u << 30 | 0x123) && !asked[0][6] && !asked[0][7]);
	cr_expect_eq(asked[1][0], 1u << 31 | 1u << 30 | 0x123);
	for (int i = 0; i < 2; i++) {
		cr_expect(asked[i][2] == 0x80000007 && asked[i][3] == 9);
		cr_expect_eq(asked[i][4], 3, "0x%x", asked[i][4]);
	}
	cr_expect(asked[1][6] == 0xabc0 && !asked[1][7] && n == 2);
	says(0, "0x123 --number=all", SEGMENT);
	cr_expect_eq(asked[0][4], 0xffff);
	says(0, "--json 0x123",
	     "[\n  {\n    \"type\": 291,\n    \"index1\": 2147483655,\n    \"index2\": 9,\n"
	     "    \"hex\": \"0102030405060708\"\n  }\n]\n");
}

Test(resource_dump, wrong_parts)
{
	static const struct {
		struct part second;
		const char *why;
	} rows[] = {
		{ { 16, 2, 0 }, "dvfw: the dump has part 2 after 0\n" },
		{ { 209, 1, 0 }, "dvfw: the dump has a part of 209 bytes\n" },
		{ { 0, 1, 1 }, "dvfw: the dump has a part of 0 bytes\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		resource();
		parts[1] = rows[i].second;
		says(1, "0x123", rows[i].why);
	}
	machine.fails = "configuration";
	machine.err = EIO;
	says(1, "0x123", "dvfw: ACCESS_REG: fwctl4: Input/output error\n");
}

/* Every length but the whole is refused; what is whole before the cut is shown. */
Test(resource_dump, cut)
{
	static const char longer[] =
		"dvfw: a segment is longer than the dump, or has no header\n";

	resource();
	for (uint32_t cut = 1; cut < 28; cut++) {
		char expected[256];

		snprintf(expected, sizeof(expected), "%s%s", cut < 24 ? "" : SEGMENT,
			 cut == 24 ? "dvfw: the dump has no end: no segment TERMINATE\n"
				   : longer);
		parts[0] = (struct part){ cut, 0, 0 };
		says(1, "0x123", expected);
	}
	parts[0].size = 28;
	dump[1] = 0; /* shorter than a header */
	says(1, "0x123", longer);
}

Test(resource_dump, remarks)
{
	for (int error = 0; error < 2; error++) {
		len = 0;
		ADD(error ? 0x000cfffc : 0x000cfff9, 0xffff0102, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		    0x0001fffb);
		memcpy(dump + 16, "no such object: thirty-two bytes", 32);
		parts[0].size = (uint32_t)len;
		says(error, "1",
		     error ? "dvfw: the firmware's error in the dump: 0x102, no such object: "
			     "thirty-two bytes\n"
			   : "dvfw: the firmware's notice in the dump: 0x102, no such object: "
			     "thirty-two bytes\n");
	}
	parts[0].size = 44;
	put(dump, 0x000bfffc); /* too short for its text */
	says(1, "1", "");
}

/* QUERY_VNIC_ENV with one counter; a byte less than its outbox is only bytes. */
Test(resource_dump, fields)
{
	ADD(0x00884008, 0, 0, 0);
	len = 16 + 0x210;
	put(dump + 16 + 0x14, 7);
	ADD(0x0001fffb);
	parts[0] = (struct part){ 200, 0, 1 };
	parts[1] = (struct part){ 200, 1, 1 };
	parts[2] = (struct part){ 148, 2, 0 };
	says(0, "0x4008",
	     "segment 0x4008, index 0x0, 0x0, 528 bytes:\nstatus = 0x0 OK\n"
	     "vport_env.total_error_queues = 0x7\n15 more fields are zero: --all shows them\n");
	says(0, "0x4008 --hex",
	     "segment 0x4008, index 0x0, 0x0, 528 bytes:\n"
	     "0000: 00000000 00000000 00000000 00000000\n0010: 00000000 00000007 00000000 ");
	put(dump, 0x00874008);
	put(dump + 0x21c, 0x0001fffb);
	parts[2].size -= 4;
	says(0, "0x4008 -a",
	     "segment 0x4008, index 0x0, 0x0, 524 bytes:\n"
	     "0000: 00000000 00000000 00000000 00000000\n0010: 00000000 00000007 00000000 ");
}

/* The menu is asked for first. */
Test(resource_dump, type_by_name)
{
	menu(0);
	ADD(0x00054008, 0, 1, 2, 0x0a0b0c0d, 0x0001fffb);
	parts[1] = (struct part){ 24, 0, 0 };
	says(0, "prm_query_qp 1 2",
	     "segment 0x4008, index 0x1, 0x2, 4 bytes:\n0000: 0a0b0c0d\n");
	cr_expect(n == 2 && (asked[0][0] & 0xffff) == 0xffff &&
		  (asked[1][0] & 0xffff) == 0x4000);
	says(2, "PRM_QUERY_Q",
	     "dvfw: no segment of the menu ('dvfw rscdump') is called 'PRM_QUERY_Q'; did you "
	     "mean 'PRM_QUERY_QP'?\n");
	says(2, "0x10000", "dvfw: '0x10000' is not a number of 16 bits\n");
	says(2, "1 4294967296", "dvfw: '4294967296' is not a number of 32 bits\n");
	says(2, "1 --number=0x10000",
	     "dvfw: --number: '0x10000' is neither 'all' nor a number up to 0xffff\n");
	cr_expect_eq(n, 0);
	machine.error = (struct devx_error){ 0 };
	machine.fails = "configuration";
	machine.err = ENOTTY;
	says(1, "VNIC", "dvfw: ACCESS_REG: fwctl4: Inappropriate ioctl for device\n");
}
