/* SPDX-License-Identifier: BSD-2-Clause */
/* flow_table: CREATE_, MODIFY_, QUERY_, DESTROY_FLOW_TABLE and SET_FLOW_TABLE_ROOT, by
 * hand-written bytes. */
#include "flow.h"

DEVICE_SUITE(flow_table);

static enum fw_status destroy(uint8_t type, uint32_t t)
{
	on_table(0x931, type, t);
	return execute();
}

static enum fw_status set_root(uint8_t type, uint32_t t)
{
	on_table(0x92f, type, t);
	return execute();
}

/* opcode 0x930, type 0, level 5 at byte 0x19, log_size 3 at 0x1b, miss action 1 at 0x18, id at
 * 0x1d */
Test(flow_table, shows_its_context)
{
	uint32_t first = new_table(RX, 0, 9), second;

	table_box(RX, 3, 5);
	EQUALS(E(b.in[0], 0x09), E(b.in[1], 0x30));
	b.in[0x18] = 1;
	put24(0x1d, first);
	cr_assert_eq(execute(), FW_OK);
	second = id24();
	BOX_OK(on_table(0x932, RX, second));
	EQUALS(E(b.out[0x18], 1), E(b.out[0x19], 5), E(b.out[0x1b], 3));
	cr_assert_eq(core_be32(b.out + 0x1c) & 0xffffff, first);
	cr_assert_eq(destroy(RX, first), FW_BAD_RES_STATE, "another one misses to it");
	cr_assert_eq(destroy(TX, second), FW_BAD_RES_STATE, "it is of another type");
	cr_assert_eq(destroy(RX, second), FW_OK);
	cr_assert_eq(destroy(RX, first), FW_OK);
	cr_assert_eq(hca_objects_count(&hca, NULL, 0), 0);
}

Test(flow_table, types_are_those_of_this_port)
{
	static const uint8_t good[] = { 0, 1, 4, 5, 6, 7, 8 }, bad[] = { 2, 3, 9, 10, 255 };

	for (size_t i = 0; i < sizeof(good); i++)
		new_table(good[i], 4, 1);
	for (size_t i = 0; i < sizeof(bad); i++) {
		BAD_PARAM(table_box(bad[i], 4, 1), WHY_UNSUPPORTED);
	}
}

Test(flow_table, refusals)
{
	BAD_PARAM(table_box(RX, 4, 128), WHY_TABLE); /* cx5: levels 0 to 127 */
	new_table(7, 4, 200); /* of RDMA_RX, which rdma-core's tests use */
	new_table(7, 4, 254);
	BAD_PARAM(table_box(7, 4, 255), WHY_TABLE);
	BAD_PARAM(table_box(RX, 25, 1), WHY_SIZE);
	BAD_PARAM(WITH_BYTE(table_box(FDB, 4, 1), 0x18, 0x20), WHY_UNSUPPORTED); /* sw_owner */
	BAD_PARAM(WITH_BYTE(table_box(TX, 4, 1), 0x18, 0x10),
		  WHY_UNSUPPORTED); /* termination_table */
	BAD_PARAM(WITH_BYTE(table_box(RX, 4, 1), 0x1a, 0x80), WHY_UNSUPPORTED); /* rtc_valid */
	BAD_PARAM(WITH_BYTE(table_box(RX, 4, 1), 0x08, 0x80),
		  WHY_UNSUPPORTED); /* other_vport */
	BAD_PARAM(WITH_BYTE(table_box(RX, 4, 1), 0x18, 3),
		  WHY_VALUE); /* a miss action that there is not */
	BOX_REFUSED(WITH_BYTE(table_box(RX, 4, 1), 0x18, 1), FW_BAD_RES,
		    WHY_TABLE); /* to table 0 */
	BAD_PARAM(WITH_BYTE(table_box(RX, 4, 1), 0x18, 2),
		  WHY_UNSUPPORTED); /* to the next type: of RDMA_RX tables */
	BOX_OK(WITH_BYTE(table_box(RDMA_RX, 4, 1), 0x18, 2));
	table_box(RDMA_RX, 4, 1);
	b.in[0x18] = 2;
	b.in[0x1f] = 1;
	REFUSED(FW_BAD_PARAM, WHY_VALUE);
}

Test(flow_table, its_miss_is_modified)
{
	uint32_t first = new_table(RX, 0, 1), second = new_table(RX, 0, 2);
	uint32_t other = new_table(TX, 0, 2);

	on_table(0x93c, RX, first);
	b.in[0x0f] = 1;
	b.in[0x18] = 1;
	put24(0x1d, second);
	cr_assert_eq(execute(), FW_OK);
	cr_assert_eq(destroy(RX, second), FW_BAD_RES_STATE);
	on_table(0x93c, RX, first);
	b.in[0x0f] = 1;
	b.in[0x18] = 1;
	put24(0x1d, other);
	REFUSED(FW_BAD_RES, WHY_TABLE);
	BAD_PARAM(WITH_BYTE(on_table(0x93c, RX, first), 0x0e, 0x80),
		  WHY_UNSUPPORTED); /* the next table of a LAG */
	BOX_OK(WITH_BYTE(on_table(0x93c, RX, first), 0x0f, 1));
	cr_assert_eq(destroy(RX, second), FW_OK);
	BOX_REFUSED(on_table(0x93c, RX, second), FW_BAD_RES_STATE, WHY_OBJECT);
}

/* The kernel destroys the last table of a type while it is the root. */
Test(flow_table, root_is_the_drivers)
{
	uint32_t t = new_table(RX, 0, 1), mine;
	uint16_t u = new_uctx();

	cr_assert_eq(set_root(RX, t), FW_OK);
	cr_assert_eq(hca.roots[RX]->table_id, t);
	cr_assert_eq(set_root(TX, t), FW_BAD_RES);
	cr_assert_eq(set_root(3, t), FW_BAD_PARAM);
	cr_assert_eq(hca.roots[RX]->table_id, t);
	BOX_OK(AS(u, table_box(RX, 0, 1)));
	mine = id24();
	BAD_PARAM(WITH(on_table(0x92f, RX, mine), uid(u)), WHY_UID);
	BOX_REFUSED(WITH(on_table(0x931, RX, t), uid(u)), FW_BAD_RES_STATE, WHY_OBJECT);
	BOX_OK(WITH_BYTE(on_table(0x92f, RX, 0), 0x07, 1)); /* disconnect */
	cr_assert_null(hca.roots[RX]);
	BAD_PARAM(WITH_BYTE(on_table(0x92f, RX, t), 0x07, 1), WHY_VALUE);
	BAD_PARAM(WITH_BYTE(on_table(0x92f, RX, t), 0x07, 2), WHY_OP_MOD);
	cr_assert_eq(set_root(RX, t), FW_OK);
	cr_assert_eq(destroy(RX, t), FW_OK);
	cr_assert_null(hca.roots[RX]);
}
