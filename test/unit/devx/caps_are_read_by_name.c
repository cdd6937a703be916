/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <devx/caps.h>

#include "fake_memory.h"

TestSuite(caps, .init = fake_memory_reset);

Test(caps, the_macro_reads_the_layout_of_the_group)
{
	static uint8_t caps[DEVX_CAPS_BYTES];

	fake.caps[0x10 + 0x13] = 0x12; /* cmd_hca_cap.log_max_qp: byte 0x13, 5 bits */
	cr_assert_eq(devx_caps_query(caps, NULL, PRM_CAP_GENERAL, PRM_CAP_CUR), 0);
	cr_assert_eq(DEVX_CAP(GENERAL, caps, log_max_qp), 0x12);
	fake.caps[0x10 + 0x1f] = 0x80; /* roce_cap.roce_address_table_size: bytes 0x1e, 0x1f */
	cr_assert_eq(devx_caps_query(caps, NULL, PRM_CAP_ROCE, PRM_CAP_MAX), 0);
	cr_assert_eq(DEVX_CAP(ROCE, caps, roce_address_table_size), 0x80);
}

/* DEVX_CAP and the tables must mean the same layout for every group that has one. */
#define TEXT_OF(s) #s
#define TEXT(s)	   TEXT_OF(s)
static const struct {
	uint16_t group;
	const char *in_header, *in_table;
} groups[] = {
#define PRM_CAP_GROUP(name, s) { PRM_CAP_##name, TEXT(DEVX_CAP_##name), #s },
#include "prm/cap_group.def"
};

Test(caps, at_run_time_the_group_has_the_same_layout)
{
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		cr_assert_str_eq(groups[i].in_header, groups[i].in_table);
		cr_assert_eq(devx_caps_struct(groups[i].group), prm_struct(groups[i].in_table),
			     "%s", groups[i].in_table);
	}
	cr_assert_null(devx_caps_struct(0x7e));
}

Test(caps, groups_with_a_name_come_in_order)
{
	const char *text;
	int last = -1, n = 0;

	for (int g = devx_caps_group_next(-1); g >= 0; g = devx_caps_group_next(g), n++) {
		cr_assert_gt(g, last);
		cr_assert_not_null(prm_value_name("CAP", (uint64_t)g, &text));
		last = g;
	}
	cr_assert_geq(last, PRM_CAP_TLP_EMULATION);
	cr_assert_geq(n, 29);
}
