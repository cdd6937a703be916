/* SPDX-License-Identifier: BSD-2-Clause */
#include "memory.h"

/* Every syndrome that mlx5dv.h names has its own words and its own advice. */
Test(syndromes, have_words)
{
	static const uint8_t known[] = { 0x00, 0x01, 0x02, 0x04, 0x05, 0x06, 0x10,
					 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x22 };
	size_t i, j;

	for (i = 0; i < sizeof(known); i++) {
		cr_assert_null(strstr(dv_syndrome_str(known[i]), "unknown"));
		for (j = 0; j < i; j++) {
			cr_assert_str_neq(dv_syndrome_str(known[i]), dv_syndrome_str(known[j]));
			cr_assert_str_neq(dv_syndrome_hint(known[i]),
					  dv_syndrome_hint(known[j]));
		}
	}
}

Test(syndromes, without_a_name_say_so)
{
	cr_assert_str_eq(dv_syndrome_str(0x99), "unknown syndrome (GENERAL_ERR)");
	cr_assert_not_null(strstr(dv_syndrome_hint(0xff), "vendor syndrome"));
}

/* Two that public sources name, fourteen that public logs show, and that of success. */
Test(syndromes, of_the_vendor_have_words_where_a_source_has_them)
{
	const char *unknown = dv_vendor_syndrome_str(0xff);
	int known = 0;

	for (int i = 0; i < 256; i++) {
		const char *str = dv_vendor_syndrome_str((uint8_t)i);

		cr_assert_not_null(str);
		known += str != unknown;
	}
	cr_assert_eq(known, 17);
	cr_assert_str_eq(dv_vendor_syndrome_str(0x52),
			 "(public logs: local protection of a send)");
	cr_assert_str_eq(dv_vendor_syndrome_str(0x81),
			 "(public logs: transport retries exceeded)");
	cr_assert(strstr(dv_vendor_syndrome_str(0x93), "page fault"));
	cr_assert(strstr(dv_vendor_syndrome_str(0x99), "PSN"));
	cr_assert(strstr(dv_vendor_syndrome_str(0), "no vendor syndrome"));
}
