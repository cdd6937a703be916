/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands about the life of a function come from its owner. To all others they do not
 * exist. */
#include "device.h"

static const uint16_t of_owner[] = {
	PRM_OP_ENABLE_HCA,   PRM_OP_DISABLE_HCA,
	PRM_OP_INIT_HCA,     PRM_OP_TEARDOWN_HCA,
	PRM_OP_SET_HCA_CAP,  PRM_OP_QUERY_PAGES,
	PRM_OP_MANAGE_PAGES, PRM_OP_MODIFY_NIC_VPORT_CONTEXT,
};

enum { NOT_OWNERS = 3 };

/* A user context without rights, one with those of tools, and the uid of shared objects. */
static void senders(uint16_t uids[NOT_OWNERS])
{
	uids[0] = new_uctx();
	box(PRM_OP_CREATE_UCTX);
	PRM_SET(uctx, PRM_ADDR(create_uctx_in, b.in, uctx), cap, PRM_UCTX_CAP_TOOLS_RESOURCES);
	uids[1] = made();
	uids[2] = 0xffff;
}

/* @in_len: 0, as long as its inbox is. */
static void expect_unknown(uint16_t opcode, uint16_t sender, size_t in_len)
{
	enum hca_life life = hca.life;

	box(opcode);
	uid(sender);
	b.in_len = in_len ? in_len : b.in_len;
	REFUSED(FW_BAD_OP, WHY_OPCODE);
	cr_assert_eq(hca.life, life, "%#x of %u", opcode, sender);
}

static void expect_all_unknown(uint16_t sender)
{
	for (size_t i = 0; i < ARRAY_SIZE(of_owner); i++) {
		expect_unknown(of_owner[i], sender, 0);
		expect_unknown(of_owner[i], sender, 4); /* before its lengths are looked at */
	}
}

DEVICE_SUITE(life);

/* The emulated kernel has started it. */
Test(life, function_of_programs_has_none)
{
	uint16_t uids[NOT_OWNERS];

	senders(uids);
	expect_all_unknown(0);
	for (int i = 0; i < NOT_OWNERS; i++)
		expect_all_unknown(uids[i]);
	new_pd(0);
}

Test(life, user_of_a_running_function_is_not_it)
{
	uint16_t uids[NOT_OWNERS];

	fw_reset(&hca);
	hca.life = HCA_RUNNING;
	senders(uids);
	for (int i = 0; i < NOT_OWNERS; i++)
		expect_all_unknown(uids[i]);
	new_pd(0);
}

Test(life, function_is_not_started_by_a_user)
{
	static const enum hca_life lives[] = { HCA_OFF, HCA_ENABLED };

	fw_reset(&hca);
	for (size_t i = 0; i < ARRAY_SIZE(lives); i++) {
		hca.life = lives[i];
		expect_all_unknown(1);
		expect_all_unknown(0xffff);
	}
}

Test(life, driver_is_it)
{
	fw_reset(&hca);
	for (size_t i = 0; i < ARRAY_SIZE(of_owner); i++) {
		hca.life = HCA_RUNNING;
		box(of_owner[i]);
		cr_assert_neq(execute(), FW_BAD_OP, "%#x", of_owner[i]);
	}
	hca.life = HCA_RUNNING;
	BOX_OK(box(PRM_OP_TEARDOWN_HCA));
	BOX_REFUSED(box(PRM_OP_ALLOC_PD), FW_BAD_SYS_STATE, WHY_STATE);
}

/* ---- pages ---- */

enum { FAIL, SUCCESS, RETURN }; /* op_mod of MANAGE_PAGES */

static void pages_box(uint32_t op_mod, uint32_t n)
{
	CMD(MANAGE_PAGES, F(op_mod, op_mod), F(input_num_entries, n));
}

static void give_box(uint32_t first, uint32_t n)
{
	pages_box(SUCCESS, n);
	b.in_len = 16;
	for (uint32_t i = 0; i < n; i++)
		pas(0x100000 + (uint64_t)(first + i) * 4096);
}

static void take_box(uint32_t n, uint32_t room)
{
	pages_box(RETURN, n);
	b.out_len = 16 + room * 8;
}

static uint32_t taken(void)
{
	return PRM_GET(manage_pages_out, b.out, output_num_entries);
}

static void enabled(void)
{
	setup();
	fw_reset(&hca);
	hca.life = HCA_ENABLED;
}

TestSuite(life_pages, .init = enabled, .fini = teardown);

Test(life_pages, are_kept_in_order_and_returned_from_the_last)
{
	BOX_OK(give_box(0, 2));
	BOX_OK(give_box(2, 1));
	BOX_OK(pages_box(FAIL, 1));
	cr_assert_eq(hca.given.n, 3);
	for (uint32_t i = 0; i < 3; i++)
		cr_expect_eq(hca.given.pages[i], 0x100000 + i * 4096);
	BOX_OK(take_box(2, 1));
	cr_assert_eq(taken(), 1, "there is space for one");
	cr_expect_arr_eq(b.out + 16, "\0\0\0\0\0\x10\x20\0", 8);
	BOX_OK(take_box(1, 4));
	cr_assert_eq(taken(), 1);
	cr_expect_arr_eq(b.out + 16, "\0\0\0\0\0\x10\x10\0", 8);
	BOX_OK(take_box(4, 4));
	cr_assert_eq(taken(), 1, "there are no more");
	cr_assert_eq(hca.given.n, 0);
}

Test(life_pages, are_refused_twice_and_in_excess)
{
	BOX_OK(give_box(0, 62));
	BAD_PARAM(give_box(61, 2), WHY_PAS);
	BAD_PARAM(WITH(give_box(62, 2), memcpy(b.in + 24, b.in + 16, 8)), WHY_PAS);
	cr_assert_eq(hca.given.n, 62);
	BOX_REFUSED(give_box(62, 3), FW_LIM_ERR, WHY_LIMIT);
	BOX_REFUSED(box(PRM_OP_INIT_HCA), FW_BAD_SYS_STATE, WHY_STATE);
	BOX_OK(give_box(62, 2));
	BOX_REFUSED(give_box(64, 1), FW_LIM_ERR, WHY_LIMIT);
	BOX_OK(box(PRM_OP_INIT_HCA));
	BOX_OK(take_box(2, 2));
	cr_assert_eq(taken(), 0, "it runs");
}

Test(life_pages, are_of_the_function_itself)
{
	BOX_REFUSED(pages_box(3, 0), FW_BAD_PARAM, WHY_OP_MOD);
	for (int of = 0; of < 4; of++) { /* function_id, embedded_cpu_function */
		pages_box(SUCCESS, 0);
		SET(manage_pages_in, b.in, F(function_id, of & 1),
		    F(embedded_cpu_function, of >> 1));
		if (of)
			REFUSED(FW_BAD_PARAM, WHY_VHCA);
		CMD(QUERY_PAGES, F(op_mod, PRM_QUERY_PAGES_IN_OP_MOD_BOOT_PAGES),
		    F(function_id, of & 1), F(embedded_cpu_function, of >> 1));
		if (of)
			REFUSED(FW_BAD_PARAM, WHY_VHCA);
		else
			cr_assert_eq(execute(), FW_OK);
	}
}
