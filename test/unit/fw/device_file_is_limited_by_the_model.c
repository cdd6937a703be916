/* SPDX-License-Identifier: BSD-2-Clause */
/* Claims of --device FILE: fewer and less is kept, more is reported and left out. */
#include <stdio.h>

#include "device.h"

static struct fw_image img;
static char said[4096];

static void note(void *to, uint32_t group, const char *path, uint64_t claimed, uint64_t kept)
{
	size_t at = strlen(said);

	cr_assert_eq(to, &img);
	snprintf(said + at, sizeof(said) - at, "%x %s %llu->%llu\n", group, path,
		 (unsigned long long)claimed, (unsigned long long)kept);
}

static uint8_t *group(uint32_t g, bool current)
{
	size_t at;

	cr_assert_not_null(fw_cap_group(g, &at));
	img.groups |= 1ull << g;
	return img.bytes[!current] + at;
}

/* An image that claims just what cx5 has. */
static void begin(void)
{
	setup();
	memset(&img, 0, sizeof(img));
	memcpy(img.magic, FW_IMAGE_MAGIC, sizeof(img.magic));
	img.pci_id = 0x1017;
	strcpy(img.name, "mlx5_0");
	strcpy(img.fw_ver, "16.35.2000");
	strcpy(img.board_id, "ABC0000000001");
	img.groups = hca.cap_groups;
	memcpy(img.bytes, hca.cap_bytes, sizeof(img.bytes));
	*said = 0;
}

TestSuite(dumps, .init = begin, .fini = teardown);

Test(dumps, what_the_model_has_stays)
{
	struct fw_image before = img;

	fw_image_bound(&img, note, &img);
	cr_assert_str_empty(said);
	cr_assert_arr_eq(img.bytes, before.bytes, sizeof(img.bytes));
}

Test(dumps, less_is_taken)
{
	uint8_t *gen = group(PRM_CAP_GENERAL, true);

	SET(cmd_hca_cap, gen, F(log_max_qp, 10), F(xrc, 0), F(device_frequency_khz, 1000000));
	PRM_SET(atomic_caps, group(PRM_CAP_ATOMIC, true), atomic_operations, 1);
	fw_image_bound(&img, note, &img);
	cr_assert_str_empty(said);
	cr_assert_eq(PRM_GET(cmd_hca_cap, gen, log_max_qp), 10);
	cr_assert_eq(PRM_GET(cmd_hca_cap, gen, xrc), 0);
	cr_assert_eq(PRM_GET(cmd_hca_cap, gen, device_frequency_khz), 1000000);
	cr_assert_eq(PRM_GET(atomic_caps, group(PRM_CAP_ATOMIC, true), atomic_operations), 1);
}

Test(dumps, more_is_reported_and_left_out)
{
	uint8_t *gen = group(PRM_CAP_GENERAL, true), *atomic = group(PRM_CAP_ATOMIC, true);
	uint8_t *odp = group(PRM_CAP_ODP, true);

	PRM_SET(cmd_hca_cap, gen, log_max_qp, 24);
	PRM_SET(cmd_hca_cap, gen, port_type, 0); /* InfiniBand */
	PRM_SET(cmd_hca_cap, gen, eswitch_manager, 1);
	PRM_SET(atomic_caps, atomic, atomic_operations, 0x8001);
	/* by hand: RC is at byte 0x10, atomic is its bit 27 */
	odp[0x10] |= 0x08;
	fw_image_bound(&img, note, &img);
	cr_assert_not_null(strstr(said, "0 log_max_qp 24->15\n"), "%s", said);
	cr_assert_not_null(strstr(said, "0 port_type 0->1\n"), "%s", said);
	cr_assert_not_null(strstr(said, "0 eswitch_manager 1->0\n"), "%s", said);
	cr_assert_not_null(strstr(said, "3 atomic_operations 32769->1\n"), "%s", said);
	cr_assert_not_null(strstr(said, "2 transport_page_fault_scheme_cap.rc_odp_caps.atomic "
					"1->0\n"),
			   "%s", said);
	cr_assert_eq(odp[0x10], 0xf4);
	cr_assert_eq(PRM_GET(cmd_hca_cap, gen, log_max_qp), 15);
	cr_assert_eq(PRM_GET(cmd_hca_cap, gen, port_type), 1);
	cr_assert_eq(PRM_GET(cmd_hca_cap, gen, eswitch_manager), 0);
	cr_assert_eq(PRM_GET(atomic_caps, atomic, atomic_operations), 1);
}

Test(dumps, groups_of_which_nothing_is_executed_are_empty)
{
	uint8_t *table = group(PRM_CAP_ESWITCH, true);

	memset(table, 0xff, 0x100);
	fw_image_bound(&img, note, &img);
	for (size_t i = 0; i < 0x100; i++)
		cr_assert_eq(table[i], 0);
	cr_assert_not_null(strstr(said, "9 vport_svlan_strip 1->0\n"), "%.300s", said);
}

Test(dumps, a_device_is_made_of_one)
{
	struct fw_device kind = fw_image_device(&img);

	cr_assert_str_eq(kind.name, "mlx5_0");
	cr_assert_eq(kind.pci_id, 0x1017);
	PRM_SET(cmd_hca_cap, group(PRM_CAP_GENERAL, true), log_max_qp, 10);
	PRM_SET(cmd_hca_cap, group(PRM_CAP_GENERAL, false), log_max_qp, 12);
	img.groups &= ~(1ull << PRM_CAP_ODP);
	fw_init_image(&hca, &img);
	for (uint32_t current = 0; current < 2; current++) {
		BOX_OK(CMD(QUERY_HCA_CAP, F(op_mod, PRM_CAP_GENERAL << 1 | current)));
		cr_assert_eq(PRM_GET(cmd_hca_cap,
				     PRM_ADDR(query_hca_cap_out, b.out, capability),
				     log_max_qp),
			     current ? 10 : 12);
	}
	cr_assert_eq(fw_cap(&hca, "cmd_hca_cap", "vhca_id"), 5);
	CMD(QUERY_HCA_CAP, F(op_mod, PRM_CAP_ODP << 1));
	cr_assert_eq(execute(), FW_BAD_PARAM);
	cr_assert_str_eq(hca.board_id, "ABC0000000001");
}

Test(dumps, announced_groups_must_be_there)
{
	uint32_t missing = 0;

	cr_assert(fw_image_complete(&img, &missing));
	img.groups &= ~(1ull << PRM_CAP_ROCE);
	cr_assert_not(fw_image_complete(&img, &missing));
	cr_assert_eq(missing, PRM_CAP_ROCE);
	PRM_SET(cmd_hca_cap, group(PRM_CAP_GENERAL, true), roce, 0);
	cr_assert(fw_image_complete(&img, &missing));
	img.groups &= ~(1ull << PRM_CAP_GENERAL);
	cr_assert_not(fw_image_complete(&img, &missing));
	cr_assert_eq(missing, PRM_CAP_GENERAL);
}
