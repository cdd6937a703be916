/* SPDX-License-Identifier: BSD-2-Clause */
/* modify_header: ALLOC_ and DEALLOC_MODIFY_HEADER_CONTEXT, in bytes written by hand. */
#include "device.h"

DEVICE_SUITE(modify_header);

/* Set the TTL (field 0xa), add to a TCP sequence number (0x59), copy register A (0x49) to B
 * (0x50). */
static const uint8_t set_ttl[8] = { 0x10, 0x0a, 0x00, 0x08, 0, 0, 0, 63 };
static const uint8_t add_seq[8] = { 0x20, 0x59, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff };
static const uint8_t copy_reg[8] = { 0x30, 0x49, 0x04, 0x10, 0x00, 0x50, 0x08, 0x00 };

/* opcode 0x940, uid @u, table type @type, no actions yet. */
static void alloc_box(uint16_t u, uint8_t type)
{
	const uint8_t in[16] = { 0x09, 0x40, u >> 8, u, 0, 0, 0, 0, 0, 0, 0, 0, type, 0, 0, 0 };

	memset(&b, 0, sizeof(b));
	memcpy(b.in, in, sizeof(in));
	b.in_len = b.out_len = 16;
}

static void append(const uint8_t action[8])
{
	memcpy(b.in + b.in_len, action, 8);
	b.in_len += 8;
	b.in[15]++;
}

static uint32_t id_of(void)
{
	return core_be32(b.out + 8);
}

static enum fw_status dealloc(uint16_t u, uint32_t id)
{
	const uint8_t in[16] = { 0x09, 0x41, u >> 8,   u,	 0,	  0,
				 0,    0,    id >> 24, id >> 16, id >> 8, id };

	memset(&b, 0, sizeof(b));
	memcpy(b.in, in, sizeof(in));
	b.in_len = b.out_len = 16;
	return execute();
}

static void expect_refused(enum fw_status status, uint32_t why)
{
	REFUSED(status, why);
	cr_assert_eq(hca.modify_headers.used, 0);
}

Test(modify_header, actions_are_kept)
{
	const struct hca_modify_header *m;
	char text[200];
	uint32_t id;

	alloc_box(0, 1);
	append(set_ttl);
	append(add_seq);
	append(copy_reg);
	cr_assert_eq(execute(), FW_OK);
	id = id_of();
	m = hca_object_find(&hca, HCA_KIND_modify_header, id);
	cr_assert_not_null(m);
	EQUALS(E(m->table_type, 1), E(m->cnt, 3));
	cr_assert_arr_eq(m->actions[0], set_ttl, 8);
	cr_assert_arr_eq(m->actions[1], add_seq, 8);
	cr_assert_arr_eq(m->actions[2], copy_reg, 8);
	cr_assert_eq(hca_objects_count(&hca, text, sizeof(text)), 1);
	cr_assert_str_eq(text, "modify header context 1");
	cr_assert_eq(dealloc(0, id), FW_OK);
	cr_assert_eq(dealloc(0, id), FW_BAD_RES_STATE);
	cr_assert_eq(hca_objects_count(&hca, NULL, 0), 0);
}

/* cx5: 16 actions, in both directions. */
Test(modify_header, sixteen_actions_fit_and_no_more)
{
	for (uint8_t type = 0; type < 2; type++) {
		alloc_box(0, type);
		for (unsigned int i = 0; i < 16; i++)
			append(set_ttl);
		cr_assert_eq(execute(), FW_OK);
		cr_assert_eq(dealloc(0, id_of()), FW_OK);
	}
	alloc_box(0, 0);
	for (unsigned int i = 0; i < 17; i++)
		append(set_ttl);
	expect_refused(FW_BAD_PARAM, WHY_SIZE);
	alloc_box(0, 0);
	expect_refused(FW_BAD_PARAM, WHY_SIZE);
}

Test(modify_header, refusals)
{
	static const struct {
		uint8_t type, actions[2][8], at, value, status, why;
	} rows[] = {
		/* a sniffer's tables change no header */
		{ 5, { { 0x10, 0x0a, 0, 8 } }, 0, 9, FW_BAD_PARAM, WHY_UNSUPPORTED },
		{ 0, { { 0 } }, 15, 1, FW_BAD_PARAM, WHY_VALUE },
		{ 0, { { 0x10, 0x48, 0, 8 } }, 0, 9, FW_BAD_PARAM, WHY_VALUE }, /* no field */
		/* 8 bits from bit 1 of the TTL */
		{ 0, { { 0x10, 0x0a, 1, 8 } }, 0, 9, FW_BAD_PARAM, WHY_VALUE },
		/* an insertion */
		{ 0, { { 0x10, 0x0a, 0, 8 }, { 0x40 } }, 0, 9, FW_BAD_PARAM, WHY_VALUE },
		{ 0, { { 0x10, 0x0a, 0, 8 } }, 15, 2, FW_BAD_INP_LEN, WHY_IN_LEN },
		{ 0,
		  { { 0x10, 0x0a, 0, 8 }, { 0x20, 0x59 } },
		  15,
		  1,
		  FW_BAD_PARAM,
		  WHY_RESERVED },
		/* a length: only set and copy have one */
		{ 0, { { 0x20, 0x59, 0, 8, 255 } }, 0, 9, FW_BAD_PARAM, WHY_RESERVED },
		/* between table_type and num_of_actions */
		{ 0, { { 0x10, 0x0a, 0, 8 } }, 14, 1, FW_BAD_PARAM, WHY_RESERVED },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		alloc_box(0, rows[i].type);
		append(rows[i].actions[0]);
		if (rows[i].actions[1][0])
			append(rows[i].actions[1]);
		b.in[rows[i].at] = rows[i].value;
		expect_refused(rows[i].status, rows[i].why);
	}
}

Test(modify_header, belong_to_their_uid)
{
	uint16_t owner = new_uctx(), other = new_uctx();
	uint32_t id;

	BOX_OK(WITH(alloc_box(owner, 0), append(set_ttl)));
	id = id_of();
	cr_assert_eq(dealloc(other, id), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_UCTX, owner), FW_BAD_RES_STATE,
		     "it owns a context");
	cr_assert_eq(dealloc(owner, id), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_UCTX, owner), FW_OK);
}

/* A steering rule will refer to it. */
Test(modify_header, stays_while_it_is_in_use)
{
	struct hca_modify_header *m;
	uint32_t id;

	BOX_OK(WITH(alloc_box(0, 0), append(set_ttl)));
	id = id_of();
	m = hca_object_find(&hca, HCA_KIND_modify_header, id);
	m->refs++;
	cr_assert_eq(dealloc(0, id), FW_BAD_RES_STATE);
	cr_assert_eq(syndrome(), 0xe0094100 | WHY_BUSY);
	m->refs--;
	cr_assert_eq(dealloc(0, id), FW_OK);
}

Test(modify_header, as_many_as_the_capability_says)
{
	PRM_SET(flow_table_prop_layout,
		PRM_ADDR(flow_table_nic_cap, hca.caps[PRM_CAP_FLOW_TABLE],
			 flow_table_properties_nic_receive),
		log_max_modify_header_context, 1);
	for (unsigned int i = 0; i < 3; i++) {
		alloc_box(0, 0);
		append(set_ttl);
		cr_assert_eq(execute(), i < 2 ? FW_OK : FW_LIM_ERR);
	}
}
