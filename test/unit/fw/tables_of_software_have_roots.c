/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * software_tables: tables whose entries software writes into ICM, the ICM addresses of what
 * such entries lead to, and samplers.
 */
#include "flow.h"
#include "objects.h"

DEVICE_SUITE(software_tables);

#define SW_OWNER 0x20 /* at 0x18; sw_owner_icm_root_0: 0x38 … 0x3f */

static uint64_t get64(const uint8_t *p)
{
	return (uint64_t)core_be32(p) << 32 | core_be32(p + 4);
}

static void owned_box(uint8_t type, uint32_t root)
{
	table_box(type, 0, 127);
	b.in[0x18] = SW_OWNER;
	put32(0x3c, root);
}

Test(software_tables, have_no_groups)
{
	uint32_t t;

	BOX_OK(owned_box(RX, 0x1000));
	t = id24();
	BAD_PARAM(group_box(RX, t, 0, 0, 0, NULL), WHY_UNSUPPORTED);
	BOX_OK(on_table(PRM_OP_QUERY_FLOW_TABLE, RX, t));
	cr_assert_eq(b.out[0x18], SW_OWNER);
	cr_assert_eq(get64(b.out + 0x38), 0x1000);
	BOX_OK(owned_box(TX, 0x2000));
	BAD_PARAM(owned_box(SNIFF_RX, 0x1000), WHY_UNSUPPORTED);
	BAD_PARAM(WITH(table_box(RX, 0, 1), put32(0x3c, 0x1000)),
		  WHY_VALUE); /* a root without sw_owner */
}

/* 0x30 0000 0000 | number << 6: aligned to an STE of 64 bytes. */
Test(software_tables, those_of_firmware_have_an_address)
{
	uint32_t t = new_table(RX, 4, 1);

	BOX_OK(on_table(PRM_OP_QUERY_FLOW_TABLE, RX, t));
	cr_assert_eq(get64(b.out + 0x38), 0x3000000000 + 64ull * t);
	t = new_table(RDMA_RX, 4, 1);
	BOX_OK(on_table(PRM_OP_QUERY_FLOW_TABLE, RDMA_RX, t));
	cr_assert_eq(get64(b.out + 0x38), 0, "no software writes tables of this type");
}

Test(software_tables, are_synchronized)
{
	BOX_OK(box(PRM_OP_SYNC_STEERING));
}

static void sampler_box(uint8_t type, uint32_t ratio, uint32_t sample, uint32_t other)
{
	uint8_t *obj = create_box(PRM_OBJ_SAMPLER, 0x28);

	SET(sampler_obj, obj, F(table_type, type), F(sample_ratio, ratio),
	    F(sample_table_id, sample), F(default_table_id, other));
}

Test(software_tables, samplers_keep_both_tables)
{
	uint32_t one = new_table(RX, 0, 1), two = new_table(RX, 0, 2), id;

	BAD_PARAM(sampler_box(RX, 0, one, two), WHY_VALUE);
	BAD_PARAM(sampler_box(TX, 4, one, two), WHY_UNSUPPORTED);
	BOX_REFUSED(sampler_box(RX, 4, one, two + 1), FW_BAD_RES, WHY_TABLE);
	sampler_box(RX, 4, one, two);
	id = created();
	on_table(PRM_OP_DESTROY_FLOW_TABLE, RX, one);
	cr_assert_eq(execute(), FW_BAD_RES_STATE);
	on_table(PRM_OP_DESTROY_FLOW_TABLE, RX, two);
	cr_assert_eq(execute(), FW_BAD_RES_STATE);
	cr_assert_eq(get64(queried(PRM_OBJ_SAMPLER, id, 0x28) + 0x18),
		     0x7000000000 + 64ull * id);
}
