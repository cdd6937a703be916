/* SPDX-License-Identifier: BSD-2-Clause */
/* flow_entry: SET_, QUERY_, DELETE_FLOW_TABLE_ENTRY: indexes, values, actions, lists. */
#include "flow.h"

DEVICE_SUITE(flow_entry);

enum { ALLOW = 1, DROP = 2, FWD = 4, COUNT = 8 };
enum { TO_VPORT = 0, TO_TABLE = 1, TO_TIR = 2, TO_WIRE = 8 };

static uint8_t mask[0x200], value[0x200];

static enum fw_status delete_at(uint8_t type, uint32_t t, uint32_t index)
{
	on_table(0x938, type, t);
	put32(0x20, index);
	return execute();
}

static void forward_box(uint8_t type, uint32_t t, uint32_t g, uint32_t index, uint8_t to,
			uint32_t id)
{
	entry_box(type, t, g, index, FWD, NULL);
	dest(to, id);
}

static void count_box(uint32_t t, uint32_t g, uint32_t counter)
{
	entry_box(RX, t, g, 0, DROP | COUNT, NULL);
	count_into(counter);
}

Test(flow_entry, shows_what_it_does)
{
	uint32_t t = new_table(RX, 4, 1), to = new_table(RX, 0, 2), counter = new_counter(0), g;

	mask[0x1e] = mask[0x1f] = 0xff; /* udp_dport */
	value[0x1e] = 0x12;
	value[0x1f] = 0xb7;
	g = new_group(RX, t, 0, 7, 1, mask);
	entry_box(RX, t, g, 5, FWD | COUNT, value);
	b.in[0x49] = 0x0a; /* flow_tag */
	b.in[0x4b] = 0x77;
	dest(TO_TABLE, to);
	count_into(counter);
	cr_assert_eq(execute(), FW_OK, "%#x", syndrome());

	on_table(0x937, RX, t);
	put32(0x20, 5);
	b.out_len += 16;
	cr_assert_eq(execute(), FW_OK);
	cr_assert_eq(core_be32(b.out + 0x44), g);
	EQUALS(E(b.out[0x49], 0x0a), E(b.out[0x4b], 0x77), E(b.out[0x4f], FWD | COUNT),
	       E(b.out[0x53], 1), E(b.out[0x57], 1));
	cr_assert_arr_eq(b.out + 0x80, value, 0x200);
	cr_assert_eq(b.out[0x340], TO_TABLE);
	cr_assert_eq(core_be32(b.out + 0x340) & 0xffffff, to);
	cr_assert_eq(core_be32(b.out + 0x348), counter);

	on_table(0x931, RX, to);
	cr_assert_eq(execute(), FW_BAD_RES_STATE, "an entry forwards to it");
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_FLOW_COUNTER, counter), FW_BAD_RES_STATE);
	BOX_REFUSED(WITH(on_table(0x934, RX, t), put32(0x18, g)), FW_BAD_RES_STATE,
		    WHY_BUSY); /* the group has an entry */
	cr_assert_eq(delete_at(RX, t, 4), FW_BAD_RES_STATE);
	cr_assert_eq(delete_at(RX, t, 5), FW_OK);
	cr_assert_eq(delete_at(RX, t, 5), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_FLOW_COUNTER, counter), FW_OK);
	BOX_OK(on_table(0x931, RX, to));
}

Test(flow_entry, index_and_value)
{
	uint32_t t = new_table(RX, 4, 1), g, other;

	mask[0x0f] = 0x0f; /* some bits of first_vid */
	g = new_group(RX, t, 4, 7, 1, mask);
	other = new_group(RX, t, 8, 15, 0, NULL);
	BAD_PARAM(entry_box(RX, t, g, 3, DROP, NULL), WHY_INDEX);
	BAD_PARAM(entry_box(RX, t, g, 8, DROP, NULL), WHY_INDEX);
	value[0x0f] = 0x1f;
	BAD_PARAM(entry_box(RX, t, g, 4, DROP, value), WHY_MATCH);
	value[0x0f] = 0x0a;
	BOX_OK(entry_box(RX, t, g, 4, DROP, value));
	BAD_PARAM(entry_box(RX, t, g, 4, DROP, value), WHY_INDEX);
	BOX_REFUSED(entry_box(RX, t, other + 1, 9, DROP, NULL), FW_BAD_RES, WHY_GROUP);
	BOX_REFUSED(entry_box(RX, new_table(RX, 4, 1), g, 5, DROP, NULL), FW_BAD_RES,
		    WHY_GROUP);
	BOX_REFUSED(entry_box(TX, t, g, 5, DROP, NULL), FW_BAD_RES, WHY_TABLE);
}

Test(flow_entry, one_end)
{
	uint32_t t = new_table(RX, 4, 1), g = new_group(RX, t, 0, 15, 0, NULL);
	uint32_t tir = some_tir(), counter = new_counter(0), tx = new_table(TX, 4, 1),
		 tx_g = new_group(TX, tx, 0, 15, 0, NULL);

	BAD_PARAM(entry_box(RX, t, g, 0, 0, NULL), WHY_ACTION);
	BAD_PARAM(WITH(entry_box(RX, t, g, 0, COUNT, NULL), count_into(counter)), WHY_ACTION);
	BAD_PARAM(WITH(entry_box(RX, t, g, 0, DROP | FWD, NULL), dest(TO_TIR, tir)),
		  WHY_ACTION);
	BAD_PARAM(entry_box(RX, t, g, 0, ALLOW, NULL), WHY_ACTION);
	BOX_OK(entry_box(TX, tx, tx_g, 0, ALLOW, NULL));
	BAD_PARAM(entry_box(RX, t, g, 0, 0x1000 | DROP, NULL), WHY_ACTION); /* decrypt */
	BAD_PARAM(entry_box(RX, t, g, 0, FWD, NULL), WHY_DEST);
	BAD_PARAM(WITH(entry_box(RX, t, g, 0, DROP, NULL), dest(TO_TIR, tir)), WHY_DEST);
	BAD_PARAM(entry_box(RX, t, g, 0, DROP | COUNT, NULL), WHY_COUNTER);
	BAD_PARAM(WITH_BYTE(entry_box(RX, t, g, 0, DROP, NULL), 0x50, 0x80),
		  WHY_UNSUPPORTED); /* extended_destination */
	BAD_PARAM(WITH_BYTE(entry_box(RX, t, g, 0, DROP, NULL), 0x50, 0x10),
		  WHY_VALUE); /* flow_source: of the e-switch */
}

/* ALLOW and DROP of each type of tables. */
Test(flow_entry, ends_of_each_type)
{
	static const struct {
		uint8_t type;
		bool allow, drop;
	} types[] = {
		{ RX, false, true },
		{ TX, true, true },
		{ FDB, false, true },
		{ SNIFF_RX, false, false },
		{ SNIFF_RX + 1, false, false },
		{ RDMA_RX, true, true },
		{ RDMA_TX, true, true },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		uint8_t type = types[i].type;
		uint32_t t = new_table(type, 4, 1), g = new_group(type, t, 0, 15, 0, NULL);

		entry_box(type, t, g, 0, ALLOW, NULL);
		cr_expect_eq(execute(), types[i].allow ? FW_OK : FW_BAD_PARAM, "%u", type);
		entry_box(type, t, g, 1, DROP, NULL);
		cr_expect_eq(execute(), types[i].drop ? FW_OK : FW_BAD_PARAM, "%u", type);
	}
}

Test(flow_entry, destinations)
{
	uint32_t t = new_table(RX, 4, 5), g = new_group(RX, t, 0, 15, 0, NULL),
		 tir = some_tir();
	uint32_t same = new_table(RX, 0, 5), tx = new_table(TX, 0, 9);
	uint32_t fdb = new_table(FDB, 4, 1), fdb_g = new_group(FDB, fdb, 0, 15, 0, NULL);

	BOX_REFUSED(forward_box(RX, t, g, 0, TO_TIR, tir + 1), FW_BAD_RES, WHY_DEST);
	BAD_PARAM(forward_box(RX, t, g, 0, TO_TABLE, same), WHY_TABLE);
	b.in[0x18] = 0x80; /* ignore_flow_level */
	cr_assert_eq(execute(), FW_OK);
	on_table(PRM_OP_SET_FLOW_TABLE_ENTRY, RX, t);
	b.in[7] = 1; /* the tag only: the level stays ignored */
	b.in[0x1b] = 2;
	cr_assert_eq(execute(), FW_OK);
	BOX_REFUSED(forward_box(RX, t, g, 1, TO_TABLE, tx), FW_BAD_RES, WHY_TABLE);
	BAD_PARAM(forward_box(RX, t, g, 1, TO_VPORT, 0), WHY_DEST);
	BAD_PARAM(forward_box(RX, t, g, 1, 6, 0), WHY_UNSUPPORTED); /* a sampler */
	BOX_OK(WITH(forward_box(RX, t, g, 1, TO_TIR, tir), dest(TO_TIR, tir)));
	cr_assert_eq(execute_on(PRM_OP_DESTROY_TIR, tir), FW_BAD_RES_STATE);
	entry_box(FDB, fdb, fdb_g, 0, FWD, NULL);
	b.in[0x50] = 0x10;
	dest(TO_VPORT, 0);
	cr_assert_eq(execute(), FW_OK);
	BOX_OK(forward_box(FDB, fdb, fdb_g, 1, TO_WIRE, 0));
	BOX_REFUSED(forward_box(FDB, fdb, fdb_g, 2, TO_VPORT, 1), FW_BAD_RES, WHY_DEST);
	BAD_PARAM(forward_box(FDB, fdb, fdb_g, 2, TO_TIR, tir), WHY_DEST);
}

Test(flow_entry, lists)
{
	uint32_t t = new_table(RX, 4, 1), g = new_group(RX, t, 0, 15, 0, NULL);
	uint32_t counter = new_counter(0);

	BOX_REFUSED(SHORTER(count_box(t, g, counter), 4), FW_BAD_INP_LEN, WHY_IN_LEN);
	BOX_REFUSED(count_box(t, g, counter + 1), FW_BAD_RES, WHY_COUNTER);
	entry_box(RX, t, g, 0, DROP | COUNT, NULL);
	for (unsigned int i = 0; i < 9; i++) /* cx5: 8 */
		count_into(counter);
	REFUSED(FW_BAD_PARAM, WHY_SIZE);
	b.in[0x57]--;
	b.in_len -= 8;
	cr_assert_eq(execute(), FW_OK);
	BOX_OK(WITH(on_table(0x937, RX, t), b.out_len += 8 * 8));
	for (unsigned int i = 0; i < 8; i++)
		cr_assert_eq(core_be32(b.out + 0x340 + 8 * i), counter);
	for (size_t len = PRM_SZ(query_fte_out); len <= 0x340 + 8 * 8; len += 4) {
		b.out_len = len; /* as far as it reaches */
		cr_assert_eq(execute(), FW_OK);
		cr_assert_eq(b.out[len], 0xee);
	}
	cr_assert_eq(delete_at(RX, t, 0), FW_OK);
	BAD_PARAM(WITH_BYTE(count_box(t, g, counter), b.in_len - 1, 1), WHY_RESERVED);
	BAD_PARAM(LONGER(count_box(t, g, counter)), WHY_RESERVED);
	BAD_PARAM(WITH(entry_box(RX, t, g, 0, DROP | COUNT, NULL), put24(0x51, 0xffffff)),
		  WHY_SIZE);
}

/* modify_enable_mask: 1 action, 2 tag, 4 destinations, 8 counters */
static void change_box(uint32_t t, uint16_t action, uint8_t changed)
{
	entry_box(RX, t, 0, 0, action, NULL);
	b.in[7] = 1;
	b.in[0x1b] = changed;
}

Test(flow_entry, is_changed_in_parts)
{
	uint32_t t = new_table(RX, 4, 1), g = new_group(RX, t, 0, 15, 0, NULL),
		 tir = some_tir();
	uint32_t counter = new_counter(0);
	const struct hca_fte *e;

	BOX_OK(WITH_BYTE(entry_box(RX, t, g, 0, DROP, NULL), 0x4b, 5));
	e = hca_fte_find(hca_object_find(&hca, HCA_KIND_flow_table, t), 0);

	change_box(t, FWD, 1 | 4);
	b.in[0x4b] = 9; /* not in the mask */
	dest(TO_TIR, tir);
	cr_assert_eq(execute(), FW_OK, "%#x", syndrome());
	EQUALS(E(e->act.action, FWD), E(e->act.tag, 5), E(e->act.dests, 1),
	       E(e->act.dest[0].tir->tirn, tir));

	BOX_REFUSED(WITH(change_box(t, FWD, 1 | 4), dest(TO_TIR, tir + 1)), FW_BAD_RES,
		    WHY_DEST);
	cr_assert_eq(e->act.dest[0].tir->tirn, tir, "as it was");

	BOX_OK(WITH(change_box(t, FWD | COUNT, 1 | 8), count_into(counter)));
	EQUALS(E(e->act.dests, 1), E(e->act.counts, 1));

	BAD_PARAM(change_box(t, DROP, 1), WHY_DEST); /* and still a destination */
	cr_assert_eq(e->act.action, FWD | COUNT);
	BOX_OK(change_box(t, DROP, 1 | 4 | 8));
	cr_assert_eq(execute_on(PRM_OP_DESTROY_TIR, tir), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_FLOW_COUNTER, counter), FW_OK);

	BOX_REFUSED(WITH_BYTE(entry_box(RX, t, 0, 1, DROP, NULL), 7, 1), FW_BAD_RES_STATE,
		    WHY_OBJECT);
	BAD_PARAM(change_box(t, DROP, 16), WHY_UNSUPPORTED); /* an IPsec object */
	BAD_PARAM(WITH_BYTE(entry_box(RX, t, g, 1, DROP, NULL), 7, 2), WHY_OP_MOD);
}

Test(flow_entry, belongs_to_the_uid_of_its_table)
{
	uint32_t t = new_table(RX, 4, 1), g = new_group(RX, t, 0, 15, 0, NULL),
		 tir = some_tir();
	uint32_t mine, mine_g, shared;
	uint16_t u = new_uctx();

	BOX_REFUSED(AS(u, entry_box(RX, t, g, 0, DROP, NULL)), FW_BAD_RES, WHY_TABLE);
	BOX_OK(AS(u, table_box(RX, 4, 1)));
	mine = id24();
	BOX_OK(AS(u, group_box(RX, mine, 0, 15, 0, NULL)));
	mine_g = id24();
	AS(u, forward_box(RX, mine, mine_g, 0, TO_TIR, tir)); /* of the driver */
	REFUSED(FW_BAD_RES, WHY_DEST);
	AS(u,
	   forward_box(RX, mine, mine_g, 0, TO_TABLE, t)); /* of the driver, and not for all */
	REFUSED(FW_BAD_RES, WHY_TABLE);
	BOX_OK(AS(u, entry_box(RX, mine, mine_g, 0, DROP, NULL)));
	BOX_OK(AS(0xffff, table_box(RX, 0, 2))); /* the driver's, for all */
	shared = id24();
	BOX_OK(AS(u, forward_box(RX, mine, mine_g, 1, TO_TABLE, shared)));
	BOX_OK(WITH_BYTE(forward_box(RX, t, g, 1, TO_TABLE, mine), 0x18,
			 0x80)); /* the driver's rules lead to a user's table */
}

/* 20,000 entries at scattered indexes, found again and deleted in another order. */
Test(flow_entry, thousands)
{
	uint32_t t = new_table(RX, 20, 1), g;
	struct hca_flow_table *table;

	memset(mask + 0x2c, 0xff, 4); /* src_ipv4 */
	memset(value, 0, sizeof(value));
	g = new_group(RX, t, 0, 0xfffff, 1, mask);
	table = hca_object_find(&hca, HCA_KIND_flow_table, t);
	for (uint32_t i = 0; i < 20000; i++) {
		memcpy(value + 0x2c, &i, 4);
		entry_box(RX, t, g, i * 7919 % 0x100000, DROP, value);
		executed(0);
		cr_assert_eq(b.out[0], FW_OK);
	}
	for (uint32_t i = 0; i < 20000; i++) {
		memcpy(value + 0x2c, &i, 4);
		cr_assert_eq(hca_fte_match(table, value, 1)->index, i * 7919 % 0x100000);
	}
	for (uint32_t i = 0; i < 20000; i++)
		cr_assert_eq(delete_at(RX, t, (i * 3 % 20000) * 7919 % 0x100000), FW_OK);
	cr_assert_null(hca_fte_match(table, value, 1));
	BOX_OK(WITH(on_table(0x934, RX, t), put32(0x18, g)));
}
