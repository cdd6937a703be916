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
	cr_assert_eq(execute(), FW_OK, "%#x", syndrome());
	uids[1] = PRM_GET(create_uctx_out, b.out, uid);
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
