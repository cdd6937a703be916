/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands of exports and aliases, written by hand from UCX's layouts (ib_mlx5_ifc.h), in their
 * order, and what is left after a refusal.
 */
#include <errno.h>
#include <criterion/criterion.h>
#include <devx/vhca.h>
#include <prm/prm.h>

#include "fake_memory.h"
#include "lib/steps.h"

enum { GUID_MSB = 0xc5, GUID_LSB = 0x03 };

static struct ibv_device_attr device;
static const uint8_t key[32] = { 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7,
				 0xa8, 0xa9, 0xaa, 0xab, 0xac, 0xad, 0xae, 0xaf,
				 0xb0, 0xb1, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7,
				 0xb8, 0xb9, 0xba, 0xbb, 0xbc, 0xbd, 0xbe, 0xbf };

FAKE(int, ibv_query_device, (struct ibv_context * ctx, struct ibv_device_attr *attr),
     (*attr = device, step_fails() ? EIO : 0))

/* VHCA 7, with aliases of mkeys, KSM keys and crossing keys; the next object gets number
 * 0x1842. */
static void start(void)
{
	static const uint8_t guid[8] = { GUID_MSB, 0, 0, 0, 0, 0, 0, GUID_LSB };

	fake_memory_reset();
	fake.two_groups = true;
	fake.caps[0x10 + 4] = 0x80;    /* hca_cap_2 */
	fake.caps[0x10 + 7] = 7;       /* vhca_id */
	fake.caps[0x10 + 0x21] = 0x80; /* fixed_buffer_size */
	fake.caps[0x10 + 0xb6] = 0x20; /* crossing_vhca_mkey */
	fake.caps_2[0x10 + 0x1e] = 1;  /* cross_vhca_object_to_object_supported: 0x100 */
	fake.caps_2[0x10 + 0x27] = 4;  /* allowed_object_for_other_vhca_access: 0x4 */
	memcpy(&device.sys_image_guid, guid, sizeof(guid));
	answer_word(8, 0x1842);
}

TestSuite(vhca_inboxes_are_these_bytes, .init = start);

static struct devx_export_attr attr(void)
{
	return (struct devx_export_attr){ .pdn = 0x123456,
					  .access = DEVX_EXPORT_READ_WRITE |
						    IBV_ACCESS_REMOTE_ATOMIC,
					  .tag = 0x42,
					  .access_key = key };
}

#define ALLOW_1842                                           \
	"0000: 0b160000 00000000 00000000 00000000",         \
		"0010: 0000ff01 00001842 00000000 00000000", \
		"0020: a0a1a2a3 a4a5a6a7 a8a9aaab acadaeaf", \
		"0030: b0b1b2b3 b4b5b6b7 b8b9babb bcbdbebf"

Test(vhca_inboxes_are_these_bytes, allow)
{
	cr_assert_eq(devx_allow_other_vhca(NULL, PRM_OBJ_MKEY, 0x1842, key), 0);
	SENT(64, ALLOW_1842);
	cr_assert_eq(fake.out_len, 16);
}

static void is_described(const struct devx_export *e, uint64_t addr, uint64_t len)
{
	cr_assert_eq(e->vhca_id, 7);
	cr_assert_eq(e->mkey, 0x184242);
	cr_assert_eq(e->access, 15);
	cr_assert_eq(e->addr, addr);
	cr_assert_eq(e->len, len);
	cr_assert_eq(e->sys_image_guid, 0xc500000000000003);
	cr_assert_neq(e->epoch, 0);
	cr_assert_arr_eq(e->access_key, key, 32);
}

Test(vhca_inboxes_are_these_bytes, export_of_memory)
{
	void *addr = (void *)(uintptr_t)0x7f0011223000;
	struct devx_export_attr a = attr();
	struct devx_exported x;

	cr_assert_eq(devx_export_create(&x, NULL, addr, 2 << 20, &a), 0);
	cr_assert_eq(fake.calls, 2);
	SENT_NTH(0, 272, "0000: 02000000 00000000 00000000 c0000000",
		 "0010: 00007d00 ffffff42 00000000 00123456",
		 "0020: 00007f00 11223000 00000000 00200000",
		 "0040: 00000000 00000001 0000000c 00000000",
		 "0060: 00000001 00000055 00000000 00000000");
	SENT_NTH(1, 64, ALLOW_1842);
	cr_assert_eq(fake_memory.umem.addr, addr);
	cr_assert_eq(fake_memory.umem.size, 2 << 20);
	cr_assert_eq(fake_memory.umem.access, 7, "atomics are not a right of umems");
	cr_assert_eq(fake_memory.umem.pgsz_bitmap, 0x1000, "the offset in a page is 0x223000");
	is_described(&x.desc, 0x7f0011223000, 2 << 20);
	cr_assert_eq(devx_export_destroy(&x), 0);
	cr_assert_eq(fake.destroyed, 1);
	cr_assert_eq(fake_memory.umems, 0);
	cr_assert_eq(devx_export_destroy(&x), 0, "once more is nothing");
	cr_assert_eq(fake.destroyed, 1);
}

Test(vhca_inboxes_are_these_bytes, export_of_an_mr)
{
	struct ibv_mr mr = { .addr = (void *)(uintptr_t)0x7f0011200000,
			     .length = 4 << 20,
			     .lkey = 0x1234 };
	struct devx_export_attr a = attr();
	struct devx_exported x;

	a.tag = 0;
	a.access = DEVX_EXPORT_READ_WRITE;
	a.log_entity_size = 21;
	cr_assert_eq(devx_export_create_mr(&x, &mr, &a), 0);
	SENT_NTH(0, 336, "0000: 02000000 00000000 00000000 00000000",
		 "0010: 00003f00 ffffff00 00000000 00123456",
		 "0020: 00007f00 11200000 00000000 00400000",
		 "0040: 00000000 00000002 00000015 00000000",
		 "0060: 00000002 00000000 00000000 00000000",
		 "0110: 00000000 00001234 00007f00 11200000",
		 "0120: 00000000 00001234 00007f00 11400000");
	SENT_NTH(1, 64, ALLOW_1842);
	cr_assert_eq(x.desc.mkey, 0x184200);
	cr_assert_eq(x.desc.len, 4 << 20);
	cr_assert_eq(fake_memory.umems, 0, "the MR has the pages");
	cr_assert_eq(devx_export_destroy(&x), 0);
	cr_assert_eq(fake.destroyed, 1);
}

/* mkc.log_entity_size and the number of entries, when the library chooses. */
static void chosen(size_t length, unsigned int log, unsigned int entries)
{
	struct ibv_mr mr = { .addr = (void *)(uintptr_t)0x10000, .length = length };
	struct devx_export_attr a = attr();
	struct devx_exported x;

	fake.calls = 0;
	cr_assert_eq(devx_export_create_mr(&x, &mr, &a), 0);
	cr_assert_eq(fake.command[0].in[0x4b], log, "of %zu bytes: 2^%u", length,
		     fake.command[0].in[0x4b]);
	cr_assert_eq(fake.command[0].in[0x47], entries);
}

Test(vhca_inboxes_are_these_bytes, probe_exports_a_page_of_the_pd)
{
	struct ibv_pd pd = { .context = &(struct ibv_context){ .device = (void *)&pd } };

	cr_assert_eq(devx_export_probe_mr(&pd), 0);
	cr_expect_eq(fake.calls, 2);
	cr_expect_arr_eq(fake.command[0].in + 0x1c, ((uint8_t[]){ 0, 0x12, 0x34, 0x56 }), 4);
	cr_expect_arr_eq(fake.command[0].in + 0x28, ((uint8_t[8]){ [6] = 0x10 }), 8,
			 "its length");
	cr_expect_eq(fake.command[1].in[1], 0x16, "ALLOW_OTHER_VHCA_ACCESS");
	cr_expect_eq(fake.destroyed, 1);
	pd.context->device = NULL;
	cr_expect_eq(devx_export_probe_mr(&pd), EOPNOTSUPP);
	cr_expect_eq(fake.calls, 2);
	cr_expect_eq(fake_memory.mrs, 0);
}

/* getrandom(2): a signal interrupts it before it has anything. */
Test(vhca_inboxes_are_these_bytes, access_keys_are_whole)
{
	uint8_t a[32] = { 0 }, b[32] = { 0 };

	fake_memory.interrupts = 2;
	cr_expect_eq(devx_access_key_create(a), 0);
	cr_expect_eq(devx_access_key_create(b), 0);
	cr_expect(memcmp(a, b, 8) && memcmp(a + 24, b + 24, 8));
	steps.fail_at = 1;
	REFUSES(devx_access_key_create(a), EIO);
}

Test(vhca_inboxes_are_these_bytes, export_of_an_mr_is_one_entry_if_it_fits)
{
	chosen(1, 12, 1);
	chosen(4096, 12, 1);
	chosen(4097, 13, 1);
	chosen((size_t)1 << 31, 31, 1);
	chosen(((size_t)1 << 31) + 1, 31, 2);
	chosen((size_t)5 << 31, 31, 5);
	fake.caps_2[0x10 + 0x80] = 0x40; /* min_mkey_log_entity_size_fixed_buffer_valid */
	fake.caps_2[0x10 + 0x71] = 16;	 /* min_mkey_log_entity_size_fixed_buffer */
	chosen(4096, 16, 1);
}

Test(vhca_inboxes_are_these_bytes, alias)
{
	struct devx_export e = { .vhca_id = 7, .mkey = 0x184242, .len = 1 };
	struct devx_alias alias;

	memcpy(e.access_key, key, 32);
	answer_word(8, 0x99);
	cr_assert_eq(devx_alias_create(&alias, NULL, 0x123456, &e), 0);
	SENT(80, "0000: 0a000000 0000ff01 00000000 80000000",
	     "0010: 00070000 00001842 00000000 00000000",
	     "0020: a0a1a2a3 a4a5a6a7 a8a9aaab acadaeaf",
	     "0030: b0b1b2b3 b4b5b6b7 b8b9babb bcbdbebf",
	     "0040: 00123456 00000000 00000000 00000000");
	cr_assert_eq(fake.out_len, 80, "status is in the context");
	cr_assert_eq(alias.key, 0x9900, "not the exporter's low byte");
	cr_assert_eq(alias.status, 0);
	cr_assert_eq(devx_alias_destroy(&alias), 0);
	cr_assert_eq(fake.destroyed, 1);
}

Test(vhca_inboxes_are_these_bytes, query_of_an_alias)
{
	struct devx_alias alias = { .obj = { .handle = fake_handle(), .id = 0x99 } };
	uint8_t context[64];

	answer_word(0x10, 0x00070002);
	answer_word(0x40, 0x123456);
	cr_assert_eq(devx_alias_query(&alias, context), 0);
	SENT(16, "0000: 0a020000 0000ff01 00000099 80000000");
	cr_assert_eq(fake.out_len, 80);
	cr_assert_eq(PRM_GET(alias_context, context, status), 2);
	cr_assert_eq(PRM_GET(alias_context, context, metadata_1), 0x123456);
}

Test(vhca_inboxes_are_these_bytes, crossing)
{
	struct devx_mkey_attr a = { .pdn = 0x123456,
				    .access = DEVX_EXPORT_READ_WRITE | IBV_ACCESS_REMOTE_ATOMIC,
				    .tag = 0x42 };
	struct devx_mkey mkey;

	cr_assert_eq(devx_mkey_create_crossing(&mkey, NULL, &a, 7, 0x1800), 0);
	SENT(272, "0000: 02000000 00000000 00000000 00000000",
	     "0010: 04007e00 ffffff42 00000000 80123456",
	     "0040: 00070000 00001800 00000000 00000000");
	cr_assert_eq(mkey.key, 0x184242);
}

Test(vhca_inboxes_are_these_bytes, crossing_with_a_length)
{
	struct devx_mkey_attr a = { .pdn = 1, .start_addr = 0x1000, .len = 0x2000 };
	struct devx_mkey mkey;

	cr_assert_eq(devx_mkey_create_crossing(&mkey, NULL, &a, 0xfffe, 0xffffffff), 0);
	SENT(272, "0000: 02000000 00000000 00000000 00000000",
	     "0010: 04000600 ffffff00 00000000 00000001",
	     "0020: 00000000 00001000 00000000 00002000",
	     "0040: fffe0000 ffffffff 00000000 00000000");
}

/* ---- refusals ---- */

static void refused(int err, int expected, const char *line)
{
	char text[256];

	cr_assert_eq(err, expected, "%d instead of %d", err, expected);
	devx_error_str(devx_last_error(), text, sizeof(text));
	cr_assert_str_eq(text, line);
	cr_assert_null(strstr(text, "a0a1"), "the access key");
	cr_assert_eq(fake_memory.umems, 0, "nothing is left");
}

static int export_memory(const struct devx_export_attr *a)
{
	struct devx_exported x;

	return devx_export_create(&x, NULL, (void *)(uintptr_t)0x10000, 4096, a);
}

static int export_mr(const struct devx_export_attr *a)
{
	struct ibv_mr mr = { .addr = (void *)(uintptr_t)0x10000, .length = 4096 };
	struct devx_exported x;

	return devx_export_create_mr(&x, &mr, a);
}

Test(vhca_inboxes_are_these_bytes, exports_that_the_device_does_not_have)
{
	struct devx_export_attr a = attr();

	fake.caps[0x10 + 0x21] = 0;
	refused(export_mr(&a), EOPNOTSUPP,
		"CREATE_MKEY: EOPNOTSUPP: the device has no KSM keys (fixed_buffer_size): export "
		"the memory with devx_export_create");
	fake.caps_2[0x10 + 0x27] = 0xfb;
	refused(export_memory(&a), EOPNOTSUPP,
		"ALLOW_OTHER_VHCA_ACCESS: EOPNOTSUPP: the device lets no other VHCA access its "
		"mkeys: allowed_object_for_other_vhca_access");
	fake.caps_2[0x10 + 0x27] = 4;
	fake.caps[0x10 + 4] = 0;
	refused(export_memory(&a), EOPNOTSUPP,
		"ALLOW_OTHER_VHCA_ACCESS: EOPNOTSUPP: the device lets no other VHCA access its "
		"mkeys: allowed_object_for_other_vhca_access");
	cr_assert_eq(fake.calls, 0);
}

Test(vhca_inboxes_are_these_bytes, exports_with_wrong_attributes)
{
	struct devx_export_attr a = attr();
	struct ibv_mr mr = { .addr = (void *)(uintptr_t)0x10000, .length = 0 };
	struct devx_exported x;

	a.log_entity_size = 11;
	refused(export_mr(&a), EINVAL, "CREATE_MKEY: EINVAL: log_entity_size is not 12 to 31");
	a.log_entity_size = 32;
	refused(export_mr(&a), EINVAL, "CREATE_MKEY: EINVAL: log_entity_size is not 12 to 31");
	a.log_entity_size = 0;
	refused(devx_export_create_mr(&x, &mr, &a), EINVAL,
		"CREATE_MKEY: EINVAL: an MR of length 0");
	mr.length = (size_t)4077 << 12;
	a.log_entity_size = 12;
	refused(devx_export_create_mr(&x, &mr, &a), EINVAL,
		"CREATE_MKEY: EINVAL: the list does not fit an inbox: a larger log_entity_size");
	a.access = IBV_ACCESS_REMOTE_WRITE;
	refused(export_memory(&a), EINVAL,
		"devx_umem_reg: EINVAL: REMOTE_WRITE without LOCAL_WRITE");
	a.access = IBV_ACCESS_MW_BIND;
	refused(export_memory(&a), EINVAL,
		"devx_umem_reg: EINVAL: an access flag that umems do not have");
	cr_assert_eq(fake.calls, 0);
}

Test(vhca_inboxes_are_these_bytes, exports_that_the_firmware_refuses)
{
	struct devx_export_attr a = attr();

	fake.refused = PRM_OP_ALLOW_OTHER_VHCA_ACCESS;
	refused(export_mr(&a), EOPNOTSUPP,
		"ALLOW_OTHER_VHCA_ACCESS: EOPNOTSUPP: this firmware lets other VHCAs access keys "
		"over a umem only, not KSM keys: export the memory with devx_export_create");
	cr_assert_eq(fake.destroyed, 1);
}

static int import(uint32_t pdn, uint64_t guid)
{
	struct devx_export e = { .vhca_id = 7, .mkey = 0x184242, .sys_image_guid = guid };
	struct devx_alias alias;

	memcpy(e.access_key, key, 32);
	return devx_alias_create(&alias, NULL, pdn, &e);
}

Test(vhca_inboxes_are_these_bytes, aliases_that_cannot_be)
{
	refused(import(1, 0xc500000000000004), EXDEV,
		"CREATE_GENERAL_OBJECT: EXDEV: the record is of another adapter: sys_image_guid "
		"differs");
	refused(import(1 << 24, 0), EINVAL,
		"CREATE_GENERAL_OBJECT: EINVAL: pdn has more than 24 bits");
	fake.caps_2[0x10 + 0x1e] = 0xfe;
	refused(import(1, 0), EOPNOTSUPP,
		"CREATE_GENERAL_OBJECT: EOPNOTSUPP: the device makes no aliases of mkeys: "
		"cross_vhca_object_to_object_supported");
	cr_assert_eq(fake.calls, 0);
}

/* SUCCESS, and yet bad: the object goes again. */
Test(vhca_inboxes_are_these_bytes, alias_with_a_status)
{
	answer_word(0x10, 1);
	refused(import(1, 0xc500000000000003), EACCES,
		"CREATE_GENERAL_OBJECT: EACCES: the object of the alias cannot be reached "
		"(alias_context.status is not 0): its owner destroyed it or ended, did not allow it, or "
		"the access key is another one");
	cr_assert_eq(fake.calls, 1);
	cr_assert_eq(fake.destroyed, 1);
}

Test(vhca_inboxes_are_these_bytes, crossing_that_cannot_be)
{
	struct devx_mkey_attr a = { .pdn = 1 };
	struct devx_mkey mkey;

	fake.caps[0x10 + 0xb6] = 0xdf;
	refused(devx_mkey_create_crossing(&mkey, NULL, &a, 7, 1), EOPNOTSUPP,
		"CREATE_MKEY: EOPNOTSUPP: the device has no crossing mkeys (crossing_vhca_mkey)");
	cr_assert_eq(fake.calls, 0);
}
