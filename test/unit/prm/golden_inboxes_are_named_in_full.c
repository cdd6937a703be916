/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inboxes as other encoders make them, written here as bytes: each decodes to the line that is
 * expected, no set bit is without a name, and the line's fields encode to the same bytes. They
 * are those with which one VHCA lends memory to another: keys, ALLOW_OTHER_VHCA_ACCESS, alias.
 */
#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "prm/prm.h"
#include "prm/table.h"

#define MAX 512

/* Lines "offset: dwords"; what is not written is zero. */
static void read_dump(uint8_t *p, const char *dump)
{
	unsigned int at = 0;
	char *end;

	memset(p, 0, MAX);
	for (; *dump; dump = end) {
		uint32_t v = strtoul(dump, &end, 16);

		cr_assert_neq(end, dump, "%s", dump);
		if (*end == ':') {
			at = v;
			end++;
			continue;
		}
		prm_store(p, at * 8, 32, v);
		at += 4;
	}
}

/* Sets the field of one "path=0x12(NAME)", or the bytes of one "path=0xa0a1…". */
static void encode_item(const struct prm_struct *s, uint8_t *p, size_t len, char *item)
{
	char *value = strchr(item, '='), path[128];
	struct prm_pos pos;

	cr_assert_not_null(value, "%s", item);
	*value = '\0';
	value += 3;
	cr_assert(prm_find(s, item, &pos), "%s", item);
	if (!pos.field->bytes) {
		cr_assert(prm_set(s, p, len, item, strtoull(value, NULL, 16)), "%s", item);
		return;
	}
	for (unsigned int i = 0; isxdigit((unsigned char)value[2 * i]); i++) {
		unsigned int v;

		sscanf(value + 2 * i, "%2x", &v);
		snprintf(path, sizeof(path), "%s[%u]", item, i);
		cr_assert(prm_set(s, p, len, path, v), "%s", path);
	}
}

static void check(const char *dump, size_t len, const char *want)
{
	uint8_t in[MAX], again[MAX] = { 0 };
	char line[2048], *rest = line;
	size_t bit;

	read_dump(in, dump);

	const struct prm_struct *s = prm_cmd(PRM_GET(mbox_in, in, opcode))->in;
	cr_expect_not(prm_unnamed(s, in, len, &bit), "bit 0x%zx has no name", bit);
	prm_format(line, sizeof(line), s, in, len, PRM_LINE);
	cr_expect_str_eq(line, want);

	for (char *item; (item = strtok_r(rest, " ", &rest));)
		encode_item(s, again, len, item);
	cr_expect_arr_eq(again, in, len);
}

Test(golden_inboxes_are_named_in_full, create_mkey_over_a_umem)
{
	check("00: 02000000 00000000 00000000 c0000000"
	      " 10: 00007d00 ffffff42 00000000 00123456"
	      " 20: 00007f00 11223000 00000000 00200000"
	      " 40: 00000000 00000000 0000000c 00000000"
	      " 60: 00000001 00000055 00000000 00000000",
	      272,
	      "opcode=0x200(CREATE_MKEY) pg_access=0x1 mkey_umem_valid=0x1 "
	      "memory_key_mkey_entry.a=0x1 memory_key_mkey_entry.rw=0x1 "
	      "memory_key_mkey_entry.rr=0x1 memory_key_mkey_entry.lw=0x1 "
	      "memory_key_mkey_entry.lr=0x1 memory_key_mkey_entry.access_mode_1_0=0x1(MTT) "
	      "memory_key_mkey_entry.qpn=0xffffff memory_key_mkey_entry.mkey_7_0=0x42 "
	      "memory_key_mkey_entry.pd=0x123456 "
	      "memory_key_mkey_entry.start_addr=0x7f0011223000 "
	      "memory_key_mkey_entry.len=0x200000 memory_key_mkey_entry.log_page_size=0xc "
	      "translations_octword_actual_size=0x1 mkey_umem_id=0x55");
}

Test(golden_inboxes_are_named_in_full, create_mkey_of_two_keys_of_one_size)
{
	check("00: 02000000 00000000 00000000 00000000"
	      " 10: 00003f00 ffffff00 00000000 00123456"
	      " 20: 00007f00 11200000 00000000 00400000"
	      " 40: 00000000 00000002 00000015 00000000"
	      " 60: 00000002 00000000 00000000 00000000"
	      " 110: 00000000 00001234 00007f00 11200000"
	      " 120: 00000000 00001234 00007f00 11400000",
	      336,
	      "opcode=0x200(CREATE_MKEY) memory_key_mkey_entry.rw=0x1 "
	      "memory_key_mkey_entry.rr=0x1 memory_key_mkey_entry.lw=0x1 "
	      "memory_key_mkey_entry.lr=0x1 memory_key_mkey_entry.access_mode_1_0=0x3(KSM) "
	      "memory_key_mkey_entry.qpn=0xffffff memory_key_mkey_entry.pd=0x123456 "
	      "memory_key_mkey_entry.start_addr=0x7f0011200000 "
	      "memory_key_mkey_entry.len=0x400000 "
	      "memory_key_mkey_entry.translations_octword_size=0x2 "
	      "memory_key_mkey_entry.log_entity_size=0x15 "
	      "translations_octword_actual_size=0x2 klms[0].mkey=0x1234 "
	      "klms[0].address=0x7f0011200000 klms[1].mkey=0x1234 "
	      "klms[1].address=0x7f0011400000");
}

Test(golden_inboxes_are_named_in_full, create_mkey_that_crosses)
{
	check("00: 02000000 00000000 00000000 00000000"
	      " 10: 04007e00 ffffff42 00000000 80123456"
	      " 40: 00070000 00001800 00000000 00000000",
	      272,
	      "opcode=0x200(CREATE_MKEY) memory_key_mkey_entry.access_mode_4_2=0x1 "
	      "memory_key_mkey_entry.a=0x1 memory_key_mkey_entry.rw=0x1 "
	      "memory_key_mkey_entry.rr=0x1 memory_key_mkey_entry.lw=0x1 "
	      "memory_key_mkey_entry.lr=0x1 memory_key_mkey_entry.access_mode_1_0=0x2(CROSSING) "
	      "memory_key_mkey_entry.qpn=0xffffff memory_key_mkey_entry.mkey_7_0=0x42 "
	      "memory_key_mkey_entry.length64=0x1 memory_key_mkey_entry.pd=0x123456 "
	      "memory_key_mkey_entry.crossing_target_vhca_id=0x7 "
	      "memory_key_mkey_entry.crossing_target_mkey=0x1800");
}

Test(golden_inboxes_are_named_in_full, allow_other_vhca_access)
{
	check("00: 0b160000 00000000 00000000 00000000"
	      " 10: 0000ff01 00001842 00000000 00000000"
	      " 20: a0a1a2a3 a4a5a6a7 a8a9aaab acadaeaf"
	      " 30: b0b1b2b3 b4b5b6b7 b8b9babb bcbdbebf",
	      64,
	      "opcode=0xb16(ALLOW_OTHER_VHCA_ACCESS) object_type_to_be_accessed=0xff01(MKEY) "
	      "object_id_to_be_accessed=0x1842 access_key_raw="
	      "0xa0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf");
}

Test(golden_inboxes_are_named_in_full, create_alias_object)
{
	check("00: 0a000000 0000ff01 00000000 80000000"
	      " 10: 00070000 00001842 00000000 00000000"
	      " 20: a0a1a2a3 a4a5a6a7 a8a9aaab acadaeaf"
	      " 30: b0b1b2b3 b4b5b6b7 b8b9babb bcbdbebf"
	      " 40: 00123456 00000000 00000000 00000000",
	      80,
	      "opcode=0xa00(CREATE_GENERAL_OBJECT) obj_type=0xff01(MKEY) alias_object=0x1 "
	      "object.alias_context.vhca_id_to_be_accessed=0x7 "
	      "object.alias_context.object_id_to_be_accessed=0x1842 "
	      "object.alias_context.access_key_raw="
	      "0xa0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf "
	      "object.alias_context.metadata_1=0x123456");
}
