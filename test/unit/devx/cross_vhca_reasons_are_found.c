/* SPDX-License-Identifier: BSD-2-Clause */
/* Each reason and each note of devx_cross_vhca_check(), provoked alone, on the side where it
 * belongs. */
#include <errno.h>
#include <string.h>
#include <criterion/criterion.h>
#include <devx/cross_vhca.h>

static struct devx_vhca_caps host, dpu;
static struct devx_cross_vhca answer;

/* Two functions of a BlueField-3, with all that is needed. */
static void start(void)
{
	struct devx_vhca_caps good = { .sys_image_guid = 0xc503000003c503c5,
				       .allowed_object_for_other_vhca_access = 0x4,
				       .max_wr_memcpy_length = 1ull << 31,
				       .cross_vhca_object_to_object_supported = 0x100,
				       .vendor_part_id = 0xa2dc,
				       .vhca_id = 1,
				       .hca_cap_2 = 1,
				       .dma_mmo_qp = 1,
				       .dma_mmo_sq = 1,
				       .log_max_umem = 18,
				       .log_max_uctx = 12,
				       .fixed_buffer_size = 1,
				       .port_state = IBV_PORT_ACTIVE,
				       .link_layer = IBV_LINK_LAYER_ETHERNET,
				       .has_gid = 1,
				       .fw_ver = "32.39.2048" };

	host = dpu = good;
	dpu.vhca_id = 2;
}

TestSuite(cross_vhca, .init = start);

static int check(void)
{
	return devx_cross_vhca_check(&answer, &host, &dpu);
}

/* One finding, and what it is. */
static void only(enum devx_cross_vhca_reason reason, enum devx_cross_vhca_side side,
		 const char *word)
{
	int err = check();

	cr_assert_eq(err, reason < DEVX_CROSS_VHCA_NOTES ? EOPNOTSUPP : 0);
	cr_assert_eq(answer.n, 1, "%u findings, the first is %s", answer.n,
		     answer.n ? answer.finding[0].text : "none");
	cr_assert_eq(answer.finding[0].reason, reason, "%s", answer.finding[0].text);
	cr_assert_eq(answer.finding[0].side, side);
	cr_assert_not_null(strstr(answer.finding[0].text, word), "%s", answer.finding[0].text);
	start();
}

Test(cross_vhca, nothing)
{
	cr_assert_eq(check(), 0);
	cr_assert_eq(answer.n, 0);
}

Test(cross_vhca, either_side)
{
	host.log_max_uctx = 0;
	only(DEVX_CROSS_VHCA_NO_DEVX, DEVX_EXPORTER, "log_max_uctx");
	dpu.log_max_uctx = 0;
	only(DEVX_CROSS_VHCA_NO_DEVX, DEVX_IMPORTER, "log_max_uctx");
	host.hca_cap_2 = 0;
	only(DEVX_CROSS_VHCA_NO_GENERAL_2, DEVX_EXPORTER, "hca_cap_2");
	dpu.hca_cap_2 = 0;
	only(DEVX_CROSS_VHCA_NO_GENERAL_2, DEVX_IMPORTER, "hca_cap_2");
	/* Without the group its words are 0: no finding for each. */
	host.hca_cap_2 = 0;
	host.cross_vhca_object_to_object_supported = 0;
	host.allowed_object_for_other_vhca_access = 0;
	only(DEVX_CROSS_VHCA_NO_GENERAL_2, DEVX_EXPORTER, "hca_cap_2");
	host.sys_image_guid = 0;
	only(DEVX_CROSS_VHCA_UNKNOWN_ADAPTER, DEVX_EXPORTER, "sys_image_guid");
	dpu.sys_image_guid = 0;
	only(DEVX_CROSS_VHCA_UNKNOWN_ADAPTER, DEVX_IMPORTER, "sys_image_guid");
}

Test(cross_vhca, exporter)
{
	host.log_max_umem = 0;
	only(DEVX_CROSS_VHCA_NO_UMEM, DEVX_EXPORTER, "log_max_umem");
	host.allowed_object_for_other_vhca_access = 0xfffffffffffffffb;
	only(DEVX_CROSS_VHCA_NOT_ALLOWED, DEVX_EXPORTER,
	     "allowed_object_for_other_vhca_access");
	host.fixed_buffer_size = 0;
	only(DEVX_CROSS_VHCA_NO_KSM, DEVX_EXPORTER, "fixed_buffer_size");
	host.vendor_part_id = 0xa2d6;
	only(DEVX_CROSS_VHCA_UMEM_ONLY, DEVX_EXPORTER, "BlueField-2");
	host.cross_vhca_object_to_object_supported = 0;
	only(DEVX_CROSS_VHCA_ONE_WORD, DEVX_EXPORTER, "both words");
}

Test(cross_vhca, importer)
{
	dpu.cross_vhca_object_to_object_supported = 0xfffffeff;
	only(DEVX_CROSS_VHCA_NO_ALIAS, DEVX_IMPORTER, "cross_vhca_object_to_object_supported");
	dpu.dma_mmo_qp = dpu.dma_mmo_sq = 0;
	only(DEVX_CROSS_VHCA_NO_MMO_DMA, DEVX_IMPORTER, "dma_mmo_qp");
	dpu.max_wr_memcpy_length = 0;
	only(DEVX_CROSS_VHCA_NO_MEMCPY, DEVX_IMPORTER, "max_wr_memcpy_length");
	dpu.port_state = IBV_PORT_DOWN;
	only(DEVX_CROSS_VHCA_PORT_DOWN, DEVX_IMPORTER, "not active");
	dpu.has_gid = 0;
	only(DEVX_CROSS_VHCA_NO_GID, DEVX_IMPORTER, "no GID");
	dpu.allowed_object_for_other_vhca_access = 0;
	only(DEVX_CROSS_VHCA_ONE_WORD, DEVX_IMPORTER, "both words");
	dpu.log_dma_mmo_max_size = 15;
	only(DEVX_CROSS_VHCA_SMALL_COPIES, DEVX_IMPORTER, "log_dma_mmo_max_size");
}

Test(cross_vhca, both)
{
	dpu.sys_image_guid++;
	only(DEVX_CROSS_VHCA_OTHER_ADAPTER, DEVX_BOTH_SIDES, "different adapters");
	dpu.vhca_id = host.vhca_id;
	only(DEVX_CROSS_VHCA_SAME_VHCA, DEVX_BOTH_SIDES, "vhca_id");
	strcpy(dpu.fw_ver, "32.40.1000");
	only(DEVX_CROSS_VHCA_FIRMWARE_DIFFERS, DEVX_BOTH_SIDES, "versions of the firmware");
}

static void firmware(const char *version, bool old)
{
	start();
	strcpy(host.fw_ver, version);
	strcpy(dpu.fw_ver, version);
	cr_assert_eq(check(), 0);
	cr_assert_eq(answer.n, old, "%s", version);
	if (old)
		cr_assert_eq(answer.finding[0].reason, DEVX_CROSS_VHCA_OLD_FIRMWARE);
}

Test(cross_vhca, firmware)
{
	firmware("24.33.0099", true);
	firmware("24.32.1010", true);
	firmware("24.33.0100", false);
	firmware("24.39.2048", false);
	firmware("32.32.1000", false);
	firmware("", false);
	firmware("unknown", false);
}

/* Differences without effect: the exporter copies nothing, on InfiniBand a LID is enough, two
 * firmwares of two adapters. */
Test(cross_vhca, no_reason)
{
	host.dma_mmo_qp = host.dma_mmo_sq = host.has_gid = host.port_state = 0;
	host.max_wr_memcpy_length = 0;
	dpu.log_max_umem = dpu.fixed_buffer_size = 0;
	dpu.dma_mmo_sq = dpu.has_gid = 0;
	dpu.link_layer = IBV_LINK_LAYER_INFINIBAND;
	cr_assert_eq(check(), 0);
	cr_assert_eq(answer.n, 0);
}

/* Two ConnectX: reasons come before notes, and everything has a name. */
Test(cross_vhca, many)
{
	struct devx_vhca_caps none = { 0 };
	const char *name;

	host = dpu = none;
	cr_assert_eq(check(), EOPNOTSUPP);
	cr_assert_geq(answer.n, 8);
	for (unsigned int i = 0; i < answer.n; i++) {
		cr_assert_not_null(devx_cross_vhca_side_str(answer.finding[i].side));
		cr_assert(!i || answer.finding[i].reason >= answer.finding[i - 1].reason);
	}
	for (int r = 0; r < DEVX_CROSS_VHCA_REASONS; r++) {
		name = devx_cross_vhca_reason_str((enum devx_cross_vhca_reason)r);
		cr_assert_not_null(name);
		for (int other = 0; other < r; other++)
			cr_assert_str_neq(name, devx_cross_vhca_reason_str(
							(enum devx_cross_vhca_reason)other));
	}
	cr_assert_null(devx_cross_vhca_reason_str(DEVX_CROSS_VHCA_REASONS));
	cr_assert_null(devx_cross_vhca_side_str((enum devx_cross_vhca_side)3));
}
