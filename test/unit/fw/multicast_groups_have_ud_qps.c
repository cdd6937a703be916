/* SPDX-License-Identifier: BSD-2-Clause */
/* ATTACH_TO_MCG, DETACH_FROM_MCG: who may be in a group, and how many. */
#include <errno.h>

#include "device.h"

NEEDS_SUITE(mcg);

static const uint8_t v4[16] = { [10] = 0xff, [11] = 0xff, 239, 1, 2, 3 };
static const uint8_t v6[16] = { 0xff, 0x0e, [10] = 0xff, [11] = 0xff, 239, 1, 2, 3 };

static enum fw_status group(uint16_t opcode, uint32_t qpn, const uint8_t gid[16])
{
	box(opcode);
	PRM_SET(attach_to_mcg_in, b.in, qpn, qpn);
	memcpy(PRM_ADDR(attach_to_mcg_in, b.in, multicast_gid), gid, 16);
	return execute();
}

#define ATTACH(qpn, gid) group(PRM_OP_ATTACH_TO_MCG, qpn, gid)
#define DETACH(qpn, gid) group(PRM_OP_DETACH_FROM_MCG, qpn, gid)

static uint32_t new_ud(const struct needs *n)
{
	return MADE(PRM_SET(qpc, qp_box(n), st, PRM_QPC_ST_UD));
}

Test(mcg, a_qp_is_in_several_groups_and_a_group_has_several_qps)
{
	uint32_t one = new_ud(&n), two = new_ud(&n);

	cr_assert_eq(ATTACH(one, v4), FW_OK);
	cr_assert_eq(ATTACH(one, v6), FW_OK);
	cr_assert_eq(ATTACH(two, v4), FW_OK);
	cr_assert_eq(hca.groups, 2);
	cr_assert_eq(DETACH(two, v6), FW_BAD_RES_STATE, "not a member");
	cr_assert_eq(DETACH(one, v4), FW_OK);
	cr_assert_eq(hca.groups, 2);
	cr_assert_eq(DETACH(two, v4), FW_OK);
	cr_assert_eq(hca.groups, 1);
	cr_assert_eq(DETACH(one, v6), FW_OK);
	cr_assert_eq(hca.groups, 0);
	cr_assert_eq(DETACH(one, v6), FW_BAD_RES_STATE);
	cr_assert_eq(hca.mcgs.used, 0);
}

Test(mcg, only_ud_qps_and_multicast_addresses)
{
	static const uint8_t unicast[16] = { [10] = 0xff, [11] = 0xff, 10, 0, 0, 1 };
	static const uint8_t local[16] = { 0xfe, 0x80, [15] = 1 };
	uint32_t rc = new_qp(&n), ud = new_ud(&n);

	cr_assert_eq(ATTACH(rc, v4), FW_BAD_PARAM);
	cr_assert_eq(ATTACH(ud, unicast), FW_BAD_PARAM);
	cr_assert_eq(ATTACH(ud, local), FW_BAD_PARAM);
	cr_assert_eq(ATTACH(ud + 99, v4), FW_BAD_RES_STATE);
	cr_assert_eq(hca.mcgs.used, 0);
}

Test(mcg, attached_twice_is_attached_once)
{
	uint32_t qpn = new_ud(&n);

	cr_assert_eq(ATTACH(qpn, v4), FW_OK);
	cr_assert_eq(ATTACH(qpn, v4), FW_OK);
	cr_assert_eq(hca.mcgs.used, 1);
	cr_assert_eq(DETACH(qpn, v4), FW_OK);
	cr_assert_eq(DETACH(qpn, v4), FW_BAD_RES_STATE);
}

Test(mcg, attached_qp_is_in_use)
{
	uint32_t qpn = new_ud(&n);

	init_box(qpn);
	cr_assert_eq(ATTACH(qpn, v4), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_QP, qpn), FW_BAD_RES_STATE);
	cr_assert_eq(DETACH(qpn, v4), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_QP, qpn), FW_OK);
}

Test(mcg, groups_and_members_are_limited)
{
	uint32_t qpn[3];

	for (int i = 0; i < 3; i++)
		qpn[i] = new_ud(&n);
	PRM_SET(cmd_hca_cap, hca.caps[0], max_qp_mcg, 2);
	PRM_SET(cmd_hca_cap, hca.caps[0], log_max_mcg, 0);
	cr_assert_eq(ATTACH(qpn[0], v4), FW_OK);
	cr_assert_eq(ATTACH(qpn[0], v6), FW_LIM_ERR, "a second group");
	cr_assert_eq(ATTACH(qpn[1], v4), FW_OK);
	cr_assert_eq(ATTACH(qpn[2], v4), FW_LIM_ERR, "a third member");
	cr_assert_eq(ATTACH(qpn[1], v4), FW_OK, "is a member");
	cr_assert_eq(DETACH(qpn[1], v4), FW_OK);
	cr_assert_eq(ATTACH(qpn[2], v4), FW_OK);
}

static unsigned int joined, left;
static int join_error;

static int count_join(struct hca *h, const uint8_t gid[16])
{
	cr_assert_eq(h, &hca);
	cr_assert_arr_eq(gid, v4, 16);
	joined++;
	return join_error;
}

static void count_leave(struct hca *h, const uint8_t gid[16])
{
	cr_assert_eq(h, &hca);
	cr_assert_arr_eq(gid, v4, 16);
	left++;
}

Test(mcg, network_knows_the_first_and_the_last_member)
{
	uint32_t one = new_ud(&n), two = new_ud(&n);

	hca.join = count_join;
	hca.leave = count_leave;
	join_error = ENOBUFS;
	cr_assert_eq(ATTACH(one, v4), FW_NO_RES);
	cr_assert_eq(hca.mcgs.used, 0);
	join_error = joined = 0;
	cr_assert_eq(ATTACH(one, v4), FW_OK);
	cr_assert_eq(ATTACH(two, v4), FW_OK);
	cr_assert_eq(joined - left, 1);
	left = 0;
	cr_assert_eq(DETACH(one, v4), FW_OK);
	cr_assert_eq(left, 0);
	cr_assert_eq(DETACH(two, v4), FW_OK);
	cr_assert_eq(left, 1);
}
