/* SPDX-License-Identifier: BSD-2-Clause */
/* packet_read(): hex digits, dumps, captures; and whatever else is in a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <criterion/criterion.h>

#include "flows/packet.h"

static struct dvfw d;
static uint8_t bytes[128];
static size_t len;
static char name[] = "/tmp/dvfw-packet-XXXXXX";

static void begin(void)
{
	cr_assert_geq(mkstemp(name), 0);
	stderr = fopen("/dev/null", "w");
}

static void end(void)
{
	unlink(name);
}

TestSuite(packets, .init = begin, .fini = end);

static int words(int n, char **word)
{
	return packet_read(&d, n, word, bytes, sizeof(bytes), &len);
}

static void content(const void *p, size_t n)
{
	FILE *f = fopen(name, "w");

	cr_assert_eq(fwrite(p, 1, n, f), n);
	fclose(f);
}

/* Packet @number of a file with @text. */
static int file(const void *p, size_t n, unsigned int number)
{
	char word[64], *list[] = { word };

	content(p, n);
	snprintf(word, sizeof(word), number ? "%s:%u" : "%s", name, number);
	return words(1, list);
}

static void is_counted(size_t n)
{
	cr_assert_eq(len, n);
	for (size_t i = 0; i < n; i++)
		cr_assert_eq(bytes[i], i);
}

Test(packets, words)
{
	char *one[] = { "000102030405060708090a0b0c0d0E0F" };
	char *many[] = { "0x0001", "02:03:04:05", "0607 0809", "0a0b0c0d" };
	char *odd[] = { "0001020304050607080", "90a0b0c0d" }, *few[] = { "00010203" };
	char *colon[] = { "00:01:02:03:04:05:06:07:08:09:0a:0b:0c:", "0d" };

	cr_assert_eq(words(1, one), DVFW_OK);
	is_counted(16);
	cr_assert_eq(words(4, many), DVFW_OK);
	is_counted(14);
	cr_assert_eq(words(2, odd), DVFW_USAGE);
	cr_assert_eq(words(1, few), DVFW_USAGE);
	cr_assert_eq(words(2, colon), DVFW_USAGE);
	cr_assert_eq(words(0, NULL), DVFW_USAGE);
}

/* The characters at the end of a line look like digits. */
Test(packets, dumps)
{
	static const char xxd[] =
		"00000000: 0001 0203 0405 0607 0809 0a0b 0c0d 0e0f  abcdefab01234567\n"
		"00000010: 1011                                     00\n";
	static const char tcpdump[] =
		"12:00:00.1 IP 10.0.0.1.1 > 10.0.0.2.2: UDP, length 4\n"
		"\t0x0000:  ffff ffff ffff ffff ffff ffff ffff ffff\n"
		"12:00:01.1 IP 10.0.0.1.1 > 10.0.0.2.2: UDP, length 4\n"
		"\t0x0000:  0001 0203 0405 0607 0809 0a0b 0c0d 0e0f  ................\n"
		"\t0x0010:  1011\n";
	static const char hexdump[] =
		"00000000  00 01 02 03 04 05 06 07  08 09 0a 0b 0c 0d 0e 0f  |................|\n"
		"00000010  10 11                                             |..|\n"
		"00000012\n";
	static const char plain[] = "00 01 02 03 04 05 06 07 08 09\n0a 0b 0c 0d 0e 0f 10 11\n";

	cr_assert_eq(file(xxd, strlen(xxd), 0), DVFW_OK);
	is_counted(18);
	cr_assert_eq(file(tcpdump, strlen(tcpdump), 2), DVFW_OK);
	is_counted(18);
	cr_assert_eq(file(tcpdump, strlen(tcpdump), 3), DVFW_USAGE);
	cr_assert_eq(file(hexdump, strlen(hexdump), 1), DVFW_OK);
	is_counted(18);
	cr_assert_eq(file(plain, strlen(plain), 0), DVFW_OK);
	is_counted(18);
}

/* pcap-savefile(5): 24 bytes, then 16 and the packet. */
static const uint8_t pcap[] = {
	0xa1, 0xb2, 0xc3, 0xd4, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0,  0,  0,  0,
	1,    0,    0,	  0,	0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0,  0,  14,
	0,    0,    0,	  14,	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
};

Test(packets, captures)
{
	uint8_t changed[sizeof(pcap)];

	cr_assert_eq(file(pcap, sizeof(pcap), 0), DVFW_OK);
	is_counted(14);
	cr_assert_eq(file(pcap, sizeof(pcap), 2), DVFW_USAGE);
	for (size_t n = 0; n < sizeof(pcap); n++)
		cr_assert_eq(file(pcap, n, 0), DVFW_USAGE, "%zu bytes", n);
	memcpy(changed, pcap, sizeof(pcap));
	changed[35] = 13; /* fewer bytes than the packet had */
	cr_assert_eq(file(changed, sizeof(changed), 0), DVFW_USAGE);
	memset(changed + 32, 0xff, 4);
	cr_assert_eq(file(changed, sizeof(changed), 0), DVFW_USAGE);
	memcpy(changed, pcap, sizeof(pcap));
	changed[23] = 101; /* raw IP */
	cr_assert_eq(file(changed, sizeof(changed), 0), DVFW_USAGE);
}

Test(packets, whatever_is_in_a_file)
{
	static const char letters[] = "0123456789abcdef:  \n|x";
	uint8_t noise[300];

	srand(1);
	for (unsigned int i = 0; i < 2000; i++) {
		size_t n = (size_t)rand() % sizeof(noise);

		for (size_t k = 0; k < n; k++)
			noise[k] = i & 1 ? (uint8_t)letters[rand() % (sizeof(letters) - 1)]
					 : (uint8_t)rand();
		if (i % 4 == 0 && n > 24)
			memcpy(noise, pcap, 24);
		file(noise, n, (unsigned int)rand() % 3);
		cr_assert_leq(len, sizeof(bytes));
	}
}
