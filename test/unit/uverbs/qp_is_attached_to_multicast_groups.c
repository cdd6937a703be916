/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's checks of attach_mcast and detach_mcast (uverbs_cmd.c, ib_uverbs_attach_mcast;
 * verbs.c, ib_attach_mcast; uverbs_std_types_qp.c, uverbs_free_qp).
 */
#include "queues.h"

#define SUITE	 qp_is_attached_to_multicast_groups
#define SUITE_RC qp_is_attached_to_multicast_groups_but_rc

QP_SUITE(SUITE_RC);

static const uint8_t v4[16] = { [10] = 0xff, [11] = 0xff, 239, 1, 2, 3 };
static const uint8_t v6[16] = { 0xff, 0x0e, [10] = 0xff, [11] = 0xff, 239, 1, 2, 3 };

static int command(struct rig *r, uint64_t which, const uint8_t gid[16], uint16_t mlid)
{
	struct ib_uverbs_attach_mcast cmd = { .qp_handle = r->qp.handle, .mlid = mlid };

	memcpy(cmd.gid, gid, 16);
	return write_cmd(&r->b, which, &cmd, sizeof(cmd), NULL, 0);
}

#define ATTACH(r, gid, mlid) command(r, IB_USER_VERBS_CMD_ATTACH_MCAST, gid, mlid)
#define DETACH(r, gid, mlid) command(r, IB_USER_VERBS_CMD_DETACH_MCAST, gid, mlid)

static void ud_open(void)
{
	struct ib_uverbs_destroy_qp_resp resp;

	rig_up(&r);
	cr_assert_eq(destroy_qp(&r.b, r.qp.handle, &resp), 0);
	r.attr.type = IB_UVERBS_QPT_UD;
	r.attr.uhw.flags = MLX5_QP_FLAG_UAR_PAGE_INDEX;
	cr_assert_eq(create_qp(&r.b, &r.attr, &r.qp), 0);
}

TestSuite(SUITE, .init = ud_open, .fini = qp_close);

Test(SUITE, group_is_named_by_gid_and_lid)
{
	cr_assert_eq(DETACH(&r, v4, 0), -EINVAL, "not attached");
	cr_assert_eq(ATTACH(&r, v4, 0), 0);
	cr_assert_eq(ATTACH(&r, v4, 0), 0, "again");
	cr_assert_eq(ATTACH(&r, v6, 0xc000), 0);
	cr_assert_eq(r.b.hca.mcgs.used, 2);
	cr_assert_eq(DETACH(&r, v4, 0xc000), -EINVAL, "another LID");
	cr_assert_eq(DETACH(&r, v4, 0), 0);
	cr_assert_eq(DETACH(&r, v4, 0), -EINVAL);
	cr_assert_eq(DETACH(&r, v6, 0xc000), 0);
	cr_assert_eq(r.b.hca.mcgs.used, 0);
}

Test(SUITE_RC, only_ud_qps_and_multicast_addresses)
{
	static const uint8_t unicast[16] = { [10] = 0xff, [11] = 0xff, 192, 168, 0, 1 };

	cr_assert_eq(ATTACH(&r, v4, 0), -EINVAL, "RC");
	cr_assert_eq(ATTACH(&r, unicast, 0), -EINVAL);
	r.qp.handle = 99;
	cr_assert_eq(ATTACH(&r, v4, 0), -EINVAL, "no QP");
	cr_assert_eq(DETACH(&r, v4, 0), -EINVAL, "no QP");
	r.qp.handle = r.pd;
	cr_assert_eq(ATTACH(&r, v4, 0), -EINVAL, "a PD");
}

Test(SUITE, attached_qp_cannot_be_destroyed)
{
	struct ib_uverbs_destroy_qp_resp resp;

	cr_assert_eq(ATTACH(&r, v4, 0), 0);
	cr_assert_eq(destroy_qp(&r.b, r.qp.handle, &resp), -EBUSY);
	cr_assert_eq(DETACH(&r, v4, 0), 0);
	cr_assert_eq(destroy_qp(&r.b, r.qp.handle, &resp), 0);
}

/* ib_core, ib_detach_mcast: the error of the command is that of the call. */
Test(SUITE, a_failed_command_detaches)
{
	cr_assert_eq(ATTACH(&r, v4, 0), 0);
	call_run = call_once;
	steps.fail_at = 1;
	cr_assert_eq(DETACH(&r, v4, 0), -EAGAIN);
	cr_assert_eq(DETACH(&r, v4, 0), -EINVAL, "it is forgotten");
	cr_assert_eq(ATTACH(&r, v4, 0), 0); /* it ends with the file now */
}

Test(SUITE, closed_file_detaches)
{
	cr_assert_eq(ATTACH(&r, v4, 0), 0);
	cr_assert_eq(ATTACH(&r, v6, 0), 0);
}
