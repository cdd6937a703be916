/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* The record of an export as 96 bytes written out here, and back. Its checksum was computed by
 * xz. Bytes that are no record are refused, and so is every record that was changed. */
#include <errno.h>
#include <stdlib.h>
#include <criterion/criterion.h>
#include <devx/vhca.h>

static const uint8_t golden[96] = {
	'd',  'v',  'v',  'x',  1,    0,    0x00, 0x07,		    /* version, vhca_id */
	0x00, 0x18, 0x42, 0x42, 0x00, 0x00, 0x00, 0x07,		    /* mkey, access */
	0x00, 0x00, 0x7f, 0x00, 0x11, 0x22, 0x30, 0x00,		    /* addr */
	0x00, 0x00, 0x00, 0x00, 0x00, 0x20, 0x00, 0x00,		    /* len */
	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,		    /* epoch */
	0xc5, 0x03, 0x00, 0x00, 0x03, 0xc5, 0x03, 0xc5,		    /* sys_image_guid */
	0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7,		    /* access key */
	0xa8, 0xa9, 0xaa, 0xab, 0xac, 0xad, 0xae, 0xaf,
	0xb0, 0xb1, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7,
	0xb8, 0xb9, 0xba, 0xbb, 0xbc, 0xbd, 0xbe, 0xbf,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x86, 0x6e, 0xe2, 0xbc, 0x28, 0x57, 0x17, 0x27, /* CRC-64 of xz */
};

static struct devx_export export(void)
{
	struct devx_export e = { .vhca_id = 7, .mkey = 0x184242, .access = 7,
				 .addr = 0x7f0011223000, .len = 2 << 20,
				 .epoch = 0x0123456789abcdef,
				 .sys_image_guid = 0xc503000003c503c5 };

	for (int i = 0; i < 32; i++)
		e.access_key[i] = (uint8_t)(0xa0 + i);
	return e;
}

Test(export_record, bytes)
{
	struct devx_export e = export(), again;
	uint8_t record[DEVX_EXPORT_BYTES];

	cr_assert_eq((int)DEVX_EXPORT_BYTES, 96);
	devx_export_pack(record, &e);
	for (int i = 0; i < 96; i++)
		cr_assert_eq(record[i], golden[i], "byte %d is 0x%02x", i, record[i]);
	memset(&again, 0x5a, sizeof(again));
	cr_assert_eq(devx_export_unpack(&again, golden, 96), 0);
	cr_assert_eq(again.vhca_id, 7);
	cr_assert_eq(again.mkey, 0x184242);
	cr_assert_eq(again.access, 7);
	cr_assert_eq(again.addr, 0x7f0011223000);
	cr_assert_eq(again.len, 0x200000);
	cr_assert_eq(again.epoch, 0x0123456789abcdef);
	cr_assert_eq(again.sys_image_guid, 0xc503000003c503c5);
	cr_assert_arr_eq(again.access_key, golden + 48, 32);
	cr_assert_arr_eq(again.reserved, golden + 80, 8);
}

/* CRC-64 bit by bit as polynomials are divided on paper, from the high power down: the other
 * way round than in the library. */
static uint64_t reflect(uint64_t v)
{
	uint64_t r = 0;

	for (int i = 0; i < 64; i++)
		r |= (v >> i & 1) << (63 - i);
	return r;
}

static uint64_t checksum(const uint8_t *p, size_t n)
{
	uint64_t rest = ~0ull;

	for (size_t i = 0; i < n; i++)
		for (int bit = 0; bit < 8; bit++) {
			bool carry = rest >> 63 != (p[i] >> bit & 1u);

			rest = rest << 1 ^ (carry ? 0x42f0e1eba9ea3693 : 0);
		}
	return reflect(~rest);
}

/* A record with one number changed and a checksum that fits. */
static int unpack_with(struct devx_export *e, size_t at, const char *bytes, size_t n)
{
	uint8_t record[96];
	uint64_t sum;

	memcpy(record, golden, sizeof(record));
	memcpy(record + at, bytes, n);
	sum = checksum(record, 88);
	for (int i = 0; i < 8; i++)
		record[88 + i] = (uint8_t)(sum >> (56 - 8 * i));
	return devx_export_unpack(e, record, sizeof(record));
}
#define UNPACK_WITH(at, bytes) unpack_with(&e, at, bytes, sizeof(bytes) - 1)

static void refused(int err, const char *line)
{
	const char begin[] = "devx_export_unpack: EPROTO: ";
	char text[256];

	cr_assert_eq(err, EPROTO);
	devx_error_str(devx_last_error(), text, sizeof(text));
	cr_assert_eq(strncmp(text, begin, strlen(begin)), 0);
	cr_assert_str_eq(text + strlen(begin), line);
}

Test(export_record, refusals)
{
	struct devx_export e = { .mkey = 0x77 };

	refused(UNPACK_WITH(0, "D"), "not a record of an export: it does not begin with dvvx");
	refused(UNPACK_WITH(4, "\2"), "a record of another version");
	refused(UNPACK_WITH(5, "\1"), "reserved bytes of the record are not 0");
	refused(UNPACK_WITH(80, "\x80"), "reserved bytes of the record are not 0");
	refused(UNPACK_WITH(87, "\1"), "reserved bytes of the record are not 0");
	refused(UNPACK_WITH(24, "\0\0\0\0\0\0\0\0"), "a record of no bytes: len is 0");
	refused(UNPACK_WITH(16, "\xff\xff\xff\xff\xff\xe0\0\1"),
		"addr and len of the record go beyond 2^64");
	refused(UNPACK_WITH(24, "\xff\xff\xff\xff\xff\xff\xff\xff"),
		"addr and len of the record go beyond 2^64");
	refused(UNPACK_WITH(12, "\0\0\0\x10"),
		"an access flag in the record that memory keys do not have");
	refused(devx_export_unpack(&e, golden, 95), "a record has 96 bytes");
	cr_assert_eq(e.mkey, 0x77, "a refusal changes nothing");
	cr_assert_eq(UNPACK_WITH(16, "\xff\xff\xff\xff\xff\xe0\0\0"), 0, "up to the end");
	cr_assert_eq(UNPACK_WITH(12, "\0\x10\0\xf"), 0, "all flags of keys");
}

Test(export_record, damage)
{
	struct devx_export e;
	uint8_t record[96];

	memcpy(record, golden, sizeof(record));
	record[47] ^= 1;
	refused(devx_export_unpack(&e, record, 96),
		"the record is damaged: its checksum is wrong");
}

/* Bits flipped, bytes set, pieces moved, swapped or cleared. */
static void mutate(uint8_t *record)
{
	size_t at = (size_t)rand() % 96, n = (size_t)rand() % (96 - at) + 1;
	size_t from = (size_t)rand() % (96 - n + 1);

	switch (rand() % 5) {
	case 0:
		record[at] ^= (uint8_t)(1 << rand() % 8);
		break;
	case 1:
		record[at] = (uint8_t)rand();
		break;
	case 2:
		memmove(record + at, record + from, n);
		break;
	case 3:
		memset(record + at, rand() % 2 ? 0 : 0xff, n);
		break;
	default:
		record[from] = record[at];
		record[at] = (uint8_t)rand();
		break;
	}
}

/* A million records that were changed: none is taken for another one. */
Test(export_record, changed)
{
	unsigned int equal = 0;
	struct devx_export e;
	uint8_t record[96];
	int err;

	srand(1);
	for (int i = 0; i < 1000000; i++) {
		memcpy(record, golden, sizeof(record));
		for (int changes = rand() % 4; changes >= 0; changes--)
			mutate(record);
		memset(&e, 0x5a, sizeof(e));
		err = devx_export_unpack(&e, record, sizeof(record));
		if (!memcmp(record, golden, sizeof(record))) {
			equal++;
			cr_assert_eq(err, 0);
			continue;
		}
		cr_assert_eq(err, EPROTO, "record %d of the sequence", i);
		cr_assert_eq(e.vhca_id, 0x5a5a);
	}
	cr_assert_lt(equal, 100000u, "most were changed");
}

/* Records of every length and of random bytes. */
Test(export_record, garbage)
{
	struct devx_export e;
	uint8_t record[200];

	srand(2);
	for (int i = 0; i < 100000; i++) {
		for (size_t k = 0; k < sizeof(record); k++)
			record[k] = (uint8_t)rand();
		if (i % 2)
			memcpy(record, golden, 8);
		cr_assert_eq(devx_export_unpack(&e, record, (size_t)(rand() % 200)), EPROTO);
	}
}

Test(export_record, text)
{
	struct devx_export e = export();
	char text[256], tiny[10];

	cr_assert_str_eq(devx_export_str(&e, text, sizeof(text)),
			 "vhca 7, mkey 0x184242, 0x7f0011223000 + 2097152 bytes, access 0x7, "
			 "epoch 0x123456789abcdef, adapter 0xc503000003c503c5");
	cr_assert_str_eq(devx_export_str(&e, tiny, sizeof(tiny)), "vhca 7, m");
	cr_assert_str_eq(devx_access_key_str(e.access_key, text, sizeof(text)),
			 "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf");
	cr_assert_str_eq(devx_access_key_str(e.access_key, tiny, sizeof(tiny)), "a0a1a2a3a");
	cr_assert_str_eq(devx_access_key_str(e.access_key, tiny, 1), "");
}

/* Two keys and two epochs are never equal, and no key shows up in the text of an export. */
Test(export_record, key_stays_out_of_the_text)
{
	struct devx_export e = export();
	char text[256], digits[4];
	uint8_t other[32];

	cr_assert_eq(devx_access_key_create(e.access_key), 0);
	cr_assert_eq(devx_access_key_create(other), 0);
	cr_assert_neq(memcmp(other, e.access_key, 32), 0);
	memset(e.access_key, 0xee, sizeof(e.access_key));
	devx_export_str(&e, text, sizeof(text));
	snprintf(digits, sizeof(digits), "%02x", 0xee);
	cr_assert_null(strstr(text, digits), "%s", text);
}
