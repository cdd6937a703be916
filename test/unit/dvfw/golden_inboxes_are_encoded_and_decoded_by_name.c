/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Five inboxes of which the bytes are known from public encoders (UCX, DPDK, mlx5ctl): the
 * text gives the bytes, and no set bit of the bytes is without a name.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/base.h"
#include "box/box.h"
#include "names/names.h"

#define KEY_DIGITS "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf"
#define ALL_RIGHTS "rw=1", "rr=1", "lw=1", "lr=1"

struct golden {
	const char *command;
	size_t bytes;
	const char *dump; /* rows of zeros left out */
	const char *words[20];
};

static const struct golden goldens[] = {
	{ "CREATE_MKEY",
	  272,
	  "0000: 02000000 00000000 00000000 c0000000 "
	  "0010: 00007d00 ffffff42 00000000 00123456 "
	  "0020: 00007f00 11223000 00000000 00200000 "
	  "0040: 00000000 00000000 0000000c 00000000 "
	  "0060: 00000001 00000055 00000000 00000000",
	  { "pg_access=1", "mkey_umem_valid=1", "a=1", ALL_RIGHTS, "access_mode_1_0=MTT",
	    "qpn=0xffffff", "mkey_7_0=0x42", "pd=0x123456", "start_addr=0x7f0011223000",
	    "len=0x200000", "log_entity_size=12", "translations_octword_actual_size=1",
	    "mkey_umem_id=0x55" } },
	{ "CREATE_MKEY",
	  304,
	  "0000: 02000000 00000000 00000000 00000000 "
	  "0010: 00003f00 ffffff00 00000000 00123456 "
	  "0020: 00007f00 11200000 00000000 00400000 "
	  "0040: 00000000 00000002 00000015 00000000 "
	  "0060: 00000002 00000000 00000000 00000000 "
	  "0110: 00000000 00001234 00007f00 11200000 "
	  "0120: 00000000 00001234 00007f00 11400000",
	  { ALL_RIGHTS, "access_mode_1_0=KSM", "qpn=0xffffff", "pd=0x123456",
	    "start_addr=0x7f0011200000", "len=0x400000", "translations_octword_size=2",
	    "log_entity_size=21", "translations_octword_actual_size=2", "klms[0].mkey=0x1234",
	    "klms[0].address=0x7f0011200000", "klms[1].mkey=0x1234",
	    "klms[1].address=0x7f0011400000" } },
	{ "CREATE_MKEY",
	  272,
	  "0000: 02000000 00000000 00000000 00000000 "
	  "0010: 04007e00 ffffff42 00000000 80123456 "
	  "0040: 00070000 00001800 00000000 00000000",
	  { "a=1", ALL_RIGHTS, "access_mode_4_2=1", "access_mode_1_0=2", "qpn=0xffffff",
	    "mkey_7_0=0x42", "length64=1", "pd=0x123456", "crossing_target_vhca_id=7",
	    "crossing_target_mkey=0x1800" } },
	{ "ALLOW_OTHER_VHCA_ACCESS",
	  64,
	  "0000: 0b160000 00000000 00000000 00000000 "
	  "0010: 0000ff01 00001842 00000000 00000000 "
	  "0020:" KEY_DIGITS,
	  { "object_type_to_be_accessed=MKEY", "object_id_to_be_accessed=0x1842",
	    "access_key_raw=" KEY_DIGITS } },
	{ "CREATE_GENERAL_OBJECT",
	  80,
	  "0000: 0a000000 0000ff01 00000000 80000000 "
	  "0010: 00070000 00001842 00000000 00000000 "
	  "0020:" KEY_DIGITS " 0040: 00123456 00000000 00000000 00000000",
	  { "obj_type=MKEY", "alias_object=1", "vhca_id_to_be_accessed=7",
	    "object_id_to_be_accessed=0x1842", "access_key_raw=0x" KEY_DIGITS,
	    "metadata_1=0x123456" } },
};
#define GOLDENS (sizeof(goldens) / sizeof(goldens[0]))

static struct box encoded;
static uint8_t wanted[BOX_BYTES], left[BOX_BYTES];

static void read_wanted(const struct golden *g)
{
	size_t n;

	cr_assert(dump_parse(g->dump, strlen(g->dump), wanted, sizeof(wanted), &n, NULL));
	cr_assert_leq(n, g->bytes);
}

Test(dvfw_golden, text_gives_the_bytes)
{
	char why[WHY_BYTES] = "";

	for (size_t i = 0; i < GOLDENS; i++) {
		const struct golden *g = &goldens[i];
		const struct prm_cmd *cmd = cmd_find(g->command);

		read_wanted(g);
		box_begin(&encoded, cmd->in, cmd);
		for (const char *const *w = g->words; *w; w++)
			cr_assert(encode_field(&encoded, *w, why), "%zu: %s", i, why);
		cr_expect_eq(encoded.len, g->bytes, "%zu: %zu bytes", i, encoded.len);
		cr_expect_arr_eq(encoded.bytes, wanted, g->bytes, "%zu", i);
	}
}

Test(dvfw_golden, every_set_bit_has_a_name)
{
	for (size_t i = 0; i < GOLDENS; i++) {
		const struct prm_cmd *cmd = cmd_find(goldens[i].command);
		struct shown m = { .s = cmd->in, .p = wanted, .len = goldens[i].bytes };

		read_wanted(&goldens[i]);
		cr_expect_not(message_unknown(&m, left), "%zu", i);
	}
}

Test(dvfw_golden, a_bit_without_a_name_is_reported)
{
	const struct prm_cmd *cmd = cmd_find("CREATE_MKEY");
	struct shown m = { .s = cmd->in, .p = wanted, .len = goldens[0].bytes };

	read_wanted(&goldens[0]);
	wanted[0x0c] |= 0x08; /* dw3[27] */
	cr_assert(message_unknown(&m, left));
	cr_expect_eq(left[0x0c], 0x08);
	left[0x0c] = 0;
	for (size_t i = 0; i < m.len; i++)
		cr_expect_eq(left[i], 0, "%zu", i);
}
