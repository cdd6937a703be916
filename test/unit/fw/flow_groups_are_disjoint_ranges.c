/* SPDX-License-Identifier: BSD-2-Clause */
/* flow_group: CREATE_, QUERY_, DESTROY_FLOW_GROUP: ranges and masks. */
#include "flow.h"

DEVICE_SUITE(flow_group);

static uint8_t mask[0x200];

static enum fw_status destroy(uint32_t t, uint32_t g)
{
	on_table(0x934, RX, t);
	put32(0x18, g);
	return execute();
}

Test(flow_group, shows_range_and_mask)
{
	uint32_t t = new_table(RX, 4, 1), g;

	memset(mask + 8, 0xff, 6); /* outer dmac */
	g = new_group(RX, t, 3, 7, 1, mask);
	BOX_OK(WITH(on_table(0x935, RX, t), put32(0x18, g)));
	EQUALS(E(b.out[0x1f], 3), E(b.out[0x27], 7), E(b.out[0x3f], 1));
	cr_assert_arr_eq(b.out + 0x40, mask, 0x200);
	on_table(0x931, RX, t);
	cr_assert_eq(execute(), FW_BAD_RES_STATE, "the table has a group");
	cr_assert_eq(destroy(t + 1, g), FW_BAD_RES_STATE);
	cr_assert_eq(destroy(t, g), FW_OK);
	cr_assert_eq(destroy(t, g), FW_BAD_RES_STATE);
	BOX_OK(on_table(0x931, RX, t));
	cr_assert_eq(hca_objects_count(&hca, NULL, 0), 0);
}

Test(flow_group, ranges)
{
	static const uint8_t overlaps[][2] = {
		{ 4, 8 }, { 8, 11 }, { 11, 15 }, { 0, 15 }, { 9, 10 }
	};
	uint32_t t = new_table(RX, 4, 1);

	new_group(RX, t, 8, 11, 0, NULL);
	for (size_t i = 0; i < sizeof(overlaps) / sizeof(overlaps[0]); i++) {
		BAD_PARAM(group_box(RX, t, overlaps[i][0], overlaps[i][1], 0, NULL), WHY_GROUP);
	}
	BAD_PARAM(group_box(RX, t, 5, 4, 0, NULL), WHY_INDEX);
	BAD_PARAM(group_box(RX, t, 12, 16, 0, NULL), WHY_INDEX);
	new_group(RX, t, 12, 15, 0, NULL);
	new_group(RX, t, 0, 0, 0, NULL);
	new_group(RX, t, 1, 7, 0, NULL);
	BOX_REFUSED(group_box(TX, t, 0, 0, 0, NULL), FW_BAD_RES, WHY_TABLE);
}

Test(flow_group, masks_are_of_fields_that_are_matched)
{
	uint32_t t = new_table(RX, 4, 1);

	mask[0x140] = 1; /* misc 4: programmable samples */
	BAD_PARAM(group_box(RX, t, 0, 0, 0x20, mask), WHY_UNSUPPORTED);
	memset(mask, 0, sizeof(mask));
	mask[8] = 0xff;
	BAD_PARAM(group_box(RX, t, 0, 0, 2, mask), WHY_MATCH); /* not in misc */
	mask[8] = 0;
	mask[0x1a] = 0xf0; /* ipv4_ihl: there is no capability of it */
	BAD_PARAM(group_box(RX, t, 0, 0, 1, mask), WHY_MATCH);
	mask[0x1a] = 0;
	mask[0x18] = 0x20; /* reserved */
	BAD_PARAM(group_box(RX, t, 0, 0, 1, mask), WHY_MATCH);
	BAD_PARAM(WITH_BYTE(group_box(RX, t, 0, 0, 0, NULL), 0x11, 1),
		  WHY_UNSUPPORTED); /* group_type: split by a hash */
}

/* A device file without a field's capability takes the field away. */
Test(flow_group, fields_are_those_of_the_capabilities)
{
	uint32_t t = new_table(RX, 4, 1);

	memset(mask + 8, 0xff, 6);
	PRM_SET(flow_table_fields_supported,
		PRM_ADDR(flow_table_prop_layout,
			 PRM_ADDR(flow_table_nic_cap, hca.caps[PRM_CAP_FLOW_TABLE],
				  flow_table_properties_nic_receive),
			 ft_field_support),
		outer_dmac, 0);
	BAD_PARAM(group_box(RX, t, 0, 0, 1, mask), WHY_MATCH);
}

/* ---- each type of tables has separate capabilities ---- */

enum { SNIFF_TX = 6 };

#define NIC(f) PRM_OFF(flow_table_nic_cap, f)
#define OF(type, side)                                       \
	{                                                    \
		type, NIC(flow_table_properties_nic_##side), \
			NIC(ft_field_support_2_nic_##side)   \
	}
static const struct {
	uint8_t type;
	uint32_t properties, fields_2; /* bits of the capabilities */
} types[] = {
	OF(RX, receive),
	OF(TX, transmit),
	OF(SNIFF_RX, receive_sniffer),
	OF(SNIFF_TX, transmit_sniffer),
	OF(RDMA_RX, receive_rdma),
	OF(RDMA_TX, transmit_rdma),
};

static void set_fields(size_t i, bool dmac, bool l4_type)
{
	uint8_t *nic = hca.caps[PRM_CAP_FLOW_TABLE], *at = nic + types[i].properties / 8;

	PRM_SET(flow_table_fields_supported,
		PRM_ADDR(flow_table_prop_layout, at, ft_field_support), outer_dmac, dmac);
	PRM_SET(flow_table_fields_supported_2, nic + types[i].fields_2 / 8, outer_l4_type,
		l4_type);
}

/* Only the type @own has the field of @mask. */
static void expect_only(size_t own, const uint32_t *tables, uint32_t index)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		group_box(types[i].type, tables[i], index, index, 1, mask);
		if (i != own)
			REFUSED(FW_BAD_PARAM, WHY_MATCH);
		else
			cr_expect_eq(execute(), FW_OK, "type %u: %#x", types[i].type,
				     syndrome());
	}
}

Test(flow_group, fields_are_those_of_the_type)
{
	uint32_t tables[ARRAY_SIZE(types)];

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		tables[i] = new_table(types[i].type, 4, 1);
	for (size_t own = 0; own < ARRAY_SIZE(types); own++) {
		memset(mask, 0, sizeof(mask));
		memset(mask + 8, 0xff, 6); /* dmac */
		for (size_t i = 0; i < ARRAY_SIZE(types); i++)
			set_fields(i, i == own, false);
		expect_only(own, tables, (uint32_t)own);
		memset(mask, 0, sizeof(mask));
		PRM_SET(fte_match_set_lyr_2_4, mask, l4_type, 3);
		for (size_t i = 0; i < ARRAY_SIZE(types); i++)
			set_fields(i, true, i == own);
		expect_only(own, tables, 8 + (uint32_t)own);
	}
}
