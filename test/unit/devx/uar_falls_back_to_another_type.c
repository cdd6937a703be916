/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <devx/eq.h>
#include <devx/uar.h>

#include "fake_memory.h"

TestSuite(uar, .init = fake_memory_reset);

static struct devx_uar uar;

/* cmd_hca_cap.bf and log_bf_reg_size: byte 0x4c, bit 7, and byte 0x4d. */
static void registers_of(uint8_t log_size)
{
	fake.caps[0x10 + 0x4c] = 0x80;
	fake.caps[0x10 + 0x4d] = log_size;
}

static void is(enum devx_uar_type type, uint32_t bf_size, bool shared)
{
	cr_assert_eq(uar.type, type);
	cr_assert_eq(uar.bf_size, bf_size);
	cr_assert_eq(uar.shared, shared);
	cr_assert_eq(uar.page_id, FAKE_UAR_PAGE);
	cr_assert_eq(uar.base, fake_page);
	cr_assert_eq(uar.reg, fake_page + 0x800);
	devx_uar_free(&uar);
	devx_uar_free(&uar);
	cr_assert_eq(fake_memory.uars, 0);
}

Test(uar, blue_flame_has_two_halves)
{
	registers_of(9);
	cr_assert_eq(devx_uar_alloc(&uar, NULL, DEVX_UAR_BF), 0);
	is(DEVX_UAR_BF, 256, false);
	cr_assert_eq(devx_uar_alloc(&uar, NULL, DEVX_UAR_ANY), 0);
	is(DEVX_UAR_BF, 256, false);
}

Test(uar, a_device_without_blue_flame_has_doorbells)
{
	fake.caps[0x10 + 0x4d] = 9; /* the size alone */
	cr_assert_eq(devx_uar_alloc(&uar, NULL, DEVX_UAR_BF), 0);
	is(DEVX_UAR_BF, 0, false);
}

Test(uar, not_cached_is_dedicated_where_libmlx5_can)
{
	registers_of(9);
	cr_assert_eq(devx_uar_alloc(&uar, NULL, DEVX_UAR_NC), 0);
	cr_assert_eq(fake_memory.uar_flags, 1u << 31);
	is(DEVX_UAR_NC, 0, false);
	fake_memory.no_dedicated = true;
	cr_assert_eq(devx_uar_alloc(&uar, NULL, DEVX_UAR_NC), 0);
	cr_assert_eq(fake_memory.uar_flags, MLX5DV_UAR_ALLOC_TYPE_NC);
	is(DEVX_UAR_NC, 0, true);
}

Test(uar, any_falls_back_and_bf_does_not)
{
	char line[128];

	fake_memory.no_bf = true;
	cr_assert_eq(devx_uar_alloc(&uar, NULL, DEVX_UAR_ANY), 0);
	is(DEVX_UAR_NC, 0, false);
	cr_assert_eq(devx_uar_alloc(&uar, NULL, DEVX_UAR_BF), EOPNOTSUPP);
	cr_assert_str_eq(
		devx_error_str(devx_last_error(), line, sizeof(line)),
		"devx_uar_alloc: kernel: EOPNOTSUPP: no write-combining memory here: ask "
		"for DEVX_UAR_NC");
}

Test(uar, exhaustion_is_no_reason_to_fall_back)
{
	char line[128];

	fake.err = ENOMEM;
	cr_assert_eq(devx_uar_alloc(&uar, NULL, DEVX_UAR_NC), ENOMEM);
	cr_assert_eq(devx_uar_alloc(&uar, NULL, DEVX_UAR_ANY), ENOMEM);
	cr_assert_eq(fake_memory.uars_asked, 2, "once for each");
	cr_assert_eq(fake_memory.uar_flags, MLX5DV_UAR_ALLOC_TYPE_BF);
	cr_assert_str_eq(devx_error_str(devx_last_error(), line, sizeof(line)),
			 "devx_uar_alloc: kernel: ENOMEM: the function has run out of UARs: "
			 "mlxconfig NUM_UARS, or fewer contexts");
}

Test(uar, eq_numbers_are_per_vector)
{
	char line[128];
	uint32_t eqn;

	cr_assert_eq(devx_eqn_query(&eqn, NULL, 3), 0);
	cr_assert_eq(eqn, 10);
	fake.err = ENOENT;
	cr_assert_eq(devx_eqn_query(&eqn, NULL, 3), ENOENT);
	cr_assert_str_eq(devx_error_str(devx_last_error(), line, sizeof(line)),
			 "devx_eqn_query: kernel: ENOENT: no such completion vector: below "
			 "ibv_context.num_comp_vectors");
}
