/* SPDX-License-Identifier: BSD-2-Clause */
/* Other processes see which groups a function has; the size of its BAR does not change. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>

#include "hca/hca.h"

#define GROUPS 256 /* more than there are buckets */

static struct hca hca;

static void setup(void)
{
	cr_assert_eq(hca_init(&hca, 3), 0);
}

static void teardown(void)
{
	hca_fini(&hca);
}

TestSuite(published, .init = setup, .fini = teardown);

Test(published, groups)
{
	struct hca_mcg m = { .gid = { 0xff, 0x0e } };
	uint8_t other[16] = { 0xff, 0x0e };

	hca.vhcas = calloc(256, sizeof(*hca.vhcas));
	for (unsigned int i = 0; i < GROUPS; i++) {
		m.gid[15] = (uint8_t)i;
		core_list_add(hca_mcg_bucket(&hca, m.gid), &m.in_bucket);
		hca_mcg_publish(&hca, m.gid);
		for (unsigned int j = 0; j < GROUPS; j++) {
			other[15] = (uint8_t)j;
			cr_assert_eq(hca_mcg_published(&hca.vhcas[3], other),
				     hca_mcg_bucket(&hca, other) == hca_mcg_bucket(&hca, m.gid),
				     "%u has %u", i, j);
		}
		core_list_del(&m.in_bucket);
		hca_mcg_publish(&hca, m.gid);
	}
	free(hca.vhcas);
	hca.vhcas = NULL;
}

Test(published, bar_has_its_size_for_good)
{
	cr_expect_eq(fcntl(hca.bar_fd, F_GET_SEALS), F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}
