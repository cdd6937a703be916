/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of enhanced connection establishment: to the device, and its answer back. The
 * device has none, but one that does not know of them refuses them, and so shows that they
 * reached it. */
#include "shared.h"
#include "uverbs/driver.h"

#define SUITE ece_options_pass_through

QP_SUITE(SUITE);

static int modify_to(const struct ib_uverbs_modify_qp *a, uint32_t ece)
{
	struct mlx5_ib_modify_qp_resp resp = { .response_length = 1,
					       .ece_options = 1,
					       .dctn = 1 };
	int ret = modify_ece(&r, a, ece, (struct buf){ .out = &resp, .out_len = sizeof(resp) });

	cr_assert_eq(resp.response_length, ret ? 1 : sizeof(resp));
	cr_assert_eq(resp.ece_options, ret ? 1 : 0);
	cr_assert_eq(resp.dctn, ret ? 1 : 0);
	return ret;
}

Test(SUITE, create_qp)
{
	struct typed_attr a = typed_attr(&r, IB_UVERBS_QPT_RC);
	struct qp qp;

	a.uhw.ece_options = UINT32_MAX;
	cr_expect_eq(create_typed(&r.b, &a, &qp), 0);
	FIRMWARE_HAS_ECE(&r, false);
	a.uhw.ece_options = 1u << 31;
	cr_expect_eq(create_typed(&r.b, &a, &qp), -EINVAL);
	a.uhw.ece_options = 0;
	cr_expect_eq(create_typed(&r.b, &a, &qp), 0);
	a.uhw.ece_options = 1;
	PRM_SET(cmd_hca_cap, r.b.u->caps[PRM_CAP_GENERAL], ece_support, 0);
	cr_expect_eq(create_typed(&r.b, &a, &qp), 0, "the driver says none");
}

Test(SUITE, every_transition)
{
	const struct ib_uverbs_modify_qp to[] = { to_init(&r), to_state(&r, IBV_QPS_INIT),
						  to_rtr(&r), to_rts(&r),
						  to_state(&r, IBV_QPS_RTS) };

	for (size_t i = 0; i < sizeof(to) / sizeof(to[0]); i++) {
		FIRMWARE_HAS_ECE(&r, false);
		cr_assert_eq(modify_to(&to[i], 1u << 31), -EINVAL, "%zu", i);
		FIRMWARE_HAS_ECE(&r, true);
		cr_assert_eq(modify_to(&to[i], UINT32_MAX), 0, "%zu", i);
	}
}

Test(SUITE, to_reset_and_error)
{
	const struct ib_uverbs_modify_qp err = to_state(&r, IBV_QPS_ERR);
	const struct ib_uverbs_modify_qp reset = to_state(&r, IBV_QPS_RESET);

	walk_to(&r, IBV_QPS_INIT);
	FIRMWARE_HAS_ECE(&r, false);
	cr_expect_eq(modify_to(&err, 1), 0, "the commands have no such field");
	cr_expect_eq(modify_to(&reset, 1), 0);
}

Test(SUITE, answers_need_their_space)
{
	const struct ib_uverbs_modify_qp init = to_init(&r),
					 reset = to_state(&r, IBV_QPS_RESET);
	struct mlx5_ib_modify_qp_resp resp = { .response_length = 1 };
	const struct buf all = { .out = &resp, .out_len = sizeof(resp) };
	const struct buf less = { .out = &resp, .out_len = sizeof(resp) - 1 };

	cr_expect_eq(modify_ece(&r, &reset, 1, all), 0, "RESET to RESET is nothing");
	cr_expect_eq(resp.response_length, 1);
	cr_expect_eq(modify_ece(&r, &init, 1, less), 0);
	cr_expect_eq(resp.response_length, 1);
	cr_expect_eq(modify_ece(&r, &reset, 1, all), 0);
	cr_expect_eq(resp.response_length, sizeof(resp));
}
