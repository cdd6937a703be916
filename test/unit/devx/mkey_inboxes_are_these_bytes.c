/* SPDX-License-Identifier: BSD-2-Clause */
/* Inboxes of CREATE_MKEY, written by hand from the PRM's layout, and the key that comes
 * back. */
#include <criterion/criterion.h>
#include <devx/mkey.h>
#include <devx/psv.h>

#include "fake.h"

TestSuite(mkey_inboxes_are_these_bytes, .init = fake_reset);

#define ALL (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)

/* Answer of QUERY_HCA_CAP: bit 23 of word 0x1c, bit 21 of word 0x64. */
enum { RELAXED_WRITE = 0x10 + 0x1d, RELAXED_READ = 0x10 + 0x65 };

Test(mkey_inboxes_are_these_bytes, over_a_umem)
{
	struct devx_mkey_attr attr = { .pdn = 0x123456,
				       .access = ALL | IBV_ACCESS_REMOTE_ATOMIC,
				       .start_addr = 0x7f0011223000,
				       .len = 2 << 20,
				       .tag = 0x42,
				       .umem_id = 0x55 };
	struct devx_mkey mkey;

	answer_word(8, 0x1842);
	cr_assert_eq(devx_mkey_create(&mkey, NULL, &attr), 0);
	SENT(272, "0000: 02000000 00000000 00000000 c0000000",
	     "0010: 00007d00 ffffff42 00000000 00123456",
	     "0020: 00007f00 11223000 00000000 00200000",
	     "0040: 00000000 00000001 0000000c 00000000",
	     "0060: 00000001 00000055 00000000 00000000");
	cr_assert_eq(mkey.obj.id, 0x1842);
	cr_assert_eq(mkey.key, 0x184242);
}

Test(mkey_inboxes_are_these_bytes, over_a_part_of_a_umem_of_huge_pages)
{
	struct devx_mkey_attr attr = { .pdn = 1,
				       .access = IBV_ACCESS_RELAXED_ORDERING,
				       .start_addr = 0x1000,
				       .len = 0x100000001,
				       .umem_id = 0x55,
				       .umem_offset = 0x123456789000,
				       .log_page_size = 21 };
	struct devx_mkey mkey;

	fake.caps[RELAXED_WRITE] = 0x80;
	fake.caps[RELAXED_READ] = 0x20;
	cr_assert_eq(devx_mkey_create(&mkey, NULL, &attr), 0);
	SENT(272, "0000: 02000000 00000000 00000000 c0000000",
	     "0010: 00040500 ffffff00 00000000 00000001",
	     "0020: 00000000 00001000 00000001 00000001",
	     "0040: 00000000 00000001 00000055 00000000",
	     "0060: 00000001 00000055 00001234 56789000");
}

/* mkc.relaxed_ordering_write: bit 18 of its first word; _read: bit 6 beside log_page_size */
Test(mkey_inboxes_are_these_bytes, with_what_the_device_has_of_relaxed_ordering)
{
	struct devx_mkey_attr attr = { .access = IBV_ACCESS_RELAXED_ORDERING, .len = 1 };
	struct devx_mkey mkey;

	for (unsigned int i = 0; i < 4; i++) {
		fake_reset();
		if (i & 1)
			fake.caps[RELAXED_WRITE] = 0x80;
		if (i & 2)
			fake.caps[RELAXED_READ] = 0x20;
		cr_assert_eq(devx_mkey_create(&mkey, NULL, &attr), 0);
		cr_assert_eq(fake.in[0x11], i & 1 ? 0x04 : 0);
		cr_assert_eq(fake.in[0x4b], i & 2 ? 12 | 0x40 : 12);
	}
}

Test(mkey_inboxes_are_these_bytes, and_none_when_the_capabilities_cannot_be_read)
{
	struct devx_mkey_attr attr = { .access = IBV_ACCESS_RELAXED_ORDERING, .len = 1 };
	struct devx_mkey mkey;

	fake.caps[0] = 3; /* BAD_PARAM */
	cr_assert_eq(devx_mkey_create(&mkey, NULL, &attr), EREMOTEIO);
	cr_assert_eq(fake.calls, 0);
	attr.access = 0;
	cr_assert_eq(devx_mkey_create(&mkey, NULL, &attr), 0);
}

Test(mkey_inboxes_are_these_bytes, of_entries_of_one_length)
{
	struct devx_mkey_attr attr = { .pdn = 0x123456,
				       .access = ALL,
				       .start_addr = 0x7f0011200000,
				       .log_entity_size = 21 };
	struct devx_mkey_entry entry[] = { { .key = 0x1234, .addr = 0x7f0011200000 },
					   { .key = 0x1234, .addr = 0x7f0011400000 } };
	struct devx_mkey mkey;

	cr_assert_eq(devx_mkey_create_ksm(&mkey, NULL, &attr, entry, 2), 0);
	SENT(336, "0000: 02000000 00000000 00000000 00000000",
	     "0010: 00003f00 ffffff00 00000000 00123456",
	     "0020: 00007f00 11200000 00000000 00400000",
	     "0040: 00000000 00000002 00000015 00000000",
	     "0060: 00000002 00000000 00000000 00000000",
	     "0110: 00000000 00001234 00007f00 11200000",
	     "0120: 00000000 00001234 00007f00 11400000");
}

Test(mkey_inboxes_are_these_bytes, of_entries_of_any_length)
{
	struct devx_mkey_attr attr = { .pdn = 2, .access = IBV_ACCESS_LOCAL_WRITE, .tag = 7 };
	struct devx_mkey_entry entry[] = { { .key = 0x100, .len = 3, .addr = 0x1001 },
					   { .key = 0x200, .len = 9000, .addr = 0x2002 },
					   { .key = 0x300, .len = 77, .addr = 0x3003 },
					   { .key = 0x400, .len = 1, .addr = 0x4004 },
					   { .key = 0x500, .len = 0xffffffff, .addr = 0x5 } };
	struct devx_mkey mkey;

	answer_word(8, 5);
	cr_assert_eq(devx_mkey_create_klm(&mkey, NULL, &attr, entry, 5), 0);
	SENT(272 + 8 * 16, "0000: 02000000", "0010: 00000e00 ffffff07 00000000 00000002",
	     "0020: 00000000 00000000 00000001 00002378", "0040: 00000000 00000005",
	     "0060: 00000005", "0110: 00000003 00000100 00000000 00001001",
	     "0120: 00002328 00000200 00000000 00002002",
	     "0130: 0000004d 00000300 00000000 00003003",
	     "0140: 00000001 00000400 00000000 00004004",
	     "0150: ffffffff 00000500 00000000 00000005");
	cr_assert_eq(mkey.key, 0x507);
}

Test(mkey_inboxes_are_these_bytes, and_query_by_index)
{
	struct devx_mkey mkey = { .obj = { .handle = fake_handle(), .id = 0x1842 },
				  .key = 0x184242 };
	uint8_t mkc[64];

	answer_word(0x10, 0x00007d00);
	answer_word(0x4c, 0xabcd);
	cr_assert_eq(devx_mkey_query(&mkey, mkc), 0);
	SENT(16, "0000: 02010000 00000000 00001842");
	cr_assert_eq(fake.out_len, 0x130);
	cr_assert_eq(mkc[2], 0x7d);
	cr_assert_eq(mkc[0x3e], 0xab);
}

Test(mkey_inboxes_are_these_bytes, one_psv)
{
	struct devx_obj psv;

	answer_word(0x10, 0x99);
	cr_assert_eq(devx_psv_create(&psv, NULL, 0x12), 0);
	SENT(16, "0000: 06000000 00000000 10000012");
	cr_assert_eq(psv.id, 0x99);
	cr_assert_eq(devx_psv_destroy(&psv), 0);
}
